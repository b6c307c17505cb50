"""Frequent questions as a knowledge base keeps them: in, changed, listed, out, from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink import Engine, Status
from bethink.errors import InvalidInput, NotFound
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.faq_files import read_file, written
from bethink.recall.presets import PURPOSES

EN: dict[str, Any] = {
    "question": "How do I get a refund?",
    "answers": ["Ask within 30 days.\n\nBy mail.", "Or call."],
    "similar": ["money back", "return an order"],
    "negative": ["how do I return a bike"],
    "tags": ["money"],
}
ZH: dict[str, Any] = {
    "question": "怎么退款？",
    "answers": ["三十天内申请。"],
    "similar": ["钱能退吗"],
    "negative": ["怎么退出登录"],
    "tags": ["退款"],
}


@pytest.fixture
def base(engine: Engine) -> KnowledgeBase:
    return KnowledgeBase(engine, "shop")


def found(base: KnowledgeBase, asked: str, preset: str = "knowledge") -> list[str]:
    return [hit.id for hit in base.engine.recall(asked, spaces=base.space, preset=preset).hits]


@pytest.mark.parametrize("told", [EN, ZH])
def test_told_and_read_again(base: KnowledgeBase, told: dict[str, Any]) -> None:
    faq = base.add_faq(**told)
    assert faq.as_data() == {**told, "id": faq.id, "enabled": True}
    assert base.faq(faq.id) == base.faq(told["question"]) == faq
    assert base.faqs() == [faq]
    assert base.faq("nobody asks this") is None
    assert base.faq("") is None
    memory = base.engine.get(faq.id)
    assert memory is not None and memory.kind == "faq"
    assert memory.metadata["title"] == told["question"]  # what a citation names


def test_a_citation_names_the_entry(base: KnowledgeBase) -> None:
    base.add_faqs([EN, ZH])
    for told in (EN, ZH):
        (hit, citation), *_ = base.search(told["similar"][0])
        assert citation.title == told["question"]
        assert "faq" in citation.match_types
        assert hit.text.startswith(told["question"])
        assert all(line not in hit.text for line in (*told["similar"], *told["negative"]))


def test_told_again_it_is_changed_and_not_doubled(base: KnowledgeBase) -> None:
    first = base.add_faq(**EN)
    again = base.add_faq("HOW do I get a  refund", "Not any more.", id=None)
    assert again.id == first.id
    assert [one.answers for one in base.faqs()] == [("Not any more.",)]
    assert not again.similar and not again.negative
    assert [m.memory.text for m in base.engine.history(first.id)]  # what it said is not lost
    one = base.add_faq("怎么退款？", "甲", id="退-1")
    other = base.add_faq("退款怎么办理？", "乙", id="退-1")
    assert (one.id, other.own_id) == (other.id, "退-1")
    assert base.faq("退-1") == base.faq("退款怎么办理") == other
    assert len(base.faqs()) == 2


def test_every_row_is_taken_or_named(base: KnowledgeBase) -> None:
    rows: list[Any] = [
        EN,
        {"question": " ", "answers": ["a"]},
        {"question": "no answer?", "answers": [" "]},
        ZH,
        "just text",
        {"question": "双重", "answers": "甲", "negative": ["双重！"]},
        {"question": "怎麼退款", "answers": "重复"},
        {"question": "x", "answers": "a", "colour": "red"},
        {"question": "x" * 2_000, "answers": "a"},
        {"question": "tags", "answers": "a", "tags": ["t" * 500]},
        {"question": "half \ud800", "answers": "a"},
        {"question": "number", "answers": 7},
        {"question": "fine 好", "answers": "yes 是", "id": 12, "enabled": False},
    ]
    report = base.add_faqs(rows)
    assert (report.added, report.updated, report.unchanged) == (3, 0, 0)
    assert [one.place for one in report.failed] == [2, 3, 5, 6, 7, 8, 9, 10, 11, 12]
    reasons = {one.place: one.why for one in report.failed}
    assert "the same question as in row 4" in reasons[7]
    assert "'colour'" in reasons[8]
    assert [base.faq(name).enabled for name in ("12", EN["question"])] == [False, True]  # type: ignore[union-attr]
    assert len(report.ids) == 3
    again = base.add_faqs(rows)
    assert (again.added, again.updated, again.unchanged, len(again.failed)) == (0, 0, 3, 10)
    with pytest.raises(InvalidInput, match="needs an answer"):
        base.add_faq("why?", [])


def test_a_dry_run_changes_nothing(base: KnowledgeBase) -> None:
    base.add_faq(**EN)
    report = base.add_faqs([{**EN, "answers": "new", "enabled": False}, ZH], dry_run=True)
    assert (report.added, report.updated, report.dry_run) == (1, 1, True)
    assert [(one.question, one.enabled) for one in base.faqs()] == [(EN["question"], True)]


@pytest.mark.parametrize("told", [EN, ZH])
def test_disabled_nothing_finds_it(base: KnowledgeBase, told: dict[str, Any]) -> None:
    faq = base.add_faq(**told)
    asked = told["similar"][0]
    base.disable_faq(told["question"])
    assert all(faq.id not in found(base, asked, preset) for preset in PURPOSES)
    assert [one.enabled for one in base.faqs()] == [False]
    assert base.faqs(enabled=True) == []
    assert base.engine.why_not(faq.id, asked, spaces="shop", preset="knowledge").outcome == (
        "withheld"
    )
    base.add_faq(**told)  # told again, it stays as it is
    assert base.faqs(enabled=False)
    assert base.enable_faq(faq.id) == [faq.id]
    assert found(base, asked) == [faq.id]


def test_removed_it_is_gone(base: KnowledgeBase) -> None:
    faq = base.add_faq(**EN)
    base.add_faq(**ZH)
    base.disable_faq(faq.id)
    with pytest.raises(NotFound, match="nothing"):
        base.remove_faq(ZH["question"], "nothing")
    assert len(base.faqs()) == 2  # all of them or none
    assert base.remove_faq(EN["question"]) == [faq.id]
    assert [one.question for one in base.faqs()] == [ZH["question"]]
    assert base.engine.get(faq.id) is None
    assert base.add_faq(**EN).enabled  # nobody disabled this one


def test_tags(base: KnowledgeBase) -> None:
    base.add_faqs([EN, ZH])
    assert [one.question for one in base.faqs(tag="退款")] == [ZH["question"]]
    assert base.faqs(tag="nothing") == []


def test_other_memories_are_no_entries(base: KnowledgeBase) -> None:
    base.engine.remember("Q: why?\nA: 因为", kind="faq", space="shop", id="mine")
    base.engine.remember("a note", space="shop", id="note")
    assert base.faqs() == []
    assert base.faq("note") is None
    assert base.faq("mine") is None


def test_bases_are_apart(base: KnowledgeBase) -> None:
    other = KnowledgeBase(base.engine, "bank")
    mine, theirs = base.add_faq(**EN), other.add_faq(**EN)
    assert mine.id != theirs.id
    assert other.faq(mine.id) is None
    with pytest.raises(NotFound):
        other.remove_faq(mine.id)
    moved = other.add_faqs([mine.as_data()])  # exported there, imported here
    assert (moved.added, moved.unchanged, len(other.faqs())) == (0, 1, 1)


def test_secrets_do_not_stay_and_take_no_line_with_them(base: KnowledgeBase) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow" * 30 + "\n-----END RSA PRIVATE KEY-----"
    report = base.add_faqs([{**ZH, "answers": [f"用这个：\n{key}\n再重启", "second"]}])
    assert any("redacted" in note for note in report.notes)
    faq = base.faq(ZH["question"])
    assert faq is not None
    assert "MIIEow" not in str(faq)
    assert (faq.negative, faq.answers[1]) == (tuple(ZH["negative"]), "second")


def test_moved_out_and_in_again_the_passages_stay(base: KnowledgeBase) -> None:
    base.add_faqs([EN, ZH])
    records = list(base.engine.export(spaces="shop"))
    with Engine.in_memory(embedder="none") as other:
        other.import_many(records)
        moved = KnowledgeBase(other, "shop")
        assert moved.faqs() == base.faqs()
        for told in (EN, ZH):
            assert found(moved, told["similar"][0])
            assert found(moved, told["negative"][0]) == []


CSV = (
    "标准问题,相似问题（选填，多个用##分隔）,排除问题,机器人回答,分类,是否停用,备注\r\n"
    "怎么退款？,钱能退吗##我要退钱,怎么退出登录,三十天内申请。##打电话,退款##售后,否,x\r\n"
    ",没有问题,,答,,,\r\n"
    '怎么开发票？,"发票\n开票",,"第一步\n第二步",,是,\r\n'
    "a,b,c,d,e,否,g,多了一格\r\n"
    "怎么付款,,,刷卡,,也许,\r\n"
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_csv_as_spreadsheets_in_china_write_it(
    base: KnowledgeBase, tmp_path: Path, encoding: str
) -> None:
    file = tmp_path / "问题.csv"
    file.write_bytes(CSV.encode(encoding))
    report = base.import_faq(file)
    assert report.added == 2
    assert [one.place for one in report.failed] == [3, 7, 8]  # lines of the file
    assert report.notes == ("columns that were not read: 备注",)
    refund, invoice = base.faqs()
    assert refund.answers == ("三十天内申请。", "打电话")
    assert (refund.similar, refund.tags) == (("钱能退吗", "我要退钱"), ("退款", "售后"))
    assert (invoice.similar, invoice.answers) == (("发票", "开票"), ("第一步\n第二步",))
    assert (refund.enabled, invoice.enabled, refund.source) == (True, False, "问题.csv")
    assert base.import_faq(file).unchanged == 2


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_csv_in_english(base: KnowledgeBase, tmp_path: Path, delimiter: str) -> None:
    file = tmp_path / "faq.csv"
    rows = [("Question", "Similar_Questions", "Negative questions", "ANSWER", "id"),
            ("How?", "in what way|how so", "how many", "So.|Or so.", "h")]  # fmt: skip
    file.write_text("\n".join(delimiter.join(row) for row in rows), "utf-8")
    assert base.import_faq(file, separator="|").added == 1
    faq = base.faq("h")
    assert faq is not None
    assert (faq.similar, faq.negative) == (("in what way", "how so"), ("how many",))
    assert faq.answers == ("So.", "Or so.")


def test_json_in_its_forms(base: KnowledgeBase, tmp_path: Path) -> None:
    one, lines, named = tmp_path / "a.json", tmp_path / "b.jsonl", tmp_path / "c"
    one.write_text(json.dumps({"entries": [EN, 7, {"标准问题": "甲？", "答案": "乙"}]}), "utf-8")
    report = base.import_faq(one)
    assert (report.added, [f.place for f in report.failed]) == (2, [2])
    lines.write_text(json.dumps(ZH) + "\n\n{broken\n" + json.dumps({**ZH, "id": "b"}), "utf-8")
    report = base.import_faq(lines)
    assert (report.added, [f.place for f in report.failed]) == (2, [3])
    named.write_text(json.dumps([{**EN, "disabled": True}]), "utf-8")
    assert base.import_faq(named).unchanged == 1
    assert not base.faqs()[0].enabled


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("none.csv", None, "there is no file"),
        ("a.csv", b"nothing,here\n1,2\n", "must name the columns"),
        ("a.csv", b"question,answers,answer\n1,2,3\n", "two columns"),
        ("a.csv", b"\x81", "neither UTF-8 nor GB18030"),
        ("a.json", b"{", "is not JSON"),
        ("a.json", b"7", "a list of entries"),
        ("a.json", b"[" * 100_000, "is not JSON"),
    ],
)
def test_files_that_cannot_be_read(
    base: KnowledgeBase, tmp_path: Path, name: str, data: bytes | None, why: str
) -> None:
    file = tmp_path / name
    if data is not None:
        file.write_bytes(data)
    with pytest.raises(InvalidInput, match=why):
        base.import_faq(file)
    with pytest.raises(InvalidInput, match="is a folder"):
        base.import_faq(tmp_path)
    with pytest.raises(InvalidInput, match="the separator is empty"):
        (tmp_path / "x.csv").write_text("question,answers\na,b\n")
        base.import_faq(tmp_path / "x.csv", separator=" ")
    assert base.faqs() == []


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_exported_and_imported_it_is_the_same(
    base: KnowledgeBase, tmp_path: Path, form: str
) -> None:
    base.add_faqs([EN, {**ZH, "id": "退", "enabled": False}])
    file = tmp_path / f"faq.{form}"
    assert base.export_faq(file) == 2
    assert base.import_faq(file).unchanged == 2
    other = KnowledgeBase(base.engine, "other")
    assert other.import_faq(file).added == 2
    told = [{**one.as_data(), "id": ""} for one in base.faqs()]
    assert [{**one.as_data(), "id": ""} for one in other.faqs()] == told
    with pytest.raises(InvalidInput, match="format"):
        base.export_faq(tmp_path / "faq.xlsx")
    with pytest.raises(InvalidInput, match="cannot be written"):
        base.export_faq(tmp_path / "no" / "faq.csv")


def test_a_separator_in_a_text_is_refused_rather_than_lost(
    base: KnowledgeBase, tmp_path: Path
) -> None:
    base.add_faq("How?", "With ## in it", similar=["一##二"])
    with pytest.raises(InvalidInput, match="holds the separator"):
        base.export_faq(tmp_path / "faq.csv")
    base.export_faq(tmp_path / "faq.csv", separator="|||")
    assert base.import_faq(tmp_path / "faq.csv", separator="|||").unchanged == 1


CELLS = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1).filter(
    lambda text: text.strip() == text and "##" not in text and text.strip("#") != ""
)


@given(st.lists(st.tuples(CELLS, st.lists(CELLS, min_size=1)), min_size=1))
def test_whatever_is_written_as_csv_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[str, list[str]]]
) -> None:
    records = [
        {"id": "", "question": q, "similar": [], "negative": [], "answers": a, "tags": [],
         "enabled": True}
        for q, a in told
    ]  # fmt: skip
    file = tmp_path_factory.mktemp("faq") / "a.csv"
    file.write_bytes(written(records, "csv", separator="\u241e").encode("utf-8-sig"))
    rows = list(read_file(file, separator="\u241e").rows)
    assert [(row.told["question"], row.told["answers"]) for row in rows if row.told] == [
        (q, a) for q, a in told
    ]


@pytest.mark.parametrize(
    ("long", "other", "asked"),
    [
        (
            {"question": "How do I get a refund?", "answers": ["Fill in the refund form. " * 40]},
            {"question": "How do I get a receipt?", "answers": ["Print it."]},
            "How do I get a refund?",
        ),
        (
            {"question": "怎么退款？", "answers": ["请先填写退款申请表。" * 40]},
            {"question": "怎么开发票？", "answers": ["在线打印。"]},
            "怎么退款？",
        ),
    ],
)
def test_an_answer_over_the_budget_is_given_in_part(
    base: KnowledgeBase, long: dict[str, Any], other: dict[str, Any], asked: str
) -> None:
    base.add_faqs([long, other])
    whole = base.search(asked)
    assert whole.hits[0].text.startswith(asked) and whole.reasons == ()
    found = base.search(asked, budget=60)
    hit = found.hits[0]
    assert hit.id == whole.hits[0].id and hit.tokens <= 60 and found.tokens <= 60
    assert whole.hits[0].text.startswith(hit.text) and hit.text.endswith((".", "。"))
    assert any("is cut" in reason and "raise the budget" in reason for reason in found.reasons)


@pytest.mark.parametrize(
    ("asked", "entries"),
    [
        (
            "how do I return a rented bike",
            [
                {"question": "How do I return an order?", "answers": ["Send it back."],
                 "negative": ["how do I return a rented bike"]},
                {"question": "How do I return a gift?", "answers": ["Bring the card."]},
                {"question": "How do I pay for an order?", "answers": ["By card."]},
            ],
        ),
        (
            "租的自行车怎么还",
            [
                {"question": "买的东西怎么退？", "answers": ["寄回来。"],
                 "negative": ["租的自行车怎么还"], "similar": ["买的自行车怎么退"]},
                {"question": "礼品怎么退？", "answers": ["带上卡片。"]},
                {"question": "订单怎么付款？", "answers": ["刷卡。"]},
            ],
        ),
    ],
)  # fmt: skip
def test_the_next_best_does_not_stand_in_for_an_excluded_entry(
    tmp_path: Path, asked: str, entries: list[dict[str, Any]]
) -> None:
    with Engine(tmp_path / "m.db") as engine:
        base = KnowledgeBase(engine, "shop")
        base.add_faqs(entries)
        answer = base.search(asked)
        assert not answer.hits and answer.status in (Status.EMPTY, Status.BELOW_FLOOR)
        assert base.search(entries[0]["question"]).hits  # what it does answer, it still answers
        base.add_faq(question=asked, answers=["At the station. 在车站还。"])
        assert "At the station" in base.search(asked).hits[0].text
