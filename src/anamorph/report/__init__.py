"""What a run came to, as a folder of HTML that opens from disk, and as JSON, CSV and JUnit."""

from anamorph.report.writing import Report, write_report

__all__ = ["Report", "write_report"]
