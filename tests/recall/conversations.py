"""Conversations of two people, and of a user with an assistant, in English and Chinese."""

from __future__ import annotations

from collections.abc import Iterable

from bethink import Engine

PEOPLE_ENGLISH = [
    ("Jonas", "Hi Mei, how was your week?"),
    ("Mei", "Busy! I started learning the violin with a teacher from the opera."),
    ("Jonas", "Lovely. I started learning the accordion from videos, my neighbours suffer."),
    ("Mei", "Poor neighbours. Did you finish painting the kitchen?"),
    ("Jonas", "Yes, it is yellow now, and the curtains are new."),
    ("Mei", "Yellow is a happy colour. I have been repairing my old bicycle."),
    ("Jonas", "Where are you going for your summer holiday this year?"),
    ("Mei", "To the Lofoten islands, with a tent and two friends."),
    ("Jonas", "That sounds cold. I am staying at home with the cat."),
    ("Mei", "What does the cat eat these days?"),
    ("Jonas", "Only salmon, she refuses everything else."),
    ("Mei", "My sister moved to Lisbon and opened a bakery there."),
    ("Jonas", "Great news, tell her I want the recipe for the bread."),
    ("Mei", "I will. My office moves to the harbour in October."),
    ("Jonas", "Mine has been closed since March, I work from the library."),
    ("Mei", "See you on Friday at the concert."),
]
PEOPLE_CHINESE = [
    ("李雷", "小美，这周过得怎么样？"),
    ("小美", "挺忙的。我跟歌剧院的一位老师开始学小提琴了。"),
    ("李雷", "真好。我看视频自学手风琴，邻居们可遭殃了。"),
    ("小美", "可怜的邻居。你家厨房刷完了吗？"),
    ("李雷", "刷完了，现在是黄色的，窗帘也换了新的。"),
    ("小美", "黄色看着就开心。我最近在修那辆旧自行车。"),
    ("李雷", "你今年暑假打算去哪里玩？"),
    ("小美", "青海湖，和两个朋友带着帐篷骑车环湖。"),
    ("李雷", "听着挺冷的。我就在家陪猫。"),
    ("小美", "你家猫现在吃什么？"),
    ("李雷", "只肯吃三文鱼，别的一概不碰。"),
    ("小美", "我姐姐搬到里斯本，开了一家面包店。"),
    ("李雷", "太好了，替我跟她要个面包的配方。"),
    ("小美", "没问题。我们公司十月要搬到港口那边。"),
    ("李雷", "我们公司三月就关了，我现在在图书馆上班。"),
    ("小美", "周五音乐会见。"),
]
ASSISTED_ENGLISH = [
    ("user", "I am planning a trip to Kyoto in April, my budget is 2000 dollars."),
    (
        "assistant",
        "For a trip to Kyoto in April, book early: a guesthouse near the station is cheapest.",
    ),
    ("user", "I cook for six people on Saturday, two of them are vegetarians."),
    (
        "assistant",
        "For six people with two vegetarians I recommend a mushroom risotto and a lentil salad.",
    ),
    ("user", "My running shoes are worn out after eight hundred kilometres."),
    (
        "assistant",
        "Running shoes usually last five to eight hundred kilometres, so replace them now.",
    ),
    ("user", "My daughter Lin begins school in September."),
    ("assistant", "Congratulations! A good bedtime routine helps children who begin school."),
    ("assistant", "How many guests will come to your wedding?"),
    ("user", "About eighty, mostly family."),
    ("user", "I read mostly history books before sleeping."),
    ("assistant", "History books are a calm way to end the day."),
]
ASSISTED_CHINESE = [
    ("user", "我打算四月去京都旅行，预算是一万元。"),
    ("assistant", "四月去京都旅行要早点订，车站附近的民宿最便宜。"),
    ("user", "周六我要给六个人做饭，其中两个人吃素。"),
    ("assistant", "六个人里有两个吃素，推荐做蘑菇烩饭和扁豆沙拉。"),
    ("user", "我的跑鞋跑了八百公里，已经磨坏了。"),
    ("assistant", "跑鞋一般能跑五百到八百公里，现在该换新的了。"),
    ("user", "我女儿小林九月上小学。"),
    ("assistant", "恭喜！上小学的孩子最好有固定的睡觉时间。"),
    ("assistant", "您的婚礼大概会来多少客人？"),
    ("user", "八十位左右，大多是亲戚。"),
    ("user", "我睡前一般看历史书。"),
    ("assistant", "睡前看历史书能让人平静下来。"),
]


def tell_people(engine: Engine, turns: Iterable[tuple[str, str]], space: str) -> None:
    engine.remember_many(
        {"text": text, "speaker": speaker, "conversation": "phone", "space": space}
        for speaker, text in turns
    )


def tell_assisted(engine: Engine, turns: Iterable[tuple[str, str]], space: str) -> None:
    engine.remember_many(
        {"text": text, "role": role, "conversation": "chat-1", "space": space}
        for role, text in turns
    )
