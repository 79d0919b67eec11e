"""Models of the Hugging Face hub, or in a folder of the same format: identity and loading."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anamorph.errors import UsageError
from anamorph.model import setting
from anamorph.weights.files import sha256_of
from anamorph.weights.torch_library import reason

# Files that may change an answer: weights, and their small configuration files.
_SUFFIXES = {".safetensors", ".bin", ".pt", ".pth", ".json", ".jinja", ".txt", ".model", ".tiktoken", ".vocab"}


def model_setting() -> Any:
    """The setting for a model."""
    return setting(help="The model: a name on the hub, or a folder that `save_pretrained` wrote.")


def revision_setting() -> Any:
    """The setting for a model's revision."""
    return setting(None, "A branch, tag or commit of the model on the hub; by default its main branch.")


def local_files_setting() -> Any:
    """The setting to never fetch a model."""
    return setting(False, "Never fetch from the hub; use only local files.")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model by its name on the hub, with a revision, or by its folder; `index` is the file that describes it.

    A model's own code is never run: a model that needs it can be tested through `callable:`.
    """

    what: str
    model: str
    revision: str | None = None
    local_files_only: bool = False
    index: str = "config.json"

    def check(self) -> None:
        """UsageError for errors that show without the network."""
        if not self.model.strip():
            raise UsageError(f"{self.what} needs a model: a name on the hub, or a folder.")
        folder = self.folder
        if folder is None:
            if self.model.startswith((".", "/", "~")) or self.model.count("/") > 1:
                raise UsageError(f"{self.what}: the folder {self.model} does not exist.")
        elif not (folder / self.index).is_file():
            raise UsageError(f"{self.what}: the folder {self.model} has no {self.index}, so it is not a model.")
        elif self.revision is not None:
            raise UsageError(f"{self.what}: {self.model} is a folder, which has no revisions; leave `revision` out.")

    @property
    def folder(self) -> Path | None:
        path = Path(self.model).expanduser()
        return path if path.is_dir() else None

    def identity(self) -> Mapping[str, Any]:
        """The identity of this model: the commit on the hub, or a digest of the folder's files."""
        folder = self.folder
        if folder is None:
            return {"model": self.model, "commit": self._commit()}
        digest = hashlib.sha256()
        for file in sorted(folder.rglob("*")):
            name = file.relative_to(folder)
            if file.suffix in _SUFFIXES and file.is_file() and not any(part.startswith(".") for part in name.parts):
                digest.update(f"{name.as_posix()}\0{sha256_of(file)}\n".encode())
        return {"model": folder.name, "files_sha256": digest.hexdigest()}

    def description(self) -> str:
        """The content of the file that describes the model."""
        folder = self.folder
        file = self._fetched() if folder is None else folder / self.index
        return file.read_text(encoding="utf-8")

    def load(self, loader: Callable[..., Any], **options: Any) -> Any:
        """This model as loaded by a `from_pretrained`; UsageError, naming it, if that fails."""
        folder = self.folder
        where: dict[str, Any] = {"local_files_only": self.local_files_only}
        if folder is None:
            where["revision"] = self._commit()
        try:
            return loader(self.model if folder is None else str(folder), **where, **options)
        except Exception as problem:
            raise UsageError(f"{self.what}: the model {self.model} cannot be loaded ({reason(problem)}).") from problem

    def _commit(self) -> str:
        """The commit that the revision means now, so that the loaded model matches the fingerprint."""
        # The hub's cache keeps a file as .../snapshots/COMMIT/config.json.
        return self._fetched().parent.name

    def _fetched(self) -> Path:
        hub: Any = importlib.import_module("huggingface_hub")
        try:
            return Path(
                hub.hf_hub_download(
                    self.model, self.index, revision=self.revision, local_files_only=self.local_files_only
                )
            )
        except Exception as problem:
            at = f" at revision {self.revision!r}" if self.revision else ""
            raise UsageError(
                f"{self.what}: the model {self.model}{at} is neither a folder nor available from the hub "
                f"({reason(problem)}). Give the folder of a model, or check its name and the network."
            ) from problem


@dataclass(frozen=True, slots=True)
class Workbench:
    """A model's source and target device."""

    checkpoint: Checkpoint
    device: str
    dtype: Any

    def model(self, loader: str) -> Any:
        """The model, by the name of one of the library's Auto classes, ready for inference."""
        found = getattr(transformers(), loader)
        return self.checkpoint.load(found.from_pretrained, dtype=self.dtype).eval().to(self.device)

    def processor(self, loader: str) -> Any:
        """The processor between pictures, strings and tensors."""
        return self.checkpoint.load(getattr(transformers(), loader).from_pretrained)


def transformers() -> Any:
    """The transformers library, without progress bars and warnings: only the command line prints."""
    library: Any = importlib.import_module("transformers")
    library.utils.logging.set_verbosity_error()
    library.utils.logging.disable_progress_bar()
    return library


def major_version(library: str) -> int:
    """The major version of an installed library; a new one may change a model's answers."""
    return int(importlib.metadata.version(library).partition(".")[0])
