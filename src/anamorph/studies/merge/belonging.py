"""Whether runs are the shards of one run, and what the run that they make up keeps of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anamorph.engine.judge import JUDGED_AS
from anamorph.engine.prove.evidence import FACT as EVIDENCE
from anamorph.engine.recogniser import FACT as RECOGNISER
from anamorph.engine.requests import FORM, WAITING
from anamorph.engine.run import PROGRAM_METHODS, stored_config
from anamorph.engine.segmenter import DETECTOR_AT_HAND, FACT as SEGMENTER
from anamorph.engine.utilisation import FACT as UTILISATION
from anamorph.errors import RunError, UsageError
from anamorph.pools.folder import LIST_FILE
from anamorph.store.answers import count_pending
from anamorph.store.omissions import EXAMPLES, ORDER_FACT, Omission, commonest_first, omissions
from anamorph.store.orders import has_rounds
from anamorph.store.proofs import ROUNDS
from anamorph.store.run import RunStore
from anamorph.store.shards import ShardNote, shard_note
from anamorph.store.signing import is_own

# What a machine may choose for itself: neither plan, images, answers nor verdicts depend on it.
OWN_SETTINGS = ("out", "shard", "cache", "engine", "ray")
OWN_ASK_SETTINGS = (
    *("parallel", "batch", "rate_per_second", "retries", "backoff_seconds", "timeout_seconds", "give_up_after"),
    *("render_mb", "render_processes", "render_threads", "budget", "order", "time", "until"),
)
# Tools by name, each of which may be in use in some shards only.
_TOOLS = ("inpainters", "painters")
# Facts that must be the same in all shards that made an image.
_OF_IMAGES = {DETECTOR_AT_HAND: "the detector that looks at melted images", SEGMENTER: "the segmenter"}


@dataclass(frozen=True, slots=True)
class ShardFacts:
    """All that a merge must know of a shard before it reads its tables; a few kilobytes, whatever its size."""

    folder: Path
    note: ShardNote
    config: Mapping[str, Any]
    facts: Mapping[str, Any]
    own: bool
    made_images: bool
    suspects: bool
    pool: bytes | None
    left_out: tuple[Omission, ...]

    @classmethod
    def read(cls, store: RunStore) -> ShardFacts:
        """Read them; RunError for a run that is not a shard, or whose plan is not finished."""
        if not store.fact("planned"):
            raise RunError(f"{store.folder}: is not planned yet. Use `anamorph resume {store.folder}` first.")
        lost = store.count("cases") - store.count("verdicts") if store.fact("judged") else 0
        if lost:
            raise RunError(
                f"{store.folder}: was judged, and {lost:,} of its cases have no verdict. The file is damaged; bring "
                f"the verdicts back with `anamorph judge run {store.folder}`."
            )
        repeats = stored_config(store).get("ask", {}).get("repeats", 1)
        if has_rounds(store) and isinstance(repeats, int) and count_pending(store, repeats, "planned"):
            raise RunError(
                f"{store.folder}: was stopped before everything was asked, and not in the order of the plan, so rates "
                f"over all shards would be biased. Use `anamorph resume {store.folder}` first."
            )
        note = shard_note(store)
        if note is None:
            raise UsageError(f"{store.folder}: is not a shard. Only runs with the setting `shard` can be merged.")
        pool = store.cutouts / LIST_FILE
        return cls(
            folder=store.folder,
            note=note,
            config=stored_config(store),
            facts={name: store.fact(name) for name in store.fact_names()},
            own=is_own(store),
            made_images=bool(store.count("images", "file IS NOT NULL")),
            suspects=bool(store.count("suspicions")),
            pool=pool.read_bytes() if pool.exists() else None,
            left_out=tuple(omissions(store)),
        )


def require_belonging(shards: Sequence[ShardFacts]) -> None:
    """RunError, with what differs, unless these are all the shards of one run."""
    first = shards[0]
    for other in shards[1:]:
        _require_same(first, other)
    _require_same_evidence(shards)
    missing = sorted(set(range(1, first.note.of + 1)) - {shard.note.index for shard in shards})
    if missing:
        some = ", ".join(f"{index}/{first.note.of}" for index in missing[:5])
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise RunError(f"Of {first.note.of} shards, {len(missing)} are not given: {some}{more}.")
    places: dict[int, Path] = {}
    for shard in shards:
        twin = places.setdefault(shard.note.index, shard.folder)
        if twin is not shard.folder:
            raise RunError(f"{twin} and {shard.folder} are both shard {shard.note.shard}. Give each shard once.")


def _require_same(first: ShardFacts, other: ShardFacts) -> None:
    if first.note.of != other.note.of:
        _refuse(first, other, f"one is a shard of {first.note.of}, the other of {other.note.of}")
    for name, what in (("version", "Anamorph's version"), ("fingerprint", "the system")):
        if first.facts.get(name) != other.facts.get(name):
            _refuse(first, other, f"{what} differs ({_differing(first.facts.get(name), other.facts.get(name))})")
    one, two = _compared(first.config), _compared(other.config)
    if one != two:
        _refuse(first, other, f"their settings differ ({_differing(one, two)})")
    if first.facts.get(JUDGED_AS) != other.facts.get(JUDGED_AS):
        _refuse(first, other, "they were judged with different profiles")
    if first.facts.get(PROGRAM_METHODS) != other.facts.get(PROGRAM_METHODS):
        _refuse(first, other, "their methods differ")
    if (first.note.items, first.note.digest) != (other.note.items, other.note.digest):
        _refuse(first, other, f"their scene sources differ ({first.note.items:,} and {other.note.items:,} items)")
    if first.note.whole != other.note.whole or first.note.inpainter != other.note.inpainter:
        fillers = f"{first.note.inpainter} and {other.note.inpainter} fill holes"
        _refuse(first, other, f"their machines had different weights ({fillers})")
    if first.pool != other.pool:
        _refuse(first, other, "their cut-outs differ")
    for group in _TOOLS:
        ours, theirs = first.facts.get(group) or {}, other.facts.get(group) or {}
        differing = [name for name in ours.keys() & theirs.keys() if ours[name] != theirs[name]]
        if differing:
            _refuse(first, other, f"the weights or settings of {differing[0]} differ")
    both = first.made_images and other.made_images
    for fact, what in _OF_IMAGES.items():
        if both and first.facts.get(fact) != other.facts.get(fact):
            _refuse(first, other, f"{what} differs")
    both = RECOGNISER in first.facts and RECOGNISER in other.facts
    if both and first.facts[RECOGNISER] != other.facts[RECOGNISER]:
        _refuse(first, other, "what recognises inserted objects differs")


def _require_same_evidence(shards: Sequence[ShardFacts]) -> None:
    """In a shard that suspects nothing it settled nothing, and its part of the plan may just ask no question."""
    suspecting = [shard for shard in shards if shard.suspects]
    for other in suspecting[1:]:
        one, two = (str(shard.facts.get(EVIDENCE)) for shard in (suspecting[0], other))
        if one != two:
            _refuse(suspecting[0], other, f"what proves suspicions differs (evidence: {one} and {two})")


def _refuse(first: ShardFacts, other: ShardFacts, why: str) -> None:
    raise RunError(f"{first.folder} and {other.folder} do not belong together: {why}.")


def _compared(config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration without what a machine may choose for itself."""
    kept = {name: value for name, value in config.items() if name not in OWN_SETTINGS}
    ask = kept.pop("ask", {})
    return {**kept, "ask": {name: value for name, value in ask.items() if name not in OWN_ASK_SETTINGS}}


def _differing(one: Any, two: Any) -> str:
    if not (isinstance(one, Mapping) and isinstance(two, Mapping)):
        return f"{one} and {two}"
    return ", ".join(sorted(name for name in {*one, *two} if one.get(name) != two.get(name)))


def merged_facts(shards: Sequence[ShardFacts], out: Path) -> dict[str, Any]:
    """The facts of the run that shards make up, as a single run would have kept them."""
    first = shards[0]
    config = {name: value for name, value in first.config.items() if name != "shard"}
    facts: dict[str, Any] = {"config": {**config, "out": str(out)}, "planned": True}
    for name in ("directory", "fingerprint", "version", PROGRAM_METHODS, JUDGED_AS):
        if name in first.facts:
            facts[name] = first.facts[name]
    facts["judged"] = all(shard.facts.get("judged") for shard in shards)
    facts["created_at"] = min(float(shard.facts.get("created_at") or 0.0) for shard in shards)
    if any("stopped_by" in shard.facts for shard in shards):
        facts["stopped_by"] = None
    for name in ("out_of_budget", "system_worked"):
        known = [shard.facts[name] for shard in shards if name in shard.facts]
        if known:
            facts[name] = any(known)
    # Of a shard that suspects something, if there is one; else of one whose plan asks questions.
    evidence = [shard for shard in shards if EVIDENCE in shard.facts]
    if evidence:
        weightiest = max(evidence, key=lambda shard: (shard.suspects, shard.facts[EVIDENCE] == "answers"))
        facts[EVIDENCE] = weightiest.facts[EVIDENCE]
    for name, joined in ((ROUNDS, max), (WAITING, sum)):
        numbers = [int(shard.facts[name]) for shard in shards if name in shard.facts]
        if numbers:
            facts[name] = joined(numbers)
    facts["scene_questions"] = sum(int(shard.facts.get("scene_questions", 0)) for shard in shards)
    for group in _TOOLS:
        tools = {name: value for shard in shards for name, value in (shard.facts.get(group) or {}).items()}
        if tools:
            facts[group] = tools
    for name in (DETECTOR_AT_HAND, SEGMENTER, RECOGNISER, FORM):
        having = [shard.facts[name] for shard in shards if name in shard.facts]
        if having:
            facts[name] = having[0]
    accounts = [shard.facts["spending"] for shard in shards if "spending" in shard.facts]
    if accounts:
        facts["spending"] = _summed(accounts)
    busy = [shard.facts[UTILISATION] for shard in shards if UTILISATION in shard.facts]
    if busy:
        facts[UTILISATION] = {
            name: round(sum(float(each.get(name, 0.0)) for each in busy), 3) for name in ("seconds", "full_seconds")
        }
    return facts


def _summed(accounts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    total: dict[str, Any] = {}
    for account in accounts:
        for name, value in account.items():
            total[name] = max(total.get(name, value), value) if name == "dearest" else total.get(name, 0) + value
    if "spent" in total:
        total["spent"] = round(total["spent"], 9)
    return total


def merged_omissions(shards: Sequence[ShardFacts], methods: Sequence[str]) -> list[Omission]:
    """The omissions of methods in all shards, with the examples that a single run would have kept."""
    counts: dict[tuple[str, str, str], int] = {}
    examples: dict[tuple[str, str, str], list[tuple[list[int], str]]] = {}
    for shard in shards:
        orders = shard.facts.get(ORDER_FACT) or []
        for omission, order in zip(shard.left_out, orders, strict=True):
            key = (omission.method, omission.noun, omission.reason)
            counts[key] = counts.get(key, 0) + omission.count
            examples.setdefault(key, []).extend(zip(order, omission.examples, strict=True))
    found = []
    for key in sorted(counts, key=lambda key: methods.index(key[0])):
        first = [example for _, example in sorted(examples[key])[:EXAMPLES]]
        found.append(Omission(*key, counts[key], tuple(first)))
    return commonest_first(found)
