"""Groups of commands whose help shows every command with its whole summary."""

from __future__ import annotations

import click


class WholeSummaryGroup(click.Group):
    """Shows the first paragraph of every command's help, which click would cut after a few words."""

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
