"""Notebooks as pages of the site: executed while it is built, so what they show is what the code does."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import nbformat
from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from nbclient import NotebookClient

_LONGEST_SECONDS = 900
# It has no type hints.
_reads: Callable[..., nbformat.NotebookNode] = nbformat.reads


class NotebookParser(MystParser):
    """Reads a notebook as the Markdown of its cells and their results."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        notebook = _reads(inputstring, as_version=4)
        if document.settings.env.config.execute_notebooks:
            execute(notebook)
        super().parse(markdown(notebook), document)


def execute(notebook: nbformat.NotebookNode) -> None:
    """Run every cell in a folder that is gone afterwards; what a cell raises is raised."""
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=_LONGEST_SECONDS, kernel_name="python3", resources=resources).execute()


def markdown(notebook: nbformat.NotebookNode) -> str:
    """The cells and their results, one after the other."""
    blocks: list[str] = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            blocks.append(cell.source)
        elif cell.cell_type == "code":
            blocks.append(_fenced("python", cell.source))
            blocks += [block for output in cell.outputs if (block := _result(output))]
    return "\n\n".join(blocks) + "\n"


def _result(output: Any) -> str:
    if output.output_type == "stream":
        return _fenced("text", output.text)
    bundle = output.get("data", {})
    if "text/html" in bundle:
        return _fenced("{raw} html", f'<div class="result">{bundle["text/html"]}</div>')
    if "image/png" in bundle:
        return _fenced("{raw} html", f'<img alt="" src="data:image/png;base64,{bundle["image/png"].strip()}">')
    return _fenced("text", bundle.get("text/plain", ""))


def _fenced(language: str, text: str) -> str:
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"
