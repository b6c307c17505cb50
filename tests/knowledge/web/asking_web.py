"""A base about trains, and a question that only the web can answer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bethink import Engine
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.passages import Passages
from bethink.knowledge.web import SearchWeb, web_stage
from bethink.settings import Settings
from bethink.testing import FakeClock
from tests.embedders_of_tests import Letters
from tests.knowledge.web.serving_web import Site, local_fetcher

NOW = datetime(2026, 11, 16, 8, 30, tzinfo=UTC)
KNOWN = "三号线的末班车是十点四十五分。The last train of line 3 leaves at 22:45."
TOLD = "磁浮列车的末班车是二十一点四十分。The last maglev train leaves at 21:40."
QUESTION = "磁浮列车末班车 last maglev train"
FILLER = "<p>天气很好，大家都去公园散步。The weather was fine and people took walks.</p>"


def engine_for(site: Site | None, **options: Any) -> Engine:
    address = site.address if site else "http://127.0.0.1:9"
    settings = Settings(web_search="searxng", web_endpoint=address)
    return Engine.in_memory(
        **{"settings": settings, "clock": FakeClock(NOW), "embedder": Letters(), **options}
    )


def stage(engine: Engine, **options: Any) -> SearchWeb:
    return web_stage(engine, fetcher=local_fetcher(**options))


def ask(engine: Engine, text: str = QUESTION, **options: Any) -> Passages:
    options.setdefault("web", stage(engine))
    return KnowledgeBase(engine, "metro").search(text, **options)


def texts(found: Passages) -> list[str]:
    return [hit.text for hit, _ in found]


def notes(found: Passages) -> str:
    return "\n".join(note for step in found.recollection.trace.steps for note in step.notes)


def from_web(found: Passages) -> list[str]:
    return [hit.text for hit, _ in found if "web" in hit.channels]
