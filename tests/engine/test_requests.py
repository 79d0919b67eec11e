"""Requests that are answered elsewhere, and their way back: the verdicts are those of a direct run."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from anamorph.cli.main import cli
from anamorph.engine.requests import RequestFiles
from anamorph.errors import UsageError
from anamorph.model import Ask, BatchLines
from anamorph.store.answers import PendingProbe
from anamorph.store.run import RunStore
from tests.systems.servers import SECRET, Handler, Server, serving
from tests.systems.test_anthropic import message
from tests.systems.test_openai import chat

pytestmark = pytest.mark.usefixtures("_environment")
# A file cannot be asked back, and the same answers are to be compared.
COMMON = ["-m", "deeptest", "-s", "toybox:8", "--limit", "4", "--no-prove"]
ANSWERS = ("A dog on a lawn.", "Two dogs on a lawn.", "A cat on a sofa.", "A dog and a cat.")


@pytest.fixture
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


def answer_to(image: str) -> str:
    """A system that sees nothing but the bytes of the image, so that it can be asked in any way."""
    return ANSWERS[sum(base64.b64decode(image)) % len(ANSWERS)]


def openai_reply(body: Any) -> Any:
    image = body["messages"][0]["content"][1]["image_url"]["url"].partition(",")[2]
    return chat(answer_to(image))


def anthropic_reply(body: Any) -> Any:
    return message(answer_to(body["messages"][0]["content"][0]["source"]["data"]))


def openai_result(line: Any) -> Any:
    assert line["method"] == "POST" and line["url"] == "/v1/chat/completions"
    told = {"status_code": 200, "request_id": "r", "body": openai_reply(line["body"])}
    return {"id": "batch_req_1", "custom_id": line["custom_id"], "response": told, "error": None}


def anthropic_result(line: Any) -> Any:
    assert set(line) == {"custom_id", "params"}
    result = {"type": "succeeded", "message": anthropic_reply(line["params"])}
    return {"custom_id": line["custom_id"], "result": result}


def command(*arguments: str) -> Any:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False)


def verdicts(folder: str) -> list[tuple[str, str, str]]:
    with RunStore.open(Path(folder), read_only=True) as store:
        query = 'SELECT hex(c.digest), v.outcome, v.reason FROM cases c JOIN verdicts v ON v."case" = c.id ORDER BY 1'
        return store.connection.execute(query).fetchall()


@pytest.mark.parametrize(
    ("kind", "reply", "result"),
    [("openai", openai_reply, openai_result), ("anthropic", anthropic_reply, anthropic_result)],
)
def test_a_batch_gives_the_verdicts_of_a_direct_run(
    server: Server, tmp_path: Path, kind: str, reply: Callable[[Any], Any], result: Callable[[Any], Any]
) -> None:
    def behave(request: Handler) -> None:
        request.reply(reply(json.loads(request.body)))

    server.behaviour = behave
    system = f"{kind}:small,base_url={server.url}"
    direct = command("run", *COMMON, "-y", system, "-o", "direct", "--json", "--no-report")
    assert direct.exit_code in (0, 1), direct.output
    told = json.loads(direct.stdout)

    sent = len(server.requests)
    written = command(
        "plan", *COMMON, "-y", system, "-o", "planned", "--requests", "requests.jsonl", "--format", f"{kind}-batch"
    )
    assert written.exit_code == 0 and "--system recorded:RESULTS" in written.output, written.output
    assert len(server.requests) == sent, "nothing is asked"
    requests = [json.loads(line) for line in Path("requests.jsonl").read_text().splitlines()]
    assert len(requests) == told["probes"] == len({line["custom_id"] for line in requests})
    assert SECRET not in Path("requests.jsonl").read_text()
    Path("results.jsonl").write_text("".join(json.dumps(result(line)) + "\n" for line in reversed(requests)))

    for arguments in (
        ["resume", "planned", "--system", "recorded:results.jsonl"],
        ["run", *COMMON, "-y", "recorded:results.jsonl", "-o", "recorded"],
    ):
        done = command(*arguments, "--json", "--no-report")
        assert done.exit_code == direct.exit_code, done.output
        spending = json.loads(done.stdout)["spending"]
        assert (spending["tokens_in"], spending["tokens_out"]) == (900 * len(requests), 9 * len(requests))
        assert spending["spent"] is None
    assert verdicts("planned") == verdicts("recorded") == verdicts("direct") != []


def test_repeats_are_requests_of_their_own(tmp_path: Path) -> None:
    arguments = ["-y", "openai:small,temperature=1,seed=5", "-o", "r", "--requests", "q.jsonl", "--repeats", "2"]
    assert command("plan", *COMMON, *arguments, "--format", "openai-batch").exit_code == 0
    lines = [json.loads(line) for line in Path("q.jsonl").read_text().splitlines()]
    seeds = {line["custom_id"][32:]: line["body"]["seed"] for line in lines}
    assert seeds == {"": 5, "-1": 6}


class _Store:
    class images:
        @staticmethod
        def path(file: str) -> Path:
            return Path(file)

        pixels = len


def files(folder: Path, most_lines: int, most_bytes: int, sizes: list[int]) -> list[str]:
    batch = BatchLines("test", most_lines, most_bytes, lambda ask, custom_id: b"x" * int(ask.question or ""))
    with RequestFiles(folder / "q.jsonl", batch) as writer:
        for number, size in enumerate(sizes):
            writer.add(_Store(), PendingProbe(number, "d", str(size), 1, 1, "[]", "f", (0,)), "f")  # type: ignore[arg-type]
    assert writer.lines == len(sizes)
    return [f"{path.name} {path.read_text().count('x')}" for path in writer.paths]


def test_files_are_split_at_the_limits_for_lines_and_bytes(tmp_path: Path) -> None:
    assert files(tmp_path, 2, 1000, [1, 1, 1, 1, 1]) == ["q.jsonl 2", "q-2.jsonl 2", "q-3.jsonl 1"]
    # A line has its end, too.
    assert files(tmp_path, 99, 10, [4, 4, 4, 9]) == ["q.jsonl 8", "q-2.jsonl 4", "q-3.jsonl 9"]
    assert files(tmp_path, 99, 10, []) == ["q.jsonl 0"]
    with pytest.raises(UsageError, match="A request has 11 bytes, and a file of test at most 10"):
        files(tmp_path, 99, 10, [10])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-y", "openai:small", "--format", "openai-batch"], "needs --requests FILE"),
        (["-y", "openai:small", "--format", "anthropic-batch", "--requests", "q"], "Known for it: lines, openai-batch"),
        (["-y", "recorded:q.jsonl", "--format", "openai-batch", "--requests", "q"], "'recorded' has no such batches"),
        (["--format", "openai-batch", "--requests", "q"], "No system given"),
    ],
)
def test_a_format_that_the_system_does_not_have_is_refused_before_anything_is_planned(
    arguments: list[str], said: str
) -> None:
    Path("q.jsonl").write_text("")
    done = CliRunner().invoke(cli, ["plan", *COMMON, "-o", "r", *arguments])
    assert done.exit_code != 0 and said in f"{done.output}{done.exception}" and not Path("r").exists()


def test_every_provider_makes_lines_within_its_limits(photo_ask: Ask) -> None:
    from anamorph.systems.anthropic import AnthropicSystem
    from anamorph.systems.openai import OpenAISystem

    for system, lines, size in (
        (OpenAISystem("small"), 50_000, 200_000_000),
        (AnthropicSystem("small"), 100_000, 256_000_000),
    ):
        batch = system.batch_lines
        assert batch.most_lines == lines and batch.most_bytes <= size
        assert b"\n" not in batch.line(photo_ask, "id") and json.loads(batch.line(photo_ask, "id"))["custom_id"] == "id"


@pytest.fixture
def photo_ask(tmp_path: Path) -> Ask:
    from PIL import Image

    Image.new("RGB", (8, 6)).save(tmp_path / "a.png")
    return Ask("d" * 32, "How many?\nReally?", tmp_path / "a.png", lambda: None)  # type: ignore[arg-type, return-value]
