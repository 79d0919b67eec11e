"""A part is added in four places and no other: it is done here, in a copy of the project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow

# What guards the catalogue, the outputs that list it, and the pages.
GUARDS = (
    "tests/test_catalog.py",
    "tests/docs/test_pages.py",
    "tests/cli/test_golden.py",
    "tests/relations/test_round_trips.py",
)
# Walks the HTTP systems of the catalogue.
FAULTS = "tests/systems/remote/test_faults.py"


@dataclass(frozen=True)
class Addition:
    """A part to add: the files to write, by path, and its line in the catalogue."""

    group: str
    line: str
    code: tuple[str, str]
    test: tuple[str, str]
    page: tuple[str, str]

    def write(self, project: Path, without: str = "") -> None:
        for place in ("code", "test", "page"):
            path, text = getattr(self, place)
            if place != without:
                (project / path).write_text(text, encoding="utf-8")
        if without != "line":
            catalog = project / "src" / "anamorph" / "catalog.py"
            head = f'    "{self.group}": {{\n'
            text = catalog.read_text(encoding="utf-8")
            assert text.count(head) == 1
            catalog.write_text(text.replace(head, f"{head}        {self.line}\n"), encoding="utf-8")

    def take_back(self, project: Path) -> None:
        for path, _ in (self.code, self.test, self.page):
            (project / path).unlink(missing_ok=True)
        shutil.copy(ROOT / "src" / "anamorph" / "catalog.py", project / "src" / "anamorph" / "catalog.py")


RELATION = Addition(
    "relations",
    '"no-longer": "anamorph.relations.no_longer:NoLonger",',
    code=(
        "src/anamorph/relations/no_longer.py",
        '''"""The claim that a caption does not grow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import Reading, ReadingKind, Verdict, Wording, setting


@dataclass(frozen=True, slots=True)
class NoLonger:
    """The follow-up's caption is at most a little longer than the source's."""

    kind: ClassVar[str] = "no-longer"
    reads: ClassVar[ReadingKind] = "wording"
    words: int = setting(2, "At most this many words more.", least=0)

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        source, *follow_ups = (reading for reading in readings if isinstance(reading, Wording))
        if len(follow_ups) + 1 < len(readings):
            return Verdict("undecided", "An answer is no caption.")
        most = len(source.text.split()) + self.words
        longer = [each for each in follow_ups if len(each.text.split()) > most]
        return Verdict("violated" if longer else "holds", f"{len(longer)} captions have more than {most} words.")
''',
    ),
    test=(
        "tests/relations/test_no_longer.py",
        """from anamorph.relations.no_longer import NoLonger
from tests.english import wording_reader


def test_a_caption_that_grows_is_a_violation() -> None:
    short, long = (wording_reader().read_text(text) for text in ("A dog.", "A dog and a very large red ball."))
    assert NoLonger().judge([short, long]).outcome == "violated"
    assert NoLonger().judge([long, short]).outcome == "holds"
""",
    ),
    page=(
        "docs/relations/no-longer.md",
        """# no-longer

The caption of a follow-up is at most a little longer than the source's.

<!-- settings (docs/site_pages/tables.py makes this table) -->

| setting | type | default | meaning |
| --- | --- | --- | --- |
| `words` | whole number, at least 0 | `2` | At most this many words more. |

<!-- end of settings -->
""",
    ),
)

SYSTEM = Addition(
    "systems",
    '"acme-vision": "anamorph.systems.acme_vision:AcmeVisionSystem",',
    code=(
        "src/anamorph/systems/acme_vision.py",
        '''"""Acme's captions as the system under test."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anamorph.errors import Refused
from anamorph.http.templates import UrlTemplate
from anamorph.model import Answer, Ask, Failure, setting
from anamorph.systems.remote.bodies import IMAGE_MARK, json_body
from anamorph.systems.remote.image_limits import ImageLimit
from anamorph.systems.remote.system import HttpService
from anamorph.systems.replies.answers import part_of


@dataclass(frozen=True, slots=True, repr=False)
class AcmeVisionSystem(HttpService):
    """Ask Acme Vision for a caption."""

    kind: ClassVar[str] = "acme-vision"
    answers_with: ClassVar[tuple[str, ...]] = ("caption",)
    endpoint: str = setting(help="Where the API is, such as https://vision.acme.example.")
    longest_side: int = setting(2048, "Images with a longer side, in pixels, are shrunk to it.", least=16)
    most_bytes: int = setting(4_000_000, "Larger image files are made smaller.", least=1000)
    parallel: int = setting(8, "How many calls may be under way at once.", least=1)
    _limit: ImageLimit = field(init=False, compare=False)

    def __post_init__(self) -> None:
        headers = {"Authorization": "Bearer ${ACME_KEY}"}
        self._connect(UrlTemplate(self.endpoint.rstrip("/") + "/caption"), headers, {401: "Look at ACME_KEY."})
        object.__setattr__(self, "_limit", ImageLimit(self.longest_side, self.most_bytes))

    def __repr__(self) -> str:
        return f"AcmeVisionSystem({self._caller.url.shown!r})"

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"kind": self.kind, **self._caller.url.fingerprint(), "image": self._limit.fingerprint()}

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        if ask.question is not None:
            raise Refused("acme-vision takes no questions. Choose a method for captioners.")
        body = json_body({"image": IMAGE_MARK}, b'"%b"' % base64.b64encode(self._limit.fitted(ask)))
        return self._caller.read(self._caller.call("POST", body, timeout_seconds), self._answer)

    def _answer(self, said: Any) -> Answer | Failure:
        return Answer(part_of(said, "caption", str, "the reply"))
''',
    ),
    test=(
        "tests/systems/test_acme_vision.py",
        """from collections.abc import Callable

import pytest

from anamorph.model import Answer, Ask
from anamorph.systems.acme_vision import AcmeVisionSystem
from tests.systems.faults import Service
from tests.systems.servers import PATIENT, SECRET, Server
from tests.english import wording_reader

FAULTS = (
    Service(
        name="acme-vision",
        text="acme-vision:{}".format,
        variables={"ACME_KEY": SECRET},
        good={"caption": "A dog."},
        answer=Answer("A dog."),
        wrong=({}, {"caption": 7}, []),
    ),
)


def test_a_caption_is_an_answer(
    server: Server, asks: Callable[..., list[Ask]], clean_environment: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_KEY", SECRET)
    server.behaviour = lambda request: request.reply({"caption": "A dog."})
    system = AcmeVisionSystem(server.url)
    assert system.ask(asks(1), PATIENT) == [Answer("A dog.")]
    system.close()
""",
    ),
    page=(
        "docs/systems/acme-vision.md",
        """# acme-vision

Acme Vision: captions.

    --system acme-vision:https://vision.acme.example

<!-- settings (docs/site_pages/tables.py makes this table) -->

| setting | type | default | meaning |
| --- | --- | --- | --- |
| `endpoint` | text | required | Where the API is, such as https://vision.acme.example. |
| `longest_side` | whole number, at least 16 | `2048` | Images with a longer side, in pixels, are shrunk to it. |
| `most_bytes` | whole number, at least 1000 | `4000000` | Larger image files are made smaller. |
| `parallel` | whole number, at least 1 | `8` | How many calls may be under way at once. |

<!-- end of settings -->
""",
    ),
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("project")
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in ("src", "tests", "docs", "examples"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignored)
    for file in ("pyproject.toml", *(page.name for page in ROOT.glob("*.md"))):
        shutil.copy(ROOT / file, copy / file)
    return copy


@pytest.fixture
def scratch(project: Path) -> Iterator[Path]:
    yield project
    RELATION.take_back(project)
    SYSTEM.take_back(project)


def run_tests(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = os.pathsep.join([str(project / "src"), str(project)])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", *words]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)


def test_a_relation_and_an_http_system_are_added_in_four_places_each(scratch: Path) -> None:
    for addition in (RELATION, SYSTEM):
        addition.write(scratch)
    # Of the suite of faults, what the new system goes through; the others go through it here.
    only = ("-k", "acme or not test_faults")
    done = run_tests(scratch, *GUARDS, FAULTS, RELATION.test[0], SYSTEM.test[0], *only)
    assert done.returncode == 0, done.stdout
    assert int(re.findall(r"(\d+) passed", done.stdout)[-1]) > 400


# Two parts at a time, each without another one, since a run of the guards takes seconds.
@pytest.mark.parametrize(
    ("of_relation", "of_system"), [("code", "line"), ("line", "test"), ("test", "page"), ("page", "code")]
)
def test_a_part_that_lacks_one_of_the_four_is_named_with_what_it_lacks(
    scratch: Path, of_relation: str, of_system: str
) -> None:
    lacking = ((RELATION, of_relation), (SYSTEM, of_system))
    for addition, place in lacking:
        addition.write(scratch, without=place)
    done = run_tests(scratch, GUARDS[0], "-k", " or ".join(addition.group for addition, _ in lacking))
    assert done.returncode == 1, done.stdout
    for addition, place in lacking:
        if place == "line":
            stem = Path(addition.code[0]).stem
            wanted = f"CATALOG['{addition.group}'] of catalog.py lacks a line for src/anamorph/{addition.group}/{stem}"
        else:
            wanted = f"{getattr(addition, place)[0]} is missing"
        assert f"AssertionError: {wanted}" in done.stdout, done.stdout
