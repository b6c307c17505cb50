"""The words that `facts` knows: what denies, what says that something changed, what is the same in
other words, what only colours a sentence. In forms, "%" stands for a negation and "+" for a sign
that something has changed.
"""

from __future__ import annotations

# Phrases go first: what they are made of would mean something else.
ENGLISH_PHRASES = {
    "from now on": "+", "e-mail": "email", "called": "name is", "named": "name is",
    "no longer": "%+", "not anymore": "%+", "anymore": "+", "any longer": "+", "any more": "+",
    "not only": "", "not just": "", "no later than": "by", "no problem": "",
    "used to": "formerly", "instead of": "notthis", "rather than": "notthis",
    "a lot": "", "very much": "", "a bit": "", "as well": "", "at all": "", "of course": "",
    "in order to": "to", "every day": "daily", "each day": "daily", "every week": "weekly",
    "each week": "weekly", "has been": "is", "have been": "is", "had been": "formerly is",
    "set up": "setup", "log in": "login", "sign in": "login", "back up": "backup",
    "moved to": "+ live in", "switched to": "+ use", "changed to": "+ is", "set to": "is",
    "turned off": "turned on %", "turn off": "turn on %", "switch off": "turn on %",
    "switched off": "turned on %", "switch on": "turn on", "fond of": "like", "keen on": "like",
    "a fan of": "like", "makes use of": "use",
}  # fmt: skip
# What is read as what: `form = words`. ~ is nothing.
_CHINESE = """
好 = 不错
~ = 不但 不仅 对不起 不断 非常 特别 没关系 总是 始终 一直 永远 真的 十分 很 挺 比较 相当 超级
~ = 千万 一下 一定
但 = 不过
约 = 差不多 大约 大概 左右
要 = 不得不 非得 必须 需要 务必 一定要
应该 = 应当 应该
不管 = 无论 不论 不管
厉害 = 了不起
他人 = 别人
是否 = 是不是 是否
能否 = 能不能
未必 = 不一定 未必
许多 = 不少
喜欢 = 偏好 偏爱 喜爱 热爱 钟爱 爱好
用 = 使用 采用
住在 = 居住在 居住于
在 = 位于
用于 = 用来
邮箱 = 电子邮件 电邮 邮件地址
手机号 = 手机号码
电话 = 电话号码
默认 = 默认值 缺省
每天 = 每日 每一天
每周 = 每个星期 每星期 每礼拜
能 = 可以 能够
会 = 会议
妻子 = 老婆 太太
丈夫 = 老公
母亲 = 妈妈
父亲 = 爸爸
名字是 = 叫做 名叫 名字叫 称为
买 = 购买
端口 = 端口号
以前 = 之前 曾经 曾 原来 原本 本来
以后 = 之后
我们 = 咱们
些 = 一些
通常 = 一般
共 = 一共
周七 = 星期天 星期日 礼拜天 礼拜日 周日
%+ = 不再 再也不 再也没 停止 取消 戒了
%有 = 没有 无
% = 没 并非 并不 从不 从来不 从未 绝不 不要 不是 禁止 切勿 请勿 避免 别 不 未 勿 莫
%要 = 不用 不需要 不必
%能 = 不能 不可以
%会 = 不会
%喜欢 = 不喜欢 不爱 讨厌
%启用 = 禁用
%打开 = 关闭 关掉
+ = 调整为 变为 变成 更新为 变更为
+ = 现在 现已 改为 改成 换成 更正 其实 实际上 如今 目前 从现在起
+用 = 改用 换用
+喝 = 改喝
+吃 = 改吃
+在 = 改到 换到 调到 推迟到 提前到 移到
+名字是 = 改名叫 改名为
+住在 = 搬到 搬去
"""
# These look like negations or numbers and are none.
_AS_THEY_ARE = """
不同 不如 不久 级别 区别 性别 类别 分别 告别 无所谓 未来 非洲 无线 无锡 除非
否则 沉没 个别 识别 别墅 无人机 无糖 未婚 一起 一样 统一 万一 一切 一旦
三明治 四川 九寨沟 万能 百度 一致 唯一 之一 四季 周末
"""
CHINESE_PHRASES = {word: word for word in _AS_THEY_ARE.split()} | {
    word: form.strip().strip("~")
    for form, _, words in (line.partition("=") for line in _CHINESE.strip().split("\n"))
    for word in words.split()
}

NEGATIONS = frozenset(
    "not no never none nobody nothing nowhere without cannot nor neither dont doesnt didnt isnt "
    "arent wasnt werent cant couldnt wont wouldnt shouldnt mustnt havent hasnt hadnt aint".split()
)
# A word that denies another: what it denies takes its place.
DENYING = {
    "dislike": "like", "dislikes": "like", "disliked": "like", "hate": "like", "hates": "like",
    "detests": "like", "loathes": "like", "avoid": "", "avoids": "", "avoiding": "",
    "disable": "enable", "disabled": "enable", "disables": "enable", "disabling": "enable",
    "forbid": "allow", "forbidden": "allow", "forbids": "allow", "prohibited": "allow",
    "disallow": "allow", "disallowed": "allow", "cancelled": "+", "canceled": "+",
    "refuse": "", "refuses": "",
    "unable": "able", "unavailable": "available", "unsafe": "safe", "inactive": "active",
    "false": "true", "lacks": "", "unsupported": "supported", "off": "on",
}  # fmt: skip
CHANGES = frozenset("now nowadays currently actually correction instead henceforth".split())
# So now, and perhaps besides what was so before: "I am now allergic to shrimp".
NOW = frozenset("now nowadays currently henceforth".split())
NOW_CHINESE = ("现在", "现已", "如今", "目前")
RELATIVE = frozenset("today tomorrow yesterday tonight recently ago".split())
RELATIVE_CHINESE = (
    "今天 明天 昨天 后天 前天 今晚 昨晚 明早 上周 下周 本周 这周 上个月 下个月 最近 刚才 "
    "去年 明年 今年"
).split()
# Small words that nevertheless decide what is said.
RELATIONS = frozenset(
    "before after from to until till by since only except unless if above below under over into "
    "out up down between against towards via than more less most least first last sometimes often "
    "rarely seldom usually formerly previously because but or notthis all every each both some any "
    "half can could may might would will shall should must was were did had has have having for "
    "with about in on at as when where while then too much".split()
)
RELATIONS_CHINESE = "前后从到由向比只仅除但或若因每各半可能会要上下内外里"
COLOUR = frozenset(
    "a an the is are be been being am do does it its this that these those there here of and also "
    "just really very so quite truly definitely certainly please always totally absolutely "
    "strongly still already generally simply basically well own oh ok yes hey who which "
    "what".split()
)
# Whose it is counts: "my port" is not "your port".
PERSONS = {
    "i": "I", "i'm": "I", "my": "I", "me": "I", "mine": "I", "myself": "I", "i've": "I", "i'd": "I",
    "we": "we", "our": "we", "ours": "we", "us": "we", "we're": "we", "we've": "we",
    "you": "you", "your": "you", "yours": "you", "he": "he", "his": "he", "him": "he", "he's": "he",
    "she": "she", "her": "she", "hers": "she", "she's": "she",
    "they": "they", "their": "they", "them": "they",
}  # fmt: skip
# The first of each group stands for the others.
ONE_MEANING = """
like prefer love enjoy favour favor adore
use utilise utilize employ
start begin commence
big large
buy purchase
live reside dwell
color colour
favorite favourite
photo picture
quick fast
phone telephone
need require
finish complete
movie film
kid child children
run execute
car automobile
approximately roughly around
remove delete
fix repair
config configuration
db database
repo repository
"""
# After these a value follows: "the port is 8080", 端口是8080. They say nothing by themselves.
LINKS = frozenset("is are am be equals has have in on at".split())
# "on Friday" and "Friday" are the same day, "in the box" and "on the box" are not the same place.
BEFORE_TIMES = frozenset("in on at 在".split())
LINKS_CHINESE = "是有在为叫"
# Who did something once may do it again: a second telling with another value is another event.
EVENTS = frozenset(
    "met went bought ate gave saw made took came got ran wrote sent paid spent found left told "
    "said flew drove sold held began lost won read put cut hit let".split()
)
PARTICLES = "的了着呢啊呀嘛吧哦啦也就是为都而地得之且把个么还又再请"
