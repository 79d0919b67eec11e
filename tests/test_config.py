from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from anamorph.config import config_schema, parse_share, part_from_text, read_toml, resolve, with_override
from anamorph.errors import AnamorphError, UsageError
from anamorph.methods.deeptest import DeepTest

FULL = """
methods = ["deeptest"]
seed = 3
limit = 10
scenes = "folder:photos"

[system]
kind = "command"
command = "python captioner.py"
batch = 4

[deeptest]
blur = [1, 2]
shear = []

[readers.english]
threshold = 0.3

[ask]
repeats = 2
rate_per_second = 5

[gate]
fail_over = "5%"
"""


def config_file(tmp_path: Path, content: str) -> Path:
    file = tmp_path / "anamorph.toml"
    file.write_text(content)
    return file


def complaint_about(tmp_path: Path, content: str) -> str:
    file = config_file(tmp_path, content)
    with pytest.raises(UsageError) as caught:
        resolve(read_toml(file), str(file))
    assert str(caught.value).startswith(str(file))
    return str(caught.value)[len(str(file)) + 2 :]


def test_a_full_file_is_read(tmp_path: Path) -> None:
    config = resolve(read_toml(config_file(tmp_path, FULL)))
    assert config.methods == (DeepTest(blur=(1.0, 2.0), shear=()),)
    assert config.settings.ask.repeats == 2 and config.settings.seed == 3
    assert config.readers().reader("english").threshold == 0.3  # type: ignore[attr-defined]
    assert config.plain["scenes"] == {"kind": "folder", "path": "photos"}


def test_what_a_run_stores_of_its_configuration_gives_the_same_configuration(tmp_path: Path) -> None:
    config = resolve(read_toml(config_file(tmp_path, FULL)))
    again = resolve(json.loads(json.dumps(config.plain)))
    assert (again.settings, again.methods, again.plain) == (config.settings, config.methods, config.plain)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("methodes = ['deeptest']", "methodes: unknown key. Did you mean 'methods'?"),
        ("methods = ['deptest']", "Unknown method 'deptest'. Did you mean 'deeptest'?"),
        ("[deeptest]\nblurr = 1\n", ""),
        ("methods = ['deeptest']\n[deeptest]\nblurr = 1", "deeptest.blurr: unknown key. Did you mean 'blur'?"),
        ("methods = ['deeptest']\n[deeptest]\nblur = 'x'", "deeptest.blur[0]: expected a number, got 'x'"),
        ("limit = 0", "limit: must be at least 1, got 0"),
        ("[ask]\nretries = -1", "ask.retries: must be at least 0, got -1"),
        ("[images]\nformat = 'gif'", "images.format: expected one of 'jpeg', 'png', got 'gif'"),
        ("[gate]\nfail_over = 'lots'", "gate: fail_over must be a share such as 5% or 0.05, got 'lots'"),
        ("[prove]\nmost = 'lots'", "prove: most must be a share such as 100% or 250%, got 'lots'"),
        ("[prove]\nmost = '1.5'", "prove: most must be a share such as 100% or 250%, got '1.5'"),
        ("[prove]\nestimate = '150%'", "prove: estimate must be a share such as 5% or 0.05, got '150%'"),
        ("[prove]\nagain = 0", "prove.again: must be at least 1, got 0"),
        ("[prove]\nhandful = -1", "prove.handful: must be at least 0, got -1"),
        ("[prove]\nenabled = 'yes'", "prove.enabled: expected true or false, got 'yes'"),
        ("[prove]\nconfirm = true", "prove.confirm: unknown key"),
        (
            "[questions]\ncount = 'How many?'",
            "questions: count must contain {classes}, the place of the class, got 'How many?'",
        ),
        (
            "[questions]\nexists = 'Is there {classes}?'",
            "questions: exists must contain {a_class}, the place of the class, got 'Is there {classes}?'",
        ),
        ("[questions]\nnumber = 5", "questions.number: expected a string, got 5"),
        ("scenes = 'foldr:x'", "Unknown scene source 'foldr'. Did you mean 'folder'?"),
        ("scenes = 3", "scenes: expected a string such as"),
        ("[readers.english]\nthreshold = 2", "readers.english.threshold: must be at most 1, got 2.0"),
        ("load = ['gone.py']", "gone.py: no such file to load"),
    ],
)
def test_a_complaint_names_file_key_and_what_would_be_valid(tmp_path: Path, content: str, expected: str) -> None:
    if not expected:
        # The table of a method that is not chosen is checked when it is chosen.
        resolve(read_toml(config_file(tmp_path, content)))
        return
    if "gone.py" in expected:
        with pytest.raises(UsageError, match="no such file"):
            resolve(read_toml(config_file(tmp_path, content)))
        return
    assert complaint_about(tmp_path, content).startswith(expected)


def test_proving_may_ask_a_share_of_the_plans_calls_and_forty_in_any_case() -> None:
    prove = resolve({"prove": {"most": "50%"}}).settings.prove
    assert [prove.most_calls(planned) for planned in (0, 80, 1000)] == [40, 40, 500]
    assert resolve({"prove": {"most": " 250% "}}).settings.prove.most_calls(1000) == 2500


def test_counts_above_a_handful_are_estimates_within_the_share_that_is_set() -> None:
    usual = resolve({}).settings.prove
    assert [usual.bounds(number) for number in (0, 6, 7, 40)] == [(0, 0), (6, 6), (6, 8), (35, 45)]
    strict = resolve({"prove": {"handful": 100, "estimate": "10%"}}).settings.prove
    assert [strict.bounds(number) for number in (40, 200)] == [(40, 40), (190, 210)]


def test_toml_that_is_not_toml_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"anamorph\.toml: not valid TOML: .*line 2"):
        read_toml(config_file(tmp_path, "seed = 1\nmethods = = 3\n"))
    with pytest.raises(UsageError, match=r"gone\.toml: cannot be read \(No such file"):
        read_toml(tmp_path / "gone.toml")


def test_a_flag_that_is_wrong_is_named_as_the_flag() -> None:
    plain: dict[str, Any] = {"methods": ["deeptest"]}
    with_override(plain, "deeptest.blur=soft")
    with pytest.raises(UsageError, match=r"^--set deeptest\.blur: expected a number, got 'soft'"):
        resolve(plain, "a.toml", ["deeptest.blur"])


@pytest.mark.parametrize("assignment", ["deeptest.blur", "=3", "a..b=1"])
def test_an_assignment_that_is_none_is_refused(assignment: str) -> None:
    with pytest.raises(UsageError, match="expected KEY=VALUE"):
        with_override({}, assignment)


def test_an_assignment_reaches_into_a_part_given_as_text() -> None:
    plain: dict[str, Any] = {"system": "command:python a.py"}
    with_override(plain, "system.batch=3")
    assert plain["system"] == {"kind": "command", "command": "python a.py", "batch": 3}


@pytest.mark.parametrize(
    ("part", "text", "expected"),
    [
        ("scenes", 'folder:"/a,b=c/d"', {"kind": "folder", "path": "/a,b=c/d"}),
        ("scenes", "folder:path=a", {"kind": "folder", "path": "a"}),
        (
            "scenes",
            "coco:a.json,images=DIR,captions=c.json",
            {"kind": "coco", "instances": "a.json", "images": "DIR", "captions": "c.json"},
        ),
        ("scenes", "folder:a,recursive=false", {"kind": "folder", "path": "a", "recursive": False}),
        ("scenes", "folder:2024", {"kind": "folder", "path": "2024"}),
        ("system", "callable:a.b:c", {"kind": "callable", "target": "a.b:c"}),
        ("system", "command:x --a,batch=2", {"kind": "command", "command": "x --a", "batch": 2}),
        ("system", "command:x 'a,b=2' c,d", {"kind": "command", "command": "x 'a,b=2' c,d"}),
        ("system", "command:env A=1 x", {"kind": "command", "command": "env A=1 x"}),
        ("system", "model.py:caption", {"kind": "callable", "target": "model.py:caption"}),
        ("system", "a/model.py:Net.run,batch=2", {"kind": "callable", "target": "a/model.py:Net.run", "batch": 2}),
        (
            "system",
            'openai:m,prompt=\'Say, x=1\',headers={a="1",b="2"}',
            {"kind": "openai", "model": "m", "prompt": "Say, x=1", "headers": {"a": "1", "b": "2"}},
        ),
        ("searcher", "openverse:me@example.org,licences=cc0,by", None),
    ],
)
def test_a_part_is_read_from_its_short_form(part: str, text: str, expected: dict[str, Any] | None) -> None:
    table = part_from_text(part, text)
    assert table == expected or (expected is None and table["licences"] == "cc0,by")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("openai:x,baseurl=http://h/v1", "unknown setting 'baseurl'. Did you mean 'base_url'"),
        ("openai:x,base-url=http://h/v1", "Did you mean 'base_url'"),
        ("openai:x, temprature=1", "Did you mean 'temperature'"),
        ("openai:x,http://h/v1", "holds a comma, and NAME= does not follow it"),
        ("openai:x base_url=http://h/v1", "Settings are separated by commas"),
        ("openai:x;base_url=http://h/v1", "Settings are separated by commas"),
        ("openai:modle=x", "Did you mean 'model'"),
        ("openai:x,temperature=1,temperature=2", "'temperature' is given twice"),
        ('openai:"x,temperature=1', "begins with a quote, and must end with one"),
        ("command:python a.py,bach=4", "unknown setting 'bach'. Did you mean 'batch'"),
        ("http:http://h/a,anser=/b", "unknown setting 'anser'. Did you mean 'answer'"),
        ("http://h/v1", "write http:http://h/v1, or openai:MODEL,base_url=http://h/v1"),
        ("https://h/v1", "has no kind"),
        ("model.py", "names no function"),
        ("model.py:caption,bach=4", "Did you mean 'batch'"),
    ],
)
def test_nothing_unknown_in_a_short_form_is_accepted(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        part_from_text("system", text)


def test_a_folder_needs_no_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("photos", "a,b=c", "toybox"):
        (tmp_path / name).mkdir()
        if name != "toybox":
            assert part_from_text("scenes", name) == {"kind": "folder", "path": name}
    # A name of the catalogue is that, whatever the folder has; a path says that it is one.
    assert part_from_text("scenes", "toybox") == {"kind": "toybox"}
    assert part_from_text("scenes", "./toybox") == {"kind": "folder", "path": "./toybox"}
    with pytest.raises(UsageError, match="the folder 'fotos' does not exist"):
        part_from_text("scenes", "fotos")


@pytest.mark.parametrize(
    ("text", "share"), [("5%", 0.05), ("5", 0.05), ("0.05", 0.05), ("0%", 0), ("100 %", 1), ("1%", 0.01)]
)
def test_a_share_is_read(text: str, share: float) -> None:
    assert parse_share(text, "x") == pytest.approx(share)


@pytest.mark.parametrize("text", ["", "5 percent", "-1%", "101%", "nan", "1", "101"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be a share"):
        parse_share(text, "x")


def test_the_schema_is_valid_and_agrees_with_the_codec(tmp_path: Path) -> None:
    schema = config_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    assert check.is_valid(read_toml(config_file(tmp_path, FULL)))
    for bad in ("methodes = []", "limit = 0", "[deeptest]\nblurr = 1", "[system]\nkind = 'commando'"):
        assert not check.is_valid(read_toml(config_file(tmp_path, bad))), bad


def test_each_method_has_randomness_of_its_own(photos: Callable[..., Path]) -> None:
    config = resolve({"methods": ["deeptest"], "seed": 1})
    assert config.rng(config.methods[0]).random() == config.rng(config.methods[0]).random()
    other = resolve({"methods": ["deeptest"], "seed": 2})
    assert config.rng(config.methods[0]).random() != other.rng(other.methods[0]).random()


def test_a_part_that_is_not_given_is_asked_for_with_the_known_kinds() -> None:
    with pytest.raises(UsageError, match=r"No system given\. Use --system KIND:.* Known kinds: .*command"):
        resolve({}).system()


@pytest.mark.parametrize("text", ["t" * 5000, "t\0"])
def test_a_text_that_no_file_can_be_called_is_no_folder(text: str) -> None:
    with pytest.raises(AnamorphError):
        resolve({"scenes": text, "system": "toybox:captioner"}).scenes()
