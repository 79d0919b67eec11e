"""One TOML file, or flags, or both: what a run is made of, checked before anything starts."""

from anamorph.config.parts import part_from_text, read_toml, searcher_of, with_override, with_setting
from anamorph.config.presets.files import with_preset
from anamorph.config.resolving import Config, resolve
from anamorph.config.schema import config_schema
from anamorph.config.settings import (
    AskSettings,
    CacheSettings,
    GateSettings,
    MeltCheckSettings,
    RaySettings,
    RecognitionSettings,
    RunSettings,
    SegmentingSettings,
    parse_share,
)

__all__ = [
    "AskSettings",
    "CacheSettings",
    "Config",
    "GateSettings",
    "MeltCheckSettings",
    "RaySettings",
    "RecognitionSettings",
    "RunSettings",
    "SegmentingSettings",
    "config_schema",
    "parse_share",
    "part_from_text",
    "read_toml",
    "resolve",
    "searcher_of",
    "with_override",
    "with_preset",
    "with_setting",
]
