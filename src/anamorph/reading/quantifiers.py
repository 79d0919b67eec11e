"""What stands before a noun and says how many there are."""

from __future__ import annotations

from collections.abc import Sequence

from anamorph.model.reading import GrammaticalNumber
from anamorph.reading.morphology import PAIRED, PLURAL_ONLY, ZERO_PLURALS
from anamorph.reading.quantity import COLLECTIVES, EDIBLE, KINDS, MANY, MASSES, ONE, OTHERS, number_of

# No number has more words; those of more are none.
_LONGEST_NUMBER = 24


class Group:
    """A noun group while it is being read: its determiner, numbers and quantifiers."""

    # Defaults of the class, because most groups of a long text need no more than these.
    begun = False
    determiner = ""
    numbers: Sequence[str] = ()
    many = False
    one = False
    about = False  # the number is not exact: "about ten", "two or three"
    none = False  # what is named is said to be absent
    half = False  # "half a dozen"
    other = False  # "the other dog" is not the one before
    sealed = False  # what follows "three of" says of how many
    collective = ""  # "herd" of "a herd of"
    collective_count: int | None = None

    def __init__(self, none: bool = False) -> None:
        if none:
            self.none = True

    @property
    def quantified(self) -> bool:
        """Something before "of" said how many."""
        return bool(self.collective or self.numbers or self.many or self.none)

    def determined(self, word: str, after_of: bool) -> Group:
        """The group after a determiner, which begins a new one unless it goes on after "of" or another determiner."""
        if after_of and (self.quantified or self.one):
            return self
        if self.begun and word in ("no", "all", "both"):
            return self
        fresh = Group(none=word == "no" or self.none)
        fresh.begun, fresh.determiner = True, word
        if self.half:
            fresh.half = True
        if self.many or word in MANY:
            fresh.many = True
        elif word in ONE:
            fresh.one = True
        if "both" in (word, self.determiner):
            fresh.numbers = ("two",)
        return fresh

    def modified(self, word: str) -> None:
        self.begun = True
        if word in OTHERS:
            self.other = True
        if word in MANY:
            self.many, self.one = True, False
        elif word == "half":
            self.half = True
        elif word in ("single", "lone"):
            self.numbers, self.one = ("one",), True
        elif word in ("year", "years", "month", "week", "yr", "old"):
            # The number was an age: "two year old girl".
            self.numbers, self.about = (), False

    def counted(self, word: str, about: bool) -> None:
        self.begun = True
        if not self.sealed:
            self.numbers = (*self.numbers[-_LONGEST_NUMBER:], word)
            self.about = self.about or about

    def collected(self, word: str) -> Group:
        """The group after "a couple of" and the like."""
        fresh = Group(self.none)
        fresh.begun, fresh.collective = True, word
        if word in KINDS:
            fresh.many = self.many or bool(self.numbers)
            return fresh
        stated = number_of(self.numbers) if self.numbers else None
        value = COLLECTIVES.get(word)
        if word == "pairs" or (word == "pair" and stated not in (None, 1)):
            fresh.collective, fresh.numbers = "pairs", self.numbers
        elif stated is None or stated == 1:
            fresh.collective_count = None if self.about else value
        elif word == "dozen" and not self.about:
            # Two dozen are 24; two groups say nothing exact.
            fresh.collective_count = stated * 12
        return fresh

    # --- how many ----------------------------------------------------------------------------------------------------

    def how_many(
        self, word: str, plural_form: bool, paired: bool, agreement: str
    ) -> tuple[GrammaticalNumber, int | None]:
        """The number and the exact count of a noun that this group ends in.

        `paired` says that its plural is one thing (scissors). `agreement` is the number of the verb that follows.
        """
        by_form: GrammaticalNumber = "plural" if plural_form else "singular"
        if self.none:
            return by_form, 0
        stated = number_of(self.numbers) if self.numbers else None
        if self.half and stated is not None and self.numbers[-1] == "dozen":
            stated //= 2
        exact = None if self.about else stated
        if self.collective:
            return self._how_many_collected(word, plural_form, paired, exact)
        if stated is not None:
            if stated == 0:
                return by_form, 0
            if self.determiner in ("a", "an") and stated > 1 and not plural_form and word not in ZERO_PLURALS:
                return "singular", None  # "a two layer cake"
            return ("singular" if stated == 1 and not self.about else "plural"), exact
        if self.many or word in PLURAL_ONLY:
            return "plural", None
        if paired:
            return ("singular" if self.one else "unknown"), None
        if word in ZERO_PLURALS:
            return self._how_many_of_one_form(word, agreement), None
        if plural_form:
            return "plural", None
        return ("unknown" if self.determiner == "some" else "singular"), None

    def _how_many_collected(
        self, word: str, plural_form: bool, paired: bool, exact: int | None
    ) -> tuple[GrammaticalNumber, int | None]:
        """After "a pair of", "a herd of", "a lot of", "two kinds of"."""
        if self.collective == "pair" and paired:
            return "singular", 1
        if self.collective == "pairs":
            return "plural", exact if paired else None
        if exact is not None:
            return ("singular" if exact == 1 else "plural"), exact  # "a group of four women"
        if self.collective in KINDS:
            if plural_form or word in PLURAL_ONLY:
                return "plural", None
            return ("unknown" if self.many else "singular"), None
        if self.collective in MASSES and not plural_form and word not in PLURAL_ONLY:
            return ("plural" if word in ZERO_PLURALS and word not in EDIBLE else "unknown"), None
        return "plural", self.collective_count

    def _how_many_of_one_form(self, word: str, agreement: str) -> GrammaticalNumber:
        """One or many sheep: the determiner shows it, or the verb."""
        if self.one:
            return "singular"
        if agreement:
            return "plural" if agreement == "plural" else "singular"
        return "plural" if self.determiner == "some" and word not in EDIBLE else "unknown"


def is_paired(word: str, of_something: bool, in_name: bool) -> bool:
    """Whether a plural is one thing; the glasses in "glasses of beer" and "wine glasses" are not."""
    return word in PAIRED and not (word == "glasses" and (of_something or in_name))
