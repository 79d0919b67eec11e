from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

from anamorph.cli.printing import print_issue
from anamorph.cli.terminal import open_console
from anamorph.store.verdicts import issues
from tests.report.fixtures import HandmadeRun, new_run as new_run

QUESTION = "How many dogs are in the image?"
ANSWER = "There are 3 dogs: they lie in the grass beside the old [b] bench."


def printed(run: HandmadeRun, width: int | None) -> list[str]:
    """What is printed of the first issue: into a file, or on a terminal of a width."""
    console = open_console()
    console.file = io.StringIO()
    console._force_terminal = width is not None
    console.no_color, console.width = True, width or 80
    case, verdict = next(issues(run.store))
    print_issue(console, run.store, case, verdict)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def asked(new_run: Callable[..., HandmadeRun]) -> HandmadeRun:
    run = new_run()
    run.scene("park")
    run.case("park", "2", ANSWER, question=QUESTION)
    run.judge()
    return run


def proved(run: HandmadeRun) -> HandmadeRun:
    """The same, with its suspicion settled."""
    case, verdict = next(issues(run.store))
    (conflict,) = verdict.conflicts
    conflicts = (replace(conflict, state="proved", why="Asked again, it says 2 and 3."),)
    run.rule(case.digest, replace(verdict, conflicts=conflicts, reason=f"{verdict.reason} {conflicts[0].why}"))
    return run


def test_an_issue_has_its_grade_first_and_every_answer_its_question(new_run: Callable[..., HandmadeRun]) -> None:
    _, heading, reason, source, follow_up, why = printed(proved(asked(new_run)), None)
    assert " contradiction, proved, deeptest" in heading and reason.startswith("  The answer")
    assert why == "  proof: Asked again, it says 2 and 3." and "Asked again" not in reason
    assert source == f"  source    {QUESTION} 2"
    assert follow_up.startswith(f"  follow-up {QUESTION} {ANSWER}")


def test_on_a_terminal_long_lines_break_between_words_and_are_indented(new_run: Callable[..., HandmadeRun]) -> None:
    lines = printed(asked(new_run), 60)
    assert max(map(len, lines)) <= 60
    place = next(number for number, line in enumerate(lines) if line.startswith("  follow-up"))
    assert all(line.startswith(" " * 12) and line.strip() for line in lines[place + 1 :]) and len(lines) > place + 1
    assert ANSWER in " ".join(" ".join(lines[place:]).split())
