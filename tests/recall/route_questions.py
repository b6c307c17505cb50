"""Which questions ask for a whole list, and which only look like it.

`PHRASINGS` are natural questions with a keyword. The first 237 were written before the rules were
read, the others after them and before they were tried. Each line of
`phrasings/routes_*.tsv` has the route (`-`: none), `period` if it names a time, and the question.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Phrasing(NamedTuple):
    route: str
    period: bool
    question: str
    chinese: bool


PHRASINGS = [
    Phrasing(route, period == "period", question, language == "zh")
    for language in ("en", "zh")
    for route, period, question in (
        line.split("\t")
        for line in (Path(__file__).parent / "phrasings" / f"routes_{language}.tsv")
        .read_text("utf-8")
        .splitlines()
    )
]

TAKEN: dict[str, str] = {}
for _route, _questions in {
    "preferences": """
        preferences
        What are my preferences?
        Can you tell me what my preferences are?
        show me the user's preferences
        list all my preferences, please
        what do I prefer
        what do I like?
        Do you remember my preferences?
        user/preferences.md
        我的偏好是什么
        我的偏好有哪些？
        请问我有什么偏好
        列出所有偏好
        你还记得我的偏好吗
        用户偏好
        我喜欢什么
        我的喜好都有哪些呢
        看看我的 preferences.md
        我的偏好設定？
    """,
    "instructions": """
        instructions
        What are your instructions?
        what rules should you follow?
        list the rules
        Which instructions have I given you?
        the house rules
        规则
        有哪些规则
        我给你的指令有哪些？
        你要遵守哪些规则
        请列出所有指令
        項目的規則是什麼
    """,
    "open tasks": """
        show open tasks
        what are my open tasks
        which tasks are still open?
        which tasks are not done
        my todos
        Could you remind me of my to-do list
        what's on my todo list?
        what's left to do?
        what do I still have to do
        我的待办事项
        待办事项
        待办
        还有哪些任务没完成
        还有哪些任务没有做完？
        有哪些任务还没做
        哪些事情还没办
        没完成的任务有哪些
        还有哪些任务
        请问还有什么没做完的事
        列出未完成的任务
        待办清单有什么
    """,
    "tasks": """
        tasks
        What are my tasks?
        What tasks do I have?
        TASKS.md
        任务
        当前有哪些任务？
        有哪些任务
        我的任务清单
        看一下 TASKS.md
    """,
    "entities": """
        entities
        List all entities
        who do you know?
        which people do you know?
        show me my contacts
        people
        人物
        有哪些人物
        你都认识谁
        我的联系人有哪些
        列出所有实体
    """,
    "decisions": """
        decisions
        What decisions have we made?
        what did we decide?
        list all decisions for this project
        show me the decision log
        Which decisions were made so far?
        决策
        我们做过哪些决定？
        项目的决策有哪些
        你还记得我们决定了什么吗
        列出全部决策
        我們做過哪些決策
    """,
    "patterns": """
        patterns
        What patterns do we use?
        show the patterns
        list coding patterns
        what patterns are there in this project
        模式
        有哪些模式
        项目的代码模式有哪些？
        我们的惯例
    """,
}.items():
    TAKEN |= {line.strip(): _route for line in _questions.strip().splitlines()}

SEARCHED = [
    line.strip()
    for line in """
    what did I decide about the budget with Anna?
    Why did we decide to use PostgreSQL?
    what is Anna's preference for meeting times
    which task is blocked by the migration
    what decisions did Bob make in Berlin?
    Who assigned the login task to me?
    how do I write a regex pattern for dates
    the observer pattern
    which rule does the linter complain about
    what are the rules of chess
    what are my preferences for window seats
    list the tasks that are due tomorrow
    who are the people at the party
    what do I like about Berlin
    What do people prefer, tea or coffee?
    my task manager crashed, what was the error?
    how many people live in Shanghai
    did we make a decision on dark mode?
    what is the entity id of the invoice
    instructions for assembling the shelf
    what should I do about the leak
    what should I do now?
    background tasks fail with ERR_CONN_1042
    the recipe's instructions
    did Mei tell me what she prefers
    show me the pattern on the wallpaper
    what do you know about entities in DDD?
    关于预算我和小安决定了什么
    为什么我们决定用 PostgreSQL
    小美的偏好是什么
    我对座位的偏好是什么
    哪个任务卡住了
    登录任务是谁负责的
    正则表达式的模式怎么写
    设计模式有哪些
    观察者模式是什么
    国际象棋的规则是什么
    明天要交的任务有哪些
    我喜欢什么咖啡
    我喜欢北京的什么
    三体里的人物有哪些
    后台任务报错 ERR_CONN_1042
    规则引擎用的是哪个版本
    任务管理器崩溃了
    小李做过哪些决定
    我决定了什么时候去上海
    说明书里的指令第三条
    深色模式
    夜间模式怎么打开
    人物传记推荐过哪些
    客户的要求是什么
    实体店在哪里
    dark mode 的偏好是谁说的
    """.strip().splitlines()
]
