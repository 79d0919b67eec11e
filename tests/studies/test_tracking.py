"""A run in MLflow and in Weights & Biases: what is logged is what the run found, and nothing is sent unless asked."""

from __future__ import annotations

import csv
import importlib.util
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import anamorph
from anamorph.cli.main import cli
from anamorph.errors import MissingExtra
from anamorph.store.run import RunStore
from anamorph.studies.tracking.record import tracked
from tests.plugs.marks import needs

RUN = ["run", "-m", "crosscheck", "-s", "toybox:4", "-y", "toybox:answerer"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tracked") / "first"
    assert CliRunner().invoke(cli, [*RUN, "-o", str(out)]).exit_code == 1
    return out


def test_what_is_logged_are_the_numbers_of_the_run(folder: Path) -> None:
    run = anamorph.open_run(folder)
    with RunStore.open(folder, read_only=True) as store:
        record = tracked(store, run.numbers, None)
    counts, floor = run.numbers.counts, run.floor
    assert floor is not None and floor.interval is not None and counts.interval is not None
    assert record.metrics["violation_rate"] == run.rate.share and record.metrics["violated"] == counts.violated > 0
    ends = (record.metrics["violation_rate_low"], record.metrics["violation_rate_high"])
    assert ends == counts.interval and record.metrics["error_floor"] == floor.share
    assert record.parameters["system"] == "toybox" and record.parameters["system.model"] == "answerer"
    assert record.parameters["methods"] == "crosscheck" and record.parameters["seed"] == "7"
    assert len(record.causes) == run.numbers.cause_count > 0
    rows = list(csv.reader(record.causes_csv().splitlines()))
    assert len(rows) == len(record.causes) + 1 and rows[0][0] == "cause"
    first = record.proofs[0]
    assert first.picture is not None and first.picture.height == 320 and run.examples(1)[0].reason in first.text


@pytest.mark.parametrize("tracker", ["mlflow", "wandb"])
def test_without_the_library_nothing_is_asked_and_the_extra_is_named(
    tracker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    done = CliRunner().invoke(cli, [*RUN, "-o", str(tmp_path / "run"), "--log-to", tracker])
    assert isinstance(done.exception, MissingExtra) and f"pip install 'anamorph[{tracker}]'" in str(done.exception)
    assert not (tmp_path / "run").exists()


class TestMlflow:
    pytestmark = [*needs("mlflow"), pytest.mark.filterwarnings("ignore")]

    def test_a_run_is_there_with_parameters_rates_causes_proofs_and_report(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import mlflow

        monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
        done = CliRunner().invoke(cli, ["rejudge", str(folder), "--log-to", "mlflow"])
        assert done.exit_code == 1 and "Logged to mlflow: file:" in done.output, done.output
        client = mlflow.MlflowClient()
        (experiment,) = [each for each in client.search_experiments() if each.name == "anamorph"]
        (found,) = client.search_runs([experiment.experiment_id])
        run = anamorph.open_run(folder)
        assert found.data.metrics["violation_rate"] == run.rate.share
        assert found.data.params["system.model"] == "answerer" and found.info.run_name == "first"
        kept = {item.path for item in client.list_artifacts(found.info.run_id)}
        assert kept >= {"causes.csv", "proofs", "report"}
        proofs = {item.path for item in client.list_artifacts(found.info.run_id, "proofs")}
        assert {"proofs/proof-1.png", "proofs/proof-1.txt"} <= proofs
        assert any(item.path == "report/index.html" for item in client.list_artifacts(found.info.run_id, "report"))

    def test_a_second_run_of_a_process_goes_where_the_address_then_says(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import mlflow

        monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        for name in ("first", "second"):
            mlflow.set_tracking_uri((tmp_path / name).as_uri())
            done = CliRunner().invoke(cli, ["rejudge", str(folder), "--log-to", "mlflow"])
            assert done.exit_code == 1 and f"{name}, experiment" in done.output, done.output
            (experiment,) = [each for each in mlflow.search_experiments() if each.name == "anamorph"]
            assert len(mlflow.search_runs([experiment.experiment_id], output_format="list")) == 1

    def test_a_server_that_is_not_there_is_told_and_the_run_is_kept(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import mlflow

        monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
        mlflow.set_tracking_uri("http://127.0.0.1:9")
        done = CliRunner().invoke(cli, ["rejudge", str(folder), "--log-to", "mlflow", "--fail-over", "90%"])
        assert done.exit_code == 3 and "could not be logged to mlflow" in done.output


class TestWandb:
    pytestmark = [*needs("wandb"), pytest.mark.filterwarnings("ignore")]

    def test_an_offline_run_has_all_of_it_in_a_folder(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("WANDB_MODE", "offline")
        monkeypatch.setenv("WANDB_DIR", str(tmp_path))
        monkeypatch.setenv("WANDB_SILENT", "true")
        done = CliRunner().invoke(cli, ["rejudge", str(folder), "--log-to", "wandb"])
        assert done.exit_code == 1 and "Logged to wandb:" in done.output, done.output
        (place,) = (tmp_path / "wandb").glob("offline-run-*")
        assert list(place.glob("*.wandb")) and not list(place.rglob("requirements.txt"))
        pictures = list((place / "files" / "media" / "images").glob("proofs*.png"))
        (table,) = (place / "files" / "media" / "table").glob("causes*.json")
        causes = anamorph.open_run(folder).numbers.cause_count
        assert pictures and len(json.loads(table.read_text())["data"]) == causes
