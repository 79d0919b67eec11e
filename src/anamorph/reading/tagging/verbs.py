"""Whether a word that can be a noun or a verb is what someone does here."""

from __future__ import annotations

from anamorph.reading.morphology import singular_of
from anamorph.reading.tagging.context import NOTHING, PLACES, SUBJECTS, Context
from anamorph.reading.tagging.lexicon import WordWeights
from anamorph.reading.wordlists import VERBS, word_list
from anamorph.reading.wordnet import taxonomy

# "to" after these is a preposition: "next to bus stop".
# Where plurals go: "taxis circle around".
_MOTION = word_list("rules", "motion")
_ORDINALS = word_list("again", "ordinals")
_RESTS = word_list("rules", "rests")
_TO_PLACE = word_list("rules", "to_place")
# "to" after these begins what someone does: "about to bat".
_TO_ACT = word_list("rules", "to_act")
# Plurals that describe the noun that follows them.
_SPORTS_S = word_list("rules", "sports_s")
# Words after which only a base form stands.
_BEFORE_BASE = word_list("rules", "before_base")
# Subjects of a plural verb that do not look plural.
_PLURAL_SUBJECTS = word_list("rules", "plural_subjects")
# What travels, and what belongs to it and is none of its deeds: "the train tracks".
_VEHICLES, _OF_VEHICLES = word_list("rules", "vehicles"), word_list("rules", "of_vehicles")
_LONGEST_CLAUSE = 12
# What several do, and what seldom ends a compound as "stand" and "show" do.
_DEEDS = word_list("rules", "deeds")


def does(text: Context, place: int, reading: WordWeights) -> bool:
    """Whether a word in -s is what a subject does, and not more than one thing."""
    before = text.previous()
    if before in ("PRP", "WDT", "WP", "EX") or text.word(place - 1) in SUBJECTS:
        return True
    if text.word(place - 1) == "each":
        return True  # "each holds a flag"
    if before == "CC" and text.after(place).closed in ("VBP", "MD"):
        return False  # "and gulls have settled"
    if text.word(place - 1) in _ORDINALS and text.word(place - 2) == "a" and text.after(place).closed in ("IN", "RB"):
        return True  # "a third watches from the bank"
    if text.word(place - 1) == "another":
        return True  # "another sprays water"
    if text.word(place - 1) == "one" and (text.word(place - 2) in _ORDINALS or text.word(place - 2) == "another"):
        return True  # "a third one sleeps"
    if text.open == "wants" or before in ("IN", "TO", "VBG", "POS", "PRP$", "DT"):
        return False
    if before == "RB":
        return not text.finite and reading.verb_s >= reading.plural
    if text.open == "has":
        return _subject_does(text, place, reading)
    if before == "CC":
        return text.verb == "VBZ" and reading.verb_s >= reading.plural
    if before in ("", ".", ",", ":"):
        return False
    return reading.verb_s > 4 * reading.plural


def _subject_does(text: Context, place: int, reading: WordWeights) -> bool:
    following = text.after(place)
    if following.closed in ("VBZ", "VBP", "MD", "WDT") and text.word(place + 1) != "'s":
        return False
    if text.tags[-1] == "NNS":
        # Two plurals in a row are no compound: "a group of ducks walks along".
        return reading.verb_s * 2 >= reading.plural and following is not NOTHING
    if text.singular:
        # "a taxi idles beside", "a train blurs past": no one says "a taxi idles" of things, only "a Yankees cap"
        likely = reading.verb_s >= 8 or reading.verb_s >= reading.plural
        return likely or text.animate or not text.noun_follows(place)
    if text.definite and following.closed == "IN" and _another_verb_follows(text, place):
        return False
    if text.definite and text.lowers[place - 1] in _VEHICLES and not text.finite:
        if text.lowers[place] in _OF_VEHICLES:
            return False
        if _vehicle_does(text, place):
            return True
    if known_together(text, place):
        return False
    if text.finite:
        return text.animate and text.definite and reading.verb_s >= reading.plural and _begins_clause(text, place)
    if text.animate:
        return reading.verb_s * 4 >= reading.plural or text.object_follows(place)
    follows = text.object_follows(place) or (
        text.definite and (following.closed in ("IN", "RB") or text.word(place + 1) in PLACES)
    )
    return reading.verb_s >= 2 * reading.plural or (follows and reading.verb_s > 1)


def _begins_clause(text: Context, place: int) -> bool:
    """Whether "and" and a subject stand before a word that nothing names further: "and the umpire watches"."""
    first = place - 1
    while first and place - first < 4 and text.tags[first - 1] in ("NN", "JJ"):
        first -= 1
    closed = text.after(place).closed
    return text.tags[max(0, first - 2) : first] in (["CC", "DT"], ["CC", "PRP$"]) and closed in (
        ".",
        "IN",
        "RB",
        ",",
        "TO",
    )


def _vehicle_does(text: Context, place: int) -> bool:
    """Whether a word in -s after "the train" is what it does: "honks at", not "near the bus stops on"."""
    following = text.after(place)
    if following.closed == "CC":
        # "The bus stops and people get off"
        if not text.after(place, 3 if text.after(place, 2).closed == "DT" else 2).animate:
            return False
    elif following.closed not in ("IN", "RB", "TO") and text.word(place + 1) not in PLACES and not following.adverb:
        return False
    first = place - 1
    while first and place - first < 5 and text.tags[first - 1] in ("NN", "JJ", "VBN", "DT", "PRP$"):
        first -= 1
    led = first > 0 and text.tags[first - 1] in ("IN", "TO", "VBG")
    return not led or text.lowers[first - 1] in ("as", "because")


def _another_verb_follows(text: Context, place: int) -> bool:
    """Whether the clause goes on with a plural verb: "the boat docks on the lake are empty"."""
    for at in range(place + 1, min(place + _LONGEST_CLAUSE, len(text.weights))):
        closed = text.weights[at].closed
        if closed in ("VBP", "MD"):
            return True
        if closed in (".", ",", ":", "CC", "WDT", "WP", "WRB", "PRP") or text.lowers[at] in ("as", "that"):
            break
    return False


def known_together(text: Context, place: int) -> bool:
    """Whether WordNet knows the noun before this word and the word as one thing: "teddy bears"."""
    return taxonomy().knows(f"{text.lowers[place - 1]} {singular_of(text.lowers[place]) or text.lowers[place]}")


def acts(text: Context, place: int, reading: WordWeights) -> bool:
    """Whether a word that can be a verb's base form is one here."""
    before = text.previous()
    noun = max(reading.noun, reading.plural, reading.adjective)
    if before == "MD" or text.word(place - 1) in _BEFORE_BASE:
        return True
    if text.word(place - 1) == "them" and text.word(place - 2) == "of":
        return reading.verb > 1  # "two of them look empty"
    if before == "TO":
        if text.word(place - 2) in _TO_PLACE:
            return False
        if text.word(place - 2) in _TO_ACT:
            return True
        return reading.verb >= noun or (
            reading.verb > 1 and (text.object_follows(place) or text.after(place).closed == "IN")
        )
    if before in ("PRP", "WP", "WDT") and (text.word(place - 1) in SUBJECTS or text.word(place - 1) == "that"):
        return reading.verb > 1
    if text.open == "wants":
        return False
    if text.open == "has":
        if before == "NNS" and (text.word(place - 1) not in _SPORTS_S or reading.verb > 4 * reading.noun):
            goes_on = _names_more(reading) and text.word(place + 1) not in _MOTION
            return not text.finite and reading.verb > 1 and not goes_on
        if text.lowers[place] in _DEEDS and not text.finite and _is_where_some_are(text, place):
            return not known_together(text, place)
        object_ = text.after(place).closed in ("DT", "PRP$")
        if text.animate and object_ and reading.verb * 2 >= reading.noun:
            return True  # "watching a person play a game"
        if object_ and not text.finite and (text.coordinated or not text.singular) and reading.verb > 1:
            return True  # "officers on horseback patrol the park"
        if text.coordinated and not text.finite and (text.animate or text.lowers[place] in _RESTS):
            return reading.verb * 2 >= reading.noun and text.after(place) is not NOTHING
        led = text.after(place).closed in ("IN", "RB") and not known_together(text, place)
        if text.coordinated and not text.finite and led and (text.animate or reading.verb >= reading.noun):
            return True  # "two buses and a taxi drive along the road"
        # "sheep graze", not "a sheep farm"
        subject = text.word(place - 1) in _PLURAL_SUBJECTS and not text.finite
        return subject and (text.lowers[place] in VERBS or reading.verb > reading.noun)
    if before == "CC":
        return text.verb in ("VB", "VBP") and reading.verb >= noun
    if before == "RB":
        return reading.verb > 2 * noun and not text.finite
    return not reading.noun and not reading.plural and not text.noun_follows(place)


def _is_where_some_are(text: Context, place: int) -> bool:
    """Whether the noun before a verb only says where its subjects are: "boys on a bench look", "a cat and a dog in"."""
    first = place - 1
    while first and place - first < 6 and text.tags[first - 1] in ("NN", "JJ", "DT", "PRP$", "VBN"):
        first -= 1
    if first < 2 or text.tags[first - 1] != "IN" or text.lowers[first - 1] == "of":
        return False
    return text.tags[first - 2] == "NNS" or (text.tags[first - 2] == "NN" and text.coordinated)


def _names_more(reading: WordWeights) -> bool:
    """After a plural: "windows fireplace books" goes on naming."""
    return reading.noun > 4 * reading.verb
