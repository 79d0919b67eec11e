"""The rows of docs/papers.md that take a command and some minutes: `python -m benchmarks.papers SHARED OUT [ROW ...]`.

SHARED has photos, weights and recorded outputs. Each row writes OUT/ROW.txt, what its commands printed with the CPU
seconds they took, and OUT/ROW-*, its runs. A row that has its text is not made again. `--list` prints the commands.
"""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path

ROWS: dict[str, str] = {
    "recorded": """
        judge RECORDED/metaic-azure-0.jsonl --profile released --json
        judge RECORDED/metaic-azure-0.jsonl --profile released-rerun --json
        judge RECORDED/rome-azure.jsonl --profile released --json
        judge RECORDED/atom-voc-msrn.jsonl""",
    "oamt-recorded": """
        judge RECORDED/oamt-reported.jsonl --method oamt
        judge RECORDED/oamt-reported.jsonl --profile paper --method oamt
        judge RECORDED/oamt-rated.jsonl --method oamt
        judge RECORDED/oamt-rated.jsonl --profile paper --method oamt""",
    "plans": """
        plan --preset rome-paper -s COCO -y FLICKR
        plan --preset spolre-paper -s COCO -y FLICKR --set spolre.rendering=cutout""",
    "oamt-folder": "run --method oamt -s folder:IMAGES -y FLICKR -o OUT/oamt-folder-run",
    "reic-folder": "run --method reic -s folder:IMAGES -y FLICKR -o OUT/reic-folder-run",
    "oamt-coco": "run --method oamt -s COCO -y FLICKR -o OUT/oamt-coco-run",
    "reic-coco": "run --method reic -s COCO -y FLICKR -o OUT/reic-coco-run",
    "rome-coco": """
        run --method rome -s COCO -y FLICKR --set rome.pairs_per_scene=0 --set rome.inpainter=telea
            -o OUT/rome-coco-run""",
    "calibrate": """
        research calibrate --scenes 100 --set seed=11 --method oamt --method reic --method rome
            --system toybox:captioner --faults none --truthful none --set rome.pairs_per_scene=2
            -o OUT/calibrate-run""",
    "cells": """
        run -m metavqa -s toybox:60 -y toybox:answerer --set seed=48611 --set metavqa.cells.ask=true -o OUT/cells-run
        run --preset metavqa-paper -s COCO -y ANSWERER --set metavqa.cells.ask=true --set metavqa.cutting=false
            --set metavqa.insertion=false --set metavqa.removal=false --set metavqa.removal_plus=false
            -o OUT/cells-detector-run""",
    "deeptest-detector": "run --preset deeptest-paper -s COCO -y DETECTOR -o OUT/deeptest-detector-run",
    "deeptest-flickr": "run --preset deeptest-paper -s COCO -y FLICKR -o OUT/deeptest-flickr-run",
    "metaic-detector": """
        run --preset metaic-paper -s COCO -y DETECTOR -o OUT/metaic-detector-run
        research label-errors OUT/metaic-detector-run
        research label-errors OUT/metaic-detector-run --set annotated_only=true""",
    "metaic-flickr": "run --preset metaic-paper -s COCO -y FLICKR -o OUT/metaic-flickr-run",
    "metavqa": "run --preset metavqa-paper -s COCO -y ANSWERER -o OUT/metavqa-run",
    "always-zero": """
        run --preset metavqa-paper -s COCO -y callable:examples/constant_answers.py:always_zero
            -o OUT/always-zero-run""",
    "collect": """
        research collect OUT/collected --searcher local:PHOTOS/captions.json,images=IMAGES -k 1 -k 2
        python -m benchmarks.judge_by_annotations OUT/collected PHOTOS/instances.json OUT/judgements.jsonl
        research relevance OUT/judgements.jsonl
        research collect OUT/collected --coverage COCO
        research collect OUT/collected --coverage COCO --relevance OUT/judgements.jsonl""",
    "atom-captions": """
        run --preset atom-paper -s COCO -y TAGGER --set atom.labels_from=captions -o OUT/atom-captions-run
        research combinations OUT/atom-captions-run
        research combinations OUT/atom-captions-run --training COCO""",
    "atom-captions-1": """
        run --preset atom-paper -s COCO -y TAGGER --set atom.labels_from=captions --set atom.per_combination=1
            -o OUT/atom-captions-1-run
        research combinations OUT/atom-captions-1-run""",
    "atom-annotations-1": """
        run --preset atom-paper -s COCO -y TAGGER --set atom.per_combination=1 -o OUT/atom-annotations-1-run
        research combinations OUT/atom-annotations-1-run""",
    "rome-detector": """
        run --preset rome-paper -s COCO,sample=30 -y DETECTOR --set rome.inpainter=migan WITH_MIGAN
            --set rome.pairs_per_scene=4
            -o OUT/rome-detector-run
        research label-errors OUT/rome-detector-run --set level=class
        research label-errors OUT/rome-detector-run --set level=class --set annotated_only=true""",
    "rome-flickr": """
        run --preset rome-paper -s COCO,sample=30 -y FLICKR --set rome.inpainter=migan WITH_MIGAN
            --set rome.pairs_per_scene=4
            -o OUT/rome-flickr-run
        research label-errors OUT/rome-flickr-run --set level=class
        research label-errors OUT/rome-flickr-run --set level=class --set annotated_only=true""",
    "spolre-detector": """
        run --preset spolre-paper -s COCO,sample=30 -y DETECTOR --set spolre.rendering=cutout
            --set spolre.layouts_per_scene=2 --set spolre.inpainter=migan WITH_MIGAN -o OUT/spolre-detector-run""",
    "spolre-flickr": """
        run --preset spolre-paper -s COCO,sample=30 -y FLICKR --set spolre.rendering=cutout
            --set spolre.layouts_per_scene=2 --set spolre.inpainter=migan WITH_MIGAN -o OUT/spolre-flickr-run""",
    **{
        f"spolre-{one}": f"""
        run --preset spolre-paper -s COCO,sample=30 -y DETECTOR --set spolre.rendering=cutout
            --set spolre.layouts_per_scene=5 --set spolre.inpainter=telea --set spolre.layout.steps=1
            --set 'spolre.layout.transformations=["{one}"]' -o OUT/spolre-{one}-run"""
        for one in ("translation", "rotation", "scaling", "mirror")
    },
    "diversity": """
        research diversity OUT/metaic-detector-run OUT/rome-detector-run OUT/spolre-detector-run
            --weights SHARED/models/flickr-captioner/encoder.onnx""",
}


def commands(row: str, shared: Path, out: Path) -> list[list[str]]:
    """The commands of a row; a line that begins with a flag goes on with the one before."""
    lines: list[str] = []
    for line in ROWS[row].strip().splitlines():
        if line.strip().startswith("-") and lines:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip())
    photos, models = shared / "photos", shared / "models"
    names = {
        "COCO": f"coco:{photos}/instances.json,images={photos}/images,captions={photos}/captions.json",
        "IMAGES": f"{photos}/images",
        "PHOTOS": str(photos),
        "RECORDED": f"{shared}/recorded",
        "SHARED": str(shared),
        "OUT": str(out),
        "FLICKR": "callable:benchmarks/flickr_captioner.py:caption",
        "DETECTOR": f"detector-caption:{models}/yolox_nano.onnx",
        "ANSWERER": f"detector-vqa:{models}/yolox_nano.onnx",
        "WITH_MIGAN": f"--set inpainters.migan.path={models}/migan_pipeline_v2.onnx",
        "TAGGER": f"onnx:{models}/yolox_nano.onnx,scores=decided",
    }
    filled = []
    for line in lines:
        for name, value in names.items():
            line = line.replace(name, value)
        words = shlex.split(line)
        filled.append([sys.executable, *words[1:]] if words[0] == "python" else ["anamorph", *words])
    return filled


def main(arguments: list[str]) -> None:
    shared, out, *rows = (arg for arg in arguments if arg != "--list")
    folder = Path(out).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "COLUMNS": "200", "FLICKR_CAPTIONER": f"{shared}/models/flickr-captioner"}
    for row in rows or ROWS:
        file = folder / f"{row}.txt"
        if "--list" in arguments:
            print(*(shlex.join(each) for each in commands(row, Path(shared), folder)), sep="\n")
        elif not file.exists():
            file.write_text("".join(_told(each, environment) for each in commands(row, Path(shared), folder)))
            print(row, "done", flush=True)


def _told(command: list[str], environment: dict[str, str]) -> str:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    told = shlex.join(command)
    return f"$ {told}\n{done.stdout}{done.stderr}[exit {done.returncode}, {spent:.1f} CPU s]\n\n"


if __name__ == "__main__":
    main(sys.argv[1:])
