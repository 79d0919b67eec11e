"""Every parser of bytes that somebody else wrote: good inputs to damage, and what reads them.

What a parser may raise is an AnamorphError; anything else is a crash. Sources of scenes, HTTP systems, searchers and
rows of methods are found in the catalogue, so that a new one without an entry here fails a test.
"""

from __future__ import annotations

import io
import json
import pickle
import shutil
import sqlite3
import tarfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from PIL import Image

from anamorph import catalog
from anamorph.config import read_toml, resolve
from anamorph.errors import BadPicture
from anamorph.http.client import Client
from anamorph.http.messages import Reply, retry_after_seconds
from anamorph.model import Ask, MethodOptions, Query, ReadingKind, Scene, System, Term, decode, digest_of_text, encode
from anamorph.pools.folder import LIST_FILE, Pool
from anamorph.readers.llm.replies import Misfit, reading_of
from anamorph.reading.labels import label_space, parse_label_space
from anamorph.report.baseline.file import read_baseline
from anamorph.scenes.collection.manifest import MANIFEST_FILE
from anamorph.searchers.web.search import WebSearch
from anamorph.store.causes import cause_digest
from anamorph.store.images import ImageFolder
from anamorph.store.marks import read_marks
from anamorph.studies.export.files import read_captions
from anamorph.studies.judge.files import BadLine, RecordedLine, rows_of
from anamorph.studies.judge.judge import TranscriptJudge
from anamorph.studies.judge.published import Repository, published_rows
from anamorph.studies.judge.workbooks import first_sheet
from anamorph.studies.relevance.files import read_judgements
from anamorph.studies.study.results import read_results
from anamorph.studies.study.study import read_study
from anamorph.systems.bedrock import BedrockSystem
from anamorph.systems.command.system import _Talk
from anamorph.systems.recorded.system import RecordedSystem
from anamorph.systems.rekognition import RekognitionSystem
from tests.hostile import closed_answers
from tests.hostile.commands import reading_commands, run_command
from tests.hostile.configurations import make, odd_configuration, odd_places
from tests.hostile.mutations import ODD_VALUES, damaged, odd_json
from tests.hostile.runs import forge, small_run, tear
from tests.scenes.collections import entry
from tests.studies.judge.workbooks import workbook
from tests.systems.faults import services
from tests.systems.servers import SECRET


@dataclass(frozen=True)
class Parser:
    """A parser: how an input is made, and how it is read."""

    name: str
    make: Callable[[Random], bytes]
    read: Callable[[bytes], object]


class Crash(AssertionError):
    """A command that failed in a way that nobody foresaw."""


def _from_json(plain: Any) -> Callable[[Random], bytes]:
    return lambda rng: odd_json(plain, rng)


def _from_lines(lines: list[Any]) -> Callable[[Random], bytes]:
    """Some good lines and some odd ones."""

    def make(rng: Random) -> bytes:
        some = [odd_json(line, rng) if rng.random() < 0.6 else json.dumps(line).encode() for line in lines]
        content = b"\n".join(some) + b"\n"
        return damaged(content, rng) if rng.random() < 0.3 else content

    return make


def _from_bytes(content: bytes) -> Callable[[Random], bytes]:
    return lambda rng: damaged(content, rng)


# --- scenes ----------------------------------------------------------------------------------------------------------

COCO = {
    "images": [{"id": 1, "file_name": "a.png", "width": 48, "height": 32, "license": 1, "flickr_url": "http://x/"}],
    "annotations": [
        {
            "id": 1,
            "image_id": 1,
            "category_id": 1,
            "bbox": [4, 4, 20, 20],
            "iscrowd": 0,
            "area": 400.0,
            "segmentation": [[4, 4, 24, 4, 24, 24, 4.5, 24]],
        },
        {
            "id": 2,
            "image_id": 1,
            "category_id": 1,
            "bbox": [0, 0, 48, 32],
            "iscrowd": 1,
            "segmentation": {"size": [32, 48], "counts": [100, 50, 1386]},
        },
        {
            "id": 3,
            "image_id": 1,
            "category_id": 1,
            "bbox": [0, 0, 8, 8],
            "iscrowd": 0,
            "segmentation": {"size": [32, 48], "counts": "T3b1Z1"},
        },
        {"id": 4, "image_id": 1, "caption": "a dog"},
    ],
    "categories": [{"id": 1, "name": "dog"}],
    "licenses": [{"id": 1, "name": "CC BY", "url": "http://y/"}],
}
PANOPTIC = {
    "images": [{"id": 1, "file_name": "a.png", "width": 48, "height": 32}],
    "annotations": [
        {
            "image_id": 1,
            "file_name": "a.png",
            "segments_info": [
                {"id": 1, "category_id": 187, "iscrowd": 0, "bbox": [0, 0, 48, 32], "area": 9},
                {"id": 65793, "category_id": 1, "iscrowd": 0, "bbox": [0, 0, 48, 32], "area": 9},
            ],
        }
    ],
    "categories": [
        {"id": 1, "name": "dog", "isthing": 1, "color": [1, 2, 3]},
        {"id": 187, "name": "sky-other-merged", "isthing": 0, "color": [1, 2, 3]},
    ],
}
LABELME = {
    "version": "5.0",
    "imagePath": "a.png",
    "imageWidth": 48,
    "imageHeight": 32,
    "imageData": None,
    "shapes": [
        {
            "label": "dog",
            "points": [[2, 2], [20, 2], [20, 20]],
            "shape_type": "polygon",
            "group_id": 1,
            "flags": {"x": True},
        },
        {"label": "dog", "points": [[2, 2], [20, 20]], "shape_type": "rectangle", "group_id": None, "flags": {}},
        {"label": "cat", "points": [[20, 16], [26, 16]], "shape_type": "circle", "group_id": None},
    ],
}
GRAPHS = {
    "a": {
        "width": 48,
        "height": 32,
        "location": "park",
        "objects": {
            "1": {"name": "dog", "x": 4, "y": 4, "w": 20, "h": 20, "attributes": ["brown"], "relations": []},
            "2": {"name": "man", "x": 8, "y": 2, "w": 9, "h": 28, "relations": [{"object": "1", "name": "holding"}]},
        },
    }
}
QUESTIONS = {
    "questions": [{"image_id": 1, "question_id": 10, "question": "How many dogs are in the image?"}],
    "data_subtype": "val2014",
}
VOC = b"""<?xml version="1.0" encoding="utf-8"?>
<annotation><folder>VOC</folder><filename>a.png</filename><source><database>PASCAL</database></source>
<size><width>48</width><height>32</height><depth>3</depth></size><segmented>0</segmented>
<object><name>dog</name><pose>Left</pose><truncated>1</truncated><difficult>0</difficult>
<bndbox><xmin>2</xmin><ymin>3</ymin><xmax>20</xmax><ymax>21</ymax></bndbox></object>
<object><name>cat</name><bndbox><xmin>1.5</xmin><ymin>3</ymin><xmax>20</xmax><ymax>21</ymax></bndbox></object>
</annotation>
"""


def _photo(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(1).integers(0, 256, (32, 48, 3), dtype=np.uint8)
    Image.fromarray(noise).save(folder / "a.png")
    return folder


def _scanning(text: str, file: Path) -> Callable[[bytes], object]:
    """Reads all scenes of a source after one of its files got this content."""

    def read(content: bytes) -> object:
        file.write_bytes(content)
        source = resolve({"scenes": text}).scenes()
        return list(source.scan())

    return read


def _scene_parsers(folder: Path) -> Iterator[Parser]:
    coco = _photo(folder / "coco")
    yield Parser("coco", _from_json(COCO), _scanning(f"coco:{coco}/i.json,images={coco}", coco / "i.json"))
    fiftyone = _photo(folder / "fiftyone")
    dog = {"label": "dog", "bounding_box": [0.1, 0.2, 0.5, 0.5], "confidence": 0.75}
    sample = {"filepath": "a.png", "tags": ["photo"], "ground_truth": {"_cls": "Detections", "detections": [dog]}}
    samples = _from_json({"samples": [sample]})
    yield Parser("fiftyone", samples, _scanning(f"fiftyone:{fiftyone}", fiftyone / "samples.json"))
    captions = {"annotations": [{"id": 9, "image_id": 1, "caption": "a dog"}]}
    (coco / "good.json").write_text(json.dumps(COCO))
    text = f"coco:{coco}/good.json,images={coco},captions={coco}/c.json"
    yield Parser("coco captions", _from_json(captions), _scanning(text, coco / "c.json"))
    panoptic = _photo(folder / "panoptic")
    (panoptic / "good.json").write_text(json.dumps(COCO))
    (panoptic / "p").mkdir()
    noise = np.random.default_rng(2).integers(0, 3, (32, 48, 3), dtype=np.uint8)
    Image.fromarray(noise).save(panoptic / "p" / "a.png")
    (panoptic / "p.json").write_text(json.dumps(PANOPTIC))
    text = f"coco:{panoptic}/good.json,images={panoptic},panoptic={panoptic}/p.json"
    maps = _from_bytes((panoptic / "p" / "a.png").read_bytes())
    yield Parser("coco panoptic map", maps, _scanning(text, panoptic / "p" / "a.png"))
    text = f"coco:{panoptic}/good.json,images={panoptic},panoptic={panoptic}/q.json,panoptic_maps={panoptic}/p"
    yield Parser("coco panoptic", _from_json(PANOPTIC), _scanning(text, panoptic / "q.json"))
    (panoptic / "stuff").mkdir()
    Image.fromarray(noise[..., 0] + 91).save(panoptic / "stuff" / "a.png")
    text = f"coco:{panoptic}/good.json,images={panoptic},stuff={panoptic}/stuff"
    maps = _from_bytes((panoptic / "stuff" / "a.png").read_bytes())
    yield Parser("coco-stuff map", maps, _scanning(text, panoptic / "stuff" / "a.png"))
    voc = folder / "voc"
    _photo(voc / "JPEGImages")
    (voc / "Annotations").mkdir()
    yield Parser("voc", _from_bytes(VOC), _scanning(f"voc:{voc}", voc / "Annotations" / "a.xml"))
    labelme = _photo(folder / "labelme")
    yield Parser("labelme", _from_json(LABELME), _scanning(f"labelme:{labelme}", labelme / "a.json"))
    graphs = _photo(folder / "graphs")
    text = f"scene-graph:{graphs}/g.json,images={graphs}"
    yield Parser("scene-graph", _from_json(GRAPHS), _scanning(text, graphs / "g.json"))
    text = f"coco:{coco}/good.json,images={coco},questions={coco}/q.json"
    yield Parser("questions", _from_json(QUESTIONS), _scanning(text, coco / "q.json"))
    splits = {"images": [{"split": "test", "cocoid": 1, "filename": "a.png"}, {"split": "val", "filename": "b.png"}]}
    text = f"coco:{coco}/good.json,images={coco},splits={coco}/s.json,split=test"
    yield Parser("splits", _from_json(splits), _scanning(text, coco / "s.json"))
    text = f"coco:{coco}/good.json,images={coco},ids={coco}/ids.txt"
    yield Parser("ids", _from_bytes(b"1\n# more\n"), _scanning(text, coco / "ids.txt"))
    collection = _photo(folder / "collection")
    lines = [encode(entry("a.png", labels)) for labels in (("cat",), ("cat", "dog"))]
    yield Parser("collection", _from_lines(lines), _scanning(f"collection:{collection}", collection / MANIFEST_FILE))
    shards = _photo(folder / "webdataset")
    yield Parser("webdataset", _from_bytes(_tar(shards / "a.png")), _decoding(f"webdataset:{shards}", shards / "x.tar"))
    tables = _photo(folder / "parquet")
    yield Parser(
        "parquet", _from_bytes(_parquet(tables / "a.png")), _decoding(f"parquet:{tables}", tables / "x.parquet")
    )
    # The same bytes from elsewhere: of what is not on this machine, the head is read first.
    yield Parser("photo elsewhere", _from_bytes((coco / "a.png").read_bytes()), _remote_photo)
    index = f"folder:{coco},index={coco}/index.txt"
    yield Parser("index", _from_bytes(b"# names\na.png\nx/../a.png\n"), _scanning(index, coco / "index.txt"))
    photos = _photo(folder / "folder")
    yield Parser("folder", _from_bytes((photos / "a.png").read_bytes()), _photos(photos))


def _tar(photo: Path) -> bytes:
    notes = {"caption": "a dog", "objects": [{"bbox": [4, 4, 20, 20], "label": "dog"}]}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in (
            ("a.png", photo.read_bytes()),
            ("a.json", json.dumps(notes).encode()),
            ("a.cls", b"dog"),
            (f"{'long/' * 30}b.png", photo.read_bytes()),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def _parquet(photo: Path) -> bytes:
    import pyarrow
    import pyarrow.parquet

    row = {
        "image": {"bytes": photo.read_bytes(), "path": "a.png"},
        "caption": ["a dog"],
        "objects": {"bbox": [[4.0, 4.0, 20.0, 20.0]], "category": [0]},
    }
    features = {"objects": {"category": {"names": ["dog"], "_type": "ClassLabel"}}}
    table = pyarrow.Table.from_pylist([row] * 3)
    described = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(described, buffer, row_group_size=2)
    return buffer.getvalue()


def _decoding(text: str, file: Path) -> Callable[[bytes], object]:
    """Reads all scenes of a source and their pixels after one of its files got this content."""

    def read(content: bytes) -> object:
        file.write_bytes(content)
        source = resolve({"scenes": text}).scenes()
        found = []
        for item in source.scan():
            if isinstance(item, Scene):
                with suppress(BadPicture):
                    found.append(source.pixels(item))
        return found

    return read


def _photos(folder: Path) -> Callable[[bytes], object]:
    def read(content: bytes) -> object:
        (folder / "a.png").write_bytes(content)
        source = resolve({"scenes": f"folder:{folder}"}).scenes()
        return [source.pixels(item) for item in source.scan() if isinstance(item, Scene)]

    return read


def _remote_photo(content: bytes) -> object:
    import fsspec

    fsspec.filesystem("memory").pipe_file("/anamorph-hostile/a.png", content)
    source = resolve({"scenes": "folder:memory://anamorph-hostile"}).scenes()
    return [source.pixels(item) for item in source.scan() if isinstance(item, Scene)]


# --- systems ---------------------------------------------------------------------------------------------------------


def _asks(folder: Path, count: int = 2) -> list[Ask]:
    def load() -> Any:
        raise AssertionError("nobody looks")

    path = _photo(folder) / "a.png"
    return [Ask(digest_of_text(str(number)), None, path, load) for number in range(count)]


def _headers(rng: Random) -> dict[str, str]:
    odd = ["1e999", "-1", "nan", "9" * 5000, "Wed, 21 Oct 2015 07:28:00 GMT", "", "\x00", "Wed, 99 Oct 99999 07:28"]
    return {"retry-after": rng.choice(odd), "retry-after-ms": rng.choice(odd), "date": rng.choice(odd)}


def _http_parsers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Parser]:
    """Whatever a service may reply, for every service of every system that calls one over our client."""
    came: list[Reply] = []
    monkeypatch.setattr(Client, "send", lambda *_: came[-1])
    (item,) = _asks(folder / "http", 1)
    for service in services():
        service.log_in(monkeypatch)
        text = service.text("http://127.0.0.1:9")
        system: System = resolve({"system": text}).system()
        if isinstance(system, RekognitionSystem | BedrockSystem):
            yield Parser(f"reply of {service.name}", _any_of([service.good, *service.wrong]), _aws(system))
            continue

        def read(content: bytes, system: System = system) -> object:
            rng = Random(len(content))
            headers = _headers(rng)
            retry_after_seconds(headers)
            came.append(Reply(rng.choice((200, 200, 200, 200, 400, 401, 429, 500, 999)), headers, content))
            del came[:-1]
            (result,) = system.ask([item], 1.0)
            assert SECRET not in repr(result)
            return result

        shapes = [
            service.good,
            *service.wrong,
            *(body for body, _ in service.inside),
            *(b for _, b in service.declining),
        ]
        yield Parser(f"reply of {service.name}", _any_of(shapes), read)


def _aws(system: RekognitionSystem | BedrockSystem) -> Callable[[bytes], object]:
    """What is ours of a reply: boto3 calls the service, and has it checked before it reads it."""

    def read(content: bytes) -> object:
        status = Random(len(content)).choice((200, 200, 200, 400, 500))
        system._operation.check_reply({"status_code": status, "body": content})
        return None

    return read


def _any_of(shapes: list[Any]) -> Callable[[Random], bytes]:
    def make(rng: Random) -> bytes:
        shape = rng.choice(shapes)
        return damaged(shape, rng) if isinstance(shape, bytes) else odd_json(shape, rng)

    return make


def _round_parsers(folder: Path, items: list[Ask]) -> Iterator[Parser]:
    """Further rounds of recorded answers: a file beside that of the first round, in our form or in a provider's."""
    one, two = (item.id for item in items)
    folder.mkdir()
    (folder / "first.jsonl").write_text(json.dumps({"id": one, "text": "a dog"}) + "\n")
    again = folder / "again.jsonl"
    chat = {"choices": [{"message": {"content": "2"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}
    message = {"content": [{"type": "text", "text": "2"}], "stop_reason": "end_turn", "usage": {"input_tokens": 3}}
    said = {"output": [{"type": "message", "content": [{"type": "output_text", "text": "2"}]}], "status": "completed"}
    lines: list[Any] = [
        {"id": two, "text": "yes", "attempt": 1},
        {"custom_id": two, "response": {"status_code": 200, "body": chat}, "error": None},
        {"custom_id": f"{two}-1", "response": {"status_code": 200, "body": said}},
        {"custom_id": f"{one}-2", "response": {"status_code": 400, "body": {"error": {"message": "no"}}}},
        {"custom_id": f"{one}-3", "response": None, "error": {"code": "batch_expired", "message": "late"}},
        {"custom_id": f"{two}-4", "result": {"type": "succeeded", "message": message}},
        {"custom_id": f"{two}-5", "result": {"type": "errored", "error": {"error": {"message": "busy"}}}},
    ]

    def read(content: bytes) -> object:
        again.write_bytes(content)
        system = RecordedSystem(str(folder))
        asks = [replace(item, attempt=attempt) for item in items for attempt in range(6)]
        return system.ask(asks, 1.0), [system.offline(ask.id, ask.attempt) for ask in asks]

    yield Parser("recorded rounds", _from_lines(lines), read)


def _line_parsers(folder: Path) -> Iterator[Parser]:
    items = _asks(folder / "lines")
    lines: list[Any] = [
        {"id": items[0].id, "text": "a dog"},
        {"id": items[1].id, "labels": {"dog": 0.5, "cat": 1}, "attempt": 0},
        {"id": items[1].id, "error": "busy", "retryable": True},
    ]

    def talk(content: bytes) -> object:
        heard = _Talk(None, items)  # type: ignore[arg-type]
        for line in content.split(b"\n"):
            heard._take(line)
        return heard.replies("nothing came")

    def recorded(content: bytes) -> object:
        file = folder / "lines" / "answers.jsonl"
        file.write_bytes(content)
        return RecordedSystem(str(file)).ask(items, 1.0)

    yield Parser("JSON lines of a command", _from_lines(lines), talk)
    yield Parser("recorded answers", _from_lines(lines[:2]), recorded)
    yield from _round_parsers(folder / "rounds", items)
    usage = {"prompt_tokens": 900, "completion_tokens": 9}
    choice = {"message": {"content": "a dog", "refusal": None}, "finish_reason": "stop"}
    body = {"choices": [choice], "usage": usage}
    openai: list[Any] = [
        {"custom_id": items[0].id, "response": {"status_code": 200, "body": body}, "error": None},
        {"custom_id": f"{items[1].id}-1", "response": {"status_code": 400, "body": {"error": {"message": "no"}}}},
        {"custom_id": items[1].id, "response": None, "error": {"code": "batch_expired", "message": "late"}},
    ]
    message = {"content": [{"type": "text", "text": "a dog"}], "stop_reason": "end_turn", "usage": {"input_tokens": 9}}
    anthropic: list[Any] = [
        {"custom_id": items[0].id, "result": {"type": "succeeded", "message": message}},
        {"custom_id": items[1].id, "result": {"type": "errored", "error": {"error": {"type": "api_error"}}}},
    ]
    yield Parser("results of an OpenAI batch", _from_lines(openai), recorded)
    yield Parser("results of an Anthropic batch", _from_lines(anthropic), recorded)


# --- searchers -------------------------------------------------------------------------------------------------------

PAGES: Mapping[str, Any] = {
    "openverse": {
        "page_count": 3,
        "results": [{"url": "http://a/1.jpg", "title": "a dog", "license": "by", "width": 9}],
    },
    "wikimedia": {
        "continue": {"gsroffset": 20, "continue": "-||"},
        "error": {"code": "maxlag", "info": "wait", "lag": 3},
        "query": {
            "pages": [
                {
                    "index": 1,
                    "title": "File:Dog.jpg",
                    "imageinfo": [
                        {
                            "url": "http://a/1.jpg",
                            "thumburl": "http://a/t.jpg",
                            "thumbwidth": 9,
                            "extmetadata": {"Artist": {"value": "<b>A"}},
                        },
                    ],
                }
            ]
        },
    },
    "serpapi": {
        "error": "Google hasn't returned any results for this query.",
        "images_results": [{"original": "http://a/1.jpg", "title": "dog", "link": "http://a/", "original_width": 9}],
    },
    "google": {
        "queries": {"nextPage": [{"startIndex": 11}]},
        "items": [
            {"link": "http://a/1.jpg", "title": "dog", "image": {"contextLink": "http://a/", "width": 9, "height": 9}}
        ],
    },
}


def _searcher_parsers() -> Iterator[Parser]:
    query = Query((Term("dog", "animal"),))
    for name, page in PAGES.items():
        search: Any = decode(catalog.find("searchers", name), {"kind": name, "contact": "me@example.org"})

        def read(content: bytes, search: Any = search) -> object:
            try:
                plain = json.loads(content)
            except (ValueError, RecursionError):
                return None
            if not isinstance(plain, dict):
                return None
            search.trouble(plain)
            found = list(search.results(plain))
            return search.following({**search.first(query, 10), "start": "1"}, plain, len(found))

        yield Parser(f"page of {name}", _from_json(page), read)


def web_searchers() -> set[str]:
    """The searchers of the catalogue that read pages of a service."""
    return {name for name in catalog.CATALOG["searchers"] if issubclass(catalog.find("searchers", name), WebSearch)}


# --- files of studies, settings and runs -----------------------------------------------------------------------------

ROWS: Mapping[str, Any] = {
    "rome": {"id": 1, "method": "rome", "ancestor": "a bus and a dog", "descendant": "a dog", "removed": ["bus"]},
    "atom": {"id": 2, "method": "atom", "labels": ["cat", "dog"], "outputs": [["cat"], ["cat", "dog"], None]},
    "metaic": {"id": 3, "method": "metaic", "background": "a dog", "generated": "a dog and a cat", "inserted": "cat"},
    "metavqa": {
        "id": 4,
        "method": "metavqa",
        "relation": "reordering",
        "answers": ["2", 2, True, None],
        "asks": "how-many",
    },
    "spolre": {"id": 5, "method": "spolre", "generated": "two dogs", "objects": {"dog": 2}, "references": ["dogs"]},
    "oamt": {"id": 8, "method": "oamt", "source": "a cat on a bed", "pieces": ["a cat", "a bed"]},
    "deeptest": {"id": 6, "method": "deeptest", "source": "a dog", "follow_up": ["dog"]},
    "": {"id": 7, "relation": {"kind": "same-answer"}, "answers": ["a", {"dog": 0.5}], "questions": ["q", None]},
}


BASELINE = {
    "format": "anamorph-baseline",
    "version": 1,
    "seed": 7,
    "methods": ["rome"],
    "plan": "0" * 32,
    "causes": [
        {
            "digest": cause_digest("a.png", "lost", "dog", "1" * 32),
            "scene": "a.png",
            "what": "lost",
            "label": "dog",
            "blamed": "1" * 32,
            "mark": "accepted",
            "note": "x",
            "cases": ["2" * 12],
        }
    ],
}


def methods_with_rows() -> set[str]:
    """The methods whose recorded rows `anamorph judge` reads."""
    kinds = catalog.CATALOG["methods"]
    return {name for name in kinds if MethodOptions.recorded.of(catalog.find("methods", name)) is not None}


def _study_parsers(folder: Path) -> Iterator[Parser]:
    folder.mkdir()
    readers = resolve({}).readers()

    judge = TranscriptJudge(readers)

    def judge_lines(lines: Iterable[RecordedLine | BadLine]) -> object:
        return [
            json.dumps(row.record(evidence=True), ensure_ascii=False) if hasattr(row, "record") else row
            for row in judge.judge_all(lines)
        ]

    def judged(name: str) -> Callable[[bytes], object]:
        return lambda content: judge_lines(rows_of(io.BytesIO(content), name))

    yield Parser("offline rows", _from_lines(list(ROWS.values())), judged("rows.jsonl"))
    table = "id,method,ancestor,descendant,removed\n1,rome,a bus,a dog,bus\n" * 2
    yield Parser("offline table", _from_bytes(table.encode()), judged("rows.csv"))
    table = "id\tmethod\tgenerated\tobjects\treferences\n1\tspolre\ttwo dogs\tdog: 2\tdogs\n"
    yield Parser("offline table with tabs", _from_bytes(table.encode()), judged("rows.tsv"))
    yield from _published_parsers(folder, judge_lines)
    votes = [{"rater": "a", "image": "a.jpg", "relevant": True, "labels": ["dog"]}]
    yield Parser("votes", _from_lines(votes), _file(folder / "votes.jsonl", lambda path: list(read_judgements(path))))
    marks = [
        {
            "id": "a" * 32,
            "case": "b" * 32,
            "answers": "c" * 32,
            "reviewer": "ann",
            "verdict": "right",
            "at": "2026-11-17T09:30:00+00:00",
            "error": "miscount",
            "wrong_answer": 1,
            "caption": "two dogs",
        },
        {"id": "d" * 32, "undoes": "a" * 32, "reviewer": "ann", "at": "2026-11-17T09:31:00+00:00"},
        {"id": "e" * 32, "image": "f" * 32, "reviewer": "ann", "at": "2026-11-17T09:32:00+00:00", "caption": "a dog"},
    ]
    yield Parser(
        "marks", _from_lines(marks), _file(folder / "marks.jsonl", lambda path: read_marks(path, lambda said: None))
    )
    study = {
        "format": "anamorph-study",
        "version": 1,
        "kind": "naturalness",
        "run": "run",
        "question": "?",
        "seed": 7,
        "scale": [{"value": "1", "words": "one"}, {"value": "2", "words": "two"}],
        "items": [{"id": "0" * 12, "scene": "s", "pictures": [{"file": "ab.jpg", "what": "real"}]}],
    }
    yield Parser("study", _from_json(study), _file(folder / "study.json", read_study))
    answered = [
        {
            "id": "a" * 32,
            "study": "b" * 32,
            "item": "0" * 12,
            "reviewer": "ann",
            "choice": "1",
            "text": "x",
            "at": "2026-11-17T09:30:00+00:00",
        }
    ]
    yield Parser(
        "results of a study",
        _from_lines(answered),
        _file(folder / "ann.jsonl", lambda path: read_results(path, lambda said: None)),
    )
    captions = [{"image": "a" * 32, "caption": "a dog"}]
    yield Parser("corrected captions", _from_lines(captions), _file(folder / "captions.jsonl", read_captions))
    space = {"name": "mine", "labels": ["dog", {"name": "cat", "synonyms": ["kitty"], "senses": ["cat#1"]}]}
    yield Parser("label space", _from_json(space), lambda content: parse_label_space(content, "mine.json"))
    text = b'name = "mine"\nlabels = ["dog", {name = "cat", synonyms = ["kitty"]}]\n'
    yield Parser("label space in TOML", _from_bytes(text), lambda content: parse_label_space(content, "mine.toml"))
    cutouts = [
        {
            "id": "dog-1",
            "label": "dog",
            "file": "a.png",
            "sha256": "0" * 64,
            "width": 2,
            "height": 2,
            "scene": "s",
            "thing": "1",
        }
    ]
    reading = _file(folder / "book.xlsx", lambda path: list(first_sheet(path)))
    yield Parser("workbook", _from_bytes(workbook([None, "img", "label"], ["0", "car_1.jpg", "car"])), reading)
    yield Parser("baseline", _from_json(BASELINE), _file(folder / "known.json", read_baseline))
    pool = {"format": 1, "cutouts": cutouts, "rejected": {"tiny": 2}}
    yield Parser("pool", _from_json(pool), _file(folder / LIST_FILE, lambda path: Pool.open(path.parent)))


def _published_parsers(folder: Path, judge: Callable[[Iterable[RecordedLine | BadLine]], object]) -> Iterator[Parser]:
    """The files of a clone of what authors published, one of them damaged at a time."""
    rome = folder / "testic" / "ROME" / "error_detection"
    metaic = folder / "testic" / "MetaIC" / "Report_erroneous_issues" / "azure_dir"
    objects = {"removed_object_ancestor": {"car_0"}, "removed_object_descendant": {"car_0", "hot_dog_1", "bus_0"}}
    good: dict[str, tuple[Repository, Path, bytes]] = {
        "rome captions": ("testic", rome / "azure_ancestor.tsv", b"1\t[{'caption': 'a bus and a car'}]\n"),
        "rome others": ("testic", rome / "azure_descendant.tsv", b'1\t[{"caption": "a car"}]\n'),
        "rome pairs": ("testic", rome / "name_img_id_dict.pkl", pickle.dumps({1: objects})),
        "metaic captions": ("testic", metaic / "azure_0" / "pred.tsv", b'1\t[{"caption": "a man and a carrot"}]\n'),
        "metaic pairs": (
            "testic",
            metaic / "azure_0" / "name_img_id_dict.pkl",
            pickle.dumps({1: {"image_id": 77, "object": "carrot"}}),
        ),
        "metaic photos": ("testic", metaic / "ori_azure" / "pred.tsv", b'77\t[{"caption": "a man"}]\n'),
        "oamt issues": ("oamt", folder / "oamt" / "experiments" / "issues" / "blip_issues", b"('a', 'b', 'c')\nx\n"),
    }
    for _, path, content in good.values():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def read(name: str) -> Callable[[bytes], object]:
        repository, path, whole = good[name]

        def damage(content: bytes) -> object:
            path.write_bytes(content)
            try:
                return judge(published_rows(repository, folder / repository))
            finally:
                path.write_bytes(whole)

        return damage

    for name, (_, _, content) in good.items():
        odd = _from_bytes(content)
        if name.endswith("pairs"):
            odd = _any_of(
                [
                    content,
                    *(
                        pickle.dumps({1: dict.fromkeys((*objects, "image_id", "object"), value)})
                        for value in ODD_VALUES
                    ),
                ]
            )
        yield Parser(f"published {name}", odd, read(name))


def _file(path: Path, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def write_and_read(content: bytes) -> object:
        path.write_bytes(content)
        return read(path)

    return write_and_read


TOML = b"""methods = ["deeptest"]
scenes = "toybox:3"
seed = 3
[system]
kind = "toybox"
model = "captioner"
[deeptest]
blur = [1, 2.5]
also = [{kind = "rotate", degrees = 3}]
[readers]
caption = "english"
[readers.english]
threshold = 0.3
[ask]
repeats = 2
price = 0.01
budget = 5
[gate]
fail_over = "5%"
"""


def _configuration_parsers(folder: Path) -> Iterator[Parser]:
    folder.mkdir()
    file = folder / "anamorph.toml"
    spots = list(odd_places())

    def read(content: bytes) -> None:
        file.write_bytes(content)
        make(read_toml(file))

    def odd(rng: Random) -> bytes:
        # The value itself cannot be written as TOML or JSON always, so the input is what makes it again.
        return str(rng.getrandbits(60)).encode()

    yield Parser("TOML", _from_bytes(TOML), read)
    yield Parser("odd settings", odd, lambda content: make(odd_configuration(Random(content), spots)))
    assert tomllib.loads(TOML.decode())


# What the reader `llm` is told of a caption, an answer and labels.
LLM_REPLIES: dict[ReadingKind, Any] = {
    "caption": {
        "mentions": [
            {"quote": "two dogs", "head": "dog", "class": "dog", "least": 2, "most": 2, "present": True, "sure": True}
        ]
    },
    "answer": {"least": 2, "most": 2, "yes": True},
    "labels": {"labels": ["dog", "cat"]},
}


def _llm_parsers() -> Iterator[Parser]:
    """Replies of a language model, which may say anything; one that does not fit is a Misfit, and asked for again."""

    def reading(kind: ReadingKind) -> Callable[[bytes], object]:
        def read(content: bytes) -> object:
            try:
                return reading_of(content.decode("utf-8", "replace"), kind, "two dogs and a cat", label_space("coco"))
            except Misfit:
                return None

        return read

    for kind, reply in LLM_REPLIES.items():
        yield Parser(f"LLM replies: {kind}", _any_of([reply]), reading(kind))


def _run_parsers(folder: Path) -> Iterator[Parser]:
    good = small_run(folder / "good")
    with sqlite3.connect(good / "run.sqlite") as connection:
        case = connection.execute("SELECT lower(hex(digest)) FROM cases").fetchone()[0]
    connection.close()
    image = next(path for path in (good / "images").rglob("*.jpg"))
    run, other = folder / "run", ImageFolder(folder / "images")

    def read(content: bytes) -> object:
        rng = Random(content)
        shutil.rmtree(run, ignore_errors=True)
        run.mkdir()
        shutil.copytree(good / "images", run / "images")
        shutil.copy(good / "run.sqlite", run)
        what = (tear if rng.random() < 0.15 else forge)(run / "run.sqlite", rng)
        words = rng.choice(reading_commands(run, good, folder / "out", case))
        ended = run_command(*words)
        if ended.crashed:
            raise Crash(f"{words[0]} after {what}: {ended.err[-500:]}")
        return ended

    def stored(content: bytes) -> object:
        path = other.path("ab" * 16 + ".jpg")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return other.pixels(path.name)

    yield Parser("run file", lambda rng: str(rng.getrandbits(60)).encode(), read)
    yield Parser("stored image", _from_bytes(image.read_bytes()), stored)


@contextmanager
def all_parsers(folder: Path) -> Iterator[list[Parser]]:
    """Every parser, with its files in a folder; the environment is as before afterwards."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        yield [
            *_scene_parsers(folder / "scenes"),
            *_http_parsers(folder / "replies", monkeypatch),
            *_line_parsers(folder / "commands"),
            *_searcher_parsers(),
            Parser("closed answers", closed_answers.make, closed_answers.read),
            *_llm_parsers(),
            *_study_parsers(folder / "studies"),
            *_configuration_parsers(folder / "configurations"),
            *_run_parsers(folder / "runs"),
        ]
