"""The words of a caption as COCO's caption evaluation counts them: lower case, Penn Treebank style, no punctuation.

COCO's own code starts Stanford's tokenizer in Java. These rules give the same words for captions without it: clitics
are words of their own ("does n't", "man 's"), hyphens and slashes join, and everything but words, numbers and a few
signs is left out.
"""

from __future__ import annotations

import re

_CLITIC = re.compile(r"(?<=\w)(n't|'(?:s|m|d|re|ve|ll))\b")
# Words that the Treebank splits in two.
_TWO_WORDS = {"cannot": "can not", "gonna": "gon na", "gotta": "got ta", "wanna": "wan na", "lemme": "lem me"}
_SPLIT = re.compile(rf"\b(?:{'|'.join(_TWO_WORDS)})\b")
_WORD = re.compile(
    r"n't\b|'(?:s|m|d|re|ve|ll)\b"  # clitics
    r"|(?:[a-z]\.){2,}"  # u.s.
    r"|\d+(?:[.,:]\d+)+"  # 3.5, 1,000, 12:30
    r"|\w+(?:[-/]\w+)*"  # dog, t-shirt, black/white
    r"|[&$%#@+=]"
)


def words_of(caption: str) -> tuple[str, ...]:
    text = caption.lower().replace("\u2019", "'")
    text = _SPLIT.sub(lambda found: _TWO_WORDS[found[0]], text)
    return tuple(_WORD.findall(_CLITIC.sub(r" \1", text)))
