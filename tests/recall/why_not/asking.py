"""Two memories with a question each, and what is read out of an answer."""

from __future__ import annotations

import json

import pytest

from bethink.recall.searches_for_one import Looked
from bethink.recall.why_not import WhyNot, as_lines, as_record

BOTH = pytest.mark.parametrize(
    ("text", "question"),
    [("Mei prefers dark mode", "Mei dark mode"), ("小美喜欢深色主题", "小美的深色主题")],
    ids=["English", "Chinese"],
)


def search(why: WhyNot, channel: str) -> Looked:
    return next(one for one in why.searches if one.channel == channel)


def told(why: WhyNot) -> str:
    """For people and for programs; both must be made of it without fault."""
    assert json.loads(json.dumps(as_record(why))) is not None
    return "\n".join(as_lines(why))
