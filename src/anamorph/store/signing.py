"""Whether this user made a run on this machine: its configuration is signed with a key in the user's data folder."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from anamorph.model import canonical_json

if TYPE_CHECKING:
    from anamorph.store.run import RunStore

KEY_VARIABLE = "ANAMORPH_KEY"
_KEY_BYTES = 32
FACT = "signature"
# Relative paths in a configuration depend on the directory, so both are signed.
_SIGNED = ("config", "directory")


def key_file() -> Path:
    """The file that ANAMORPH_KEY names, or one in the user's data folder; it need not exist."""
    import platformdirs

    named = os.environ.get(KEY_VARIABLE)
    return Path(named) if named else platformdirs.user_data_path("anamorph", appauthor=False) / "run.key"


def sign(store: RunStore) -> None:
    """Sign the configuration of a run as this user's; the caller holds the transaction.

    Where no key can be kept, the run has no signature, and is treated like another user's run.
    """
    key = _read_key() or _make_key()
    if key is not None:
        store.set_fact(FACT, _signature(store, key))


def is_own(store: RunStore) -> bool:
    """Whether this user signed the configuration of a run, on this machine."""
    key, found = _read_key(), store.fact(FACT)
    if key is None or not isinstance(found, str) or not found.isascii():
        return False
    return hmac.compare_digest(found, _signature(store, key))


def _signature(store: RunStore, key: bytes) -> str:
    # The stored strings, not their parsed values: parsers may disagree about a forged one.
    rows = store.connection.execute("SELECT name, value FROM facts WHERE name IN (?, ?) ORDER BY name", _SIGNED)
    message = canonical_json([[str(name), str(value)] for name, value in rows])
    return hmac.new(key, message.encode("ascii"), hashlib.sha256).hexdigest()


def _read_key() -> bytes | None:
    try:
        key = key_file().read_bytes()
    except OSError:
        return None
    return key if len(key) == _KEY_BYTES else None


def _make_key() -> bytes | None:
    """A new key, written atomically, for this user alone; another process that is faster wins."""
    file = key_file()
    draft = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(descriptor, secrets.token_bytes(_KEY_BYTES))
        finally:
            os.close(descriptor)
        with contextlib.suppress(FileExistsError):
            os.link(draft, file)
    except OSError:
        return None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()
    return _read_key()
