"""A language model over real HTTP that answers from a script.

Its answers (`model.jsonl`) are those of a model that reads the plan and the cast and has never seen
the novel; they were written before any figure was measured. It speaks OpenAI's chat completions.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.story.novel import Novel


class Script:
    """What it is asked, by the title of the plan, and what it answers."""

    def __init__(self, novel: Novel, *, phrases: int | None = None) -> None:
        self._answers = {
            novel.scene(at).title: {**answer, "phrases": answer["phrases"][:phrases]}
            for at, answer in novel.answers.items()
        }
        self.asked = 0

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        self.asked += 1
        asked = json.loads(request["messages"][-1]["content"])
        text = json.dumps(self._answers[asked["plan"]["title"]], ensure_ascii=False)
        return {"choices": [{"message": {"role": "assistant", "content": text}}]}


@contextmanager
def serving(script: Script) -> Iterator[str]:
    """Serve until the block ends; gives the address for `llm_endpoint`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.dumps(script.answer(json.loads(self.rfile.read(length)))).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
