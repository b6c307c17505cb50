"""What asks others: a language model, and a site of the web."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.embedders.serving import Server, server_at
from tests.knowledge.model_of_tests import Model
from tests.knowledge.web.serving_web import Site, a_site


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def server(model: Model) -> Iterator[Server]:
    with server_at("/v1", model) as one:
        yield one


@pytest.fixture
def site() -> Iterator[Site]:
    with a_site() as one:
        yield one
