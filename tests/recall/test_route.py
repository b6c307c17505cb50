"""Routes: which questions take one, what they get, and that no wall is crossed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine, Recollection, Status
from bethink.errors import InvalidInput, SettingsError, UnknownSpace
from bethink.filters import Condition, parse_filter
from bethink.recall.budget import Budget
from bethink.recall.draft import Draft
from bethink.recall.presets import BALANCED, Preset
from bethink.recall.route import (
    CHANNEL,
    Route,
    RouteRule,
    keyword_rule,
    may_ask_for_a_list,
    route_of,
)
from bethink.recall.route_table import built_in_routes, check_pattern, parse_routes, read_routes
from bethink.settings import Settings
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Store
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import FakeClock
from bethink.text.tokens import count_tokens
from bethink.vocabulary import Query
from tests.recall.kits import kit
from tests.recall.route_questions import PHRASINGS, SEARCHED, TAKEN, Phrasing


@pytest.mark.parametrize(("question", "name"), TAKEN.items())
def test_the_route_is_taken(question: str, name: str) -> None:
    rule = route_of(question, built_in_routes())
    assert rule is not None
    assert rule.name == name


@pytest.mark.parametrize("question", SEARCHED)
def test_no_pattern_fits_a_question_about_something(question: str) -> None:
    assert route_of(question, built_in_routes()) is None


@pytest.mark.parametrize("phrasing", PHRASINGS, ids=lambda one: one.question)
def test_a_keyword_anywhere_routes_unless_it_is_part_of_another_word(phrasing: Phrasing) -> None:
    rules = built_in_routes()
    rule = route_of(phrasing.question, rules) or keyword_rule(phrasing.question, rules)
    assert ("-" if rule is None else rule.name.removeprefix("open ")) == phrasing.route
    if rule is not None:
        assert may_ask_for_a_list(phrasing.question)


def test_the_phrasings_are_many_in_both_languages() -> None:
    for chinese in (False, True):
        of_language = [one for one in PHRASINGS if one.chinese is chinese]
        assert len(of_language) >= 100
        assert sum(one.route == "-" for one in of_language) >= 40


@pytest.mark.parametrize("question", TAKEN)
def test_the_cheap_look_hides_none(question: str) -> None:
    assert may_ask_for_a_list(question)


@pytest.mark.parametrize("question", ["which theme is dark?", "支付的密码是多少", "ERR_CONN_1042"])
def test_most_questions_stop_at_the_cheap_look(question: str) -> None:
    assert not may_ask_for_a_list(question)


def test_both_tables_are_large_in_both_languages() -> None:
    for table in (list(TAKEN), SEARCHED):
        assert sum(question.isascii() for question in table) >= 15
        assert sum(not question.isascii() for question in table) >= 15


def test_the_notebooks_table() -> None:
    """Which file each route stands for, and whose it is."""
    assert {rule.name: (rule.spaces, rule.where) for rule in built_in_routes()} == {
        name: (scope, parse_filter({"or": [{"kind": kind}, {"source": file}]}))
        for name, scope, kind, file in [
            ("preferences", "global", "preference", "user/preferences.md"),
            ("instructions", "all", "instruction", "user/instructions.md"),
            ("open tasks", "project", "task", "TASKS.md"),
            ("tasks", "project", "task", "TASKS.md"),
            ("entities", "global", "entity", "user/entities.md"),
            ("decisions", "project", "decision", "agent/decisions.md"),
            ("patterns", "project", "pattern", "agent/patterns.md"),
        ]
    }


def test_the_built_in_patterns_pass_their_own_check() -> None:
    for rule in built_in_routes():
        for pattern in rule.patterns:
            assert check_pattern(rule.name, pattern) == pattern


# The stage


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store = InMemoryStore() if request.param == "memory" else SQLiteStore(tmp_path / "m.db")
    with Engine(made, embedder="none", settings=Settings()) as engine:
        engine.remember_many(
            [
                {"id": "dark", "text": "Mei likes dark mode", "kind": "preference"},
                {"id": "tea", "text": "偏爱绿茶，不喝咖啡", "kind": "preference"},
                {"id": "file", "text": "偏好 tabs", "source": "user/preferences.md"},
                {"id": "note", "text": "preferences of others are no concern"},
                {"id": "ship", "text": "Ship the release", "kind": "task", "space": "work"},
                {"id": "my-task", "text": "buy milk", "kind": "task"},
            ]
        )
        yield made


def asked(store: Store, text: str, *, stage: Route | None = None, **options: Any) -> Draft:
    return (stage or Route())(Draft(Query(text=text, **options)), kit(store))


def ids(draft: Draft) -> list[str]:
    return [candidate.memory_id for candidate in draft.candidates]


@pytest.mark.parametrize("question", ["what are my preferences?", "我的偏好有哪些？"])
def test_the_whole_list_in_the_order_told(store: Store, question: str) -> None:
    draft = asked(store, question)
    assert ids(draft) == ["dark", "tea", "file"]
    assert draft.settled == "the route 'preferences' has the whole list"
    assert draft.notes == ("route preferences: all 3, in the order told",)
    for rank, candidate in enumerate(draft.candidates):
        assert candidate.memory is not None
        assert candidate.text == candidate.memory.text
        assert candidate.score == 1.0
        assert candidate.channels[CHANNEL].rank == rank


def test_a_question_about_something_goes_on(store: Store) -> None:
    draft = Draft(Query(text="which theme does Mei like?"))
    assert Route()(draft, kit(store)) is draft


def test_what_is_settled_stays(store: Store) -> None:
    draft = Draft(Query(text="preferences"), settled="by somebody")
    assert Route()(draft, kit(store)) is draft


def test_a_document_is_no_question_for_a_list(store: Store) -> None:
    draft = Draft(Query(text="my preferences " * 20))
    assert Route()(draft, kit(store)) is draft


@pytest.mark.parametrize(
    ("question", "spaces", "got"),
    [
        ("tasks", ("work",), ["ship"]),
        ("有哪些任务", ("global", "work"), ["ship"]),
        ("preferences", ("global", "work"), ["dark", "tea", "file"]),
    ],
)
def test_the_scope(store: Store, question: str, spaces: tuple[str, ...], got: list[str]) -> None:
    assert ids(asked(store, question, spaces=spaces)) == got


@pytest.mark.parametrize("question", ["what are my preferences", "我的偏好"])
def test_the_wall_holds(store: Store, question: str) -> None:
    draft = asked(store, question, spaces=("work",))
    assert draft.candidates == ()
    assert draft.settled == ""
    engine = Engine(store, embedder="none", settings=Settings())
    told = engine.remember("tabs 制表符", kind="preference", space="work")
    assert ids(asked(store, question, spaces=("work",))) == [told.id]


@pytest.fixture
def tasks(store: Store) -> Store:
    engine = Engine(store, embedder="none", settings=Settings())
    for number, done in enumerate((True, False, True, False)):
        engine.remember(
            f"任务 task {number}", id=f"{number}", kind="task", space="work",
            metadata={"done": done},
        )  # fmt: skip
    engine.forget("ship")
    return store


@pytest.mark.parametrize(
    ("question", "got"),
    [
        ("what are my open tasks", ["1", "3"]),
        ("待办事项", ["1", "3"]),
        ("还有哪些任务没完成", ["1", "3"]),
        ("what are my tasks", ["1", "3", "0", "2"]),
        ("有哪些任务", ["1", "3", "0", "2"]),
    ],
)
def test_what_is_done_is_no_longer_to_do(tasks: Store, question: str, got: list[str]) -> None:
    assert ids(asked(tasks, question, spaces=("work",))) == got


@pytest.mark.parametrize("question", ["what are my open tasks", "还有哪些任务没完成"])
def test_all_is_done(tasks: Store, question: str) -> None:
    engine = Engine(tasks, embedder="none", settings=Settings())
    for one in ("1", "3"):
        engine.revise(one, metadata={"done": True})
    answer = engine.recall(question, spaces="work", preset="notebook")
    assert (answer.hits, answer.status) == ((), Status.EMPTY)
    assert any("all is done" in reason for reason in answer.reasons)


@pytest.mark.parametrize("question", ["what are my tasks", "有哪些任务"])
def test_what_is_done_says_so(tasks: Store, question: str) -> None:
    from bethink.recall.render import FORMATS

    engine = Engine(tasks, embedder="none", settings=Settings())
    answer = engine.recall(question, spaces="work", preset="notebook")
    markdown, text = FORMATS["markdown"](answer, False, "zh"), FORMATS["text"](answer, False, "zh")
    assert isinstance(markdown, str) and isinstance(text, str)
    assert markdown.splitlines() == [
        "- [ ] 任务 task 1", "- [ ] 任务 task 3", "- [x] 任务 task 0", "- [x] 任务 task 2",
    ]  # fmt: skip
    assert text.count("done") == 2


@pytest.mark.parametrize("question", ["what's on my todo list", "我的待办"])
def test_whoever_has_one_space_keeps_their_tasks_there(tmp_path: Path, question: str) -> None:
    with Engine(tmp_path / "m.db", embedder="none", settings=Settings()) as engine:
        engine.remember("Renew the passport 换护照", kind="task", id="passport")
        engine.remember("Mei likes tea 小美爱喝茶", id="tea")
        assert [hit.id for hit in engine.recall(question, preset="notebook").hits] == ["passport"]


def test_the_querys_own_filter_holds(store: Store) -> None:
    draft = asked(store, "偏好", where=parse_filter({"source": "user/preferences.md"}))
    assert ids(draft) == ["file"]


def test_an_empty_list_is_searched_for(store: Store) -> None:
    draft = asked(store, "有哪些模式", spaces=("work",))
    assert draft.settled == ""
    said = "the list 'patterns' is empty; it was searched by words and meaning instead"
    assert draft.notes == (said,)
    assert [fault.reason for fault in draft.faults] == [said]


def test_a_space_that_does_not_exist(store: Store) -> None:
    with pytest.raises(UnknownSpace):
        asked(store, "preferences", spaces=("global", "nowhere"))


RULE = Condition("kind", None, "=", "rule")
RULES = RouteRule("rules", ("house rules|家规",), RULE)


@pytest.mark.parametrize("question", ["House rules?", "请问家规"])
def test_more_than_the_budget_comes_by_words_then_newest(store: Store, question: str) -> None:
    with Engine(store, embedder="none", settings=Settings()) as engine:
        engine.remember_many(
            {"id": f"r{n}", "text": f"number {n}", "kind": "rule"} for n in range(8)
        )
        engine.remember("all house rules 家规 in one", id="main", kind="rule")
        engine.remember("the last one", id="last", kind="rule")
        draft = asked(store, question, stage=Route((RULES,)), budget=20)
        every = asked(store, question, stage=Route((RULES,)), limit=4)
    assert len(ids(every)) == 10  # the limit counts what a search finds
    assert ids(draft)[:4] == ["main", "last", "r7", "r6"]
    scores = [candidate.score for candidate in draft.candidates]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)
    assert "more than fits" in draft.notes[0]


@pytest.mark.parametrize(
    ("line", "needle", "question"),
    [
        ("We keep the kitchen clean and the door shut. ", "Shoes stay outside.", "rules on shoes"),
        ("厨房保持干净，门要关好，灯要随手关。", "鞋子放在门外。", "关于鞋子的家规"),
    ],
    ids=["English", "Chinese"],
)
def test_a_file_over_budget_gives_its_most_relevant_sections(
    store: Store, line: str, needle: str, question: str
) -> None:
    rule = RULES._replace(patterns=(".*rules.*|.*家规.*",))
    text = line * 80 + needle + line * 80
    with Engine(store, embedder="none", settings=Settings()) as engine:
        engine.remember(text, kind="rule")
        draft = asked(store, question, stage=Route((rule,)), budget=600)
        assert needle in draft.candidates[0].text
        assert len(draft.candidates) > 5
        answer = Budget()(draft, kit(store))
    assert needle in answer.hits[0].text
    assert 0 < sum(count_tokens(hit.text) for hit in answer.hits) <= 600
    (fault,) = answer.faults
    assert "do not fit in 600 tokens; raise the budget to read all" in fault.reason


def test_damage_from_wide_and_old_letters(store: Store) -> None:
    """Full width, traditional characters, capitals: the same question."""
    for question in ("ＰＲＥＦＥＲＥＮＣＥＳ？", "我的偏好是什麼", "  My   PREFERENCES !! "):
        assert ids(asked(store, question)) == ["dark", "tea", "file"]


def test_the_answer_of_an_engine(store: Store) -> None:
    routed = Preset("routed", (Route(), *BALANCED.stages))
    with Engine(store, embedder="none", settings=Settings()) as engine:
        answer: Recollection = engine.recall("我的偏好是什么", preset=routed)
        assert [hit.id for hit in answer.hits] == ["dark", "tea", "file"]
        assert answer.status is Status.ANSWERED
        notes = [note for step in answer.trace.steps for note in step.notes]
        assert "no search: the route 'preferences' has the whole list" in notes


# A question that holds a keyword and is about something else


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("what are the rules for the sauna", "In the sauna nobody talks, by the rules of the spa"),
        ("桑拿房的规则是什么", "桑拿房里要安静，这是会所的规则"),
    ],
)
def test_what_another_memory_answers_is_searched(question: str, note: str) -> None:
    with Engine.in_memory(embedder="none", settings=Settings()) as engine:
        engine.remember("Always answer in English 一律用英文回答", kind="instruction", id="mine")
        answer = engine.recall(question, preset="notebook")
        assert [hit.id for hit in answer.hits] == ["mine"]  # nothing else is known of it
        engine.remember(note, id="sauna")
        answer = engine.recall(question, preset="notebook")
        assert [hit.id for hit in answer.hits] == ["sauna"]
        (step,) = (step for step in answer.trace.steps if step.stage == "route")
        assert "not taken" in step.notes[0]


@pytest.mark.parametrize(
    ("question", "entry"),
    [
        ("which decision did we reach on logging", "Logging goes to stdout as JSON"),
        ("关于日志的决策是什么", "日志以 JSON 输出到 stdout"),
    ],
)
def test_a_list_that_holds_what_is_asked_is_handed_out(question: str, entry: str) -> None:
    with Engine.in_memory(embedder="none", settings=Settings(space="work")) as engine:
        engine.remember(entry, kind="decision", id="logging")
        engine.remember("Postgres, not MySQL 用 Postgres", kind="decision", id="db")
        engine.remember(f"{entry}, said Mei", id="note")
        answer = engine.recall(question, preset="notebook")
        assert [hit.id for hit in answer.hits] == ["logging", "db"]


# A list of a time


@pytest.fixture
def decisions(tmp_path: Path) -> Iterator[Engine]:
    clock = FakeClock(datetime(2026, 5, 14, 10, 30, tzinfo=UTC))  # a Thursday
    settings = Settings(timezone="UTC", space="work")
    with Engine(tmp_path / "m.db", embedder="none", clock=clock, settings=settings) as engine:
        for name, day in (("kafka", 13), ("old", 1), ("sql", 12)):
            engine.remember(
                f"We take {name} 采用 {name}",
                id=name,
                kind="decision",
                occurred_at=f"2026-05-{day:02}T09:00:00+00:00",
            )
        engine.remember("wrote the report 写周报", kind="journal", occurred_at="2026-05-13")
        yield engine


@pytest.mark.parametrize(
    ("question", "got"),
    [
        ("recent decisions", ["kafka", "sql"]),
        ("最近的决策", ["kafka", "sql"]),
        ("what decisions were made yesterday?", ["kafka"]),
        ("昨天做了什么决策", ["kafka"]),
        ("Which decisions did we take in the past 3 days", ["kafka", "sql"]),
        ("过去三天的决策有哪些", ["kafka", "sql"]),
        ("what decisions have we made", ["kafka", "old", "sql"]),
        ("我们做过哪些决策", ["kafka", "old", "sql"]),
    ],
)
def test_with_a_time_the_list_is_that_of_the_time(
    decisions: Engine, question: str, got: list[str]
) -> None:
    answer = decisions.recall(question, preset="notebook")
    assert [hit.id for hit in answer.hits] == got
    assert (answer.status, answer.reasons) == (Status.ANSWERED, ())


@pytest.mark.parametrize("question", ["recent decisions", "最近的决策"])
def test_nothing_recent_in_the_list_gives_all_newest_first(
    decisions: Engine, question: str
) -> None:
    for name in ("kafka", "sql"):
        decisions.revise(name, occurred_at="2026-03-01" if name == "sql" else "2026-02-01")
    answer = decisions.recall(question, preset="notebook")
    assert [hit.id for hit in answer.hits] == ["old", "sql", "kafka"]
    (reason,) = answer.reasons
    assert reason.endswith("; this is the whole list, newest first")


@pytest.mark.parametrize("question", ["which decisions were made yesterday", "昨天做了哪些决策"])
def test_no_decision_of_a_day_gives_the_journal_of_the_day(
    decisions: Engine, question: str
) -> None:
    decisions.forget("kafka")
    answer = decisions.recall(question, preset="notebook")
    assert [hit.text for hit in answer.hits] == ["wrote the report 写周报"]
    assert answer.reasons[0].startswith("nothing in the list 'decisions' is of 2026-05-13; the ")


# Routes of one's own


@pytest.mark.parametrize(
    "question", ["who wrote the runbook of the proxy?", "代理的运维手册谁写的"]
)
def test_a_keyword_of_ones_own(question: str) -> None:
    told = {"name": "runbooks", "keywords": ["runbook", "运维手册"], "where": {"kind": "runbook"}}
    rules = parse_routes([told])
    assert keyword_rule(question, rules) is rules[0]
    assert keyword_rule("the runbooks-v2 folder", rules) is None
    with pytest.raises(InvalidInput, match="keywords are a list of words"):
        parse_routes([{**told, "keywords": [1]}])


FILE = """
[[route]]
name = "runbooks"
patterns = ['(?:the )?runbooks?', '运维手册(?:有哪些)?']
spaces = "project"
where = { kind = "runbook" }
"""


def test_a_file_of_routes(tmp_path: Path) -> None:
    path = tmp_path / "routes.toml"
    path.write_text(FILE, "utf-8")
    first, *others = read_routes(path)
    assert first == RouteRule(
        "runbooks",
        ("(?:the )?runbooks?", "运维手册(?:有哪些)?"),
        Condition("kind", None, "=", "runbook"),
        "project",
    )
    assert tuple(others) == built_in_routes()
    path.write_text("built_in = false\n" + FILE, "utf-8")
    assert read_routes(path) == (first,)


@pytest.mark.parametrize("question", ["Show me... the runbooks", "请问运维手册有哪些？"])
def test_the_setting_names_the_file(tmp_path: Path, question: str) -> None:
    path = tmp_path / "routes.toml"
    path.write_text(FILE.replace("(?:the )?", ".*"), "utf-8")
    routed = Preset("routed", (Route(), Budget()))
    with Engine.in_memory(embedder="none", settings=Settings(routes=str(path))) as engine:
        engine.remember("restart the proxy first", kind="runbook", space="ops")
        answer = engine.recall(question, spaces="ops", preset=routed)
        assert [hit.text for hit in answer.hits] == ["restart the proxy first"]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"there is no file .*gone\.toml"):
        read_routes(tmp_path / "gone.toml")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[[route]", "cannot be read"),
        ("routes = []", "there is no 'routes'"),
        ("built_in = 1", "built_in is true or false, got 1"),
        ("route = 1", "routes are a list, got 1"),
        ("route = [1]", "route 1: expected an object, got 1"),
        ("[[route]]", "route 1: give it a name"),
        ("[[route]]\nname = ' '", "route 1: give it a name"),
        ("[[route]]\nname = 'a'", "route 'a': patterns are a list of texts, got None"),
        ("[[route]]\nname = 'a'\npatterns = []", "patterns are a list of texts"),
        ("[[route]]\nname = 'a'\npattern = 'x'", "there is no field 'pattern'"),
        ("[[route]]\nname = 'a'\npatterns = 'x'", "say what it fetches"),
        ("[[route]]\nname = 'a'\npatterns = 'x'\nwhere = {colour = 1}", "where: unknown filter"),
        ("[[route]]\nname = 'a'\npatterns = 'x'\nspaces = 'mine'", "all, global, project"),
        ("[[route]]\nname = 'a'\npatterns = ['(']\nwhere = {kind = 'a'}", "is no pattern"),
        ("[[route]]\nname = 'a'\npatterns = [1]\nwhere = {kind = 'a'}", "a pattern is text"),
        ("[[route]]\nname = 'a'\npatterns = ['(a+)+']\nwhere = {kind = 'a'}", "may take for ever"),
    ],
)
def test_a_faulty_file_is_named_with_its_fault(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "routes.toml"
    path.write_text(content, "utf-8")
    with pytest.raises(SettingsError) as caught:
        read_routes(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)


def test_two_routes_of_one_name() -> None:
    one = {"name": "a", "patterns": "x", "where": {"kind": "a"}}
    with pytest.raises(InvalidInput, match="two routes are called 'a'"):
        parse_routes([one, one])


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+", "(a*)*b", "(?:a|a)*", "(?:a|b)+", "((a+)b)*", "(a?){30}", "(?:a{2,})+", "(a|b){9,}",
     "(?P<x>a+)+", "([)]+)+", r"(\(+)+", "(?:(?:a|b)?)*"],
)  # fmt: skip
def test_a_pattern_that_may_run_for_ever(pattern: str) -> None:
    with pytest.raises(InvalidInput, match="may take for ever"):
        check_pattern("x", pattern)


@pytest.mark.parametrize(
    "pattern",
    [".*rules.*", "(?:the |my ){0,3}tasks?", "a+b+", "(?:ab)+", "[a|b]+", r"(\|)+", "(?:a|b)?c",
     "任务(?:有哪些|是什么)?", "a{3}", "(?:x+)?", "x{"],
)  # fmt: skip
def test_a_pattern_that_may_not(pattern: str) -> None:
    assert check_pattern("x", pattern) == pattern
