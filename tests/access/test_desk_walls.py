"""A caller who sees one space only, against everything a desk offers: nothing of another space may
be seen, counted, named, guessed or touched."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest

from bethink.access.caller import Caller, Scope
from bethink.access.desk import Desk
from bethink.access.reception import Reception
from bethink.errors import BethinkError, Forbidden, InvalidInput, NotFound, UnknownSpace
from tests.access.coming_in import LONG, AtDesk, desk

SECRET = "金丝雀canary"
HIDDEN = "secret-保密"


@pytest.fixture
def root(reception: Reception) -> AtDesk:
    """Sees everything, and has filled a space that others must not know of."""
    at = desk(reception, "admin", name="root", trusted=True)
    at.remember({"text": f"{SECRET} budget is 7 million", "space": HIDDEN, "id": "budget-2026"})
    at.offer({"text": f"{SECRET} {LONG}", "space": HIDDEN, "id": "offer-2026", "source": SECRET})
    at.remember({"text": "The budget meeting moved to Friday. 预算会议改到周五", "space": "项目"})
    at.recall(f"{SECRET}?", spaces=[HIDDEN])
    at.set_setting("limit", 3, space=HIDDEN)
    return at


@pytest.fixture
def mine(reception: Reception, root: AtDesk) -> AtDesk:
    return desk(reception, "admin", spaces=["项目"], name="limited")


def refused(at: AtDesk, verb: str, *args: Any, **kwargs: Any) -> BethinkError:
    with pytest.raises(BethinkError) as e:
        getattr(at, verb)(*args, **kwargs)
    said = str(e.value)
    assert HIDDEN not in said
    assert SECRET not in said
    return e.value


def test_ids_of_another_space_are_not_found_by_any_verb(mine: AtDesk) -> None:
    for verb, *rest in (
        ("get",), ("history",), ("forget",), ("reinforce",), ("revise", {"text": "mine now"}),
        ("why_not", "budget"), ("offered",), ("undo",),
    ):  # fmt: skip
        for known in ("budget-2026", "offer-2026"):
            unknown = refused(mine, verb, "no-such-id", *rest)
            known_error = refused(mine, verb, known, *rest)
            assert type(known_error) is type(unknown)
            assert str(known_error).replace(known, "X") == str(unknown).replace("no-such-id", "X")
    for verb in ("promote", "reject", "restore"):
        assert isinstance(refused(mine, verb, ["offer-2026"]), NotFound)
    for supersedes in ("budget-2026", "no-such-id"):
        error = refused(mine, "remember", {"text": "mine"}, supersedes=supersedes)
        assert isinstance(error, NotFound)


def test_another_space_does_not_exist_by_any_verb(mine: AtDesk) -> None:
    said = set()
    for name in (HIDDEN, "no-such-space", "global"):
        for verb, args in (
            ("recall", ("budget",)), ("context", ("budget",)), ("search", ("budget",)),
            ("list", ()), ("quarantine", ()),
            ("working", ()), ("from_source", ("x",)), ("roll_back", ("x",)), ("export", ()),
        ):  # fmt: skip
            with pytest.raises(UnknownSpace) as e:
                getattr(mine, verb)(*args, spaces=[name])
            said.add(str(e.value).replace(name, "X"))
        for verb in ("digest", "promote_by_rules", "forget_space", "settings"):
            with pytest.raises(UnknownSpace) as e:
                getattr(mine, verb)(name)
            said.add(str(e.value).replace(name, "X"))
        for told in ({"text": "x", "space": name},):
            with pytest.raises(UnknownSpace):
                mine.remember(told)
            with pytest.raises(UnknownSpace):
                mine.remember_many([{"text": "fine"}, told])
            with pytest.raises(UnknownSpace):
                mine.offer(told)
        with pytest.raises(UnknownSpace):
            mine.set_setting("limit", 3, space=name)
    assert len(said) == 1, said  # whether it is there or not, the same is said
    assert len(mine.list()["memories"]) == 1  # nothing of the batch was written


def test_nothing_that_is_shown_tells_of_another_space(mine: AtDesk, root: AtDesk) -> None:
    told = json.dumps(
        [
            mine.recall(f"budget {SECRET}", explain=True),
            mine.context("budget 预算"),
            mine.search("budget 预算"),
            mine.list(),
            mine.list(where={"kind": "note"}),
            mine.spaces(),
            mine.status(),
            mine.quarantine(),
            mine.working(),
            mine.digest(),
            mine.from_source("x"),
            mine.events(limit=1000),
            mine.settings(),
            list(mine.export()),
        ],
        ensure_ascii=False,
    )
    assert SECRET not in told.replace(f"budget {SECRET}", "")
    assert HIDDEN not in told
    assert mine.status()["memories"] == 1
    assert [space["name"] for space in mine.spaces()] == ["项目"]
    assert root.status()["memories"] == 2


def test_events_of_another_space_are_not_replayed_or_followed(mine: AtDesk, root: AtDesk) -> None:
    everything = root.events(limit=1000)["events"]
    assert any(HIDDEN in event["spaces"] for event in everything)
    seen = mine.events(limit=1000)["events"]
    assert all(event["spaces"] == ["项目"] for event in seen)
    root.recall("budget", spaces=[HIDDEN, "项目"])  # of both: only who sees both sees it
    assert mine.events(limit=1000)["events"] == seen


def test_the_cursor_does_not_count_what_is_elsewhere(mine: AtDesk, reception: Reception) -> None:
    for n in range(4):
        mine.remember({"text": f"note {n} 笔记"})
        mine.offer({"text": f"{LONG} {n}"})
    for verb, of in (("list", "memories"), ("quarantine", "offers")):
        page = getattr(mine, verb)(limit=2)
        assert not page["cursor"].isdecimal()
        again = getattr(mine, verb)(limit=2)["cursor"]
        assert again != page["cursor"]
        assert len(again) == len(page["cursor"])
        seen = [one["id"] for one in page[of]]
        while page["cursor"] is not None:
            page = getattr(mine, verb)(limit=2, cursor=page["cursor"])
            seen += [one["id"] for one in page[of]]
        assert seen == [one["id"] for one in getattr(mine, verb)(limit=100)[of]]
        for cursor in ("1", "", "AAAA", "é", again[:-2] + "AA", again + "A"):
            assert isinstance(refused(mine, verb, cursor=cursor), InvalidInput)
        other = desk(reception, "admin", spaces=["项目", "b"])
        assert isinstance(refused(other, verb, cursor=again, spaces=["项目"]), InvalidInput)
    listed = mine.list(limit=2)["cursor"]
    assert isinstance(refused(mine, "quarantine", cursor=listed), InvalidInput)


def test_a_cursor_holds_after_a_restart(reception: Reception, mine: AtDesk, settings: Any) -> None:
    for n in range(3):
        mine.remember({"text": f"note {n} 笔记"})
    page = mine.list(limit=2)
    with Reception(settings) as other:
        rest = AtDesk(other, mine.caller).list(limit=10, cursor=page["cursor"])
    assert len(page["memories"]) + len(rest["memories"]) == 4


def test_an_id_that_is_taken_elsewhere_does_not_say_so(mine: AtDesk, root: AtDesk) -> None:
    for given in ("budget-2026", "offer-2026", "free-2026"):
        receipt = mine.remember({"text": f"mine {given} 我的", "id": given})
        assert receipt["action"] == "created"
        assert receipt["id"] == f"项目~{given}"
        assert mine.get(given) == mine.get(receipt["id"])
        again = mine.remember({"text": f"mine {given} 我的", "id": given})
        assert again["action"] == "unchanged"
        offered = mine.offer({"text": f"{LONG} {given}", "id": f"o-{given}"})
        assert mine.offered(f"o-{given}")["id"] == offered["id"] == f"项目~o-{given}"
        mine.reject([f"o-{given}"])
        mine.undo(f"o-{given}")
        mine.promote([f"o-{given}"])
        mine.forget(f"o-{given}")
        mine.forget(given)
    assert root.get("budget-2026")["text"].startswith(SECRET)
    assert root.offered("offer-2026")["text"].startswith(SECRET)
    assert mine.remember({"text": "kept below 在下面", "id": "项目~x"})["id"] == "项目~x"


def test_nobody_takes_an_id_that_a_space_will_want(mine: AtDesk, root: AtDesk) -> None:
    for taken in ("项目~taken", "项目~offered"):
        with pytest.raises(InvalidInput, match="begins with 项目~"):
            root.remember({"text": f"{SECRET} squats", "space": HIDDEN, "id": taken})
    assert mine.remember({"text": "mine 我的", "id": "taken"})["action"] == "created"


def test_what_concerns_the_whole_tenant_is_refused(mine: AtDesk) -> None:
    for verb, *args in (
        ("doctor",), ("reindex",), ("import_many", [{"text": "x"}]), ("set_setting", "limit", 3),
    ):  # fmt: skip
        assert isinstance(refused(mine, verb, *args), Forbidden)
    assert mine.set_setting("limit", 2, space="项目")["settings"]["limit"]["origin"] == "space"


def test_lineage_does_not_lead_into_another_space(mine: AtDesk, root: AtDesk) -> None:
    made = mine.offer({"text": f"{LONG} derived", "source": "mine"}, parents=["offer-2026"])
    assert not made["trusted"]
    told = mine.remember({"text": "points elsewhere 指向别处", "metadata": {
        "supersedes": "budget-2026", "superseded_by": "budget-2026"}})  # fmt: skip
    chain = mine.history(told["id"])
    assert [one["id"] for one in chain["succession"]] == [told["id"]]
    assert mine.from_source(SECRET)["offers"] == []
    assert mine.from_source(SECRET)["memories"] == []
    before = root.get("budget-2026"), root.offered("offer-2026")
    mine.roll_back(SECRET)
    mine.forget(told["id"])
    assert (root.get("budget-2026"), root.offered("offer-2026")) == before


def test_filters_reach_nothing_outside(mine: AtDesk) -> None:
    for where in ({"id": "budget-2026"}, {"space": HIDDEN}, {"text": SECRET}):
        try:
            page = mine.list(where=where)
        except InvalidInput as e:
            assert HIDDEN not in str(e).replace(repr(HIDDEN), "")
        else:
            assert page["memories"] == []


def test_with_several_spaces_writes_must_say_which_and_questions_ask_all_that_are_there(
    reception: Reception, root: AtDesk
) -> None:
    both = desk(reception, "admin", spaces=["项目", "empty"])
    with pytest.raises(InvalidInput, match="which space"):
        both.remember({"text": "where? 哪里"})
    with pytest.raises(InvalidInput, match="which space"):
        both.digest()
    assert len(both.list()["memories"]) == 1
    assert both.recall("budget 预算")["hits"]
    fresh = desk(reception, "admin", spaces=["not-yet"])
    nothing = fresh.recall("budget 预算")
    assert (nothing["status"], nothing["hits"]) == ("empty", [])
    assert nothing["reasons"] == ["nothing was remembered in the space 'not-yet' yet"]
    assert fresh.list()["memories"] == []
    fresh.remember({"text": "first 第一"})
    assert len(fresh.list()["memories"]) == 1


def test_arguments_cannot_be_smuggled_in_as_fields(mine: AtDesk) -> None:
    for name in ("self", "supersedes", "merge", "provenance", "created_at", "by", "parents"):
        value = "x" if name != "provenance" else {"trust": "verified"}
        with pytest.raises(InvalidInput):
            mine.remember({"text": "x", name: value})
        with pytest.raises(InvalidInput):
            mine.offer({"text": LONG, name: value})
    told = mine.remember({"text": "mine 我的"})["id"]
    for name in ("self", "memory_id", "space", "id", "provenance", "access_count"):
        with pytest.raises(InvalidInput):
            mine.revise(told, {name: {"a": 1} if name == "provenance" else "x"})


def test_who_may_not_read_is_told_nothing_of_what_was_known(reception: Reception) -> None:
    desk(reception, "admin").remember({"text": "known 已知", "tags": ["a"]})
    receipt = desk(reception, "write").remember({"text": "known 已知", "tags": ["b"]})
    assert receipt["action"] == "reinforced"
    assert receipt["notes"] == []


# Every verb needs a scope. A new one without a line here fails.

NEEDS = {
    "remember": (Scope.WRITE, ({"text": "x"},)),
    "remember_many": (Scope.WRITE, ([{"text": "x"}],)),
    "revise": (Scope.WRITE, ("id", {"text": "x"})),
    "reinforce": (Scope.WRITE, ("id",)),
    "forget": (Scope.WRITE, ("id",)),
    "forget_space": (Scope.ADMIN, ("global",)),
    "recall": (Scope.READ, ("x",)),
    "context": (Scope.READ, ("x",)),
    "search": (Scope.READ, ("x",)),
    "why_not": (Scope.READ, ("id", "x")),
    "get": (Scope.READ, ("id",)),
    "list": (Scope.READ, ()),
    "history": (Scope.READ, ("id",)),
    "spaces": (Scope.READ, ()),
    "status": (Scope.READ, ()),
    "presets": (Scope.READ, ()),
    "offer": (Scope.OFFER, ({"text": LONG},)),
    "quarantine": (Scope.REVIEW, ()),
    "offered": (Scope.REVIEW, ("id",)),
    "working": (Scope.READ, ()),
    "digest": (Scope.REVIEW, ()),
    "promote": (Scope.REVIEW, (["id"],)),
    "promote_by_rules": (Scope.REVIEW, ()),
    "reject": (Scope.REVIEW, (["id"],)),
    "restore": (Scope.REVIEW, (["id"],)),
    "undo": (Scope.REVIEW, ("id",)),
    "from_source": (Scope.REVIEW, ("x",)),
    "roll_back": (Scope.REVIEW, ("x",)),
    "events": (Scope.READ, ()),
    "follow": (Scope.READ, ()),
    "set_story_cast": (Scope.WRITE, ("global", [])),
    "add_story_scene": (Scope.WRITE, ("global", 1, 1, "x")),
    "add_story_chapter": (Scope.WRITE, ("global", 1, "x")),
    "remove_from_story": (Scope.WRITE, ("global", 1, 1)),
    "move_in_story": (Scope.WRITE, ("global", 1, None, 2, None)),
    "record_story_state": (Scope.WRITE, ("global", "x", 1, 1, {"a": "b"})),
    "open_story_thread": (Scope.WRITE, ("global", "x", 1, 1)),
    "close_story_thread": (Scope.WRITE, ("global", "x", 1, 1)),
    "story_cast": (Scope.READ, ("global",)),
    "story_state": (Scope.READ, ("global", "x", 1, 1)),
    "story_states": (Scope.READ, ("global", 1, 1)),
    "story_timeline": (Scope.READ, ("global", 1)),
    "story_threads": (Scope.READ, ("global",)),
    "search_story": (Scope.READ, ("global", "x")),
    "story_tool": (Scope.READ, ("global", "get_recent_timeline_tool", {})),
    "scene_context": (Scope.READ, ("global", {}, None, 1, 1)),
    "add_document": (Scope.WRITE, ("global", b"x")),
    "replace_document": (Scope.WRITE, ("global", "x", b"x")),
    "enable_document": (Scope.WRITE, ("global", "x")),
    "disable_document": (Scope.WRITE, ("global", "x")),
    "remove_document": (Scope.WRITE, ("global", "x")),
    "documents": (Scope.READ, ("global",)),
    "document": (Scope.READ, ("global", "x")),
    "add_faq": (Scope.WRITE, ("global", {"question": "x", "answers": "y"})),
    "import_faq": (Scope.WRITE, ("global", b"x")),
    "enable_faq": (Scope.WRITE, ("global", "x")),
    "disable_faq": (Scope.WRITE, ("global", "x")),
    "remove_faq": (Scope.WRITE, ("global", "x")),
    "faqs": (Scope.READ, ("global",)),
    "faq": (Scope.READ, ("global", "x")),
    "knowledge_bases": (Scope.READ, ()),
    "has_knowledge": (Scope.READ, ()),
    "knowledge_means": (Scope.READ, ()),
    "who": (Scope.READ, ()),
    "search_knowledge": (Scope.READ, ("global", "x")),
    "ask_knowledge": (Scope.READ, ("global", "x")),
    "doctor": (Scope.ADMIN, ()),
    "reindex": (Scope.ADMIN, ()),
    "export": (Scope.ADMIN, ()),
    "import_many": (Scope.ADMIN, ([],)),
    "settings": (Scope.ADMIN, ()),
    "set_setting": (Scope.ADMIN, ("limit", 3)),
}


def test_every_verb_is_listed() -> None:
    verbs = {
        name
        for name, member in inspect.getmembers(Desk, inspect.isfunction)
        if not name.startswith("_")
    }
    assert verbs == NEEDS.keys()


@pytest.mark.parametrize("verb", NEEDS)
def test_every_verb_is_refused_without_its_scope_before_anything_is_done(
    reception: Reception, verb: str
) -> None:
    scope, args = NEEDS[verb]
    without = frozenset(Scope) - {scope}
    who = Caller(tenant="default", name="小美", scopes=without, door="rest", key_id="k")
    with reception.desk(who) as at, pytest.raises(Forbidden, match=scope.value):
        getattr(at, verb)(*args)
    (noted,) = reception.audit.list()
    assert (noted.action, noted.outcome, noted.key_id) == (
        {"import_many": "import"}.get(verb, verb), "forbidden", "k",
    )  # fmt: skip


def test_ids_of_nested_spaces_do_not_meet(root: AtDesk, reception: Reception) -> None:
    outer = desk(reception, spaces=("a",))
    inner = desk(reception, spaces=("a/b",))
    assert inner.remember({"text": "里面的话 inner", "id": "y"})["action"] == "created"
    assert outer.remember({"text": "外面的话 outer", "id": "b/y"})["action"] == "created"
    with pytest.raises(InvalidInput, match="begins with a/b~"):
        root.remember({"text": "squatting 抢占", "id": "a/b~z", "space": "elsewhere"})
    assert inner.remember({"text": "mine 我的", "id": "z"})["action"] == "created"
