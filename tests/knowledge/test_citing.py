"""What a model wrote is only text, whatever it tried; what it may say stays as it is."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from bethink.knowledge.citing import checked, unsupported

KNOWN = "https://example.org/forms/leave"
PASSAGES = [f"[1] Handbook\nThe notice period is 30 days: {KNOWN}", "[2] 手册\n通知期为三十天。"]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)


def live(text: str) -> list[str]:
    """What a browser, or whoever shows Markdown, would make something of."""
    tags = _Tags()
    tags.feed(text + '">')
    tags.close()
    begun = re.findall(r"!\[|\]\(|<[a-zA-Z/!?]|^\s*\[[^\]]+\]:", text, re.MULTILINE)
    addresses = re.findall(r"(?i)(?:[a-z]{2,}:)?(?://|\\\\)\S|www\.\S|script:\S|evil", text)
    return [*tags.found, *begun, *addresses]


@pytest.mark.parametrize(
    "written",
    [
        "See ht[99]tps://evil.example/?q=x [1]",
        "见 ht【９９】tps://evil.example/?q=工资 [2]",
        "![99][a](HTTPS://evil.example/x)",
        "a HTTPS://evil.example/x [1]",
        "a Http://evil.example/x [1]",
        "![x\ny](HTTPS://evil.example/x)",
        "![a [b] c](Http://evil.example/x)",
        "<iframe src='//evil.example/x'></iframe>",
        "[c](//evil.example/x)",
        "[点这里](//evil.example/工资)",
        f"<img alt='{'a' * 3_000}' src=//evil.example/x>",
        "<img src=//evil.example/x onerror=go()",
        "![a][r]\n\n[r]: Https://evil.example/x",
        "[a][r]\n\n> [r]:\n  //evil.example/x",
        "ftp://evil.example/x",
        "[a](javascript:evil(1))",
        r"https:\\evil.example/x",
        r"[a](https:/\evil.example/x)",
        "https\\://evil.example/x",
        "&#104;ttps://evil.example/x",
        "h<b></b>ttps://evil.example/x",
        "<https://evil.example/x>",
        "WWW.evil.example/x",
        "evil.example/x?q=secret",
        "ht[9<i>9</i>]tps://evil.example/x",
        "!<b></b>[a](//evil.example/x)",
        f"{KNOWN}@evil.example/x",
        f"{KNOWN}/evil",
        "<svg/onload=evil()>",
        "<x-y style='background:url(//evil.example/x)'>",
    ],
)
def test_nothing_that_was_written_is_live(written: str) -> None:
    assert live(written)
    kept = checked(f"{written}\n后面 after [1].", PASSAGES)
    assert not live(kept.text)
    assert kept.text.endswith("after [1].")
    assert kept.cited[0] == 1
    assert kept.notes


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (f"See {KNOWN}[1].", f"See {KNOWN}[1]."),
        (f"见{KNOWN}。通知期为三十天【２】。", f"见{KNOWN}。通知期为三十天[2]。"),
        (f"[the form]({KNOWN}) [1]", f"the form ({KNOWN}) [1]"),
        (f"[1]({KNOWN})", f"[1] ({KNOWN})"),
        ("Yes![1] 三十天[2](见第三页)。", "Yes! [1] 三十天[2] (见第三页)。"),
        ("n <m, add <path> [1]", "n < m, add < path> [1]"),
        (r"C:\x and/or 1.5km/h, Node.js/Deno // so [1]", None),
        ("According to [1]: 30 days; 根据[2]：三十天。", None),
    ],
)
def test_what_may_be_said_stays(written: str, shown: str | None) -> None:
    kept = checked(written, PASSAGES)
    assert kept.text == (shown or written)
    assert not kept.notes


def test_an_answer_that_hides_within_itself_for_ever_is_left_out() -> None:
    kept = checked("h" + "[9" * 300 + "9" + "9]" * 300 + "ttps://evil.example", PASSAGES)
    assert kept.text == ""
    assert "hides something" in kept.notes[0]


@pytest.mark.parametrize("sentence", ["Thirty days [1]. ", "通知期为三十天[2]。"])
def test_a_long_answer_is_cut_and_says_so(sentence: str) -> None:
    kept = checked(sentence * 2_000, PASSAGES)
    assert len(kept.text) <= 12_000
    assert kept.notes == (
        f"the answer was cut: 12,000 of its {2_000 * len(sentence):,} characters are shown",
    )


_PASSAGES = (
    "手册：自购买之日起十五天内可以退货，需要小票。",
    "Handbook\nFilters are replaced every 18 months. Anna Schmidt approves it by May 1, 2026.",
    "The fee is 1,500 euros for two weeks.",
)


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("三十天内可以退货 [1]。", "[1] does not say 30 day"),
        ("Filters are replaced every 24 months [2].", "[2] does not say 24 month"),
        ("Ben Schmidt approves the filters [2].", "[2] does not say Ben"),
        ("The filters are approved by Anna Meyer [2].", "[2] does not say Meyer"),
        ("费用是1600欧元 [3]。", "[3] does not say 1600 eur"),
        ("Approval is due on 3 May [2].", "[2] does not say"),
    ],
)
def test_numbers_and_names_that_the_passage_does_not_say(sentence: str, why: str) -> None:
    (doubt,) = unsupported(sentence, _PASSAGES, lambda _sentence, _number: True)
    assert doubt.sentence == sentence and doubt.why.startswith(why)


@pytest.mark.parametrize(
    "sentence",
    [
        "十五天内可以退货 [1]。",
        "可以在15天内一起退货 [1]。",
        "Goods can be returned within 15 days [1].",
        "Filters are replaced every eighteen months [2].",
        "It is approved by Anna [2].",
        "费用是1500欧元，为期两周 [3]。",
        "The filter costs 1500 euros and lasts 18 months [2][3].",
        "Approval is due on 1 May [2].",
    ],
)
def test_numbers_and_names_in_another_spelling_are_supported(sentence: str) -> None:
    assert unsupported(sentence, _PASSAGES, lambda _sentence, _number: True) == ()
