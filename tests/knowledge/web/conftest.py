"""An engine that searches a site of ours."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bethink import Engine
from tests.knowledge.web.asking_web import KNOWN, engine_for
from tests.knowledge.web.serving_web import Site


@pytest.fixture
def engine(site: Site) -> Iterator[Engine]:
    with engine_for(site) as one:
        one.remember(KNOWN, space="metro")
        yield one
