"""Certificates for servers that tests start."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def make_certificate(folder: Path, *names: str) -> tuple[Path, Path]:
    """A certificate of this machine, and of hosts of further names, and its key; they lie in `folder`."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    hosts = ",".join(f"DNS:{name}" for name in ("localhost", *names))
    subprocess.run(
        f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName={hosts}"
        f" -keyout {key} -out {certificate}".split(),
        check=True,
        capture_output=True,
    )
    return certificate, key
