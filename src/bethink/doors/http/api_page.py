"""/docs: the API as a page of our own. The usual pages load their scripts from elsewhere: a server
without network would have none, and with network somebody would learn who reads it."""

from __future__ import annotations

import html
import json
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from bethink.doors.http.api_reading import Operation, operations

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
code, pre { font: 14px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: #8881; overflow-x: auto; padding: .75rem; white-space: pre-wrap; }
details { border: 1px solid #8884; border-radius: .4rem; margin: .4rem 0; padding: .4rem .75rem; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 1px solid #8884; padding: .25rem .75rem .25rem 0; text-align: left;
  vertical-align: top; }
"""


def add_api_page(app: FastAPI) -> None:
    made: list[str] = []

    async def page(request: Request) -> Response:
        if not made:
            made.append(page_of(app.openapi()))
        return HTMLResponse(
            made[0],
            headers={
                "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
                "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            },
        )

    app.add_route("/docs", page, methods=["GET"], include_in_schema=False)


def page_of(schema: dict[str, Any]) -> str:
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(schema['info']['title'])}: REST</title><style>{_STYLE}</style>",
        f"<h1>{_text(schema['info']['title'])} {_text(schema['info']['version'])}</h1>",
        _paragraphs(schema["info"]["description"]),
        '<p>For programs: <a href="/openapi.json">openapi.json</a></p>',
    ]
    for tag in schema["tags"]:
        parts.append(f"<h2>{_text(tag['name'])}</h2>{_paragraphs(tag['description'])}")
        parts += [_operation(one) for one in operations(schema) if one.tag == tag["name"]]
    return "\n".join(parts)


def _operation(one: Operation) -> str:
    parts = [
        f"<details id={_quoted(one.name)}><summary><b>{one.method}</b> <code>{_text(one.path)}"
        f"</code> {_text(one.summary)}</summary>{_paragraphs(one.said)}"
    ]
    if one.fields:
        rows = "".join(
            f"<tr><td><code>{_text(field.name)}</code><td>{_text(field.place)}"
            f"<td>{_text(field.kind)}<td>{_text(field.told)}"
            for field in one.fields
        )
        parts.append(f"<table><tr><th>name<th>in<th>type<th>{rows}</table>")
    parts.append(f"<pre>{_text(one.call)}</pre>")
    if one.example is not None:
        shown = json.dumps(one.example, ensure_ascii=False, indent=2)
        parts.append(f"<p>Answer {one.status}:</p><pre>{_text(shown)}</pre>")
    return "".join(parts) + "</details>"


def _paragraphs(told: str) -> str:
    """Our own Markdown has nothing but paragraphs and code."""
    found = []
    for paragraph in filter(None, told.split("\n\n")):
        pieces = _text(paragraph).split("`")
        found.append(
            "".join(
                f"<code>{piece}</code>" if number % 2 else piece
                for number, piece in enumerate(pieces)
            )
        )
    return "".join(f"<p>{one}</p>" for one in found)


def _text(told: str) -> str:
    return html.escape(told, quote=False)


def _quoted(told: str) -> str:
    return f'"{html.escape(told)}"'
