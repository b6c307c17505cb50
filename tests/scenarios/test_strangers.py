"""Two tenants, and two keys of one space each of a third, walk through REST, MCP over HTTP and both
kinds of event streams of one server, in any order, with whatever ids, cursors, sessions and
Idempotency-Keys they may have heard of. Nobody ever sees the canary of another: in an answer, a
count, an error, an event, or anything that the server kept for somebody else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any, NamedTuple

import httpx
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.exceptions import MCPError

from recollect.settings import Settings
from recollect.testing import run_at_once
from tests.scenarios.doors.knowledge_commands import COMMANDS
from tests.scenarios.doors.over_mcp import TOOLS, OverMcp, over_http
from tests.scenarios.doors.over_rest import ROUTES, OverRest
from tests.scenarios.doors.story_commands import COMMANDS as STORY_COMMANDS
from tests.scenarios.scenario import Json
from tests.scenarios.serving import Served, serving
from tests.scenarios.watching import Watched, over_a_socket, sent_by_the_server, watching

LONG = "is what the ops team agreed on for every Friday. 运维组约定每周五上午十点由小美主持会议。"
SOURCES = ("mail", "wiki")
SPACES = ("global", "nowhere", "c", "d")
CHOSEN_IDS = ("one", "two", "c/one", "d/one")

KNOWLEDGE = frozenset({*COMMANDS, "search_knowledge"})
STORY = frozenset({*STORY_COMMANDS, "search_story"})
REST, MCP, OTHERWISE = "rest", "mcp", "otherwise"
DEEDS = (
    *((REST, verb) for verb in ROUTES),
    *((MCP, verb) for verb in TOOLS),
    (MCP, "resources"),
    (MCP, "prompt"),
    (MCP, "search"),
    (MCP, "fetch"),
    (OTHERWISE, "repeat"),  # with an Idempotency-Key that all of them use
    (OTHERWISE, "session"),  # an MCP session of whoever came last
    (OTHERWISE, "server"),  # what is of the whole server
    (OTHERWISE, "export"),
    (OTHERWISE, "settings"),
)
PATHS = {
    "server": ["/metrics", "/health/ready", "/version", "/v1/doctor", "/v1/nothing", "/docs"],
    "export": ["/v1/export"],
    "settings": ["/v1/settings", "/v1/presets"],
}
steps = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(DEEDS), st.integers(0, 11)),
    min_size=10,
    max_size=40,
)


class Actor(NamedTuple):
    canary: str
    key: str
    home: str  # the space where it keeps its things; of the tenants it is named by the canary
    rest: OverRest
    mcp: OverMcp
    agent: Client
    streams: tuple[Watched, Watched]


class World:
    """Four actors, the first two alone in their tenants."""

    def __init__(
        self, served: Served, portal: BlockingPortal, client: httpx.Client, number: int
    ) -> None:
        self._served, self._portal, self._client, self._number = served, portal, client, number
        self.heard: list[str] = list(CHOSEN_IDS)  # ids get around; knowing one must not help
        self._cursors: list[str] = []
        self._session = ""

    def actor(self, stack: ExitStack, name: str, *, tenant: str, space: str = "") -> Actor:
        canary = f"canary{name}雀{self._number}"
        limited = {"spaces": [space]} if space else {}
        held = self._served.tenant(f"{tenant}-{self._number}", **limited)
        agent = stack.enter_context(over_http(self._portal, self._served.address, held.key))
        streams = [
            stack.enter_context(watching(self._portal, stream(self._served.address, held.key)))
            for stream in (over_a_socket, sent_by_the_server)
        ]
        return Actor(
            canary,
            held.key,
            space or canary,
            OverRest(self._client, held.key, held.in_python),
            OverMcp(self._portal, agent, held.in_python),
            agent,
            (streams[0], streams[1]),
        )

    def step(self, actor: Actor, deed: tuple[str, str], number: int) -> str:
        """All that the actor gets to see."""
        door, verb = deed
        answer = getattr(self, f"_{door}")(actor, verb, number)
        # an id that is named after a canary would be seen again in "there is no such id"
        self.heard += [one for one in _found(answer, "id") if "雀" not in one]
        self._cursors += _found(answer, "cursor")
        return json.dumps(answer, ensure_ascii=False)

    def _rest(self, actor: Actor, verb: str, number: int) -> Json:
        return actor.rest.call(verb, self._given(actor, verb, number))

    def _mcp(self, actor: Actor, verb: str, number: int) -> Json:
        if verb in TOOLS:
            return actor.mcp.call(verb, self._given(actor, verb, number))
        call, agent = self._portal.call, actor.agent
        if verb == "search":
            return _told(call(agent.call_tool, "search", {"query": f"canary 雀 {number}"}))
        if verb == "fetch":
            return _told(call(agent.call_tool, "fetch", {"id": self._some_id(number)}))
        if verb == "prompt":
            return [_told(prompt) for prompt in call(agent.list_prompts).prompts]
        listed = call(agent.list_resources).resources
        somewhere = [f"memory://global/{self._some_id(number)}", "memory://nowhere/recent"]
        seen = [_told(one) for one in listed]
        for uri in [*(str(one.uri) for one in listed), *somewhere]:
            try:
                seen.append(_told(call(agent.read_resource, uri)))
            except MCPError as e:
                seen.append(str(e))
        return seen

    def _otherwise(self, actor: Actor, what: str, number: int) -> Json:
        headers = {"Authorization": f"Bearer {actor.key}"}
        if what == "repeat":
            answer = self._client.post(
                "/v1/offers",
                headers=headers | {"Idempotency-Key": f"shared-{number % 2}"},
                json={"text": f"offered under a key that others use too {LONG}"},
            )
            seen = answer.json()
            # the answer of the first request, and that was this actor's own
            assert answer.is_error or seen["space"] in (actor.home, "global"), seen
            return seen
        if what == "session":
            return self._in_a_session(headers)
        return [self._client.get(path, headers=headers).text for path in PATHS[what]]

    def _in_a_session(self, headers: dict[str, str]) -> Json:
        """Open one of its own, and speak in the one that another opened before."""
        form = {"Accept": "application/json, text/event-stream"}
        hello = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "walker", "version": "1"},
            },
        }
        asked = {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "recent", "arguments": {}},
        }
        opened = self._client.post("/mcp", headers=headers | form, json=hello)
        seen = [opened.text]
        if self._session:
            there = {"Mcp-Session-Id": self._session, "Mcp-Protocol-Version": "2025-06-18"}
            seen.append(self._client.post("/mcp", headers=headers | form | there, json=asked).text)
        self._session = opened.headers.get("Mcp-Session-Id", "")
        return seen

    def _some_id(self, number: int) -> str:
        return self.heard[(number * 7) % len(self.heard)]

    def _given(self, actor: Actor, verb: str, n: int) -> dict[str, Any]:
        some_id = self._some_id(n)
        text = f"{actor.canary} {n % 4} {LONG}"
        space = (None, actor.home, *SPACES)[n % 6]
        told: dict[str, Any] = {"text": text, "source": SOURCES[n % 2]}
        told |= {"space": space} if space else {}
        told |= {"id": CHOSEN_IDS[n % len(CHOSEN_IDS)]} if n % 3 == 0 else {}
        where = {"spaces": [space]} if space else {}
        question = {"question": f"canary 雀 {actor.canary} {n}"}
        cursor = (
            {"cursor": self._cursors[n % len(self._cursors)]} if self._cursors and n % 2 else {}
        )
        match verb:
            case "remember":
                return told | ({"supersedes": some_id} if n % 5 == 0 else {})
            case "remember_many":
                return {"memories": [told, {"text": f"{text} more"}]}
            case "offer":
                return told | {"parents": [some_id]}
            case "revise":
                return {"id": some_id, "text": f"{text} revised"}
            case "recall" | "context":
                return question | where
            case "why_not":
                return question | where | {"id": some_id}
            case "get" | "history" | "reinforce" | "forget" | "offered" | "undo":
                return {"id": some_id}
            case "promote" | "reject" | "restore":
                return {"ids": [some_id]}
            case "from_source" | "roll_back":
                return {"source": SOURCES[n % 2]} | where
            case "list" | "quarantine":
                return {"limit": 1 + n % 3} | where | cursor
            case "working":
                return where
            case "digest" | "promote_by_rules":
                return {"space": space} if space else {}
            case "forget_space":
                return {"space": space or "nowhere"}
            case "events":
                return {"limit": 1000}
        if verb in STORY:
            return self._of_a_story(actor, verb, n)
        return self._of_knowledge(actor, verb, n) if verb in KNOWLEDGE else {}

    def _of_a_story(self, actor: Actor, verb: str, n: int) -> dict[str, Any]:
        """The same few scenes and names, whosever they are."""
        project = {"project": (actor.home, actor.home, *SPACES)[n % 6]}
        at = {"chapter": 1 + n % 2, "scene": 1}
        text = f"小雀 {actor.canary} {n % 4} 说了话。"
        match verb:
            case "set_story_cast":
                who = {"id": f"who-{n % 2}", "name": "小雀", "description": actor.canary}
                return project | {"characters": [who]}
            case "add_story_scene":
                told = {"states": {"小雀": {"wing": text}}, "threads": [text]}
                return project | at | told | {"text": text}
            case "add_story_chapter":
                return project | {"chapter": 1 + n % 2, "text": text}
            case "record_story_state":
                return project | at | {"entity": "小雀", "facts": {"note": text}}
            case "open_story_thread":
                return project | at | {"text": text}
            case "close_story_thread":
                return project | {"id": self._some_id(n), "chapter": 9, "scene": 1}
            case "story_state":
                return project | {"entity": "小雀", "chapter": 9, "scene": 9}
            case "story_states":
                return project | {"chapter": 9, "scene": 9}
            case "story_timeline" | "remove_from_story":
                return project | {"chapter": 1 + n % 3}
            case "search_story":
                return project | {"query": "canary 雀 说了话"}
            case "scene_context":
                plan = {"summary": "canary 雀 说了话", "characters": ["小雀"]}
                return project | {"chapter": 9, "scene": 1, "plan": plan}
            case "move_in_story":
                return project | {"chapter": 1 + n % 2, "to_chapter": 3 + n % 3}
        return project

    def _of_knowledge(self, actor: Actor, verb: str, n: int) -> dict[str, Any]:
        """The same few names of documents and entries, whosever they are."""
        base = (actor.home, actor.home, *SPACES)[n % 6]
        text = f"# {actor.canary}\n\n{actor.canary} {n % 4} {LONG}"
        names = ("手册.md", "plan.md", self._some_id(n))
        name, entry = names[n % 3], ("退款？", "own", self._some_id(n))[n % 3]
        asked = {"base": base, "question": f"canary 雀 {actor.canary} {n}"}
        match verb:
            case "add_document":
                return {"base": base, "name": name, "text": text}
            case "replace_document":
                return {"base": base, "document": name, "text": f"{text} newer"}
            case "documents" | "faqs":
                return {"base": base}
            case "add_faq":
                told = {"base": base, "question": "退款？", "answers": [text]}
                return told | {"negative": [f"换货 {actor.canary}？"], "id": entry.strip("？")}
            case "search_knowledge" | "ask":
                return asked | ({"documents": [name]} if n % 5 == 0 else {})
        return {"base": base} | ({"entry": entry} if "faq" in verb else {"document": name})


def _told(model: Any) -> Json:
    return model.model_dump(mode="json")


def _found(answer: Json, name: str) -> list[str]:
    if isinstance(answer, dict):
        own = [answer[name]] if isinstance(answer.get(name), str) and answer[name] else []
        return own + [found for value in answer.values() for found in _found(value, name)]
    if isinstance(answer, list):
        return [found for one in answer for found in _found(one, name)]
    return []


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    store = tmp_path_factory.mktemp("strangers") / "memory.db"
    settings = Settings(store=str(store), embedder="none", offer_characters=5)
    with serving(settings) as server:
        yield server


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as made:
        yield made


_numbers = count(1)


@contextmanager
def inhabited(served: Served, portal: BlockingPortal) -> Iterator[tuple[World, list[Actor]]]:
    with ExitStack() as stack:
        client = stack.enter_context(httpx.Client(base_url=served.address, timeout=60))
        world = World(served, portal, client, next(_numbers))
        actors = [
            world.actor(stack, "anna", tenant="acme"),
            world.actor(stack, "bo", tenant="研发部"),
            world.actor(stack, "cai", tenant="shared", space="c"),
            world.actor(stack, "dora", tenant="shared", space="d"),
        ]
        for number, actor in enumerate(actors):
            at_home = {"text": f"{actor.canary} {LONG}", "space": actor.home}
            for verb, n in (("add_document", 0), ("add_faq", 0)):
                told = world._of_knowledge(actor, verb, n)
                assert "error" not in actor.rest.call(verb, told), told
            assert "error" not in actor.rest.call("remember", at_home)
            offered = actor.mcp.call("offer", at_home | {"source": SOURCES[number % 2]})
            world.heard.append(offered["id"])
            asked = {"question": actor.canary, "spaces": [actor.home]}
            assert actor.canary in json.dumps(actor.rest.call("recall", asked), ensure_ascii=False)
            for stream in actor.streams:
                caught_up(stream, actor)
                assert actor.canary in stream.text, "its own question is told"
        yield world, actors


def strangers_in(seen: str, actor: Actor, actors: list[Actor]) -> list[str]:
    return [other.canary for other in actors if other is not actor and other.canary in seen]


def what_is_left(actors: list[Actor]) -> None:
    """Counts are the actor's own at both doors, and so is everything that the streams brought."""
    for actor in actors:
        status = actor.rest.call("status", {})
        agent_sees = actor.mcp.call("status", {})
        assert status["memories"] == agent_sees["memories"]
        assert status["memories"] == sum(space["memories"] for space in status["spaces"])
        mine = {space["name"] for space in status["spaces"]}
        assert mine <= {actor.home} or actor.home == actor.canary  # a key of one space sees one
        assert strangers_in(str(mine), actor, actors) == []
        listed = [
            actor.rest.call("list", {"spaces": [space], "limit": 1000})["memories"]
            for space in mine
        ]
        assert status["memories"] == sum(map(len, listed))
        for stream in actor.streams:
            caught_up(stream, actor)
            assert strangers_in(stream.text, actor, actors) == []


def caught_up(stream: Watched, actor: Actor) -> None:
    events = actor.rest.call("events", {"limit": 1000})
    if events:  # whoever forgets its whole space forgets them too
        stream.wait_for(events[-1]["id"])


# A walk that fails is told as it is: making it shorter would take minutes.
@examples(
    max_examples=8,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
@given(walk=steps)
def test_nobody_sees_a_stranger_through_any_door(
    walk: list[tuple[int, tuple[str, str], int]], served: Served, portal: BlockingPortal
) -> None:
    with inhabited(served, portal) as (world, actors):
        for index, deed, number in walk:
            actor = actors[index]
            seen = world.step(actor, deed, number)
            assert strangers_in(seen, actor, actors) == [], (actor.canary, deed, number, seen)
        what_is_left(actors)
    assert served.reception.audit.verify() is None


def test_every_door_and_verb_is_walked_through(served: Served, portal: BlockingPortal) -> None:
    with inhabited(served, portal) as (world, actors):
        for number, deed in enumerate(DEEDS):
            for index, actor in enumerate(actors):
                seen = world.step(actor, deed, number + index)
                assert strangers_in(seen, actor, actors) == [], (actor.canary, deed, seen)
        what_is_left(actors)


def test_all_of_them_at_once(served: Served, portal: BlockingPortal) -> None:
    """What belongs to one request never gets into another that is under way."""
    with inhabited(served, portal) as (world, actors):

        def walk(index: int) -> list[str]:
            actor, seen = actors[index], list[str]()
            for number in range(60):
                deed = DEEDS[(number * 7 + index * 3) % len(DEEDS)]
                seen.append(world.step(actor, deed, number + index))
            return strangers_in("\n".join(seen), actor, actors)

        assert run_at_once(walk, range(len(actors))) == [[]] * len(actors)
        what_is_left(actors)


def test_the_walk_would_notice(served: Served, portal: BlockingPortal) -> None:
    """What one sees of one's own is what a stranger would be caught with."""
    with inhabited(served, portal) as (world, actors):
        anna, bo = actors[:2]
        at_home = 1  # this number asks in the actor's own space
        at_the_doors = [(REST, verb) for verb in ("recall", "spaces", "documents", "faqs", "ask")]
        for deed in (*at_the_doors, (MCP, "recall"), (MCP, "resources"), (MCP, "ask")):
            seen = world.step(anna, deed, at_home)
            assert strangers_in(seen, bo, actors) == [anna.canary], deed
        for stream in anna.streams:
            assert strangers_in(stream.text, bo, actors) == [anna.canary]
