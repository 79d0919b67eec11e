"""A run in MLflow, where MLFLOW_TRACKING_URI says."""

from __future__ import annotations

import os
from typing import Any

from anamorph.studies.tracking.record import TrackedRun

EXPERIMENT = "anamorph"
# MLflow refuses longer values of parameters.
_LONGEST_VALUE = 6000
_SAFE = str.maketrans(dict.fromkeys("\\:*?\"<>|{}[]()',=+&%#@!;~`^$", "_"))


def send(run: TrackedRun) -> str:
    """Log a run; gives where it is."""
    # The library's own telemetry is nothing that was asked for.
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    import mlflow

    experiment = _experiment(mlflow)
    with mlflow.start_run(experiment_id=experiment, run_name=run.name, log_system_metrics=False) as begun:
        mlflow.log_params({_name(name): value[:_LONGEST_VALUE] for name, value in run.parameters.items()})
        mlflow.log_metrics({_name(name): value for name, value in run.metrics.items()})
        mlflow.set_tag("anamorph.verdict", run.verdict[:_LONGEST_VALUE])
        mlflow.log_text(run.causes_csv(), "causes.csv")
        for proof in run.proofs:
            if proof.picture is not None:
                mlflow.log_image(proof.picture, f"proofs/{proof.name}.png")
            mlflow.log_text(proof.text, f"proofs/{proof.name}.txt")
        if run.report is not None:
            mlflow.log_artifacts(str(run.report), "report")
        return _place(mlflow, begun)


def _experiment(mlflow: Any) -> str | None:
    """Ours, unless the environment names one; mlflow.set_experiment would name ours there for all that comes after."""
    if os.environ.get("MLFLOW_EXPERIMENT_NAME") or os.environ.get("MLFLOW_EXPERIMENT_ID"):
        return None
    client = mlflow.MlflowClient()
    known = client.get_experiment_by_name(EXPERIMENT)
    return str(client.create_experiment(EXPERIMENT) if known is None else known.experiment_id)


def _place(mlflow: Any, begun: Any) -> str:
    return f"{mlflow.get_tracking_uri()}, experiment {begun.info.experiment_id}, run {begun.info.run_id}"


def _name(name: str) -> str:
    return name.translate(_SAFE)
