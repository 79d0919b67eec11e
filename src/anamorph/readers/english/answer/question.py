"""What a question wants to know: whether, or how many, and of what; in any wording that models are asked in."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from anamorph.language.amounts import find_amounts
from anamorph.language.mentions.finding import find_mentions
from anamorph.language.morphology import PAIRED, plural_of
from anamorph.language.naming import Namer
from anamorph.language.nouns import OTHER_WORDS
from anamorph.language.tagging.lexicon import names_living
from anamorph.language.tagging.rules import RuleTagger
from anamorph.language.tokens import Tokens, tokenize
from anamorph.language.wordlists import word_list, word_names
from anamorph.language.wordnet import taxonomy
from anamorph.model import Asks, Mention
from anamorph.readers.english.answer.whether import asks_whether
from anamorph.readers.english.answer.words import is_below

# Not things that are counted.
PICTURES = word_list("wordings", "pictures")

_PICTURE = r"(?:image|picture|photo|photograph|scene|frame|shot)"
_HOW_MANY = re.compile(
    r"\b(?:how\s+many|(?:what(?:'s|\s+is)\s+the\s+)?(?:total\s+)?(?:number|count)\s+of|count(?:\s+up)?(?:\s+all)?)\s+"
    r"(?:of\s+)?(?:the\s+|all\s+the\s+|different\s+)?(.+)",
    re.IGNORECASE | re.DOTALL,
)
_IS_THERE = re.compile(
    rf"\b(?:(?:is|are|was|were)(?:n't|\s+not)?\s+there"
    rf"|there\s+(?:is|are)"
    rf"|(?:do|can|could|did)\s+you\s+(?:see|spot|find|notice|detect|identify)"
    rf"|(?:does|do|did)\s+(?:the|this)\s+{_PICTURE}\s+(?:contain|show|have|include|feature|depict)"
    rf"|(?:does|do)\s+(?:it|there)\s+(?:contain|show|have|include|appear\s+to\s+be|seem\s+to\s+be)"
    rf"|(?:does|do|did)\s+(?:the|this|that)\s+[\w ]{{1,40}}?\s+(?:contain|show|have|include|wear|hold)"
    rf"|(?:do|does|has|have)(?=\s+(?:any|(?:any|some)(?:one|body))\s)"
    rf"|^are(?=\s+(?!you\b|they\b|these\b|those\b|all\b|both\b)[a-z]+s?\s)"
    rf"|(?:is|are|can)(?=\s+(?:an?|any|the|some|no|(?:any|some|no)(?:one|body))\s))\s+(.+)",
    re.IGNORECASE | re.DOTALL,
)
# "What color is the car?", "On which side is the dog?"
_OPEN = re.compile(
    r"\W*(?:(?:in|on|at|from|of|to|for|with)\s+)?(?:what|which|where|who|whose|why|when|how)\b", re.IGNORECASE
)
_INSTRUCTION = re.compile(
    r"(?:[,.;?!]|\s+and)\s+(?:please\s+)?(?:reply|answer|respond|return|output|give|write|say|explain)\b.*", re.I | re.S
)
_NEGATED = re.compile(r"^(?:actually\s+|really\s+)?(?:no\b|not\s+any\b|zero\b)", re.IGNORECASE)
_PIECES = re.compile(
    r"\b(?:pieces|items|articles) of (?=(?:luggage|baggage|furniture|fruit|clothing|equipment|cutlery)\b)",
    re.IGNORECASE,
)
_THERE_IS = re.compile(r"\b(there)'s\b", re.IGNORECASE)
_SIDE = re.compile(
    r"\b(?:on|at|in|to)\s+the\s+(?:far\s+|very\s+)?(left|right|top|bottom|front|back|first|second|third)\b(?!\s+of\s+(?!the\s+(?:image|photo|picture|frame|scene)))",
    re.IGNORECASE,
)
_OWNER = re.compile(
    r"\b(?:does|do)\s+(?:the|this|that|each|these|those)\s+(?:[a-z]+\s+){0,2}?([a-z]+)\s+have\W*$", re.IGNORECASE
)
# "sitting and not standing": who sits does not stand.
_NOT_ALSO = re.compile(r",?\s+(?:and|but)\s+not\s+[a-z]+ing(?=\W*$)", re.IGNORECASE)
_BOTH = re.compile(r"^(?:both\b|(?:an?|one)\s+[a-z]+(?:\s[a-z]+)?\s+and\s+(?:also\s+)?(?:an?|one)\s)", re.IGNORECASE)
# "Are the children not wearing shoes?"; "Aren't they wearing shoes?" expects a yes and is no negation.
_IS_NOT = re.compile(
    r"^\W*(?:\w+:\s*)?(?:is|are|was|were|do|does|did|has|have)\s+(?!not\b)(?:[\w'-]+\s+){1,8}?"
    r"(?<!and\s)(?<!but\s)(?<!or\s)not\s+(?!only\b|just\b)\w",
    re.IGNORECASE,
)
_VISIBLE = re.compile(r"\b(?:visible|in\s+view|seen|showing)\W*$", re.IGNORECASE)
_COMPARISON = re.compile(
    r"^(more|fewer|less|as\s+many|(?:the\s+same|an\s+equal)\s+number\s+of)\s+(.+?)\s+(?:than|as|and)\s+(?:there\s+are\s+)?(.+)",
    re.IGNORECASE,
)
_NUMBER_OF = re.compile(
    r"^\W*is\s+the\s+(?:total\s+)?number\s+of\s+(.+?)\s+(greater\s+than|more\s+than|larger\s+than|higher\s+than|less\s+than"
    r"|fewer\s+than|smaller\s+than|lower\s+than|equal\s+to|exactly)\s+(\w+)\W*$",
    re.IGNORECASE,
)
_THAN = {
    **dict.fromkeys(("greater than", "more than", "larger than", "higher than"), "more than"),
    **dict.fromkeys(("less than", "fewer than", "smaller than", "lower than"), "fewer than"),
    **dict.fromkeys(("equal to", "exactly"), "exactly"),
}
_OPINION = re.compile(
    r"^\W*(?:would\s+you\s+say|do\s+you\s+think|do\s+you\s+believe|can\s+you\s+tell\s+(?:me\s+)?(?:if|whether)|tell\s+me\s+(?:if|whether))"
    r"(?:\s+that)?\s+((?:the|this|that|these|those|there|it|he|she|they|a|an|his|her)\b.*?)\s+(is|are|was|were|has|have)\s+(.+)",
    re.IGNORECASE,
)
# "Is it false that there is a clock?", "Is it true that the man is sitting?"; "Is it not true that" expects a yes.
_SAYS = re.compile(
    r"^\W*(?:\w+:\s*)?(?:is|was)\s+it\s+(?:not\s+)?(?:(false|untrue|incorrect|wrong|inaccurate|a\s+lie)"
    r"|true|correct|right|accurate|the\s+case)\s+(?:that|to\s+(?:say|claim)(?:\s+that)?)\s+"
    r"(?:there\s+(is|are|was|were)\s+(.+)|((?:the|this|that|these|those|a|an|his|her|it|he|she|they|both|all)\b.*?)"
    r"\s+(is|are|was|were|has|have)\s+(.+))",
    re.IGNORECASE,
)
_NONE = re.compile(r"^(?:no|not\s+any|not\s+an?|zero)\s+", re.IGNORECASE)
_SOME = re.compile(r"^(?:any|an?|some|all)\s+", re.IGNORECASE)
# "Is the picture free of people?", "Does the street lack cars?"
_LACKS = re.compile(
    r"^\W*(?:(?:is|are)\s+(?:the|this|that|these|those)\s+((?:[\w'-]+\s+){0,2}?[\w'-]+)\s+"
    r"(?:(?:completely|entirely|totally|fully)\s+)?(?:without|free\s+(?:of|from)|devoid\s+of|empty\s+of|clear\s+of"
    r"|lacking(?:\s+in)?|bare\s+of)"
    r"|(?:does|do)\s+(?:the|this|that|these|those)\s+((?:[\w'-]+\s+){0,2}?[\w'-]+)\s+lack"
    rf"|(?:is|are)\s+there\s+(?:any\s+|an?\s+|some\s+)?{_PICTURE}s?\s+(?:without|free\s+of)"
    r"|is\s+there\s+(?:an?|any)\s+(?:complete\s+|total\s+)?(?:lack|absence)\s+of)\s+(.+)",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"^\W*(?:is|are)\s+(?:(?:the\s+)?(?!any\b|some\b|there\b)(.+?)\s+absent(?:\s+from\s+(.+?))?"
    r"|the\s+(.+?)\s+missing\s+from\s+(.+?))\W*$",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\b(?:else|others?|another|besides|apart\s+from)\b", re.IGNORECASE)
_ANYONE = re.compile(r"\b(?:any|some|no|every)\s?(?:one|body)\b", re.IGNORECASE)
_ATTRIBUTE_TAGS = frozenset(("JJ", "JJR", "JJS", "VBG", "VBN"))
# Words that may stand at a noun in a question and ask for nothing special.
IDLE = word_list("answers", "idle")
_ENDS = frozenset(("IN", "TO", "WDT", "WP", "VBZ", "VBP", "VBD", "MD", "."))
AGES = word_list("attribute_groups", "age")
_AUXILIARIES = word_list("answers", "auxiliaries")
_WITHOUT = frozenset(("not", "n't", "without"))
_COLOURS = word_list("attribute_groups", "colours")
_MATERIALS = word_list("attribute_groups", "material")
_STATES = frozenset(("on", "off", "outside", "inside", "indoors", "outdoors", "up"))
_DRESSED = frozenset(("in", "wearing", "dressed"))
_DEEDS = frozenset(("wearing", "holding", "carrying"))
_NOUNS = (["NN"], ["NNS"])
_ROLES = ("or", "er", "ist", "ian", "ant", "ent")
_SHORTEST_SLIP = 5
_SLIP = 0.7
# Everyday words for a whole class that WordNet puts beside or under it.
_GENERAL = {
    "person": frozenset(
        ("person", "people", "human", "human being", "individual", "someone", "somebody", "folk", "anyone", "anybody")
    ),
    "motorcycle": frozenset(("motorbike",)),
    "cell phone": frozenset(("phone", "cellphone", "mobile phone", "mobile", "smartphone", "telephone")),
    "refrigerator": frozenset(("fridge",)),
    "airplane": frozenset(("plane", "aeroplane", "aircraft")),
    "wine glass": frozenset(("wineglass",)),
    "remote": frozenset(("remote control",)),
    "potted plant": frozenset(("plant", "houseplant")),
    "sports ball": frozenset(("ball",)),
}


# Parts of a class that WordNet takes for the whole.
_NARROWER = frozenset(("train car", "train cars", "railcar"))
# To drink from, or to wear.
_GLASSES = {"glass", "glasses"}
_DRINKING = frozenset(("wine glass", "glass", "glasses"))
_KINDS = {noun: word_list("answer_kinds", noun) for noun in word_names("answer_kinds")}


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of thing that is asked for: its noun, its class if it has one, and what it must be like.

    `attributes` are colours, postures and deeds, `objects` what it must have or hold ("people wearing hats"), `places`
    where it must be ("dogs on the couch"); `negated` where it must be without ("people not wearing hats").
    """

    head: str
    label: str | None
    attributes: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    negated: bool = False
    looks: tuple[str, ...] = ()  # what the places must be like: "on the blue team"
    side: str | None = None  # "on the left"
    either: tuple[str, ...] = ()  # the attributes of which any will do: "yellow and dark bottles"
    owner: str | None = None  # whose parts they are: "How many legs does the stool have?"

    @property
    def plain(self) -> bool:
        """Whether anything of this kind counts."""
        return not (self.attributes or self.objects or self.places or self.side)

    @property
    def nouns(self) -> tuple[str, ...]:
        """The noun, and the name of the class where that means the same: television, tv."""
        same = self.label is not None and self.label != self.head and _is_general(self.head, self.label)
        return (self.head, self.label) if same and self.label is not None else (self.head,)

    @property
    def is_role(self) -> bool:
        """Whether it names people by what they do: spectators, not women or children."""
        return self.label == "person" and self.head.endswith(_ROLES)

    def covers(self, head: str, label: str | None) -> bool:
        """Whether a thing that is named is of this kind: women are people, puppies are dogs, men are no women."""
        if head == self.head or (self.head in _GLASSES and head in _DRINKING):
            return True
        if self.head in _NARROWER and head != self.head and not head.endswith(f" {self.head}"):
            return head in ("car", "carriage", "wagon", "coach")
        if self.label is not None and label == self.label and _is_general(self.head, self.label):
            return True
        if head.endswith((f" {self.head}", f"-{self.head}")) and None in (label, self.label):
            return True
        if head == f"{self.head}ling" or (self.head != self.label and self.head.endswith(f" {head}")):
            return True  # ducklings are ducks; "three cubs" are the bear cubs that were asked for
        kinds = _KINDS.get(self.head)
        if kinds is not None and (head in kinds or label in kinds or head.rpartition(" ")[2] in kinds):
            return True
        if self.label is not None and label != self.label:
            return head in _GENERAL.get(self.label, ()) or _is_slip(head, self.head, self.label)
        return is_below(head, self.head) or _is_slip(head, self.head, self.label) or _is_slip(self.head, head, label)

    def is_named(self, head: str | None) -> bool:
        """Whether a noun means the whole kind: couches, not armchairs."""
        return head is not None and (head == self.head or (self.label is not None and _is_general(head, self.label)))

    def may_cover(self, labels: Sequence[str]) -> bool:
        """Whether a thing that may be of these classes may be of this kind: a mug may be a cup, but no tea cup."""
        return self.label in labels and _is_general(self.head, self.label or "")


def names(head: str, things: Sequence[str]) -> bool:
    """Whether a noun names one of several things, or a kind of one: a cap is a hat."""
    return head in things or any(head.endswith(f" {each}") or head in _KINDS.get(each, ()) for each in things)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as plain facts; `asks` is None where it asks neither whether nor how many.

    `bounds` is the interval that a yes confirms where the question has a number: "Are there more than two dogs?"
    `whether` is the text of a question that asks whether something is so, not whether it is there; else empty.
    Where there are bounds, or where `both` are asked for, the answer says whether it is so, too.
    """

    asks: Asks | None
    targets: tuple[Target, ...]
    bounds: tuple[int, int | None] | None = None
    whether: str = ""
    others: bool = False  # "Is anyone else there?"
    negated: bool = False  # "Is the man not wearing a hat?"
    compares: str = ""  # "more", "fewer" or "same": of the first of two kinds than of the second
    visible: bool = False  # "Is the sun visible?"
    both: bool = False  # "Are there both a dog and a cat?"
    denies: bool = False  # "Is it false that there is a dog?", "Is the picture free of dogs?": what is so, is not there
    false: bool = False  # of these, the one with "false"

    @property
    def closed(self) -> bool:
        """Whether a number, or yes or no, answers it; "Is it a dog or a cat?" wants a name."""
        return self.asks is not None and " or " not in self.whether

    @property
    def coordinated(self) -> bool:
        """Whether it asks for several kinds together: dogs and cats, red cars and blue cars."""
        return len(self.targets) > 1 or any(len(target.attributes) > 1 for target in self.targets)

    @property
    def plurals(self) -> frozenset[str]:
        """The plurals of what was asked for, and of its kinds."""
        return _plurals(tuple([target.head for target in self.targets]))

    def target(self, head: str, label: str | None) -> Target | None:
        """What of the question a thing that is named belongs to."""
        return next((target for target in self.targets if target.covers(head, label)), None)


@functools.lru_cache(maxsize=4096)
def understood(question: str, namer: Namer) -> Question:
    """What a question asks for; one that is put in unknown words asks for nothing that is known."""
    text = _INSTRUCTION.sub("", " ".join(question.replace("\u2019", "'").split()))
    text = _THERE_IS.sub(r"\1 is", _PIECES.sub("", text))
    if found := _NUMBER_OF.match(text):
        text = f"Are there {_THAN[found[2].lower()]} {found[3]} {found[1]}?"
    if found := _OPINION.match(text):
        text = f"{found[2]} {found[1]} {found[3]}"  # "Would you say the room is tidy?" asks whether it is
    if found := _SAYS.match(text):
        inner = _inner(found, found[1] is not None, namer)
        denies = inner.denies or inner.asks == "is-there-no" or inner.negated
        return replace(inner, denies=denies, false=found[1] is not None)
    lacking = _lacking(text)
    if lacking is not None:
        return replace(_plainly(lacking[0], namer), negated=lacking[1], denies=True)
    return _plainly(text, namer)


def _inner(says: re.Match[str], negated: bool, namer: Namer) -> Question:
    """What "Is it true that ..." asks for, or with "false" its contrary."""
    if says[2] is None:
        question = understood(f"{says[5]} {says[4]} {says[6]}", namer)
        if not negated:
            return question
        if question.asks == "is-there" and not question.whether and question.bounds is None and not question.both:
            return replace(question, asks="is-there-no")
        if question.asks == "is-there-no":
            return replace(question, asks="is-there")
        return replace(question, negated=not question.negated)
    things = says[3]
    if negated:
        things = f"any {_NONE.sub('', things)}" if _NONE.match(things) else f"no {_SOME.sub('', things)}"
        if not _NONE.match(says[3]) and _bounds(says[3]) not in (None, (1, 1)):
            return replace(
                understood(f"{says[2]} there {says[3]}", namer), negated=True
            )  # "false that there are two dogs"
    return understood(f"{says[2]} there {things}", namer)


def _lacking(text: str) -> tuple[str, bool] | None:
    """A question for what is lacking, put as one for what is there, and whether that is negated; None for others."""
    if found := _LACKS.match(text):
        holder = found[1] or found[2]
        things = found[3].rstrip("?.! ")
        last = "" if holder is None else holder.split()[-1].lower()
        if names_living(last):
            return f"Does the {holder} have {things}?", True  # "Is the man without a hat?"
        where = "" if not last or last in PICTURES else f" in the {holder}"
        return f"Are there no {_SOME.sub('', things)}{where}?", False
    if found := _ABSENT.match(text):
        where = found[2] or found[4]
        return f"Are there no {_SOME.sub('', found[1] or found[3])}{f' in {where}' if where else ''}?", False
    return None


def _plainly(text: str, namer: Namer) -> Question:
    """What a question asks for that says so plainly."""
    if found := _HOW_MANY.search(_NOT_ALSO.sub("", text)):
        among = " of the " in found[0][: -len(found[1])]
        targets = _targets(found[1], namer, among)
        if side := _SIDE.search(found[1]):
            targets = tuple(replace(target, side=side[1].lower()) for target in targets)
        if len(targets) == 1 and (owner := _OWNER.search(found[1])) is not None:
            targets = (replace(targets[0], owner=owner[1].lower()),)
        return Question("how-many", targets, others=_OTHERS.search(found[1]) is not None)
    if _OPEN.match(text):
        return Question(None, ())
    whether = text if asks_whether(text) else ""
    if found := _IS_THERE.search(text):
        rest = found[1]
        if whether and (comparison := _COMPARISON.match(rest)) is not None:
            first, second = _targets(comparison[2], namer), _targets(comparison[3], namer)
            if len(first) == 1 == len(second):
                compares = {"more": "more", "fewer": "fewer", "less": "fewer"}.get(comparison[1].lower(), "same")
                return Question("is-there", (*first, *second), whether=whether, compares=compares)
        if whether:
            return Question(
                "is-there", _targets(rest, namer), whether=whether, negated=_IS_NOT.match(whether) is not None
            )
        targets = _targets(rest, namer)
        negated = bool(_NEGATED.match(rest))
        both = len(targets) > 1 and _BOTH.match(rest) is not None
        bounds = None if negated or both or any(each.head in PAIRED for each in targets) else _bounds(rest)
        if bounds == (0, 0):
            negated, bounds = True, None  # "Is there not a single boat?"
        others = _OTHERS.search(rest) is not None
        asks: Asks = "is-there-no" if negated else "is-there"
        visible = _VISIBLE.search(rest) is not None
        return Question(asks, targets, bounds, others=others, both=both, visible=visible)
    negated = bool(whether) and _IS_NOT.match(whether) is not None
    return Question("is-there" if whether else None, (), whether=whether, negated=negated)


@functools.lru_cache(maxsize=4096)
def _plurals(heads: tuple[str, ...]) -> frozenset[str]:
    return frozenset(plural_of(each) for head in heads for each in (head, *_KINDS.get(head, ())))


def _bounds(phrase: str) -> tuple[int, int | None] | None:
    amounts = find_amounts(tokenize(phrase).lowers)
    if not amounts or amounts[0].first > 1 or amounts[0].kind == "article" or "some" in phrase.lower().split()[:1]:
        return None
    return amounts[0].least, amounts[0].most


def _targets(phrase: str, namer: Namer, among: bool = False) -> tuple[Target, ...]:
    phrase = _ANYONE.sub("person", phrase)
    tokens = tokenize(phrase)
    tags = tagger().tag(tokens)
    mentions = find_mentions(phrase, tokens, tags, namer)
    places = {end: place for place, end in enumerate(tokens.ends)}
    found: list[tuple[Mention, list[str]]] = []
    either: set[str] = set()
    last = -1
    for mention in mentions:
        place = places.get(mention.end)
        if place is None or mention.head in PICTURES:
            continue
        between = range(last + 1, place)
        if found and any(_ends_nouns(tags, each) for each in between):
            break
        attributes = [
            tokens.lowers[each]
            for each in between
            if (
                tags[each] in _ATTRIBUTE_TAGS
                or tokens.lowers[each] in AGES
                or (tags[each] == "NN" and each == place - 1 and mention.label is None)  # oak trees
                or (tokens.lowers[each] in _MATERIALS and each == place - 1)  # a leather sofa
            )
            and tokens.starts[each] < mention.start
            and tokens.lowers[each] not in IDLE
        ]
        found.append((mention, attributes))
        either.update(
            word
            for each in between
            if tags[each] == "CC" and {*tokens.lowers[each - 1 : each + 2 : 2]}.issubset(attributes)
            for word in tokens.lowers[each - 1 : each + 2 : 2]
        )
        last = place
    if not found:
        return ()
    noun = _predicate(tokens, mentions, last)
    if noun is not None and (among or noun.label == found[-1][0].label is not None):
        found, last = [(noun, [])], places[noun.end]  # "How many of the people are men?"
    behind, objects, where, looks = _behind(tokens, tags, mentions, last)
    found[-1][1].extend(behind)
    negated = not _WITHOUT.isdisjoint(tokens.lowers[last + 1 :])
    # Red cars and blue cars are one kind, of either colour.
    kinds: dict[tuple[str, str | None], dict[str, None]] = {}
    for mention, attributes in found:
        kind = kinds.setdefault((mention.head, mention.label), {})
        if kind and attributes:
            either.update(kind, attributes)
        kind.update(dict.fromkeys(attributes))
    return tuple(
        Target(head, label, tuple(attributes), objects, where, negated, looks, either=tuple(sorted(either)))
        for (head, label), attributes in kinds.items()
    )


def _ends_nouns(tags: Sequence[str], place: int) -> bool:
    """Whether what follows belongs to the nouns before: "people holding bags", but not "people and sitting dogs"."""
    if tags[place] == "VBN" and tags[place + 1 : place + 2] == ["PRP$"]:
        return True  # "students raised their hands"
    return tags[place] in _ENDS or (tags[place] == "VBG" and tags[place - 1] not in ("CC", ","))


def _predicate(tokens: Tokens, mentions: Sequence[Mention], last: int) -> Mention | None:
    """The noun that a question asks about others for: the men of "how many of the people are men"."""
    if tokens.lowers[last + 1 : last + 2] not in (["are"], ["is"]) or last + 2 >= len(tokens.lowers):
        return None
    start = tokens.starts[last + 2]
    return next((mention for mention in mentions if mention.start == start and mention.head not in PICTURES), None)


def _behind(
    tokens: Tokens, tags: Sequence[str], mentions: Sequence[Mention], last: int
) -> tuple[list[str], tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """What is said behind the nouns: "people riding bicycles", "cars that are parked", "dogs on the couch"."""
    heads = {tokens.ends.index(mention.end): mention.head for mention in mentions if mention.end in tokens.ends}
    attributes: list[str] = []
    objects: list[str] = []
    where: list[str] = []
    looks: list[str] = []
    having = placed = False
    for each in range(last + 1, len(tags)):
        word, tag = tokens.lowers[each], tags[each]
        if tag == ".":
            break
        if word in _COLOURS and tokens.lowers[each - 1] in _DRESSED and tags[each + 1 : each + 2] not in _NOUNS:
            attributes.extend(("wearing", word) if "wearing" not in attributes else (word,))  # "players in white"
            placed = False
        elif each in heads and heads[each] not in PICTURES:
            if having:
                objects.append(heads[each])
            elif placed:
                where.append(heads[each])
        elif word in ("have", "has", "having", "contain", "contains"):
            having = True
        elif tag in ("VBZ", "VBP", "VB", "VBD") and (having or not attributes) and word not in _AUXILIARIES:
            attributes.append(word)  # "men wear suits"; "donuts have sprinkles", which the tagger takes for a verb
            having = True
        elif tag in ("VBG", "VBN", "JJ") and word not in IDLE and (not placed or word in _DEEDS):
            placed = False
            attributes.append(word)
            having = having or tag == "VBG"
        elif tag == "JJ" and placed:
            looks.append(word)
        elif word in _STATES and tags[each + 1 : each + 2] in ([], ["."], ["IN"]):
            attributes.append(word)  # "How many lights are on?"
        elif tag == "IN" or tag == "TO":
            having = word in ("with", "without")
            placed = not having
    return attributes, tuple(objects), tuple(where), tuple(looks)


@functools.lru_cache(maxsize=8192)
def _is_general(head: str, label: str) -> bool:
    """Whether a word means the whole class: "people" and "bikes", not "women" and "mountain bikes"."""
    if head == label or head in OTHER_WORDS.get(label, ()) or head in _GENERAL.get(label, ()):
        return True
    wordnet = taxonomy()
    return label != "person" and not frozenset(wordnet.senses(label)).isdisjoint(wordnet.senses(head))


@functools.lru_cache(maxsize=16384)
def _is_slip(head: str, target: str, label: str | None) -> bool:
    """Whether an unknown word is a slip of the finger for what was asked for."""
    if len(head) < _SHORTEST_SLIP or taxonomy().knows(head):
        return False
    return bool(difflib.get_close_matches(head, [target, label or target], n=1, cutoff=_SLIP))


@functools.cache
def tagger() -> RuleTagger:
    return RuleTagger()
