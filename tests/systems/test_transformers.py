from __future__ import annotations

import importlib
import importlib.util
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anamorph import catalog
from anamorph.config import resolve
from anamorph.engine.systems import require_suitable
from anamorph.errors import BadPicture, BadRecord, MissingExtra, Refused, UsageError
from anamorph.model import Answer, Ask, Failure, Pixels, decode
from anamorph.systems.transformers.system import TransformersSystem
from tests import tiny_models as tiny, tiny_segmenters


def test_without_the_libraries_the_install_line_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'anamorph\[transformers\]'"):
        TransformersSystem("some/model")


def look(question: str | None = None, number: int = 0, attempt: int = 0) -> Ask:
    pixels = np.random.default_rng(number).integers(0, 256, (40 + number, 60, 3), dtype=np.uint8)
    return Ask(f"probe-{number}", question, None, lambda: pixels, attempt)


def looks(count: int, question: str | None = None) -> list[Ask]:
    return [look(question, number) for number in range(count)]


def texts(replies: Sequence[Answer | Failure]) -> list[str]:
    found = [reply.text for reply in replies if isinstance(reply, Answer)]
    assert len(found) == len(replies), replies
    return [text or "" for text in found]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tiny.Maker], Path]:
    """Each tiny model is made once for all tests of this file."""
    folders: dict[str, Path] = {}

    def make(maker: tiny.Maker) -> Path:
        if maker.__name__ not in folders:
            folders[maker.__name__] = maker(tmp_path_factory.mktemp(maker.__name__) / "model")
        return folders[maker.__name__]

    return make


Made = Callable[[tiny.Maker], Path]


class TestHeavy:
    pytestmark = tiny.heavy

    @pytest.mark.parametrize(
        ("maker", "task", "question"),
        [
            (tiny.blip_captioner, "image-to-text", None),
            (tiny.git_captioner, "image-to-text", None),
            (tiny.vit_gpt2_captioner, "image-to-text", None),
            (tiny.blip2_captioner, "image-to-text", None),
            (tiny.blip_answerer, "visual-question-answering", "how many dogs are there?"),
            (tiny.vilt_answerer, "visual-question-answering", "is there any cat?"),
            (tiny.llava_chat, "image-text-to-text", None),
            (tiny.llava_chat, "image-text-to-text", "how many cats are in the image?"),
        ],
    )
    def test_a_model_finds_its_task_and_answers_in_batches_as_one_by_one(
        self, made: Made, maker: tiny.Maker, task: str, question: str | None
    ) -> None:
        system = TransformersSystem(str(made(maker)), max_new_tokens=8)
        assert system.fingerprint["task"] == task
        together = texts(system.ask(looks(4, question), 60))
        assert together == [texts(system.ask([each], 60))[0] for each in looks(4, question)]
        assert len(set(together)) > 1, "the model does not look at its pictures"
        assert together == texts(TransformersSystem(str(made(maker)), max_new_tokens=8).ask(looks(4, question), 60))

    @pytest.mark.parametrize("maker", [tiny.blip_captioner, tiny.git_captioner, tiny.vit_gpt2_captioner])
    def test_a_captioners_prompt_begins_its_caption(self, made: Made, maker: tiny.Maker) -> None:
        system = TransformersSystem(str(made(maker)), prompt="a photo of", max_new_tokens=8)
        for text in texts(system.ask(looks(3), 60)):
            assert text.startswith("a photo of") and len(text) > len("a photo of")

    @pytest.mark.parametrize("maker", [tiny.blip_captioner, tiny.llava_chat])
    def test_what_is_drawn_depends_on_probe_attempt_and_seed_and_on_nothing_else(
        self, made: Made, maker: tiny.Maker
    ) -> None:
        system = TransformersSystem(str(made(maker)), temperature=1.5, max_new_tokens=12)
        first = [texts(system.ask([look(None, 1, attempt)], 60))[0] for attempt in range(3)]
        assert len(set(first)) > 1
        again = texts(system.ask([look(None, 0), *(look(None, 1, attempt) for attempt in range(3))], 60))[1:]
        assert again == first
        other = TransformersSystem(str(made(maker)), temperature=1.5, max_new_tokens=12, seed=5)
        assert [texts(other.ask([look(None, 1, attempt)], 60))[0] for attempt in range(3)] != first

    def test_beams_search_further_than_the_likeliest_word(self, made: Made) -> None:
        folder = str(made(tiny.blip_captioner))
        plain, wide = TransformersSystem(folder), TransformersSystem(folder, num_beams=3)
        assert texts(plain.ask(looks(4), 60)) != texts(wide.ask(looks(4), 60))

    def test_a_chat_models_own_words_are_the_answer_and_its_prompts_can_be_replaced(self, made: Made) -> None:
        folder = str(made(tiny.llava_chat))
        usual = texts(TransformersSystem(folder, max_new_tokens=8).ask(looks(2), 60))
        other = texts(TransformersSystem(folder, max_new_tokens=8, prompt="write a sentence").ask(looks(2), 60))
        assert usual != other and not any("caption for this" in text for text in usual)
        question = "how many dogs?"
        asked = TransformersSystem(folder, max_new_tokens=8).ask(looks(2, question), 60)
        told = TransformersSystem(folder, max_new_tokens=8, question_prompt="question : {question} answer :")
        assert texts(asked) != texts(told.ask(looks(2, question), 60))

    def test_a_model_without_a_chat_template_is_given_the_prompt_as_it_stands(self, tmp_path: Path) -> None:
        folder = tiny.llava_chat(tmp_path / "model", template=None)
        system = TransformersSystem(str(folder), max_new_tokens=8, prompt="<image> write a caption")
        assert all(texts(system.ask(looks(2), 60)))

    def test_a_classifier_is_a_tagger_with_scores(self, made: Made) -> None:
        folder = str(made(tiny.classifier))
        (all_of_them,) = TransformersSystem(folder, threshold=0).ask([look()], 60)
        assert isinstance(all_of_them, Answer) and all_of_them.labels is not None
        assert set(all_of_them.labels) == {"dog", "cat", "man"}
        assert sum(all_of_them.labels.values()) == pytest.approx(1, abs=1e-4)
        (best,) = TransformersSystem(folder, threshold=0, top=1).ask([look()], 60)
        assert best == Answer(labels=dict([max(all_of_them.labels.items(), key=lambda pair: pair[1])]))
        (several,) = TransformersSystem(folder, threshold=0, scores="sigmoid").ask([look()], 60)
        assert isinstance(several, Answer) and several.labels is not None
        assert sum(several.labels.values()) != pytest.approx(1, abs=1e-3)

    def test_a_multi_label_classifier_scores_each_label_by_itself(self, tmp_path: Path) -> None:
        folder = tiny.classifier(tmp_path / "model", several=True)
        auto, sigmoid = (
            TransformersSystem(str(folder), threshold=0, scores=how).ask(looks(2), 60) for how in ("auto", "sigmoid")
        )
        assert auto == sigmoid

    def test_a_detector_gives_each_label_the_score_of_its_best_box(self, made: Made) -> None:
        system = TransformersSystem(str(made(tiny_segmenters.detr_detector)), threshold=0.0)
        assert system.fingerprint["task"] == "object-detection"
        for reply in system.ask(looks(2), 60):
            assert isinstance(reply, Answer) and reply.labels
            assert set(reply.labels) <= {"dog", "cat", "man"} and all(0 < s <= 1 for s in reply.labels.values())

    def test_a_bad_picture_or_a_missing_question_fails_alone(self, made: Made) -> None:
        def broken() -> Pixels:
            raise BadPicture("cut off in the middle")

        system = TransformersSystem(str(made(tiny.vilt_answerer)))
        asked = [look("any dog?"), Ask("bad", "any dog?", None, broken), look(None, 1), look("any dog?", 2)]
        first, bad, silent, last = system.ask(asked, 60)
        assert isinstance(first, Answer) and isinstance(last, Answer)
        assert isinstance(bad, Failure) and "cut off in the middle" in bad.message and not bad.retryable
        assert isinstance(silent, Failure) and "needs a question" in silent.message
        (reply,) = TransformersSystem(str(made(tiny.blip_captioner))).ask([look("any dog?")], 60)
        assert isinstance(reply, Failure) and "A captioner takes no questions" in reply.message

    def test_running_out_of_memory_fails_the_batch_and_says_what_to_do(
        self, made: Made, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        torch: Any = importlib.import_module("torch")

        system = TransformersSystem(str(made(tiny.classifier)))
        system.ask([look()], 60)
        loaded: Any = system._held.loaded

        def exhausted(self: object, looks: object) -> list[Answer]:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")

        monkeypatch.setattr(type(loaded.network), "answers", exhausted)
        with pytest.raises(Refused, match=r"ran out of memory with 2 pictures at a time; lower `batch`"):
            system.ask(looks(2), 60)

    def test_several_threads_may_ask_at_once(self, made: Made) -> None:
        system = TransformersSystem(str(made(tiny.blip_captioner)), max_new_tokens=8)
        expected = texts(system.ask(looks(4), 60))
        found: dict[int, str] = {}
        threads = [
            threading.Thread(target=lambda n=number: found.update({n: texts(system.ask([look(None, n)], 60))[0]}))
            for number in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [found[number] for number in range(4)] == expected
        system.close()
        assert system._held.loaded is None and texts(system.ask(looks(4), 60)) == expected

    def test_whatever_could_change_an_answer_changes_the_fingerprint(self, made: Made, tmp_path: Path) -> None:
        folder = str(made(tiny.blip_captioner))
        usual = TransformersSystem(folder).fingerprint
        assert usual == TransformersSystem(folder, batch=2, seed=4).fingerprint
        changes: list[dict[str, Any]] = [
            {"prompt": "a"},
            {"question_prompt": "{question}"},
            {"max_new_tokens": 9},
            {"num_beams": 2},
            {"temperature": 0.5},
            {"temperature": 0.5, "seed": 1},
            {"temperature": 0.5, "top_p": 0.5},
            {"task": "image-text-to-text"},
            {"dtype": "bfloat16"},
        ]
        prints = [usual, *(TransformersSystem(folder, **change).fingerprint for change in changes)]
        copy = tiny.blip_captioner(tmp_path / "model")
        tiny.rewritten(copy, "generation_config.json", repetition_penalty=1.5)
        prints.append(TransformersSystem(str(copy)).fingerprint)
        assert len({str(sorted(each.items())) for each in prints}) == len(changes) + 2
        tagger = str(made(tiny.classifier))
        tags = [TransformersSystem(tagger, **change).fingerprint for change in ({}, {"threshold": 0.5}, {"top": 2})]
        assert len({str(each) for each in tags}) == 3

    def test_mistakes_are_told_before_anything_is_loaded(self, made: Made, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"the folder \./gone does not exist"):
            TransformersSystem("./gone")
        with pytest.raises(UsageError, match=r"has no config\.json"):
            TransformersSystem(str(tmp_path))
        with pytest.raises(UsageError, match="is a folder, which has no revisions"):
            TransformersSystem(str(made(tiny.classifier)), revision="main")
        settings = {"model": str(made(tiny.classifier)), "temperature": 1.0, "num_beams": 3}
        with pytest.raises(BadRecord, match="temperature and num_beams exclude each other"):
            decode(TransformersSystem, settings, catalog.find, "system")
        with pytest.raises(BadRecord, match=r"question_prompt must have \{question\} in it"):
            decode(TransformersSystem, {"model": "a/b", "question_prompt": "what?"}, catalog.find, "system")

    def test_a_model_that_is_none_of_the_tasks_is_named(self, tmp_path: Path, made: Made) -> None:
        (tmp_path / "config.json").write_text('{"model_type": "bert", "architectures": ["BertForMaskedLM"]}')
        with pytest.raises(
            UsageError, match=r"says BertForMaskedLM\. Set system\.task to one of image-to-text, visual"
        ):
            _ = TransformersSystem(str(tmp_path)).fingerprint
        wrong = TransformersSystem(str(made(tiny.classifier)), task="image-to-text")
        with pytest.raises(UsageError, match="cannot be loaded"):
            wrong.ask([look()], 60)

    def test_a_method_that_does_not_suit_is_refused_before_weights_are_loaded(self, made: Made, tmp_path: Path) -> None:
        copy = tiny.classifier(tmp_path / "model")
        for weights in copy.glob("*.safetensors"):
            weights.unlink()
        assert TransformersSystem(str(copy)).answers_with == ("labels",)
        assert TransformersSystem(str(made(tiny.blip_answerer))).answers_with == ("answer",)
        assert TransformersSystem(str(made(tiny.llava_chat))).answers_with == ("caption", "answer")
        config = resolve({"methods": ["rome"], "system": f"transformers:{copy}"})
        with pytest.raises(UsageError, match=r"'rome' tests systems that answer with captions, and .* with labels"):
            require_suitable(config, config.system())

    def test_a_device_that_is_not_there_is_named_with_those_that_are(self, made: Made) -> None:
        torch: Any = importlib.import_module("torch")

        if torch.cuda.is_available():
            pytest.skip("this machine has CUDA, so asking for it is no mistake")
        with pytest.raises(UsageError, match=r"The device 'cuda' cannot be used on this machine\. Usable: auto, .*cpu"):
            TransformersSystem(str(made(tiny.classifier)), device="cuda").ask([look()], 60)

    def test_half_precision_is_taken_as_told(self, made: Made) -> None:
        system = TransformersSystem(str(made(tiny.classifier)), dtype="float16", threshold=0)
        full = TransformersSystem(str(made(tiny.classifier)), threshold=0)
        (half,), (whole,) = system.ask([look()], 60), full.ask([look()], 60)
        assert isinstance(half, Answer) and isinstance(whole, Answer)
        assert half != whole and half.labels == pytest.approx(whole.labels, abs=0.02)
