"""Asking with the web beside the documents: cited, marked as unverified, and a turn like others."""

from __future__ import annotations

from bethink import Engine
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.web import web_stage
from bethink.settings import Settings
from tests.embedders.serving import Server
from tests.embedders_of_tests import Letters
from tests.knowledge.model_of_tests import Model, given
from tests.knowledge.web.serving_web import Site, html, local_fetcher

TOLD = "磁浮列车的末班车是二十一点四十分。The last maglev train leaves at 21:40."
QUESTION = "磁浮列车末班车 last maglev train"


def test_a_page_is_cited_and_said_to_be_unverified(
    site: Site, server: Server, model: Model
) -> None:
    url = site.publish("/maglev", html(f"<article><p>{TOLD}</p></article>", title="磁浮 Maglev"))
    settings = Settings(
        web_search="searxng",
        web_endpoint=site.address,
        llm="openai:small",
        llm_endpoint=server.address,
    )
    with Engine.in_memory(embedder=Letters(), settings=settings) as engine:
        engine.remember("三号线的末班车是十点四十五分。", space="metro")
        base = KnowledgeBase(engine, "metro")
        page = web_stage(engine, fetcher=local_fetcher())
        model.answer = lambda told: {
            "known": True,
            "answer": " ".join(f"{one['text']} [{one['number']}]" for one in told["passages"])
            + f" See {url}",
        }
        answer = base.ask(QUESTION, web=page)
        shown = given(server.requests[-1])["passages"]
        assert [one["text"] for one in shown if one.get("unverified")] == [TOLD]
        cited = [one for one in answer.citations if one.address == url]
        assert cited and "web" in cited[0].match_types
        assert url in answer.text  # it stands in the citation that the model was shown
        assert not answer.unsupported
        # the page is not kept: what the turn refers to is gone, and nobody stumbles over it
        again = base.ask("为什么？", history=[answer.turn])
        assert url not in [one.address for one in again.citations]
