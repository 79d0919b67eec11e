"""The caption metrics of a finished run: of its photos, and of photos and follow-ups pair by pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from anamorph import catalog
from anamorph.errors import UsageError
from anamorph.model import RelationOptions
from anamorph.statistics.rates import Rate, rate_of
from anamorph.store.plans import StoredScenes
from anamorph.store.run import RunStore
from anamorph.store.verdicts import tallies
from anamorph.studies.label_errors.captioned import captioned_pages
from anamorph.studies.metrics.java import JavaMetric, MetricFailed
from anamorph.studies.metrics.metrics import ORDERS, CaptionedPhoto, Cider, Words, bleu, rouge_l
from anamorph.studies.metrics.words import words_of

METRICS = (*(f"BLEU-{order}" for order in ORDERS), "ROUGE-L", "CIDEr", "METEOR", "SPICE")


@dataclass(frozen=True, slots=True)
class CorpusScores:
    """How many captions were scored, and the value of each metric; None if it has no meaning."""

    captions: int
    values: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class MethodScores:
    """A method's photos, each once; and the captions of its pairs, before (the photo) and after (its follow-up).

    There are no pairs where follow-ups show something else than the photo, since references do not fit them.
    """

    method: str
    photos: CorpusScores
    before: CorpusScores | None
    after: CorpusScores | None
    rate: Rate


@dataclass(frozen=True, slots=True)
class RunScores:
    """The scores of a run by method, how many photos have no references, and why metrics are missing."""

    run: str
    methods: tuple[MethodScores, ...]
    without_references: int
    missing: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Captioned:
    """One method's captions: of each photo, and pairs of photo, caption before, caption after."""

    photos: dict[str, Words] = field(default_factory=dict)
    pairs: dict[int, tuple[str, Words, Words]] = field(default_factory=dict)


def score_captions(store: RunStore, name: str, others: Sequence[JavaMetric]) -> RunScores:
    """Score the captions of a run against the reference captions of its scenes."""
    if not store.fact("judged"):
        raise UsageError(f"{store.folder}: has no verdicts yet. Use `anamorph resume {store.folder}` first.")
    references = {
        scene.id: known
        for scene in StoredScenes(store, catalog.find)
        if (known := tuple(words for words in map(words_of, scene.captions) if words))
    }
    if not references:
        raise UsageError(
            f"{store.folder}: its scenes have no reference captions to score against. Run it on scenes that do: "
            "coco:INSTANCES,images=FOLDER,captions=FILE, or a folder with NAME.txt beside NAME.jpg."
        )
    captioned: dict[str, _Captioned] = {}
    unknown: set[str] = set()
    for page in captioned_pages(store):
        words = {probe: words_of(answer.text) for probe, answer in page.answers.items() if answer.text is not None}
        for case, photo in page.cases:
            source, *follow_ups = case.probes
            if photo not in references:
                unknown.add(photo)
            elif source in words:
                own = captioned.setdefault(case.method, _Captioned())
                own.photos.setdefault(photo, words[source])
                if RelationOptions.keeps_references.of(catalog.find("relations", case.relation)):
                    after = ((probe, words[probe]) for probe in follow_ups if probe in words)
                    own.pairs.update({probe: (photo, words[source], said) for probe, said in after})
    if not any(each.photos for each in captioned.values()):
        raise UsageError(f"{store.folder}: it has no caption of an untouched photo with references; nothing to score.")
    cider = Cider.over({photo: references[photo] for each in captioned.values() for photo in each.photos})
    missing = {metric.name: metric.lacks for metric in others if metric.lacks}
    scorer = _Scorer(references, cider, tuple(metric for metric in others if not metric.lacks), missing)
    methods = tuple(_of_method(store, method, each, scorer) for method, each in captioned.items() if each.photos)
    return RunScores(name, methods, len(unknown), missing)


@dataclass(frozen=True, slots=True)
class _Scorer:
    """Computes every metric that is at hand; one whose software fails is noted in `missing` and not tried again."""

    references: Mapping[str, tuple[Words, ...]]
    cider: Cider
    others: tuple[JavaMetric, ...]
    missing: dict[str, str]

    def scores(self, captions: Sequence[tuple[str, Words]]) -> CorpusScores:
        items = [CaptionedPhoto(photo, caption, self.references[photo]) for photo, caption in captions]
        return CorpusScores(len(items), dict(self._values(items)))

    def _values(self, items: Sequence[CaptionedPhoto]) -> Iterator[tuple[str, float | None]]:
        for order, value in zip(ORDERS, bleu(items), strict=True):
            yield f"BLEU-{order}", value
        rouge = {item: rouge_l(item.caption, item.references) for item in dict.fromkeys(items)}
        cider = {item: self.cider.score(item.caption, item.references) for item in rouge}
        yield "ROUGE-L", fmean(rouge[item] for item in items)
        # With one photo no word is rarer than another, and every caption would have the score 0.
        yield "CIDEr", fmean(cider[item] for item in items) if self.cider.photos > 1 else None
        for metric in self.others:
            if metric.name in self.missing:
                continue
            try:
                yield metric.name, metric.score(items)
            except MetricFailed as problem:
                self.missing[metric.name] = str(problem)


def _of_method(store: RunStore, method: str, own: _Captioned, scorer: _Scorer) -> MethodScores:
    pairs = list(own.pairs.values())
    return MethodScores(
        method,
        scorer.scores(list(own.photos.items())),
        scorer.scores([(photo, before) for photo, before, _ in pairs]) if pairs else None,
        scorer.scores([(photo, after) for photo, _, after in pairs]) if pairs else None,
        rate_of(tallies(store, method)),
    )
