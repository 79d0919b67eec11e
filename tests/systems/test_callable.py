from __future__ import annotations

import pickle
import sys
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import Refused, SystemDown, Transient, UsageError
from anamorph.model import Answer, Ask, Failure, System, canonical_json
from anamorph.systems.callable import CallableSystem
from anamorph.systems.functions.event_loop import EventLoop

Asks = Callable[..., list[Ask]]


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., CallableSystem]:
    """A system from the text of a Python file."""

    def make(source: str, attribute: str = "f", **settings: Any) -> CallableSystem:
        path = tmp_path / "user_system.py"
        path.write_text(textwrap.dedent(source))
        return CallableSystem(f"{path}:{attribute}", **settings)

    return make


Made = Callable[..., CallableSystem]


def test_it_answers_with_texts_in_order(made: Made, asks: Asks) -> None:
    system: System = made(
        "def f(images, questions): return [f'{i} {q} {im.shape}' for i, (im, q) in enumerate(zip(images, questions))]"
    )
    assert system.ask(asks(2, "how many?"), 10) == [Answer("0 how many? (6, 8, 3)"), Answer("1 how many? (6, 8, 3)")]
    system.close()


def test_questions_are_a_list_even_where_none_is_asked(made: Made, asks: Asks) -> None:
    system = made("def f(images, questions): return [repr(questions)] * len(images)")
    assert system.ask(asks(2), 10) == [Answer("[None, None]")] * 2


@pytest.mark.parametrize(
    "result",
    [
        "[{'dog': 0.5}]",
        "({'dog': 0.5},)",
        "[{'dog': np.float32(0.5)}]",
        "np.array([{'dog': np.float64(0.5)}], dtype=object)",
        "iter([{np.str_('dog'): np.array(0.5)}])",
    ],
)
def test_labels_come_as_plain_floats(made: Made, asks: Asks, result: str) -> None:
    system = made(f"import numpy as np\ndef f(images, questions): return {result}")
    (answer,) = system.ask(asks(1), 10)
    assert answer == Answer(labels={"dog": 0.5})
    assert isinstance(answer, Answer) and answer.labels is not None
    assert [(type(name), type(score)) for name, score in answer.labels.items()] == [(str, float)]


def test_whole_numbers_are_scores_too(made: Made, asks: Asks) -> None:
    system = made("import numpy as np\ndef f(images, questions): return [{'dog': 1, 'cat': np.int64(0)}]")
    assert system.ask(asks(1), 10) == [Answer(labels={"dog": 1.0, "cat": 0.0})]


def test_an_empty_text_is_an_answer(made: Made, asks: Asks) -> None:
    assert made("def f(images, questions): return ['']").ask(asks(1), 10) == [Answer("")]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("None", "expected a string or {label: score}, got None"),
        ("3", "expected a string or {label: score}, got 3"),
        ("b'x'", "got a bytes"),
        ("['dog']", "got ['dog']"),
        ("{'dog': 'high'}", "expected a number as the score of 'dog', got 'high'"),
        ("{'dog': True}", "expected a number as the score of 'dog', got True"),
        ("{'dog': float('nan')}", "expected a finite number as the score of 'dog', got nan"),
        ("{3: 0.5}", "expected a string as the name of a label, got 3"),
    ],
)
def test_a_wrong_item_fails_alone_and_says_what_came(made: Made, asks: Asks, value: str, said: str) -> None:
    first, second = made(f"def f(images, questions): return ['fine', {value}]").ask(asks(2), 10)
    assert first == Answer("fine")
    assert isinstance(second, Failure) and not second.retryable and said in second.message


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("None", "was given 2 images and returned None"),
        ("'ab'", "was given 2 images and returned 'ab'"),
        ("{'a': 1, 'b': 2}", "was given 2 images and returned {'a': 1, 'b': 2}"),
        ("{'a', 'b'}", "was given 2 images and returned a set"),
        ("['one']", "was given 2 images and returned 1 answer."),
        ("['one'] * 3", "was given 2 images and returned 3 answers."),
    ],
)
def test_a_wrong_result_is_told_with_numbers_and_ends_the_run(made: Made, asks: Asks, result: str, said: str) -> None:
    with pytest.raises(SystemDown) as caught:
        made(f"def f(images, questions): return {result}").ask(asks(2), 10)
    assert said in str(caught.value)
    assert "Called as f(images, questions), it must return a list" in str(caught.value)


@pytest.mark.parametrize(
    ("source", "signature", "batch"),
    [
        ("def f(image): return 'a'", "f(image)", 1),
        ("def f(image, question): return 'a'", "f(image, question)", 1),
        ("def f(images): return ['a'] * len(images)", "f(images)", 8),
        ("async def f(image): return 'a'", "f(image)", 1),
        ("class f:\n    def __call__(self, image): return 'a'", "f(image)", 1),
        (
            "class f:\n    async def __call__(self, images, questions): return ['a'] * len(images)",
            "f(images, questions)",
            8,
        ),
    ],
)
def test_a_function_is_called_by_its_signature(made: Made, asks: Asks, source: str, signature: str, batch: int) -> None:
    system = made(source)
    assert (system.signature, system.manner.batch) == (signature, batch)
    assert system.ask(asks(2), 10) == [Answer("a"), Answer("a")]
    system.close()


def test_an_exception_is_told_with_its_place(made: Made, asks: Asks) -> None:
    system = made(
        """
        def f(images, questions):
            return deep(questions)

        def deep(questions):
            raise ValueError("no such word")
        """
    )
    with pytest.raises(Refused, match=r"f raised ValueError: no such word \(.*user_system\.py:6\)\.$"):
        system.ask(asks(1), 10)


def test_an_exception_inside_a_generator_is_told_too(made: Made, asks: Asks) -> None:
    with pytest.raises(Refused, match="ZeroDivisionError"):
        made("def f(images, questions):\n    yield str(1 / 0)").ask(asks(1), 10)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import sys\ndef f(images, questions): sys.exit(3)", "SystemExit: 3"),
        ("import asyncio\ndef f(images, questions): raise asyncio.CancelledError", "CancelledError"),
        ("def f(images, questions): raise GeneratorExit", "GeneratorExit"),
        ("import pytest\ndef f(images, questions): pytest.skip('no model')", "Skipped: no model"),
    ],
)
def test_a_function_that_raises_what_is_not_an_exception_does_not_end_the_thread(
    made: Made, asks: Asks, source: str, said: str
) -> None:
    with pytest.raises(Refused, match=said):
        made(source).ask(asks(1), 10)


def test_ctrl_c_is_not_taken_for_a_failure_of_the_function(made: Made, asks: Asks) -> None:
    with pytest.raises(KeyboardInterrupt):
        made("def f(images, questions): raise KeyboardInterrupt").ask(asks(1), 10)


def test_a_file_that_skips_while_it_is_loaded_is_named(made: Made) -> None:
    with pytest.raises(UsageError, match="Skipped: no model"):
        made("import pytest\npytest.skip('no model', allow_module_level=True)\ndef f(images, questions): pass")


@pytest.mark.parametrize("name", ["TimeoutError", "ConnectionResetError", "ConnectionError"])
def test_a_lost_connection_is_worth_another_try(made: Made, asks: Asks, name: str) -> None:
    with pytest.raises(Transient, match=name):
        made(f"def f(images, questions): raise {name}('gone')").ask(asks(1), 10)


def test_a_picture_that_cannot_be_loaded_is_not_blamed_on_the_function(made: Made, photo: Path, asks: Asks) -> None:
    items = asks(1)
    photo.unlink()
    with pytest.raises(Refused, match="cannot be loaded: FileNotFoundError"):
        made("def f(images, questions): return ['x']").ask(items, 10)


def test_a_class_is_made_once(made: Made, asks: Asks) -> None:
    system = made(
        """
        class Model:
            made = 0

            def __init__(self):
                Model.made += 1

            def __call__(self, images, questions):
                return [f"made {Model.made}"] * len(images)
        """,
        "Model",
    )
    assert [*system.ask(asks(1), 10), *system.ask(asks(1), 10)] == [Answer("made 1")] * 2


def test_a_model_is_not_loaded_by_a_mere_check(made: Made, asks: Asks, capsys: pytest.CaptureFixture[str]) -> None:
    """A run makes its system twice: once to check it, once to ask it."""
    source = """
        print("loading")

        class Model:
            def __init__(self): print("making")
            def __call__(self, images, questions): return ["x"]
        """
    made(source, "Model").close()
    assert made(source, "Model").ask(asks(1), 10) == [Answer("x")]
    assert capsys.readouterr().out.split() == ["loading", "making"]


def test_settings_become_the_manner(made: Made) -> None:
    system = made("def f(images, questions): return []", batch=3, parallel=2)
    assert (system.manner.batch, system.manner.parallel) == (3, 2)
    assert system.manner.looks and system.manner.remembers


# --- what is found, and where ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["", "module", ":f", "module:"])
def test_a_target_without_two_parts_is_refused(target: str) -> None:
    with pytest.raises(UsageError, match="does not say what to call"):
        CallableSystem(target)


def test_a_missing_module_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="The module 'no_such_module' of the callable"):
        CallableSystem("no_such_module:f")
    with pytest.raises(UsageError, match=r"The module 'json\.no_such' of the callable"):
        CallableSystem("json.no_such:f")


def test_a_missing_file_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"sub/gone\.py: no such file"):
        CallableSystem("sub/gone.py:f")


def test_a_missing_attribute_is_named_with_a_suggestion(made: Made) -> None:
    with pytest.raises(UsageError, match=r"has no 'captoin'\. Did you mean 'caption'\?"):
        made("def caption(images, questions): return []", "captoin")


def test_what_cannot_be_called_is_refused(made: Made) -> None:
    with pytest.raises(UsageError, match="names 3, which cannot be called"):
        made("f = 3")
    with pytest.raises(UsageError, match="needs a method `__call__"):
        made("class f: pass")
    needy = made("class f:\n    def __init__(self, weights): pass\n    def __call__(self, images, questions): pass")
    with pytest.raises(UsageError, match="cannot be instantiated without arguments: TypeError"):
        _ = needy.fingerprint


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import no_such_library", "ModuleNotFoundError: No module named 'no_such_library' (line 1)"),
        ("x = 1\nraise RuntimeError('no weights')", "RuntimeError: no weights (line 2)"),
        ("def f(:", "SyntaxError"),
        ("import sys\nsys.exit('usage: ...')", "SystemExit: usage: ..."),
    ],
)
def test_an_import_that_raises_names_the_file_and_the_cause(made: Made, source: str, said: str) -> None:
    before = set(sys.modules)
    with pytest.raises(UsageError) as caught:
        made(source)
    assert "user_system.py: cannot be loaded" in str(caught.value) and said in str(caught.value)
    assert set(sys.modules) == before


def test_a_module_with_a_missing_library_is_not_called_missing_itself(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "half_there_module.py").write_text("import no_such_library")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        UsageError, match=r"'half_there_module' cannot be imported: ModuleNotFoundError: .*no_such_library"
    ):
        CallableSystem("half_there_module:f")


def test_the_working_folder_is_searched_and_the_import_path_stays_as_it_was(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, asks: Asks
) -> None:
    (tmp_path / "module_of_the_user.py").write_text(
        "import friend_at_import\n"
        "def f(images, questions):\n"
        "    import friend_at_call\n"
        "    return [friend_at_import.word + friend_at_call.word]\n"
    )
    (tmp_path / "friend_at_import.py").write_text("word = 'well '")
    (tmp_path / "friend_at_call.py").write_text("word = 'met'")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    system = CallableSystem("module_of_the_user:f")
    assert sys.path == before
    assert system.ask(asks(1), 10) == [Answer("well met")]
    assert sys.path == before


def test_a_file_finds_its_neighbours(tmp_path: Path, asks: Asks) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "neighbour_of_the_file.py").write_text("word = 'hello'")
    (folder / "main.py").write_text("import neighbour_of_the_file as n\ndef f(images, questions): return [n.word]")
    assert CallableSystem(f"{folder}/main.py:f").ask(asks(1), 10) == [Answer("hello")]


def test_a_method_inside_an_object_can_be_named(made: Made, asks: Asks) -> None:
    system = made("class A:\n    @staticmethod\n    def run(images, questions): return ['inner']", "A.run")
    assert system.ask(asks(1), 10) == [Answer("inner")]


def test_calls_from_many_threads_keep_the_import_path(made: Made, asks: Asks) -> None:
    system = made("def f(images, questions): return ['x'] * len(images)", parallel=8)
    before = list(sys.path)
    with ThreadPoolExecutor(8) as threads:
        assert all(reply == [Answer("x")] for reply in threads.map(lambda _: system.ask(asks(1), 10), range(200)))
    assert sys.path == before


# --- fingerprint ----------------------------------------------------------------------------------------------------


def test_the_fingerprint_follows_the_source(made: Made) -> None:
    one = made("def f(images, questions): return ['a']").fingerprint
    same = made("def f(images, questions): return ['a']").fingerprint
    other = made("def f(images, questions): return ['b']").fingerprint
    assert canonical_json(one) == canonical_json(same) != canonical_json(other)


def test_the_fingerprint_follows_the_file_that_defines_the_function(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "inner_of_the_user.py").write_text("def f(images, questions): return ['a']")
    (tmp_path / "outer_of_the_user.py").write_text("from inner_of_the_user import f")
    monkeypatch.chdir(tmp_path)
    assert len(CallableSystem("outer_of_the_user:f").fingerprint["sources"]) == 2


def test_a_fingerprint_of_the_users_own_is_taken_in(made: Made) -> None:
    assert made("def f(images, questions): ...\nf.fingerprint = 'weights 7'").fingerprint["own"] == "weights 7"
    source = "class M:\n    def __init__(self): self.fingerprint = 'w8'\n    def __call__(self, images, questions): ..."
    assert made(source, "M").fingerprint["own"] == "w8"
    with pytest.raises(UsageError, match="must be a string, got 7"):
        _ = made("def f(images, questions): ...\nf.fingerprint = 7").fingerprint


def test_a_text_alone_has_no_image(made: Made, asks: Asks) -> None:
    system = made("def f(images, questions): return [f'{im is None} {q}' for im, q in zip(images, questions)]")
    assert system.takes_text
    batch = [Ask.of_text("0" * 32, "Read this."), *asks(1, "how many?")]
    assert system.ask(batch, 10) == [Answer("True Read this."), Answer("False how many?")]


async def _named(image: Any) -> str:
    return "a dog"


def test_the_loop_of_async_functions_stays_behind_when_a_system_is_sent_to_another_process() -> None:
    here = EventLoop()
    assert here.settled(_named(None)) == "a dog"
    there = pickle.loads(pickle.dumps(here))
    assert there is not here and there.settled(_named(None)) == "a dog"
    for loop in (here, there):
        loop.close()
