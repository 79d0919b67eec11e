"""Records to plain JSON data and back, driven by type hints.

One codec serves stored records and TOML settings, so that both are checked alike and every
error names the key. An empty field whose default is empty is omitted, so that a record that gains
such a field keeps its digest; any other default is written, so that a stored plan keeps its meaning when it changes.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from anamorph.errors import BadRecord, did_you_mean

T = TypeVar("T")
Plain = Any
# Finds the class of an edit or a relation: (group, kind) -> class. The catalog supplies it.
Kinds = Callable[[str, str], type]

# Class variable `short_form` of a settings class: the setting that a string in place of its table sets.
# Class variable `retired`: former settings, with the default, and what to use instead of other values.
RetiredSettings = Mapping[str, tuple[Any, str]]

_MISSING = dataclasses.MISSING

# Integers have SQLite's range; no record nests nearly this deep.
INTEGER_LIMIT = 2**63
MOST_LEVELS = 60


def setting(
    default: Any = _MISSING,
    help: str = "",
    *,
    least: float | None = None,
    most: float | None = None,
) -> Any:
    """A dataclass field with its help text and its valid range."""
    metadata = {"help": help, "least": least, "most": most}
    if default is _MISSING:
        return dataclasses.field(metadata=metadata)
    if isinstance(default, dict | list):
        return dataclasses.field(default_factory=functools.partial(type(default), default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


# The catalog group of each protocol whose values are distinguished by `kind`.
_KIND_GROUPS = {"Edit": "edits", "Relation": "relations", "System": "systems"}


def kind_group(hint: Any) -> str | None:
    """The catalog group of a protocol whose values are distinguished by `kind`, or None."""
    return _KIND_GROUPS.get(hint.__name__) if getattr(hint, "_is_protocol", False) else None


@functools.cache
def hints_of(cls: type) -> Mapping[str, Any]:
    """The resolved type hints of the fields of a dataclass."""
    hints = typing.get_type_hints(cls, include_extras=False)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls) if field.init}


def default_of(field: dataclasses.Field[Any]) -> Any:
    """The default of a field, or `dataclasses.MISSING`."""
    if field.default_factory is not _MISSING:
        return field.default_factory()
    return field.default


# --- out ------------------------------------------------------------------------------------------------------------


def encode(record: Any) -> Plain:
    """The plain JSON form of a record."""
    return _encode_loose(record)


@functools.cache
def _encoder(cls: Any) -> Callable[[Any], Plain]:
    hints = hints_of(cls)
    parts = [
        (field.name, _encoder_of(hints[field.name]), default, default is not _MISSING and not default)
        for field, default in ((field, default_of(field)) for field in dataclasses.fields(cls) if field.init)
    ]
    kind = getattr(cls, "kind", None)

    def to_plain(record: Any) -> Plain:
        plain: dict[str, Plain] = {} if kind is None else {"kind": kind}
        for name, convert, default, omissible in parts:
            value = getattr(record, name)
            if omissible and not value and value == default:
                continue
            plain[name] = convert(value)
        return plain

    return to_plain


def _encoder_of(hint: Any) -> Callable[[Any], Plain]:
    if hint is float:
        return _finite
    if hint in (str, int, bool, None, type(None)) or get_origin(hint) is Literal:
        return _same
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        inner = _encoder_of(arguments[0])
        return _same_list if inner is _same else lambda value: [inner(item) for item in value]
    if origin in (Union, types.UnionType) and type(None) in arguments and len(arguments) == 2:
        inner = _encoder_of(next(a for a in arguments if a is not type(None)))
        return lambda value: None if value is None else inner(value)
    return _encode_loose


def _same(value: Any) -> Plain:
    return value


def _same_list(value: Any) -> Plain:
    return list(value)


def _finite(value: Any) -> Plain:
    number = float(value)
    if not math.isfinite(number):
        raise BadRecord("", f"{number} is not a finite number")
    # Minus zero equals zero, so both must have the same digest.
    return number + 0.0


def _encode_loose(value: Any) -> Plain:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return _finite(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _encoder(type(value))(value)
    if isinstance(value, Mapping):
        return {str(key): _encode_loose(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_encode_loose(item) for item in value]
    if isinstance(value, frozenset | set):
        return sorted(_encode_loose(item) for item in value)
    raise BadRecord("", f"a {type(value).__name__} cannot be written as JSON")


# --- in -------------------------------------------------------------------------------------------------------------


def decode(cls: type[T], plain: Plain, kinds: Kinds | None = None, path: str = "") -> T:
    """The record of some plain data; raises BadRecord, naming the key, if it does not fit."""
    quick = _quick_reader(typing.cast(Any, cls))
    if quick is not None:
        try:
            return typing.cast(T, quick(plain))
        except _DoesNotFit:
            # Slower: this finds the error and its key.
            pass
    try:
        return typing.cast(T, _decode_record(cls, plain, kinds, path))
    except RecursionError as problem:
        raise BadRecord(path, "is nested too deeply") from problem


def over_defaults(cls: type, table: Any) -> Any:
    """A table of settings, its partial records merged over the class's defaults.

    A method's default of a record may differ from the record's own, as of `spolre.melt`.
    """
    if not isinstance(table, Mapping) or not dataclasses.is_dataclass(cls):
        return table
    merged = dict(table)
    for field in dataclasses.fields(cls):
        default, value = default_of(field), table.get(field.name)
        if isinstance(value, Mapping) and dataclasses.is_dataclass(default) and not hasattr(type(default), "kind"):
            merged[field.name] = {**encode(default), **over_defaults(type(default), value)}
    return merged


class _DoesNotFit(Exception):
    """Plain data does not match the quick reader's type."""


@functools.cache
def _quick_reader(hint: Any) -> Callable[[Plain], Any] | None:
    """A reader for plain data of a type, which raises _DoesNotFit without a reason; None for types that need more than
    hints: with kinds, ranges, or several spellings.

    A large run has millions of stored records, nearly all of them valid.
    """
    if hint in (str, int, bool):
        return functools.partial(_quick_scalar, hint)
    if hint is float:
        return _quick_float
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _quick_record(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return functools.partial(_quick_literal, arguments)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        inner = _quick_reader(arguments[0])
        return None if inner is None else functools.partial(_quick_tuple, inner)
    if origin in (Union, types.UnionType) and type(None) in arguments and len(arguments) == 2:
        inner = _quick_reader(next(a for a in arguments if a is not type(None)))
        return None if inner is None else functools.partial(_quick_optional, inner)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        inner = _quick_reader(arguments[1])
        return None if inner is None else functools.partial(_quick_table, inner)
    return None


def _quick_record(cls: type) -> Callable[[Plain], Any] | None:
    special = any(hasattr(cls, name) for name in ("kind", "short_form", "retired"))
    fields = dataclasses.fields(cls)
    if special or any(field.metadata.get(name) is not None for field in fields for name in ("least", "most")):
        return None
    readers: dict[str, Callable[[Plain], Any]] = {}
    for name, hint in hints_of(cls).items():
        reader = _quick_reader(hint)
        if reader is None:
            return None
        readers[name] = reader
    needed = frozenset(field.name for field in fields if field.init and default_of(field) is _MISSING)

    def read(plain: Plain) -> Any:
        if type(plain) is not dict or not needed <= plain.keys():
            raise _DoesNotFit
        try:
            return cls(**{name: readers[name](value) for name, value in plain.items()})
        except (KeyError, ValueError, OverflowError, OSError) as problem:
            raise _DoesNotFit from problem

    return read


def _quick_scalar(hint: type, plain: Plain) -> Any:
    # Not isinstance: true is not a whole number here.
    if type(plain) is hint:
        return plain
    raise _DoesNotFit


def _quick_float(plain: Plain) -> float:
    if type(plain) in (float, int) and _is_finite(plain):
        return float(plain)
    raise _DoesNotFit


def _quick_literal(values: tuple[Any, ...], plain: Plain) -> Any:
    if type(plain) is str and plain in values:
        return plain
    raise _DoesNotFit


def _quick_tuple(inner: Callable[[Plain], Any], plain: Plain) -> tuple[Any, ...]:
    if type(plain) is not list:
        raise _DoesNotFit
    return tuple(map(inner, plain))


def _quick_optional(inner: Callable[[Plain], Any], plain: Plain) -> Any:
    return None if plain is None else inner(plain)


def _quick_table(inner: Callable[[Plain], Any], plain: Plain) -> dict[str, Any]:
    if type(plain) is not dict:
        raise _DoesNotFit
    return {str(key): inner(value) for key, value in plain.items()}


def check_plain(plain: Plain, path: str = "", *, whole_texts: bool = False, depth: int = 0) -> None:
    """Raise BadRecord, naming the key, unless JSON can hold this data: TOML also has dates, nan and inf.

    With `whole_texts`, strings must be valid as file names and arguments.
    """
    if depth > MOST_LEVELS:
        raise BadRecord(path[:60], f"is nested more than {MOST_LEVELS} levels deep")
    if isinstance(plain, Mapping):
        for key, item in plain.items():
            check_plain(item, _join(path, key), whole_texts=whole_texts, depth=depth + 1)
    elif isinstance(plain, list | tuple):
        for position, item in enumerate(plain):
            check_plain(item, f"{path}[{position}]", whole_texts=whole_texts, depth=depth + 1)
    elif isinstance(plain, float) and not math.isfinite(plain):
        raise BadRecord(path, f"expected a finite number, got {plain}")
    elif isinstance(plain, int) and not -INTEGER_LIMIT <= plain < INTEGER_LIMIT:
        raise BadRecord(path, f"expected a 64-bit integer, got {_show(plain)}")
    elif whole_texts and isinstance(plain, str) and ("\0" in plain or _has_half_characters(plain)):
        raise BadRecord(path, f"expected a string without NUL bytes and lone surrogates, got {_show(plain)}")
    elif plain is not None and not isinstance(plain, str | int | float):
        raise BadRecord(path, f"expected a string, a number, true or false, a list or a table, got {_show(plain)}")


def _has_half_characters(text: str) -> bool:
    try:
        # File names that are not UTF-8 come from the command line as escaped bytes, and are valid.
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return True
    return False


def _decode_record(cls: type, plain: Plain, kinds: Kinds | None, path: str) -> Any:
    if isinstance(plain, str) and hasattr(cls, "short_form"):
        plain = {cls.short_form: plain}
    if not isinstance(plain, Mapping):
        raise BadRecord(path, f"expected a table of settings, got {_show(plain)}")
    hints = hints_of(cls)
    values: dict[str, Any] = {}
    for key, value in plain.items():
        if key == "kind" and hasattr(cls, "kind"):
            continue
        if key in (retired := getattr(cls, "retired", {})):
            # Stored configurations may still have it, at its default.
            default, instead = retired[key]
            if value != default:
                raise BadRecord(_join(path, key), f"is no longer a setting. {instead}")
            continue
        if key not in hints:
            known = ", ".join(hints) or "none"
            raise BadRecord(_join(path, str(key)[:60]), f"unknown key.{did_you_mean(str(key), hints)} Known: {known}.")
        values[key] = _decode(hints[key], value, kinds, _join(path, key))
    for field in dataclasses.fields(cls):
        if field.name in values:
            _check_range(field, values[field.name], _join(path, field.name))
        elif field.init and default_of(field) is _MISSING:
            raise BadRecord(_join(path, field.name), "is missing")
    try:
        return cls(**values)
    except (ValueError, OverflowError) as problem:
        raise BadRecord(path, str(problem)) from problem
    except OSError as problem:
        # Some constructors open the files that they name.
        raise BadRecord(path, f"names a file that cannot be used ({problem.strerror or problem})") from problem


def _decode(hint: Any, plain: Plain, kinds: Kinds | None, path: str) -> Any:
    group = kind_group(hint)
    if group is not None:
        return _decode_kind(group, plain, kinds, path)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _decode_record(hint, plain, kinds, path)
    if hint in _SCALARS:
        return _scalar(hint, plain, path)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        if plain not in arguments:
            raise BadRecord(path, f"expected one of {', '.join(map(repr, arguments))}, got {_show(plain)}")
        return plain
    if origin is tuple:
        return _decode_tuple(arguments, plain, kinds, path)
    if origin in (Union, types.UnionType):
        return _decode_union(arguments, plain, kinds, path)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(plain, Mapping):
            raise BadRecord(path, f"expected a table, got {_show(plain)}")
        return {str(key): _decode(arguments[1], item, kinds, _join(path, key)) for key, item in plain.items()}
    raise BadRecord(path, f"has a type that cannot be read from JSON: {hint}")


def _decode_kind(group: str, plain: Plain, kinds: Kinds | None, path: str) -> Any:
    if isinstance(plain, str):
        plain = {"kind": plain}
    if not isinstance(plain, Mapping) or not isinstance(plain.get("kind"), str):
        raise BadRecord(path, f'expected a name of {group}, or a table with its "kind", got {_show(plain)}')
    if kinds is None:
        raise BadRecord(path, f"{group} can only be read with the catalog")
    return _decode_record(kinds(group, plain["kind"]), plain, kinds, path)


def _decode_tuple(arguments: tuple[Any, ...], plain: Plain, kinds: Kinds | None, path: str) -> tuple[Any, ...]:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        # One value stands for a list of one, so that `--set deeptest.blur=2` reads naturally.
        items = plain if isinstance(plain, list | tuple) else [plain]
        return tuple(_decode(arguments[0], item, kinds, f"{path}[{i}]") for i, item in enumerate(items))
    if not isinstance(plain, list | tuple) or len(plain) != len(arguments):
        raise BadRecord(path, f"expected a list of {len(arguments)}, got {_show(plain)}")
    pairs = enumerate(zip(arguments, plain, strict=True))
    return tuple(_decode(hint, item, kinds, f"{path}[{i}]") for i, (hint, item) in pairs)


def _decode_union(arguments: tuple[Any, ...], plain: Plain, kinds: Kinds | None, path: str) -> Any:
    if plain is None and type(None) in arguments:
        return None
    problems: list[BadRecord] = []
    for hint in arguments:
        if hint is type(None):
            continue
        try:
            return _decode(hint, plain, kinds, path)
        except BadRecord as problem:
            problems.append(problem)
    if len(problems) == 1:
        raise problems[0]
    raise BadRecord(path, " or ".join(problem.problem for problem in problems))


_SCALARS: Mapping[Any, str] = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


def _scalar(hint: type, plain: Plain, path: str) -> Any:
    is_bool = isinstance(plain, bool)
    if hint is float and isinstance(plain, int | float) and not is_bool and _is_finite(plain):
        return float(plain)
    if isinstance(plain, hint) and (hint is bool or not is_bool) and hint is not float:
        return plain
    raise BadRecord(path, f"expected {_SCALARS[hint]}, got {_show(plain)}")


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def _check_range(field: dataclasses.Field[Any], value: Any, path: str) -> None:
    least, most = field.metadata.get("least"), field.metadata.get("most")
    for number in value if isinstance(value, tuple) else (value,):
        if not isinstance(number, int | float):
            continue
        if least is not None and number < least:
            raise BadRecord(path, f"must be at least {least:g}, got {_show(number)}")
        if most is not None and number > most:
            raise BadRecord(path, f"must be at most {most:g}, got {_show(number)}")


def _join(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def _show(plain: Plain) -> str:
    try:
        text = repr(plain)
    except (ValueError, RecursionError):
        # Python refuses to print integers of thousands of digits.
        return f"a {type(plain).__name__} that is too large to show"
    return text if len(text) <= 60 else text[:57] + "..."
