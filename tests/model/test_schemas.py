from __future__ import annotations

import jsonschema

from anamorph.methods.deeptest import DeepTest
from anamorph.model.schemas import schema_of


def test_a_schema_says_type_default_range_and_meaning() -> None:
    brightness = schema_of(DeepTest)["properties"]["brightness"]
    assert brightness["default"] == [0.8]
    assert brightness["description"].startswith("Brightness factors")
    assert brightness["anyOf"][1] == {"type": "number", "minimum": 0, "maximum": 10}


def test_a_schema_is_itself_valid_and_refuses_what_the_codec_refuses() -> None:
    schema = schema_of(DeepTest)
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    assert check.is_valid({"blur": 2, "relation": "same-answer"}) == check.is_valid({"blur": [2]}) is True
    assert not check.is_valid({"blurr": 2})
    assert not check.is_valid({"brightness": -1})


def test_settings_within_a_setting_have_the_defaults_of_their_owner() -> None:
    from anamorph.methods.spolre.method import Spolre
    from anamorph.pools.cutouts import Quality

    within = schema_of(Spolre)["properties"]["quality"]["properties"]
    assert within["min_side"]["default"] == Spolre().quality.min_side != Quality().min_side
    assert schema_of(Quality)["properties"]["min_side"]["default"] == Quality().min_side
