"""Keywords that route: "recent decisions", "is there a rule about commit messages", 今天的任务.

One of these words anywhere in a question leads to the list that it names. A word that only looks
like it does not: the keyword as part of another noun ("task force", "decision tree", 模式识别,
任务管理器), behind a word that makes it something else ("regex pattern", 深色模式, 不规则), in an
identifier (`create_task`, `tasks.json`) or in quotation marks. Such a question is searched, and the
search reads the same lists.

If a question holds keywords of several lists, the head of the phrase counts: the first in English
("rules for tasks"), the last in Chinese (任务的规则).
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from bethink.text.fold import fold


class _Keyword(NamedTuple):
    """What leads to one list. Patterns are matched against the folded question."""

    english: str  # singular; a following noun makes it part of another word
    plural: str
    chinese: str
    not_after: str = ""  # English words before it that make it something else
    not_before: str = ""  # English words after it, also after the plural
    not_after_zh: str = ""
    not_before_zh: str = ""
    # If given, only these may stand right before it: 极速模式 and 语音指令 are words of their own.
    only_after_zh: str = ""


_GENERIC = "background|scheduled|cron|celery|async|asyncio|gulp|grunt|gradle|ant|windows"
_PATTERNS_OF_BOOKS = (
    "observer|singleton|factory|visitor|strategy|decorator|adapter|builder|command|iterator|"
    "mediator|proxy|facade|composite|prototype|memento|flyweight|bridge|publish-subscribe"
)
_PATTERNS_OF_BOOKS_ZH = (
    "单例|工厂|观察者|装饰器|装饰者|代理|适配器|建造者|模板方法|责任链|迭代器|访问者|中介者|备忘录|"
    "外观|桥接|享元|原型|发布订阅"
)
_MODES_ZH = (
    "深色|浅色|暗黑|暗色|黑暗|夜间|夜景|护眼|飞行|安全|调试|开发|开发者|生产|省电|节能|静音|勿扰|振动|"
    "兼容|全屏|编辑|阅读|离线|在线|集群|主从|哨兵|运动|人像|驾驶|睡眠|待机|低功耗|性能|游戏|竞技|剧情|"
    "单人|多人|无痕|隐身|访客|儿童|维护|只读|严格|调试器|商业|盈利|运营|教学|生活|经营|正则|正则表达式|"
    "正则表达式的|线程|同步|异步|显示|输入|启动|恢复"
)
# What may stand before a Chinese noun that is meant by itself.
_FREE_ZH = "的|些|么|种|个|条|有|了|所有|全部|哪|和|与|、|，|出|按"
_GAMES_ZH = (
    "双打|单打|记分|象棋|围棋|麻将|扑克|桥牌|足球|篮球|网球|羽毛球|乒乓球|排球|越位|比赛|"
    "游戏|竞赛|桌游"
)

_KEYWORDS: tuple[tuple[str, _Keyword], ...] = (
    (
        "preferences",
        _Keyword(
            "preference",
            "preferences",
            "偏好",
            not_after="system|liquidity|time|risk|revealed|partner",
            not_after_zh="系统|风险|流动性|时间|显示性|消费者|消费",
            not_before_zh="理论|测评|曲线|股",
        ),
    ),
    (
        "instructions",
        _Keyword(
            "instruction|rule",
            "instructions|rules",
            "指令|规则",
            not_after=(
                "cpu|assembly|assembler|machine|simd|x86|arm|avx[0-9]*|washing|cooking|care|"
                "whose|slide|roman|british|colonial|military|imperial|home|majority|golden|as a|"
                "eslint|lint|linter|stylelint|pylint|ruff|firewall|iptables|nftables|css|nat|snort|"
                "semgrep|prometheus|makefile|bazel|nginx|rewrite|cors|dns|validation|alerting|routing|chain|product|quotient|association|grammar|"
                "traffic|chess|game|football|soccer|cricket|recipe's|manual's"
            ),
            not_before="of thumb|of law|of three|of chess|of the game|out|over",
            not_after_zh=(
                f"汇编|机器|底层|正则|基于|贸易|不|无|潜|交通|防火墙|路由|告警|报警|语法|{_GAMES_ZH}|"
                f"{_GAMES_ZH.replace('|', '的|')}的|说明书里的|说明书的|eslint|iptables|css"
            ),
            not_before_zh="集|微调|周期|码|寄存器|流水线|引擎|动词|图形|的图形|的零件",
            only_after_zh=f"{_FREE_ZH}|长期|固定|常规|默认|给|过|我|你",
        ),
    ),
    (
        "tasks",
        _Keyword(
            "task",
            "tasks",
            "任务",
            not_after=_GENERIC,
            not_after_zh="定时|后台|异步|计划|登月|探月|航天|太空|支线|主线|特种|批处理|离线|训练|构建|编译|流水线",
            not_before_zh="管理器|栏|队列|组|型|书|调度|分配算法|线程|池",
        ),
    ),
    (
        "entities",
        _Keyword(
            "entity",
            "entities|people",
            "实体|人物",
            not_after=(
                "named|legal|html|xml|jpa|hibernate|corporate|taxable|"
                "how many|many|most|some|few|of|do|does|did|can|could|would|should|if|[0-9]+"
            ),
            not_before=(
                "magazine|counter|skills|management|ops|carrier|mover|watching|love|like|hate|"
                "think|say|want|believe|often|usually"
            ),
            not_after_zh=(
                "命名|法律|法人|商业|历史|动漫|小说|小说里的|小说中的|电影|电影里的|游戏|游戏里的|"
                "三体里的|书里的|剧里的|卡通|虚构|反派|古代|代表|风云|公众"
            ),
            not_before_zh=(
                "店|书|经济|关系|识别|链接|抽取|消歧|类|键盘|按键|卡|企业|产业|商品|传记|画像|手办|"
                "速写|访谈|专访|杂志|志|像|原型|设定|瘤"
            ),
        ),
    ),
    (
        "decisions",
        _Keyword(
            "decision",
            "decisions",
            "决策",
            not_after="court|judge's|referee's|umpire's|jury's|markov",
            not_after_zh="马尔可夫|序贯|群体",
            not_before_zh="树|支持|过程|边界|论|函数|疲劳|者|层|权",
        ),
    ),
    (
        "patterns",
        _Keyword(
            "pattern",
            "patterns",
            "模式",
            not_after=(
                "regex|regexp|expression|glob|sewing|knitting|crochet|weather|wallpaper|traffic|"
                f"sleep|sleeping|holding|flight|speech|{_PATTERNS_OF_BOOKS}"
            ),
            not_before="on the|on my|on a|for dates|of stars",
            not_after_zh=f"{_MODES_ZH}|{_PATTERNS_OF_BOOKS_ZH}",
            not_before_zh="识别|匹配|串|切换",
            only_after_zh=f"{_FREE_ZH}|设计|代码|编码|架构|开发|工作|常见|常用|用|新|旧|我们",
        ),
    ),
)

# What may stand right behind a keyword in the singular without making it part of another noun.
_BEHIND = frozenset(
    "is are was were be been do does did have has had can could will would shall should may might "
    "must to of for on in at by with without from about regarding concerning around over between "
    "under after before since until during we i you he she they it this that these those my our "
    "your their the a an which who what when where why how if whether or and but not no now next "
    "here there yet still left again please made reached taken list lists log logs file md called "
    "named came comes covers cover applies apply says say exists exist remains remain so as than "
    "today yesterday tomorrow recently lately then first last".split()
)
# The same for Chinese: 决策理论, 指令缓存 and 人物分析 are words of their own.
_BEHIND_ZH = (
    "的是有吗呢吧了啊和与跟或都还没要会能在被已里中上一列清汇进状谁哪什怎如为多几给请包做完过出变"
    "卡该需应由从到来定也就可不太最总优逾延拖拍说帮让把按念读"
)
_WORDS_BEHIND_ZH = "当时|当初|记录|理由|背景|原因|日志|文件|相关|情况|负责|内容|目前|现在|全部|所有"
_BOUND = r"(?<![\w@/#.-])"
_END = r"(?![\w@/#-]|\.\w)"
_QUOTED = r"\"[^\"]*\"|“[^”]*”|「[^」]*」|`[^`]*`|《[^》]*》|(?<!\w)'[^']*'(?!\w)"


def keyword_route(question: str) -> str:
    """Return the name of the list that a keyword of this question leads to, or an empty string."""
    text = re.sub(_QUOTED, " ", fold(question).replace("’", "'"))
    english: list[tuple[int, str]] = []
    chinese: list[tuple[int, str]] = []
    for name, pattern in _patterns():
        for found in pattern.finditer(text):
            if found.group("zh"):
                chinese.append((found.start("zh"), name))
            elif not found.group("singular") or _stands_alone(text, found):
                english.append((found.start(), name))
    if chinese:
        return max(chinese)[1]
    return min(english)[1] if english else ""


# What a question for a list says besides: who asks, who did it, what is done with the list.
_FRAME = (
    r"what|which|who|whose|why|when|where|how|many|much|show|list|tell|give|remind|repeat|read|see|"
    r"know|find|get|do|does|did|is|are|was|were|be|been|have|has|had|can|could|should|must|need|"
    r"i|me|my|we|us|our|you|your|the|a|an|all|any|every|some|other|this|that|these|those|there|"
    r"here|and|or|not|no|of|for|on|in|to|at|by|with|from|about|regarding|concerning|please|now|"
    r"right|still|yet|already|again|so|far|ever|open|left|remain|remaining|pending|blocked|done|"
    r"finished|unfinished|next|new|old|latest|current|currently|recent|recently|known|stored|"
    r"saved|common|usual|important|standing|made|make|took|taken|take|given|gave|added|learned|"
    r"agreed|use|used|follow|apply|exist|user|users|project|team|codebase|s"
)
_FRAME_ZH = (
    r"什么|哪些|哪个|哪几个|多少|几个|怎么样|如何|为什么|谁|列出来|列出|列一下|列|给我|看看|看一下|"
    r"显示|告诉我|提醒|重复一遍|总结|请|我们|咱们|我|你们|你|您|项目里|项目|团队|用户|这个|那个|所有|"
    r"全部|目前|现在|已经|还有|还|有没有|没有|有|都|的|了|过|吗|呢|吧|是|在|里|中|关于|最近|之前|"
    r"最后|上次|下一个|新增|记下|做出|做过|做了|定下|总结出|学到|用了|用|遵守|遵循|要|说过|提到|"
    r"认识|知道|记录|列表|清单|没完成|完成|没做|常见|重要|相关|长期|有效|生效|一般|一下|和|与"
)


def topic_of(question: str) -> str:
    """Return what the question says besides its keyword and the words that ask for a list."""
    text = fold(question).replace("’", "'")
    for _, word in _KEYWORDS:
        text = re.sub(rf"{_BOUND}(?:{word.plural}|{word.english}){_END}", " ", text)
        text = re.sub(word.chinese, " ", text)
    text = re.sub(rf"{_BOUND}(?:{_FRAME})(?![\w-])", " ", text)
    return re.sub(_FRAME_ZH, " ", text)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    made: list[tuple[str, re.Pattern[str]]] = []
    for name, word in _KEYWORDS:
        before = "".join(
            rf"(?<!\b{one} )" for one in _of_one_width(word.not_after.replace("[0-9]+", r"\d"))
        )
        before_zh = "".join(
            f"(?<!{one})(?<!{one} )" for one in _of_one_width(word.not_after_zh) if one
        )
        if word.only_after_zh:
            allowed = "|".join(f"(?<={one})" for one in word.only_after_zh.split("|"))
            free = r"(?<![\u3400-\u9fff])"
            before_zh += f"(?:(?!指令|模式)|{free}|{allowed})"
        after = rf"(?! (?:{word.not_before})\b)" if word.not_before else ""
        after_zh = f"(?!{word.not_before_zh})" if word.not_before_zh else ""
        after_zh += rf"(?=$|[^\u3400-\u9fff]|[{_BEHIND_ZH}]|{_WORDS_BEHIND_ZH})"
        # `COPY 指令`, `v-if 指令`: a name in Latin letters says which one
        named = r"(?<![a-z0-9])(?<![a-z0-9] )" if name in ("instructions", "patterns") else ""
        made.append(
            (
                name,
                re.compile(
                    rf"{before}{_BOUND}(?:(?P<singular>{word.english})|(?:{word.plural}))"
                    rf"{_END}(?!'s\b){after}|{named}{before_zh}(?P<zh>{word.chinese}){after_zh}"
                ),
            )
        )
    return tuple(made)


def _of_one_width(choices: str) -> list[str]:
    """Look-behinds need a fixed width, so each choice becomes one of its own."""
    made: list[str] = []
    for one in choices.split("|"):
        made += [one.replace("[0-9]*", "2"), one.replace("[0-9]*", "")] if "*" in one else [one]
    return [one for one in made if one]


def _stands_alone(text: str, found: re.Match[str]) -> bool:
    """Whether the singular keyword is a noun of its own and not the first part of one."""
    behind = re.match(r"['’]?\s*([\w-]*)", text[found.end() :])
    word = behind.group(1) if behind else ""
    if not word or word in _BEHIND or not word.isascii():
        return True
    if re.match(r"\s*[?!.,;:)]", text[found.end() :]):
        return True
    asked = re.search(r"\b(?:which|what)\s+$", text[: found.start()])
    return asked is not None and word.endswith(("s", "ed"))
