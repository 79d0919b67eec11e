"""What every test may use."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from PIL import Image

from anamorph import catalog
from tests.surroundings import leave_home

leave_home()

settings.register_profile("anamorph", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("anamorph")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    # A shell that starts tests in the background has them, and all that they start, ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"


@pytest.hookimpl(tryfirst=True)  # xdist reads its groups in the same hook.
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share a fixture of their module go to one worker of xdist, so that it is made once and not twice."""
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("xdist_group") is None:
            used = item._fixtureinfo.name2fixturedefs.values()
            if any(found[-1].scope == "module" for found in used):
                item.add_marker(pytest.mark.xdist_group(item.module.__name__))


@pytest.fixture
def shared() -> Path:
    """The folder of real photos and weights; the test is skipped where it is not there."""
    if not (SHARED / "photos").is_dir():
        pytest.skip("needs the real photos and weights in ../shared, which are not here")
    return SHARED


@pytest.fixture(autouse=True)
def _own_extensions_are_forgotten() -> Iterator[None]:
    yield
    catalog._loaded.clear()


@pytest.fixture(autouse=True)
def _each_test_has_folders_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folders = {"XDG_CACHE_HOME": "cache", "LOCALAPPDATA": "cache", "XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config"}
    for variable, name in folders.items():
        monkeypatch.setenv(variable, str(tmp_path.with_name(f"{tmp_path.name}-{name}")))


@pytest.fixture(autouse=True, scope="session")
def _runs_are_signed_with_a_key_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANAMORPH_KEY", str(tmp_path_factory.mktemp("key") / "run.key"))
        yield


@pytest.fixture
def photos(tmp_path: Path) -> Callable[..., Path]:
    """Makes a folder of small, distinct photos."""

    def make(count: int, size: tuple[int, int] = (48, 32), name: str = "photos") -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for index in range(count):
            noise = np.random.default_rng(index).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
            noise[: size[1] // 2] = (index * 37 % 256, index * 91 % 256, index * 13 % 256)
            Image.fromarray(noise).save(folder / f"{index:04}.png")
        return folder

    return make
