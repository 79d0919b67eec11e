"""crosscheck from the command line: what is chosen, reported, gated, compared and answered elsewhere."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anamorph.store.images import decoded
from anamorph.store.run import RunStore
from tests.cli.command_line import anamorph

# Sees a red thing if the image is red enough, and calls it a dog; a dark image shows nothing.
MODEL = """
from pathlib import Path

def _number(image):
    return 0 if image.max() < 30 or image.std() == 0 else 1 + int(image[..., 0].mean()) // 100

def answer(images, questions):
    return [reply(image, question) for image, question in zip(images, questions)]

def reply(image, question):
    number = _number(image)
    if question is None or "List" in question:
        return "dog, cat" if number else "nothing"
    if "true or false" in question:
        return str((number == 0) == ("no person" in question or "no dog" in question)).lower()
    if question.startswith("How many"):
        return str(number)
    return "left" if "left" in question else "dog" if "Which" in question else "yes" if number else "no"
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems on the same drawn scenes."""
    folder = tmp_path_factory.mktemp("crosscheck")
    for name, system in (
        ("good", "toybox:answerer"),
        ("bad", "faulty:wrong-number,inner=toybox:answerer,rate=0.3,steady=true"),
    ):
        done = anamorph("run", "-s", "toybox:count=8,seed=3", "-y", system, "-o", name, "--json", cwd=folder)
        (folder / f"{name}.json").write_text(done.stdout)
        (folder / f"{name}.txt").write_text(done.stderr)
    return folder


def summary(runs: Path, name: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((runs / f"{name}.json").read_text())
    return record


@pytest.mark.parametrize("name", ["good", "bad"])
def test_a_system_that_takes_questions_is_crosschecked_and_told_why(runs: Path, name: str) -> None:
    assert "No method was given: crosscheck, since " in (runs / f"{name}.txt").read_text()
    floor = summary(runs, name)["floor"]
    assert floor["answers"] > 100 and floor["fewest"] <= floor["answers"]
    assert floor["sentence"].startswith(f"At least {floor['fewest']:,} of {floor['answers']:,} closed answers")


@pytest.mark.parametrize(
    ("system", "said"),
    [
        ("toybox:captioner", "deeptest, since toybox takes no questions; other methods need photos with objects."),
        ("openai:my-model", "crosscheck, since openai takes questions, so its answers can be checked"),
        ("callable:model.py:answer", "crosscheck, since answer(images, questions) takes questions"),
    ],
)
def test_the_method_is_chosen_by_what_the_system_answers_with(tmp_path: Path, system: str, said: str) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    done = anamorph("plan", "-s", "toybox:2", "-y", system, cwd=tmp_path)
    assert done.returncode == 0 and f"No method was given: {said}" in done.stderr


@pytest.mark.parametrize("words", [("--until", "interval < 3%"), ("--order", "worth")])
def test_an_order_that_rounds_cannot_have_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = anamorph("run", "-s", "toybox:4", "-y", "toybox:answerer", *words, "-o", "part", cwd=tmp_path)
    assert done.returncode == 2 and f"{words[0]}" in done.stderr and "crosscheck plans in rounds" in done.stderr


def test_a_budget_is_spent_on_whole_photos(tmp_path: Path) -> None:
    """Forty photos, and calls for a few: these are asked about in full, and the others not at all."""
    (tmp_path / "model.py").write_text(MODEL)
    words = ("run", "-m", "crosscheck", "-s", "toybox:40", "-y", "callable:model.py:answer", "--no-prove", "-o", "run")
    done = anamorph(*words, "--price", "1", "--budget", "250", cwd=tmp_path)
    assert "250" in done.stdout and done.returncode in (0, 1, 4), done.stderr
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        assert store.count("answers") <= 250
        decided = store.count("verdicts", "outcome IN ('holds', 'violated')")
        (photos,) = store.connection.execute(
            """SELECT count(DISTINCT i.scene) FROM answers a JOIN probes p ON p.id = a.probe
            JOIN images i ON i.id = p.image"""
        ).fetchone()
    assert photos <= 20 and decided > 50


def test_shards_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    done = anamorph("run", "-s", "toybox:4", "-y", "toybox:answerer", "--set", "shard=1/2", "-o", "part", cwd=tmp_path)
    assert done.returncode == 2 and "shard: crosscheck plans in rounds" in done.stderr
    assert not (tmp_path / "part").exists()


def test_a_worse_system_has_a_higher_floor_beside_the_other(runs: Path) -> None:
    assert summary(runs, "bad")["floor"]["share"] > summary(runs, "good")["floor"]["share"]
    compared = anamorph("compare", "good", "bad", cwd=runs)
    shares = [summary(runs, name)["floor"]["share"] for name in ("good", "bad")]
    said = f"whatever the photos show: good at least {shares[0]:.1%}, bad at least {shares[1]:.1%}."
    assert said in " ".join(compared.stdout.split())


@pytest.mark.parametrize(("limit", "code"), [("floor 100%", 0), ("floor 0%", 1)])
def test_the_gate_can_be_set_on_the_floor(runs: Path, limit: str, code: int) -> None:
    done = anamorph("report", "bad", "--fail-over", limit, cwd=runs)
    assert done.returncode == code, done.stdout
    share = summary(runs, "bad")["floor"]
    assert f"{share['fewest']} of {share['answers']} closed answers" in done.stdout


@pytest.mark.parametrize("relation", ["collage-adds-up", "pieces-cover-whole", "same-number", "number-fits-existence"])
def test_a_case_is_replayed_on_the_images_that_were_asked_about(runs: Path, relation: str) -> None:
    with RunStore.open(runs / "bad", read_only=True) as store:
        (digest,) = store.connection.execute(
            "SELECT lower(hex(digest)) FROM cases WHERE relation = ? ORDER BY id LIMIT 1", (relation,)
        ).fetchone()
    record = json.loads(anamorph("replay", "bad", digest, "--json", cwd=runs).stdout)
    assert all(each["now"] == each["before"] and not each["problem"] for each in record["probes"])


def test_a_baseline_keeps_the_floor_and_a_run_is_held_against_it(runs: Path) -> None:
    assert anamorph("baseline", "good", "-o", "known.json", cwd=runs).returncode == 0
    floor = summary(runs, "good")["floor"]
    kept = json.loads((runs / "known.json").read_text())
    assert kept["floor"] == {"fewest": floor["fewest"], "answers": floor["answers"]} and kept["version"] == 2
    done = anamorph("report", "bad", "--baseline", "known.json", cwd=runs)
    now = summary(runs, "bad")["floor"]["share"]
    assert f"The error floor was {floor['share']:.1%} and is {now:.1%}." in " ".join(done.stdout.split())
    record = json.loads((runs / "bad" / "report" / "report.json").read_text())["summary"]["baseline"]
    assert (
        record["floor_before"] == kept["floor"]
        and record["floor_now"]["fewest"] == summary(runs, "bad")["floor"]["fewest"]
    )


def test_answers_that_are_made_elsewhere_lead_to_the_same_verdicts(tmp_path: Path, photos: Callable[..., Path]) -> None:
    photos(6)
    (tmp_path / "model.py").write_text(MODEL)
    common = ("-m", "crosscheck", "-s", "folder:photos")
    direct = anamorph("run", *common, "-y", "callable:model.py:answer", "-o", "direct", cwd=tmp_path)
    assert direct.returncode in (0, 1, 4), direct.stderr
    # A chat model whose key is not here: its requests are written all the same.
    planned = anamorph("plan", *common, "-y", "openai:some-model", "-o", "apart", "--requests", "r.jsonl", cwd=tmp_path)
    assert planned.returncode == 0, planned.stderr
    answered = _answered_elsewhere(tmp_path)
    assert "requests" not in answered.stderr
    assert _verdicts(tmp_path / "apart") == _verdicts(tmp_path / "direct")


def _answered_elsewhere(folder: Path) -> subprocess.CompletedProcess[str]:
    """Answer what is asked with the same model, round after round, until nothing is asked any more."""
    space: dict[str, Any] = {}
    exec(MODEL, space)
    asked, requests = [], [folder / "r.jsonl"]
    for _ in range(12):
        for file in requests:
            for line in file.read_text().splitlines():
                request = json.loads(line)
                pixels = decoded(Path(request["image"]).read_bytes(), request["image"])
                reply = {"id": request["id"], "text": space["reply"](pixels, request["question"])}
                asked.append(reply | {key: request[key] for key in ("attempt",) if key in request})
        (folder / "answers.jsonl").write_text("".join(json.dumps(each) + "\n" for each in asked))
        before = {file: file.stat().st_mtime_ns for file in (folder / "apart").glob("requests-*.jsonl")}
        done = anamorph("resume", "apart", "--system", "recorded:answers.jsonl", cwd=folder)
        found = (folder / "apart").glob("requests-*.jsonl")
        requests = [file for file in found if before.get(file) != file.stat().st_mtime_ns]
        if not requests:
            return done
    raise AssertionError("it never ends")


def _verdicts(folder: Path) -> list[tuple[str, str]]:
    with RunStore.open(folder, read_only=True) as store:
        rows = store.connection.execute(
            """SELECT hex(c.digest), v.outcome FROM cases c JOIN verdicts v ON v."case" = c.id ORDER BY 1"""
        ).fetchall()
    assert rows
    return [(digest, outcome) for digest, outcome in rows]
