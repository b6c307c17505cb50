"""What a sentence asks for: turns that ask, types of answers, and what holds such a type."""

from __future__ import annotations

import pytest

from bethink.text.questions import AnswerType, answer_type, asking_share, holds_type


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("Where are you going this summer?", 1.0, 1.0),
        ("你暑假去哪里？", 1.0, 1.0),
        ("你吃过饭了吗", 1.0, 1.0),
        ("We go to Lisbon in June.", 0.0, 0.0),
        ("六月我们去里斯本。", 0.0, 0.0),
        ("I sold the piano last week. Do you still play?", 0.3, 0.6),
        ("上周我把钢琴卖了。你还弹吗？", 0.2, 0.6),
        ("", 0.0, 0.0),
    ],
)
def test_how_much_of_a_turn_asks(text: str, low: float, high: float) -> None:
    assert low <= asking_share(text) <= high


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who leads payments?", "person"),
        ("谁负责支付？", "person"),
        ("When is the review?", "time"),
        ("评审是什么时候？", "time"),
        ("Where does Mei live?", "place"),
        ("小美住在哪里？", "place"),
        ("How many servers are there?", "number"),
        ("一共有多少台服务器？", "number"),
        ("which port does staging use", "number"),
        ("Why did we choose PostgreSQL?", "reason"),
        ("为什么选 PostgreSQL？", "reason"),
        ("How much do the lessons cost?", "money"),
        ("一节课多少钱？", "money"),
        ("How old is Edie?", "age"),
        ("老韩今年多大年纪？", "age"),
        ("What colour is the car?", "colour"),
        ("车是什么颜色的？", "colour"),
        ("What is the phone number of the vet?", "phone"),
        ("兽医的电话是多少？", "phone"),
    ],
)
def test_the_type_of_answer(question: str, expected: AnswerType | None) -> None:
    assert answer_type(question) == expected


@pytest.mark.parametrize(
    ("kind", "question", "holds", "lacks"),
    [
        ("number", "How many servers?", "There are 12 servers.", "There are servers."),
        ("number", "有多少台服务器", "共有十二台服务器", "服务器都在机房"),
        ("time", "When is the review?", "The review is on Friday.", "The review went well."),
        ("time", "什么时候评审", "评审在周五下午", "评审很顺利"),
        ("place", "Where does Mei live?", "Mei lives in Hangzhou.", "Mei likes tea."),
        ("person", "Who leads payments?", "payments are led by Anna", "payments are slow"),
        ("person", "谁负责支付", "支付由李雷负责", "支付很慢"),
    ],
)
def test_what_holds_something_of_a_type(
    kind: AnswerType, question: str, holds: str, lacks: str
) -> None:
    assert holds_type(kind, holds, question)
    assert not holds_type(kind, lacks, question)


def test_what_the_question_itself_holds_is_no_answer() -> None:
    assert not holds_type("number", "staging uses port 5433", "is 5433 the port of staging?")
    assert not holds_type("time", "评审在周五", "周五评审是什么时候")
