"""Every test runs in a home of its own: no test reads or writes the settings of whoever runs it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from bethink import Engine
from bethink.testing import FakeClock
from tests.embedders_of_tests import Letters
from tests.engines_of_tests import STORES, engine_on

# A shared machine is slow at times: that says nothing about the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture(scope="session", autouse=True)
def home_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One home for the session, so that the unpacked copy of the model is made once."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("BETHINK_"):
                patch.delenv(name)
        for name in ("HOME", "USERPROFILE"):
            patch.setenv(name, str(home))
        for name in ("DATA", "CONFIG", "CACHE", "STATE"):
            folder = home / name.lower()
            folder.mkdir()
            patch.setenv(f"XDG_{name}_HOME", str(folder))
        patch.setenv("NO_PROXY", "127.0.0.1,localhost")
        patch.chdir(home)
        yield home


@pytest.fixture
def quick_path() -> Iterator[Path]:
    """A directory in memory where there is one: what is right does not depend on the disk."""
    shared = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=shared if shared.is_dir() else None))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[Engine]:
    with engine_on(request.param, tmp_path, embedder=Letters(), clock=clock) as made:
        yield made
