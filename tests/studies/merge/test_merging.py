"""Tests of merging: shards together are the run that a single machine would have made, row by row."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
import pytest
from click.testing import CliRunner

from anamorph import catalog
from anamorph.cli.main import cli
from anamorph.config import resolve
from anamorph.engine.run import carry_out, config_of, start
from anamorph.errors import RunError, UsageError
from anamorph.model import Box, Case, Mask, Probe, Scene, Skip, Thing
from anamorph.relations.same_answer import SameAnswer
from anamorph.report.numbers import RunNumbers, read_numbers
from anamorph.store.answers import answers_of
from anamorph.store.audit import complaint_about
from anamorph.store.case_records import record_case
from anamorph.store.marks import Mark, append_mark, read_marks
from anamorph.store.run import RunStore
from anamorph.store.signing import KEY_VARIABLE, is_own
from anamorph.studies.merge.merging import merge_runs
from anamorph.toybox.pool import toybox_pool

SCENES = {"kind": "toybox", "count": 7, "seed": 3}
ROME = {"methods": ["rome"], "rome": {"max_depth": 1, "pairs_per_scene": 2}}
# What two runs of the same thing must have in common: all but moments, durations, and the row ids of what was asked to
# prove suspicions, which a single run asks in an order over all scenes.
TABLES = (
    "SELECT * FROM scenes ORDER BY id",
    "SELECT * FROM skips ORDER BY id",
    "SELECT * FROM images WHERE id IN (SELECT image FROM probes WHERE round = 0) ORDER BY id",
    "SELECT * FROM probes WHERE round = 0 ORDER BY id",
    "SELECT * FROM cases ORDER BY id",
    """SELECT p.digest, i.digest, i.scene, i.edits, i.file, i.problem, i.discarded, question, round, attempts, witness
    FROM probes p JOIN images i ON i.id = p.image WHERE round > 0 ORDER BY p.digest""",
    """SELECT p.digest, attempt, text, labels, recalled, unreadable FROM answers a JOIN probes p ON p.id = a.probe
    ORDER BY p.digest, attempt""",
    "SELECT p.digest, attempt, message FROM failures f JOIN probes p ON p.id = f.probe ORDER BY p.digest, attempt",
    "SELECT * FROM verdicts ORDER BY 1",
    """SELECT "case", label, grade, what, probes, known, state, why FROM suspicions ORDER BY "case", id""",
    """SELECT s."case", (SELECT count(*) FROM suspicions x WHERE x."case" = s."case" AND x.id < s.id) AS number, place,
        p.digest, part, said
    FROM proofs k JOIN suspicions s ON s.id = k.suspicion JOIN probes p ON p.id = k.probe ORDER BY 1, 2, 3""",
    "SELECT * FROM causes ORDER BY rank",
    'SELECT * FROM cause_cases ORDER BY "case", cause',
    "SELECT * FROM ranked_issues ORDER BY rank",
    "SELECT * FROM patterns ORDER BY rank",
    """SELECT name, value FROM facts WHERE name NOT IN
    ('config', 'created_at', 'directory', 'signature', 'shard', 'left_out_order', 'utilisation') ORDER BY name""",
)


def one_run(folder: Path, plain: Mapping[str, Any], **more: Any) -> RunNumbers:
    config = resolve({"scenes": SCENES, "out": str(folder), **plain, **more})
    with start(config, folder) as store:
        for _ in carry_out(store, config):
            pass
        return read_numbers(store, config)


def shards_of(folder: Path, plain: Mapping[str, Any], count: int = 3) -> list[Path]:
    folders = [folder / f"shard-{index}" for index in range(1, count + 1)]
    for index, each in enumerate(folders, 1):
        one_run(each, plain, shard=f"{index}/{count}")
    return folders


def rows_of(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    with RunStore.open(folder, read_only=True) as store:
        return {select: store.connection.execute(select).fetchall() for select in TABLES}


def numbers_of(folder: Path) -> RunNumbers:
    with RunStore.open(folder, read_only=True) as store:
        return read_numbers(store, config_of(store, reading=True))


def require_same(merged: Path, single: Path, *, spending: bool = True) -> None:
    ours, theirs = rows_of(merged), rows_of(single)
    for select in TABLES if spending else TABLES[:-1]:
        assert ours[select] == theirs[select], select
    fields: dict[str, Any] = {"run": "", "folder": "", "created_at": None, "utilisation": None}
    fields |= {} if spending else {"spending": None}
    assert dataclasses.replace(numbers_of(merged), **fields) == dataclasses.replace(numbers_of(single), **fields)
    with RunStore.open(merged, read_only=True) as store:
        for (name,) in store.connection.execute("SELECT file FROM images WHERE file IS NOT NULL"):
            assert store.images.is_sound(name)


CAPTIONS: dict[str, Any] = {
    "methods": ["rome", "metaic", "spolre", "deeptest"],
    "system": "toybox:captioner",
    "rome": {"max_depth": 1, "pairs_per_scene": 3},
    "spolre": {"layouts_per_scene": 1},
    "deeptest": {"shear": [], "contrast": []},
    "confirm_with": "toybox:answerer",
}
ANSWERS: dict[str, Any] = {
    "methods": ["metavqa", "deeptest"],
    "system": "toybox:answerer",
    "metavqa": {"object_pairs": 1, "existences": 1},
    "deeptest": {"question": "How many people are in the image?", "shear": [], "contrast": []},
}
LABELS: dict[str, Any] = {
    "methods": ["deeptest", "atom"],
    "system": "toybox:tagger",
    "atom": {"per_combination": 2, "blur": [], "rotation": []},
    "deeptest": {"shear": [], "contrast": []},
}


# A system that describes and answers, so that it is the witness of its own errors.
BOTH: dict[str, Any] = {
    "methods": ["rome", "deeptest"],
    "system": {"kind": "callable", "target": "tests.studies.proving:of_two_minds"},
    "rome": {"max_depth": 1, "pairs_per_scene": 3},
    "deeptest": {"shear": [], "contrast": []},
    "prove": {"enabled": True, "most": "900%"},
}


@pytest.mark.parametrize("plain", [{**CAPTIONS, "seed": 2}, BOTH], ids=["witness", "answers"])
def test_shards_whose_suspicions_were_proved_make_the_single_run(tmp_path: Path, plain: dict[str, Any]) -> None:
    one_run(tmp_path / "single", plain)

    merge_runs(shards_of(tmp_path, plain), tmp_path / "merged")

    # Nothing of what is compared below may be missing in both.
    with RunStore.open(tmp_path / "single", read_only=True) as store:
        states = {state for (state,) in store.connection.execute("SELECT DISTINCT state FROM suspicions")}
        assert {"proved", "refuted"} <= states
        assert store.count("probes", f"round > 0 AND attempts > 1 AND {'NOT' if plain is BOTH else ''} witness")
        assert store.count("probes", "round > 1") or plain is not BOTH
        assert store.count("proofs") and store.count("patterns")
        assert store.fact("proving_rounds") > 1 and store.fact("causes_found")
    require_same(tmp_path / "merged", tmp_path / "single")


# Captions are those of the witness above.
@pytest.mark.parametrize("plain", [ANSWERS, LABELS], ids=["answers", "labels"])
def test_three_shards_of_every_method_make_the_single_run(tmp_path: Path, plain: dict[str, Any]) -> None:
    one_run(tmp_path / "single", plain)

    merge_runs(shards_of(tmp_path, plain), tmp_path / "merged")

    require_same(tmp_path / "merged", tmp_path / "single")


def test_shards_that_plan_scene_by_scene_scan_only_their_part_and_make_the_single_run(tmp_path: Path) -> None:
    pool = str(toybox_pool(tmp_path / "pool"))
    plain = {**CAPTIONS, "metaic": {"pool": pool, "most_uses": 0}, "limit": 6}
    one_run(tmp_path / "single", plain)

    folders = shards_of(tmp_path, plain)
    merge_runs(folders[::-1], tmp_path / "merged")

    with RunStore.open(folders[0], read_only=True) as store:
        assert store.fact("shard")["whole"] is False
        assert [id for (id,) in store.connection.execute("SELECT id FROM scenes")] == [1, 4]
    require_same(tmp_path / "merged", tmp_path / "single")
    with RunStore.open(tmp_path / "merged", read_only=True) as store:
        assert is_own(store)
        assert store.fact("config")["out"] == str(tmp_path / "merged")
        assert "shard" not in store.fact("config")


@dataclasses.dataclass(frozen=True, slots=True)
class Odd:
    """Scenes with a skip, the same name twice and a mask of the wrong size."""

    kind: ClassVar[str] = "odd-scenes"

    def scan(self) -> Iterator[Scene | Skip]:
        thing = Thing("1", "dog", Box(1, 1, 4, 4), Mask(3, 3, "09"))
        for place in range(12):
            if place in (2, 9):
                yield Skip(f"p{place}", "unreadable")
            name = "p1" if place in (4, 8) else f"p{place}"
            yield Scene(name, f"{place}.jpg", 8, 8, (thing,) if place in (3, 8) else ())

    def pixels(self, scene: Scene) -> Any:
        return np.full((8, 8, 3), 40, np.uint8)


@dataclasses.dataclass(frozen=True, slots=True)
class Neighbours:
    """A method whose cases have probes on two scenes, and which says what it leaves out."""

    kind: ClassVar[str] = "neighbours"

    def plan(self, scenes: Any, rng: Random) -> Iterator[Case | Skip]:
        found = list(scenes)
        for one, other in itertools.pairwise(found):
            yield Case(self.kind, Probe(one.id), (Probe(other.id),), SameAnswer())
            yield Skip(f"{one.id} {rng.random():.3f}", "for no reason", "pair")

    def summarise(self, tallies: Any) -> tuple[()]:
        return ()


@pytest.fixture
def own_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "_loaded", {group: dict(kinds) for group, kinds in catalog._loaded.items()})
    monkeypatch.setattr(catalog, "_registered", set(catalog._registered))
    catalog.register(Odd)
    catalog.register(Neighbours)


@pytest.mark.usefixtures("own_parts")
@pytest.mark.parametrize("method", ["deeptest", "neighbours"])
def test_skips_twins_and_cases_over_two_scenes_come_out_as_in_a_single_run(tmp_path: Path, method: str) -> None:
    system = {"kind": "callable", "target": "tests.studies.merge.test_merging:a_dog"}
    plain = {"methods": [method], "scenes": {"kind": "odd-scenes"}, "system": system}
    one_run(tmp_path / "single", plain)

    merge_runs(shards_of(tmp_path, plain), tmp_path / "merged")

    # A photo that cases of two shards need is sent by both, and both calls are counted.
    require_same(tmp_path / "merged", tmp_path / "single", spending=method == "deeptest")
    assert numbers_of(tmp_path / "merged").skip_count == 6


def a_dog(pictures: list[Any], questions: list[Any]) -> list[str]:
    return ["a dog"] * len(pictures)


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return shards_of(tmp_path_factory.mktemp("shards"), {**ROME, "system": "toybox:captioner"})


@pytest.fixture(scope="module")
def suspecting(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return shards_of(tmp_path_factory.mktemp("suspecting"), BOTH)


def copies_of(shards: list[Path], folder: Path) -> list[Path]:
    return [Path(shutil.copytree(shard, folder / shard.name)) for shard in shards]


def set_fact(folder: Path, name: str, value: Any) -> None:
    with RunStore.open(folder) as store, store.transaction():
        store.set_fact(name, value)


@pytest.mark.parametrize(
    ("fact", "change", "said"),
    [
        ("fingerprint", {"kind": "toybox", "model": "captioner", "weights": "others"}, "the system differs (weights)"),
        ("version", "0.0.1", "Anamorph's version differs"),
        ("inpainters", {"membrane": {"kind": "membrane", "rounds": 2}}, "the weights or settings of membrane differ"),
        ("judged_as", "paper", "different profiles"),
        ("shard", {"items": 11}, r"their scene sources differ \(7 and 11 items\)"),
        ("shard", {"of": 4}, "one is a shard of 3, the other of 4"),
        ("shard", {"inpainter": "telea"}, "different weights"),
        ("config", {"seed": 8}, r"their settings differ \(seed\)"),
        ("config", {"ask": {"repeats": 2}}, r"their settings differ \(ask\)"),
    ],
)
def test_runs_that_do_not_belong_together_are_refused(
    shards: list[Path], tmp_path: Path, fact: str, change: Any, said: str
) -> None:
    folders = copies_of(shards, tmp_path)
    with RunStore.open(folders[1], read_only=True) as store:
        before = store.fact(fact)
    set_fact(folders[1], fact, {**before, **change} if isinstance(before, dict) else change)

    with pytest.raises(RunError, match=said.replace("(weights)", r"\(.*weights.*\)")):
        merge_runs(folders, tmp_path / "merged")

    assert not (tmp_path / "merged").exists()


def test_shards_whose_suspicions_were_proved_by_others_words_are_refused(
    suspecting: list[Path], tmp_path: Path
) -> None:
    folders = copies_of(suspecting, tmp_path)
    set_fact(folders[2], "evidence", "witness")
    with pytest.raises(RunError, match=r"what proves suspicions differs \(evidence: answers and witness\)"):
        merge_runs(folders, tmp_path / "merged")


def test_the_evidence_of_a_shard_that_suspects_nothing_does_not_matter(suspecting: list[Path], tmp_path: Path) -> None:
    folders = copies_of(suspecting, tmp_path)
    with RunStore.open(folders[0]) as store, store.transaction() as connection:
        connection.execute("UPDATE verdicts SET outcome = 'holds', grade = NULL, state = NULL")
        connection.execute("DELETE FROM suspicions")
    set_fact(folders[0], "evidence", "witness")

    merge_runs(folders, tmp_path / "merged")

    with RunStore.open(tmp_path / "merged", read_only=True) as store:
        assert store.fact("evidence") == "answers"


def test_causes_of_shards_are_found_anew_once_all_are_judged(suspecting: list[Path], tmp_path: Path) -> None:
    folders = copies_of(suspecting, tmp_path)
    set_fact(folders[1], "judged", False)
    merge_runs(folders, tmp_path / "unjudged")
    with RunStore.open(tmp_path / "unjudged", read_only=True) as store:
        assert not store.fact("causes_found") and not store.count("causes")

    merge_runs(suspecting, tmp_path / "merged")

    with RunStore.open(tmp_path / "merged", read_only=True) as store:
        assert store.fact("causes_found") and store.count("causes") > 1
        assert complaint_about(store.connection) is None


def test_a_question_of_the_plan_is_asked_as_often_as_the_shard_wants_it_that_proves_most(tmp_path: Path) -> None:
    plain = {"methods": ["deeptest"], "system": "toybox:answerer", "deeptest": ANSWERS["deeptest"]}
    folders = shards_of(tmp_path, {**plain, "prove": {"enabled": False}}, 2)
    with RunStore.open(folders[1]) as store, store.transaction() as connection:
        (digest,) = connection.execute("SELECT digest FROM probes WHERE id = 2").fetchone()
        connection.execute("UPDATE probes SET attempts = 3 WHERE id = 2")
        connection.execute("INSERT INTO answers VALUES (2, 2, 'a third answer', NULL, 0, 0, 1, 0, 0)")

    merge_runs(folders, tmp_path / "merged")

    with RunStore.open(tmp_path / "merged", read_only=True) as store:
        rows = store.connection.execute("SELECT id, digest, attempts FROM probes WHERE attempts IS NOT NULL").fetchall()
        assert [row[1:] for row in rows] == [(digest, 3)]
        assert answers_of(store, [rows[0][0]])[rows[0][0]][2].text == "a third answer"


def test_a_missing_shard_and_one_that_is_there_twice_are_refused(shards: list[Path], tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"Of 3 shards, 1 are not given: 2/3\."):
        merge_runs([shards[0], shards[2]], tmp_path / "merged")
    again = shutil.copytree(shards[0], tmp_path / "again")
    with pytest.raises(RunError, match=r"are both shard 1/3"):
        merge_runs([*shards, again], tmp_path / "merged")


def test_a_run_that_is_no_shard_or_has_no_plan_is_refused(shards: list[Path], tmp_path: Path) -> None:
    one_run(tmp_path / "single", {**ROME, "system": "toybox:captioner", "limit": 2})
    out = tmp_path / "merged"
    with pytest.raises(UsageError, match="is not a shard"):
        merge_runs([tmp_path / "single", *shards], out)
    set_fact(tmp_path / "single", "planned", False)
    with pytest.raises(RunError, match="is not planned yet"):
        merge_runs([tmp_path / "single"], out)
    with pytest.raises(UsageError, match="Nothing to merge"):
        merge_runs([], out)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").touch()
    with pytest.raises(UsageError, match="is there already"):
        merge_runs(shards, tmp_path / "full")


def test_what_a_machine_may_choose_for_itself_does_not_matter(shards: list[Path], tmp_path: Path) -> None:
    folders = copies_of(shards, tmp_path)
    with RunStore.open(folders[0], read_only=True) as store:
        config = store.fact("config")
    set_fact(folders[0], "config", {**config, "ask": {"parallel": 3, "budget": 4.0}, "cache": "answers.sqlite"})

    merge_runs(folders, tmp_path / "merged")

    assert rows_of(tmp_path / "merged")[TABLES[4]]


def test_a_run_of_somebody_elses_shards_is_not_this_users_own(
    shards: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, str(tmp_path / "another.key"))

    merge_runs(shards, tmp_path / "merged")

    with RunStore.open(tmp_path / "merged", read_only=True) as store:
        assert not is_own(store)


def test_shards_that_were_only_planned_are_carried_out_once_they_are_merged(tmp_path: Path) -> None:
    folders = [tmp_path / f"shard-{index}" for index in (1, 2)]
    for index, folder in enumerate(folders, 1):
        flags = ["-m", "rome", "-s", "toybox:4", "-y", "toybox:captioner", "--set", "rome.pairs_per_scene=2"]
        done = CliRunner().invoke(cli, ["plan", *flags, "--shard", f"{index}/2", "--out", str(folder)])
        assert done.exit_code == 0, done.output
    one_run(
        tmp_path / "single",
        {"methods": ["rome"], "rome": {"pairs_per_scene": 2}, "system": "toybox:captioner", "scenes": "toybox:4"},
    )

    merge_runs(folders, tmp_path / "merged")
    done = CliRunner().invoke(cli, ["resume", str(tmp_path / "merged"), "--no-report"])

    assert done.exit_code in (0, 1), done.output
    require_same(tmp_path / "merged", tmp_path / "single")


def test_images_are_linked_or_copied_where_that_cannot_be_done(
    shards: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge_runs(shards, tmp_path / "linked")
    image = next((tmp_path / "linked" / "images").glob("*/*.jpg"))
    assert image.stat().st_nlink > 1

    def no_link(*_: Any) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", no_link)
    merge_runs(shards, tmp_path / "copied")

    copied = tmp_path / "copied" / image.relative_to(tmp_path / "linked")
    assert copied.stat().st_nlink == 1
    assert copied.read_bytes() == image.read_bytes()


def test_a_merge_that_is_killed_leaves_no_run_and_can_be_done_again(shards: list[Path], tmp_path: Path) -> None:
    program = f"""
    import os, signal, sys
    from pathlib import Path
    from anamorph.store import shard_rows
    from anamorph.studies.merge import merging
    shard_rows._write_plan = lambda to: os.kill(os.getpid(), signal.SIGKILL)
    merging.merge_runs([Path(each) for each in {list(map(str, shards))!r}], Path({str(tmp_path / "merged")!r}))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], env=dict(os.environ), check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "merged").exists()
    assert (tmp_path / ".merged.merging").is_dir()

    merge_runs(shards, tmp_path / "merged")

    assert [path.name for path in tmp_path.iterdir()] == ["merged"]


def test_merge_prints_the_summary_writes_the_report_and_has_the_exit_code_of_the_run(
    shards: list[Path], tmp_path: Path
) -> None:
    words = ["merge", *map(str, shards), "--out", str(tmp_path / "merged"), "--json"]

    done = CliRunner().invoke(cli, words)

    record = json.loads(done.stdout)
    assert done.exit_code == record["exit_code"]
    assert record["scenes"] == 7
    assert Path(record["report"]).is_file()


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3"])
def test_a_shard_is_a_part_of_a_whole(text: str) -> None:
    with pytest.raises(UsageError, match=r"shard must be a part of a whole, from 1/n to n/n, such as 2/8"):
        resolve({"shard": text})


def test_a_shard_without_a_scene_says_how_many_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Shard 4/5 has no usable photo: the scene source has 3 in all parts\."):
        one_run(tmp_path / "run", {**ROME, "scenes": "toybox:3", "system": "toybox:captioner"}, shard="4/5")


def mark(index: int) -> Mark:
    return Mark(f"{index:032x}", "a" * 32, "b" * 32, "ann", "right", "2026-11-17T09:30:00+00:00")


DAMAGES = {
    "a verdict that is gone": ('DELETE FROM verdicts WHERE "case" = 1', "1 of its cases have no verdict"),
    "probes that are not there": ("DELETE FROM probes WHERE id = 2", "names a (probe|row of 'probes') that is not"),
    "cases that are not there": (
        'DELETE FROM verdicts WHERE "case" = 1; DELETE FROM suspicions WHERE "case" = 1; DELETE FROM cause_cases; '
        "DELETE FROM ranked_issues; DELETE FROM causes; DELETE FROM patterns; "
        "DELETE FROM cases WHERE id = 1; DELETE FROM proofs",
        "of its .* only .* belong to a case",
    ),
    "a verdict of no kind": ("UPDATE verdicts SET body = '[]'", "verdicts"),
    "another question": ("UPDATE probes SET question = 'Why?'", "probes.digest of row 1: not that of its image"),
}


@pytest.mark.parametrize(("damage", "said"), DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_shard_is_refused_and_leaves_nothing(
    shards: list[Path], tmp_path: Path, damage: str, said: str
) -> None:
    folders = copies_of(shards, tmp_path)
    with sqlite3.connect(folders[1] / "run.sqlite") as connection:
        connection.executescript(damage)
    connection.close()
    with pytest.raises(RunError, match=said) as caught:
        merge_runs(folders, tmp_path / "merged")
    assert str(folders[1]) in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(folder.name for folder in folders)


def test_a_shard_that_somebody_works_on_is_refused(shards: list[Path], tmp_path: Path) -> None:
    folders = copies_of(shards, tmp_path)
    with (
        RunStore.open(folders[1]),
        pytest.raises(RunError, match=f"{folders[1].name}: another process is working on this run"),
    ):
        merge_runs(folders, tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_nobody_works_on_a_shard_while_it_is_merged(
    shards: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = copies_of(shards, tmp_path)
    (folders[2] / "run.lock").touch()
    tried = []

    def meanwhile(store: RunStore) -> None:
        with pytest.raises(RunError, match="another process is working on this run"):
            RunStore.open(folders[2])
        tried.append(store)

    monkeypatch.setattr("anamorph.studies.merge.merging.causes_stage", meanwhile)
    merge_runs(folders, tmp_path / "merged")
    assert tried


def test_marks_of_a_shard_that_are_a_link_are_not_read(shards: list[Path], tmp_path: Path) -> None:
    folders = copies_of(shards, tmp_path)
    (tmp_path / "key").write_text("secret")
    (folders[0] / "marks.jsonl").symlink_to(tmp_path / "key")
    with pytest.raises(UsageError, match="is a link"):
        merge_runs(folders, tmp_path / "merged")


def test_what_people_and_later_commands_added_to_shards_is_kept(shards: list[Path], tmp_path: Path) -> None:
    folders = copies_of(shards, tmp_path)
    for index, folder in enumerate(folders):
        append_mark(folder / "marks.jsonl", mark(index))
        with RunStore.open(folder) as store, store.transaction():
            record_case(store, "explanations", str(index), {"picture": "no such file"})
            record_case(store, "shrinks", str(index), {"probes": [{"file": None}]})
    # A mark that was cut off takes no other with it.
    with (folders[0] / "marks.jsonl").open("ab") as file:
        file.write(b'{"id": "00')

    with pytest.warns(UserWarning, match=r"marks.jsonl, line 2: was cut off"):
        merge_runs(folders, tmp_path / "merged")

    assert read_marks(tmp_path / "merged" / "marks.jsonl") == [mark(index) for index in range(3)]
    with RunStore.open(tmp_path / "merged", read_only=True) as store:
        assert store.count("explanations") == store.count("shrinks") == 3
