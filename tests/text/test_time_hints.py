"""The cheap look never hides a phrase that the grammar knows."""

from __future__ import annotations

import pytest

from bethink.text.time_hints import may_name_a_time
from tests.text import time_phrase_table as table


@pytest.mark.parametrize("phrase", [row[0] for row in (*table.ENGLISH, *table.CHINESE)])
def test_every_phrase_passes(phrase: str) -> None:
    assert may_name_a_time(phrase)


@pytest.mark.parametrize("text", ["what theme does Mei like", "喜欢什么主题", "谁负责支付？"])
def test_most_questions_stop_here(text: str) -> None:
    assert not may_name_a_time(text)
