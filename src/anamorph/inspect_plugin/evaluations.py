"""The evaluations under way: which samples each has, and the runs behind its epochs."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.hooks import Hooks, SampleStart, TaskEnd, TaskStart, hooks

from anamorph.inspect_plugin.runs import EpochRun, Test


@dataclass(slots=True)
class Evaluation:
    """A task with a model: its photos, and its runs by epoch, in the order in which they were begun."""

    id: str
    photos: tuple[str, ...]
    model: str
    settings: Mapping[str, Any]
    runs: dict[int, EpochRun] = field(default_factory=dict)


class Evaluations:
    """The evaluations of this process, as inspect_ai's hooks report them; used from its event loop alone."""

    def __init__(self) -> None:
        self._known: dict[str, Evaluation] = {}
        self._of_sample: dict[str, str] = {}
        self._lock = threading.Lock()

    def begin(self, evaluation: Evaluation) -> None:
        self._known[evaluation.id] = evaluation

    def begin_sample(self, sample: str, evaluation: str) -> None:
        self._of_sample[sample] = evaluation

    def end(self, id: str) -> None:
        """Close the runs of an evaluation."""
        evaluation = self._known.pop(id, None)
        self._of_sample = {sample: owner for sample, owner in self._of_sample.items() if owner != id}
        for run in () if evaluation is None else evaluation.runs.values():
            run.close()

    def run_of(self, sample: str, epoch: int, test: Test) -> EpochRun:
        """The run that a sample belongs to; the first of its samples begins it."""
        evaluation = self._known[self._of_sample[sample]]
        if epoch not in evaluation.runs:
            name = f"epoch-{epoch}" if test.out is not None else "run"
            evaluation.runs[epoch] = EpochRun(test, evaluation.model, evaluation.settings, evaluation.photos, name)
        return evaluation.runs[epoch]

    def epochs_of(self, sample: str) -> dict[int, EpochRun]:
        """The runs of the evaluation that a sample belongs to, by epoch."""
        return self._known[self._of_sample[sample]].runs


EVALUATIONS = Evaluations()


@functools.cache
def listen() -> None:
    """Have inspect_ai tell what begins and ends; only once a task of ours is made, so that others see nothing of it."""

    @hooks(name="anamorph", description="Runs of Anamorph behind its tasks.")
    class _RunHooks(Hooks):
        async def on_task_start(self, data: TaskStart) -> None:
            spec = data.spec
            photos = tuple(str(id) for id in spec.dataset.sample_ids or ())
            settings = spec.model_generate_config.model_dump(exclude_none=True, mode="json")
            EVALUATIONS.begin(Evaluation(data.eval_id, photos, spec.model, settings))

        async def on_sample_start(self, data: SampleStart) -> None:
            EVALUATIONS.begin_sample(data.sample_id, data.eval_id)

        async def on_task_end(self, data: TaskEnd) -> None:
            EVALUATIONS.end(data.eval_id)
