"""What a sentence asks for: is a text itself a question, and which type of answer does it want.

Two uses. A turn of a conversation that asks is seldom the answer; the turn after it is. And a
question of a known type ("how many", 谁) is answered by a text that holds something of that type
which the question itself does not hold: a person, a price, a colour. Some types have forms so
clear that a text without them is hardly an answer (`STRICT`).

The rules are small tables for English and Chinese. They give evidence, not a verdict.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

AnswerType = Literal[
    "person", "time", "place", "number", "reason",
    "money", "age", "weight", "height", "percentage", "phone", "email", "colour",
]  # fmt: skip
STRICT: frozenset[AnswerType] = frozenset(
    {"money", "age", "weight", "height", "percentage", "phone", "email", "colour"}
)

_READ = 1_200  # characters: of a longer text the end decides whether it asks

# A question mark, or a Chinese particle or question form at the end of a sentence without one.
_SENTENCE = re.compile(r"[^.!?。！？\n…;；]+[.!?。！？…;；]*")
_ASKS = re.compile(
    r"[?？][\"'”’)）\]]*\s*$|(?:吗|呢|么|没有|是吧|对吧|好不好|行不行|怎么办)\s*[。.!！]?\s*$"
)

_MONEY = "price|cost|fee|rent|salary|budget|fare|deposit|wage|bill"
_TYPES: tuple[tuple[AnswerType, re.Pattern[str]], ...] = (
    (
        "money",
        re.compile(
            r"\bhow much money\b|\bwhat (?:do|does|did) \S+ (?:charge|earn|pay)\b"
            r"|\bhow (?:expensive|much)\b[^?.]*\b(?:costs?|pays?|paid|paying|spend|spent|charges?|"
            rf"charged|owes?|owed|earns?|worth|get for|sell|sold|{_MONEY})\b"
            r"|\bwhat(?:'s| is| was| are| were| will| does)\b (?:\S+ ){0,4}"
            rf"(?:{_MONEY})s?(?: (?:of|for|per|to)\b|\s*\?|\s*$)"
            r"|多少钱|什么价|几块钱|多贵|花了?多少|(?:工资|房租|月租|租金|费用|学费|押金|预算|价格|票价|单价|定金)"
            r"(?:是|要|为|有)?(?:多少|几)",
            re.IGNORECASE,
        ),
    ),
    (
        "age",
        re.compile(
            r"\bhow old\b|\bwhat age\b|几岁|多大年纪|年龄(?:是|有)?多|多大了", re.IGNORECASE
        ),
    ),
    (
        "weight",
        re.compile(r"\bhow (?:heavy|much (?:does|did|do) .*weigh)\b|体重|多重", re.IGNORECASE),
    ),
    ("height", re.compile(r"\bhow tall\b|身高|多高", re.IGNORECASE)),
    (
        "percentage",
        re.compile(r"\bwhat per ?cent(?:age)?\b|百分之[几多]|百分比|几折", re.IGNORECASE),
    ),
    (
        "phone",
        re.compile(r"\b(?:tele)?phone number\b|电话(?:号码)?(?:是|多)|手机号", re.IGNORECASE),
    ),
    ("email", re.compile(r"\be-?mail address\b|邮箱(?:地址)?(?:是|多)|邮件地址", re.IGNORECASE)),
    ("colour", re.compile(r"\b(?:what|which|favou?rite) colou?r\b|颜色|什么色", re.IGNORECASE)),
    ("reason", re.compile(r"\bwhy\b|\bhow come\b|为什么|为何|为啥|什么原因", re.IGNORECASE)),
    (
        "number",
        re.compile(
            r"\bhow (?:many|much|old|long|often|tall|far|big|large|fast|heavy|high|deep|wide)\b"
            r"|\b(?:what|which) (?:is |was |are )?(?:the |my |our |his |her |their |its )?"
            r"(?:\w+ ){0,2}(?:port|price|cost|amount|number|version|age|size|budget|rate|"
            r"percentage|score|salary|rent|limit|timeout|quota|height|weight)\b"
            r"|多少|几[个次岁人位只张条本件台天年]|多[大久长远高重快深宽]|第几|几折"
            r"|(?:端口|价格|版本|编号|金额|预算|分数|电话|密度|尺寸|身高|体重|工资|房租)[^，。]{0,4}(?:是|为)?(?:什么|多少|几)",
            re.IGNORECASE,
        ),
    ),
    (
        "time",
        re.compile(
            r"\bwhen\b|\b(?:what|which) (?:time|day|date|year|month|week)\b"
            r"|\bhow (?:soon|recently)\b"
            r"|什么时候|何时|啥时候|几点|几号|几月|哪[一]?[天年月周日]|星期几|周几|什么时间|什么日子|多久以前",
            re.IGNORECASE,
        ),
    ),
    (
        "place",
        re.compile(
            r"\bwhere\b|\b(?:what|which) (?:city|town|country|place|street|room|building|floor|"
            r"restaurant|hotel|address|folder|directory)\b"
            r"|哪里|哪儿|在哪|何处|什么地方|哪个?(?:城市|国家|地方|房间|楼|餐厅|酒店|文件夹|目录|省|市)|住哪|去哪",
            re.IGNORECASE,
        ),
    ),
    ("person", re.compile(r"\bwho(?:se|m|'s)?\b|谁|哪位|什么人|哪个人", re.IGNORECASE)),
)

_NUMBER_WORDS = (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    r"fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|"
    r"ninety|hundred|thousand|million|once|twice|dozen|half|couple|several|daily|weekly|monthly)\b"
)
_HOLDS: dict[AnswerType, re.Pattern[str]] = {
    "money": re.compile(
        r"[$€£¥￥]\s?\d[\d,.]*|\d[\d,.]*\s?(?:k\b|(?:thousand |million )?(?:dollars?|bucks|euros?|"
        r"pounds?|quid|usd|eur|gbp|cny|rmb|yuan|pence|cents?)\b)|\bfor free\b|\bfree of charge\b"
        r"|[\d一二两三四五六七八九十百千万,.]+\s*(?:元|块|万|美元|欧元|毛)|免费",
        re.IGNORECASE,
    ),
    "age": re.compile(
        r"\b[\w-]+[ -](?:years?|yrs?|months?|weeks?)[ -]?(?:old|of age)|\baged?\b"
        r"|\bturn(?:s|ed|ing)? \w+|\bborn\b|\bbirthday\b|\b(?:19|20)\d{2}\b|\bis \d{1,2}\b"
        r"|岁|年生|出生|生日|个月大|[零〇九八七六五]\d?后",
        re.IGNORECASE,
    ),
    "weight": re.compile(
        r"\d[\d.,]*\s?(?:kg|kilos?|g|grams?|lbs?|pounds?|ounces?|oz|stone|tons?|tonnes?)\b"
        r"|[\d一二两三四五六七八九十百半.]+\s*(?:公斤|千克|斤|克|吨|两)",
        re.IGNORECASE,
    ),
    "height": re.compile(
        r"\d[\d.,]*\s?(?:cm|centimet\w+|m|met(?:er|re)s?|feet|foot|ft|inch(?:es)?|storeys?|stories|floors?)\b"
        r"|\d+'\d*|[\d一二两三四五六七八九十百半.]+\s*(?:厘米|公分|米|层)",
        re.IGNORECASE,
    ),
    "percentage": re.compile(
        r"\d\s?%|per ?cent\b|百分之|[\d一二三四五六七八九]\s*[折成]|\bhalf\b|一半"
    ),
    "phone": re.compile(r"\d[\d -]{4,}\d"),
    "email": re.compile(r"\S@\S"),
    "colour": re.compile(
        r"\b(?:red|blue|green|yellow|black|white|gr[ae]y|brown|orange|purple|pink|silver|gold(?:en)?|beige|"
        r"navy|teal|turquoise|violet|cream|maroon|crimson|amber|olive|cyan|magenta|lilac|indigo|dark|light)\b"
        r"|[红蓝绿黄黑白灰棕橙紫粉银金青褐米]色?",
        re.IGNORECASE,
    ),
    "reason": re.compile(
        r"\b(?:because|since|due to|so that|so|in order|thanks to|as|after|caus\w+|reasons?|"
        r"therefore|otherwise|until|to \w+|for)\b"
        r"|因|由于|为了|所以|免得|怕|嫌|导致|结果|不然|否则|太",
        re.IGNORECASE,
    ),
    "number": re.compile(
        r"\d[\d.,:]*|[〇零一二两三四五六七八九十百千万亿半双]+|" + _NUMBER_WORDS, re.IGNORECASE
    ),
    "time": re.compile(
        r"\b\d{1,2}(?::\d{2}|\s?[ap]\.?m\b)|\b(?:19|20)\d{2}\b|\d{1,2}(?:st|nd|rd|th)\b"
        r"|\b(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\bmay\b"
        r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
        r"|\b(?:today|tonight|tomorrow|yesterday|morning|afternoon|evening|noon|midnight|weekend)\b"
        r"|\b(?:last|next|this|past|coming|every) "
        r"(?:week|month|year|spring|summer|autumn|fall|winter|night)\b"
        r"|\b(?:ago|since|recently|quarter|q[1-4])\b"
        r"|[\d一二三四五六七八九十两]+\s*(?:点|月|号|日|年|周|天前|个月)|周[一二三四五六日末]|星期|礼拜"
        r"|昨[天晚]|今[天晚早年]|明[天早年]|前天|后天|上周|下周|上个?月|下个?月|去年|早上|上午|中午|下午|晚上|凌晨|月底|年底|季度",
        re.IGNORECASE,
    ),
    "place": re.compile(
        r"\b(?:in|at|to|from|near|under|behind|inside|outside|on|into|by) (?:the )?[A-Z0-9][\w'-]*"
        r"|\b(?:at home|downtown|upstairs|downstairs|office|kitchen|garage|street|road|avenue|park|"
        r"cafe|café|station|airport|hotel|school|library|drawer|shelf|cabinet|folder|museum|beach)\b"
        r"|(?:/[\w.-]+){2,}"
        r"|[在到去往住于从][^，。；\s]{1,10}|[\u4e00-\u9fff]{1,6}(?:市|省|县|区|路|街|号楼|大厦|店|馆|园|站|室|厅|楼|校|院|村|镇|湖|山|岛|国)"
    ),
    "person": re.compile(
        r"(?<![.!?\n] )(?<!^)\b[A-Z][a-z]+\b"
        r"|\b(?:mother|mom|mum|father|dad|brother|sister|wife|husband|son|daughter|aunt|uncle|cousin|"
        r"friend|boss|manager|colleague|neighbou?r|teacher|doctor|grandmother|grandma|grandfather|"
        r"grandpa|roommate|partner|girlfriend|boyfriend|niece|nephew|team|team lead)\b"
        r"|(?:妈妈|爸爸|母亲|父亲|哥哥|弟弟|姐姐|妹妹|妻子|丈夫|老公|老婆|儿子|女儿|朋友|同事|老师|医生|经理|老板|邻居|"
        r"奶奶|爷爷|外婆|外公|姥姥|阿姨|叔叔|舅舅|表[哥弟姐妹]|室友|同学|队长|师傅|教练)"
        r"|[老小阿][\u4e00-\u9fff]|[\u4e00-\u9fff](?:总|工|哥|姐|叔|姨|老师|经理)"
        r"|[赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕张孔曹严华金魏陶姜谢邹苏潘范彭鲁马方袁柳史唐罗毕安常于傅顾孟黄穆萧尹姚邵汪毛戴宋庞熊纪舒项祝董梁杜阮蓝季贾江郭梅林徐邱骆高夏蔡田胡凌霍万卢莫房解应丁邓洪石崔龚程邢裴陆荣翁段侯武刘龙叶黎温庄柴瞿阎文聂曾沙关]"
        r"[\u4e00-\u9fff]{1,2}"
    ),
}


def asking_share(text: str) -> float:
    """Return the share of a text, by characters, that stands in sentences which ask something."""
    text = text[-_READ:]
    if "?" not in text and "？" not in text and text.isascii():
        return 0.0
    total = asking = 0
    for sentence in _SENTENCE.findall(text):
        size = len(sentence.strip())
        total += size
        if _ASKS.search(sentence):
            asking += size
    return asking / total if total else 0.0


@lru_cache(maxsize=256)
def answer_type(question: str) -> AnswerType | None:
    """Return the type of answer that a question wants, or None if it names none."""
    found = [
        (match.start(), kind)
        for kind, form in _TYPES
        if (match := form.search(question)) is not None
    ]
    # "what is the phone number": the finer type decides
    return min(found, key=lambda one: (one[1] not in STRICT, one[0]))[1] if found else None


def holds_type(kind: AnswerType, text: str, question: str) -> bool:
    """Return True if the text holds something of this type that the question does not hold."""
    asked = question.lower()
    return any(match[0].lower() not in asked for match in _HOLDS[kind].finditer(text[:_READ]))
