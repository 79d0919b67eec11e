"""The settings of a run that are not those of its parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from anamorph.errors import UsageError
from anamorph.model import Grade, setting
from anamorph.store.images import ImageFormat

# How a limit on the error floor begins.
FLOOR = "floor "


def parse_share(text: str, name: str) -> float:
    """A share such as `5%`, `5` or `0.05`, between 0 and 1: a number above 1 is a percentage, 1 alone is refused."""
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(%?)\s*", text)
    number = float(match[1]) if match else -1.0
    if match and not match[2] and number == 1:
        raise ValueError(
            f"{name} must be a share such as 5% or 0.05; {text!r} may mean 1% or 100%, so write one of them"
        )
    share = number / (100 if match and (match[2] or number > 1) else 1)
    if not 0 <= share <= 1:
        raise ValueError(f"{name} must be a share such as 5% or 0.05, got {text!r}")
    return share


def parse_time(text: str) -> float:
    """Seconds from a text such as 90s, 30m, 2h or 1h30m."""
    match = re.fullmatch(r"\s*(?:(\d+)h)?\s*(?:(\d+)m)?\s*(?:(\d+)s)?\s*", text)
    seconds = (
        sum(int(part or 0) * unit for part, unit in zip(match.groups(), (3600, 60, 1), strict=True)) if match else 0
    )
    if not seconds:
        raise ValueError(f"time must be a duration such as 90s, 30m, 2h or 1h30m, got {text!r}")
    return float(seconds)


def parse_until(text: str) -> float:
    """The width of an interval from a text such as `interval < 3%`."""
    match = re.fullmatch(r"\s*interval\s*<\s*(.+)", text)
    try:
        width = parse_share(match[1], "until") if match else 0.0
    except ValueError:
        width = 0.0
    if not width:
        raise ValueError(f'until must be a rule such as "interval < 3%", got {text!r}')
    return width


@dataclass(frozen=True, slots=True)
class AskSettings:
    """How the engine puts questions to the system."""

    repeats: int = setting(
        1, "Ask every probe this many times, to tell a system's noise from its errors.", least=1, most=100
    )
    parallel: int | None = setting(
        None, "Concurrent calls; by default as many as the system prefers.", least=1, most=1024
    )
    batch: int | None = setting(None, "Images per call; by default as many as the system prefers.", least=1, most=4096)
    rate_per_second: float | None = setting(None, "At most this many calls a second.", least=0.001)
    retries: int = setting(4, "Retries after a transient failure.", least=0, most=100)
    backoff_seconds: float = setting(0.5, "Seconds before the first retry; doubled each time, with jitter.", least=0)
    timeout_seconds: float = setting(
        120.0,
        "Give up after this long without an answer; a batch has this long for each of its images.",
        least=0.01,
        most=1e6,
    )
    give_up_after: int = setting(25, "Stop the run after this many consecutive failures; 0 means never.", least=0)
    render_threads: int = setting(2, "Threads that make images.", least=1, most=256)
    render_processes: int | None = setting(
        None,
        "Processes that make images, in place of threads; 0 means threads. By default one for each processor core "
        "where there are four or more, and an inpainter or a check that keeps a core busy has many images to make; "
        "threads otherwise.",
        least=0,
        most=256,
    )
    render_mb: int = setting(
        2048,
        "Scenes whose images are made at the same time take at most about this much memory, in MB, the weights of "
        "networks aside; a larger scene is made alone.",
        least=1,
        most=1_000_000,
    )
    price: float | None = setting(
        None, "The price of an image, each time it is sent, in any currency.", least=0, most=1e12
    )
    price_in: float | None = setting(
        None,
        "The price of a million input tokens, if replies report them.",
        least=0,
        most=1e12,
    )
    price_out: float | None = setting(
        None, "The price of a million output tokens, if replies report them.", least=0, most=1e12
    )
    budget: float | None = setting(
        None, "Stop asking before the run costs more than this, in the currency of the prices.", least=0, most=1e12
    )

    order: Literal["worth", "plan"] | None = setting(
        None,
        "The order of asking: worth (first spread evenly, then near errors) or plan; by default worth "
        "with a budget, a time or until, else plan.",
    )
    time: str | None = setting(None, "Stop asking after this long, such as 90s, 30m or 2h; resume goes on.")
    until: str | None = setting(
        None,
        'Stop asking once the 95 % interval of the rate of violations is narrower than this, such as "interval < 3%".',
    )

    def __post_init__(self) -> None:
        if self.budget is not None and not (self.price or self.price_in or self.price_out):
            raise ValueError("budget needs price, per image, or price_in and price_out, per million tokens")
        if self.time is not None:
            parse_time(self.time)
        if self.until is not None:
            parse_until(self.until)
            if self.order == "plan":
                raise ValueError('until needs order = "worth", since only cases that are drawn evenly give an interval')

    @property
    def by_worth(self) -> bool:
        """Whether cases are asked in the order of worth."""
        if self.order is not None:
            return self.order == "worth"
        return self.budget is not None or self.time is not None or self.until is not None

    @property
    def time_seconds(self) -> float | None:
        """After how long asking stops."""
        return None if self.time is None else parse_time(self.time)

    @property
    def interval_width(self) -> float | None:
        """The width of the interval below which asking stops."""
        return None if self.until is None else parse_until(self.until)

    @property
    def priced(self) -> bool:
        """Whether anything has a price."""
        return any(price is not None for price in (self.price, self.price_in, self.price_out))


@dataclass(frozen=True, slots=True)
class QuestionSettings:
    """How closed questions are worded, and what a chat model is told about the form of its answer."""

    count: str = setting(
        "How many {classes} are in the image?", "Asks for the number of a class; {classes} is its plural."
    )
    exists: str = setting(
        "Is there {a_class} in the image?", "Asks whether a class is there; {a_class} has its article."
    )
    number: str = setting("Answer with a single number.", "Added for a chat model after a question for a number.")
    yes_no: str = setting("Answer yes or no.", "Added for a chat model after a question for yes or no.")
    other: str = setting(
        "Answer with a single word, a number or a short phrase, and nothing else.",
        "Added for a chat model after any other question.",
    )
    stern_number: str = setting(
        "Answer with one number only.", "Added instead, for any system, if the answer was not a number."
    )
    stern_yes_no: str = setting(
        "Please answer yes or no only.", "Added instead, for any system, if the answer was not yes or no."
    )

    def __post_init__(self) -> None:
        for name, place in (("count", "{classes}"), ("exists", "{a_class}")):
            if place not in getattr(self, name):
                raise ValueError(f"{name} must contain {place}, the place of the class, got {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class ProveSettings:
    """How suspicions are proved before they are reported."""

    enabled: bool | None = setting(
        None,
        "Ask closed questions before anything is reported; by default if the system takes questions, or "
        "confirm_with names one that does.",
    )
    again: int = setting(
        2,
        "Ask each answer of a contradiction this many times; only what stays contradictory is reported.",
        least=1,
        most=10,
    )
    most: str = setting(
        "200%", "Ask at most this many closed questions, as a share of the calls of the plan; 40 are always allowed."
    )
    handful: int = setting(
        6, "Larger counts are estimates: two that differ by less than `estimate` do not contradict each other.", least=0
    )
    estimate: str = setting("25%", "By how much two estimates must differ to contradict each other.")
    arguable: tuple[str, ...] = setting(
        ("cup", "dining table", "oven", "remote", "suitcase", "tv", "wine glass"),
        "Classes that people call by many names: they are asked about last, and a caption that leaves one out never "
        "counts by itself.",
    )
    existence_only: tuple[str, ...] = setting(
        ("apple", "banana", "book", "broccoli", "carrot", "orange", "scissors", "skis"),
        "Classes that come in bunches, heaps and pairs: ask whether there is any, never how many.",
    )

    def __post_init__(self) -> None:
        match = re.fullmatch(r"([0-9]+)%", self.most.strip())
        if match is None:
            raise ValueError(f"most must be a share such as 100% or 250%, got {self.most!r}")
        parse_share(self.estimate, "estimate")

    def most_calls(self, planned: int) -> int:
        """How many closed questions may be asked, calls that ask again included."""
        return max(40, planned * int(self.most.strip().removesuffix("%")) // 100)

    def bounds(self, number: int) -> tuple[int, int]:
        """The bounds that a closed count states: the number itself, or the range that an estimate may mean."""
        if number <= self.handful:
            return number, number
        by = max(1, int(number * parse_share(self.estimate, "estimate") / 2))
        return number - by, number + by


@dataclass(frozen=True, slots=True)
class GateSettings:
    """When a finished run fails, and when it is inconclusive."""

    fail_over: str = setting(
        "0%",
        'Exit 1 if a larger share of the decided cases is violated, such as 5%; with "floor 2%", if more than that '
        "share of the closed answers must be false.",
    )
    fail_on: int | None = setting(None, "Exit 1 at this many violations, whatever the share.", least=1)
    grades: tuple[Grade, ...] = setting(
        (), "Count only violations of these grades: contradiction, invention, miscount, omission; without it, all."
    )
    fail_on_new: bool = setting(False, "With a baseline, exit 1 at any new cause, whatever the threshold.")
    max_undecided: str = setting("5%", "Exit 4 if a larger share of the cases could not be decided.")
    max_vacuous: str = setting(
        "25%", "Exit 4 if a larger share of a method's decided cases holds only because the answers name nothing."
    )
    max_same: str = setting(
        "90%", "Exit 4 if a larger share of the answers about different photos is one and the same; yes and no aside."
    )

    def __post_init__(self) -> None:
        for name in ("max_undecided", "max_vacuous", "max_same"):
            parse_share(getattr(self, name), name)
        parse_share(self.fail_over.strip().removeprefix(FLOOR), "fail_over")

    def require_baseline(self, baseline: object | None) -> None:
        """UsageError for a gate that asks what is new where nothing says what is known."""
        if self.fail_on_new and baseline is None:
            raise UsageError(
                "gate.fail_on_new: a cause is new only against a baseline. Give one with --baseline FILE (in Python "
                "baseline=FILE), or leave this setting out."
            )

    @property
    def fail_over_floor(self) -> float | None:
        """The largest share of closed answers that may have to be false; None if the gate counts cases."""
        text = self.fail_over.strip()
        return parse_share(text.removeprefix(FLOOR), "fail_over") if text.startswith(FLOOR) else None


@dataclass(frozen=True, slots=True)
class CacheSettings:
    """Caches across runs."""

    answers: str | None = setting(
        None, "A file that caches answers, for systems that their settings describe completely."
    )
    images: bool = setting(True, "Cache images that took long to make, and detections, for later runs.")
    folder: str | None = setting(None, "The folder of that cache; by default anamorph/made in the user's cache folder.")
    limit_mb: int = setting(2000, "The size limit of that folder, in MB; the least recently used goes first.", least=1)


@dataclass(frozen=True, slots=True)
class SegmentingSettings:
    """Use of the segmenter."""

    scenes: Literal["unannotated", "all", "none"] = setting(
        "unannotated",
        "Which scenes get the objects that the segmenter finds: those that have none, all (in place of the annotated "
        "objects), or none (it is there for the melt check and for completing objects only).",
    )
    min_score: float = setting(
        0.4,
        "The least score of the segmenter's objects; the melt check has a score of its own.",
        least=0,
        most=1,
    )
    threads: int = setting(2, "Photos that are segmented at once.", least=1, most=256)
    remember: bool = setting(True, "Cache segmentations across runs, so that a photo is segmented once.")
    cache: str | None = setting(
        None, "The file of that cache; by default anamorph/segmentations.sqlite in the user's cache folder."
    )


@dataclass(frozen=True, slots=True)
class LabelErrorSettings:
    """Which reference captions `anamorph research label-errors` lists."""

    each_caption: bool = setting(False, "Every caption of a photo must name it; else one of them is enough.")


@dataclass(frozen=True, slots=True)
class MeltCheckSettings:
    """When a melted image is discarded because something is found in its hole."""

    enabled: bool = setting(
        True, "Check every melted image with the segmenter, or with a detector if the run has none."
    )
    at_hand: bool = setting(True, "Without a segmenter, use a detector whose weights are here; not for drawn scenes.")
    score: float = setting(0.25, "The least score of an object that counts.", least=0, most=1)
    inside: float = setting(
        0.5, "The least share of its area on made-up ground for an object to count.", least=0.01, most=1
    )
    fills: bool = setting(True, "On photos, measure all made-up ground against what is around it.")
    seam: float = setting(
        1.25, "The rim of made-up ground changes at most this many times as much as its two sides.", least=0
    )
    busy: float = setting(
        1.1,
        "Made-up ground has at most this many times the edges of what is around it, unless its areas are more alike.",
        least=0,
    )
    variety: float = setting(
        28.0,
        "The inpainter exemplar is not believed where the colours around a melted object differ by more than this, "
        "in CIELAB.",
        least=0,
    )
    apart: float = setting(
        18.0,
        "Ground that a moved object uncovers differs from what is around it by at most this, in CIELAB.",
        least=0,
    )


@dataclass(frozen=True, slots=True)
class RecognitionSettings:
    """How inserted objects and painted pictures are checked by the run's segmenter, or known weights that are here."""

    enabled: bool = setting(
        True,
        "Cut-outs of the run's own scenes, inserted objects and painted classes must be recognized, if a network for "
        "that is here.",
    )
    score: float = setting(
        0.2,
        "An image is discarded unless its inserted object, or on a painted one every class that the photo clearly has, "
        "is seen at least this surely.",
        least=0,
        most=1,
    )


@dataclass(frozen=True, slots=True)
class RaySettings:
    """Ray resources and recovery."""

    replicas: int = setting(1, "Copies of the system, each a Ray actor.", least=1, most=4096)
    num_gpus: float = setting(0.0, "GPUs that each copy of the system has to itself.", least=0, most=1024)
    num_cpus: float = setting(0.0, "CPUs that each copy of the system has to itself.", least=0, most=1024)
    max_restarts: int = setting(100, "Restarts of each copy after it died; -1 means any number.", least=-1)
    start_seconds: float = setting(600.0, "Seconds to wait for a copy of the system to start.", least=1, most=1e6)
    render_workers: int | None = setting(
        None, "Scenes whose images are made at once; by default two for every CPU of the cluster.", least=1, most=65536
    )
    environment: tuple[str, ...] = setting(
        (), "Environment variables to hand to the workers, besides those that settings name, such as ${TOKEN}."
    )


LOCAL_ENGINE = "local"
_ENGINE = re.compile(r"local|ray|ray://[^\s/@]+:[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run that are not those of its parts."""

    methods: tuple[str, ...] = setting((), "Names of methods; each may have a table of its own with its settings.")
    preset: str | None = setting(
        None, "The settings of a paper to begin with (`anamorph list presets`); settings here replace them."
    )
    out: str | None = setting(None, "The folder of the run.")
    seed: int = setting(7, "Seed for all randomness.")
    limit: int | None = setting(None, "Use at most this many scenes.", least=1)
    shard: str | None = setting(
        None, "Test only this part of the scenes, such as 2/8; `anamorph research merge` joins the runs of all parts."
    )
    labels: str = setting(
        "coco",
        "The label space, whose classes the words of answers are sorted into: coco, voc, coco-stuff, coco-all (both of "
        "COCO's), or the path of a .toml or .json file (`anamorph list labels propose` writes one).",
    )
    load: tuple[str, ...] = setting((), "Python files with extensions of your own.")
    pools: tuple[str, ...] = setting((), "Folders of cut-outs, made by `anamorph list pool build`, that edits may use.")
    cache: CacheSettings = setting(CacheSettings(), "Caches across runs: answers, images.")
    engine: str = setting(
        LOCAL_ENGINE,
        "Where the run is made: local, ray (the cluster of a Ray job or of this machine, or else "
        "one that is started here), or ray://HOST:PORT.",
    )
    ray: RaySettings = setting(RaySettings(), "Ray resources.")
    ask: AskSettings = setting(AskSettings(), "How the engine asks.")
    questions: QuestionSettings = setting(QuestionSettings(), "How closed questions are worded.")
    prove: ProveSettings = setting(ProveSettings(), "How suspicions are proved before they are reported.")
    images: ImageFormat = setting(ImageFormat(), "How images are encoded.")
    gate: GateSettings = setting(GateSettings(), "When a run counts as failed, or as inconclusive.")
    segmenting: SegmentingSettings = setting(SegmentingSettings(), "Use of the segmenter.")
    melt_check: MeltCheckSettings = setting(MeltCheckSettings(), "When a melted image is discarded.")
    label_errors: LabelErrorSettings = setting(LabelErrorSettings(), "Which reference captions are suspects.")
    recognition: RecognitionSettings = setting(
        RecognitionSettings(),
        "When a cut-out is not used, and an image with an inserted object or a painted one is discarded.",
    )

    def __post_init__(self) -> None:
        if self.shard is not None:
            from anamorph.store.shards import Shard

            Shard.parse(self.shard)
        if not _ENGINE.fullmatch(self.engine):
            raise ValueError(f"engine must be local, ray or ray://HOST:PORT, got {self.engine!r}")

    @property
    def on_ray(self) -> bool:
        """Whether the run is made on a Ray cluster."""
        return self.engine != LOCAL_ENGINE
