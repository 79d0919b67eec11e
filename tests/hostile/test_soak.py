"""A small soak; `python -m benchmarks soak` is the long one, and docs/reliability.md has its figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.bench_soak import Soak, run_soak
from benchmarks.faulty_server import FAULTS, logged_calls


@pytest.mark.slow
def test_a_run_through_a_faulty_server_that_is_killed_three_times_loses_nothing(tmp_path: Path) -> None:
    found = run_soak(Soak(probes=1200, kills=3), tmp_path)
    assert found.complaints == [], found.figures
    assert {each.did for each in logged_calls(tmp_path / "calls.log")} >= FAULTS.keys()
    assert sum(life.killed for life in found.lives) == 3


def test_answers_that_are_wrong_lost_or_asked_again_would_be_noticed(tmp_path: Path) -> None:
    from anamorph.store.run import RunStore
    from benchmarks import bench_soak

    run_soak(Soak(probes=100, kills=0, share=0.0), tmp_path)
    run, log = tmp_path / "run", tmp_path / "calls.log"

    def complaints() -> str:
        found = bench_soak.Findings()
        bench_soak._check_store(found, run, 100, log, healed=True)
        bench_soak._check_repeats(found, Soak(100, 0), run, log)
        return "\n".join(found.complaints)

    assert complaints() == ""
    with RunStore.open(run) as store:
        store.connection.execute("UPDATE answers SET text = (SELECT text FROM answers WHERE probe = 2) WHERE probe = 1")
        store.connection.execute("DELETE FROM answers WHERE probe = 3")
        store.images.path(store.connection.execute("SELECT file FROM images").fetchone()[0]).write_bytes(b"")
    for what in (
        "1 attributed to another image",
        "1 lost",
        "1 damaged images",
        "99 answers and 0 failures",
        "1 images were asked about again after 0 kills",
        "wrong verdicts",
    ):
        assert what in complaints()
