"""A model that looks things up while it writes: story memory as functions that it may call.

    python examples/story_tools.py
    STORY_ENDPOINT=https://… STORY_MODEL=… STORY_KEY=… python examples/story_tools.py

Any OpenAI-compatible server will do. Without one, a scripted model on a local port plays the part,
so that the loop can be seen at work: the model asks, we answer, until it writes its paragraph.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

from bethink import Engine
from bethink.story import Cast, Character, Story, StoryTools

CHAPTER, SCENE = 3, 1
TASK = (
    "Write the first paragraph of chapter 3: 林婉 climbs the wall of the ferry house at night. "
    "Look up first what state she is in, and what happened to the sword."
)
MOST_TURNS = 8  # a model that only ever asks must not keep us for ever


def told(engine: Engine) -> Story:
    """Two chapters of a story, and one that is further than the model may look."""
    story = Story(engine, "river")
    story.set_cast(
        Cast(
            characters=[
                Character(id="lin", name="Lin Wan", aliases=["林婉"], titles=["Captain"]),
                Character(id="sword", name="月剑", aliases=["the Moon Sword"], kind="object"),
            ]
        )
    )
    story.add_scene(
        1, 1, "林婉在码头受了伤，左臂流血。She threw the Moon Sword into the river.",
        states={"林婉": {"left arm": "injured"}, "月剑": {"where": "in the river"}},
        events=["林婉 is wounded at the dock"],
    )  # fmt: skip
    story.add_scene(2, 1, "A fisherman found the Moon Sword and hid it in the ferry house.")
    story.add_scene(4, 1, "Her arm had healed.", states={"Captain": {"left arm": "healed"}})
    return story


def write(tools: StoryTools, endpoint: str, model: str, key: str = "") -> str:
    """The loop: ask the model, answer what it calls, until it has written."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You write a novel. Invent nothing that you can look up."},
        {"role": "user", "content": TASK},
    ]
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with httpx.Client(base_url=endpoint, headers=headers, timeout=60) as client:
        for _ in range(MOST_TURNS):
            body = {"model": model, "messages": messages, "tools": tools.definitions()}
            reply = client.post("/chat/completions", json=body).raise_for_status().json()
            message = reply["choices"][0]["message"]
            messages.append(message)
            if not message.get("tool_calls"):
                return str(message["content"])
            for call in message["tool_calls"]:
                asked = call["function"]
                answer = tools.call(asked["name"], asked["arguments"])  # never raises
                print(f"   {asked['name']}({asked['arguments']})\n      → {answer[:120]}")
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": answer})
    return "The model asked and asked, and wrote nothing."


def main() -> None:
    with Engine.in_memory(embedder="hashing") as engine:
        tools = StoryTools(told(engine), chapter=CHAPTER, scene=SCENE)
        endpoint = os.environ.get("STORY_ENDPOINT")
        if endpoint:
            model, key = os.environ.get("STORY_MODEL", "default"), os.environ.get("STORY_KEY", "")
            print(write(tools, endpoint, model, key))
            return
        with scripted_model() as address:
            print(write(tools, address, "scripted"))


# The part of the model, when there is none

SCRIPT = [
    ("get_entity_state_tool", {"entity_id": "林婉"}),
    ("get_entity_state_tool", {"entity_id": "Captain", "chapter_index": 9}),  # it may not
    ("search_story_memory_tool", {"query": "the Moon Sword hidden", "entities": ["月剑"]}),
    ("get_recent_timeline_tool", {"window": 2}),
]


def scripted(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Asks one thing after the other, then writes with what it was told."""
    answers = [json.loads(one["content"]) for one in messages if one["role"] == "tool"]
    if len(answers) < len(SCRIPT):
        name, arguments = SCRIPT[len(answers)]
        function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
        call = {"id": f"call-{len(answers)}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    arm = answers[0]["facts"]["left arm"]
    where = answers[2][0]["text"]
    text = f"Her arm was still {arm}, but 林婉 climbed: she had heard that {where[0].lower()}"
    return {"role": "assistant", "content": text + where[1:]}


@contextmanager
def scripted_model() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = {"choices": [{"index": 0, "message": scripted(asked["messages"])}]}
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    main()
