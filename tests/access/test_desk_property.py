"""Two tenants and two callers of one space each walk through the verbs of their desks, in any order
and with whatever ids and spaces they may have heard of. Nobody ever sees the canary of another, in
an answer, a count, an error or an event, and nobody changes what is another's."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from bethink.access.caller import Caller, Scope
from bethink.access.reception import Reception
from bethink.errors import BethinkError
from bethink.events.kinds import event_record
from bethink.settings import Settings
from bethink.vocabulary import Json
from tests.access.coming_in import LONG


class Actor(NamedTuple):
    caller: Caller
    canary: str
    space: str  # where it lives


def _actor(name: str, canary: str, tenant: str, space: str, limited: bool) -> Actor:
    return Actor(
        Caller(
            tenant=tenant,
            name=name,
            scopes=frozenset(Scope),
            door="rest",
            spaces=(space,) if limited else None,
            key_id=name,
        ),
        canary,
        space,
    )


ACTORS = (
    _actor("anna", "canaryanna安娜雀", "acme", "global", False),
    _actor("bo", "canarybo博雀", "研发部", "global", False),
    _actor("cai", "canarycai蔡雀", "default", "c", True),
    _actor("dora", "canarydora朵雀", "default", "d", True),
)
SPACES = ("c", "d", "global", "nowhere")
CHOSEN_IDS = ("one", "two", "c/one", "d/one")  # of memories and of offers: the same few
SOURCES = ("mail", "wiki")

steps = st.lists(
    st.tuples(
        st.sampled_from(range(len(ACTORS))),
        st.sampled_from(
            (
                "remember remember_many revise reinforce forget recall context search why_not "
                "get list history spaces status offer quarantine offered working digest promote "
                "reject restore undo from_source roll_back events settings set_setting export "
                "supersede promote_by_rules forget_space import_many doctor repeat tell_story "
                "ask_story tell_base ask_base"
            ).split()
        ),
        st.integers(0, 9),
        st.sampled_from((None, *SPACES)),
    ),
    min_size=8,
    max_size=40,
)


class World:
    def __init__(self, folder: Path) -> None:
        settings = Settings(store=str(folder / "m.db"), embedder="none", offer_characters=5)
        self.reception = Reception(settings)
        self.reception.tenants.create("acme")
        self.reception.tenants.create("研发部")
        self.heard: list[str] = list(CHOSEN_IDS)  # ids get around; knowing one must not help

    def step(self, actor: Actor, verb: str, number: int, space: str | None) -> str:
        """All that the actor gets to see."""
        try:
            with self.reception.desk(actor.caller) as desk:
                answer = self._do(desk, actor, verb, number, space)
                if verb == "events":
                    found = desk._engine.events.since(0, spaces=actor.caller.spaces, limit=1000)
                    answer = [answer, [event_record(event) for event in found]]
        except BethinkError as e:
            return f"{e.code}: {e}"
        self.heard += _ids(answer)
        return json.dumps(answer, ensure_ascii=False, default=str)

    def _do(self, desk: Any, actor: Actor, verb: str, n: int, space: str | None) -> Any:
        some_id = self.heard[(n * 7) % len(self.heard)]
        text = f"{actor.canary} note {n % 4} 笔记. {LONG}"
        where = {} if space is None else {"spaces": [space]}
        told: dict[str, Json] = {"text": text, "source": SOURCES[n % 2]}
        if space is not None:
            told["space"] = space
        if n % 2:
            told["id"] = CHOSEN_IDS[n % len(CHOSEN_IDS)]
        match verb:
            case "remember":
                return desk.remember(told)
            case "remember_many":
                return desk.remember_many([told, {"text": f"{text} more"}])
            case "supersede":
                return desk.remember({"text": f"{text} newer"}, supersedes=some_id)
            case "revise":
                return desk.revise(some_id, {"text": f"{text} revised"})
            case "offer":
                return desk.offer(told, parents=[some_id])
            case "recall" | "context" | "search":
                return getattr(desk, verb)(f"canary 雀 note {n}", **where)
            case "why_not":
                return desk.why_not(some_id, "canary 雀", **where)
            case "get" | "history" | "reinforce" | "forget" | "offered" | "undo":
                return getattr(desk, verb)(some_id)
            case "promote" | "reject" | "restore":
                return getattr(desk, verb)([some_id])
            case "from_source" | "roll_back":
                return getattr(desk, verb)(SOURCES[n % 2], **where)
            case "list" | "quarantine":
                page = getattr(desk, verb)(limit=1 + n % 3, **where)
                if page["cursor"] is None:
                    return page
                return [page, getattr(desk, verb)(limit=2, cursor=page["cursor"], **where)]
            case "working":
                return desk.working(**where)
            case "export":
                return list(desk.export(**where))
            case "digest" | "promote_by_rules" | "settings":
                return getattr(desk, verb)(space)
            case "forget_space":
                return desk.forget_space(space or actor.space)
            case "set_setting":
                return desk.set_setting("limit", 1 + n, space=space)
            case "import_many":
                return desk.import_many([told])
            case "repeat":
                return self.reception.idempotent(
                    actor.caller, f"key-{n % 2}", "the same", lambda: desk.offer(told)
                )
            case "events":
                return desk.events(limit=1000)
            case "tell_story" | "ask_story":
                return _story(desk, verb, text, some_id, n, space or actor.space)
            case "tell_base":
                return _told_base(desk, text, some_id, n, space or actor.space)
            case "ask_base":
                return _asked_base(desk, some_id, n, space or actor.space)
        return getattr(desk, verb)()

    def belongings(self, actor: Actor) -> Any:
        """All that is an actor's, as it is on disk, but for what being found counts."""
        with self.reception.tenants.engine(actor.caller.tenant) as engine:
            there = actor.space in {info.name for info in engine.spaces()}
            memories = engine.list(spaces=[actor.space], limit=1000).memories if there else []
            offers = engine.tiers.quarantine(spaces=[actor.space], limit=1000).offers
            recent = engine.tiers.working(spaces=[actor.space], limit=1000)
            return (
                [(m.id, m.text, m.reinforcement, m.metadata, m.updated_at) for m in memories],
                [(offer.id, offer.decision, offer.reason) for offer in offers],
                [memory.id for memory in recent],
                engine.overrides.in_force(actor.space),
            )


def _story(desk: Any, verb: str, text: str, some_id: str, n: int, project: str) -> Any:
    if verb == "ask_story":
        return [
            desk.story_cast(project), desk.story_threads(project, closed=True),
            desk.story_state(project, "小雀", 9, 9), desk.story_timeline(project, 3, states=True),
            desk.search_story(project, "canary 雀 note"), desk.story_states(project, 9, 9),
            desk.scene_context(project, {"characters": ["小雀"]}, None, 9, 9, allow_future=True),
            desk.story_tool(project, "search_story_memory_tool", {"query": "canary 雀"}),
        ]  # fmt: skip
    if n % 3 == 0:
        return desk.close_story_thread(project, some_id, 5, 1)
    if n == 4:
        return desk.move_in_story(project, 1, None, 7, None)
    if n == 5:
        return desk.remove_from_story(project, 1)
    return [
        desk.set_story_cast(project, [{"id": f"who-{n % 2}", "name": "小雀", "description": text}]),
        desk.add_story_scene(
            project, 1 + n % 2, 1, text, states={"小雀": {"wing": text}}, threads=[text]
        ),
        desk.record_story_state(project, "小雀", n, 1, {"note": text}),
    ]


def _told_base(desk: Any, text: str, some_id: str, n: int, base: str) -> Any:
    """Names and ids are the same few for everybody."""
    name, entry = ("手册.md", some_id)[n % 2], ("refund", some_id)[n % 2]
    if n % 5 == 1:
        return [desk.disable_document(base, name), desk.remove_document(base, name)]
    if n % 5 == 2:
        return [desk.disable_faq(base, entry), desk.remove_faq(base, entry)]
    if n % 5 == 3:
        return desk.replace_document(base, name, f"# {text}".encode())
    told = {"question": "退款？", "answers": [text], "negative": ["换货？"], "id": entry}
    return [
        desk.add_document(base, f"# {text}\n\n{text}".encode(), name=name),
        desk.add_faq(base, told),
        desk.import_faq(base, f"问题,答案\n几点？,{text}\n".encode()),
        desk.enable_document(base, name),
        desk.enable_faq(base, entry),
    ]


def _asked_base(desk: Any, some_id: str, n: int, base: str) -> Any:
    asked = {"query_text": "canary 雀 note", "knowledge_bases": [SPACES[n % 4]] if n % 2 else []}
    history = [{"question": "canary?", "references": [some_id]}]
    return [
        desk.knowledge_bases(), desk.documents(base), desk.faqs(base),
        desk.search_knowledge(base, asked, history=history, explain=True),
        desk.ask_knowledge(base, asked | {"documents": [some_id] if n % 3 == 0 else []}),
        desk.document(base, ("手册.md", some_id)[n % 2]), desk.faq(base, some_id),
    ]  # fmt: skip


def _ids(answer: Any) -> list[str]:
    if isinstance(answer, dict):
        own = [answer["id"]] if isinstance(answer.get("id"), str) else []
        return own + [found for value in answer.values() for found in _ids(value)]
    if isinstance(answer, list | tuple):
        return [found for one in answer for found in _ids(one)]
    return []


@examples(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
@given(walk=steps)
def test_nobody_sees_or_touches_what_is_anothers(walk: list[tuple[int, str, int, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        with world.reception:
            for index, actor in enumerate(ACTORS):
                world.step(actor, "remember", index, actor.space)
                world.step(actor, "offer", index + 1, actor.space)
            for index, verb, number, space in walk:
                actor = ACTORS[index]
                others = [other for other in ACTORS if other is not actor]
                before = [world.belongings(other) for other in others]
                seen = world.step(actor, verb, number, space)
                for other in others:
                    assert other.canary not in seen, (actor.canary, verb, seen)
                assert [world.belongings(other) for other in others] == before, (actor, verb)
            for actor in ACTORS:
                with world.reception.desk(actor.caller) as desk:
                    counted = sum(space["memories"] for space in desk.spaces())
                    assert desk.status()["memories"] == counted
                    assert counted == len(list(desk.export()))
            assert world.reception.audit.verify() is None
