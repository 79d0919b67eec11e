"""A session of a person in the local web app, from the address to the last mark."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from anamorph.cli.terminal import complain, echo, echo_json
from anamorph.studies.sessions.browser import opened_in_browser
from anamorph.studies.sessions.session import Session


def hold_session(
    make: Callable[[], Session], port: int | None, as_json: bool, name: str, kept: str, file: Path, done_word: str
) -> None:
    """Serve a session until it ends; what is `kept` goes to a file."""
    from anamorph.studies.sessions.server import bound_socket, opened_app, serve

    with bound_socket(port) as listening, opened_app(make, listening.getsockname()[1]) as app:
        address, noun = app.guard.address, app.session.noun
        done, total = app.progress()
        if as_json:
            echo_json({"address": address, kept: str(file), "reviewer": name, noun[1]: total, done_word: done}, None)
        else:
            said = f"{total:,} {noun[total != 1]}, {done:,} {done_word} by {name}"
            echo(f"{said}. {kept.capitalize()} go to {file}")
            echo(f"Open {address}")
            echo("The address works once. Press Ctrl-C to end the session; it can be continued at any time.")
        with contextlib.nullcontext() if port is not None else opened_in_browser(address):
            serve(app, listening, lambda said: complain("Error:", said))
        done, total = app.progress()
    if not as_json:
        echo(f"{done:,} of {total:,} {done_word}: {file}")
