"""A page, a search, a store or an embedder that fails or hangs: the others answer."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from typing import Any

import pytest

from bethink import Engine, Status
from bethink.errors import EmbedderError, StoreError
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.passages import Passages
from bethink.knowledge.web import web_stage
from bethink.settings import Settings
from bethink.stores.in_memory import InMemoryStore
from bethink.testing import run_at_once
from bethink.vocabulary import Found
from tests.embedders.serving import Reply
from tests.embedders_of_tests import Letters
from tests.knowledge.web.asking_web import (
    KNOWN,
    QUESTION,
    TOLD,
    ask,
    engine_for,
    from_web,
    notes,
    texts,
)
from tests.knowledge.web.serving_web import Site, html, redirect, talking


def test_a_page_that_cannot_be_read_is_what_the_search_says_of_it(
    site: Site, engine: Engine
) -> None:
    site.publish("/gone", Reply(500), title="Maglev 磁浮", snippet=TOLD)
    site.publish("/pdf", Reply(body=b"%PDF", headers={"Content-Type": "application/pdf"}))
    found = ask(engine)
    hit = next(h for h, _ in found if "web" in h.channels)
    assert hit.text == TOLD
    assert hit.memory.metadata["whole_page"] is False
    assert found.status is Status.DEGRADED
    assert found.reasons == (
        "none of the 2 pages that searxng named could be read; 'explain' says why",
    )
    assert "answered 500" in notes(found)
    assert "application/pdf" in notes(found)


BAD = {
    "500": Reply(500, b"oops"),
    "a page": html("<p>hello</p>"),
    "garbage": Reply(body=b"\x00\xff" * 99),
    "a redirect inside": redirect("http://169.254.169.254/"),
    "no list": Site.say({"results": "none"}),
}


@pytest.mark.parametrize("name", BAD)
def test_a_search_that_fails_leaves_what_is_known(site: Site, engine: Engine, name: str) -> None:
    site.pages["/search"] = BAD[name]
    found = ask(engine)
    assert texts(found) == [KNOWN]
    assert found.status is Status.DEGRADED
    assert found.reasons[0].startswith("the web is left out: 127.0.0.1: ")


def test_a_search_that_names_nothing_is_no_fault(site: Site, engine: Engine) -> None:
    found = ask(engine)
    assert texts(found) == [KNOWN]
    assert found.status in (Status.ANSWERED, Status.UNCERTAIN)  # it is of another line
    assert "searxng names no page" in notes(found)


def test_a_search_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    settings = Settings(web_search="searxng", web_endpoint=f"http://127.0.0.1:{port}")
    with engine_for(None, settings=settings) as engine:
        engine.remember(KNOWN, space="metro")
        found = KnowledgeBase(engine, "metro").search(QUESTION, web=True)
    assert (texts(found), found.status) == ([KNOWN], Status.DEGRADED)


def _hangs(caller: socket.socket) -> None:
    time.sleep(20)


@pytest.mark.parametrize("meaning", [True, False])
def test_a_search_that_hangs(meaning: bool) -> None:
    with talking(_hangs) as port:
        settings = Settings(web_search="searxng", web_endpoint=f"http://127.0.0.1:{port}")
        with engine_for(None, settings=settings) as engine:
            engine.remember(KNOWN, space="metro")
            began = time.monotonic()
            found = ask(
                engine, web=web_stage(engine), deadline=1.0, disable_vector_match=not meaning
            )
            assert time.monotonic() - began < 10
    assert (texts(found), found.status) == ([KNOWN], Status.DEGRADED)
    assert "not done in time" in found.reasons[0]


def test_pages_that_hang_do_not_hold_up_the_others(site: Site, engine: Engine) -> None:
    site.publish("/a", html(f"<p>{TOLD}</p>"))
    with talking(_hangs) as port:
        late = f"http://slow.example:{port}/"
        site.results.append({"title": "slow", "url": late, "content": "磁浮 maglev 慢"})
        found = ask(engine, deadline=3.0)
    assert TOLD in from_web(found)
    assert "磁浮 maglev 慢" in from_web(found)  # what the search says stands in
    assert found.status is Status.ANSWERED
    assert "was not done in time" in notes(found)


def test_many_that_hang_take_no_threads_from_memories(site: Site) -> None:
    """Twelve at once: every one of them is answered by meaning too."""
    with talking(_hangs) as port:
        settings = Settings(web_search="searxng", web_endpoint=f"http://127.0.0.1:{port}")
        with engine_for(None, settings=settings) as engine:
            engine.remember(KNOWN, space="metro")

            def one(_: int) -> Passages:
                return ask(engine, web=web_stage(engine), deadline=2.0)

            found = run_at_once(one, range(12))
    assert len(found) == 12
    for passages in found:
        (hit,) = (hit for hit, _ in passages)
        assert {"words", "meaning"} <= hit.channels.keys()
        assert passages.status is Status.DEGRADED


class _NoWords(InMemoryStore):
    """A store whose index of words is broken."""

    def search_words(self, *args: Any, **options: Any) -> list[Found]:
        raise StoreError("the index of words is damaged")


def test_a_broken_store_leaves_the_web(site: Site) -> None:
    site.publish("/a", html(f"<p>{TOLD}</p>"))
    with Engine(
        _NoWords(),
        settings=Settings(web_search="searxng", web_endpoint=site.address),
        embedder="none",
    ) as engine:
        engine.remember(KNOWN, space="metro")
        found = ask(engine)
    assert texts(found) == [TOLD]
    assert found.status is Status.DEGRADED
    assert found.reasons == (
        "search_words failed: the store cannot do its work now; the log says why",
    )


class _Failing(Letters):
    """Embeds questions, and no documents any more once it is told so."""

    broken = False

    def embed(self, texts: Sequence[str], *, kind: Any) -> Any:
        if self.broken and kind == "document":
            raise EmbedderError("out of memory")
        return super().embed(texts, kind=kind)


def test_an_embedder_that_fails_leaves_the_words(site: Site) -> None:
    site.publish("/a", html(f"<p>{TOLD}</p>"))
    embedder = _Failing()
    with engine_for(site, embedder=embedder) as engine:
        engine.remember(KNOWN, space="metro")
        embedder.broken = True
        found = ask(engine)
    assert TOLD in from_web(found)
    assert "ranked by words alone" in notes(found)
