"""The short form of a part, KIND:REST,name=value: its grammar, and what a bare path or file stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from anamorph.errors import UsageError, did_you_mean

# A setting begins here: NAME=, after a comma or at the beginning.
_NAME = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*=")
_ELSEWHERE = re.compile(r"[;&\s]\s*([A-Za-z_][\w.-]*)\s*=")
_OPENING, _CLOSING = "[{", "]}"
_QUOTES = "\"'"
_ADDRESS = ("http://", "https://")


def split(text: str, names: Collection[str], first: str, form: str, *, command_line: bool) -> dict[str, str]:
    """The settings of REST, by name, as they are written; `form` is KIND, for errors.

    A comma before NAME= begins another setting, which must be one of `names`. A value in quotes may hold such a comma.
    A command line keeps its quotes, wherever they stand, because they are quotes of its own.
    """
    found: dict[str, str] = {}
    for place, piece in enumerate(_pieces(text, command_line)):
        named = _NAME.match(piece)
        # The words of a command may begin with NAME=, such as those of env.
        if named is None or (place == 0 and command_line and named[1] not in names):
            name, value = first, piece
        else:
            name, value = named[1], piece[named.end() :]
            if name not in names:
                raise UsageError(_unknown(name, names, form, command_line=command_line))
        if name in found:
            raise UsageError(f"{form}: {name!r} is given twice.")
        found[name] = value if command_line and name == first else _unquoted(value, form)
        if name == first and not command_line and value == found[name]:
            _check_first(value, names, form)
    return found


def _unknown(name: str, names: Collection[str], form: str, *, command_line: bool) -> str:
    quoted = "the word that has it" if command_line else "that value"
    example = f'{form}:program "a,{name}=b"' if command_line else f'{form}:"..."'
    return (
        f"{form}: unknown setting {name!r}.{did_you_mean(name, names)} Known: {', '.join(names)}. "
        f"If the comma belongs to a value, put {quoted} in quotes: {example}."
    )


def _check_first(value: str, names: Collection[str], form: str) -> None:
    """A model or a path with a comma, or with another setting in it, is more likely a typing error."""
    elsewhere = _ELSEWHERE.search(value)
    if elsewhere is not None:
        name = elsewhere[1]
        if name in names or did_you_mean(name, names):
            raise UsageError(
                f"{form}: {value!r} holds {name}=. Settings are separated by commas, as in {form}:...,{name}=...; a "
                f'value that holds this is put in quotes: {form}:"{value}".'
            )
    if "," in value:
        raise UsageError(
            f"{form}: {value!r} holds a comma, and NAME= does not follow it. Another setting is written "
            f',NAME=VALUE, with a name of {", ".join(names)}; a value with a comma is put in quotes: {form}:"{value}".'
        )


def _pieces(text: str, command_line: bool) -> Iterator[str]:
    """The text, cut at each comma before NAME= that is not within quotes or brackets."""
    begin = value_begin = place = depth = 0
    named = _NAME.match(text)
    if named is not None:
        value_begin = named.end()
    quote = ""
    while place < len(text):
        letter = text[place]
        if quote:
            quote = "" if letter == quote else quote
        elif letter in _QUOTES and (command_line or place == value_begin or depth):
            quote = letter
        elif letter in _OPENING and (depth or place == value_begin):
            depth += 1
        elif letter in _CLOSING and depth:
            depth -= 1
        elif letter == "," and not depth and (named := _NAME.match(text, place + 1)):
            yield text[begin:place]
            begin, place = place + 1, named.end()
            value_begin = place
            continue
        place += 1
    yield text[begin:]


def _unquoted(value: str, form: str) -> str:
    if not value or value[0] not in _QUOTES:
        return value
    if len(value) < 2 or value.find(value[0], 1) != len(value) - 1:
        raise UsageError(f"{form}: {value!r} begins with a quote, and must end with one and hold no other.")
    return value[1:-1]


def kind_and_rest(part: str, text: str, kinds: Sequence[str]) -> tuple[str, str]:
    """The kind of a part and its REST; a folder of photos and FILE.py:function need no kind."""
    kind, colon, rest = (piece.strip() for piece in text.partition(":"))
    if kind in kinds:
        if part == "system" and kind == "http" and rest.startswith("//"):
            raise UsageError(f"system: write http:{text}, or openai:MODEL,base_url={text} for a chat model.")
        return kind, rest
    if part == "scenes" and _is_folder(text):
        return "folder", _in_quotes(text)
    if part in ("system", "confirm_with") and _names_function(text):
        return "callable", text
    if text.startswith(_ADDRESS):
        known = {"scenes": f"folder:{text}", "system": f"http:{text}, or openai:MODEL,base_url={text} for a chat model"}
        if part in known:
            raise UsageError(f"{part}: {text!r} has no kind. Write {known[part]}.")
    if part == "scenes" and _is_file(text):
        raise UsageError(f"scenes: {text!r} is a file. Name the folder of photos, or write coco:FILE,images=FOLDER.")
    if part == "scenes" and (not colon or "/" in kind):
        raise UsageError(
            f"scenes: the folder {text!r} does not exist.{did_you_mean(text, (*kinds, *_folders_beside(text)))} "
            f"Other scenes are KIND:..., of the kinds {', '.join(kinds)}."
        )
    if part == "system" and kind.endswith(".py"):
        raise UsageError(f"system: {text!r} names no function. Write {text}:FUNCTION.")
    return kind, rest


def _in_quotes(path: str) -> str:
    return f'"{path}"' if '"' not in path else f"'{path}'"


def _names_function(text: str) -> bool:
    place, _, name = text.partition(",")[0].rpartition(":")
    return place.endswith(".py") and name.replace(".", "").isidentifier()


def _is_folder(text: str) -> bool:
    return _is(Path.is_dir, text)


def _is_file(text: str) -> bool:
    return _is(Path.is_file, text)


def _is(what: Callable[[Path], bool], text: str) -> bool:
    try:
        return what(Path(text))
    except (OSError, ValueError):
        # Longer than any name, or with a NUL byte.
        return False


def _folders_beside(text: str) -> list[str]:
    """The folders that a mistyped one may mean."""
    try:
        return [str(each) for each in sorted(Path(text).parent.iterdir()) if each.is_dir()][:1000]
    except (OSError, ValueError):
        return []
