"""A run file of somebody else: nothing that it names is imported, started, contacted or opened."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anamorph import catalog
from anamorph.config.consequences import consequences
from anamorph.engine.judge import relation_from_json
from anamorph.engine.run import config_of
from anamorph.errors import NotTrusted
from anamorph.pools.folder import Pool
from anamorph.store.run import RunStore
from tests.hostile.conftest import Command
from tests.scenes.photo_folders.elsewhere import Site
from tests.systems.servers import Server

EXTENSION = """
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from anamorph.model import Verdict
Path(__file__).with_suffix(".ran").touch()

@dataclass(frozen=True)
class SameLength:
    kind: ClassVar[str] = "same-length"
    reads: ClassVar[str] = "wording"
    def judge(self, readings):
        return Verdict("violated", "They are what they are.")
"""
SYSTEM = """
from pathlib import Path
Path(__file__).with_suffix(".ran").touch()
def caption(images, questions):
    return ["a dog"] * len(images)
"""


@pytest.fixture
def run(
    tmp_path: Path, photos: Callable[..., Path], anamorph: Command, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Path]:
    """Makes a run with a file of extensions and a callable system; then nothing is loaded any more."""

    def make(*words: object) -> Path:
        photos(2)
        (tmp_path / "mine.py").write_text(EXTENSION)
        (tmp_path / "system.py").write_text(SYSTEM)
        monkeypatch.chdir(tmp_path)
        parts = ("-m", "deeptest", "-s", "folder:photos", "-y", "callable:system.py:caption", "-o", "run")
        done = anamorph("run", *parts, "--load", "mine.py", "--set", "deeptest.relation=same-length", *words)
        assert done.code == 1, done.err
        forget(tmp_path)
        return tmp_path / "run"

    return make


def forget(folder: Path) -> None:
    """As in a process that has loaded nothing yet."""
    catalog._loaded.clear()
    relation_from_json.cache_clear()
    for name in [name for name in sys.modules if name.startswith("anamorph_file_")]:
        del sys.modules[name]
    for file in folder.glob("*.ran"):
        file.unlink()


def ran(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.glob("*.ran"))


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], None]:
    """From now on, this is another user."""
    return lambda: monkeypatch.setenv("ANAMORPH_KEY", str(tmp_path / "elsewhere" / "run.key"))


def a_case(run: Path) -> str:
    with RunStore.open(run, read_only=True) as store:
        return str(store.connection.execute("SELECT hex(digest) FROM cases LIMIT 1").fetchone()[0])


READING: dict[str, tuple[int, tuple[str, ...]]] = {
    "report": (0, ("report", "run")),
    "rejudge": (4, ("rejudge", "run")),
    "export": (0, ("export", "run", "--to", "jsonl", "-o", "out", "--which", "all")),
    "label-errors": (0, ("label-errors", "run")),
    "compare": (0, ("compare", "run", "copy")),
}


@pytest.mark.parametrize("name", READING)
def test_commands_that_read_import_nothing_that_a_strangers_run_names(
    name: str, run: Callable[..., Path], stranger: Callable[[], None], anamorph: Command, tmp_path: Path
) -> None:
    folder = run()
    if name == "compare":
        (tmp_path / "copy").mkdir()
        (tmp_path / "copy" / "run.sqlite").write_bytes((folder / "run.sqlite").read_bytes())
    stranger()
    code, words = READING[name]
    done = anamorph(*words)
    assert (done.code, ran(tmp_path)) == (code, []), done.err
    if name != "compare":
        assert "mine.py was not loaded; what needs it is left out" in done.err


def test_what_needs_a_file_that_is_not_loaded_says_so(
    run: Callable[..., Path], stranger: Callable[[], None], anamorph: Command, tmp_path: Path
) -> None:
    run()
    stranger()
    record = json.loads(anamorph("rejudge", "run", "--json").out)
    assert record["undecided"] == record["cases"] == 8
    (reason,) = (each["reason"] for each in record["undecided_reasons"])
    assert "The relation 'same-length' is not in the catalogue. It may be in mine.py, which is not loaded" in reason
    (table,) = record["tables"]
    why = "Its table needs mine.py, which is not loaded for a run that you did not make on this machine."
    assert table["problem"] == why


def test_ones_own_run_loads_its_files_as_before(run: Callable[..., Path], anamorph: Command, tmp_path: Path) -> None:
    folder = run()
    assert anamorph("rejudge", "run").code == 1
    assert ran(tmp_path) == ["mine.ran"]
    forget(tmp_path)
    assert anamorph("report", "run").code == 0
    forget(tmp_path)
    assert anamorph("replay", "run", a_case(folder)).code == 1
    assert ran(tmp_path) == ["mine.ran", "system.ran"]


@pytest.mark.parametrize("command", ["resume", "replay"])
def test_resume_and_replay_of_a_strangers_run_need_trust_and_show_what_would_happen(
    command: str, run: Callable[..., Path], stranger: Callable[[], None], anamorph: Command, tmp_path: Path
) -> None:
    words = ["run"] if command == "resume" else ["run", a_case(run())]
    if command == "resume":
        run()
    stranger()
    refused = anamorph(command, *words)
    assert (refused.code, ran(tmp_path)) == (2, [])
    for line in (
        f'work in the folder "{tmp_path}"',
        'import and run "mine.py"',
        'start or contact the system callable, target = "system.py:caption"',
        'read the scenes folder, path = "photos"',
        "pass on everything that is in the environment",
        "If you want that, add --trust.",
    ):
        assert line in refused.err
    done = anamorph(command, *words, "--trust")
    assert done.code == 1, done.err
    assert 'import and run "mine.py"' in done.err
    assert ran(tmp_path) == ["mine.ran", "system.ran"]
    # What was resumed is one's own from then on; replay keeps nothing.
    forget(tmp_path)
    assert anamorph("rejudge", "run").code == (1 if command == "resume" else 4)


@pytest.mark.parametrize("command", ["shrink", "explain"])
def test_a_strangers_case_is_shrunk_or_explained_only_with_trust(
    run: Callable[..., Path], stranger: Callable[[], None], anamorph: Command, tmp_path: Path, command: str
) -> None:
    case = a_case(run())
    stranger()
    refused = anamorph(command, "run", case)
    assert (refused.code, ran(tmp_path)) == (2, []) and "If you want that, add --trust." in refused.err
    done = anamorph(command, "run", case, "--trust")
    # The claim of the user's own relation is about no word.
    assert done.code == (0 if command == "shrink" else 2), done.err
    assert command == "shrink" or "it has no word to explain" in done.err
    assert ran(tmp_path) == ["mine.ran", "system.ran"]


FORGERIES: dict[str, Callable[[RunStore], None]] = {
    "another file is loaded": lambda store: forge(store, "config", lambda config: {**config, "load": ["evil.py"]}),
    "another system is started": lambda store: forge(
        store, "config", lambda config: {**config, "system": {"kind": "command", "command": "evil"}}
    ),
    "paths count from elsewhere": lambda store: forge(store, "directory", lambda _: "/tmp"),
    "there is no signature": lambda store: forge(store, "signature", lambda _: None),
    "the signature is a number": lambda store: forge(store, "signature", lambda _: 7),
    "the signature is empty": lambda store: forge(store, "signature", lambda _: ""),
    "the signature has another alphabet": lambda store: forge(store, "signature", lambda _: "é" * 64),
    "the signature is half an emoji": lambda store: forge(store, "signature", lambda _: "\ud83d"),
}


def forge(store: RunStore, name: str, change: Callable[[Any], Any]) -> None:
    store.set_fact(name, change(store.fact(name)))


@pytest.mark.parametrize("forgery", FORGERIES)
def test_ones_own_run_that_was_forged_is_a_strangers(
    forgery: str, run: Callable[..., Path], anamorph: Command, tmp_path: Path
) -> None:
    folder = run()
    (tmp_path / "evil.py").write_text(EXTENSION)
    with RunStore.open(folder) as store:
        FORGERIES[forgery](store)
    assert anamorph("resume", "run").code == 2
    assert anamorph("report", "run").code == 0
    assert ran(tmp_path) == []


def test_a_new_price_is_signed_again(run: Callable[..., Path], anamorph: Command) -> None:
    run()
    assert anamorph("resume", "run", "--price", "0.5").code == 1
    assert anamorph("resume", "run").code == 1


READERS: dict[str, dict[str, Any]] = {
    "a tagger that imports a package": {"readers": {"english": {"tagger": "spacy:evil_package"}}},
    "a tagger that loads a folder": {"readers": {"english": {"tagger": "stanza:/tmp/evil"}}},
    "a list of taggers": {"readers": {"english": {"tagger": ["stanza:/tmp/evil"]}}},
    "a tagger as older versions stored it": {"readers": {"caption": {"tagger": "spacy:evil_package"}}},
    "a reader that asks a system": {
        "readers": {"caption": "llm", "llm": {"system": {"kind": "callable", "function": "evil.py:read"}}}
    },
    "a label space in a file": {"labels": "/tmp/evil.toml"},
    "a label space as older versions stored it": {"readers": {"caption": {"labels": "/tmp/evil.toml"}}},
}


@pytest.mark.parametrize("name", READERS)
def test_the_readers_of_a_stranger_open_nothing(
    name: str, run: Callable[..., Path], stranger: Callable[[], None], anamorph: Command
) -> None:
    with RunStore.open(run()) as store:
        forge(store, "config", lambda config: {**config, "load": [], "deeptest": {}, **READERS[name]})
        store.connection.execute(
            """UPDATE cases SET relation = 'only-loses', claim = '{"kind":"only-loses","removed":["dog"]}'"""
        )
    stranger()
    record = json.loads(anamorph("rejudge", "run", "--json").out)
    (reason,) = (each["reason"] for each in record["undecided_reasons"])
    assert "is not opened for a run that you did not make on this machine" in reason


def test_a_strangers_label_space_that_is_no_text_is_refused(
    run: Callable[..., Path], stranger: Callable[[], None], anamorph: Command
) -> None:
    with RunStore.open(run()) as store:
        forge(store, "config", lambda config: {**config, "labels": ["/tmp/evil.toml"]})
    stranger()
    done = anamorph("rejudge", "run", "--json")
    assert done.code == 2 and "labels: expected a string, got ['/tmp/evil.toml']" in done.err


def test_the_reader_of_a_stranger_is_not_loaded(
    run: Callable[..., Path], stranger: Callable[[], None], anamorph: Command, tmp_path: Path
) -> None:
    with RunStore.open(run()) as store:
        forge(store, "config", lambda config: {**config, "readers": {"wording": "of-a-file"}})
    stranger()
    done = anamorph("rejudge", "run", "--json")
    assert done.code in (2, 4) and "Traceback" not in done.err and ran(tmp_path) == []


def test_no_part_and_no_pool_of_a_strangers_run_is_made(
    run: Callable[..., Path], stranger: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run()
    with RunStore.open(folder) as store:
        forge(store, "config", lambda config: {**config, "pools": ["/dev/zero"], "segmenter": {"kind": "onnx"}})
    stranger()
    monkeypatch.setattr(Pool, "open", lambda _: pytest.fail("a pool was opened"))
    with RunStore.open(folder, read_only=True) as store:
        config = config_of(store)
    assert config.pools() == ()
    for make in (config.scenes, config.system, config.segmenter, config.inpainters, config.painters):
        with pytest.raises(NotTrusted):
            make()


def test_every_variable_of_the_environment_is_shown() -> None:
    plain = {
        "system": {"kind": "http", "url": "https://h/?q=${QUERY}", "headers": {"Authorization": "Bearer ${TOKEN}"}},
        "segmenter": {"kind": "of-a-file", "key_variable": "OTHER", "nested": [{"deep": "${DEEP}"}]},
        "metaic": {"pool": "${FOLDER}/pool"},
        "cache": "cache.sqlite",
        "segmenting": {"cache": "objects.sqlite"},
    }
    lines = consequences(plain, None)
    for name in ("QUERY", "TOKEN", "OTHER", "DEEP", "FOLDER"):
        assert f"take ${{{name}}} from the environment" in lines
    assert 'read the cut-outs of "${FOLDER}/pool"' in lines
    assert {'read and write the cache "cache.sqlite"', 'read and write the cache "objects.sqlite"'} <= set(lines)
    openai = consequences({"system": {"kind": "openai", "model": "m", "base_url": "https://evil"}}, None)
    assert {"take ${OPENAI_API_KEY} from the environment", "take ${OPENAI_BASE_URL} from the environment"} <= set(
        openai
    )
    inner = {"kind": "google-vision", "endpoint": "https://evil", "key_variable": "AWS_SECRET_ACCESS_KEY"}
    faulty = consequences({"system": {"kind": "faulty", "faults": "omission", "inner": inner}}, None)
    assert "take ${AWS_SECRET_ACCESS_KEY} from the environment" in faulty
    assert "take ${CLOUDSDK_AUTH_ACCESS_TOKEN} from the environment" in faulty


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_the_key_is_for_its_user_alone_and_stays(run: Callable[..., Path], anamorph: Command, tmp_path: Path) -> None:
    run()
    key = Path(os.environ["ANAMORPH_KEY"])
    assert len(key.read_bytes()) == 32
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert [file.name for file in key.parent.iterdir()] == [key.name]


def test_where_no_key_can_be_kept_a_run_works_and_needs_trust(
    tmp_path: Path, run: Callable[..., Path], anamorph: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ANAMORPH_KEY", str(tmp_path / "file" / "run.key"))
    run()
    assert anamorph("resume", "run").code == 2
    assert anamorph("resume", "run", "--trust").code == 1


def test_a_strangers_run_fetches_no_photo_until_it_is_trusted(
    photos: Callable[..., Path],
    server: Server,
    stranger: Callable[[], None],
    anamorph: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = Site(server, photos(2))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.py").write_text(SYSTEM)
    (tmp_path / "index.txt").write_text("0000.png\n0001.png\n")
    scenes = f"folder:{site.address},index=index.txt"
    made = anamorph("run", "-m", "deeptest", "-s", scenes, "-y", "callable:system.py:caption", "-o", "run")
    assert made.code == 0, made.err
    for image in (tmp_path / "run" / "images").rglob("*.*"):
        image.unlink()
    site.asked.clear()
    stranger()
    anamorph("report", "run")
    anamorph("rejudge", "run")
    refused = anamorph("replay", "run", a_case(tmp_path / "run"))
    assert (refused.code, site.asked) == (2, [])
    assert f'contact "{site.address}" for photos' in refused.err
    assert anamorph("replay", "run", a_case(tmp_path / "run"), "--trust").code == 0
    assert site.asked
