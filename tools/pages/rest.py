"""Write the reference page of REST from the routes themselves:

python -m tools.pages.rest > docs/reference/rest.md
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bethink.doors.http.api_reading import Operation, operations

_INTRO = """\
# REST

Made from the routes by `python -m tools.pages.rest`; a test keeps it true. A running
server shows the same at `/docs`, without any network, and for programs at `/openapi.json`. How to
run one: [A server for a team](../how-to/team-server.md).

**Keys.** `Authorization: Bearer bk_…`. Tenant, spaces and scopes come from the key alone. `/`,
`/docs`, `/openapi.json`, `/version`, `/health/live` and `/health/ready` need none.

**Errors** are problem details (`application/problem+json`): `type`, `title`, `status`, `detail` in
plain words, and a stable `code`, the one of [Errors](errors.md). 422 also lists its `faults`.

| status | when |
|---|---|
{statuses}

**Writes** take an `Idempotency-Key` of 1 to 255 characters, such as a UUID. Sent again within a day
with the same key, a write is not done again: the answer is that of the first, with the header
`Idempotency-Replayed: true`. The same key with another request is a conflict. A write that was cut
off where nobody can know whether it was done is done again only if that is harmless; else you are
told to look.

**Pages.** Lists give a `cursor`; send it to get the next page. `null` means that this is the last.

**Names in a path** are percent-encoded; a slash in an id or a space is sent as `%2F`.

**Limits.** A body has at most {bytes:,} bytes, a document {document_bytes:,}; the first word
of an answer comes within {seconds:g} seconds (504 else; a write that was begun is finished). A key
has {per_minute} requests a minute unless it was made with others; then 429 with `Retry-After`.
Parameters and fields that nobody knows are errors. Every answer has an `X-Request-Id`, under which
the server's log tells of a 500 or 503: where the store is stands only there.

## Live events

Over a WebSocket at `/ws/events`. The first message says who asks for what; each may be left out:

```json
{{"key": "bk_…", "after": 0, "kinds": ["tier_change"]}}
```

Programs may send the key as a header instead; it never goes into the address. Without `after` it
begins now, with `0` at the oldest that is kept. Then every event is one message of JSON, as
`GET /v1/events` lists them; what they hold: [Events](events.md). Nothing more is expected back.
Close codes: 4400 the first message is wrong, 4401 no key or one that does not hold (any more), 4403
it may not read, 4429 too many, 4503 the store, 1001 and 1012 the server goes down. As Server-Sent
Events the same is at `/v1/events/stream`; with `Last-Event-ID` nothing is missed after a break.

"""


def page() -> str:
    from bethink.access.rates import PER_MINUTE
    from bethink.doors.http.limits import MOST_BYTES, MOST_DOCUMENT_BYTES, MOST_SECONDS
    from bethink.doors.http.routing import WRONG

    schema = _schema()
    statuses = "\n".join(f"| {status} | {said} |" for status, said in WRONG.items())
    intro = _INTRO.format(
        statuses=statuses,
        bytes=MOST_BYTES,
        document_bytes=MOST_DOCUMENT_BYTES,
        seconds=MOST_SECONDS,
        per_minute=PER_MINUTE,
    )
    parts = [intro.rstrip() + "\n"]
    for tag in schema["tags"]:
        parts.append(f"## {tag['name'].capitalize()}\n\n{tag['description']}\n")
        parts += ["\n".join(_section(one)) for one in operations(schema) if one.tag == tag["name"]]
    return "\n".join(parts)


def _schema() -> dict[str, Any]:
    from bethink.access.reception import Reception
    from bethink.doors.http.app import create_app
    from bethink.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(store=str(Path(folder, "memory.db")), embedder="none")
        with Reception(settings) as reception:
            return create_app(reception).openapi()


def _section(one: Operation) -> Iterator[str]:
    yield f"### {one.method} {one.path}\n"
    yield f"{one.summary}. {one.said}".strip().replace("\n", " ") + "\n"
    if one.fields:
        yield "| name | in | type | |\n|---|---|---|---|"
        for field in one.fields:
            yield f"| `{field.name}` | {field.place} | {field.kind} | {field.told} |"
        yield ""
    yield f"```text\n{one.call}\n```\n"
    if one.example is not None:
        shown = json.dumps(one.example, ensure_ascii=False)
        yield f"Answers {one.status}:\n\n```json\n{shown}\n```\n"


if __name__ == "__main__":
    sys.stdout.write(page())
