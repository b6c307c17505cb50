"""Remembering, changing, forgetting, and looking at what is there."""

from __future__ import annotations

from tests.scenarios.scenario import CLI, MCP, do, named, wrong

NOT_MCP = (MCP,)
THEME = "Mei prefers dark mode. 小美喜欢深色主题。"

TELLING = (
    named(
        "told and found, in English",
        do("remember", text="Mei prefers dark mode", keep="a", holds={"action": "created"}),
        do("remember", text="The budget meeting moved to Friday", kind="decision"),
        do(
            "recall",
            question="which theme does Mei prefer, dark or light?",
            holds={"status": "answered", "hits.0.text": "Mei prefers dark mode"},
        ),
        do("get", id="$a", holds={"text": "Mei prefers dark mode", "kind": "note"}),
    ),
    named(
        "told and found, in Chinese",
        do("remember", text="小美喜欢深色主题", keep="a", holds={"space": "global"}),
        do("remember", text="预算会议改到周五上午十点", kind="decision", tags=["预算"]),
        do(
            "recall",
            question="预算会议改到哪天？",
            holds={"status": "answered", "hits.0.text": "预算会议改到周五上午十点"},
        ),
        do("get", id="$a", holds={"text": "小美喜欢深色主题"}),
    ),
    named(
        "every field, in both languages",
        do(
            "remember",
            text=THEME,
            id="theme-主题",
            space="项目/甲",
            kind="preference",
            tags=["ui", "界面"],
            entities=["Mei", "小美"],
            source="wiki/主题",
            confidence=0.5,
            occurred_at="2026-05-01T09:00:00+08:00",
            metadata={"author": "李", "priority": 2, "done": False, "parts": ["a", {"b": None}]},
            speaker="小美",
            role="user",
            conversation="周会",
            holds={"id": "theme-主题", "space": "项目/甲"},
        ),
        do(
            "get",
            id="theme-主题",
            holds={
                "occurred_at": "2026-05-01T01:00:00+00:00",
                "metadata.author": "李",
                "metadata.speaker": "小美",
                "metadata.role": "user",
                "metadata.conversation": "周会",
                "metadata.parts": ["a", {"b": None}],
                "entities": ["Mei", "小美"],
            },
        ),
        do(
            "remember",
            text="It held for a year",
            section="历史 History",
            valid_from="2025-01-01",
            valid_to="2026-01-01",
            keep="b",
            not_at=NOT_MCP,
        ),
        do(
            "get",
            id="$b",
            holds={"section": "历史 History", "valid_to": "2026-01-01T00:00:00+00:00"},
        ),
    ),
    named(
        "told again",
        do("remember", text=THEME, keep="a", holds={"action": "created"}),
        do("remember", text=f"  {THEME}\n", holds={"action": "reinforced"}),
        do("remember", text="port 8080", id="own", holds={"action": "created"}),
        do("remember", text="port 8080", id="own", holds={"action": "unchanged"}),
        do("get", id="$a", holds={"reinforcement": 1}),
    ),
    named(
        "told again in other words",
        do("remember", text="The staging database listens on port 5433", keep="a"),
        do(
            "remember",
            text="The staging database now listens on port 5434",
            merge="meaning",
            not_at=NOT_MCP,
        ),
        do("list", holds={"memories.#": 2}),
    ),
    named(
        "many at once",
        do(
            "remember_many",
            memories=[{"text": "first 第一"}, {"text": "second 第二", "kind": "task"}],
            holds={"#": 2, "*.action": ["created", "created"]},
            not_at=(CLI, MCP),  # a command takes a file, goes on after a bad line, and counts
        ),
        do("list", holds={"memories.*.text": ["second 第二", "first 第一"]}),
    ),
    named(
        "revised, with its history",
        do("remember", text="Mei prefers dark mode", tags=["ui"], keep="a"),
        do("revise", id="$a", text="小美改用浅色主题了 light mode", holds={"action": "revised"}),
        do("revise", id="$a", tags=["界面", "ui"], kind="preference", confidence=0.9),
        do(
            "get",
            id="$a",
            holds={"text": "小美改用浅色主题了 light mode", "tags": ["界面", "ui"]},
        ),
        do(
            "history",
            id="$a",
            holds={
                "history.*.text": ["小美改用浅色主题了 light mode", "Mei prefers dark mode"],
                "succession.#": 1,
            },
            not_at=NOT_MCP,
        ),
        do("recall", question="light mode 浅色", holds={"hits.0.kind": "preference"}),
    ),
    named(
        "one takes the place of another",
        do("remember", text="The API answers on port 8080", keep="old"),
        do("remember", text="API 的端口现在是 9090", supersedes="$old", keep="new"),
        do("recall", question="API port 端口", holds={"hits.*.text": ["API 的端口现在是 9090"]}),
        do(
            "history",
            id="$old",
            holds={
                "succession.*.text": ["The API answers on port 8080", "API 的端口现在是 9090"],
                "history.#": 0,
            },
            not_at=NOT_MCP,
        ),
        do("get", id="$old", holds={"text": "The API answers on port 8080"}),
    ),
    named(
        "reinforced",
        do("remember", text="喝茶 tea at four", keep="a"),
        do("reinforce", id="$a", not_at=NOT_MCP, holds={"action": "reinforced"}),
        do("reinforce", id="$a", times=3, not_at=NOT_MCP),
        do("get", id="$a", holds={"reinforcement": 4}),
    ),
    named(
        "forgotten",
        do("remember", text="a secret garden 秘密花园", keep="a"),
        do("remember", text="another garden 另一个花园"),
        do("forget", id="$a", holds={"action": "forgotten"}),
        do("recall", question="secret garden 秘密花园", floor=0.0),
        do("list", holds={"memories.*.text": ["another garden 另一个花园"]}),
    ),
    named(
        "a whole space is forgotten",
        do("remember", text="甲方的会议记录", space="甲"),
        do("remember", text="minutes of the second meeting", space="甲"),
        do("remember", text="something else", space="b"),
        do("forget_space", space="甲", holds={"forgotten": 2}, not_at=NOT_MCP),
        do("spaces", holds={"*.name": ["b", "global"]}, not_at=NOT_MCP),
        wrong("forget_space", "unknown_space", "known: b, global", space="甲", not_at=NOT_MCP),
    ),
    named(
        "secrets are blotted out",
        do(
            "remember",
            text="部署用的密钥是 AKIAIOSFODNN7EXAMPLE, keep it safe",
            keep="a",
        ),
        do("get", id="$a"),
        do("recall", question="AKIAIOSFODNN7EXAMPLE 密钥", floor=0.0),
        do("revise", id="$a", text="password: hunter2hunter2 密码"),
        do("get", id="$a"),
    ),
    named(
        "pages of a list",
        *(
            do("remember", text=f"note {n} 第{n}条", kind="task" if n % 2 else "note")
            for n in range(5)
        ),
        do("list", limit=2, holds={"memories.*.text": ["note 4 第4条", "note 3 第3条"]}),
        do("list", limit=2, cursor="4", holds={"memories.#": 2}),
        do(
            "list",
            newest_first=False,
            limit=1,
            not_at=NOT_MCP,
            holds={"memories.0.text": "note 0 第0条"},
        ),
        do("list", where={"kind": "task"}, not_at=NOT_MCP, holds={"memories.#": 2}),
        do("list", limit=1000, holds={"memories.#": 5, "cursor": None}),
    ),
    named(
        "a long text in a list",
        do("remember", text="长文 a long text. " * 200),
        do("list", holds={"memories.#": 1}),
        do("recall", question="long text 长文", limit=1, holds={"hits.#": 1}),
    ),
    named(
        "how it is doing",
        do("remember", text="one in the usual space"),
        do("remember", text="工作里的一条", space="工作"),
        do(
            "status",
            holds={"memories": 2, "embedder": "hashing", "spaces.*.name": ["global", "工作"]},
        ),
        do("spaces", holds={"#": 2, "*.memories": [1, 1]}, not_at=NOT_MCP),
        do("presets", not_at=NOT_MCP),
    ),
    named(
        "words alone",
        do("remember", text="错误码 ERR_CONN_1042 表示连接被重置", holds={"embedded": False}),
        do("recall", question="ERR_CONN_1042", holds={"hits.#": 1}),
        do("status", holds={"embedder": "none"}),
        embedder="none",
    ),
)
