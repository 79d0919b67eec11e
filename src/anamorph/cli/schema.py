"""`anamorph schema`: the JSON schema of the configuration file."""

from __future__ import annotations

import json

import click

from anamorph.cli.choices import LOAD_OPTION
from anamorph.config import config_schema


@click.command()
@LOAD_OPTION
def schema() -> None:
    """Print the JSON schema of the configuration file, for editors and checks."""
    click.echo(json.dumps(config_schema(), indent=2))
