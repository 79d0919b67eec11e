"""How a question is put to a system: word for word, or to a chat model with the form of the answer behind it."""

from __future__ import annotations

from dataclasses import dataclass

from anamorph import catalog
from anamorph.config import Config
from anamorph.config.settings import QuestionSettings
from anamorph.model import System
from anamorph.model.protocols import SystemOptions
from anamorph.readers.closed import form_of, instructed


@dataclass(frozen=True, slots=True)
class Posing:
    """The words that questions get on their way to a system; `instructs` if it is told the form of its answers."""

    settings: QuestionSettings
    instructs: bool

    @classmethod
    def to(cls, system: System, config: Config) -> Posing:
        """How questions are put to this system."""
        return cls(config.settings.questions, SystemOptions.takes_instructions.of(system))

    @classmethod
    def to_kind(cls, config: Config) -> Posing:
        """The same before the system is made, as far as its kind tells."""
        kind = config.plain.get("system", {}).get("kind")
        told = kind is not None and SystemOptions.takes_instructions.of(catalog.find("systems", kind)) is True
        return cls(config.settings.questions, told)

    def of(self, question: str | None) -> str | None:
        """A question as the system gets it; one that says the form of its answer itself stays as it is."""
        if question is None or not self.instructs or self._says_form(question):
            return question
        form = form_of(question)
        if self._is_count(question) or (form is not None and form.kind == "number"):
            return f"{question} {self.settings.number}".rstrip()
        if self._asks_existence(question) or (form is not None and form.kind == "yes-no"):
            return f"{question} {self.settings.yes_no}".rstrip()
        return f"{question} {self.settings.other}".rstrip()

    def _says_form(self, question: str) -> bool:
        stern = (self.settings.stern_number, self.settings.stern_yes_no)
        # A sentence after the question is about the answer.
        _, asked, after = question.rpartition("?")
        return question.endswith(tuple(filter(None, stern))) or instructed(question) or bool(asked and after.strip())

    def _is_count(self, question: str) -> bool:
        return _fits(question, self.settings.count, "{classes}")

    def _asks_existence(self, question: str) -> bool:
        return _fits(question, self.settings.exists, "{a_class}")


def _fits(question: str, template: str, place: str) -> bool:
    before, _, after = template.partition(place)
    return len(question) > len(before) + len(after) and question.startswith(before) and question.endswith(after)
