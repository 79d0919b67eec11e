"""Writes the report of a run: one pass over the store, one folder."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path

from anamorph.config import Config
from anamorph.engine.gate import GateResult
from anamorph.report.baseline.file import ChosenBaseline
from anamorph.report.cause_words import read_causes
from anamorph.report.folders import REPORT, new_folder
from anamorph.report.gallery import GalleryFiles, chunk_files
from anamorph.report.images import MOST_BYTES, ReportImages
from anamorph.report.issues import read_clearest, read_issues, read_leads
from anamorph.report.issues_csv import COLUMNS, issue_row
from anamorph.report.json_file import JsonFile
from anamorph.report.junit import write_junit
from anamorph.report.numbers import RunNumbers, read_numbers
from anamorph.report.pages import MOST_EXAMPLES, MOST_SKIPS, write_assets, write_index
from anamorph.report.record import report_schema
from anamorph.report.spreadsheets import CsvFile
from anamorph.report.table_files import write_drawings, write_tables
from anamorph.store.own_files import refuse_link
from anamorph.store.plans import read_skips
from anamorph.store.run import RunStore

SCHEMA = "report.schema.json"


@dataclass(frozen=True, slots=True)
class Report:
    """Where the files of a report are, and how the run ends."""

    index_html: Path
    json: Path
    csv: Path
    junit: Path
    gate: GateResult
    numbers: RunNumbers
    leads_csv: Path
    # How many pictures are there only as thumbnails, and how many not at all.
    thumbnails: int = 0
    left_out: int = 0

    @property
    def left_out_sentence(self) -> str:
        """How many pictures the size limit scaled down or left out; empty if none."""
        if not self.thumbnails and not self.left_out:
            return ""
        return (
            f"To keep the folder small, {self.thumbnails:,} pictures are thumbnails and {self.left_out:,} left out; "
            "--max-size allows for more."
        )


def write_report(
    store: RunStore,
    config: Config,
    out: Path,
    numbers: RunNumbers | None = None,
    baseline: ChosenBaseline | None = None,
    most_bytes: int = MOST_BYTES,
) -> Report:
    """Write a run's report into the folder `out`, in place of an earlier report there; the run is only read.

    `numbers` are the run in numbers, where they were read already, through this connection and against the same
    baseline, and nothing can have changed them. Pictures take at most `most_bytes`: those of the clearest issues are
    whole, others thumbnails or left out.
    """
    if out.parent.resolve() == store.folder.resolve():
        refuse_link(out)
    with store.snapshot(), new_folder(out, REPORT) as folder:
        numbers = numbers or read_numbers(store, config, baseline)
        images = ReportImages(store.images, folder, most_bytes)
        examples = read_clearest(store, images, numbers.repeats, MOST_EXAMPLES)
        write_chunk = chunk_files(folder / "data")
        with (
            JsonFile(folder / "report.json", numbers, read_skips(store), read_causes(store)) as json_file,
            CsvFile(folder / "issues.csv", quote_all=True) as csv_file,
            CsvFile(folder / "leads.csv", quote_all=True) as leads_csv,
            GalleryFiles(write_chunk) as gallery,
            GalleryFiles(write_chunk, "lead") as leads,
        ):
            csv_file.add(COLUMNS)
            leads_csv.add(COLUMNS)
            for issue in read_issues(store, images, numbers.repeats):
                json_file.add(issue)
                csv_file.add(issue_row(issue))
                gallery.add(issue)
            json_file.begin_leads()
            for lead in read_leads(store, images, numbers.repeats):
                json_file.add(lead)
                leads_csv.add(issue_row(lead))
                leads.add(lead)
        write_junit(folder / "junit.xml", store, numbers)
        write_tables(folder / "tables", numbers.tables)
        write_drawings(folder / "figures", numbers.drawings)
        write_assets(folder / "assets")
        (folder / SCHEMA).write_text(json.dumps(report_schema(), indent=1) + "\n", encoding="utf-8")
        write_index(folder / "index.html", numbers, itertools.islice(read_skips(store), MOST_SKIPS), examples)
    return Report(
        out / "index.html",
        out / "report.json",
        out / "issues.csv",
        out / "junit.xml",
        numbers.gate,
        numbers,
        out / "leads.csv",
        images.thumbnails,
        images.left_out,
    )
