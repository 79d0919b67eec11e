from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

from anamorph.statistics.intervals import wilson
from anamorph.studies.calibrate.files import (
    as_markdown,
    as_plain,
    as_svg,
    fault_cell,
    fault_cell_with_alone,
    write_files,
)
from anamorph.studies.calibrate.records import Calibration, LeftOut, Measurement, Share


def some_row(reports: int = 20, right: int = 15, wrong: int = 30, **changes: Any) -> Measurement:
    values: dict[str, Any] = {"system": "toybox:captioner", "form": "caption", "fault": None, "method": "deeptest"}
    values |= {"relation": "same-answer", "cases": 100, "undecided": 3, "untold": 2}
    values |= {"precision": _share(right, reports), "recall": _share(right, wrong), "violated": _share(reports, 97)}
    return Measurement(**{**values, **changes})


def _share(hits: int, total: int) -> Share:
    return Share(hits, total, wilson(hits, total) if total else None)


CALIBRATION = Calibration(
    25,
    7,
    0.2,
    (
        some_row(),
        some_row(system="a<b&c", reports=0, right=0, wrong=0),
        some_row(system="truth", reports=1, right=0, wrong=0),
        some_row(system="truth", fault="omission", recall_alone=_share(6, 30), violated_alone=_share(8, 97)),
        some_row(system="truth", fault="failures", undecided=36, reports=0, right=0, wrong=0),
        some_row(system="truth", style="vague", reports=0, right=0, wrong=0),
        some_row(
            system="truth",
            style="terse-2",
            by_grade={"miscount": 2, "omission": 18},
            suspected=_share(40, 97),
            refuted=5,
            unfair=3,
            leads=12,
        ),
    ),
    (LeftOut("truth", "labels", "rome", "The method | reads captions."),),
)


def test_the_files_hold_the_figures(tmp_path: Path) -> None:
    paths = write_files(CALIBRATION, tmp_path / "deep" / "out")
    assert [path.name for path in paths] == ["calibration.json", "results.md", "calibration.svg"]
    plain = json.loads(paths[0].read_text())
    assert plain == json.loads(json.dumps(as_plain(CALIBRATION)))
    assert plain["systems"][0]["precision"] == {"hits": 15, "of": 20, "value": 0.75, "interval": [0.5313, 0.8881]}
    assert plain["systems"][0]["recall"]["value"] == 0.5
    assert plain["systems"][1]["precision"]["value"] is None
    assert [row["fault"] for row in plain["faults"]] == [None, "omission", "failures"]
    assert [(row["style"], row["violated"]["hits"]) for row in plain["truthful"]] == [("terse-2", 20), ("vague", 0)]
    assert plain["left_out"][0]["method"] == "rome"
    terse = plain["truthful"][0]
    assert (terse["refuted"], terse["unfair"], terse["leads"], terse["suspected"]["hits"]) == (5, 3, 12, 40)
    assert terse["recall_alone"] is None and terse["violated_alone"] is None
    by_captions = plain["faults"][1]
    assert (by_captions["recall_alone"]["value"], by_captions["violated_alone"]["hits"]) == (0.2, 8)


def test_markdown_has_the_tables_and_the_matrix() -> None:
    text = as_markdown(CALIBRATION)
    assert "on 25 scenes of seed 7, with faults at rate 0.2" in text
    assert "| toybox:captioner | deeptest | same-answer | 100 | 5 | 20 | .75 [.53,.89] | 30 | .50 [.33,.67] |" in text
    assert "| caption | deeptest | same-answer | 1/95 | .50 (.20) | 36%? |" in text
    assert (
        "| terse-2 | deeptest | same-answer | caption | 100 | 3 | 40 | 5 | 3 | 12 | 20 | 2 miscount, 18 omission "
        "| .21 [.14,.30] |" in text
    )
    assert "- rome on truth (labels): The method | reads captions." in text


def test_cells_of_the_matrix_say_what_there_is_to_say() -> None:
    assert fault_cell(None) == ""
    assert fault_cell(some_row(fault="omission", right=30, reports=30)) == "1.00"
    assert fault_cell_with_alone(some_row(fault="omission", recall_alone=_share(24, 30))) == ".50 (.80)"
    assert fault_cell_with_alone(some_row(fault="omission", recall_alone=_share(15, 30))) == ".50"
    assert fault_cell_with_alone(some_row(fault="omission", recall_alone=_share(0, 0))) == ".50"
    assert fault_cell_with_alone(some_row(fault="omission")) == ".50"
    assert fault_cell_with_alone(None) == ""
    assert fault_cell(some_row(fault="delays", undecided=0, wrong=0, right=0)) == "-"


def test_the_figure_has_a_dot_for_every_share_and_a_cell_for_every_fault() -> None:
    root = ElementTree.fromstring(as_svg(CALIBRATION))
    name = "{http://www.w3.org/2000/svg}"
    hinted = [each for each in root.iter(f"{name}g") if each.find(f"{name}title") is not None]
    dots = [each.findtext(f"{name}title") for each in hinted if each.find(f"{name}circle") is not None]
    assert dots == ["15 of 20 = 0.750", "15 of 30 = 0.500"]
    cells = [each for each in hinted if each.find(f"{name}rect") is not None]
    assert len(cells) == 3
    assert "a<b&c" in "".join(root.itertext())
    assert ElementTree.fromstring(as_svg(Calibration(1, 1, 0.1, (), ()))) is not None
