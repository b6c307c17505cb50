from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bethink.text.tokens as tokens
from bethink.text.tokens import count_tokens

# Real counts by o200k; the estimate is fitted on thousands of texts (benchmarks/token_estimate.py).
REAL = [
    (
        "The deploy failed last night because the disk on the build server was full. We decided "
        "to keep only the five newest releases and to send a warning when less than ten percent "
        "of the space is left. Mei will write the script, and Tom reviews it before Friday.",
        53,
    ),
    (
        "昨天晚上部署失败了，因为构建服务器的磁盘已经满了。我们决定只保留最新的五个版本，"
        "并且在剩余空间不到百分之十的时候发出警告。小美来写这个脚本，汤姆在星期五之前检查。",
        58,
    ),
    (
        "def count(words: list[str]) -> dict[str, int]:\n    found: dict[str, int] = {}\n"
        "    for word in words:\n        found[word] = found.get(word, 0) + 1\n    return found\n",
        49,
    ),
    (
        "我们用 PostgreSQL 做主数据库，Redis 做缓存 (TTL 30 s)。The migration is planned for "
        "March；在那之前请不要修改 user_id 这个字段 (see issue #1042)。",
        42,
    ),
]


@pytest.mark.parametrize(("text", "real"), REAL, ids=["English", "Chinese", "code", "mixed"])
def test_near_the_real_count(text: str, real: int) -> None:
    assert abs(count_tokens(text) - real) / real < 0.2


def test_every_rate_stands_beside_what_it_is_for() -> None:
    """They are multiplied by place, not by name."""
    assert list(tokens.RATES) == list(tokens.measure("预算 budget 42, …\n  x"))


def test_nothing_costs_nothing_and_anything_costs_something() -> None:
    assert count_tokens("") == 0
    assert count_tokens(" ") == 1
    assert count_tokens("的") == 1
    assert count_tokens("\ud800") == 1


@given(st.text(st.characters(exclude_categories=())))
def test_never_raises_and_is_bounded(text: str) -> None:
    assert bool(text) <= count_tokens(text) <= 3 * len(text) + 1


@given(st.text(min_size=1, max_size=100), st.integers(2, 5))
def test_more_text_never_costs_less(text: str, times: int) -> None:
    assert count_tokens(text * times) >= count_tokens(text)


@given(st.text(st.sampled_from("预的一 ab longword12_-.,\t\n\r。，《》かな한éЖ①😀")))
def test_each_part_is_counted_as_its_pattern_says(text: str) -> None:
    """Chinese is counted first and taken out; that must change no other count."""
    counted = tokens.measure(text)
    for name, pattern in {
        "ideograph": tokens._IDEOGRAPH,
        "common ideograph": tokens._COMMON,
        "kana or hangul": tokens._KANA_HANGUL,
        "other letter": tokens._OTHER_LETTER,
        "sign": tokens._SIGNS,
        "wide sign": tokens._WIDE_SIGN,
    }.items():
        assert counted[name] == len("".join(re.findall(pattern, text))), name
    for name, pattern in {
        "word": tokens._WORD, "run of signs": tokens._SIGNS, "indent": tokens._INDENT
    }.items():  # fmt: skip
        assert counted[name] == len(re.findall(pattern, text)), name


@given(st.text(st.characters(max_codepoint=127)))
def test_english_is_counted_by_tables_as_by_patterns(text: str) -> None:
    """One letter that is not ASCII, and the patterns count; control characters too."""
    by_patterns = tokens.measure(f"{text}é")
    assert by_patterns["other letter"] == 1
    assert {**by_patterns, "other letter": 0, "wide sign": 0} == tokens.measure(text)
