"""Old flags, which are settings or other options now."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from anamorph.cli.choices import configured_to_run
from anamorph.cli.main import COMMANDS, GROUPS, cli
from anamorph.cli.moved import ISSUES, SETTINGS, command_with
from anamorph.config import Config, resolve, with_override

# At most this many options, over all commands.
MOST_OPTIONS = 200


@click.command(cls=command_with(SETTINGS))
@configured_to_run
def told(config: Config) -> None:
    """Print what the flags say."""
    click.echo(repr(dict(config.plain)))


def _plain(*words: str) -> str:
    result = CliRunner().invoke(told, ["-m", "deeptest", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def _commands() -> Iterator[click.Command]:
    places = [*COMMANDS.values(), *(place for _, own in GROUPS.values() for place in own.values())]
    waiting: list[object] = [cli]
    for place in places:
        module, _, name = place.partition(":")
        waiting.append(getattr(importlib.import_module(module), name))
    for command in waiting:
        assert isinstance(command, click.Command)
        yield command
        if isinstance(command, click.Group) and command is not cli:
            yield from command.commands.values()


@pytest.mark.parametrize(
    ("old", "now"),
    [
        (["--seed", "3"], ["seed=3"]),
        (["--seed=3"], ["seed=3"]),
        (["--shard", "1/3"], ["shard=1/3"]),
        (["--engine", "ray"], ["engine=ray"]),
        (["--repeats", "2"], ["ask.repeats=2"]),
        (["--price-in", "0.5", "--price-out", "2"], ["ask.price_in=0.5", "ask.price_out=2"]),
        (["--until", "interval < 3%"], ["ask.until=interval < 3%"]),
        (["--order", "plan"], ["ask.order=plan"]),
        (["--cache", "answers.sqlite"], ["cache.answers=answers.sqlite"]),
        (["--confirm-with", "toybox:answerer"], ["confirm_with=toybox:answerer"]),
        (["--fail-on", "10"], ["gate.fail_on=10"]),
        (["--fail-on-new"], ["gate.fail_on_new=true"]),
        (["--grades", "contradiction,invention"], ['gate.grades=["contradiction", "invention"]']),
        (["--no-confirm"], ["prove.enabled=false"]),
    ],
)
def test_an_old_flag_does_what_the_setting_does(old: list[str], now: list[str]) -> None:
    assert _plain(*old) == _plain(*(word for each in now for word in ("--set", each)))


def test_flags_of_a_run_are_settings_as_well() -> None:
    assert _plain("--time", "90s", "--fail-over", "5") == _plain("--set", "ask.time=90s", "--set", "gate.fail_over=5")


def test_every_old_flag_leads_to_a_setting_that_there_is() -> None:
    values = {"gate.fail_on": "1", "gate.grades": '["omission"]', "engine": "ray", "shard": "1/2", "seed": "1"}
    values |= {"ask.until": "interval < 3%", "ask.order": "plan", "ask.repeats": "2", "cache.answers": "a.sqlite"}
    values |= {"ask.price_in": "1", "ask.price_out": "1", "confirm_with": "toybox:answerer"}
    for option, says in SETTINGS.values():
        if option == "--set" and says != "load={}":
            key, _, value = says.partition("=")
            plain = {"methods": ["deeptest"]}
            with_override(plain, f"{key}={values[key] if '{' in value else value}")
            resolve(plain)


def test_every_old_flag_leads_to_an_option_of_its_command() -> None:
    """Also, no old flag hides one that the command has."""
    checked = 0
    for command in _commands():
        options = {word for each in command.params for word in each.opts + each.secondary_opts}
        for flag, (new, _) in getattr(command, "moved", {}).items():
            assert new in options and flag not in options, (command.name, flag)
            checked += 1
    assert checked > 100


def test_the_command_line_stays_small() -> None:
    options = [
        each
        for command in _commands()
        for each in command.params
        if isinstance(each, click.Option) and not each.hidden and each.name != "version"
    ]
    assert len(options) <= MOST_OPTIONS


def test_it_is_said_once_on_stderr_with_what_to_write() -> None:
    result = CliRunner().invoke(told, ["-m", "deeptest", "--until", "interval < 3%"], catch_exceptions=False)
    assert result.stderr == "--until is now --set 'ask.until=interval < 3%'\n"


def test_a_value_that_is_missing_and_what_follows_two_dashes_are_left_to_click() -> None:
    missing = CliRunner().invoke(told, ["--seed"])
    assert missing.exit_code == 2 and "'--seed' requires an argument" in missing.output
    assert CliRunner().invoke(told, ["--", "--seed"]).exit_code != 0


def test_filters_of_a_review_are_one_option() -> None:
    assert {option for option, _ in ISSUES.values()} == {"--only", "--sample", "--port"}
