"""`anamorph list labels`: label spaces of the user's own."""

from __future__ import annotations

from pathlib import Path

import click

from anamorph.cli.choices import label_sets
from anamorph.cli.groups import WholeSummaryGroup
from anamorph.cli.options import FILE, PATH, out_option
from anamorph.cli.terminal import echo
from anamorph.errors import BadPicture, UsageError
from anamorph.model import Label, LabelSpace
from anamorph.photos.files import read_text
from anamorph.reading.labels import SHIPPED, label_space
from anamorph.reading.proposals import Proposal, as_toml, propose

_MOST_BYTES = 10_000_000


@click.group(cls=WholeSummaryGroup)
def labels() -> None:
    """Label spaces of your own: the classes of your data, and the words that captions use for them."""


@labels.command(
    "propose",
    epilog="""\b
Examples:
  anamorph list labels propose classes.txt -o mine.toml
  anamorph list labels propose --scenes coco:instances.json,images=photos -o mine.toml
  anamorph list labels propose mine.toml
  anamorph run --set labels=mine.toml ...""",
)
@click.argument("file", metavar="[FILE]", required=False, type=PATH)
@click.option("--scenes", "-s", metavar="KIND:...", help="Take the classes that annotations have, as for `run`.")
@out_option(FILE, "FILE", "Write it here.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def propose_words(file: Path | None, scenes: str | None, out: Path | None, force: bool) -> None:
    """Propose words from WordNet for the classes of your own data, as a file to be edited.

    FILE has one class a line, or is a label space (.toml, .json), whose own words are kept; --scenes takes the classes
    of annotated photos. A class that means one of COCO's takes over its words. `is` gets words that mean the class,
    `may_be` words that mean something else first or belong to two of your classes, `is_not` phrases that only end in
    its name.
    """
    space = _with_classes_of(scenes, None if file is None else _space(file))
    if out is not None and out.exists() and not force:
        raise UsageError(f"{out}: is there already. Use --force to write over it, or another name.")
    proposals = propose(space)
    text = as_toml(space.name, proposals)
    if out is None:
        for line in text.splitlines():
            echo(line)
    else:
        out.write_text(text, encoding="utf-8")
        echo(f"Written: {out}. {_summary(proposals)}")


def _with_classes_of(scenes: str | None, space: LabelSpace | None) -> LabelSpace:
    """A label space and the classes of some scenes that it lacks."""
    if scenes is None:
        if space is None:
            raise UsageError(
                "Name a FILE with one class a line, or --scenes KIND:... to take those of annotated photos."
            )
        return space
    found = dict.fromkeys(label for labels in label_sets(scenes, "--scenes") for label in labels)
    if not found:
        raise UsageError(f"--scenes {scenes}: no photo has an annotated object or a label.")
    known = () if space is None else space.labels
    names = {label.name for label in known}
    added = tuple(Label(name) for name in sorted(found) if name not in names)
    return LabelSpace("mine" if space is None else space.name, (*known, *added))


def _space(file: Path) -> LabelSpace:
    if str(file) in SHIPPED or file.suffix.lower() in (".toml", ".json"):
        return label_space(str(file))
    try:
        lines = read_text(file, _MOST_BYTES).splitlines()
    except BadPicture as problem:
        raise UsageError(
            f"{problem} Give a text file with one class a line, or a .toml or .json label space."
        ) from problem
    names = dict.fromkeys(name for line in lines if (name := " ".join(line.split())) and not name.startswith("#"))
    if not names:
        raise UsageError(f"{file}: names no class; write one a line.")
    return LabelSpace(file.stem, tuple(map(Label, names)))


def _summary(proposals: tuple[Proposal, ...]) -> str:
    unknown = [each.label.name for each in proposals if not each.known]
    own = [each.label for each in proposals if each.label.like is None]
    words = sum(len(label.words) + len(label.may_be) + len(label.is_not) for label in own)
    taken = len(proposals) - len(own)
    note = f" Not in WordNet: {', '.join(unknown[:10])}{' and others' if len(unknown) > 10 else ''}." if unknown else ""
    return f"{len(proposals)} classes: {taken} take over the words of a COCO class, {words} words for the others.{note}"
