"""`anamorph list doctor`: what is installed, what is missing, and how to get it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import platform
import re
import shlex
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit
from urllib.request import url2pathname

import click
import numpy as np
from rich.table import Table

from anamorph.cli.options import JSON_OPTION
from anamorph.cli.terminal import as_text, echo_json, open_console
from anamorph.store.images import ImageFolder, ImageFormat
from anamorph.store.schema import full_text_problem, journal_mode_in
from anamorph.weights.files import models_folder, verification_of
from anamorph.weights.known import KNOWN

# What each extra is for.
EXTRAS = {
    "aws": "the systems bedrock and rekognition",
    "fsspec": "photos in buckets and on other file systems",
    "s3": "photos in S3",
    "gs": "photos in Google Cloud Storage",
    "pandas": "Run.to_pandas in Python",
    "parquet": "scenes from Parquet files",
    "review": "anamorph review and research study",
    "ray": "runs on a Ray cluster",
    "spacy": "a tagger of parts of speech",
    "stanza": "a tagger of parts of speech",
    "torch": "inpainters and segmenters that are PyTorch files",
    "torchvision": "networks of torchvision",
    "transformers": "Hugging Face models as systems and segmenters",
    "diffusion": "painters and inpainters that are diffusion models",
    "diversity": "the map of images of anamorph research diversity",
    "metrics": "BLEU in anamorph research metrics",
    "tflite": "TFLite networks as systems and segmenters",
    "inspect": "tasks of inspect_ai and the system inspect",
    "litellm": "the system litellm",
    "mlflow": "logging to MLflow (--log mlflow)",
    "wandb": "logging to Weights & Biases (--log wandb)",
}
DEVELOPMENT = {"test", "check", "bench", "docs"}
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+).*?(?:extra\s*==\s*[\"']([^\"']+)[\"'])?$")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that Anamorph may need, and in which state it is."""

    what: str
    state: Literal["ok", "missing", "broken"]
    note: str


@click.command()
@JSON_OPTION
def doctor(as_json: bool) -> None:
    """Show what is installed, what is missing and how to get it, and try out what every run needs."""
    checks = [*_libraries(), *_programs(), *_weights(), *_trials()]
    if as_json:
        echo_json([asdict(check) for check in checks])
    else:
        table = Table("what", "state", "note")
        for check in checks:
            colour = {"ok": "green", "missing": "yellow", "broken": "red"}[check.state]
            table.add_row(as_text(check.what), f"[{colour}]{check.state}[/]", as_text(check.note))
        open_console().print(table)
    sys.exit(3 if any(check.state == "broken" for check in checks) else 0)


def _libraries() -> list[Check]:
    installed = _installation()
    found = [Check("Anamorph", "ok", f"{importlib.metadata.version('anamorph')}, {installed.how}")]
    found += [Check("Python", "ok", platform.python_version()), Check("SQLite", "ok", sqlite3.sqlite_version)]
    found.append(_full_text())
    needed = []
    for requirement in importlib.metadata.requires("anamorph") or []:
        match = _REQUIREMENT.match(requirement)
        if match is not None and match[2] not in DEVELOPMENT:
            needed.append((match[1], match[2] or "", requirement.partition(";")[0].strip()))
    lacking = {extra for name, extra, _ in needed if _version(name) is None}
    complete = sorted({extra for _, extra, _ in needed if extra} - lacking)
    for name, extra, wanted in needed:
        version = _version(name)
        if version is not None:
            found.append(Check(name, "ok", version))
        else:
            purpose = f"only for {EXTRAS[extra]}: " if extra in EXTRAS else ""
            line = f"{purpose}{installed.line(wanted, extra, complete)}"
            found.append(Check(name, "missing" if extra else "broken", line))
    return found


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class _Installation:
    """How Anamorph came here, and therefore how more comes; `source` is the folder of an editable install."""

    tool: Literal["pip", "uv pip", "pipx", "uv tool"]
    source: str = ""

    @property
    def how(self) -> str:
        where = f", editable from {self.source}" if self.source else ""
        return f"installed with {self.tool}{where}"

    def line(self, requirement: str, extra: str, complete: Sequence[str]) -> str:
        """A command that brings a requirement, of an extra or of Anamorph itself; no extra that is complete is lost."""
        if self.tool == "pipx":
            return f"pipx inject anamorph {shlex.quote(requirement)}"
        if self.tool == "uv tool":
            extras = ",".join(sorted({*complete, extra} - {""}))
            return (
                f"uv tool install --reinstall 'anamorph[{extras}]'"
                if extras
                else "uv tool install --reinstall anamorph"
            )
        python = shlex.quote(sys.executable)
        command = f"uv pip install --python {python}" if self.tool == "uv pip" else f"{python} -m pip install"
        if not extra:
            return f"{command} {shlex.quote(requirement)}"
        what = f"-e {shlex.quote(f'{self.source}[{extra}]')}" if self.source else f"'anamorph[{extra}]'"
        return f"{command} {what}"


def _installation() -> _Installation:
    prefix = Path(sys.prefix)
    if (prefix / "uv-receipt.toml").is_file():
        return _Installation("uv tool")
    if (prefix / "pipx_metadata.json").is_file():
        return _Installation("pipx")
    return _Installation("pip" if importlib.util.find_spec("pip") else "uv pip", _editable_source())


def _editable_source() -> str:
    """The folder of which this is an editable install (PEP 610); empty where it is none."""
    try:
        about = json.loads(importlib.metadata.distribution("anamorph").read_text("direct_url.json") or "{}")
        address = urlsplit(about["url"]) if about.get("dir_info", {}).get("editable") else None
    except (ValueError, KeyError, AttributeError):
        return ""
    return url2pathname(address.path) if address is not None and address.scheme == "file" else ""


def _full_text() -> Check:
    problem = full_text_problem()
    if problem:
        return Check("SQLite full-text search", "missing", f"only the searcher 'local' needs it ({problem})")
    return Check("SQLite full-text search", "ok", "FTS5")


def _programs() -> list[Check]:
    return [
        Check(name, "ok", where) if (where := shutil.which(name)) else Check(name, "missing", note)
        for name, note in (
            ("chromium", "only the tests of the report need it"),
            ("npm", "one of the ways of `anamorph list models get`"),
        )
    ]


def _weights() -> list[Check]:
    findings = [verification_of(each) for each in KNOWN.values()]
    here = [each.weights.name for each in findings if each.state in ("verified", "unverifiable")]
    where = f"in {models_folder()}"
    note = f"{', '.join(here)} {where}" if here else f"none {where}; see anamorph list models"
    return [
        Check("weights", "ok" if here else "missing", note),
        *(
            Check(
                f"weights {each.weights.name}",
                "broken",
                f"{each.note}; anamorph list models get {each.weights.name} --replace",
            )
            for each in findings
            if each.state == "wrong"
        ),
    ]


def _trials() -> list[Check]:
    with tempfile.TemporaryDirectory(prefix="anamorph-doctor-") as folder:
        return [_trial("writing a run file", _try_store, folder), _trial("writing an image", _try_image, folder)]


def _trial(what: str, attempt: Callable[[Path], str], folder: str) -> Check:
    try:
        return Check(what, "ok", attempt(Path(folder)))
    except Exception as problem:  # noqa: BLE001  whatever is wrong is what doctor reports
        return Check(what, "broken", f"{type(problem).__name__}: {problem}")


def _try_store(folder: Path) -> str:
    return f"journal mode {journal_mode_in(folder)}"


def _try_image(folder: Path) -> str:
    images, picture = ImageFolder(folder), np.zeros((32, 48, 3), dtype=np.uint8)
    for format in (ImageFormat("jpeg"), ImageFormat("png")):
        back = images.pixels(images.write(format.encode(picture), format.suffix))
        if back.shape != picture.shape:
            raise ValueError(f"{format.format} was read back as {back.shape}")
    return "jpeg and png"
