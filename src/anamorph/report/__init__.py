"""The report of a run: a folder of HTML that opens from disk, with JSON, CSV and JUnit; and the drawer of figures."""

from anamorph.report.writing import Report, write_report

__all__ = ["Report", "write_report"]
