"""The reader of closed answers: a number, yes or no, true or false, or one of the options that the question gives.

Proofs rest on it, so an answer is read only if every word of it is accounted for: by the tables below, or by the
question, whose own words it may repeat in their order. Anything else is unread.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from anamorph.model import Answer, AnswerReading, ChoiceReading, Reading, ReadingKind, Unreadable, Wanted
from anamorph.reading.wordlists import word_list, word_order, word_phrases, word_table

FormKind: TypeAlias = Literal["number", "yes-no", "true-false", "option"]

# A longer answer is not plainly in any form; it also bounds the time of every pattern below.
LONGEST = 400
LARGEST = 999_999

# --- words -----------------------------------------------------------------------------------------------------------

_UNITS = word_order("quantity", "units")
_TENS = word_order("quantity", "tens")
_NUMBERS = {word: index for index, word in enumerate(_UNITS)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_DENIALS = word_list("closed_answers", "denials")
_NEGATING = word_list("closed_answers", "negating")
_JOINING = word_list("closed_answers", "joining")
_ASSENT = frozenset(word_phrases("closed_answers", "assent"))
_OPENINGS = frozenset(word_phrases("closed_answers", "openings"))
_CLOSINGS = frozenset(word_phrases("closed_answers", "closings"))
_SAYING = word_list("closed_answers", "saying")
_PLACES = word_list("closed_answers", "places")
_COUNTING = word_list("closed_answers", "counting")
_IRREGULAR = word_table("closed_answers", "irregular")
_PICTURE = r"(?:the|this|your|that) (?:(?:whole|entire|given|provided) )?(?:image|picture|photo|photograph|scene)"

# --- patterns --------------------------------------------------------------------------------------------------------

_LEAD = r"(?:the|my) (?:(?:final|correct) )?answer(?: to (?:the|your) question)? is"
_COUNTED = re.compile(
    rf"(?:(?:{_LEAD}|(?:in {_PICTURE} )?there (?:is|are)|i (?:can )?(?:see|count)|{_PICTURE} (?:shows|contains|has)"
    r"|it is|the (?:total|number|count|total number|total count) is) )?"
    r"(?:(?:exactly|only|just|a total of) )?(?P<number>\d+|no(?= )|none)(?: (?P<what>.+))?"
)
_NUMBER_OF = re.compile(r"(?:the )?(?:(?:total|exact) )?(?:number|count) of (?P<what>.+?)(?: is (?P<number>\d+))?")
_NOT_ANY = re.compile(r"\b(?:(is|are) not|do not (see)|does not (contain|show)) any\b")
_YES_NO = re.compile(rf"(?:{_LEAD} )?(?P<said>yes|no)(?: (?P<more>(?:there|it|they|i|the|this) .+))?")
_TRUE_FALSE = re.compile(
    rf"(?:(?:{_LEAD}|(?:the|this|that) (?:statement|claim) is|(?:it|this|that) is) )?(?P<said>true|false)"
)
_OPTION = re.compile(rf"(?:(?:{_LEAD}|it is) )?(?:\((?P<letter>[a-z])\) )?(?P<option>.+)")
_WHERE = re.compile(r"(?:it|they|(?:the (?P<what>.+?))) (?:is|are) (?P<where>.+)")

_NUMBER_WORD = re.compile(
    rf"(?<![\w'-])(?:({'|'.join(_TENS)})(?:[ -]({'|'.join(_UNITS[1:10])}))?|({'|'.join(_UNITS)}))(?![\w'-])"
)
_FENCE = re.compile(r"```(?:[a-z]{0,10})\n([^`]*)```")
_TAG = re.compile(r"<answer>([^<]*)</answer>")
# A bare none is not JSON; in Python it would be no answer at all.
_RECORD = re.compile(r'\{\s*"([a-z ]{1,30})"\s*:\s*(?:"([^"{}\[\]\\]*)"|(\d+|true|false))\s*\}')
_BOXED = re.compile(r"\$?\\boxed\{(?:\\text\{([^{}\\]*)\}|([^{}\\]*))\}\$?")
# Its neighbors are neither letters nor marks, so that nothing is joined: '3''5' is not 35.
_EMPHASIS = re.compile(r"(?<![\w*`\"'])(\*{1,3}|_{1,3}|`{1,3}|[\"'])(?=\S)([^*_`\"'\n]+)(?<=\S)\1(?![\w*`\"'])")
_STOP = re.compile(r"([,.!;:])(?=\s|\Z)")
# Full-width forms, curly quotes, dashes. Not NFKC, which makes "32" of a three with a raised two.
_AS_ASCII = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {
    0x2013: "-", 0x2014: " - ", 0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x3002: "."
}  # fmt: skip

_INSTRUCTION = re.compile(
    r"(?:(?<=\s)|\A)(?:please )?answer (?:(?P<number>with (?:a|one) (?:single )?number)|(?:with )?(?P<yes>yes or no)"
    r"|(?:with )?(?P<true>true or false))(?: only)?\.?\Z",
    re.IGNORECASE,
)
_OPTIONS = re.compile(r"(?:(?<=\s)|\A)(?:please )?answer with one of: ", re.IGNORECASE)
_AN_OPTION = re.compile(r"[^\W_]+(?:[ '-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """The form of answer that a question asks for; `options` are the answers to choose from."""

    kind: FormKind
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.kind == "option") != bool(self.options):
            raise ValueError(f"{self.kind} has {len(self.options)} options")
        for option in self.options:
            if not _AN_OPTION.fullmatch(option) or "answer" in option.casefold() or len(option) > LONGEST // 2:
                raise ValueError(f"{option!r} cannot be an option: use a few words of letters, digits and hyphens")
        if self.options and len({_normal(option) for option in self.options}) != max(2, len(self.options)):
            raise ValueError(f"{', '.join(self.options)}: at least two options are needed, each of them once")


NUMBER = ClosedForm("number")
YES_NO = ClosedForm("yes-no")
TRUE_FALSE = ClosedForm("true-false")


def instruction(form: ClosedForm) -> str:
    """The sentence that asks for a form; `form_of` finds it at the end of a question."""
    if form.kind == "option":
        return f"Answer with one of: {', '.join(form.options)}."
    return {
        "number": "Answer with a single number.",
        "yes-no": "Answer yes or no.",
        "true-false": "Answer true or false.",
    }[form.kind]


def form_of(question: str) -> ClosedForm | None:
    """The form that a question asks for, by its instruction or by how it begins; None if it says none."""
    return _parted(question)[1]


def instructed(question: str) -> bool:
    """Whether a question says the form of its answer in an instruction at its end."""
    question = question.strip()
    return _INSTRUCTION.search(question) is not None or _OPTIONS.search(question) is not None


def without_instruction(question: str) -> str:
    """A question without the sentence at its end that says the form of its answer."""
    return _parted(question)[0].strip() if instructed(question) else question


def read_closed(text: str, form: ClosedForm, question: str = "") -> AnswerReading | ChoiceReading | Unreadable:
    """What an answer says; the only nouns that it may have are those of the question, with or without instruction."""
    plain = _plain(text)
    if not plain:
        return Unreadable(text, "the answer is empty, or too long for its form")
    asked = _asked(_parted(question)[0], form.kind)
    if isinstance(asked, str):
        return Unreadable(text, asked)
    if form.kind == "option":
        option = _chosen(plain, form.options, asked)
        return Unreadable(text, _not_a(form)) if option is None else ChoiceReading(text, option)
    if not plain.isascii():
        return Unreadable(text, _not_a(form))
    if form.kind == "number":
        number = _counted(plain, asked)
        return Unreadable(text, _not_a(form)) if number is None else AnswerReading(text, number, number)
    said = _said(plain, asked, form.kind)
    if said is None:
        return Unreadable(text, _not_a(form))
    there = said != (asked.denies and form.kind == "yes-no")
    return AnswerReading(text, int(there), None if there else 0, yes=said, whether=not asked.exists)


@dataclass(frozen=True, slots=True)
class ClosedReader:
    """Reads answers to closed questions, which state the form of the answer; anything else is unread."""

    kind: ClassVar[str] = "closed"
    makes: ClassVar[tuple[ReadingKind, ...]] = ("closed",)

    def read(self, answer: Answer, wanted: Wanted) -> Reading:
        if answer.text is None:
            return Unreadable("", "the answer is a set of labels, not a text")
        question = wanted.question or ""
        form = form_of(question)
        if form is None:
            return Unreadable(answer.text, "the question says no form of answer")
        return read_closed(answer.text, form, question)


# --- the question ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question asks about: its own words, in order, without those that only say that something is there.

    `denies` if it asks whether there is none, or states that there is none; `exists` if it asks for no more than
    whether there is any. `repeatable` if an answer may repeat it.
    """

    words: tuple[str, ...]
    denies: bool = False
    exists: bool = False
    repeatable: bool = True

    def has(self, words: list[str]) -> bool:
        """Whether these words of an answer are those of the question."""
        return self.repeatable and bool(words) and len(words) == len(self.words) and all(map(_same, words, self.words))


@functools.lru_cache(maxsize=256)
def _parted(question: str) -> tuple[str, ClosedForm | None]:
    """A question without its instruction, and the form that it asks for."""
    question = question.strip()
    last = None
    for last in _OPTIONS.finditer(question):  # noqa: B007
        pass
    if last is not None:
        options = tuple(question[last.end() :].removesuffix(".").split(", "))
        try:
            return question[: last.start()], ClosedForm("option", options)
        except ValueError:
            pass
    if found := _INSTRUCTION.search(question):
        form = NUMBER if found["number"] else YES_NO if found["yes"] else TRUE_FALSE
        return question[: found.start()], form
    core = _core(question)
    if re.match(r"(?:how many|what is the (?:total )?number of) ", core):
        return question, NUMBER
    if re.match(r"(?:is|are) there ", core) and " or " not in core:
        return question, YES_NO
    return question, None


def _core(question: str) -> str:
    """The sentence that asks: the last with a question mark, or the last one."""
    sentences = [part for part in re.split(r"(?<=[.?!])\s+", question.strip()) if part]
    asking = [part for part in sentences if part.endswith("?")]
    return " ".join(re.findall(r"[^\W_]+", _normal((asking or sentences or [""])[-1])))


@functools.lru_cache(maxsize=256)
def _asked(question: str, kind: FormKind) -> _Asked | str:
    """What a question asks about; the reason if no answer to it can be read with certainty."""
    core = _digits(_core(question))
    if question.count("?") > 1 or core.count("how many") > 1:
        return "the question asks more than one thing"
    if kind == "number":
        core = re.sub(r"\A.*\bhow many\b|\A(?:what is the (?:total |exact )?number of|count)\b", "", core)
    words = core.split()
    denials = sum(word in _DENIALS for word in words)
    exists = False
    if kind == "yes-no":
        denies = re.match(r"(?:is|are) there no ", core) is not None
        exists = re.match(r"(?:is|are) there (?:a|an|any|no|some) ", core) is not None and not any(
            word in _COUNTING or word.isdigit() for word in words
        )
        if denials > denies or (denies and not exists) or not _NEGATING.isdisjoint(words):
            return "yes and no are ambiguous after a negated question"
    else:
        denies = kind == "true-false" and denials == 1
    left = _content([word for word in words if word not in _DENIALS])
    repeatable = denials == denies and _JOINING.isdisjoint(words) and _NEGATING.isdisjoint(words)
    return _Asked(tuple(left), denies, exists, repeatable)


# --- the answer ------------------------------------------------------------------------------------------------------


def _plain(text: str) -> str:
    """An answer without thoughts, markdown and other wrapping, in lower case; empty if it is too long."""
    text = text.strip()
    if text.startswith("<think>"):
        text = text.partition("</think>")[2].strip()
    if len(text) > LONGEST:
        return ""
    text = text.translate(_AS_ASCII).casefold()
    for wrapping in (_FENCE, _TAG):
        if found := wrapping.fullmatch(text):
            text = found[1].strip()
    if found := _RECORD.fullmatch(text):
        text = f"{found[1]}: {found[3] or found[2]}"
    text = _normal(_BOXED.sub(r" \1\2 ", text))
    return _EMPHASIS.sub(r"\2", text)


def _normal(text: str) -> str:
    """A text in one case, with one kind of space in its lines and without contractions."""
    text = re.sub(r"[^\S\n]+", " ", text.translate(_AS_ASCII).casefold())
    return re.sub(r"\b(it|that|there)'s\b", r"\1 is", re.sub(r"(?<=\w)n't\b", " not", text)).strip()


def _digits(text: str) -> str:
    """A text with the words for numbers up to 99 as digits; a number that is said twice, "3 (three)", stands once."""

    def number(found: re.Match[str]) -> str:
        tens, unit, small = found.groups()
        return str(_NUMBERS[small] if small else _NUMBERS[tens] + (_NUMBERS[unit] if unit else 0))

    return re.sub(r"(?<![\w-])(\d+) ?\(\1\)(?!\w)", r"\1", _NUMBER_WORD.sub(number, text))


def _clauses(text: str) -> list[tuple[str, str]]:
    """The clauses of an answer with the mark that ends each, a line break if none does; none if more was to come."""
    lines = (line.strip() for line in _STOP.sub(r"\1\n", text).split("\n"))
    parted = ((line[:-1].rstrip(), line[-1]) if line[-1] in ",.!;:" else (line, "\n") for line in lines if line)
    clauses = [(clause, mark) for clause, mark in parted if clause]
    return [] if clauses and clauses[-1][1] in ",;:" else clauses


def _content(words: list[str]) -> list[str]:
    """The words that say what is meant."""
    words = re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", " ", " ".join(words)).split()
    text = re.sub(rf"(?<!\S)(?:(?:in|on|within|from) )?{_PICTURE}(?!\S)", "", " ".join(words))
    return [word for word in text.split() if word not in _SAYING]


def _same(a: str, b: str) -> bool:
    """Whether two words differ in number at most."""
    return a in _singulars(b) or b in _singulars(a)


def _singulars(word: str) -> set[str]:
    found = {word, _IRREGULAR.get(word, word)}
    if word.endswith("men"):
        found.add(word[:-2] + "an")
    if word.endswith("s") and not word.endswith("ss"):
        found.add(word[:-1])
    if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        found.add(word[:-2])
    if word.endswith("ies"):
        found.add(word[:-3] + "y")
    if word.endswith("ves"):
        found |= {word[:-3] + "f", word[:-3] + "fe"}
    return found


def _opens(clause: str, mark: str, asked: _Asked) -> bool:
    """Whether a clause only leads to the answer: "Sure!", "Answer:", "Dogs:"."""
    if clause in _OPENINGS or re.fullmatch(rf"(?:based on|looking at|in|from) {_PICTURE}", clause):
        return True
    if mark != ":":
        return False
    named = _NUMBER_OF.fullmatch(clause)
    return asked.has(_content((named["what"] if named else clause).split()))


def _says_where(clause: str, asked: _Asked) -> bool:
    """Whether a clause only says where that is which was asked for, and nothing was asked about places."""
    found = _WHERE.fullmatch(clause)
    if found is None or not asked.words or not _PLACES.isdisjoint(asked.words):
        return False
    what, where = found["what"], found["where"].split()
    return _PLACES.issuperset(where) and (what is None or asked.has(_content(what.split())))


def _counted(text: str, asked: _Asked) -> int | None:
    """The number that an answer gives; None if it is not plainly one number."""
    text = _digits(_NOT_ANY.sub(lambda found: f"{found[1] or found[2] or found[3] + 's'} no", text))
    clauses = _clauses(text)
    numbers: list[int] = []
    bare, placed, before = 0, False, ""
    for index, (clause, mark) in enumerate(clauses):
        number = _number_in(clause, asked)
        if number is not None and before != ",":
            numbers.append(number)
            bare += clause.isdigit()
        elif _says_where(clause, asked):
            placed = True
        elif not _is_polite(clause, mark, asked, first=not numbers, last=index == len(clauses) - 1):
            return None
        # "Sure, 3" has its number after a comma; "3 dogs, 3" may be a list.
        before = mark if numbers else ""
    if len(set(numbers)) != 1 or bare > 1 or (placed and not numbers[0]):
        return None
    return numbers[0]


def _number_in(clause: str, asked: _Asked) -> int | None:
    found = _NUMBER_OF.fullmatch(clause)
    if found is None or found["number"] is None:
        found = _COUNTED.fullmatch(clause)
    if found is None:
        return None
    number, what = found["number"], re.sub(r"(?:\A| )(?:in total|altogether)\Z", "", found["what"] or "")
    content = _content(what.split())
    if re.search(r"\d", what) or (content and not asked.has(content)):
        return None
    if number in _DENIALS:
        # "No dogs", but not "No": that does not answer "How many?".
        return 0 if number == "none" or content else None
    return None if str(int(number)) != number or int(number) > LARGEST else int(number)


def _said(text: str, asked: _Asked, kind: FormKind) -> bool | None:
    """The yes or no, true or false, that an answer gives; None if it gives none or says anything else besides."""
    clauses = _clauses(_digits(text.replace(" - ", "\n")))
    said: set[bool] = set()
    claims: set[bool | None] = set()
    for index, (clause, mark) in enumerate(clauses):
        if found := (_YES_NO if kind == "yes-no" else _TRUE_FALSE).fullmatch(clause):
            said.add(found["said"] in ("yes", "true"))
            if kind == "yes-no" and found["more"]:
                claims.add(_claimed(found["more"], asked))
        elif asked.exists and _says_where(clause, asked):
            claims.add(True)
        elif clause in _ASSENT:
            claims.add(not asked.denies)
        elif not _is_polite(clause, mark, asked, first=not said, last=index == len(clauses) - 1):
            claims.add(_claimed(clause, asked))
    if len(said) != 1:
        return None
    answer = said.pop()
    return answer if claims <= {answer != asked.denies} else None


def _claimed(clause: str, asked: _Asked) -> bool | None:
    """Whether a clause repeats the question as so, or as not so; None if it says anything else."""
    words = clause.split()
    denials = sum(word in _DENIALS for word in words)
    if not asked.repeatable or denials > 1 or (denials and "can" in words):
        return None  # "I can not see a dog" may be a refusal
    left = _content([word for word in words if word not in _DENIALS])
    numbers = [word for word in left if word.isdigit()]
    if asked.exists and not denials and len(numbers) == 1 and numbers[0].strip("0"):
        left.remove(numbers[0])
    return not denials if not left or asked.has(left) else None


def _chosen(text: str, options: tuple[str, ...], asked: _Asked) -> str | None:
    """The option that an answer gives; None if it does not give exactly one."""
    clauses, given = _clauses(text), {_normal(option): index for index, option in enumerate(options)}
    chosen: set[int | None] = set()
    for index, (clause, mark) in enumerate(clauses):
        found = _OPTION.fullmatch(clause)
        if clause in given:
            chosen.add(given[clause])
        elif found is not None and found["option"] in given:
            option = given[found["option"]]
            chosen.add(option if found["letter"] in (None, chr(ord("a") + option)) else None)
        elif not _is_polite(clause, mark, asked, first=not chosen, last=index == len(clauses) - 1):
            return None
    only = chosen.pop() if len(chosen) == 1 else None
    return None if only is None else options[only]


def _is_polite(clause: str, mark: str, asked: _Asked, *, first: bool, last: bool) -> bool:
    """Whether a clause leads to an answer that follows, or only ends the message."""
    if not last and (_opens(clause, mark, asked) or (first and clause in _ASSENT)):
        return True
    return not first and clause in _CLOSINGS


def _not_a(form: ClosedForm) -> str:
    forms = {"number": "a number", "yes-no": "yes or no", "true-false": "true or false", "option": "one of the options"}
    return f"the answer is not plainly {forms[form.kind]}"
