"""The error floor: the fewest closed answers that must be false, whatever the photos show.

Every answer to a closed question bounds one unknown number, and the relations of the plan link these numbers. Answers
that were asked again state only what all of their repeats leave room for, and what proving could not uphold links
nothing, so chance and the edges of crops do not raise the floor.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.judge import Claims, Judge
from anamorph.engine.prove.by_account import bounded
from anamorph.errors import NotTrusted
from anamorph.ledger import Ledger, Link, Statement
from anamorph.ledger.statements import Covered, Empty, Joined, Same, Within
from anamorph.model import Answer, Relation, Verdict
from anamorph.model.protocols import RelationOptions
from anamorph.relations.accounts.account import Account, Interval
from anamorph.store.answers import answers_of, questions_of
from anamorph.store.floors import FloorRow, clear_floors, linked_cases, write_floors
from anamorph.store.proofs import images_of_probes, scenes_of_probes
from anamorph.store.run import RunStore
from anamorph.store.verdicts import StoredCase, cases_with_verdicts

# What a suspicion that is not upheld leaves of its case: answers, and no link between them.
_UPHELD = ("holds", "violated")


@dataclass(frozen=True, slots=True)
class _Stated:
    """A case with what its answers state, by probe; `photo` is the scene of its source."""

    case: StoredCase
    relation: Relation
    account: Account
    intervals: Mapping[int, Interval]
    linked: bool
    photo: int


def floor_stage(store: RunStore, config: Config, claims: Claims | None = None) -> None:
    """Find the floor of the run, and of each relation, class and photo, and keep them."""
    kinds = sorted(
        kind
        for kind in catalog.names("relations")
        if RelationOptions.account.of(catalog.find("relations", kind)) is not None
    )
    claims = claims or Claims(store, config.unloaded)
    judge = Judge(config.readers(), config.settings.ask.repeats)
    totals: dict[tuple[str, str], list[int]] = {}
    rows: list[FloorRow] = []
    for ids in linked_cases(store, kinds):
        stated = list(_stated(store, config, claims, judge, ids))
        if not stated:
            continue
        images = images_of_probes(store, [probe for each in stated for probe in each.case.probes])
        for scope, name, some in _scopes(stated):
            counted = _floor_of(some, images)
            if scope in ("photo", "group"):
                rows.append(FloorRow(scope, name, *counted))
            if scope != "photo":
                total = totals.setdefault(("all", "") if scope == "group" else (scope, name), [0, 0, 1])
                total[0] += counted[0]
                total[1] += counted[1]
                total[2] &= counted[2]
    rows += [FloorRow(scope, name, *numbers) for (scope, name), numbers in totals.items()]
    with store.transaction():
        clear_floors(store)
        write_floors(store, rows)


def _stated(store: RunStore, config: Config, claims: Claims, judge: Judge, ids: Sequence[int]) -> Iterator[_Stated]:
    cases = list(cases_with_verdicts(store, ids))
    probes = list(dict.fromkeys(probe for case, _ in cases for probe in case.probes))
    answers, questions = answers_of(store, probes), questions_of(store, probes)
    scenes = scenes_of_probes(store, probes)
    for case, verdict in cases:
        try:
            relation = claims.of(case)
        except NotTrusted:
            continue
        make = RelationOptions.account.of(relation)
        if make is None:
            continue
        account: Account = make(len(case.probes))
        intervals = {
            probe: interval
            for position, probe in enumerate(case.probes)
            if (interval := _interval(account, position, answers[probe], questions[probe], judge, config)) is not None
        }
        yield _Stated(case, relation, account, intervals, _is_linked(verdict), scenes[case.probes[0]])


def _is_linked(verdict: Verdict) -> bool:
    return verdict.outcome in _UPHELD


def _interval(
    account: Account,
    position: int,
    answers: Mapping[int, Answer],
    question: str | None,
    judge: Judge,
    config: Config,
) -> Interval | None:
    """The bounds of all answers to a probe; None if one cannot be read, or there is none."""
    readings = [judge.reading("closed", answers[attempt], question) for attempt in sorted(answers)]
    return bounded(account.entries[position], readings, config.settings.prove) if readings else None


def _scopes(stated: Sequence[_Stated]) -> Iterator[tuple[str, str, Sequence[_Stated]]]:
    """The cases of linked photos: all of them, which add up to the run's, by relation, by class and by photo."""
    yield "group", str(min(each.photo for each in stated)), stated
    by: dict[tuple[str, str], list[_Stated]] = {}
    for each in stated:
        # A method may have names of its own for what it tests: crosscheck's mirror is two relations.
        tags = json.loads(each.case.tags)
        by.setdefault(("relation", str(tags.get("relation", each.relation.kind))), []).append(each)
        by.setdefault(("class", str(tags.get("class", each.account.entries[0].subject))), []).append(each)
        by.setdefault(("photo", str(each.photo)), []).append(each)
    for (scope, name), some in by.items():
        yield scope, name, some


def _floor_of(stated: Sequence[_Stated], images: Mapping[int, int]) -> tuple[int, int, int]:
    """How many answers there are, the fewest of them that must be false, and whether that number is exact."""
    numbers: dict[tuple[int, str], int] = {}
    statements: dict[int, Statement] = {}
    links: list[Link] = []
    for each in stated:
        probes = each.case.probes
        own = [
            numbers.setdefault((images[probes[image]], subject), len(numbers))
            for image, subject in each.account.unknowns
        ]
        places = dict(zip(each.account.unknowns, own, strict=True))
        for probe, entry in zip(probes, each.account.entries, strict=True):
            if probe in each.intervals:
                unknown = places[entry.image, entry.subject]
                statements[probe] = Statement(probe, unknown, *each.intervals[probe])
        if each.linked:
            links += [_renumbered(link, own) for link in each.account.links]
    found = Ledger(list(statements.values()), list(dict.fromkeys(links))).floor()
    return len(statements), found.fewest, int(found.exact)


def _renumbered(link: Link, own: Sequence[int]) -> Link:
    """A link between the numbers of a case as one between those of the ledger."""
    match link:
        case Same(one, other):
            return Same(own[one], own[other])
        case Within(part, whole):
            return Within(own[part], own[whole])
        case Covered(whole, pieces):
            return Covered(own[whole], tuple(own[piece] for piece in pieces))
        case Joined(whole, parts):
            return Joined(own[whole], tuple(own[part] for part in parts))
        case Empty(image):
            return Empty(own[image])
    raise TypeError(f"an account has no link such as {link}")
