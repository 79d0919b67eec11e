"""`anamorph list schema`: the JSON schema of the configuration file."""

from __future__ import annotations

import click

from anamorph.cli.options import OLD_LOAD_OPTION
from anamorph.cli.terminal import echo_json
from anamorph.config import config_schema


@click.command()
@OLD_LOAD_OPTION
def schema() -> None:
    """Print the JSON schema of the configuration file, for editors and checks."""
    echo_json(config_schema())
