"""Questions whether something is so, not whether it is there: "Is the man wearing a hat?", and what affirms them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from anamorph.language.morphology import plural_of, singular_of
from anamorph.language.tokens import tokenize
from anamorph.language.wordlists import word_list, word_names, word_phrases
from anamorph.readers.english.answer.words import ALSO, PRONOUNS, is_below, stem_of

_PICTURE = r"(?:image|picture|photo|photograph|scene|frame|shot|view|background|foreground)"
_AUXILIARY = r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should)(?:n't|\s+not)?"
# Whoever is known is there; what is asked is what it is like.
_KNOWN = (
    r"(?:the|this|that|these|those|his|her|its|their|it|he|she|they|both|all|each|every|most|everyone|everybody"
    r"|everything)\b"
)
_WHETHER = re.compile(rf"^(?:\w+:\s*)?{_AUXILIARY}\s+{_KNOWN}", re.IGNORECASE)
# "Does the image show a dog?", "Is the dog visible?", "Does the room have a window?" ask whether it is there.
_IS_THERE = re.compile(
    rf"""^\W*(?:\w+:\s*)?{_AUXILIARY}\s+(?:
      (?:the|this|that)\s+(?:\w+\s+)?{_PICTURE}\s+(?:contain|show|have|include|feature|depict|display|portray)
    | (?:the|this)\s+(?:room|kitchen|bathroom|bedroom|street|house|building|area|wall|sky)\s+(?:have|contain)\b
    | (?:it|there)\s+(?:contain|show|have|include|feature|depict|appear|seem)\b
    | (?:it|that|this)\s+(?:true|correct|right|the\s+case|accurate)\s+(?:that|to\s+say)\s+there\b
    | (?:the|this|that|these|those|all|his|her|its|their)\s+(?:[\w'-]+\s+){{1,4}}?
      (?:visible|present|shown|seen|pictured|depicted|there|in\s+view)\W*$
    | (?:the|this|that|these|those|all|his|her|its|their)\s+(?:(?!\w+ing\b|the\b|\w+est\b)[\w'-]+\s+){{1,3}}?
      in\s+(?:the|this)\s+{_PICTURE}\W*$
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_OF_THING = re.compile(rf"^\W*{_AUXILIARY}\s+(?:the|these|those|his|her|their|its)\b", re.IGNORECASE)
# Whose object it is that the question asks for: "Does the man have a beard?"
_HAVING = re.compile(
    r"^\W*(?:does|do|did)(?:n't|\s+not)?\s+(?:the|this|that|these|those|his|her|its|their)\s+(?:[\w'-]+\s+){1,4}?"
    r"(?:have|wear|hold|carry|contain)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"^\W*(?:is|are)(?:n't|\s+not)?\s+there\s+(?:(?:more|fewer|less)\s+[a-z]+(?:\s+[a-z]+)?\s+than\b"
    r"|as\s+many\b|the\s+same\s+number\b|an\s+equal\b)",
    re.IGNORECASE,
)
_NUMBER_THAN = re.compile(r"\b(?:more|fewer|less)\s+than\b", re.IGNORECASE)
# "Are all of them sitting?" - "All but one are"
_NUMBERS = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+)"
_UNIVERSAL = re.compile(
    rf"^\W*{_AUXILIARY}\s+(?:all|both|each|every|everyone|everybody|everything|(?:the|these|those)\s+{_NUMBERS}\s)",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"\b(?:(?:everyone|everybody|everything|all|each|every)\b[^.;]{0,60}?\b(?:except|but|apart from|other than|save)\b"
    r"|not (?:all|every|both|each|everyone|everybody|everything)\b|only (?:some|one|two|half|a few|most)\b|half of\b"
    r"|some (?:of them )?(?:are|have|do)\b[^.]{0,60}\b(?:others|some|the rest)\b"
    rf"|\b{_NUMBERS} (?:out )?of the {_NUMBERS}\b|most of (?:them|the)\b|(?:some|a few) of (?:them|the)\b"
    rf"|\b(?:the (?:one|other|others|third|rest|last|remaining)|one|others|another|some)\b[^.,;]{{0,40}}? "
    r"(?:is|are|does|do|has|have) (?:not|n't)\b)"
)
# Of several nobody said "all"; but one of them is not enough.
_ONLY_ONE = re.compile(
    rf"\b(?:only|just) (?:some|{_NUMBERS}|half|a few|a couple|the (?:one|man|woman|boy|girl|first|second|left|right))\b"
    r"|\bnot all\b"
)
_SEVERAL = re.compile(rf"^\W*{_AUXILIARY}\s+(?:the|these|those|they|his|her|their)\b", re.IGNORECASE)
_EMPTY = re.compile(
    r"^\W*(?:is|are)(?:n't|\s+not)?\s+(?:the|this|that|his|her)\s+(?:\w+\s+)?(\w+)\s+(?:completely\s+)?empty\b", re.I
)
_HOLDING = re.compile(
    r"(?:^|[.,;] |\bbut )(?:no , |well , )?"
    r"(?:there (?:is|are|'s|'re)|i (?:can )?see|it (?:has|contains|holds|still has|is holding))"
    r" (?:still |also |clearly )?(?!no\b|not\b|nothing\b|n't\b|none\b|zero\b)\w"
)
# Where something is, asked and said: what is beside a thing is not on it.
_PLACE = re.compile(
    r"\b(on|in|inside|under|behind|underneath|beneath)\s+(?:top\s+of\s+)?(?:the|a|an|his|her|its|their|that|this)\s+"
    r"(?:[a-z-]+\s+)?([a-z-]+)\W*$",
    re.IGNORECASE,
)
_ELSEWHERE: dict[str, str] = {
    "on": r"in front of|next to|beside|under|underneath|beneath|behind|near|below|off|by|away from|outside",
    "in": r"in front of|next to|beside|under|underneath|beneath|behind|near|below|outside|away from|out of|on top of",
    "under": r"in front of|next to|beside|on|on top of|behind|above|over|in|inside|away from",
    "behind": r"in front of|on|on top of|under|in|inside|underneath",
}
_CLEFT = re.compile(
    r"(?:no , )?(?:it|that) (?:is|'s) (?:actually )?(?:an?|the) (?:[a-z]+ )?([a-z]+) (?:who|that|which) "
)
_SUBJECT = re.compile(r"(?:an?|the) (?:[a-z]+ )??([a-z]+) (?:is|who) ")
_ANYBODY = frozenset(("person", "one", "individual", "someone"))
_LIMB = re.compile(r"\b(left|right)\s+(hand|arm|foot|leg|side|ear|eye|shoulder|lane)\b", re.IGNORECASE)
_ONE_AND_OTHER = re.compile(
    r"\bone (?:of them )?(?:is|has|wears) (?:an? )?([a-z]+)\b.*?"
    r"\b(?:the other|another)(?: one)? (?:is|has|wears) (?:an? )?([a-z]+)\b"
)
_ALL = frozenset(("all", "both", "each", "every", "everyone", "everybody", "everything"))
_OBJECT = re.compile(
    r"\b(riding|eating|playing|drinking|driving|leaning|sitting|standing|lying|looking(?=\s+at)|made(?=\s+of))\s+"
    r"(on\s+|in\s+|against\s+|at\s+|of\s+)?"
    r"(?:(?:the|an?|his|her|its|their|some)\s+)?(?:[a-z-]+\s+)?([a-z-]+)\W*$",
    re.IGNORECASE,
)
_AFTER_OBJECT = "in|on|at|near|by|next|with|outside|inside|and|while"
_AT_SIDE = re.compile(r"\bon\s+the\s+(left|right)\b(?!\s+(?:of|side))", re.IGNORECASE)
_SWITCHED = re.compile(r"\b(?:turned|switched|powered)\s+(on|off)(?=\W*$)", re.IGNORECASE)
_LEFT_RIGHT = frozenset(("left", "right"))
# "Is the building taller than the tree?"
_THAN = re.compile(
    r"^\W*(?:is|are)\s+(?:the|this|that)\s+(?:[a-z]+\s+)??([a-z]+)\s+([a-z]+er|(?:more|less)\s+[a-z]+)\s+than\s+"
    r"(?:the|a|an)\s+(?:[a-z]+\s+)?([a-z]+)\W*$",
    re.IGNORECASE,
)
# The vase of "Is the vase on the table empty?"
_WHICH_ONE = re.compile(
    r"^(\W*(?:is|are)\s+(?:the|this|that|these|those)\s+[a-z]+)\s+(?:to|of|on|in|at|near|behind|by)\s+(?:the|this|his|her)\s+"
    r"((?!left\b|right\b)[a-z]+(?:\s+[a-z]+)?)\s+([a-z-]+)\W*$",
    re.IGNORECASE,
)
_ALONE = re.compile(r"^\W*(?:is|are)\s+(?:the|this|that|he|she|it|they)\b.*\balone\W*$", re.IGNORECASE)
_BY_SELF = re.compile(r"\bby (?:her|him|it)self\b|\bby themselves\b|\b(?:no one|nobody) else\b")
_COMPANY = re.compile(
    r"\b(?:another|others?|accompanied|together"
    r"|(?:beside|next to|with|behind|near|alongside|around) (?:her|him|it|them|an?\b|two|another))\b"
)
_COVERS = frozenset(("blanket", "towel", "cushion", "pillow", "mat", "rug", "sheet", "something", "top"))
_BESIDE = re.compile(
    r"\b(left of|right of|in front of|behind|above|below|under|over)\s+(?:the|a|an|his|her)\s+([a-z-]+)\W*$",
    re.IGNORECASE,
)
_OPPOSITE_SIDES = {
    "left of": "right of",
    "right of": "left of",
    "in front of": "behind",
    "behind": "in front of",
    "above": "(?:below|under|beneath|underneath)",
    "over": "(?:below|under|beneath|underneath)",
    "below": "(?:above|over)",
    "under": "(?:above|over)",
}
_VERBS = frozenset(("is", "are", "does", "do", "has", "have", "was", "were"))
_SAME_PLACE = {"inside": "in", "underneath": "under", "beneath": "under"}
_PLURAL = re.compile(r"^\W*(?:are|were|do|have)\b", re.IGNORECASE)
# Words that exclude each other.
_OPPOSITES = tuple(frozenset(map(stem_of, word_list("opposites", name))) for name in word_names("opposites"))
_COLOURS = frozenset(map(stem_of, word_list("opposites", "colours")))
# Without what the others of their group are.
_BARE = frozenset(map(stem_of, word_list("answers", "bare")))
_IDLE = word_list("answers", "whether_idle")
_NOT = frozenset(
    (
        *("not", "n't", "no", "never", "without", "neither", "nor", "cannot", "can't", "instead", "rather", "hardly"),
        *("nothing", "nobody", "none"),
    )
)
_UNSURE = frozenset(
    ("if", "whether", "?", "or", "might", "may", "could", "half", "some", "partly", "partially", "almost", "nearly")
)
_ANY_OF_THEM = PRONOUNS | {"everyone", "all"}
_SWITCHES = (["on"], ["off"])
_BEFORE_PLACES = frozenset(("the", "a", "an", "its", "his", "her", "their", "this", "that", "top"))
_LONG = 4
_HAS = frozenset(("has", "have", "with"))
_HAVING_ON = frozenset(map(stem_of, ("wear", "hold", "carry")))
_SEEN = frozenset(("see", "seeing", "there", "spot", "notice", "visible", "find", "detect"))
_CLAUSE = frozenset((",", ";", ".", "!", "?", "but", "while"))


def _any_of(section: str, asked: str) -> re.Pattern[str]:
    """Any of the phrases that say something else in a section; an adjective may stand in them."""
    phrases = (re.escape(phrase) for phrase in word_phrases(section, asked))
    return re.compile(
        "(?:" + "|".join(each.replace(r"the\ ", "(?:the|an?) (?:[a-z]+ )?") for each in phrases) + r")(?![\w-])"
    )


# What says that something is where it was asked to be, in other words, and what says that it is not.
_RESTATED = {asked: _any_of("restated", asked) for asked in word_names("restated")}
_EXCLUDED = {asked: _any_of("excluded", asked) for asked in word_names("excluded")}
_RESTATABLE = re.compile(rf"\s({'|'.join(_RESTATED)})\W*$", re.IGNORECASE)
_ALSO_AT = {"in": "in|inside|within", "inside": "in|inside|within", "on": "on|on top of|atop"}
_SAID_OF = re.compile(
    r"(?:yes , |no , |well , )?(?:(it|they|he|she)|(?:the|this|that|these|those|his|her|its|their|an?|both|all) "
    r"(?:(?!is\b|are\b)[a-z-]+ ){0,2}?([a-z-]+)) (?:is|are|'s|'re|appears to be|seems to be|looks to be)(?= )"
)
# What may stand between "is" and where something is: "is still lying on the ground", not "is about to land on it".
_STATE = re.compile(
    r" (?:(?:still|just|now|high|low|up|out|right|all|well|curled|caught|currently|clearly|completely|safely"
    r"|(?!landing|taking|lifting|jumping|diving|falling|rising|approaching|touching|leaving|coming)[a-z]+(?:ing|ed)) )*"
)


def asks_whether(question: str) -> bool:
    """Whether a question is about what something is like or does, not about its being there."""
    if _COMPARES.match(question) and not _NUMBER_THAN.match(question):
        return True
    return _WHETHER.match(question) is not None and _IS_THERE.match(question) is None


def _excludes(clause: Sequence[str], said: Sequence[str], wanted: str) -> bool:
    """Whether a clause says the opposite of a word: "down" of "up", "clear" of "cloudy"."""
    return any(
        word in group
        and _NOT.isdisjoint(clause[:place])
        and (group.isdisjoint(_BARE) or (word in _BARE) != (wanted in _BARE))  # sneakers are shoes
        for group in _OPPOSITES
        if wanted in group and wanted not in said
        for place, word in enumerate(said)
    )


def affirmed(lowers: Sequence[str], question: str, subjects: Sequence[str]) -> bool | None:
    """Whether an answer repeats what was asked as true or as false: "The TV is on", "It isn't looking at it"."""
    whole, question = question, _SWITCHED.sub(r"\1", _AT_SIDE.sub(r"\1", question))
    if (placed := _WHICH_ONE.match(question)) is not None and _is_predicate(placed[3]):
        question = f"{placed[1]} {placed[3]}"
    sides = _LEFT_RIGHT & set(question.lower().split())
    wanted = [
        stem_of(word)
        for word in tokenize(question).lowers
        if word[0].isalnum() and word not in _IDLE and word not in _ALL
    ]
    known: set[str] = set()
    if not _HAVING.match(question):
        forms = (form for subject in subjects for form in (subject, plural_of(subject)))
        known = {stem_of(word) for form in forms for word in form.split()}
        if len(wanted) > 1 and wanted[-1] in known and _OF_THING.match(question):
            known = set()  # the "tidy" of "Is the room tidy?" is no noun
    wanted = [word for word in wanted if word not in known] or wanted
    if not wanted or " or " in question:
        return None
    said = " ".join(lowers)
    if (deed := _OBJECT.search(question)) is not None and (_is_of_another_object(said, deed) or _is_beside(said, deed)):
        return False
    universal = _UNIVERSAL.match(question) is not None
    if universal and _EXCEPT.search(said):
        return False
    if universal and (two := _ONE_AND_OTHER.search(said)) is not None and two[1] != two[2]:
        return False
    if _PLURAL.match(question) and _SEVERAL.match(question) and _ONLY_ONE.search(said):
        return False
    if (place := _PLACE.search(question)) is not None and _is_elsewhere(said, place[1].lower(), place[2].lower()):
        return False
    if (than := _THAN.match(whole)) is not None:
        subject, grade, other = (than[place].lower() for place in (1, 2, 3))
        if re.search(
            rf"\b{grade} than (?:the |an? )?{subject}\b|\bthe {other} (?:is|looks|seems) (?:much |slightly )?{grade}\b",
            said,
        ):
            return False
    if (verb := _by_verb_alone(lowers, whole)) is not None:
        return verb
    if (beside := _BESIDE.search(question)) is not None:
        other = _OPPOSITE_SIDES[beside[1].lower()]
        if re.search(rf"\b{other} (?:the |a |an |his |her ){beside[2].lower()}\b", said):
            return False
    if _ALONE.match(whole) and "alone" not in lowers and _NOT.isdisjoint(lowers) and _COMPANY.search(said):
        return False
    if (limb := _LIMB.search(question)) is not None:
        other = {"left": "right", "right": "left"}[limb[1].lower()]
        if f"{other} {limb[2].lower()}" in said and f"{limb[1].lower()} {limb[2].lower()}" not in said:
            return False
    if _ALONE.match(whole) and _BY_SELF.search(said):
        return True
    if (thing := _EMPTY.match(question)) is not None and re.search(
        rf"\b(?:nothing|no [a-z]+) (?:on|in|inside) (?:it|the {thing[1].lower()})\b", said
    ):
        return True
    if (thing := _EMPTY.match(question)) is not None and "empty" not in lowers and _holds(said, thing[1].lower()):
        return False
    of_thing = not known and _OF_THING.match(question) is not None
    one_of_them = _PLURAL.match(question) is not None and not _UNIVERSAL.match(question)
    found: list[bool | None] = []
    clause: list[str] = []
    for word in (*lowers, "."):
        if word not in _CLAUSE:
            clause.append(word)
            continue
        # Where the subject is not known, it is the first word: "Has the food been eaten?" - "It has been eaten"
        without = of_thing and len(wanted) > 1 and not _ANY_OF_THEM.isdisjoint(clause)
        if (
            len(sides) == 1
            and (_LEFT_RIGHT - sides).intersection(clause)
            and sides.isdisjoint(clause)
            and "one" in clause
        ):
            clause = []
            continue  # "The left cup is full, while the right one is empty"
        if not (one_of_them and "one" in clause):  # "One is open, the other is closed"
            so = _affirmed_by(clause, wanted[1:] if without else wanted, known)
            alike = not universal or "they" in clause or not _ALL.isdisjoint(clause)
            found.append(so if alike or so is False else None)  # one of them is not all
        clause = []
    # "There is snow, but it is not snowing"
    return False if False in found else True if True in found else None


def restated(lowers: Sequence[str], question: str, subjects: Sequence[str]) -> bool | None:
    """Whether an answer says what was asked in close words: "is in mid-air" where it was asked about the air."""
    key = _RESTATABLE.search(question)
    place = _PLACE.search(question)
    if key is None and place is None:
        return None
    asked = "" if key is None else key[1].lower()
    found: set[bool] = set()
    for clause in re.split(r" (?:[,;.!?]|but|while)(?= |$)", " ".join(lowers)):
        clause = clause.strip().removeprefix("and ")
        subject = _SAID_OF.match(clause)
        if subject is None or not (subject[1] or _is_one_of(subject[2], subjects)):
            continue
        rest = clause[subject.end() :]
        denied = rest.startswith((" not ", " n't "))
        rest = rest.removeprefix(" not").removeprefix(" n't")
        state = _STATE.match(rest)
        for start in (1, 1 if state is None else state.end()):
            if asked and _RESTATED[asked].match(rest, start):
                found.add(not denied)
            elif asked in _EXCLUDED and _EXCLUDED[asked].match(rest, start) and not denied:
                found.add(False)
            elif place is not None and _is_same_place(rest[start:], place):
                found.add(not denied)
    return found.pop() if len(found) == 1 else None


def _is_one_of(noun: str, subjects: Sequence[str]) -> bool:
    one = singular_of(noun) or noun
    return any(each in (one, noun) or is_below(one, each) for each in subjects)


def _is_same_place(said: str, place: re.Match[str]) -> bool:
    """ "On the couch", where it was asked about the sofa."""
    asked = place[2].lower()
    at = _ALSO_AT.get(place[1].lower(), place[1].lower())
    found = re.match(rf"(?:{at}) (?:the|an?|his|her|its|their) ([a-z-]+)(?: ([a-z-]+))?", said)
    return found is not None and any(
        noun and is_below(noun, asked) and is_below(asked, noun) for noun in found.groups()
    )


def _is_elsewhere(said: str, asked: str, thing: str) -> bool:
    """ "In front of the couch", "not on it", where it was asked whether it is on the couch."""
    if re.search(rf"\bnot (?:actually |really )?{asked} (?:it|them|{thing}|the {thing})\b", said):
        return True
    same = {"on": "on|on top of", "in": "in|inside", "inside": "in|inside"}.get(asked, asked)
    if re.search(rf"\b(?:{same}) (?:the|an?|his|her|its|their|it)(?: [a-z-]+)? {thing}\b", said):
        return False
    others = _ELSEWHERE[_SAME_PLACE.get(asked, asked)]
    found = re.search(rf"\b(?:{others}) (?:the|a|an|his|her|its|their|that)(?: [a-z-]+)? {thing}\b", said)
    return found is not None and _NOT.isdisjoint(said[: found.start()].split())


def _is_predicate(word: str) -> bool:
    return word.endswith("ing") or any(stem_of(word.lower()) in group for group in _OPPOSITES)


def _by_verb_alone(lowers: Sequence[str], question: str) -> bool | None:
    """ "The man on the left isn't, but the one on the right is"."""
    end = next((place for place, word in enumerate(lowers) if word in _CLAUSE), len(lowers))
    denied = lowers[end - 1 : end] in (["not"], ["n't"])
    verb = end - 1 - denied
    if verb < 2 or lowers[verb] not in _VERBS or lowers[0] not in ("the", "both", "all"):
        return None
    asked = set(tokenize(question).lowers)
    return not denied if asked.issuperset(lowers[:verb]) else None


def _is_of_another_object(said: str, deed: re.Match[str]) -> bool:
    """ "He is riding a skateboard", where it was asked whether he is riding a bike."""
    verb, asked = deed[1].lower(), deed[3].lower()
    behind = f" {deed[2].strip().lower()}" if deed[2] else ""
    if re.search(rf"\b{asked}", said) or not _NOT.isdisjoint(said.split()):
        return False
    thing = r"(?:(?:the|an?|his|her|its|their|some) )?(?:[a-z-]+ )??([a-z-]+)"
    found = re.search(rf"\b{verb}{behind} {thing}(?= [.,;!]|$| (?:{_AFTER_OBJECT})\b)", said)
    if found is None or found[1] in _COVERS or found[1] in ("it", "one", "them"):
        return False
    other, asked = singular_of(found[1]) or found[1], singular_of(asked) or asked
    return not (is_below(other, asked) or is_below(asked, other))


def _is_beside(said: str, deed: re.Match[str]) -> bool:
    """ "He is standing beside the horse", where it was asked whether he is riding it."""
    if deed[1].lower() not in ("riding", "driving") or deed[1].lower() in said:
        return False
    beside = r"(?:standing|walking|sitting) (?:beside|next to|in front of|behind|near|by|with)"
    return re.search(rf"\b{beside} (?:the|an?|his|her|its) {deed[3].lower()}\b", said) is not None


def is_another(lowers: Sequence[str], head: str, deeds: Sequence[str]) -> bool:
    """Whether it is somebody else who does what was asked: "It is a man who is driving", "A man is driving"."""
    said = " ".join(lowers)
    if (cleft := _CLEFT.match(said)) is not None:
        return cleft[1] != head and cleft[1] not in _ANYBODY
    subject = _SUBJECT.match(said)
    if subject is None or not deeds or subject[1] == head:
        return False
    exclusive = any(stem_of(subject[1]) in group and stem_of(head) in group for group in _OPPOSITES)
    stems = {stem_of(word) for word in lowers}
    return exclusive and stems.isdisjoint(_NOT) and all(stem_of(deed) in stems for deed in deeds)


def _holds(said: str, thing: str) -> bool:
    """Whether something is said to be in or on a thing: "There is still half a sandwich on the plate"."""
    found = _HOLDING.search(said)
    if found is None or " no " in said or "nothing" in said:
        return False
    has = re.match(r"(?:[.,;] |but )?(?:no , |well , )?it ", found[0]) is not None
    return has or re.search(rf"\b(?:on|in|inside|at) (?:it|the {thing}|them|there)\b", said) is not None


def _meant(word: str, stem: str, wanted: Sequence[str]) -> str:
    """What was asked for, where a word names a kind of it: the glasses of "sunglasses"."""
    if word == "in" and "wear" in wanted:
        return "wear"  # "in uniform"
    if word in _HAS and (deed := next((each for each in wanted if each in _HAVING_ON), None)) is not None:
        return deed  # "has a hat on"
    if stem in wanted or len(word) < _LONG:
        return stem
    if (deed := next((each for each in wanted if stem in ALSO.get(each, ())), None)) is not None:
        return deed
    return next((each for each in wanted if len(each) >= _LONG and stem.endswith(each)), stem)


def _is_replaced(clause: Sequence[str], said: Sequence[str], wanted: str) -> bool:
    """ "A newspaper instead of an umbrella"."""
    if wanted not in said:
        return False
    before = clause[max(0, said.index(wanted) - 4) : said.index(wanted)]
    if before[-1:] == ["than"] and "more" in before:
        return True  # "more orange than yellow"
    pairs = (("instead", "of"), ("rather", "than"), ("away", "from"))
    return any(first in before and second in before for first, second in pairs)


def _affirmed_by(clause: Sequence[str], wanted: Sequence[str], known: set[str]) -> bool | None:
    said = [stem_of(word) for word in clause]
    said = [_meant(word, stem, wanted) for word, stem in zip(clause, said, strict=True)]
    if wanted in _SWITCHES:  # "on the wall" is not switched on
        behind = [*clause[1:], ""]
        said = ["" if stem in wanted and behind[place] in _BEFORE_PLACES else stem for place, stem in enumerate(said)]
    if len(wanted) > 1 and wanted[-1] not in said and said[-1:] in (["it"], ["them"], ["one"], ["ones"]):
        said = [*said[:-1], wanted[-1]]  # "She does not seem to be talking on it"
    if clause[:1] in (["not"], ["no"]) and wanted[-1] in said:
        return False  # "She is holding a bag, not an umbrella"; "a mustache but no beard"
    if _is_replaced(clause, said, wanted[-1]):
        return False
    if wanted[-1] in said and "without" in clause[max(0, said.index(wanted[-1]) - 3) : said.index(wanted[-1])]:
        return False  # "running freely without a leash"
    if wanted[-1] in said and not _SEEN.isdisjoint(clause) and not _NOT.isdisjoint(clause[: said.index(wanted[-1])]):
        return False  # "I don't see a leash"
    if not _UNSURE.isdisjoint(clause) or (known and known.isdisjoint(said) and _ANY_OF_THEM.isdisjoint(clause)):
        return None
    plain = said[: said.index("with")] if "with" in said else said  # "blue with white stripes"
    if len(wanted) == 1 and wanted[0] in _COLOURS and sum(word in _COLOURS for word in plain) > 1:
        return None  # "It is black and white"
    if all(word in said for word in wanted):
        return _NOT.isdisjoint(clause[: max(said.index(word) for word in wanted)])
    return False if any(_excludes(clause, said, word) for word in wanted) else None
