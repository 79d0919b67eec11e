"""A run in Weights & Biases, or in a folder of its own with WANDB_MODE=offline."""

from __future__ import annotations

import os

from anamorph.studies.tracking.record import CAUSE_COLUMNS, TrackedRun

PROJECT = "anamorph"


def send(run: TrackedRun) -> str:
    """Log a run; gives where it is."""
    import wandb

    # Of the machine and of the program, nothing is sent that was not asked for.
    settings = wandb.Settings(
        console="off",
        disable_git=True,
        disable_code=True,
        save_code=False,
        x_disable_stats=True,
        x_disable_meta=True,
        x_save_requirements=False,
    )
    project = os.environ.get("WANDB_PROJECT") or PROJECT
    with wandb.init(project=project, name=run.name, config=dict(run.parameters), settings=settings) as begun:
        begun.log(dict(run.metrics))
        begun.summary["verdict"] = run.verdict
        tables = {"causes": wandb.Table(columns=list(CAUSE_COLUMNS), data=[list(row) for row in run.causes])}
        pictures = [wandb.Image(proof.picture, caption=proof.text) for proof in run.proofs if proof.picture is not None]
        begun.log({**tables, **({"proofs": pictures} if pictures else {})})
        if run.report is not None:
            artifact = wandb.Artifact(f"report-{begun.id}", type="report")
            artifact.add_dir(str(run.report))
            begun.log_artifact(artifact)
        return str(begun.url or begun.dir)
