"""Suspicions about a class of objects, settled by closed answers about the whole images and the places of the edit.

The change that the system itself sees at the place of an edit is the change that the whole must show:
N(after) - N(before) = N(place after) - N(place before).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anamorph.config.settings import ProveSettings
from anamorph.engine.prove.findings import NO_ANSWER, Finding, line, waiting_for
from anamorph.engine.prove.hearing import Heard, Hearing
from anamorph.engine.prove.places import WIDER, ImageChange, change_between, crops_of
from anamorph.engine.prove.subjects import Subject
from anamorph.ledger import Changed, Ledger, Link, Same, Statement, Within
from anamorph.model import Conflict, Edit, Scene, the_probe
from anamorph.store.proofs import ProbeOrder, ProofLine

# The images of a pair in a ledger, and what is known of the source; crops have the numbers from 10 on.
SOURCE, FOLLOW_UP, TRUTH = 0, 1, 2
_FIRST_CROP, _WIDER_CROPS = 10, 100

ESTIMATES = "The numbers are estimates, and differ by less than estimates do."
NOISE = "Asked again, the system answers differently: its own noise explains it."
ANOTHER_CROP = "It rests on one crop: seen with more around it, the answers agree."
NO_PLACE = "The edit takes up most of the picture, so its place cannot be looked at by itself."
MADE_ANEW = "The edit makes every pixel anew, so it is unknown what it should have left alone."
ONLY_ANNOTATED = "Only the annotations say otherwise, and annotations of photos are not complete."
NOT_SEEN = "The system sees none in either image when asked, and so contradicts only the references."


@dataclass(frozen=True, slots=True)
class Pair:
    """The source of a case and one of its follow-ups, and how many of a class are meant to be more in the latter.

    `by` is None for at least one fewer, and `meant` says it in words. `known` is how many the source is known to have,
    where its owner declares its annotations exhaustive.
    """

    source: tuple[Edit, ...]
    follow_up: tuple[Edit, ...]
    by: int | None
    name: str = "the follow-up"
    known: tuple[int, int | None] | None = None

    @property
    def meant(self) -> str:
        return "at least one fewer" if self.by is None else "no change" if self.by == 0 else f"{self.by:+d}"


@dataclass(frozen=True, slots=True)
class ClosedProof:
    """Settles suspicions about classes of a scene by closed answers of one who answers."""

    scene: Scene
    hearing: Hearing
    settings: ProveSettings
    speaker: str = "the system"

    def about_source(self, pair: Pair, subject: Subject) -> Finding:
        """A source alone against what is known of it."""
        if pair.known is None:
            return Finding("lead", ONLY_ANNOTATED)
        said = self.hearing.hear(pair.source, subject, self.settings.again)
        waiting = waiting_for(said)
        if waiting is not None:
            return waiting
        assert isinstance(said, Heard)
        least, most = self.bounds(said)
        known_least, known_most = pair.known
        proof = (line("the source", said),)
        if (known_most is not None and least > known_most) or (most is not None and most < known_least):
            return Finding("proved", f"Asked {subject.question!r}, it says {said.words}; {_known(pair.known)}.", proof)
        return Finding("refuted", f"Asked {subject.question!r}, it says {said.words}, which is right.", proof)

    def about_pair(self, pair: Pair, subject: Subject, conflict: Conflict) -> Finding:
        """Two images of a case."""
        wholes = [self.hearing.hear(edits, subject) for edits in (pair.source, pair.follow_up)]
        waiting = waiting_for(*wholes)
        if waiting is not None:
            return waiting
        heard = [each for each in wholes if isinstance(each, Heard)]
        names = ("the source", pair.name)
        proof = tuple(map(line, names, heard))
        both = f"Asked {subject.question!r}, it says {heard[0].words} in the source and {heard[1].words} in {pair.name}"
        if self._as_meant(pair, heard):
            if conflict.what == "missing" and all(each.most == 0 for each in heard):
                return Finding("lead", NOT_SEEN, proof)
            return Finding("refuted", f"{both}, which agree.", proof)
        change = change_between(pair.source, pair.follow_up, self.scene)
        if change.reach == "unknown":
            return Finding("lead", MADE_ANEW, proof)
        if change.reach == "places":
            return self.by_places(pair, subject, change, heard)
        links: list[Link] = [Same(SOURCE, FOLLOW_UP) if change.reach == "same" else Within(FOLLOW_UP, SOURCE)]
        said = dict(zip((SOURCE, FOLLOW_UP), heard, strict=True))
        if self._contradiction(said, links, pair) is None:
            exact = self._contradiction(said, links, pair, exact=True) is not None
            return Finding("lead", ESTIMATES, proof) if exact else Finding("refuted", f"{both}, which agree.", proof)
        again = [self.hearing.hear(edits, subject, self.settings.again) for edits in (pair.source, pair.follow_up)]
        waiting = waiting_for(*again)
        if waiting is not None:
            return waiting
        said = {key: each for key, each in zip((SOURCE, FOLLOW_UP), again, strict=True) if isinstance(each, Heard)}
        core = self._contradiction(said, links, pair)
        if core is None:
            return Finding("lead", NOISE, tuple(line(name, said[key]) for key, name in enumerate(names)))
        return self._proved(core, said, dict(enumerate(names)), subject, pair, "nothing was taken away or added")

    def by_places(self, pair: Pair, subject: Subject, change: ImageChange, heard: Sequence[Heard]) -> Finding:
        """Whether the change that is seen at the places of the edit is the change of the whole."""
        crops = crops_of(change, self.scene)
        names = {SOURCE: "the source", FOLLOW_UP: pair.name}
        wholes = dict(zip((SOURCE, FOLLOW_UP), heard, strict=True))
        proof = tuple(line(names[key], each) for key, each in wholes.items())
        if not crops:
            return Finding("lead", NO_PLACE, proof)
        looked = self._look(pair, subject, crops, 1)
        if isinstance(looked, Finding):
            return looked
        said, links, places = looked
        said, names = wholes | said, names | places
        proof = tuple(line(names[key], each) for key, each in said.items())
        if self._contradiction(said, links, pair) is None:
            if self._contradiction(said, links, pair, exact=True) is not None:
                return Finding("lead", ESTIMATES, proof)
            return Finding("unfair", _seen(said, pair), proof)
        wider = crops_of(change, self.scene, WIDER)
        again = [self.hearing.hear(edits, subject, self.settings.again) for edits in (pair.source, pair.follow_up)]
        # Without room for wider crops, the same crops are asked about again.
        second = self._look(pair, subject, wider or crops, 1 if wider else self.settings.again, wider=bool(wider))
        waiting = waiting_for(*again)
        if isinstance(second, Finding):
            orders = (*(waiting.orders if waiting is not None else ()), *second.orders)
            return Finding(second.state, second.why, second.proof, orders) if second.state == "open" else second
        if waiting is not None:
            return waiting
        wholes = {key: each for key, each in zip((SOURCE, FOLLOW_UP), again, strict=True) if isinstance(each, Heard)}
        first = self._contradiction(said | wholes, links, pair)
        if first is None:
            return Finding("lead", NOISE, tuple(line(names[key], each) for key, each in (said | wholes).items()))
        wide_said, wide_links, wide_names = second
        core = self._contradiction(wide_said | wholes, wide_links, pair)
        if core is None:
            everything = wholes | wide_said
            all_names = names | wide_names
            why = ANOTHER_CROP if wider else NOISE
            return Finding("lead", why, tuple(line(all_names[key], each) for key, each in everything.items()))
        return self._proved(first, said | wholes, names, subject, pair, "at the place of the edit it sees that change")

    def _look(
        self, pair: Pair, subject: Subject, crops: Sequence[Edit], attempts: int, wider: bool = False
    ) -> tuple[dict[int, Heard], list[Link], dict[int, str]] | Finding:
        """Answers about crops before and after the edit, how the crops relate to the wholes, and their names."""
        said: dict[int, Heard] = {}
        names: dict[int, str] = {}
        orders: list[ProbeOrder] = []
        numbers: dict[str, list[int]] = {"before": [], "after": []}
        more = ", with more around it" if wider else ""
        for place, crop in enumerate(crops, start=1):
            which = "" if len(crops) == 1 else f" {place}"
            for edits, part in ((pair.source, "before"), (pair.follow_up, "after")):
                number = _FIRST_CROP + len(names) + (_WIDER_CROPS if wider else 0)
                names[number] = f"the place of the edit{which} {part}{more}"
                numbers[part].append(number)
                heard = self.hearing.hear((*edits, crop), subject, attempts)
                waiting = waiting_for(heard)
                if isinstance(heard, Heard):
                    said[number] = heard
                elif waiting is not None and waiting.state != "open":
                    return waiting
                elif waiting is not None:
                    orders += waiting.orders
        if orders:
            return Finding("open", NO_ANSWER, orders=tuple(orders))
        return said, [Changed(SOURCE, FOLLOW_UP, tuple(numbers["before"]), tuple(numbers["after"]))], names

    def _as_meant(self, pair: Pair, heard: Sequence[Heard]) -> bool:
        """Whether two numbers differ as the edit is meant to make them differ, and agree with what is known."""
        (least, most), (now_least, now_most) = ((each.least, each.most) for each in heard)
        if pair.known is not None:
            known_least, known_most = pair.known
            least = max(least, known_least)
            most = known_most if most is None else most if known_most is None else min(most, known_most)
            if most is not None and most < least:
                return False
        if pair.by is None:
            return most is None or now_least < most
        least, most = least + pair.by, None if most is None else most + pair.by
        return not ((most is not None and most < now_least) or (now_most is not None and now_most < least))

    def _contradiction(
        self, said: Mapping[int, Heard], links: Sequence[Link], pair: Pair, *, exact: bool = False
    ) -> tuple[int, ...] | None:
        statements = [
            Statement(key, key, *((each.least, each.most) if exact else self.bounds(each)))
            for key, each in said.items()
        ]
        if pair.known is not None:
            statements.append(Statement(TRUTH, SOURCE, *pair.known))
        return Ledger(statements, links).contradiction()

    def bounds(self, heard: Heard) -> tuple[int, int | None]:
        """The bounds of the answers, if large numbers are estimates."""
        least, most = heard.least, heard.most
        return self.settings.bounds(least)[0], None if most is None else self.settings.bounds(most)[1]

    def _proved(
        self,
        core: Sequence[int],
        said: Mapping[int, Heard],
        names: Mapping[int, str],
        subject: Subject,
        pair: Pair,
        however: str,
    ) -> Finding:
        """The answers that cannot all be right, in words."""
        told = [key for key in core if key in said]
        words = _listed([f"{said[key].words} in {names[key]}" for key in told])
        known = f"; {_known(pair.known)}" if TRUTH in core and pair.known is not None else ""
        places = any(key >= _FIRST_CROP for key in told)
        why = "" if places or known else f", although {however}"
        return Finding(
            "proved",
            f"Asked {subject.question!r}, it says {words}{known}{why}: these cannot all be right.",
            tuple(ProofLine(said[key].probe, names[key], said[key].words) for key in told),
        )


def _seen(said: Mapping[int, Heard], pair: Pair) -> str:
    crops = [each.words for key, each in said.items() if key >= _FIRST_CROP]
    before, after = " and ".join(crops[::2]), " and ".join(crops[1::2])
    return (
        f"At the place of the edit it sees {before} before and {after} after, where {pair.meant} was meant; its "
        "answers about the whole images agree with that."
    )


def _known(known: tuple[int, int | None]) -> str:
    least, most = known
    number = f"at least {least}" if most is None else str(least) if least == most else f"{least} to {most}"
    return f"the annotations, which are declared exhaustive, have {number}"


def _listed(parts: Sequence[str]) -> str:
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


def pairs_of(
    edits: Sequence[tuple[Edit, ...]],
    conflict: Conflict,
    changes: Sequence[tuple[str, int | None]],
    known: tuple[int, int | None] | None,
) -> tuple[Pair, ...]:
    """The pairs of images that a suspicion is about; one with itself where it is about the source alone."""
    by = next((by for label, by in changes if label == conflict.label), 0)
    positions = [place for place in conflict.probes if place] or [0]
    return tuple(
        Pair(edits[0], edits[place], by if place else 0, the_probe(place, len(edits)), known) for place in positions
    )
