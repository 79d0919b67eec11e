from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from anamorph import catalog
from anamorph.errors import UsageError
from anamorph.model.protocols import (
    EXTENSION_POINTS,
    EditOptions,
    MethodOptions,
    Option,
    RelationOptions,
    SystemOptions,
    reading_kind,
)
from tests.conftest import ROOT

SOURCE = ROOT / "src" / "anamorph"
# What is looked up by name on objects that are no extensions: those of Python, of the operating system and of other
# libraries. A member of an extension never belongs here: declare it as an Option in model/protocols.py.
FOREIGN = {
    "CREATE_NEW_PROCESS_GROUP",
    "getuid",
    "headers",
    "status_code",
    "O_BINARY",
    "O_CLOEXEC",
    "O_NONBLOCK",
    "__code__",
    "__file__",
    "__float__",
    "__func__",
    "__module__",
    "__qualname__",
    "_is_protocol",
    "case",  # the verb of a recorded row
    "chat_template",
    "code",  # of an error of a cloud's library, as is its response
    "frozen",
    "interpreter",
    "net",
    "num_query_tokens",
    "path",
    "poll",
    "problem_type",
    "reason",
    "response",
    "short_form",  # of any class that the codec reads: the setting that a text stands for
    "retired",  # of any class that the codec reads: settings that it once had
    "sched_getaffinity",
    "sendmsg",
    "sqlite_errorcode",
    "SIGHUP",
    "dtype",
    "shape",
    "strerror",
    "waitid",
}
# Where a class is checked for its kind, and where a user's own function, which is no extension, may name its version.
KINDS = {"catalog.py", "model/codec.py", "api/inputs.py"}
FUNCTIONS = {"systems/callable.py", "api/functions.py", "api/inputs.py"}


def options() -> list[tuple[str, Option[object]]]:
    return [
        (group, option)
        for group, (_, _, declared) in EXTENSION_POINTS.items()
        for owner in ([] if declared is None else declared.__mro__)
        for option in vars(owner).values()
        if isinstance(option, Option)
    ]


def looked_up() -> Iterator[tuple[str, str]]:
    """Every name that code looks up on an object by `getattr` or `hasattr`, with the file."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("getattr", "hasattr")
                and isinstance(node.args[1], ast.Constant)
            ):
                yield path.relative_to(SOURCE).as_posix(), str(node.args[1].value)


def test_no_member_of_an_extension_is_looked_up_that_is_not_declared() -> None:
    allowed = {*((file, "kind") for file in KINDS), *((file, "fingerprint") for file in FUNCTIONS)}
    found = {(file, name) for file, name in looked_up() if name not in FOREIGN}
    assert found <= allowed, "declare these as Options in model/protocols.py, or list them here if they are foreign"


@pytest.mark.parametrize(("group", "option"), options(), ids=lambda each: getattr(each, "name", each))
def test_every_option_says_what_it_means_and_is_documented(group: str, option: Option[object]) -> None:
    assert option.meaning.endswith(".")
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line.startswith(f"| `{option.name}` |")]
    assert lines, f"docs/extending.md has no row for the option `{option.name}` of {group}"


@pytest.mark.parametrize("group", EXTENSION_POINTS)
def test_every_member_that_an_extension_must_have_is_documented(group: str) -> None:
    protocol, verb, _ = EXTENSION_POINTS[group]
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{verb}("))
    members = {*vars(protocol).get("__annotations__", {}), *vars(protocol)}
    for name in sorted(member for member in members if not member.startswith("_") and member not in ("kind", verb)):
        assert f"`{name}" in row, f"docs/extending.md does not say that {group} have `{name}`"


def test_every_relation_and_method_of_the_catalogue_says_what_it_does_in_words() -> None:
    for name in catalog.names("relations"):
        claims = RelationOptions.claims.of(catalog.find("relations", name))
        assert claims and claims[0].islower() and not claims.endswith("."), name
    for name in catalog.names("methods"):
        did = MethodOptions.did.of(catalog.find("methods", name)())
        assert did is not None and "{photos}" in did([]), name


def test_a_class_that_inherits_nothing_declares_what_it_likes() -> None:
    @dataclass(frozen=True)
    class Mine:
        kind: ClassVar[str] = "mine"
        suits: ClassVar[tuple[str, ...]] = ("labels",)
        pool: str = "cut-outs"

        @property
        def wants_colours(self) -> bool:
            return True

    assert MethodOptions.suits.of(Mine()) == MethodOptions.suits.of(Mine) == ("labels",)
    assert MethodOptions.pool.of(Mine()) == "cut-outs"
    assert MethodOptions.wants_colours.of(Mine()) is True


def test_what_is_not_declared_has_its_default() -> None:
    class Mine:
        kind: ClassVar[str] = "mine"

    assert MethodOptions.suits.of(Mine()) == ()
    assert MethodOptions.wants_amodal_masks.of(Mine()) is None
    assert SystemOptions.command_line.of(Mine) is False
    assert EditOptions.made_up.of(Mine()) is None


def test_a_property_that_fails_is_not_taken_for_one_that_is_not_there() -> None:
    class Mine:
        @property
        def suits(self) -> tuple[str, ...]:
            raise ValueError("no weights")

    with pytest.raises(ValueError, match="no weights"):
        MethodOptions.suits.of(Mine())


def test_the_protocols_come_with_nothing_but_the_extension_points() -> None:
    """Records have files of their own, so that every extension point is on one screen."""
    classes = [
        node.name
        for node in ast.parse(Path(SOURCE / "model/protocols.py").read_text()).body
        if isinstance(node, ast.ClassDef)
    ]
    points = {
        each.__name__ for protocol, _, declared in EXTENSION_POINTS.values() for each in (protocol, declared) if each
    }
    assert set(classes) == {*points, "Option", "PartOptions"}


def test_a_relation_of_an_older_version_reads_what_it_meant_and_an_unknown_kind_is_named() -> None:
    class Old:
        kind = "old"
        reads = "plain"

    class Unknown:
        kind = "unknown"
        reads = "prose"

    assert reading_kind(Old, labels=False) == "wording"  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"reads 'prose', which is not a kind of reading\. Known: caption, answer"):
        reading_kind(Unknown, labels=False)  # type: ignore[arg-type]
