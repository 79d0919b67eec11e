"""MetaVQA's tables: error rates per relation, partition by what is present, cutting by axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anamorph.methods.metavqa.cells import cell_tables
from anamorph.methods.metavqa.questions import NOT_ANNOTATED, PRESENCES
from anamorph.methods.metavqa.relations import BY_NAME
from anamorph.model import FROM_SCENES, QUESTIONS_TAG, Bars, Summary, Table, Tally
from anamorph.relations.objects_add_up import ObjectsAddUp
from anamorph.relations.pieces_add_up import PiecesAddUp
from anamorph.relations.properties_add_up import PropertiesAddUp
from anamorph.statistics.rates import RATE_COLUMNS, RATE_NOTE, rate_bar, rate_cells

# What the paper calls the relations, by their kinds.
RELATION_NAMES = {relation.kind: name for name, relation in BY_NAME.items()}


def question_summary(tallies: Sequence[Tally], axes: Iterable[str]) -> Summary:
    """The paper's table 4 for one system, its figure 8, and the ways to cut."""
    bars = [rate_bar(name, _with(tallies, kind)) for kind, name in RELATION_NAMES.items()]
    relations = [(name, *rate_cells(_with(tallies, kind))) for kind, name in RELATION_NAMES.items()]
    presences = [
        (about, presence, *rate_cells(_with(tallies, kind, partition=presence)))
        for about, kind in (("objects", ObjectsAddUp.kind), ("properties", PropertiesAddUp.kind))
        for presence in PRESENCES
    ]
    actions = _with(tallies, PropertiesAddUp.kind, partition=NOT_ANNOTATED)
    if actions:
        presences.append(("properties", NOT_ANNOTATED, *rate_cells(actions)))
    cuts = [(axis, *rate_cells(_with(tallies, PiecesAddUp.kind, axis=axis))) for axis in axes]
    return (
        Table("Error rate per relation", ("relation", *RATE_COLUMNS), tuple(relations)),
        Table("Partition by what is present", ("about", "in the photo", *RATE_COLUMNS), tuple(presences)),
        Table("Cutting by axis", ("axis", *RATE_COLUMNS), tuple(cuts)),
        *_by_origin(tallies),
        *cell_tables(tallies),
        Bars("Error rates", ("this system",), tuple(bars), RATE_NOTE),
    )


def _by_origin(tallies: Sequence[Tally]) -> tuple[Table, ...]:
    """Cases by who asked, where scenes brought questions."""
    posed = [tally for tally in tallies if tally.tags.get(QUESTIONS_TAG) == FROM_SCENES]
    own = [tally for tally in tallies if tally.tags.get(QUESTIONS_TAG) != FROM_SCENES]
    rows = (("MetaVQA's own", *rate_cells(own)), ("from the scenes", *rate_cells(posed)))
    return (Table("By the origin of questions", ("questions", *RATE_COLUMNS), rows),) if posed else ()


def _with(tallies: Sequence[Tally], relation: str, **tags: str) -> list[Tally]:
    wanted = tags.items()
    return [tally for tally in tallies if tally.relation == relation and wanted <= tally.tags.items()]
