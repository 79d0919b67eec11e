"""The solver: a sample calls the model for every question that the run has about its photo."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    ContentImage,
    ContentText,
    Model,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError

from anamorph.inspect_plugin.evaluations import EVALUATIONS
from anamorph.inspect_plugin.runs import EpochRun, PhotoResult, Test
from anamorph.inspect_plugin.scoring import MOST_PROOFS, image_text, proof_text
from anamorph.inspect_plugin.switchboard import PATIENCE_SECONDS, Call, Switchboard
from anamorph.report.issues import Issue
from anamorph.report.wording import answer_text
from anamorph.systems.chats.prompts import CAPTION_PROMPT, QUESTION_PROMPT, Prompts
from anamorph.systems.inspect.messages import answer_of, messages_of
from anamorph.systems.remote.bodies import data_url
from anamorph.systems.remote.image_limits import ImageLimit

PROMPTS = Prompts(CAPTION_PROMPT, QUESTION_PROMPT)
LIMIT = ImageLimit(longest_side=2048, most_bytes=3_750_000)


def asking(test: Test) -> Solver:
    """The solver of a task."""

    @solver(name="ask_about_photo")
    def made() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            run = EVALUATIONS.run_of(state.uuid, state.epoch, test)
            photo = str(state.sample_id)
            await _Sample(run.board, photo, get_model()).serve()
            if run.board.problem is not None:
                raise RuntimeError(f"The run behind this evaluation failed: {run.board.problem}") from run.board.problem
            state.messages = [*state.messages, *_proofs(run, photo)]
            return state

        return solve

    return made()


class _Sample:
    """Calls the model for the questions that the switchboard has, as many at once as there are."""

    def __init__(self, board: Switchboard, photo: str, model: Model) -> None:
        self._board, self._photo, self._model = board, photo, model
        self._limit: LimitExceededError | None = None
        self._news = anyio.Event()

    async def serve(self) -> None:
        """Until the run is over; where a limit of the sample is reached, no call is made after it."""
        self._board.join(self._photo, self._waker())
        try:
            async with anyio.create_task_group() as calls:
                while not self._board.over:
                    await self._wait(calls)
        finally:
            self._board.leave(self._photo)
        if self._limit is not None:
            raise self._limit

    async def _wait(self, calls: Any) -> None:
        """Hand out what is there and wait for more; after a while, also help photos whose samples have not begun."""
        self._hand_out(calls, patient=True)
        with anyio.move_on_after(PATIENCE_SECONDS) as waiting:
            await self._news.wait()
        self._news = anyio.Event()
        if waiting.cancelled_caught:
            self._hand_out(calls, patient=False)

    def _hand_out(self, calls: Any, *, patient: bool) -> None:
        while self._limit is None and (call := self._board.take(self._photo, patient=patient)) is not None:
            calls.start_soon(self._call, call)

    async def _call(self, call: Call) -> None:
        try:
            if self._limit is None:
                output = await self._model.generate(messages_of(call.ask, PROMPTS, LIMIT))
                call.answer.set_result(answer_of(output, None))
        except LimitExceededError as problem:
            self._limit = problem
            self._board.tire(self._photo, f"A limit of the sample was reached: {problem}")
        except Exception as problem:  # noqa: BLE001 - one bad answer never stops a run
            call.fail(f"{type(problem).__name__}: {problem}"[:500])
        finally:
            why = "The call was cancelled." if self._limit is None else "A limit of the sample was reached."
            call.fail(why, limited=self._limit is not None)

    def _waker(self) -> Any:
        token = anyio.lowlevel.current_token()

        def wake() -> None:
            # From a thread of the engine; the loop may be gone where an evaluation was cancelled.
            try:
                anyio.from_thread.run_sync(self._wake, token=token)
            except RuntimeError:
                self._board.leave(self._photo)

        return wake

    def _wake(self) -> None:
        self._news.set()


def _proofs(run: EpochRun, photo: str) -> list[ChatMessage]:
    """The proofs as a conversation, which the log viewer shows with its images."""
    found = run.results.get(photo, PhotoResult()).issues[:MOST_PROOFS]
    return [message for issue in found for message in _conversation(issue)]


def _conversation(issue: Issue) -> list[ChatMessage]:
    said: list[ChatMessage] = []
    for probe in issue.probes:
        content: list[Any] = [ContentText(text=f"[{image_text(probe)}] {probe.question or 'What does it show?'}")]
        if probe.file is not None:
            content.append(ContentImage(image=data_url(probe.file.read_bytes()).decode("ascii")))
        said.append(ChatMessageUser(content=content))
        if probe.answer is not None:
            said.append(ChatMessageAssistant(content=answer_text(probe.answer)))
    return [*said, ChatMessageUser(content=f"Anamorph: {proof_text(issue)}")]
