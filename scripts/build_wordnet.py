"""Packs WordNet 3.0 nouns, and how often each word is which part of speech, into src/anamorph/reading/wordnet.bin.

Needs Debian's `wordnet-base` (apt-get install wordnet-base):

    python scripts/build_wordnet.py [/usr/share/wordnet]

The same input gives the same bytes. The layout is described in src/anamorph/reading/wordnet.py, which reads it.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "src" / "anamorph" / "reading" / "wordnet.bin"
MAGIC = b"ANAMWN1\n"
PARTS = {"1": "noun", "2": "verb", "3": "adj", "4": "adv", "5": "adj"}
ORDER = ("noun", "verb", "adj", "adv")


def lines(path: Path) -> Iterator[str]:
    """The lines of a WordNet file without its licence, which is indented by two spaces."""
    with path.open(encoding="ascii") as file:
        yield from (line.rstrip("\n") for line in file if not line.startswith("  "))


def text_name(lemma: str) -> str:
    return lemma.replace("_", " ").lower()


def synsets(source: Path) -> dict[str, tuple[list[str], list[str]]]:
    """Offset -> (names, offsets of hypernyms), as data.noun has them."""
    found = {}
    for line in lines(source / "data.noun"):
        fields = line.partition(" | ")[0].split()
        count = int(fields[3], 16)
        names = fields[4 : 4 + 2 * count : 2]
        pointers = fields[5 + 2 * count :]
        # "@i" (an instance: Mungo Park is an explorer) is left out: captions write no names that need it.
        above = [pointers[i + 1] for i in range(0, len(pointers) - 3, 4) if pointers[i] == "@"]
        found[fields[0]] = ([text_name(name) for name in names], above)
    return found


def senses(source: Path) -> dict[str, list[str]]:
    """Noun -> offsets of its synsets, the most frequent sense first."""
    found = {}
    for line in lines(source / "index.noun"):
        fields = line.split()
        found[text_name(fields[0])] = fields[-int(fields[2]) :]
    return found


def part_counts(source: Path) -> dict[str, list[int]]:
    """Single word -> for noun, verb, adjective and adverb: 0 if never, else 1 + how often in WordNet's tagged texts."""
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for part in ORDER:
        for line in lines(source / f"index.{part}"):
            lemma = line.split(" ", 1)[0]
            if "_" not in lemma:
                counts[lemma.lower()].setdefault(part, 0)
    with (source / "cntlist.rev").open(encoding="ascii") as file:
        for line in file:
            key, _, count = line.split()
            lemma, _, rest = key.partition("%")
            if "_" not in lemma:
                part = PARTS[rest[0]]
                counts[lemma.lower()][part] = counts[lemma.lower()].get(part, 0) + int(count)
    return {
        word: [min(255, 1 + parts[part]) if part in parts else 0 for part in ORDER] for word, parts in counts.items()
    }


def exceptions(path: Path) -> bytes:
    pairs: dict[str, str] = {}
    for line in lines(path):
        inflected, *stems = line.split()
        if "_" not in inflected:
            pairs.setdefault(inflected, stems[0])
    return "".join(f"{form} {stem}\n" for form, stem in sorted(pairs.items())).encode("ascii")


def blob(words: Iterable[str]) -> bytes:
    return "\n".join(words).encode("ascii")


def rows(lists: Iterable[list[int]]) -> tuple[bytes, bytes]:
    """Lists of numbers as one array, and where each begins."""
    values, starts = array("I"), array("I", [0])
    for numbers in lists:
        values.extend(numbers)
        starts.append(len(values))
    return as_bytes(values), as_bytes(starts)


def as_bytes(numbers: array[int]) -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def build(source: Path) -> bytes:
    concepts, nouns, counts = synsets(source), senses(source), part_counts(source)
    lemmas = sorted(nouns)
    place = {lemma: position for position, lemma in enumerate(lemmas)}
    number = {offset: position for position, offset in enumerate(concepts)}
    words = sorted(counts)

    sections: dict[str, bytes] = {}
    sections["lemmas"] = blob(lemmas)
    sections["senses"], sections["sense_starts"] = rows([number[o] for o in nouns[lemma]] for lemma in lemmas)
    sections["above"], sections["above_starts"] = rows([number[o] for o in above] for _, above in concepts.values())
    sections["names"], sections["name_starts"] = rows([place[n] for n in names] for names, _ in concepts.values())
    sections["words"] = blob(words)
    sections["parts"] = b"".join(bytes(counts[word]) for word in words)
    sections["plurals"] = exceptions(source / "noun.exc")
    sections["verb_forms"] = exceptions(source / "verb.exc")

    body = b""
    layout = {}
    for name, content in sections.items():
        body += b"\0" * (-len(body) % 4)
        layout[name] = [len(body), len(content)]
        body += content
    head = json.dumps(layout).encode("ascii")
    return MAGIC + struct.pack("<I", len(head)) + head + zlib.compress(body, 9)


def main() -> None:
    source = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/wordnet")
    packed = build(source)
    TARGET.write_bytes(packed)
    print(f"{TARGET}: {len(packed):,} bytes")


if __name__ == "__main__":
    main()
