from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.composites import closing as closing
from tests.contract.filled import path as path
from tests.contract.filled import reference as reference


@pytest.fixture
def quick_path() -> Iterator[Path]:
    """A directory in memory where there is one: what is right does not depend on the disk."""
    shared = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=shared if shared.is_dir() else None))
    yield folder
    shutil.rmtree(folder)
