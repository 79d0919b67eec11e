"""report.json as typed dictionaries: its writer is checked against them, and its schema is made from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from anamorph.engine.budget import Spending
from anamorph.engine.gate import GateResult
from anamorph.engine.utilisation import Utilisation
from anamorph.model import ConflictKind, Grade, SuspicionState
from anamorph.model.shapes import AsDict, Keyword, shape_of
from anamorph.report.baseline.file import BaselineFloor, CauseMark
from anamorph.report.floor import ErrorFloor
from anamorph.report.numbers import Estimates, GradeCounts, Proving, RunState, WrongAnyway
from anamorph.report.reviews import Kappa
from anamorph.statistics.blame import CauseKind, Standing
from anamorph.store.explanations import Carrier

FORMAT: Literal["anamorph-report"] = "anamorph-report"
FORMAT_VERSION: Literal[2] = 2

Count: TypeAlias = Annotated[int, Keyword("minimum", 0)]
Share: TypeAlias = Annotated[float, Keyword("minimum", 0), Keyword("maximum", 1)]
Pair: TypeAlias = Annotated[list[float], Keyword("minItems", 2), Keyword("maxItems", 2)]
Digest: TypeAlias = Annotated[str, Keyword("pattern", "^[0-9a-f]{32}$")]
IssueGrade: TypeAlias = Annotated[
    Grade | None,
    "How sure it is that something is wrong, the surest first; null if the relation judges as published.",
]
Address: TypeAlias = Annotated[str | None, "Relative to the folder of the report."]


class PartRecord(TypedDict):
    """A system, a scene source, a segmenter or a method."""

    kind: str
    settings: Annotated[Mapping[str, Any], "Without secrets."]


class OutcomeRecord(TypedDict):
    """How some cases came out."""

    cases: Count
    holds: Count
    violated: Count
    undecided: Count
    violation_rate: Annotated[Share | None, "violated / (holds + violated); null if nothing was decided."]
    violation_rate_interval: Annotated[
        Pair | None, "The 95 % interval of violation_rate, clustered by photo; null for fewer than two photos."
    ]
    vacuous: Annotated[
        Count, "How many of those that hold do so vacuously: the answers name nothing that could be compared."
    ]
    leads: Annotated[Count, "How many of those that hold are leads: suspected, not proved, and not counted."]


class CountsRecord(OutcomeRecord):
    """A run's size, and the outcomes of its cases."""

    scenes: Count
    photos: Annotated[Count, "Photos with decided cases."]
    violated_photos: Annotated[Count, "Photos with a violated case."]
    skipped: Count
    images: Count
    failed_images: Count
    discarded_images: Annotated[Count, "Images that the melt check discarded; they are not among the failed ones."]
    discarded_cases: Annotated[Count, "Cases that are undecided because one of their images was discarded."]
    probes: Count
    answers: Count
    lacking_answers: Count
    failures: Count
    unjudged: Count


class NoiseRecord(TypedDict):
    """Of the probes that were answered more than once, how many got different answers."""

    differing_probes: Count
    repeated_probes: Count


class GroupRecord(OutcomeRecord):
    """The cases of one method and relation."""

    method: str
    relation: str
    noise: NoiseRecord
    grades: Annotated[dict[str, Count], 'Violated cases by grade; "none" for those without one.']


class UndecidedRecord(TypedDict):
    """Why cases are undecided."""

    reason: str
    cases: Count


class LeadReasonRecord(TypedDict):
    """Why suspicions are leads."""

    reason: str
    suspicions: Count


class FixedCauseRecord(TypedDict):
    """A cause of the baseline that this run tested and did not find."""

    digest: str
    words: str
    what: CauseKind
    label: str
    scene: str
    mark: CauseMark | None


class BaselineRecord(TypedDict):
    """How the run compares with the baseline that it was held against."""

    file: str
    new: Annotated[Count, "Causes that the baseline does not know."]
    known: Annotated[Count, "Causes that it knows; they do not count for the gate."]
    fixed: Annotated[Count, "Causes of the baseline that this run tested and did not find."]
    suppressed: Annotated[Count, "Causes that are marked as false alarms; they are not among the causes."]
    suppressed_issues: Annotated[Count, "Cases that count as held because all of their causes are suppressed."]
    known_issues: Annotated[Count, "Violated cases all of whose causes are known."]
    not_tested: Annotated[Count, "Causes of the baseline with a case that this run does not have, or could not decide."]
    explanation: Annotated[str, "Why the plans differ; empty if they do not."]
    floor_before: Annotated[dict[str, Any], AsDict(BaselineFloor)] | None
    floor_now: Annotated[dict[str, Any], AsDict(BaselineFloor)] | None
    fixed_causes: list[FixedCauseRecord]


class FalseAlarmRecord(TypedDict):
    """Why issues are false alarms."""

    cause: str
    issues: Count


class ErrorRecord(TypedDict):
    """A kind of error, and how many issues have it."""

    error: str
    issues: Count


class WrongAnswerRecord(TypedDict):
    """The place of an answer, and how many issues have their wrong answer there."""

    answer: str
    issues: Count


class ReviewsRecord(TypedDict):
    """Reviewers' verdicts on the issues (`anamorph review`)."""

    reviewers: list[str]
    reviewed: Count
    right: Count
    wrong: Annotated[Count, "False alarms."]
    unsure: Annotated[Count, "Issues that most reviewers were unsure about, or that split them evenly."]
    precision: Annotated[Share | None, "right / (right + wrong); null if nothing was decided."]
    precision_interval: Annotated[
        Pair | None, "The 95 % interval of the precision, clustered by photo; null for fewer than two photos."
    ]
    false_alarms: list[FalseAlarmRecord]
    errors: Annotated[list[ErrorRecord], "Kinds of error of the reports that are right; one may have several."]
    wrong_answers: Annotated[list[WrongAnswerRecord], "Which answer is wrong in the reports that are right."]
    kappa: Annotated[
        Annotated[dict[str, Any], AsDict(Kappa)] | None,
        "How far the reviewers agree beyond chance; null for a single one.",
    ]
    ties: Count
    disagreeing: Annotated[Count, "Issues that not all reviewers marked alike."]
    marks_of_other_answers: Annotated[Count, "Marks that do not count, because the answers changed."]
    marks_of_no_issue: Annotated[Count, "Marks that do not count, because the case is no longer an issue."]


class SummaryRecord(TypedDict):
    """The run in numbers."""

    run: str
    state: RunState
    created_at: Annotated[str | None, Keyword("format", "date-time")]
    run_version: str
    report_version: str
    system: PartRecord | None
    scenes: PartRecord | None
    segmenter: PartRecord | None
    methods: list[PartRecord]
    seed: int
    limit: int | None
    repeats: Annotated[int, Keyword("minimum", 1)]
    judged_as: Annotated[str | None, "The profile that the verdicts were made with, if it is not the run's own."]
    counts: CountsRecord
    causes: Annotated[Count, "How many causes the issues have."]
    grades: list[Annotated[dict[str, Any], AsDict(GradeCounts)]]
    wrong_anyway: Annotated[dict[str, Any], AsDict(WrongAnyway)]
    proving: Annotated[
        dict[str, Any],
        AsDict(Proving, ("suspicions", "noise"), (("lead_reasons", list[LeadReasonRecord]),)),
    ]
    floor: Annotated[
        Annotated[
            dict[str, Any],
            AsDict(ErrorFloor, ("share", "sentence"), (("symmetric_accuracy_at_most", Share | None),)),
        ]
        | None,
        "How many closed answers must be false, whatever the photos show; null if the run has none that are linked.",
    ]
    groups: list[GroupRecord]
    undecided_reasons: list[UndecidedRecord]
    flakes: NoiseRecord
    spending: Annotated[dict[str, Any], AsDict(Spending)]
    utilisation: Annotated[
        dict[str, Any],
        AsDict(Utilisation, ("share",)),
        "How busy the system was kept: for how many seconds of asking it had as many images as it takes at once.",
    ]
    rates_from: Annotated[
        dict[str, Any],
        AsDict(Estimates),
        "The cases that rates, intervals and tables come from: all, or those that were drawn evenly.",
    ]
    stopped_by: Annotated[str | None, "The rule that ended asking before everything was asked."]
    gate: Annotated[dict[str, Any], AsDict(GateResult, ("exit_code",)), "Whether the run passes, and why."]
    baseline: BaselineRecord | None
    reviews: ReviewsRecord | None


class PatternRecord(TypedDict):
    """Causes of one kind and class over all scenes."""

    words: str
    what: CauseKind
    label: str
    grade: IssueGrade
    causes: Count
    scenes: Count
    issues: Count
    rate: Share | None
    rate_interval: Pair | None
    trigger: str | None
    companion: str | None
    example: Digest


class CauseRecord(TypedDict):
    """An answer that is to blame for issues of one scene."""

    digest: Digest
    words: str
    what: CauseKind
    label: str
    grade: IssueGrade
    scene: str
    blamed: Annotated[Digest, "The digest of the blamed answer's probe."]
    answers: Annotated[
        int,
        Keyword("minimum", 1),
        "How many answers contradict what is known alike; the blamed one is the first.",
    ]
    edits_in_words: list[str]
    issues: Count
    methods: list[str]
    example: Annotated[Digest, "The digest of the clearest issue."]
    standing: Annotated[Standing | None, "Whether the baseline knows it; null without a baseline."]


class TableRecord(TypedDict):
    """A table of a method's own."""

    method: str
    title: str | None
    columns: list[str]
    rows: list[list[str | float | None]]
    problem: str | None


class FigureRecord(TypedDict):
    """A figure of a method's own."""

    method: str
    title: str
    note: str
    file: str
    rows: Annotated[list[list[str | float]], "The header first."]


class LeftOutRecord(TypedDict):
    """How many objects, scenes or pairs a method left out for one reason."""

    method: str
    noun: Annotated[str, "One of them, such as object, scene or pair."]
    reason: str
    count: Annotated[int, Keyword("minimum", 1)]
    examples: NotRequired[Annotated[list[str], "The first few by name."]]


class SkipRecord(TypedDict):
    """An input that could not be used."""

    what: str
    reason: str
    noun: NotRequired[str]


class EvidenceRecord(TypedDict):
    """A place in an answer."""

    probe: Annotated[Count, "0 is the source."]
    text: str
    start: Annotated[int | None, "In code points of the answer's text."]
    end: int | None


class AnswerRecord(TypedDict):
    """A text, or labels with their scores."""

    attempt: Count
    text: str | None
    labels: dict[str, float | None] | None


class ProbeRecord(TypedDict):
    """An image that was shown, perhaps with a question, and the answers."""

    digest: str
    scene: str
    edits: list[Mapping[str, Any]]
    edits_in_words: list[str]
    question: str | None
    image: Address
    image_problem: str | None
    answers: list[AnswerRecord]


class ProofRecord(TypedDict):
    """A closed answer that settled a suspicion."""

    part: Annotated[str, "The image that it is about, such as the source."]
    said: Annotated[str, "The meaning of all answers together."]
    question: str
    image: Address
    answers: list[str]
    witness: Annotated[bool, "Whether a witness answered, and not the system under test."]


class SuspicionRecord(TypedDict):
    """Answers about one class that seem to contradict each other."""

    label: str
    grade: IssueGrade
    what: ConflictKind
    probes: list[Count]
    known: bool
    state: SuspicionState
    why: str
    proof: Annotated[list[ProofRecord], "The closed answers that settled it."]


class ShrunkRecord(TypedDict):
    """The smallest case that still fails."""

    claim: Annotated[Mapping[str, Any], "The relation with its settings."]
    reason: str
    violated: list[str]
    categories: list[str]
    evidence: list[EvidenceRecord]
    probes: Annotated[list[ProbeRecord], Keyword("minItems", 1), "The source, then the follow-ups."]
    finished: bool


class ExplainedRecord(TypedDict):
    """The part of an image that carries the wrong word, after `anamorph case explain`."""

    probe: Annotated[Count, "The place of the explained probe among the issue's."]
    label: Annotated[str | None, "The class that its answer names; null for the answer as a whole."]
    carrier: Annotated[
        Carrier, "A part of the image carries the word; more than any one part; or it is said whatever the image shows."
    ]
    sentence: str
    image: Annotated[str | None, "The heat map, drawn over the image."]
    peak: Annotated[
        Annotated[list[int], Keyword("minItems", 2), Keyword("maxItems", 2)] | None,
        "Where the map is hottest: x and y in pixels.",
    ]
    on: Annotated[str | None, "The class of the known object there."]
    calls: Count
    finished: Annotated[bool, "False if the budget ended the search."]


class IssueRecord(TypedDict):
    """A violated case or a lead, with its images, answers and suspicions."""

    digest: Digest
    method: str
    relation: str
    claim: Annotated[Mapping[str, Any], "The relation with its settings."]
    reason: str
    grade: IssueGrade
    state: Annotated[
        SuspicionState | None,
        "The weightiest state of its suspicions; null if it raised none, as when it was judged as published.",
    ]
    why: Annotated[str, "Why it is in that state, in one sentence; empty if it raised no suspicion."]
    wrong_anyway: bool | None
    cause: Annotated[str | None, "The digest of the cause that it is counted under."]
    causes: list[Digest]
    suspicions: Annotated[list[SuspicionRecord], "The weightiest first."]
    violated: list[str]
    categories: list[str]
    evidence: list[EvidenceRecord]
    tags: dict[str, str]
    scene: str
    objects: Annotated[dict[str, Count], "How many objects of each label the source's scene is known to have."]
    probes: Annotated[list[ProbeRecord], Keyword("minItems", 1), "The source, then the follow-ups."]
    replay: str
    shrunk: ShrunkRecord | None
    explained: ExplainedRecord | None


class ReportRecord(TypedDict):
    """Within version 2, keys are only ever added; a reader should ignore keys that it does not know."""

    format: Literal["anamorph-report"]
    version: Literal[2]
    summary: SummaryRecord
    patterns: Annotated[list[PatternRecord], "The surest and then the commonest first."]
    causes: Annotated[list[CauseRecord], "The surest and then the commonest first."]
    tables: list[TableRecord]
    figures: list[FigureRecord]
    left_out: list[LeftOutRecord]
    skips: list[SkipRecord]
    issues: list[IssueRecord]
    leads: Annotated[
        list[IssueRecord],
        "Cases with a suspicion that was not proved: they count for no rate and no gate, and have no cause.",
    ]


def report_schema() -> dict[str, Any]:
    """The JSON schema of report.json."""
    return {"title": f"report.json of Anamorph, version {FORMAT_VERSION}", **shape_of(ReportRecord)}
