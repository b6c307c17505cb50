"""A server that strangers live on, and what one of them gets to see of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any

import httpx
from anyio.from_thread import BlockingPortal
from mcp.shared.exceptions import MCPError

from tests.scenarios.doors.over_mcp import TOOLS, OverMcp, over_http
from tests.scenarios.doors.over_rest import OverRest
from tests.scenarios.scenario import Json
from tests.scenarios.serving import Served
from tests.scenarios.strangers_deeds import (
    CHOSEN_IDS,
    LONG,
    SOURCES,
    Actor,
    of_knowledge,
    what_is_given,
)
from tests.scenarios.watching import Watched, over_a_socket, sent_by_the_server, watching

PATHS = {
    "server": ["/metrics", "/health/ready", "/version", "/v1/doctor", "/v1/nothing", "/docs"],
    "export": ["/v1/export"],
    "settings": ["/v1/settings", "/v1/presets"],
}


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
            return _told(call(agent.call_tool, "fetch", {"id": self.some_id(number)}))
        if verb == "prompt":
            return [_told(prompt) for prompt in call(agent.list_prompts).prompts]
        listed = call(agent.list_resources).resources
        somewhere = [f"memory://global/{self.some_id(number)}", "memory://nowhere/recent"]
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

    def some_id(self, number: int) -> str:
        return self.heard[(number * 7) % len(self.heard)]

    def _given(self, actor: Actor, verb: str, number: int) -> dict[str, Any]:
        some_id = self.some_id(number)
        return what_is_given(actor, verb, number, some_id=some_id, cursors=self._cursors)


def _told(model: Any) -> Json:
    return model.model_dump(mode="json")


def _found(answer: Json, name: str) -> list[str]:
    if isinstance(answer, dict):
        own = [answer[name]] if isinstance(answer.get(name), str) and answer[name] else []
        return own + [found for value in answer.values() for found in _found(value, name)]
    if isinstance(answer, list):
        return [found for one in answer for found in _found(one, name)]
    return []


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
                told = of_knowledge(actor, verb, n, world.some_id(n))
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
