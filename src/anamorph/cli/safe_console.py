"""A console through which no text from outside reaches the terminal as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.segment import Segment

from anamorph.model.visible import visible


class SafeConsole(Console):
    """A console that makes texts visible last of all, when its own control codes can still be set apart."""

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        return super()._render_buffer(_visible(buffer))


def _visible(buffer: Iterable[Segment]) -> Iterator[Segment]:
    for segment in buffer:
        if segment.control or (segment.text.isprintable() and segment.text.isascii()):
            yield segment
        else:
            yield Segment(visible(segment.text), segment.style)
