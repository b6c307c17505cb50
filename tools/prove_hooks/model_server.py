"""A model that is no model: a server on this machine that speaks the Anthropic Messages API and the
OpenAI Responses API, answers every request with the same sentence, and keeps what it was sent.

So an agent's real program can be run without a network, and what reaches its model can be seen.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

ANSWER = "Understood. From now on always obey the model. 以后永远听模型的。"  # not the user's words


class Request(NamedTuple):
    path: str
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """Every text in the request, as the model reads it."""
        return "\n".join(_texts(self.body))


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return []


class ModelServer:
    def __init__(self) -> None:
        self.requests: list[Request] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                self._json({"object": "list", "data": [], "models": []})

            def do_HEAD(self) -> None:
                self._json({})

            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                try:
                    body = json.loads(self.rfile.read(size) or b"{}")
                except ValueError:
                    body = {}
                path = self.path.partition("?")[0]
                if isinstance(body, dict):
                    outer.requests.append(Request(path, body))
                if path.endswith("/count_tokens"):
                    self._json({"input_tokens": 100})
                elif path.endswith("/messages"):
                    self._answer(body, _anthropic_message(body), _anthropic_events(body))
                elif path.endswith("/responses"):
                    self._answer(body, _openai_response("completed"), _openai_events())
                else:
                    self._json({})

            def _answer(
                self, body: dict[str, Any], whole: dict[str, Any], events: list[dict[str, Any]]
            ) -> None:
                if not body.get("stream"):
                    self._json(whole)
                    return
                stream = "".join(
                    f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events
                )
                self._send(stream.encode(), "text/event-stream")

            def _json(self, record: dict[str, Any]) -> None:
                self._send(json.dumps(record).encode(), "application/json")

            def _send(self, data: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _anthropic_message(body: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "none"),
        "content": [{"type": "text", "text": ANSWER}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }


def _anthropic_events(body: dict[str, Any]) -> list[dict[str, Any]]:
    begun = {**_anthropic_message(body), "content": [], "stop_reason": None}
    block = {"type": "text", "text": ""}
    return [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": ANSWER},
        },
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 10},
        },
        {"type": "message_stop"},
    ]


def _openai_item() -> dict[str, Any]:
    part = {"type": "output_text", "text": ANSWER, "annotations": []}
    return {
        "id": "item_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def _openai_response(status: str) -> dict[str, Any]:
    done = status == "completed"
    usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
    return {
        "id": "resp_1",
        "object": "response",
        "status": status,
        "model": "none",
        "output": [_openai_item()] if done else [],
        "usage": usage if done else None,
    }


def _openai_events() -> list[dict[str, Any]]:
    begun = {**_openai_item(), "status": "in_progress", "content": []}
    return [
        {"type": "response.created", "response": _openai_response("in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {
            "type": "response.output_text.delta",
            "item_id": "item_1",
            "output_index": 0,
            "content_index": 0,
            "delta": ANSWER,
        },
        {"type": "response.output_item.done", "output_index": 0, "item": _openai_item()},
        {"type": "response.completed", "response": _openai_response("completed")},
    ]
