"""Shards of a run made into the run that a single machine would have made: same rows, same order, same digests."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from anamorph.engine.causes import causes_stage
from anamorph.errors import RunError, UsageError
from anamorph.store.omissions import write_omissions
from anamorph.store.run import LOCK_FILE, RunStore, held_still
from anamorph.store.shard_rows import ShardFolder, copy_shards, prepare_copy
from anamorph.store.signing import FACT as SIGNATURE
from anamorph.studies.merge.belonging import ShardFacts, merged_facts, merged_omissions, require_belonging


def merge_runs(folders: Sequence[Path], out: Path) -> None:
    """Make the run that shards make up, in the folder `out`, which appears whole or not at all.

    Shards are read one at a time, row by row, under a lock. One that is damaged is refused, and so is a
    run that would be. The run is this user's own only if all of its shards are.
    """
    if not folders:
        raise UsageError(
            "Nothing to merge. Give the runs of all shards, such as `anamorph research merge RUN RUN -o OUT`."
        )
    with contextlib.ExitStack() as held:
        for folder in dict.fromkeys(folder.absolute() for folder in folders):
            held.enter_context(held_still(folder))
        _merge(folders, out)


def _merge(folders: Sequence[Path], out: Path) -> None:
    shards = []
    for folder in folders:
        with RunStore.open(folder.absolute(), read_only=True) as store:
            shards.append(ShardFacts.read(store))
            store.require_sound()
    shards.sort(key=lambda shard: shard.note.index)
    require_belonging(shards)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out}: is there already. Choose another folder with --out.")
    with _draft_folder(out) as draft:
        with RunStore.create(draft, merged_facts(shards, out)) as store:
            _fill(store, shards)
            store.require_sound()
        (draft / LOCK_FILE).unlink(missing_ok=True)
        if out.exists():
            out.rmdir()
        draft.rename(out)


@contextlib.contextmanager
def _draft_folder(out: Path) -> Iterator[Path]:
    """A folder beside `out` to work in; what a merge left that was killed is removed first."""
    draft = out.absolute().with_name(f".{out.name}.merging")
    draft.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(draft.with_name(f"{draft.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout as problem:
        raise RunError(f"{out}: another process is merging runs into it. Wait for it, or stop it.") from problem
    try:
        shutil.rmtree(draft, ignore_errors=True)
        try:
            yield draft
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    finally:
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)


def _fill(store: RunStore, shards: Sequence[ShardFacts]) -> None:
    methods = list(shards[0].config.get("methods", []))
    prepare_copy(store)
    with store.transaction():
        copy_shards(store, [ShardFolder(each.folder, each.note.index, each.note.whole) for each in shards], methods)
        write_omissions(store, merged_omissions(shards, methods))
        if not all(shard.own for shard in shards):
            store.forget_fact(SIGNATURE)
    if shards[0].pool is not None:
        with RunStore.open(shards[0].folder, read_only=True) as source:
            shutil.copytree(source.cutouts, store.cutouts)
    # A cause is of one scene, but their order and the patterns are of all.
    causes_stage(store)
