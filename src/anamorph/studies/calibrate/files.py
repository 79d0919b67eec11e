"""A calibration as files: JSON for programs, Markdown for the docs, and a figure."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anamorph import __version__
from anamorph.report.drawings import Dot, DotPlot, Grid, GridCell, LineName, draw_below_each_other
from anamorph.studies.calibrate.floors import FloorTrial, rank_correlation
from anamorph.studies.calibrate.records import PRECISE, Calibration, LeftOut, Measurement, Share, matrix

JSON_FILE, MARKDOWN_FILE, FIGURE_FILE = "calibration.json", "results.md", "calibration.svg"
SYSTEM_COLUMNS = ("system", "method", "relation", "cases", "undec.", "reports", "precision", "wrong", "recall")
STYLE_COLUMNS = (
    *("system", "method", "relation", "answers", "cases", "undec."),
    *("suspected", "refuted", "unfair", "leads", "reports", "by grade", "share"),
)
STYLES_LEGEND = (
    "These systems say nothing false, though they may leave things out: every report is a false alarm. `suspected` "
    "cases are those that raise a suspicion; closed questions refute it, find the edit unfair, leave a lead or "
    "prove it, and only what is proved is a report. The share is that of the reports in the decided cases."
)
MATRIX_LEGEND = (
    "The share of the cases with a wrong answer that are reported; `-` where no answer was wrong, and `36%?` where "
    "none was wrong and 36 % of the cases are undecided."
)
_ROW_KEYS = (
    *("system", "form", "fault", "style", "method", "relation", "cases", "undecided", "untold", "reports", "wrong"),
    *("violated", "by_grade", "refuted", "unfair", "leads", "suspected", "recall_suspected", "violated_alone"),
    *("recall_alone", "precision", "recall", "recall_by_category", "precision_by_category", "false_alarms", "missed"),
)
FLOOR_COLUMNS = ("system", "answers", "false", "floor", "certified", "accuracy (yes/no)", "calls a photo")
FLOORS_LEGEND = (
    "Systems of which every false answer is known, under crosscheck: false at random, blind to what fills less than a "
    "share of the image that it is shown, or blind to people. The floor is how many answers must be false: it is "
    "never above the true number, and `certified` is its share of that."
)
ALONE_LEGEND = (
    "Answerers prove themselves by closed questions, which the same fault strikes; for captioners and taggers, a "
    "truthful witness says what the images show. In brackets: by captions or labels alone, under the rule of salience."
)


def write_files(calibration: Calibration, out: Path) -> list[Path]:
    """Write the three files and return their paths."""
    out.mkdir(parents=True, exist_ok=True)
    texts = {
        JSON_FILE: json.dumps(as_plain(calibration), indent=2, ensure_ascii=False) + "\n",
        MARKDOWN_FILE: as_markdown(calibration),
        FIGURE_FILE: as_svg(calibration),
    }
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    return [out / name for name in texts]


# --- JSON -----------------------------------------------------------------------------------------------------------


def as_plain(calibration: Calibration) -> dict[str, Any]:
    """Everything, with shares as numbers and intervals."""
    return {
        "version": __version__,
        "scenes": calibration.scenes,
        "seed": calibration.seed,
        "rate": calibration.rate,
        "systems": [_plain_row(row) for row in calibration.of_systems],
        "faults": [_plain_row(row) for row in calibration.of_faults],
        "truthful": [_plain_row(row) for row in calibration.of_styles],
        "floors": [dataclasses.asdict(each) for each in calibration.floors],
        "floors_rank_correlation": rank_correlation(calibration.floors),
        "left_out": [dataclasses.asdict(each) for each in calibration.left_out],
    }


def _plain_row(row: Measurement) -> dict[str, Any]:
    return {name: _plain(getattr(row, name)) for name in _ROW_KEYS}


def _plain(value: Any) -> Any:
    if isinstance(value, Share):
        interval = None if value.interval is None else [round(bound, 4) for bound in value.interval]
        rounded = None if value.value is None else round(value.value, 4)
        return {"hits": value.hits, "of": value.total, "value": rounded, "interval": interval}
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return [dataclasses.asdict(each) for each in value] if isinstance(value, tuple) else value


# --- cells that the terminal and Markdown share ---------------------------------------------------------------------


def share_text(share: Share) -> str:
    """A share with its interval, such as `.94 [.90,.97]`; one scene alone has no interval."""
    if share.value is None:
        return "-"
    if share.interval is None:
        return _two(share.value)
    low, high = share.interval
    return f"{_two(share.value)} [{_two(low)},{_two(high)}]"


def _two(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def system_cells(row: Measurement) -> tuple[str, ...]:
    undecided = row.undecided + row.untold
    counts = (str(row.cases), str(undecided), str(row.reports))
    shares = (share_text(row.precision), str(row.wrong), share_text(row.recall))
    return (row.system, row.method, row.relation, *counts, *shares)


def style_cells(row: Measurement) -> tuple[str, ...]:
    """The cells of one row under `STYLE_COLUMNS`."""
    settled = (row.suspected.hits, row.refuted, row.unfair, row.leads, row.violated.hits)
    counts = tuple(map(str, (row.cases, row.undecided, *settled)))
    grades = ", ".join(f"{number} {grade}" for grade, number in row.by_grade.items())
    return (row.style or "", row.method, row.relation, row.form, *counts, grades or "-", share_text(row.violated))


def fault_cell(row: Measurement | None) -> str:
    """One cell of the matrix: the recall, or what can be said where nothing was wrong."""
    if row is None:
        return ""
    if row.fault is None:
        return f"{row.reports}/{row.cases - row.undecided - row.untold}"
    if row.recall.value is not None:
        return _two(row.recall.value)
    return f"{row.undecided / row.cases:.0%}?" if row.undecided else "-"


def fault_cell_with_alone(row: Measurement | None) -> str:
    """The same, and in brackets the recall of captions alone, if there is a witness and that differs."""
    cell = fault_cell(row)
    if row is None or row.fault is None or row.recall_alone is None or row.recall_alone.value is None:
        return cell
    return cell if row.recall_alone.hits == row.recall.hits else f"{cell} ({_two(row.recall_alone.value)})"


def floor_cells(trial: FloorTrial) -> tuple[str, ...]:
    """The cells of one row under `FLOOR_COLUMNS`."""
    certified = "-" if trial.certified is None else f"{trial.certified:.0%}"
    polled = f"{trial.polled_right / trial.polled:.1%}" if trial.polled else "-"
    counts = (trial.answers, trial.false, trial.floor)
    calls = f"{trial.calls / trial.photos:.1f}" if trial.photos else "-"
    return (trial.name, *(f"{count:,}" for count in counts), certified, polled, calls)


def floors_sentence(floors: Sequence[FloorTrial]) -> str:
    """How well the floor ranks these systems."""
    correlation = rank_correlation(floors)
    if correlation is None:
        return ""
    return (
        f"Rank correlation (Spearman) of the floor and the true share of false answers over {len(floors)} systems: "
        f"{_two(correlation)}."
    )


CATEGORY_COLUMNS = ("system", "method", "relation", "what", "share")


def category_rows(rows: Sequence[Measurement]) -> list[tuple[str, ...]]:
    """For each kind of wrong answer the share that was reported; for each kind of report the share that was right."""
    found: list[tuple[str, ...]] = []
    for row in rows:
        key = (row.system, row.method, row.relation)
        for what, outcome, shares in (
            ("wrong by", "reported", row.recall_by_category),
            ("reported as", "right", row.precision_by_category),
        ):
            found += [(*key, f"{what} {name}: {outcome}", share_with_counts(each)) for name, each in shares.items()]
    return found


def share_with_counts(share: Share) -> str:
    return f"{share.hits}/{share.total} = {share_text(share)}"


# --- Markdown -------------------------------------------------------------------------------------------------------


def as_markdown(calibration: Calibration) -> str:
    """The tables of a calibration, to be read in the docs."""
    parts = [
        "# Results of a calibration",
        f"Written by `anamorph research calibrate` (Anamorph {__version__}) on {calibration.scenes} scenes of seed "
        f"{calibration.seed}, with faults at rate {calibration.rate:g}; do not edit.",
    ]
    if calibration.of_systems:
        parts += ["## Systems as they are", _table(SYSTEM_COLUMNS, map(system_cells, calibration.of_systems))]
        parts += ["## By category", _table(CATEGORY_COLUMNS, category_rows(calibration.of_systems))]
    if calibration.of_faults:
        columns = ("answers", "method", "relation", "false alarms without a fault", *calibration.faults)
        lines = [
            (*key, *(fault_cell_with_alone(cells.get(fault)) for fault in (None, *calibration.faults)))
            for key, cells in matrix(calibration.of_faults).items()
        ]
        parts += ["## Recall by injected fault", f"{MATRIX_LEGEND} {ALONE_LEGEND}", _table(columns, lines)]
    if calibration.of_styles:
        table = _table(STYLE_COLUMNS, map(style_cells, calibration.of_styles))
        parts += ["## Truthful systems", STYLES_LEGEND, table]
    if calibration.floors:
        parts += ["## The error floor", FLOORS_LEGEND, _table(FLOOR_COLUMNS, map(floor_cells, calibration.floors))]
        parts.append(floors_sentence(calibration.floors))
    imprecise = _imprecise(calibration)
    if imprecise:
        parts += [f"## Relations whose precision is below {_two(PRECISE)}", *imprecise]
    if calibration.left_out:
        parts += ["## Left out", "\n".join(f"- {left_out_text(each)}" for each in calibration.left_out)]
    parts.append(f"![Precision and recall]({FIGURE_FILE})")
    return "\n\n".join(parts) + "\n"


def left_out_text(each: LeftOut) -> str:
    """Why a pair was left out, in one line."""
    return f"{each.method} on {each.system}{f' ({each.form})' if each.form else ''}: {each.reason}"


def _imprecise(calibration: Calibration) -> list[str]:
    """The relations whose precision is low, with false alarms to look at."""
    texts = []
    for row in calibration.measurements:
        low = row.precision.value is not None and row.precision.value < PRECISE
        if not low or not row.false_alarms or row.fault is not None or row.style is not None:
            continue
        who = f"{row.system} ({row.form})" if row.form else row.system
        texts.append(f"**{row.method}, {row.relation}** on {who}: {share_with_counts(row.precision)}. False alarms:")
        lines = []
        for example in row.false_alarms:
            said = " / ".join(f"\u201c{answer}\u201d" for answer in example.answers)
            tags = f" ({example.tags})" if example.tags else ""
            lines.append(f"- {example.scene}{tags}: {said}: {example.reason}")
        texts.append("\n".join(lines))
    return texts


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)


# --- the figure -----------------------------------------------------------------------------------------------------


def as_svg(calibration: Calibration) -> str:
    """Shares with their intervals above, the matrix of faults below."""
    figures: list[DotPlot | Grid] = []
    if calibration.of_systems:
        lines = tuple(
            (
                LineName(each.system.removeprefix("toybox:"), each.method, each.relation),
                (_dot(each.precision), _dot(each.recall)),
            )
            for each in calibration.of_systems
        )
        title = "Precision and recall, with 95 % intervals"
        figures.append(DotPlot(title, ("precision", "recall"), lines, PRECISE))
    if calibration.of_faults:
        faults = (None, *calibration.faults)
        rows = tuple(
            (LineName(*name), tuple(_grid_cell(cells.get(fault)) for fault in faults))
            for name, cells in matrix(calibration.of_faults).items()
        )
        note = "The share of the cases with a wrong answer that are reported"
        figures.append(Grid("Which relation catches which fault", ("false alarms", *calibration.faults), rows, note))
    return draw_below_each_other(f"Precision and recall on {calibration.scenes} toybox scenes", figures)


def _dot(share: Share) -> Dot | None:
    if share.value is None:
        return None
    low, high = share.interval or (0.0, 1.0)
    return Dot(share.value, low, high, f"{share.hits} of {share.total} = {share.value:.3f}")


def _grid_cell(each: Measurement | None) -> GridCell | None:
    if each is None:
        return None
    hint = f"{each.reports} reports, {each.right} right, {each.wrong} wrong of {each.cases} cases"
    if each.fault is None:
        return GridCell(fault_cell(each), hint, alarming=each.reports > 0)
    if each.recall.value is None:
        return GridCell(f"{each.undecided / each.cases:.0%} undec." if each.undecided else "\u2013", hint)
    return GridCell(fault_cell(each), hint, each.recall.value)
