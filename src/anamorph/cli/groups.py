"""Groups of commands, and how their help is laid out."""

from __future__ import annotations

import re

import click

# Help is read in terminals of 80 columns; click indents an epilog by two.
_WIDTH = 77
# A word of a shell, which may have quoted parts.
_WORD = r"""(?:[^\s'"]|'[^']*'|"[^"]*")+"""


class WholeSummaryGroup(click.Group):
    """Shows the first paragraph of every command's help, which click would cut after a few words."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name)
        return None if command is None else with_short_examples(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.summary(ctx, name)) for name in self.list_commands(ctx)])

    def summary(self, ctx: click.Context, name: str) -> str:
        """The summary beside the name of a command."""
        command = self.get_command(ctx, name)
        return "" if command is None else first_paragraph(command)


def first_paragraph(command: click.Command) -> str:
    """The first paragraph of a command's docstring, in one line."""
    return paragraph(command.help or "")


def paragraph(text: str) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join(text.partition("\n\n")[0].split())


def with_short_examples(command: click.Command) -> click.Command:
    """The command, with long examples of its epilog continued on further lines, as a shell takes them."""
    lines = (command.epilog or "").split("\n")
    command.epilog = "\n".join(part for line in lines for part in _parts(line)) or None
    return command


def _parts(line: str) -> list[str]:
    if len(line) <= _WIDTH or not line.startswith("  anamorph"):
        return [line]
    parts = [""]
    # An option stays with its value.
    for word in re.findall(rf"(?:-\S+ )?{_WORD}", line.strip()):
        if len(parts[-1]) + len(word) > _WIDTH - 8:
            parts.append("")
        parts[-1] += f" {word}"
    return [f"{'    ' * bool(place)} {part} \\" for place, part in enumerate(parts[:-1])] + [f"     {parts[-1]}"]
