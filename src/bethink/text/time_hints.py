"""Could there be a time in this text? A cheap look before the grammar of time phrases is loaded.

Loading the grammar costs a cold process 20 to 60 ms, and most questions name no time. Every phrase
that the grammar knows holds one of these pieces; a test says so.
"""

from __future__ import annotations

_ENGLISH = (
    "day week month year quarter hour minute weekend morning noon afternoon evening night dawn "
    "recent lately now while moment other jan feb mar apr may jun jul aug sep oct nov dec "
    "mon tue wed thu fri sat sun spring summer autumn fall winter q1 q2 q3 q4 h1 h2 "
    "halloween thanksgiving christmas xmas valentine eve easter festival lunar qingming tomb "
    "dragon tomorrow mid-autumn singles hrs mins half century decade past ago"
).split()
_CHINESE = (
    "天 日 周 月 年 季 星期 礼拜 昨 今 明 前 后 小时 分钟 钟头 刚才 近 阵 段 午 早 晚 元旦 节 除夕 "
    "元宵 清明 五一 六一 十一 劳动 端午 中秋 国庆 圣诞 平安夜 跨年 双11 週 禮拜 節 號 号 "
    "點 刚 剛 慶 聖 誕"
).split()


def may_name_a_time(text: str) -> bool:
    if any(map(str.isdigit, text)):
        return True
    lower = text.lower()
    pieces = _ENGLISH if lower.isascii() else (*_ENGLISH, *_CHINESE)
    return any(map(lower.__contains__, pieces))
