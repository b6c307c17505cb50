"""Follow-ups made whole by rules, in both languages; and questions that must stay as they are."""

from __future__ import annotations

import pytest

from bethink.errors import InvalidInput
from bethink.knowledge import Turn
from bethink.knowledge.follow_ups import by_rules
from bethink.knowledge.listed_items import listed_items, named_items
from bethink.knowledge.turns import MAX_TURNS, Reference, turns_from

PLANS = Turn("Which plans are there?", "1. Starter: 5 dollars [1]\n2. **Team** – 20 [2]\n3. Big")
BANBEN = Turn("有哪些版本？", "有三个：①标准版；②企业版；③旗舰版。")
LEAVE = Turn("How many days of leave do employees get in France?", "28 [1].")
NIANJIA = Turn("年假有几天？", "十天[1]。")


@pytest.mark.parametrize(
    ("turn", "question", "whole"),
    [
        (LEAVE, "And in Germany?", "How many days of leave do employees get in Germany?"),
        (LEAVE, "what about Japan?", "How many days of leave do employees get in Japan?"),
        (NIANJIA, "那病假呢？", "病假有几天？"),
        (NIANJIA, "婚假呢", "婚假有几天？"),
        (Turn("怎么在Windows上安装？"), "那Linux呢？", "怎么在Linux上安装？"),
        (Turn("How do I reset my password?"), "my username?", None),
        (Turn("How do I reset my password?"), "And my username?", "How do I reset my username?"),
        (Turn("怎么申请退款？"), "那发票呢？", "怎么申请发票？"),
        (PLANS, "How much is the second one?", "How much is Team (plans)"),
        (PLANS, "and the last one?", "Big (plans)"),
        (PLANS, "What about option 3?", "Big (plans)"),
        (BANBEN, "那第二个呢？", "企业版（版本）"),
        (BANBEN, "最后一个多少钱？", "旗舰版多少钱（版本）"),
        (Turn("标准版和企业版有什么区别？"), "后者多少钱？", "企业版多少钱"),
        (
            Turn("What is the difference between the Basic plan and the Pro plan?"),
            "How much is the latter?",
            "How much is the Pro plan",
        ),
        (Turn("What does the Pro plan include?"), "How much does it cost?",
         "How much does it cost? (Pro plan include)"),
        (Turn("企业版包含什么？"), "它的价格呢", "它的价格呢（企业版包含）"),
        (Turn("Who approves travel?", "Ana Ruiz [1]."), "What is her email?",
         "What is her email? (Ana Ruiz)"),
        (Turn("谁审批报销？", "财务部的周敏[1]。"), "她的分机是多少？",
         "她的分机是多少？（财务部的周敏）"),
        (Turn("退货政策是什么？"), "如果是电子产品呢", "电子产品：退货政策是什么？"),
        (Turn("退货政策是什么？"), "那电子产品呢？", "电子产品：退货政策是什么？"),
        (Turn("退款多久到账？"), "要是周末呢？", "周末：退款多久到账？"),
        (NIANJIA, "如果是病假呢？", "病假有几天？"),
        (Turn("Compare A100 and B200"), "the former's price?", "A100's price"),
        (Turn("Compare A100 with B200."), "How heavy is the latter?", "How heavy is B200"),
        (Turn("比较A100和B200"), "前者的价格？", "A100的价格"),
        (Turn("比较一下 A100 和 B200"), "后者多少钱？", "B200多少钱"),
        (Turn("What is the fee in Paris?"), "same for Berlin?", "What is the fee in Berlin?"),
        (Turn("What is the fee in Paris?"), "Is it the same in Berlin?",
         "What is the fee in Berlin?"),
        (Turn("How is the fee paid?"), "same for members?", "members: How is the fee paid?"),
        (Turn("巴黎的费用是多少？"), "柏林也一样吗？", "柏林的费用是多少？"),
        (Turn("运费怎么算？"), "新疆也是吗？", "新疆：运费怎么算？"),
        (Turn("有哪些版本？", "我们有基础版、团队版和企业版[1]。"), "最后一个多少钱？",
         "企业版多少钱（版本）"),
        (Turn("基础版、团队版和企业版有什么区别？"), "最后一个多少钱？", "企业版多少钱"),
        (Turn("Which plans are there?", "We offer Basic, Team and Enterprise [1]."),
         "How much is the last one?", "How much is Enterprise (plans)"),
        (Turn("Compare Basic, Team and Enterprise"), "How much is the second one?",
         "How much is Team"),
        (LEAVE, "why?", "why: How many days of leave do employees get in France?"),
        (LEAVE, "Tell me more", "How many days of leave do employees get in France?"),
        (NIANJIA, "为什么？", "为什么：年假有几天？"),
        (NIANJIA, "还有呢？", "年假有几天？"),
        (Turn("退款怎么处理？"), "那多久到账？", "多久到账？（退款 处理）"),
        (Turn("How long is probation?"), "And how do I leave?", "how do I leave? (long probation)"),
    ],
)  # fmt: skip
def test_what_it_lacks_is_taken_from_the_turn_before(
    turn: Turn, question: str, whole: str | None
) -> None:
    made = by_rules(question, [turn])
    assert made.text == (question if whole is None else whole)
    assert made.rewritten == (whole is not None)
    assert bool(made.why) == made.rewritten
    assert by_rules(question, []).text == question  # nothing to lean on


@pytest.mark.parametrize(
    "question",
    [
        "If my order is late, can I cancel it?",
        "Is it possible to park in front of the clinic?",
        "How long does it take to get a refund?",
        "What is the first day of the training?",
        "Which one is cheaper, the Basic plan or the Pro plan?",
        "When did John get his dog Max?",
        "I'm planning a trip to Denver soon. What can I do there?",
        "What does this error mean: ERR_CONN_1042",
        "Are there any discounts this year?",
        "如果订单延迟，可以取消它吗？",
        "第一次登录要改密码吗？",
        "如果周末下单，多久发货？",
        "Is the price the same for members and guests?",
        "第三方登录支持吗？",
        "这个月的探视时间有变化吗？",
        "其他城市的住宿标准是多少？",
        "那年假到底怎么申请？",
        "马其顿的首都在哪里？",
        "怎么退款？",
        "会员的折扣是多少呢？",
        "",
        "x" * 5_000,
        "它" * 5_000,
    ],
)
@pytest.mark.parametrize("turn", [PLANS, BANBEN])
def test_a_question_that_stands_by_itself_is_left_alone(turn: Turn, question: str) -> None:
    made = by_rules(question, [turn])
    assert (made.text, made.rewritten) == (question, False)


def test_a_follow_up_of_a_follow_up() -> None:
    turns = [LEAVE, Turn("And in Germany?", "30.")]
    assert by_rules("and Japan?", turns).text == (
        "How many days of leave do employees get in Japan?"
    )
    turns = [NIANJIA, Turn("那婚假呢？", "十三天。")]
    assert by_rules("产假呢？", turns).text == "产假有几天？"


def test_without_a_list_the_order_of_the_references_counts() -> None:
    turn = Turn("怎么去医院？", "", [Reference("a", heading="停车"), "b"])
    named = {"b": "公交"}

    def heading_of(reference: Reference) -> str:
        return named.get(reference.memory_id, "")

    assert by_rules("第一种呢？", [turn], heading_of).text == "停车（去医院）"
    assert by_rules("第二种要多久？", [turn], heading_of).text == "公交要多久（去医院）"
    whole = by_rules("Tell me about the second one", [turn], heading_of).text
    assert whole == "Tell me about 公交（去医院）"
    assert by_rules("第五种要多久？", [turn], heading_of).text == "第五种要多久？"  # nobody knows


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ("1. A: x\n   - inner\n   - more\n2. B", ["A", "B"]),
        ("（1）退货\n（2）换货", ["退货", "换货"]),
        ("一、培训\n二、体检", ["培训", "体检"]),
        ("- by card [1]\n- by invoice [2]", ["by card", "by invoice"]),
        ("There are 1) Starter, 2) Team.", ["Starter", "Team"]),
        ("It costs 3.50 a month. 28 days.", []),
        ("- only one", []),
        ("", []),
    ],
)
def test_lists_in_answers(answer: str, items: list[str]) -> None:
    assert listed_items(answer) == items


def test_turns_are_data() -> None:
    turn = Turn("q", "答", ["id-1", {"memory_id": "id-2", "start": 3, "end": 9, "title": "T"}])
    assert turn.references == (Reference("id-1"), Reference("id-2", 3, 9, "T"))
    assert turns_from([turn.as_data()]) == (turn,)
    assert len(turns_from([{"question": str(n)} for n in range(50)])) == MAX_TURNS
    assert turns_from([{"question": "last", "answer": None, "references": None}])[-1].answer == ""


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("text", "expected a list"),
        ({"question": "x"}, "expected a list"),
        ([{"answer": "x"}], 'turn 1: expected an object with a "question"'),
        ([{"question": "x"}, 3], "turn 2"),
        ([{"question": 3}], "turn 1: question: expected text"),
        ([{"question": "x", "role": "user"}], "unknown field 'role'"),
        ([{"question": "x", "references": "id"}], "references: expected a list"),
        ([{"question": "x", "references": [{"number": 1}]}], "a reference is a memory's id"),
        ([{"question": "x", "references": ["a b"]}], "names a memory by its id"),
        ([{"question": "a\0b"}], "NUL"),
    ],
)
def test_turns_that_are_wrong_say_where(data: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message.replace("(", r"\(")):
        turns_from(data)


@pytest.mark.parametrize(
    ("told", "items"),
    [
        ("有基础版、团队版和企业版。", ["基础版", "团队版", "企业版"]),
        ("支持微信、支付宝以及银行卡，都可以。", ["微信", "支付宝", "银行卡"]),
        ("We sell tea, green coffee, and cocoa.", ["tea", "green coffee", "cocoa"]),
        ("苹果和梨都有。", []),
        ("Tea and coffee are free.", []),
    ],
)
def test_what_a_sentence_names_one_after_the_other(told: str, items: list[str]) -> None:
    assert named_items(told) == items
