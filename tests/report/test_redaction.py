from __future__ import annotations

import pytest

from anamorph.report.redaction import HIDDEN, without_secrets


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
    ],
)
def test_references_and_plain_settings_stay_as_they_are(settings: dict[str, object]) -> None:
    assert without_secrets(settings) == settings
