"""Whatever fits the OpenAPI description, and whatever does not: no answer is a fault of ours, and
every answer is as it is described. The seed is fixed: what fails once fails again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.doors.http.served import LONG, Served, served_on
from tests.doors.http.ways import WAYS

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)
ENDLESS = "/v1/events/stream"  # it does not end by itself: test_live


@schemathesis.serializer("application/x-ndjson", "text/csv")
def lines(context: object, value: object) -> bytes:
    """Whatever comes, as lines: mostly no JSON."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_on(tmp_path_factory.mktemp("fuzz") / "m.db", open_to_all=True) as served:
        client = served.client()
        for text in ("小美喜欢深色主题 dark mode", "预算会议改到周五"):
            client.post("/v1/memories", json={"text": text})
        client.post("/v1/offers", json={"text": LONG, "id": "offer/一"})
        client.post(
            "/v1/knowledge/base/documents", params={"name": "指南.md"}, content="# 指南\n\n预算"
        )
        yield served


@pytest.fixture(scope="module")
def described(served: Served) -> BaseSchema:
    found = schemathesis.openapi.from_dict(served.app.openapi())
    found.config.update(base_url=served.address)
    return found


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize("way", [way for way in WAYS if way[1] != ENDLESS], ids=" ".join)
def test_no_answer_is_a_fault_of_ours(
    described: BaseSchema, way: tuple[str, str], mode: GenerationMode
) -> None:
    method, path = way
    operation = described[path][method]

    @settings(
        max_examples=20,
        derandomize=True,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def walk(case: Case[Any]) -> None:
        case.call_and_validate(checks=list(CHECKS), timeout=30)

    walk()
