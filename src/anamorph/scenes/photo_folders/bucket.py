"""Photos in buckets of S3 or Google Cloud Storage: the only file that uses fsspec.

Credentials are found by fsspec and its libraries: in the environment, in their own files, or on the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from anamorph.errors import BadPicture, MissingExtra, Transient, UsageError
from anamorph.http.messages import bare
from anamorph.scenes.photo_folders.remote import TIMEOUT_SECONDS, NoSuchPhoto

# The extra that a protocol needs; `memory` is a store within this process, for tests.
EXTRAS = {"s3": "s3", "gs": "gs", "gcs": "gs", "memory": "fsspec"}

_LISTING_SECONDS = 600.0
# By name, since their libraries are optional: permanent errors.
_HOPELESS = frozenset(
    (
        "NoCredentialsError",
        "PartialCredentialsError",
        "CredentialRetrievalError",
        "ProfileNotFound",
        "NoRegionError",
        "ParamValidationError",
        "DefaultCredentialsError",
        "RefreshError",
    )
)


def check_address(address: str) -> None:
    """UsageError for an address that is not a bucket's, or that may hold a secret."""
    parts = urlsplit(address)
    if "@" in parts.netloc or "?" in address or "#" in address:
        raise UsageError(
            f"{bare(address)}: the address of a bucket has no login, no query and no signature. Credentials are taken "
            "from the environment or from the files of its library."
        )
    if not parts.netloc:
        raise UsageError(f"The address {bare(address)!r} names no bucket, as s3://bucket/photos does.")


@dataclass(frozen=True, slots=True)
class BucketFiles:
    """The files below an address such as s3://bucket/photos."""

    place: str
    system: Any = field(repr=False, compare=False)
    root: str = ""

    @classmethod
    def at(cls, address: str) -> BucketFiles:
        check_address(address)
        protocol = address.partition("://")[0].lower()
        try:
            import fsspec

            kind = fsspec.get_filesystem_class(protocol)
        except ImportError as problem:
            raise MissingExtra(f"The folder {address}", EXTRAS[protocol]) from problem
        try:
            # One for all threads; a cached listing would hide added photos.
            system = kind(skip_instance_cache=True, use_listings_cache=False)
        except Exception as problem:
            raise UsageError(f"The folder {address} cannot be opened: {_said(problem)}.") from problem
        return cls(address, system, str(kind._strip_protocol(address)).rstrip("/"))

    def called(self, name: str) -> str:
        return f"{self.place.rstrip('/')}/{name}"

    def fetch(self, name: str, most_bytes: int, first: int | None) -> bytes:
        # One byte over the limit shows that the file is too large.
        end = most_bytes + 1 if first is None else first
        try:
            content = bytes(self._call("cat_file", TIMEOUT_SECONDS, f"{self.root}/{name}", start=0, end=end))
        except Exception as problem:  # noqa: BLE001  every library has its own errors
            raise _translated(problem, self.called(name)) from None
        if len(content) > most_bytes:
            raise BadPicture(f"{self.called(name)} has more bytes than the limit of {most_bytes:,}.")
        return content

    def names(self, recursive: bool) -> list[str]:
        depth = None if recursive else 1
        try:
            found = self._call("find", _LISTING_SECONDS, self.root, maxdepth=depth, withdirs=False)
        except Exception as problem:  # noqa: BLE001  every library has its own errors
            failed = _translated(problem, self.place)
            raise failed if isinstance(failed, Transient) else UsageError(str(failed)) from None
        start = f"{self.root}/"
        return [path.removeprefix(start) for path in map(str, found) if path.startswith(start)]

    def _call(self, verb: str, timeout_seconds: float, *arguments: Any, **settings: Any) -> Any:
        if not self.system.async_impl:
            return getattr(self.system, verb)(*arguments, **settings)
        # As fsspec does, but with a deadline: its own calls may wait forever.
        from fsspec.asyn import sync

        work: Callable[..., Any] = getattr(self.system, f"_{verb}")
        return sync(self.system.loop, work, *arguments, timeout=timeout_seconds, **settings)


def _translated(problem: Exception, called: str) -> BadPicture | Transient:
    """A library's error, without its message, which may quote signed addresses."""
    if isinstance(problem, FileNotFoundError):
        return NoSuchPhoto(f"{called} does not exist.")
    if isinstance(problem, PermissionError):
        return BadPicture(f"{called} may not be read (permission denied).")
    if isinstance(problem, IsADirectoryError):
        return BadPicture(f"{called} is a folder, not a regular file.")
    if _HOPELESS & {kind.__name__ for kind in type(problem).__mro__}:
        return BadPicture(f"{called} cannot be fetched: {_said(problem)}.")
    if isinstance(problem, TimeoutError):
        return Transient(f"{called} was not fetched in time.")
    return Transient(f"{called} cannot be fetched: {_said(problem)}.")


def _said(problem: Exception) -> str:
    """The type of an error and its code, such as `ClientError SlowDown`."""
    reply = getattr(problem, "response", None)
    code = reply.get("Error", {}).get("Code") if isinstance(reply, dict) else None
    code = code or getattr(problem, "strerror", None) or getattr(problem, "code", None)
    said = str(code) if code is not None else ""
    plain = said.replace(" ", "").replace("-", "").replace("'", "").isalnum() and len(said) <= 60
    return f"{type(problem).__name__} {said}" if plain else type(problem).__name__
