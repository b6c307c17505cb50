"""What phrases mean, and what only looks like a time: the table of the tests and of
benchmarks/time_phrases.py."""

from __future__ import annotations

from tests.text.time_phrase_rows import NOW as NOW
from tests.text.time_phrase_rows import SHANGHAI as SHANGHAI
from tests.text.time_phrase_rows import Row as Row
from tests.text.time_phrases_in_chinese import CHINESE as CHINESE
from tests.text.time_phrases_in_english import ENGLISH as ENGLISH

NO_TIME = """
may I ask a question
May I ask a question
May we be happy
we march on
this may help
11,700 years ago
they usually last 30 minutes
until dawn
the 2009/10 season
march 3 miles
may 6 people come along
the second item
give me a second
the last chapter
upgrade to 1.2.3
python 3.12
ping 192.168.20.24
ERR_2024_05 in the log
CVE-2024-05
it costs $2024
2,024 items
ISBN 978-7-2020-0505-1
open 24/7
1/2 cup of sugar
every Friday
each month
Fridays are casual
Black Friday deals
most recent call last
one day I will
a day in the life
what day is it
the best year of my life
a three day trip
how many weeks does it take
room 2024
v2024-05-06
2024-13-45
30 February 2024
Feb 29, 2025
at the last minute
a new year
two months of work
the sun is shining
he sat down
Q1: what is it
in the morning
fall down
spring framework
call me maybe
10000 years ago
decide on a plan
目前天气怎么样
以前天天加班
五月天的歌
三个月亮
上周期的数据
这个周期
二十四节气
一周一次
儿童节目
圣诞岛
原因不明日本
早前
前59年
农历十月
一周三次
每周五的例会
每周一到周五
每天下午
三天
三个月
接近三天
将近三年
附近三天
然后天黑了
后天性心脏病
先天后天
过去年轻的时候
前天气温
登上月球
这个月亮很圆
十一个人
二十一号楼
五一广场
三号线
第三月台
离我最近的地铁站
最近一次会议
三天前端任务
天前
今日头条
周边
网上周边
公司成立十周年
版本 2.0.1
错误码 ERR_2024_05
价格 2024 元
年轻人
生日快乐
2025年2月29日
9999年前
""".strip().splitlines()
