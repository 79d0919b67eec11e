from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from anamorph.errors import UsageError
from anamorph.http.secrets import (
    HIDDEN,
    Redactor,
    check_variables,
    fill,
    names_a_secret,
    without_logins,
    without_secrets,
)

PRINTABLE = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=4)


@given(PRINTABLE, st.text(), st.text())
def test_a_known_secret_is_hidden_in_every_form(secret: str, before: str, after: str) -> None:
    # A secret made of stars, or one that the mark itself completes, cannot be told from the mark.
    if "*" in secret:
        return
    redactor = Redactor([secret])
    for form in (secret, quote(secret, safe=""), json.dumps(secret)[1:-1]):
        shown = redactor.redact(f"\x00{form}\x00")
        assert secret not in shown and "***" in shown
    assert secret not in redactor.redact(before + secret + after)


def test_a_secret_that_contains_another_is_hidden_whole() -> None:
    assert Redactor(["abcd", "abcdefgh"]).redact("key abcdefgh") == "key ***"


@pytest.mark.parametrize(
    "name",
    ["Authorization", "X-API-Key", "api_key", "Ocp-Apim-Subscription-Key", "apiKey", "X-Auth-Token", "sig", "Cookie"],
)
def test_names_of_secrets_are_known(name: str) -> None:
    assert names_a_secret(name)


@pytest.mark.parametrize("name", ["Accept", "max_tokens", "X-Model", "keyboard", "api-version", "design", "Author"])
def test_other_names_are_left_alone(name: str) -> None:
    assert not names_a_secret(name)


def test_variables_are_filled_in_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMORPH_TEST_KEY", "one")
    assert fill("Bearer ${ANAMORPH_TEST_KEY}!") == "Bearer one!"
    monkeypatch.setenv("ANAMORPH_TEST_KEY", "two")
    assert fill("${ANAMORPH_TEST_KEY}${ANAMORPH_TEST_KEY}") == "twotwo"


@pytest.mark.parametrize(
    ("value", "said"), [(None, "not set"), ("", "empty"), ("hush\n", "printable ASCII"), ("hüsh", "ASCII")]
)
def test_a_variable_that_cannot_be_used_is_named_and_its_value_is_not(
    monkeypatch: pytest.MonkeyPatch, value: str | None, said: str
) -> None:
    monkeypatch.delenv("ANAMORPH_TEST_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("ANAMORPH_TEST_KEY", value)
    with pytest.raises(UsageError) as caught:
        check_variables("Bearer ${ANAMORPH_TEST_KEY}", "The header 'X'")
    assert said in str(caught.value) and "The header 'X' needs the environment variable ANAMORPH_TEST_KEY" in str(
        caught.value
    )
    assert "hush" not in str(caught.value) and "hüsh" not in str(caught.value)


@pytest.mark.parametrize("text", ["${", "${}", "${1A}", "${A B}", "x${KEY"])
def test_a_variable_that_is_misspelt_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="does not begin a variable"):
        check_variables(text, "The url")


# --- secrets that nobody has told us of ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {"headers": {"Authorization": "Bearer SECRET"}},
        {"headers": {"X-Anything": "SECRET"}},
        {"headers": {"Authorization": "Bearer ${TOKEN}SECRET"}},
        {"headers": {"Authorization": "SECRET-${TOKEN}-and-more-of-the-same"}},
        {"api_key": "SECRET"},
        {"apikey": ["SECRET"]},
        {"auth": {"user": "SECRET", "more": [{"deep": "SECRET"}]}},
        {"env": {"TOKEN": "SECRET"}},
        {"password": 12345},
        {"url": "https://somebody:SECRET@host/path"},
        {"url": "https://host/path?x=1&access_key=SECRET&y=2"},
        {"command": "ask --token SECRET --verbose"},
        {"command": "ask --api-key=SECRET"},
        {"command": "ask --verbose --key -SECRET --token 'SECRET'"},
        {"url": "https://host/?sig=SECRET"},
        {"pwd": "SECRET"},
        {"authtoken": "SECRET"},
        {"command": "curl -H 'Authorization: Bearer SECRET'"},
        {"command": "curl -H 'Authorization: Basic SECRET'"},
        {"model": "sk-SECRET0123456789abcdef"},
    ],
)
def test_a_secret_that_was_written_out_is_hidden(settings: dict[str, object]) -> None:
    shown = str(without_secrets(settings))
    assert "SECRET" not in shown and "12345" not in shown
    assert HIDDEN in shown


@pytest.mark.parametrize(
    "settings",
    [
        {"headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}"}},
        {"url": "https://${USER}:${PASSWORD}@host/path?api_key=${KEY}"},
        {"command": "ask --token ${TOKEN} --size 3"},
        {"url": "https://host:8080/v1/ask?model=seer", "model": "seer-2", "max_tokens": 40, "timeout_seconds": 2.5},
        {"prompt": "Name the basic colours; bearer of the key, token of love."},
        {"labels": ["keyboard", "monkey", "author"], "fast": True, "seed": None},
        {"url": "https://host/?monkey=1&author=2", "command": "ask --monkey business --author me"},
        {"key_variable": "OPENAI_API_KEY", "token_variable": ""},
    ],
)
def test_references_and_plain_settings_stay_as_they_are(settings: dict[str, object]) -> None:
    assert without_secrets(settings) == settings


def test_logins_in_addresses_are_hidden() -> None:
    assert without_logins("GET http://me:pw@x/a and //you@y") == f"GET http://{HIDDEN}@x/a and //{HIDDEN}@y"
    assert (
        without_logins("a@b.example, http://x/@y, http://${ME}:${PW}@x")
        == "a@b.example, http://x/@y, http://${ME}:${PW}@x"
    )
