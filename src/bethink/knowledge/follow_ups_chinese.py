"""What a follow-up looks like in Chinese, and how it is made whole.

Tried in this order: 第二个, a question that names nothing (为什么), a part in place of one in the
last question (那病假呢), a pronoun for what that question was about (它), and a question without
the subject that the last one named (那多久到账).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bethink.knowledge.follow_up_parts import (
    Context,
    Made,
    besides_items,
    names_in,
    names_something,
    with_topic,
    without_pair,
)
from bethink.text.segments import HAN, pieces

_DIGITS = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8,
           "九": 9, "十": 10}  # fmt: skip
_COUNTED = "个|种|条|点|项|款|步|篇|份|位|样|类|段|处"
_GENERIC = "方法|方案|方式|选项|办法|步骤|建议|原因|结果|例子|答案|文档|做法|途径|渠道|情况"
_GOES_ON = (
    "呢|吧|是|的|怎么|如何|要|需要|有|能|可以|多少|什么|哪|在|为什么|适合|支持|会|得|讲|说|具体|"
    "收费|价格|怎样|好|行|应该|该|包括|包含|多久"
)
_NTH = (
    rf"(?<![的中])第\s*([0-9]{{1,2}}|[一二三四五六七八九十]{{1,2}})\s*(?:{_COUNTED})"
    rf"(?:(?:{_GENERIC})|(?=\s*(?:{_GOES_ON}|[，,？?。！!]|\Z)))|"
    rf"(?:最后|末)(?:一)?(?:{_COUNTED})(?:(?:{_GENERIC})|(?=\s*(?:{_GOES_ON}|[，,？?。]|\Z)))|"
    rf"(?:方法|方案|选项|方式|步骤)\s*([0-9]|[一二三四五六七八九])(?=\s*(?:{_GOES_ON}|[，,？?。]|\Z))"
)
_COMPARED = "比较一下|比较|对比一下|对比|有什么|区别|不同|差别|哪个|更|好|和|与|跟|还是|或者|之间"
_FORMER = "前者|后者|(?<!最)前一个|(?<!最)后一个"
_LEAD = (
    r"\A(?:那么|那(?![个里些种边儿样位家款项])|还有|另外|以及|然后|所以|但是|不过|好的?|嗯|哦|而)"
    r"[，,\s]*"
)
_ENDS = r"[呢吗嘛呀啊吧的了\s？?。！!，,~～]*\Z"

_NOTHING_NEW = (
    "还有|还有别的|还有其他的?|还有什么|还有哪些|别的|其他的?|然后|接着|接下来|继续|具体|具体点|"
    "具体说说|具体一点|详细|详细点|详细说说|说详细点|再说说|多说点|展开讲讲|展开说说|举个例子|"
    "举例|例如|比如|比如说|解释一下|真|确定|是这样|就这些|只有这些|没有别|没有其他"
)
_BARE = (
    "为什么|为啥|为何|怎么办|怎么做|怎么弄|怎么操作|怎么用|什么时候|何时|多久|多少|多少钱|要多少钱|"
    "谁|是谁|找谁|在哪|在哪里|哪里|哪儿|去哪里|哪些|哪个|怎么|如何|什么意思|是什么意思|几个|几天|"
    "原因|原因是什么|什么原因|理由|有例外|例外|有限制|有什么要求|有什么条件|有什么限制"
)
_ASKING = (
    "什么|怎么|怎样|如何|多少|多久|多长|几|哪|谁|为何|为啥|是否|能否|可否|吗|不能|能不能|可不可以|"
    "有没有|是不是|会不会|要不要"
)
_VERBS = (
    "申请|办理|重置|修改|查询|取消|开通|使用|安装|配置|设置|更新|删除|添加|提交|下载|升级|联系|"
    "购买|支付|退订|绑定|注册|登录|导出|导入|创建|启用|关闭|连接|更换|报销|打印|预约|缴纳|续费|"
    "充值|找回|激活|解绑|备份|恢复|更改|变更|领取|打开|查看|停用|延长|清洗|清理|更正|补办|开具|"
    "选择|参加|预订|兑换|处理|计算|审批|保存|分享|共享|获取|寄送|退还|借用|维修|检查"
)
# what is done to something: alone it does not say to what
_NEEDS = (
    "申请|办理|取消|查询|修改|开通|使用|设置|安装|操作|计算|到账|生效|收费|处理|审批|提交|续费|"
    "收取|购买|更换|领取|延长|支持|适用|要钱|花钱|贵|费用|价格|价钱|材料|条件|要求|流程|期限|"
    "例外|限制|时间|地点|电话|邮箱|地址|好处|缺点|区别|步骤"
)
# Of what stands in quotation marks before it, 这个 speaks; 其 and 此 speak of what the same
# sentence named, unless they begin it.
_NOT_QUOTED = '(?<![”」』》"])'
_PRONOUN = (
    r"(?<!其)它们?|(?<![其吉])他们?(?!人)|她们?|"
    rf"{_NOT_QUOTED}(?:这|那|這)(?:个|些|种|款|项|样|类|份|条|家|位|個|種)"
    r"(?!月|星期|礼拜|季度|学期|周|夏|冬|春|秋|年|小时)|"
    r"(?:这|那)(?:里|儿|边)|"
    r"(?<![应應])该(?!怎|如|不|去|做|在|找|谁|多|几|什|用|填|选|按|交|注|带|向)|"
    r"\A其(?![他它中实次余實餘])|\A此(?![外前后次类时])|上述|上面(?:说|提|讲|那)|刚才|刚刚说|"
    r"前面(?:说|提|讲)"
)
_IF = "如果|要是|假如|假设|若是|若"
_ALSO = r"(.{1,14}?)也(?:是|一样|是一样|是这样|这样|如此|适用|行)"  # 柏林也一样吗
_ONLY_ASKED = "是(?:什么|啥|怎样|怎么样|什么样)的?|怎么样"
_EARLY = 8  # characters: a pronoun further back speaks of what stands before it
_CLAUSE = r"[，,；;。：:？?！!]"


def made_whole(question: str, context: Context) -> Made | None:
    said = re.sub(_ENDS, "", question.strip())
    plain = re.sub(_LEAD, "", said).strip()
    led = plain != said
    for rule in (_ordinal, _bare, _fragment, _pronoun, _subjectless):
        made = rule(plain, question.strip(), context, led)
        if made is not None:
            return made
    return None


def _ordinal(plain: str, question: str, context: Context, led: bool) -> Made | None:
    said = re.sub(_LEAD, "", question)
    match = re.search(_FORMER, said)
    if match:
        both = context.items()
        pair = _two_of(context.before)
        both = both if len(both) == 2 else pair or both[:2]
        if len(both) < 2:
            return None
        context = context._replace(before=without_pair(context.before, pair, _COMPARED))
        return _with_item(said, match, both[match[0].startswith("后")], context)
    match = re.search(_NTH, said)
    if match is None:
        return None
    number = next(filter(None, match.groups()), "")
    at = _number(number) if number else -1
    items = context.items()
    if not items or at == 0 or not (-len(items) <= at <= len(items)):
        return None
    context = besides_items(context, items, _COMPARED)
    return _with_item(said, match, items[at - 1 if at > 0 else at], context)


def _number(told: str) -> int:
    if told.isascii():
        return int(told)
    if len(told) == 2:  # 十一
        return 10 + _DIGITS[told[1]] if told[0] == "十" else 0
    return _DIGITS[told]


def _with_item(said: str, match: re.Match[str], item: str, context: Context) -> Made | None:
    if not item:
        return None
    whole = re.sub(_ENDS, "", f"{said[: match.start()]}{item}{said[match.end() :]}")
    return Made(with_topic(whole, context.before), f"“{match[0]}”是“{item}”")


def _two_of(question: str) -> list[str]:
    match = re.search(
        rf"([\w{HAN}]{{1,12}}?)\s?(?:和|与|跟|还是|或者|或)\s?([\w{HAN}]{{1,12}}?)"
        r"(?=有|的|之间|哪|区别|不同|[，,？?。]|\Z)",
        question,
    )
    return (
        [
            re.sub(r"\A(?:选|用|买|是|比较一下|比较|对比一下|对比)", "", one)
            for one in match.groups()
        ]
        if match
        else []
    )


def _bare(plain: str, question: str, context: Context, led: bool) -> Made | None:
    said = re.sub(_ENDS, "", plain)
    if re.fullmatch(_NOTHING_NEW, said) or (not said and led):
        return Made(context.before, "问的还是同一件事")
    said = re.sub(r"\A(?:是|这是|那是)(?=为|谁|什)", "", said)
    if re.fullmatch(_BARE, said):
        return Made(f"{said}：{context.before}", "只有疑问词是新的")
    # a question that already ends with 还有呢 lost its end above
    return None


def _fragment(plain: str, question: str, context: Context, led: bool) -> Made | None:
    """那病假呢: a part that takes the place of one in the last question."""
    alike = re.fullmatch(_ALSO, plain)
    plain = alike[1] if alike else plain
    ends = alike is not None or re.search(r"呢[\s？?。！!]*\Z", question) is not None
    if not (ends or (led and re.search(r"[？?]\s*\Z", question))):
        return None
    part = re.sub(rf"\A(?:{_IF}|换成|换做|对于|关于)是?", "", plain)
    if not part or len(part) > 14 or re.search(_ASKING, part) or re.search(_PRONOUN, part):
        return None
    if not names_something(part):
        return None
    if not ends and len(part) > 6:
        return None
    rules: tuple[_Rule, ...] = (*_ALIKE, _subject, _object)
    if alike or re.match(_IF, plain):
        rules = (*_ALIKE, _owner) if alike else _ALIKE
    return Made(_joined(part, context.before, rules), f"“{part}”问的是上一个问题")


def _joined(part: str, before: str, rules: Sequence[_Rule]) -> str:
    """`rules` say in whose place it stands: a condition only takes that of one that looks alike."""
    asked = before.rstrip("？?。！! ")
    for rule in rules:
        span = rule(part, asked)
        if span is not None:
            start, end = span
            return f"{asked[:start]}{part}{asked[end:]}？"
    return f"{part}：{before}"


def _same_place(part: str, asked: str) -> tuple[int, int] | None:
    """在德国 for 在法国."""
    if not part.startswith("在"):
        return None
    match = re.search(
        rf"在[{HAN}A-Za-z]{{2,{len(part)}}}?(?=怎|如|能|可|有|要|的|多|哪|什|办|[，,]|\Z)", asked
    )
    return match.span() if match else None


def _same_end(part: str, asked: str) -> tuple[int, int] | None:
    """病假 for 年假, 企业版 for 标准版: what people call things ends alike."""
    if re.fullmatch(f"[{HAN}]{{2,}}", part) is None:
        return None
    for piece in pieces(asked):
        at = piece.text.find(part[-1]) if piece.telling else -1
        if at < 1:
            continue
        start = asked.find(piece.text)
        if at + 1 <= len(part) + 1:
            return start, start + at + 1
        return start + at + 1 - len(part), start + at + 1
    return None


def _same_letters(part: str, asked: str) -> tuple[int, int] | None:
    """Android for iOS, 2025 for 2024: Latin letters and digits among Chinese."""
    if re.match(r"[A-Za-z0-9]", part) is None:
        return None
    digits = part[0].isdigit()
    pattern = r"[0-9]+[年月日号]?" if digits else r"[A-Za-z][\w.+-]*(?:\s[A-Z][\w.+-]*)*"
    if not digits:
        part = part.strip()
    places = list(re.finditer(pattern, asked, re.ASCII))
    return places[-1].span() if places else None


_Rule = Callable[[str, str], tuple[int, int] | None]
_ALIKE: tuple[_Rule, ...] = (_same_place, _same_end, _same_letters)
_MARKS = (
    "的|是|有|怎么|怎样|如何|多久|多少|多长|几|可以|可不可以|能不能|能|要|需要|在哪|什么|会|该|"
    "应该|支持|包括|包含|为什么|是否|算|收|放|属于|找谁|由谁|最|一般|通常|不"
)


def _subject(part: str, asked: str) -> tuple[int, int] | None:
    """What stands before the first word of asking: [退款]多久到账."""
    match = re.match(rf"(.{{2,10}}?)(?:{_MARKS})", asked)
    if match and re.fullmatch(_ONLY_ASKED, asked[match.end(1) :]):
        return None  # nothing would be left of what it was about
    if match is None or re.match(rf"(?:{_ASKING}|我|你|请|公司|申请|办理)", asked):
        return None
    return match.span(1)


def _owner(part: str, asked: str) -> tuple[int, int] | None:
    """Whose it is: [巴黎]的费用是多少."""
    match = re.match(rf"([{HAN}A-Za-z0-9]{{2,10}}?)的", asked)
    return match.span(1) if match else None


def _object(part: str, asked: str) -> tuple[int, int] | None:
    """What something is done to: 怎么申请[退款]."""
    match = re.search(rf"(?:{_VERBS})(?:了|一下)?([{HAN}A-Za-z]{{2,8}})(?=吗|[，,]|\Z)", asked)
    return match.span(1) if match else None


def _pronoun(plain: str, question: str, context: Context, led: bool) -> Made | None:
    found = re.search(_PRONOUN, plain)
    if found is None or found.start() > _EARLY:
        return None
    cuts = list(re.finditer(_CLAUSE, plain[: found.start()]))
    if cuts and names_something(plain[: cuts[-1].start()]):
        return None  # named in the clause before
    if found.start() >= 6 and re.search("后|时|以后|之后|如果", plain[: found.start()]):
        return None
    whole = with_topic(question, context.before)
    if found[0][0] in "他她" and (names := names_in(context.answer)):
        whole = f"{question}（{names}）"
    if whole == question:
        return None
    return Made(whole, f"“{found[0]}”指上一个问题")


def _subjectless(plain: str, question: str, context: Context, led: bool) -> Made | None:
    """那多久到账: what the last question named is left out."""
    if re.search(_ASKING, question) is None:
        return None
    rest = "".join(p.text for p in pieces(plain) if p.telling)
    rest = re.sub(
        r"\A(?:需要|可以|能够|要|能|会|得|有|用|去|到|先|必须|一般|大概|大约|最多|最少|最晚|最早|通常)+",
        "",
        rest,
    )
    rest = re.sub("(?:要|用|花)\\Z", "", rest)
    needs = re.fullmatch(f"(?:{_NEEDS}){{1,2}}", rest) or re.fullmatch(
        f"(?:怎么|怎样|如何)(?:{_NEEDS})",
        plain,  # 怎么办理: not 怎么办
    )
    must = len(rest) <= 2 and re.match("需要|必须|要不要|用不用|要", plain)
    if not (needs or must or (led and len(rest) <= 2)):
        return None
    whole = with_topic(re.sub(_LEAD, "", question), context.before)
    return Made(whole, "没有说的那件事，上一个问题说了")
