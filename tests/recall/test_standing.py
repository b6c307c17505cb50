"""Instructions that apply to what a prompt asks for."""

from __future__ import annotations

import pytest

from bethink import Engine, Status
from bethink.recall.standing import CHANNEL, activities_of
from bethink.settings import Settings


@pytest.mark.parametrize(
    ("prompt", "activity"),
    [
        ("add lodash to the project", "dependencies"),
        ("please install zod", "dependencies"),
        ("给项目加一下 lodash", "dependencies"),
        ("prepare the release", "release"),
        ("今天发版", "release"),
        ("commit these changes", "commit"),
        ("把刚才的改动提交一下", "commit"),
        ("push this to main", "push"),
        ("推到 master 上去", "push"),
        ("create a branch for PROJ-231", "branch"),
        ("给需求 2871 拉个分支", "branch"),
        ("open a PR for that", "pull request"),
        ("提个 PR", "pull request"),
        ("write tests for parseDuration", "tests"),
        ("给 formatPrice 写单元测试", "tests"),
        ("update the documentation of the picker", "documentation"),
        ("写一下注销功能的说明文档", "documentation"),
        ("write a migration that renames a column", "migration"),
        ("写个迁移脚本", "migration"),
        ("deploy it to staging", "deploy"),
        ("部署到预发", "deploy"),
        ("call the weather API from the worker", "other services"),
        ("接一下顺丰的物流查询接口", "other services"),
    ],
)
def test_what_a_prompt_asks_to_do(prompt: str, activity: str) -> None:
    assert activity in activities_of(prompt, prompt=True)


@pytest.mark.parametrize(
    "prompt",
    [
        "sort the imports", "show me the git log of the last week", "add a docstring to this",
        "what does O(n log n) mean", "center the div", "how do I exit vim",
        "看看上周的 git log", "给这个函数加上注释", "把这个组件拆成两个", "怎么退出 vim",
        "撤销刚才那一步", "提交记录在哪里看",
    ],
)  # fmt: skip
def test_most_prompts_ask_for_none(prompt: str) -> None:
    assert activities_of(prompt, prompt=True) == frozenset()


@pytest.mark.parametrize(
    ("rule", "prompt"),
    [
        ("Feature branches are named user/ticket-words", "create a branch for PROJ-231"),
        ("分支按 feature/工号-描述 来命名", "给需求 2871 拉个分支"),
    ],
)
def test_a_note_that_is_a_rule_counts_too(rule: str, prompt: str) -> None:
    with Engine.in_memory(embedder="none", settings=Settings()) as engine:
        engine.remember(rule, id="rule")
        engine.remember("The branch of the bank is in Oslo 银行分支在奥斯陆", id="bank")
        answer = engine.recall(prompt, preset="skill")
        assert answer.hits[0].id == "rule"
        assert answer.status is Status.ANSWERED
        assert CHANNEL in answer.hits[0].channels


def test_at_most_two_of_the_newest_and_none_that_no_longer_holds() -> None:
    with Engine.in_memory(embedder="none", settings=Settings()) as engine:
        engine.remember(
            "Commit with yarn 提交", id="past", kind="instruction", valid_to="2020-01-01"
        )
        for number in range(4):
            engine.remember(f"提交 commit rule {number}", id=f"r{number}", kind="instruction")
        engine.remember("提交 commit elsewhere", id="far", kind="instruction", space="other")
        hits = engine.recall("commit this", preset="skill").hits
        assert [hit.id for hit in hits if CHANNEL in hit.channels] == ["r3", "r2"]
        assert {hit.id for hit in hits} <= {"r0", "r1", "r2", "r3"}
