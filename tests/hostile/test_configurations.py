from __future__ import annotations

import copy
from pathlib import Path
from random import Random

import pytest

from anamorph.errors import AnamorphError, UsageError
from tests.hostile.commands import run_command
from tests.hostile.configurations import WHOLE, make, odd_configuration, odd_places, put
from tests.hostile.mutations import ODD_VALUES, damaged

# What stands in the file, and what must stand in the error: the key, or what is wrong with the file.
ODD_FILES = {
    "seed = 2020-02-02": "seed: ",
    "seed = 0x" + "f" * 20: "seed: ",
    "seed = 0x" + "f" * 6000: "seed: ",
    "seed = " + "9" * 6000: "anamorph.toml: not ",
    "limit = inf": "limit: ",
    "seed = nan": "seed: ",
    "load = 5": "load",
    "load = '/dev/zero'": "/dev/zero: cannot be read",
    'out = "a\\u0000b"': "out: ",
    "ask = 5": "'ask' is not a table",
    "gate = []": "gate: ",
    "readers = 5": "readers: ",
    "inpainters = [1]": "inpainters: ",
    "readers.english.threshold = inf": "readers.english.threshold: ",
    "readers.plain.threshold = inf": "readers.english.threshold: ",
    "readers.caption = 5": "readers.caption: expected the name of a reader",
    "readers.english = 5": "readers.english: ",
    "readers.english = 5\nreaders.plain.threshold = 0.3": "readers.english: ",
    "readers.released-rome = 5\nreaders.caption.tagger = 'rules'": "readers.released-rome: ",
    "readers.released-rome = 'x'\nreaders.tags.threshold = 0.3": "readers.released-rome: ",
    "labels = 5": "labels: ",
    "labels = [['coco']]\n[rome]\nlabels = 'coco'": "labels: ",
    "[rome]\nlabels = {}": "labels: ",
    "[readers.caption]\nlabels = nan": "labels: ",
    "[rome]\nquestion = 02:02:02": "rome.question: ",
    "[segmenter]\nkind = 'onnx'\npath = 2020-02-02": "segmenter.path: ",
    "ask.timeout_seconds = 1e300": "ask.timeout_seconds: ",
    "ask.price = 1e300": "ask.price: ",
    "x = " + "[" * 20_000: "nested too deeply",
    "[a" + ".a" * 500 + "]\nb = 1": "levels deep",
    "[segmenter" + ".segmenter" * 900 + "]\nkind = 'faulty'": "levels deep",
}


@pytest.mark.parametrize("text", ODD_FILES, ids=lambda text: text[:30].replace("\n", " "))
def test_an_odd_configuration_is_a_usage_error_that_names_the_file_and_the_key(tmp_path: Path, text: str) -> None:
    file = tmp_path / "anamorph.toml"
    file.write_text(text)
    flags = ("-m", "deeptest", "-s", "toybox:1", "-y", "toybox:captioner", "--repeats", 1)
    ended = run_command("run", file, *flags, *(() if text.startswith("out") else ("-o", tmp_path / "run")))
    assert ended.code == 2 and not ended.crashed, ended.err
    assert ODD_FILES[text] in ended.err
    assert len(ended.err) < 2000


def test_any_setting_of_anything_in_the_catalogue_may_hold_an_odd_value() -> None:
    rng = Random(15)
    spots = list(odd_places())
    assert len(spots) > 300
    refused = 0
    for _ in range(600):
        plain = odd_configuration(rng, spots)
        try:
            make(plain)
        except UsageError as problem:
            assert len(str(problem)) < 4000
            refused += 1
        except AnamorphError:
            pass
    assert refused > 300


def test_every_odd_value_is_tried_in_the_settings_of_the_run() -> None:
    for value in ODD_VALUES:
        for way in (("seed",), ("out",), ("ask",), ("ask", "timeout_seconds"), ("deeptest", "also"), ("methods",)):
            plain = copy.deepcopy(WHOLE)
            put(plain, way, value)
            try:
                make(plain)
            except UsageError:
                continue


def test_a_damaged_file_is_a_usage_error(tmp_path: Path) -> None:
    rng = Random(16)
    file = tmp_path / "anamorph.toml"
    whole = (
        b'methods = ["deeptest"]\nscenes = "toybox:1"\nseed = 3\n[system]\n'
        b'kind = "toybox"\nmodel = "captioner"\n[ask]\nrepeats = 2\n'
    )
    codes = set()
    for _ in range(60):
        file.write_bytes(damaged(whole, rng))
        ended = run_command("run", file, "-o", tmp_path / "run", "--set", "limit=0")
        assert not ended.crashed, ended.err
        codes.add(ended.code)
    assert codes == {2}
