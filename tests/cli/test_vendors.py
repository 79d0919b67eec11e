"""Whole runs from the command line against the vendors' protocols, with faults on the way, and against a budget."""

from __future__ import annotations

import itertools
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from anamorph import catalog
from anamorph.config import part_from_text
from anamorph.model.protocols import SystemOptions
from tests.cli.command_line import anamorph
from tests.conftest import ROOT
from tests.systems.faults import Service, services
from tests.systems.servers import SECRET, Handler, Server, serving
from tests.systems.test_azure_vision import AZURE
from tests.systems.test_openai import CHAT, chat

ONE_EDIT = ("--set", "deeptest.contrast=[]", "--set", "deeptest.shear=[]", "--set", "deeptest.brightness=[]")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, photos: Callable[..., Path]) -> Path:
    photos(4, (96, 64))
    return tmp_path


def run(folder: Path, vendor: Service, server: Server, *words: object) -> subprocess.CompletedProcess[str]:
    command = ("run", "-m", "deeptest", "-s", "folder:photos", "-y", vendor.text(server.url), "-o", "run", *ONE_EDIT)
    return anamorph(*command, "--set", "ask.backoff_seconds=0.01", *words, cwd=folder, **vendor.variables)


def written(folder: Path) -> bytes:
    return b"\n".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


@pytest.mark.parametrize("vendor", services(), ids=lambda vendor: vendor.name)
def test_a_run_gets_through_a_service_that_has_its_bad_moments(folder: Path, server: Server, vendor: Service) -> None:
    calls = itertools.count()
    faults: list[Callable[[Handler], Any]] = [
        lambda request: request.reply({"error": {"message": f"slow down {SECRET}"}}, 429, retry_after="0.01"),
        lambda request: request.reply({"message": "broken"}, 500),
        Handler.reset,
        lambda request: request.reply(b'{"half'),
    ]

    def behave(request: Handler) -> None:
        number = next(calls)
        if number < 8 and number % 2 == 0:
            faults[number // 2](request)
        else:
            request.reply(vendor.good)

    server.behaviour = behave
    done = run(folder, vendor, server, "--log", "log.jsonl", "--json", "--set", "ask.parallel=1")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["holds"], summary["undecided"], summary["failures"]) == (4, 0, 0)
    spending = summary["spending"]
    counts = SystemOptions.counts_tokens.of(catalog.find("systems", part_from_text("system", vendor.text("x"))["kind"]))
    assert bool(spending.pop("tokens_in")) == bool(spending.pop("tokens_out")) == counts
    assert spending == {
        "images_sent": 12,
        "price": None,
        "spent": None,
        "budget": None,
        "exhausted": False,
        "price_in": None,
        "price_out": None,
        "uncounted": 0,
        "by_library": False,
        "perhaps_twice": 0,
        "readings": {},
    }
    assert len(server.requests) == 12
    for text in (done.stdout, done.stderr, written(folder).decode("latin-1")):
        assert SECRET not in text


@pytest.mark.parametrize("vendor", services(), ids=lambda vendor: vendor.name)
def test_a_wrong_key_stops_the_run_and_says_so_without_the_key(folder: Path, server: Server, vendor: Service) -> None:
    told = {"error": {"message": f"Wrong key {SECRET}"}, "message": f"Wrong key {SECRET}"}
    server.behaviour = lambda request: request.reply(told, 401)
    done = run(folder, vendor, server, "--set", "ask.give_up_after=3")
    assert done.returncode == 3 and "The system under test does not work: 3 calls in a row failed" in done.stderr
    assert "401" in done.stderr and "***" in done.stderr and len(server.requests) <= 3 + 8
    assert SECRET not in done.stdout + done.stderr and SECRET.encode() not in written(folder)


def test_refusals_are_counted_and_never_judged(folder: Path, server: Server) -> None:
    calls = itertools.count()

    def behave(request: Handler) -> None:
        status, body = CHAT.declining[next(calls) % 5]
        request.reply(body, status)

    server.behaviour = behave
    done = run(folder, CHAT, server, "--json", "--set", "ask.give_up_after=3")
    summary = json.loads(done.stdout)
    assert done.returncode == 4 and (summary["undecided"], summary["failures"]) == (4, 8)
    assert summary["gate"]["outcome"] == "inconclusive"
    assert summary["gate"]["sentence"] == "Inconclusive: none of the 4 cases of deeptest could be decided."


def test_a_method_that_does_not_suit_is_shown_before_anything_is_asked(folder: Path, server: Server) -> None:
    words = ("-s", "folder:photos", "-o", "run")
    done = anamorph("run", "-m", "atom", "-y", CHAT.text(server.url), *words, cwd=folder, **CHAT.variables)
    assert done.returncode == 2 and not server.requests and not (folder / "run").exists()
    assert (
        "The method 'atom' tests systems that answer with labels, and 'openai' with these settings answers with "
        "captions or answers to questions." in done.stderr
    )
    tags = AZURE.text(server.url).replace(":caption", ":tags")
    done = anamorph("run", "-m", "rome", "-y", tags, *words, cwd=folder, **AZURE.variables)
    assert done.returncode == 2 and "answer with captions, and 'azure-vision'" in done.stderr


def test_a_budget_stops_in_time_and_a_larger_one_goes_on(folder: Path, server: Server) -> None:
    server.behaviour = lambda request: request.reply(CHAT.good)
    # Nothing of the budget is kept for proving.
    whole = ("--price", "0.25", "--budget", "1.3", "--no-prove")
    plan = ("plan", "-m", "deeptest", "-s", "folder:photos", *ONE_EDIT, *whole)
    planned = anamorph(*plan, cwd=folder)
    assert "Cost: 8 calls \u00d7 0.25 per image = 2.00, and more if calls must be repeated." in planned.stdout
    assert "The budget of 1.3 is enough for 5 of them." in planned.stdout
    told = json.loads(anamorph(*plan, "--json", cwd=folder).stdout)
    assert (told["calls"], told["price"], told["cost"]) == (8, 0.25, 2.0)

    first = run(folder, CHAT, server, *whole)
    assert first.returncode == 4 and len(server.requests) == 5
    assert "Spent: 1.25 of a budget of 1.3 on 5 images sent, 4,500 tokens in and 45 out." in first.stdout
    assert (
        "Inconclusive: stopped before the budget of 1.3 was exceeded: 1.25 spent on 5 images sent, 3 answers are"
        in first.stdout
    )
    assert "anamorph resume run --budget 2.6" in first.stderr
    report = json.loads((folder / "run/report/report.json").read_text())
    assert report["summary"]["spending"] == {
        "images_sent": 5,
        "price": 0.25,
        "spent": 1.25,
        "budget": 1.3,
        "exhausted": True,
        "price_in": None,
        "price_out": None,
        "tokens_in": 4500,
        "tokens_out": 45,
        "uncounted": 0,
        "by_library": False,
        "perhaps_twice": 0,
        "readings": {},
    }
    assert report["summary"]["state"] == "unanswered"

    again = anamorph("resume", "run", "--json", cwd=folder, **CHAT.variables)
    assert again.returncode == 4 and len(server.requests) == 5
    last = anamorph("resume", "run", "--budget", "2", "--json", cwd=folder, **CHAT.variables)
    summary = json.loads(last.stdout)
    assert last.returncode == 0 and len(server.requests) == 8, last.stderr
    expected = {"images_sent": 8, "price": 0.25, "spent": 2.0, "budget": 2.0, "exhausted": False, "tokens_in": 7200}
    assert {**summary["spending"], **expected} == summary["spending"]
    assert summary["holds"] == 4


def test_repeats_with_a_temperature_are_samples_of_their_own_also_in_the_cache(folder: Path, server: Server) -> None:
    seeds: list[int] = []

    def sampled(request: Handler) -> None:
        seeds.append(json.loads(request.body)["seed"])
        request.reply(chat(f"Sample {json.loads(request.body)['seed']}."))

    server.behaviour = sampled
    sampling = ("--set", "system.temperature=0.8", "--set", "deeptest.compare=wording")
    words = ("--repeats", "3", "--cache", "cache.sqlite", "--json", *sampling)
    done = run(folder, CHAT, server, *words, "--set", "system.seed=40")
    summary = json.loads(done.stdout)
    assert len(server.requests) == 24 and summary["probes_with_differing_answers"] == 8
    assert summary["holds"] == 0 and summary["undecided"] == 4, "noise that explains a change is no violation"
    assert sorted(seeds) == [40] * 8 + [41] * 8 + [42] * 8
    again = run(folder, CHAT, server, *words, "--set", "system.seed=40", "--out", "again")
    assert len(server.requests) == 24 and json.loads(again.stdout)["probes_with_differing_answers"] == 8
    assert json.loads(again.stdout)["spending"]["images_sent"] == 0
    run(folder, CHAT, server, *words, "--set", "system.seed=50", "--out", "other")
    assert len(server.requests) == 48


def test_a_killed_run_remembers_what_it_spent(folder: Path, server: Server) -> None:
    tenth_is_here, go_on = threading.Event(), threading.Event()

    def hold_the_tenth(request: Handler) -> None:
        if len(server.requests) == 10:
            tenth_is_here.set()
            go_on.wait(60)
        request.reply(CHAT.good)

    server.behaviour = hold_the_tenth
    command = ("run", "-m", "deeptest", "-s", "folder:photos", "-y", CHAT.text(server.url), "-o", "run")
    words = ("--price", "1", "--budget", "15", "--set", "ask.parallel=1", "--no-prove")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **CHAT.variables}
    program = [sys.executable, "-m", "anamorph.cli.main", *command, *words]
    with subprocess.Popen(program, cwd=folder, env=environment, stderr=subprocess.DEVNULL) as process:
        assert tenth_is_here.wait(60)
        with sqlite3.connect(folder / "run" / "run.sqlite") as store:
            # The call under way is in the accounts before its answer is there.
            for _ in range(600):
                row = store.execute("SELECT value FROM facts WHERE name = 'spending'").fetchone()
                if row and json.loads(row[0])["images_sent"] == 10:
                    break
                time.sleep(0.1)
        store.close()
        process.kill()
    go_on.set()
    done = anamorph("resume", "run", "--json", cwd=folder, **CHAT.variables)
    assert done.returncode == 4 and len(server.requests) == 15
    assert json.loads(done.stdout)["spending"]["spent"] == 15


def test_a_budget_without_a_price_is_a_mistake(folder: Path) -> None:
    done = anamorph("plan", "-m", "deeptest", "-s", "folder:photos", "--budget", "5", cwd=folder)
    assert done.returncode == 2 and "budget needs price" in done.stderr


def test_tokens_have_a_price_and_a_budget_of_their_own(folder: Path, server: Server) -> None:
    server.behaviour = lambda request: request.reply(CHAT.good)
    prices = ("--price-in", "1000", "--price-out", "10000")
    planned = anamorph("plan", "-m", "deeptest", "-s", "folder:photos", *ONE_EDIT, *prices, cwd=folder)
    assert "Prices per million tokens: 1000 in, 10000 out." in planned.stdout

    # A reply takes 900 tokens in and 9 out, which is 0.99.
    first = run(folder, CHAT, server, *prices, "--budget", "4", "--no-prove", "--json")
    assert first.returncode == 4 and len(server.requests) == 4, first.stderr
    assert json.loads(first.stdout)["spending"]["spent"] == 3.96
    (report,) = (folder / "run").glob("report/report.json")
    assert json.loads(report.read_text())["summary"]["spending"]["tokens_in"] == 3600
    assert "3,600 in, 36 out" in (folder / "run" / "report" / "index.html").read_text()
    second = anamorph("resume", "run", "--budget", "100", "--price-in", "0", cwd=folder, **CHAT.variables)
    assert second.returncode == 0 and len(server.requests) == 8, second.stderr
    assert "Spent: 4.32 of a budget of 100 on 8 images sent, 7,200 tokens in and 72 out." in second.stdout


def test_a_system_without_tokens_is_not_priced_by_them(folder: Path, server: Server) -> None:
    done = run(folder, AZURE, server, "--price-in", "1")
    assert done.returncode == 2 and not server.requests and "does not say how many it takes" in done.stderr
    assert not (folder / "run").exists()
