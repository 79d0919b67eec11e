"""No secret is shown or stored, in whatever form it came back and wherever a text is cut."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus, unquote

import pytest
from hypothesis import assume, given, strategies as st

from anamorph.errors import Transient
from anamorph.http.messages import Reply, error_of, excerpt, json_of
from anamorph.http.secrets import MARK, REDACTED, Redactor

# Printable ASCII, as check_variables has it; a secret like the mark itself cannot be told from it.
SECRETS = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=6, max_size=40).filter(
    lambda text: "*" not in text and not text.isspace() and text.strip() == text and text not in REDACTED
)
WORDS = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), max_size=40)


def fully_percent(text: str) -> str:
    return "".join(f"%{ord(character):02x}" for character in text)


def unicode_escaped(text: str) -> str:
    return "".join(f"\\u{ord(character):04X}" for character in text)


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "percent-encoded": lambda text: quote(text, safe=""),
    "percent-encoded as a path": quote,
    "percent-encoded as a form": quote_plus,
    "percent-encoded in lower case": lambda text: quote(text, safe="").lower() if text.islower() else quote(text),
    "percent-encoded twice": lambda text: quote(quote(text, safe=""), safe=""),
    "every character percent-encoded": fully_percent,
    "JSON-escaped": lambda text: json.dumps(text)[1:-1],
    "JSON-escaped with slashes": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "JSON-escaped twice": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "every character JSON-escaped": unicode_escaped,
    "as Python writes it": lambda text: repr(text)[1:-1],
    "HTML-escaped": html.escape,
}


@pytest.mark.parametrize("form", FORMS)
@given(SECRETS, WORDS, WORDS)
def test_a_secret_is_hidden_in_every_form(form: str, secret: str, before: str, after: str) -> None:
    shown = Redactor([secret]).redact(f"{before}{FORMS[form](secret)}{after}")
    assert secret not in shown and FORMS[form](secret) not in shown
    assert secret not in unquote(shown) or secret in unquote(before + MARK + after)
    assert MARK in shown


@given(SECRETS, st.binary(max_size=20), st.binary(max_size=20), st.booleans())
def test_a_secret_is_hidden_in_base64_wherever_it_stands(
    secret: str, before: bytes, after: bytes, url_safe: bool
) -> None:
    encode = base64.urlsafe_b64encode if url_safe else base64.b64encode
    sent = encode(before + secret.encode() + after).decode()
    shown = Redactor([secret]).redact(f"Basic {sent}")
    assert MARK in shown
    # What is left of it does not say a character of the secret: all its bits are in characters that are gone.
    first, last = 8 * len(before) // 6, -(-8 * (len(before) + len(secret)) // 6)
    kept, _, rest = shown.removeprefix("Basic ").partition(MARK)
    assert len(kept) <= first and len(rest) <= len(sent) - last


@given(SECRETS, st.integers(0, 400), st.integers(1, 120), st.sampled_from(sorted(FORMS)))
def test_a_secret_is_hidden_before_a_text_is_cut(secret: str, before: int, characters: int, form: str) -> None:
    said = FORMS[form](secret)
    body = f"{'x' * before} {said} and {'y' * 4000}".encode()
    assume(not any(part in "x" * before + " and ..." for part in (said[:4], secret[:4])))
    shown = excerpt(body, characters, Redactor([secret]))
    for length in range(4, len(said) + 1):
        assert said[:length] not in shown, "the beginning of the secret is there"


def test_what_white_space_hides_is_not_shown_by_squeezing_it() -> None:
    secret = "abcdefghij" * 4
    for padding in range(0, 700, 7):
        body = (" " * padding + secret + " " * 5000).encode()
        assert "abcd" not in excerpt(body, 40, Redactor([secret]))


@given(SECRETS, WORDS)
def test_a_secret_in_a_successful_reply_is_marked_as_redacted(secret: str, words: str) -> None:
    redactor = Redactor([secret])
    plain = {"text": f"{words}{secret}", secret: [{"deep": secret}], "url": quote(secret, safe=""), "score": 0.5}
    found = json_of(Reply(200, {}, json.dumps(plain).encode()), "http://host/", redactor)
    assert secret not in json.dumps(found, ensure_ascii=False)
    assert REDACTED in found["text"] and found[REDACTED] == [{"deep": REDACTED}] and found["score"] == 0.5


def test_a_reply_without_secrets_is_not_touched() -> None:
    plain = {"text": '100% \\ "quoted" & more', "labels": {"dog": 0.5}}
    redactor = Redactor(["sk-abcdefgh", "Bearer sk-abcdefgh"])
    assert json_of(Reply(200, {}, json.dumps(plain).encode()), "http://host/", redactor) == plain


def test_errors_and_replies_that_are_no_json_quote_no_half_secret() -> None:
    secret = "Zm9vYmFyZm9v/+Zm9vYmFy"
    redactor = Redactor([secret, f"Bearer {secret}"])
    for padding in range(100, 320):
        body = b"x" * padding + f" {secret} {json.dumps(secret)} ".encode() + b"y" * 900
        error = error_of(Reply(401, {}, body), "http://host/", redactor)
        assert error is not None and "Zm9vY" not in str(error)
        with pytest.raises(Transient) as caught:
            json_of(Reply(200, {"content-type": secret}, body), "http://host/", redactor)
        assert "Zm9vY" not in str(caught.value)
