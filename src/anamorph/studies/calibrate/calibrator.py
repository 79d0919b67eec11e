"""Precision and recall of every method and relation, on scenes whose truth is known."""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anamorph import catalog
from anamorph.config import Config, part_from_text, resolve, with_override
from anamorph.engine.ask.stage import AskingOrder
from anamorph.engine.events import Event
from anamorph.engine.further import REFUSED, wants_rounds
from anamorph.engine.judge import judge_stage
from anamorph.engine.plan import plan_stage
from anamorph.engine.prove.evidence import EvidenceKind, keep_evidence
from anamorph.engine.prove.stage import settle_stage
from anamorph.engine.run import asked_in_rounds, carry_out, proof_rounds, start
from anamorph.errors import SystemDown, UsageError
from anamorph.model import System
from anamorph.model.protocols import MethodOptions
from anamorph.store.run import RunStore
from anamorph.store.verdicts import undecided_reasons, violated_cases
from anamorph.studies.calibrate.counts import count_cases
from anamorph.studies.calibrate.records import TRUTH, LeftOut, Measurement
from anamorph.studies.calibrate.styles import SPEAKS, STYLES, Style
from anamorph.studies.calibrate.truth import TruthfulSystem, Truths
from anamorph.toybox.faults.system import FAULTS, TOUCHES, Fault, FaultySystem, Form
from anamorph.toybox.pool import toybox_pool

NETWORKS = ("toybox:captioner", "toybox:answerer", "toybox:tagger")
_FORM_OF_MODEL: dict[object, Form] = {"captioner": "caption", "answerer": "answer", "tagger": "labels"}
_FORMS: tuple[Form, ...] = ("caption", "answer", "labels")
# What a method that asks no question of its own asks of an answerer.
QUESTION = "How many people are in the image?"
_NO_CASE = "The method plans no case on these scenes."
# A fault that delays calls need not take long to show that it does no harm.
_DELAY_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class CalibrationSettings:
    """The measurements: methods (all, if none is named), systems as they are, faults injected into the truth, and ways
    to tell the truth.
    """

    scenes: int
    seed: int = 7
    methods: tuple[str, ...] = ()
    systems: tuple[str, ...] = NETWORKS
    faults: tuple[Fault, ...] = FAULTS
    rate: float = 0.2
    sets: tuple[str, ...] = ()
    styles: tuple[Style, ...] = STYLES


@dataclass(frozen=True, slots=True)
class Trial:
    """One method on one system: as it is, or the truthful system of a form, perhaps with a fault or in a style."""

    method: str
    system: str
    form: Form | None
    fault: Fault | None = None
    style: Style | None = None

    @property
    def name(self) -> str:
        words = (self.system, self.form if self.system == TRUTH else None, self.fault, self.style, self.method)
        return " ".join(word for word in words if word)


def trials(settings: CalibrationSettings) -> list[Trial]:
    """Everything to run; the truth without a fault comes first, because it shows what fits together."""
    methods = settings.methods or tuple(catalog.names("methods"))
    found: list[Trial] = []
    for method in methods:
        # A method of the user's own need not say what it suits.
        suits = MethodOptions.suits.of(catalog.find("methods", method)) or _FORMS
        forms = [form for form in _FORMS if form in suits]
        found += [Trial(method, TRUTH, form) for form in forms if settings.faults]
        suitable = [system for system in settings.systems if (form_of(system) or forms[0]) in forms]
        found += [Trial(method, system, form_of(system)) for system in suitable]
        touched = ((form, fault) for form in forms for fault in settings.faults if form in TOUCHES[fault])
        found += [Trial(method, TRUTH, form, fault) for form, fault in touched]
        spoken = ((form, style) for style in settings.styles for form in forms if form in SPEAKS[style])
        found += [Trial(method, TRUTH, form, style=style) for form, style in spoken]
    return found


def form_of(system: str) -> Form | None:
    """The kind of a system's answers, if its name says so; a fault does not change it."""
    plain: Mapping[str, Any] = part_from_text("system", system)
    while isinstance(plain.get("inner"), Mapping):
        plain = plain["inner"]
    return _FORM_OF_MODEL.get(plain.get("model")) if plain["kind"] == "toybox" else None


@dataclass(slots=True)
class Calibrator:
    """Carries out trials, one run each; `plans` is scratch; with `keep`, the runs of systems stay in `folder`."""

    settings: CalibrationSettings
    folder: Path
    plans: Path
    keep: bool = False
    truths: Truths = field(default_factory=Truths)
    _plans: dict[tuple[str, Form | None], Path] = field(default_factory=dict)
    _misfits: set[tuple[str, Form]] = field(default_factory=set)

    def measure(self, trial: Trial) -> Iterator[Measurement | LeftOut]:
        """The result of one trial, or why it was left out; nothing if it did not fit without a fault either."""
        if trial.form is not None and (trial.method, trial.form) in self._misfits:
            return
        try:
            config = self._config(trial)
        except UsageError as problem:
            if any(assignment.startswith(f"{trial.method}.") for assignment in self.settings.sets):
                raise
            yield self._left_out(trial, str(problem))
            return
        folder = self.folder / re.sub(r"[^a-z0-9]+", "-", trial.name.lower())
        try:
            with self._planned(config, trial, folder) as store:
                yield from self._measure(store, config, trial)
        except SystemDown as down:
            yield self._left_out(trial, f"The system does not work: {down}")
        finally:
            if trial.system == TRUTH or not self.keep:
                shutil.rmtree(folder, ignore_errors=True)

    def _measure(self, store: RunStore, config: Config, trial: Trial) -> Iterator[Measurement | LeftOut]:
        reason = _misfit(store, config, trial.form)
        if reason is not None:
            yield self._left_out(trial, reason)
            return
        alone = self._finish(store, config, trial)
        reason = _refusal(store) or _all_undecided(store)
        if reason is None:
            named = (trial.system, trial.form, trial.fault, trial.style)
            yield from count_cases(store, config, self.truths, *named, alone=alone)
        else:
            # A case that the plain truth leaves undecided can never be decided; about a vague system it says nothing.
            yield self._left_out(trial, reason, misfit=trial.style is None)

    def _planned(self, config: Config, trial: Trial, folder: Path) -> RunStore:
        """A run with its plan; one plan serves all systems of a form, and scenes are composed only once for it."""
        key = (trial.method, trial.form)
        if key not in self._plans:
            self._plans[key] = self.plans / f"{trial.method}-{trial.form}"
            with start(config, self._plans[key]) as planned:
                for _ in plan_stage(planned, config):
                    pass
        shutil.copytree(self._plans[key], folder)
        store = RunStore.open(folder)
        with store.transaction():
            store.set_fact("config", config.plain)
        return store

    def _left_out(self, trial: Trial, reason: str, *, misfit: bool = True) -> LeftOut:
        if trial.form is not None and trial.fault is None and misfit and trial.system == TRUTH:
            self._misfits.add((trial.method, trial.form))
        return LeftOut(trial.style or trial.system, trial.form or "", trial.method, reason)

    def _config(self, trial: Trial) -> Config:
        settings = self.settings
        plain: dict[str, Any] = {
            "methods": [trial.method],
            "scenes": {"kind": "toybox", "count": settings.scenes, "seed": settings.seed},
            "seed": settings.seed,
        }
        names = [one.name for one in dataclasses.fields(catalog.find("methods", trial.method))]
        plain[trial.method] = table = dict[str, object]()
        if trial.form == "answer" and "question" in names:
            table["question"] = QUESTION
        if "pool" in names:
            table["pool"] = str(toybox_pool(self.plans / "pool"))
        if trial.system != TRUTH:
            plain["system"] = part_from_text("system", trial.system)
        for assignment in settings.sets:
            with_override(plain, assignment)
        return resolve(plain, overridden=[assignment.partition("=")[0] for assignment in settings.sets])

    def _finish(self, store: RunStore, config: Config, trial: Trial) -> frozenset[int] | None:
        """Ask, judge and prove; gives the cases that are reported by captions alone, if a witness was also asked."""
        system = config.system() if trial.system != TRUTH else self._truthful(store, config, trial)
        try:
            if trial.system != TRUTH and trial.form == "answer":
                _exhaust(carry_out(store, config))
                return None
            _exhaust(asked_in_rounds(store, config, system, AskingOrder.of_plan(config)))
            if trial.form == "answer" or (trial.form == "caption" and trial.style is not None):
                self._prove(store, config, "answers", system)
                return None
            self._prove(store, config, "captions", None)
            alone = violated_cases(store)
            if trial.style is None:
                witness = TruthfulSystem.over(store, config, "answer", self.truths)
                self._prove(store, config, "witness", witness)
            return alone
        finally:
            system.close()

    def _prove(self, store: RunStore, config: Config, evidence: EvidenceKind, asked: System | None) -> None:
        """Judge what was answered, and settle what that raises by one kind of evidence."""
        _exhaust(judge_stage(store, config.readers(), repeats=config.settings.ask.repeats))
        keep_evidence(store, evidence)
        if asked is not None:
            _exhaust(proof_rounds(store, config, asked, "witness" if evidence == "witness" else "proving"))
        _exhaust(settle_stage(store, config))

    def _truthful(self, store: RunStore, config: Config, trial: Trial) -> System:
        assert trial.form is not None
        truthful = TruthfulSystem.over(store, config, trial.form, self.truths, trial.style)
        if trial.fault is None:
            return truthful
        # Rules such as "always zero" keep their own rate: always.
        usual = FaultySystem(trial.fault, truthful, None, self.settings.seed, steady=True, delay_seconds=_DELAY_SECONDS)
        return usual if usual.share == 1 else dataclasses.replace(usual, rate=self.settings.rate)


def _exhaust(events: Iterator[Event]) -> None:
    for _ in events:
        pass


def _misfit(store: RunStore, config: Config, form: Form | None) -> str | None:
    """Why a plan is not for systems of a form; None if it is."""
    if not store.count("cases") and not wants_rounds(config.methods):
        return _NO_CASE
    asking, silent = store.count("probes", "question IS NOT NULL"), store.count("probes", "question IS NULL")
    if form == "answer" and silent:
        return "The method asks no question, and an answerer needs one."
    if form in ("caption", "labels") and asking:
        return f"The method asks questions, which a {'captioner' if form == 'caption' else 'tagger'} does not answer."
    return None


def _refusal(store: RunStore) -> str | None:
    """Why a method that plans in rounds did not test the system, if it did not."""
    refused = store.fact(REFUSED)
    return None if refused is None else f"The method refused it: {refused['why']}."


def _all_undecided(store: RunStore) -> str | None:
    if store.count("verdicts", "outcome <> 'undecided'"):
        return None
    if not store.count("cases"):
        return _NO_CASE
    reason, _ = undecided_reasons(store, 1)[0]
    return f"No case could be decided: {reason}"
