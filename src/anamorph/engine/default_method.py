"""The methods of a run: those that it cannot be begun with, and the one of a run that names none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anamorph import catalog
from anamorph.config import Config, resolve
from anamorph.engine.prove.evidence import given_by
from anamorph.errors import AnamorphError, UsageError
from anamorph.model.protocols import MethodOptions, SystemOptions

CROSSCHECK, DEEPTEST = "crosscheck", "deeptest"
# What a scene may lack, and where it would come from.
SOURCES_OF = {
    "things": ("objects", "annotated scenes (coco:, voc:, labelme:), or --segmenter KIND:... to find them"),
    "labels": ("labels", "scenes with labels (voc:, collection:)"),
    "captions": ("captions", "coco:FILE,captions=FILE, or NAME.txt beside NAME.jpg in a folder"),
    "questions": ("questions", "scenes with questions=FILE"),
}


def hint_of(needs: Sequence[str]) -> str:
    """The annotations that no scene has, and where to get them."""
    names, sources = zip(*(SOURCES_OF.get(need, (need, f"scenes with {need}")) for need in needs), strict=True)
    return f"no scene has {' or '.join(names)}; use {', or '.join(sources)}"


def require_methods(config: Config) -> None:
    """Refuse a configuration without a method to plan with, or with one that shards cannot share."""
    if not config.methods and "system" not in config.plain and "system" not in config.given:
        raise UsageError(
            "Nothing to test. Name a configuration file, which `anamorph init` writes, or --scenes PHOTOS and "
            "--system FILE.py:function; --method NAME chooses a method."
        )
    if not config.methods:
        raise UsageError(f"No method given. Use --method NAME. Known: {', '.join(catalog.names('methods'))}.")
    in_rounds = [method.kind for method in config.methods if MethodOptions.further.of(method) is not None]
    ask = config.settings.ask
    if in_rounds and (ask.until is not None or ask.order == "worth"):
        raise UsageError(
            f"ask.{'order' if ask.until is None else 'until'}: {in_rounds[0]} plans in rounds, which have their own "
            "order. Use --limit, --budget or --time."
        )
    if config.settings.shard is not None and in_rounds:
        raise UsageError(
            f"shard: {in_rounds[0]} plans in rounds, with pairs of photos and with answers about the first ones, "
            "so that its shards would not be one run. Leave shard out; --set engine=ray uses several machines."
        )


def with_method(config: Config) -> tuple[Config, str]:
    """The configuration with a method, and why it has that one; empty if it named one, or has no system."""
    table = config.plain.get("system")
    if config.methods or config.unknown or table is None:
        return config, ""
    kind, made = table["kind"], _given_by(config)
    if made is None:
        return _with(config, DEEPTEST), ""
    gives, signature = made
    if signature and not gives:
        method, why = (
            CROSSCHECK,
            f"{signature} takes questions; for a function that leaves them aside, use -m {DEEPTEST}",
        )
    elif signature:
        method, why = DEEPTEST, f"{signature} takes no questions; other methods need photos with objects"
    elif "answer" in gives:
        method, why = CROSSCHECK, f"{kind} takes questions, so its answers can be checked against each other"
    elif gives:
        method, why = DEEPTEST, f"{kind} takes no questions; other methods need photos with objects"
    else:
        method, why = DEEPTEST, f"nothing says whether {kind} takes questions; if it does, use -m {CROSSCHECK}"
    return _with(config, method), f"No method was given: {method}, since {why}."


def _with(config: Config, method: str) -> Config:
    changed = resolve({**config.plain, "methods": [method]}, "", trusted=config.trusted)
    return replace(changed, given=config.given)


def _given_by(config: Config) -> tuple[tuple[str, ...], str | None] | None:
    """The kinds of the system's answers, by its class or, if that depends on settings, by an object; and its signature,
    for a function.

    None if it cannot be made, which the run says at its start.
    """
    gives = () if "system" in config.given else given_by(config.plain.get("system"))
    if gives:
        return gives, None
    try:
        system = config.system()
    except AnamorphError:
        return None
    try:
        return SystemOptions.answers_with.of(system), SystemOptions.signature.of(system)
    finally:
        if "system" not in config.given:
            system.close()
