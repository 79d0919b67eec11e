"""How fast captions and answers are read; run it as a script.

    python benchmarks/bench_reading.py

Distinct captions come from ../shared/captions/human.txt where it is there, else from sentences made here. Beside the
reader, a plain one in the same run: split at spaces, look each word up among the class words. The ratio of the two
says more than milliseconds on a busy machine do.
"""

from __future__ import annotations

import functools
import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.english import answer_reader, caption_reader

ANSWERS = Path(__file__).resolve().parents[1] / "tests" / "reading" / "gold" / "answers_hard_4.jsonl"
CAPTIONS = Path(__file__).resolve().parents[2] / "shared" / "captions" / "human.txt"


def captions() -> list[str]:
    if CAPTIONS.is_file():
        return list(dict.fromkeys(line for line in CAPTIONS.read_text("utf-8").split("\n") if line.strip()))
    people = ("a man", "two women", "a group of people", "several children", "a tennis player")
    deeds = (
        "holding a hot dog",
        "riding horses",
        "that is sitting on a bench",
        "walks past a stop sign",
        "wearing glasses",
    )
    places = ("near a bus stop", "in a snow covered field", "on the side of the road", "next to a pair of scissors")
    return [" ".join(words) for words in itertools.product(people, deeds, places)]


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def fresh(code: str) -> float:
    """Seconds of CPU that a fresh interpreter needs for `code`, less those for nothing."""

    def run(source: str) -> float:
        timed = f"import time\n{source}\nprint(time.process_time())"
        done = subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True)
        return float(done.stdout)

    return min(run(code) for _ in range(3)) - min(run("") for _ in range(3))


def main() -> None:
    print(f"import of the caption reader      {fresh('import anamorph.readers.english.caption'):8.3f} s")
    print(f"import of anamorph.model alone    {fresh('import anamorph.model'):8.3f} s")
    load = "from anamorph.reading.wordnet import taxonomy\ntaxonomy()"
    print(f"noun taxonomy, read from its file {fresh(load) - fresh('import anamorph.reading.wordnet'):8.3f} s")

    from anamorph.reading.labels import class_words, label_space
    from anamorph.reading.wordnet import taxonomy

    texts = captions()
    reader = caption_reader()
    wordnet = taxonomy()
    dog = wordnet.senses("dog")[0]
    closure = cpu_seconds(lambda: [wordnet.closure(dog) for _ in range(1000)]) * 1000
    print(f"closure of 'dog'                  {closure:8.1f} us")

    classes = class_words(label_space("coco"))

    def plain(text: str) -> list[str]:
        return [classes[word][0] for word in text.lower().replace(".", " ").split() if word in classes]

    first = cpu_seconds(lambda: [reader.read_text(text) for text in texts]) / len(texts) * 1000
    again = cpu_seconds(lambda: [reader.read_text(text) for text in texts]) / len(texts) * 1000
    base = cpu_seconds(lambda: [plain(text) for text in texts]) / len(texts) * 1000
    print(f"{len(texts)} distinct captions, first time {first:8.4f} ms each ({first / base:.0f} x plain)")
    print(f"the same again                    {again:8.4f} ms each ({again / base:.0f} x plain)")

    answers = answer_reader()
    asked = [(row["answer"], row["question"]) for row in map(json.loads, ANSWERS.read_text("utf-8").splitlines())]
    for text, question in asked:
        answers.read_text(text, question)
    each = [
        min(cpu_seconds(functools.partial(answers.read_text, text, question)) for _ in range(3))
        for text, question in asked
    ]
    print(f"{len(asked)} answers with questions, median {statistics.median(each) * 1000:8.4f} ms each")
    for name, text in (("sentences", "There are two dogs. "), ("a list", "1. A dog\n"), ("JSON", '{"dogs": ')):
        long_answer = text * (1_000_000 // len(text))
        took = cpu_seconds(functools.partial(answers.read_text, long_answer, "How many dogs are there?"))
        print(f"an answer of a megabyte, {name:9}{took:8.3f} s")

    long = " ".join(texts) * (1 + 1_000_000 // sum(map(len, texts)))
    for size in (250_000, 500_000, 1_000_000):
        print(
            f"a caption of {size:>9,} characters {cpu_seconds(functools.partial(reader.read_text, long[:size])):8.3f} s"
        )


if __name__ == "__main__":
    main()
