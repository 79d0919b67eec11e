"""Opening the person's browser without the token on its command line, which everybody on the machine can read."""

from __future__ import annotations

import html
import os
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAGE = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={}"><title>Anamorph</title>\n'


@contextmanager
def opened_in_browser(address: str) -> Iterator[Path]:
    """Have the browser open a file that leads to an address, and that only this user can read; it is removed."""
    with tempfile.TemporaryDirectory(prefix="anamorph-", ignore_cleanup_errors=True) as folder:
        page = Path(folder) / "open.html"
        with os.fdopen(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(_PAGE.format(html.escape(address)))
        # Some browsers return only when they are closed.
        threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
        yield page
