from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from anamorph.cli.main import cli
from anamorph.errors import UsageError
from tests.cli.command_line import anamorph
from tests.conftest import ROOT
from tests.searchers.servers import Handler, serving
from tests.studies.collect.searching import captioned, patchwork

TAGGER = """
def tags(images, questions):
    return [{"cat": 1.0, "dog": 1.0} for image in images]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    captioned(tmp_path / "photos", "a cat and a dog", "a dog", "a bus", "a red dog bus", "two cats\na cat by a bus")
    (tmp_path / "tagger.py").write_text(TAGGER)
    return tmp_path


def collect(folder: Path, *words: object) -> dict[str, Any]:
    told = within(folder, "collect", "out", "-e", "local:photos", "--labels", "cat,dog,bus", *words, "--json")
    record: dict[str, Any] = json.loads(told)
    return record


def within(folder: Path, *words: object) -> str:
    """What a command prints, run in this process, which saves a second each time."""
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            cli.main([*map(str, words)], standalone_mode=False)
        except SystemExit as leave:
            assert leave.code in (0, 1)
    return out.getvalue()


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "out" / "manifest.jsonl").read_text().splitlines()]


def test_what_was_found_for_each_combination_is_shown(folder: Path) -> None:
    record = collect(folder)
    images = {tuple(each["labels"]): each["images"] for each in record["combinations"]}
    assert images == {("bus",): 3, ("cat",): 2, ("dog",): 2, ("bus", "cat"): 1, ("bus", "dog"): 0, ("cat", "dog"): 1}
    assert record["left_out"] == {"label not a noun": 1, "labels adjacent": 1}
    assert [(row["k"], row["common"], row["rare"]) for row in record["per_k"]] == [(1, 3, 0), (2, 2, 1)]
    assert record["found"] == record["images"] + sum(record["left_out"].values())


def test_the_same_command_asks_nothing_again(folder: Path) -> None:
    before = collect(folder)
    stamp = (folder / "out" / "combinations.jsonl").read_bytes()
    assert collect(folder) == before and (folder / "out" / "combinations.jsonl").read_bytes() == stamp


def test_the_method_takes_a_collection_as_its_scenes_and_its_review_counts(folder: Path) -> None:
    collect(folder)
    words = ("-m", "atom", "-s", "collection:out", "-y", "callable:tagger.py:tags", "--json", "--no-report")
    record = json.loads(within(folder, "run", *words, "-o", "run"))
    assert (record["cases"], record["scenes"]) == (9, 5)
    manifest = folder / "out" / "manifest.jsonl"
    pairs = [line for line in manifest.read_text().splitlines() if len(json.loads(line)["labels"]) == 2]
    manifest.write_text("".join(f"{line}\n" for line in pairs))
    record = json.loads(within(folder, "run", *words, "-o", "run2"))
    assert (record["cases"], record["scenes"]) == (2, 2)


def test_what_a_run_recognised_is_extended_by_one_label(folder: Path) -> None:
    collect(folder, "-k", 1)
    words = ("-m", "atom", "-s", "collection:out", "-y", "callable:tagger.py:tags", "-o", "run", "--no-report")
    within(folder, "run", *words)
    record = collect(folder, "--extend", "run")
    found = [tuple(each["labels"]) for each in record["combinations"]]
    assert found == [("bus", "cat"), ("bus", "dog"), ("cat", "dog")]
    with pytest.raises(UsageError, match=r"-k 3 fits no extended combination\. Sizes that do: 2\."):
        collect(folder, "--extend", "run", "-k", 3)


def test_coverage_is_laid_beside_a_data_set(folder: Path) -> None:
    record = collect(folder, "-k", 2, "--coverage", "toybox:20")
    (row,) = record["coverage"]
    assert (row["possible"], row["covered"]) == (3, 2) and row["data_set"]["draws"] == 2
    told = within(folder, "collect", "out", "-k", 2, "--labels", "cat,dog,bus", "--coverage", "toybox:20")
    assert "Coverage of label combinations" in told


def test_a_collection_can_be_looked_at_without_a_search_engine(folder: Path) -> None:
    collect(folder)
    done = anamorph("collect", "out", cwd=folder)
    assert done.returncode == 0 and "5 of 6 combinations (83.3%) have at least one photo; 5 photos." in done.stdout
    assert "cat + dog" in done.stdout and "Rare: 1 have no photo" in done.stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere"], "has no collection yet. Choose a search engine: --searcher KIND:"),
        (["out", "-e", "gogle:x"], "Unknown searcher 'gogle'. Did you mean 'google'?"),
        (["out", "-e", "local:gone"], "gone, does not exist"),
        (["out", "-e", "local:photos", "--labels", "cat,dgo"], "Unknown label of coco 'dgo'. Did you mean 'dog'?"),
        (["out", "-e", "local:photos", "--labels", "cat", "-k", "2"], "there are only 1 labels to combine"),
        (["out", "-e", "local:photos", "-k", "9"], "combinations are too many"),
        (["out", "-e", "local:photos", "--set", "per_keyward=2"], "--set per_keyward: unknown key"),
        (["out", "-e", "local:photos", "--set", "download.allow=['x']"], "'x' is not a network address"),
        (["out", "-e", "wikimedia"], "contact must be set"),
        (["photos", "-e", "local:photos"], "is not empty and holds no collection"),
        (["out", "-e", "local:photos", "--combinations", "gone.txt"], "gone.txt: cannot be read"),
        (["out", "-e", "local:photos", "--extend", "gone"], "is not a run"),
        (["out", "-e", "local:photos", "--combinations", "a.txt", "-k", "2"], "-k and --extend cannot be used with it"),
    ],
)
def test_wrong_usage_is_shown_in_one_clear_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], complaint: str
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(UsageError) as caught:
        cli.main(["collect", *words], standalone_mode=False)
    assert complaint in str(caught.value)


OWN = """
from dataclasses import dataclass
from typing import ClassVar
from anamorph.model import Find

@dataclass(frozen=True)
class Mine:
    '''Always the same photo.'''
    kind: ClassVar[str] = "mine"

    def search(self, query, most):
        yield Find(("a cat and a dog",), path="photos/00.png")

    def close(self):
        pass
"""


def test_a_searcher_of_ones_own_works(folder: Path) -> None:
    (folder / "mine.py").write_text(OWN)
    words = ("--load", "mine.py", "-e", "mine", "--labels", "cat,dog", "--json")
    record = json.loads(within(folder, "collect", "out", *words))
    assert (record["images"], record["photos"]) == (3, 1)


# --- a search engine on the web -------------------------------------------------------------------------------------


def photo(seed: int) -> bytes:
    file = io.BytesIO()
    patchwork(seed).save(file, "JPEG")
    return file.getvalue()


def web(request: Handler) -> None:
    """An Openverse of three photos, a text in disguise and a file that is gone."""
    base = f"http://127.0.0.1:{request.server.port}"
    if request.path.startswith("/v1/images/"):
        names = ("1.jpg", "2.jpg", "3.jpg", "text.jpg", "gone.jpg")
        results = [{"url": f"{base}/{name}", "title": "A cat and a dog", "license": "by"} for name in names]
        request.reply({"page_count": 1, "results": results})
    elif request.path == "/text.jpg":
        request.reply(b"<html>", content_type="image/jpeg")
    elif request.path == "/gone.jpg":
        request.reply(b"", 404)
    else:
        request.reply(photo(int(request.path[1])))


def command(server_url: str, *words: object) -> list[str]:
    searcher = ("-e", f"openverse:address={server_url}/v1/images/,rate_per_second=100,retries=0")
    quick = ("--set", "download.rate_per_second=100", "--set", "keywords=1")
    return ["collect", "out", *searcher, *quick, "--labels", "cat,dog", "-k", "2", *map(str, words)]


def test_photos_of_the_web_come_with_their_licence_and_broken_files_are_counted(tmp_path: Path) -> None:
    with serving(web) as server:
        record = json.loads(within(tmp_path, *command(server.url, "--set", "download.allow=['127.0.0.1']", "--json")))
    assert record["images"] == 3
    assert record["left_out"] == {"broken: bad status": 1, "broken: not a picture": 1}
    assert {line["licence"] for line in lines(tmp_path)} == {"by"}
    assert sorted(path.suffix for path in (tmp_path / "out" / "images").glob("*/*")) == [".jpg"] * 3


def test_downloads_do_not_reach_this_machine_unless_it_is_allowed(tmp_path: Path) -> None:
    with serving(web) as server:
        record = json.loads(within(tmp_path, *command(server.url, "--json")))
        assert all(seen.path.startswith("/v1/") for seen in server.requests)
    assert record["left_out"] == {"broken: address refused": 5}


def test_a_search_engine_that_is_down_ends_with_3_and_keeps_what_was_collected(tmp_path: Path) -> None:
    with serving(lambda request: request.reply({}, 503)) as server:
        done = anamorph(*command(server.url, "--set", "give_up_after=2", "--json"), cwd=tmp_path)
    assert done.returncode == 3 and "The search engine failed 2 times in a row" in done.stderr
    assert json.loads(done.stdout)["stopped"]
    with serving(web) as server:
        done = anamorph(*command(server.url, "--set", "download.allow=['127.0.0.1']", "--json"), cwd=tmp_path)
    assert json.loads(done.stdout)["images"] == 3


def test_a_collection_that_is_killed_goes_on_with_nothing_lost_and_nothing_fetched_twice(tmp_path: Path) -> None:
    third, go_on = threading.Event(), threading.Event()

    def behave(request: Handler) -> None:
        if request.path == "/3.jpg" and not go_on.is_set():
            third.set()
            go_on.wait(60)
        web(request)

    with serving(behave) as server:
        words = command(server.url, "--set", "download.allow=['127.0.0.1']", "--json")
        process = subprocess.Popen(
            [sys.executable, "-m", "anamorph.cli.main", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert third.wait(60)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        go_on.set()
        kept = lines(tmp_path)
        assert [line["origin"].rpartition("/")[2] for line in kept] == ["1.jpg", "2.jpg"]
        with (tmp_path / "out" / "manifest.jsonl").open("a") as file:
            file.write('{"image": "cut of')
        done = anamorph(*words, cwd=tmp_path)
        fetched = [seen.path for seen in server.requests if not seen.path.startswith("/v1/")]
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["images"] == 3 and lines(tmp_path)[:2] == kept
    assert (fetched.count("/1.jpg"), fetched.count("/2.jpg")) == (1, 1)
