"""Documents and frequent questions in, cited passages and answers out."""

from __future__ import annotations

from typing import Any

from tests.scenarios.scenario import CLI, MCP, do, named, wrong

NOT_MCP = (MCP,)
NOT_CLI = (CLI,)
NEITHER = (CLI, MCP)
_BASE = "手册-handbook"
_GUIDE = """# Handbook 员工手册

## Leave 年假

Everybody has 25 days of leave a year. 每位员工每年有二十五天年假。

## Notice 离职

The notice period is three months. 离职须提前三个月通知。
"""
_TRAVEL = "# Travel 差旅\n\nTrains are booked in second class. 出差乘坐二等座。\n"
_REFUND: dict[str, Any] = {
    "question": "怎么退款？",
    "answers": ["三十天内申请。Ask within 30 days."],
    "similar": ["how do I get a refund"],
    "negative": ["怎么换货？"],
}
_ADDED = (
    do(
        "add_document", base=_BASE, name="手册.md", text=_GUIDE, not_at=NOT_MCP, keep="guide",
        holds={"fate": "added", "address": "手册.md"},
    ),
    do("add_document", base=_BASE, name="旅行.md", text=_TRAVEL, not_at=NOT_MCP, keep="travel"),
)  # fmt: skip

KNOWLEDGE = (
    named(
        "documents in, found, disabled, enabled, removed",
        *_ADDED,
        do("documents", base=_BASE, not_at=NOT_MCP, holds={"#": 2}),
        do("bases", not_at=NOT_MCP, holds={"*.name": [_BASE], "*.documents": [2]}),
        do("document", base=_BASE, document="手册.md", not_at=NOT_MCP),
        do("search_knowledge", base=_BASE, question="离职要提前多久通知", not_at=NOT_CLI),
        do(
            "search_knowledge", base=_BASE, question="how long is the notice period", limit=1,
            not_at=NOT_CLI, holds={"hits.#": 1, "hits.0.citation.address": "手册.md"},
        ),
        do("disable_document", base=_BASE, document="$guide", not_at=NOT_MCP),
        do("search_knowledge", base=_BASE, question="离职要提前多久通知", not_at=NOT_CLI),
        do(
            "recall", question="notice period 离职", spaces=[_BASE], where={"kind": "section"},
        ),
        do("documents", base=_BASE, not_at=NOT_MCP),
        do("enable_document", base=_BASE, document="手册.md", not_at=NOT_MCP),
        do("ask", base=_BASE, question="离职要提前多久通知", holds={"by": "passages"}),
        do("remove_document", base=_BASE, document="$guide", not_at=NOT_MCP),
        do("ask", base=_BASE, question="离职要提前多久通知"),
        do("documents", base=_BASE, not_at=NOT_MCP, holds={"#": 1}),
        wrong("remove_document", "not_found", "手册.md", base=_BASE, document="手册.md",
              not_at=NOT_MCP),
    ),
    named(
        "a document is replaced, and sent again",
        *_ADDED,
        do(
            "replace_document", base=_BASE, document="手册.md", not_at=NOT_MCP,
            text=_GUIDE.replace("三个月", "六个月").replace("three", "six"),
            holds={"fate": "replaced"},
        ),
        do("ask", base=_BASE, question="how long is the notice period? 离职"),
        do(
            "add_document", base=_BASE, name="旅行.md", text=_TRAVEL, not_at=NOT_MCP,
            holds={"fate": "unchanged"},
        ),
        wrong("add_document", "document_unreadable", "no PDF", base=_BASE, name="x.pdf",
              text="no pdf", not_at=NOT_MCP),
        wrong("add_document", "document_unreadable", "empty", base=_BASE, name="x.md", text="",
              not_at=NOT_MCP),
    ),
    named(
        "frequent questions, with what they do not answer",
        *_ADDED,
        do("add_faq", base=_BASE, **_REFUND, not_at=NOT_MCP, keep="refund"),
        do("faqs", base=_BASE, not_at=NOT_MCP, holds={"#": 1, "0.negative": ["怎么换货？"]}),
        do("bases", not_at=NOT_MCP, holds={"0.entries": 1}),
        do("ask", base=_BASE, question="how do I get a refund"),
        do("search_knowledge", base=_BASE, question="怎么退款", not_at=NOT_CLI),
        do("ask", base=_BASE, question="怎么换货？"),
        do("disable_faq", base=_BASE, entry="怎么退款？", not_at=NOT_MCP),
        do("ask", base=_BASE, question="怎么退款"),
        do("faq", base=_BASE, entry="$refund", not_at=NOT_MCP, holds={"enabled": False}),
        do("enable_faq", base=_BASE, entry="$refund", not_at=NOT_MCP),
        do("remove_faq", base=_BASE, entry="怎么退款？", not_at=NOT_MCP),
        wrong("faq", "not_found", "怎么退款", base=_BASE, entry="怎么退款？", not_at=NOT_MCP),
        wrong("add_faq", "invalid_input", "empty", base=_BASE, question=" ", answers=["x"],
              not_at=NOT_MCP),
    ),
    named(
        "asking without a language model: passages, follow-ups, only some documents",
        *_ADDED,
        do("ask", base=_BASE, question="which class of train? 坐几等座", documents=["旅行.md"]),
        do("ask", base=_BASE, question="notice 离职", limit=1),
        do(
            "ask", base=_BASE, question="那离职通知呢？", not_at=NOT_MCP,
            history=[{"question": "每年有几天年假？"}],
        ),
        do(
            "search_knowledge", base=_BASE, question="and how long is the notice?", not_at=NEITHER,
            history=[{"question": "how many days of leave are there?"}],
        ),
        do(
            "ask", base=_BASE, question="notice 离职", floor=0.0, weights="words_first",
            candidates=30, enable_query_expansion=False, words_threshold=0.1,
            meaning_threshold=-1.0,
        ),
        wrong("ask", "invalid_input", "weights: expected", base=_BASE, question="x", weights="most",
              parsed="weights"),
        wrong("ask", "invalid_input", "candidates: expected a whole number", base=_BASE,
              question="x", candidates=0),
        do("search_knowledge", base="nothing-there", question="anything 什么", not_at=NOT_CLI),
        wrong("ask", "invalid_input", "no document", base=_BASE, question="x",
              documents=["nothing.md"]),
        wrong("ask", "invalid_input", base=_BASE, question=""),
    ),
)  # fmt: skip
