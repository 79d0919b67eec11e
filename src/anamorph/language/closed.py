"""The closed classes of English, and the words whose part of speech in captions is not what WordNet's texts say."""

from __future__ import annotations

from anamorph.language.wordlists import word_list, word_names, word_order

# A word that has one tag wherever it stands.
CLOSED: dict[str, str] = {word: tag for tag in word_names("closed_tags") for word in word_order("closed_tags", tag)}

BE = word_list("closed", "be")
AUXILIARY = BE | word_list("closed", "auxiliary")

# Adjectives that WordNet also lists as nouns; in a caption they name nothing ("the old", "in white").
ADJECTIVES = word_list("closed", "adjectives")

# Nouns that are as often adjectives: they name something when no noun follows and a determiner precedes.
COLOURS = word_list("closed", "colours")

# Nouns and adjectives in equal parts: a noun follows, and they describe it.
DUAL = word_list("closed", "dual")

# Gerund forms that are things; they head a group unless an object follows ("a man painting a wall").
GERUND_NOUNS = word_list("closed", "gerund_nouns")

# Words that are nouns first in captions although WordNet's texts, or their endings, say otherwise.
NOUNS = word_list("closed", "nouns")

# Verbs of captions whose forms WordNet lists as nouns too; after a noun they are what it does.
VERBS = word_list("closed", "verbs")

# Verbs whose noun a caption never means.
ONLY_VERBS = word_list("closed", "only_verbs")
