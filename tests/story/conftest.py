from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink import Engine
from bethink.story import Story
from tests.engines_of_tests import STORES, engine_on
from tests.story.telling import story_in


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """On both stores: what a story remembers must not depend on where it is kept."""
    with engine_on(request.param, tmp_path, embedder="hashing") as one:
        yield one


@pytest.fixture
def story(engine: Engine) -> Story:
    return story_in(engine)
