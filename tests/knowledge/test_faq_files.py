"""Files of frequent questions that are not as they should be: every row is taken or named."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from bethink import Engine
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.faq_files import read_bytes, written
from bethink.text.csv_records import csv_records, guarded, unguarded


@pytest.fixture
def base(engine: Engine) -> KnowledgeBase:
    return KnowledgeBase(engine, "shop")


def rows(told: str | list[Any]) -> list[tuple[int, Any, str]]:
    form = "csv" if isinstance(told, str) else "json"
    text = told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)
    read = read_bytes(text.encode(), f"x.{form}").rows
    return [(row.place, row.told, row.why) for row in read]


@pytest.mark.parametrize("header", ["question,answers", "标准问题,答案"])
@pytest.mark.parametrize("more", ["", 'q5,"two\nlines"\n'])
def test_a_quote_that_is_not_closed_costs_one_row(header: str, more: str) -> None:
    read = rows(f'{header}\n运费?,"unclosed 没有完\nq3,a3\n退货?,七天\n{more}')
    assert read[0][:2] == (2, None) and "quote is opened here" in read[0][2]
    assert [(place, told["question"]) for place, told, _ in read[1:3]] == [(3, "q3"), (4, "退货?")]
    assert [told["answers"] for _, told, _ in read[3:]] == ([["two\nlines"]] if more else [])


def test_a_quote_that_is_not_closed_is_in_the_report(base: KnowledgeBase) -> None:
    many = "".join(f"问题 {n} question,答案 {n}\n" for n in range(20_000, 20_050))
    told = f'question,answers\nfirst?,"unclosed\n{many}{"x" * 140_000},y\n'
    report = base.import_faq(told.encode(), name="x.csv")
    assert (report.added, [one.place for one in report.failed]) == (50, [2, 53])


def test_lines_that_open_one_quote_after_the_other() -> None:
    """Each is read to the end before it is known to be broken, so that there is a bound."""
    lines = ['x""","\n'] * 5_000
    read = list(csv_records(lines, 0, ","))
    assert len(read) == 1_001 and all(one.fault for one in read)
    assert "nor can what follows" in read[-1].fault


def test_fields_of_json_that_nobody_knows_are_named_and_passed_over(base: KnowledgeBase) -> None:
    told = [
        {"question": "Shipping?", "answers": "Free.", "author": "Li", "更新": 3},
        {"问题": "运费？", "答案": "包邮。", "author": "Wang"},
    ]
    for form in ("json", "jsonl"):
        text = json.dumps(told) if form == "json" else "\n".join(map(json.dumps, told))
        report = base.import_faq(text.encode(), name=f"x.{form}")
        assert report.failed == ()
        assert report.notes == ("fields that were not read: 'author', '更新'",)
    assert {faq.question for faq in base.faqs()} == {"Shipping?", "运费？"}


@pytest.mark.parametrize(
    ("told", "enabled"),
    [({"disabled": "yes"}, False), ({"停用": "是"}, False), ({"停用": "否"}, True),
     ({"disabled": True}, False), ({"enabled": "no"}, False), ({"启用": "是"}, True),
     ({"disabled": None}, True), ({"enabled": "no", "停用": True}, False)],
)  # fmt: skip
def test_enabled_or_not_in_json(base: KnowledgeBase, told: dict[str, Any], enabled: bool) -> None:
    text = json.dumps([{"question": "运费？", "answers": "包邮。", **told}])
    assert base.import_faq(text.encode(), name="x.json").failed == ()
    assert [faq.enabled for faq in base.faqs()] == [enabled]


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ([{"question": "q", "answer": "a", "answers": ["b"]}], "'answers' is told twice"),
        ([{"问题": "问", "question": "q", "答案": "a"}], "'question' is told twice"),
        ([{"question": "q", "answers": "a", "enabled": True, "停用": "是"}], "'enabled' is told"),
        ([{"question": "q", "answers": "a", "disabled": "也许"}], "expected yes or no"),
        ([{"question": "q", "answers": "a", "停用": 3}], "停用: expected true or false"),
        ("question,answers,启用,停用\nq,a,是,是\n", "'enabled' is told twice"),
    ],
)
def test_what_is_told_twice_and_differently(told: Any, why: str) -> None:
    ((_, held, reason),) = rows(told)
    assert held is None and why in reason


CELLS = [
    "=cmd|' /C calc'!A0",
    "+86 10",
    "-1",
    "@SUM(A1)",
    "＝1+1",
    "'=1",
    "''-x",
    "它's",
    "'tis",
    "a",
]


def test_no_cell_of_an_export_is_computed(base: KnowledgeBase) -> None:
    for n, cell in enumerate(CELLS):
        base.add_faq(f"{cell} 问 {n}", [cell, "=second 第二"], similar=[f"{cell} {n}?"])
    text = _exported(base)
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    assert not [cell for cell in cells if cell[:1] in tuple("=+-@＝\t\r")]
    before = {faq.id: faq for faq in base.faqs()}
    assert base.import_faq(text.encode(), name="x.csv").failed == ()
    assert {faq.id: faq for faq in base.faqs()} == before
    assert len(before) == len(CELLS)


def _exported(base: KnowledgeBase) -> str:
    return written((faq.as_data() for faq in base.faqs()), "csv")


@pytest.mark.parametrize("cell", [*CELLS, "", "\tx", "'"])
def test_guarded_and_back(cell: str) -> None:
    assert unguarded(guarded(cell)) == cell
