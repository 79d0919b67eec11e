"""Excel workbooks made by hand."""

from __future__ import annotations

import io
import zipfile

_SHEET = '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'


def workbook(*table: list[str | None], shared: bool = True) -> bytes:
    """A workbook as pandas writes it: a column of row numbers, texts in a table of their own, empty cells left out."""
    texts: list[str] = []
    lines = []
    for number, line in enumerate(table, start=1):
        cells = []
        for letter, text in zip("ABCDEFGH", line, strict=False):
            if text is None:
                continue
            place = f'r="{letter}{number}"'
            if text.isdigit():
                cells.append(f"<c {place}><v>{text}</v></c>")
            elif shared:
                texts.append(text)
                cells.append(f'<c {place} t="s"><v>{len(texts) - 1}</v></c>')
            else:
                cells.append(f'<c {place} t="inlineStr"><is><t>{text}</t></is></c>')
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    strings = "".join(f"<si><t>{text}</t></si>" for text in texts)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as book:
        book.writestr("xl/worksheets/sheet1.xml", f"{_SHEET}{''.join(lines)}</sheetData></worksheet>")
        if shared:
            space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
            book.writestr("xl/sharedStrings.xml", f'<sst xmlns="{space}">{strings}</sst>')
    return file.getvalue()
