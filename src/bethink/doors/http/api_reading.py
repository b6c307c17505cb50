"""Reading an OpenAPI description, for the page that the server shows and for the one in the
documentation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

Schema = dict[str, Any]
_EXAMPLES: dict[str, Any] = {"string": "…", "integer": 1, "number": 0.5, "boolean": True}
_DEEPEST = 6
_FILES = {
    "application/x-ndjson": "memories.jsonl",
    "application/octet-stream": "handbook.pdf",
    "text/csv": "questions.csv",
}


class Field(NamedTuple):
    name: str
    place: str  # path, query, header or body
    kind: str
    needed: bool
    about: str

    @property
    def told(self) -> str:
        return "; ".join(filter(None, ("needed" if self.needed else "", self.about)))


class Operation(NamedTuple):
    name: str
    tag: str
    method: str
    path: str
    summary: str
    said: str
    fields: tuple[Field, ...]
    status: str
    example: Any  # of an answer; None: it is no JSON
    call: str  # as curl is told


def operations(schema: Schema) -> Iterator[Operation]:
    """Every operation, in the order of the routes."""
    for path, methods in schema["paths"].items():
        for method, one in methods.items():
            body = _body(one)
            status = next(code for code in one["responses"] if code.startswith("2"))
            answer = one["responses"][status].get("content", {}).get("application/json", {})
            shape = answer.get("schema")
            yield Operation(
                name=one["operationId"],
                tag=one["tags"][0],
                method=method.upper(),
                path=path,
                summary=one["summary"],
                said=one.get("description", ""),
                fields=(*_parameters(schema, one), *_fields(schema, body.get("schema", {}))),
                status=status,
                example=_example(schema, shape) if shape else None,
                call=_call(schema, method, path, one, body),
            )


def _body(one: Schema) -> Schema:
    content: Schema = one.get("requestBody", {}).get("content", {})
    for media, told in content.items():
        return {"media": media, **told}
    return {}


def _parameters(schema: Schema, one: Schema) -> Iterator[Field]:
    for told in one.get("parameters", ()):
        yield Field(
            told["name"],
            told["in"],
            _kind(schema, told["schema"]),
            told.get("required", False),
            told.get("description", ""),
        )


def _fields(schema: Schema, shape: Schema) -> list[Field]:
    """Those of a body; what is needed first."""
    shape = _resolved(schema, shape)
    needed = shape.get("required", ())
    found = [
        Field(name, "body", _kind(schema, told), name in needed, told.get("description", ""))
        for name, told in shape.get("properties", {}).items()
    ]
    return sorted(found, key=lambda field: not field.needed)


def _kind(schema: Schema, shape: Schema) -> str:
    shape = _resolved(schema, shape)
    if "anyOf" in shape:
        kinds = [_kind(schema, one) for one in shape["anyOf"] if one.get("type") != "null"]
        return " or ".join(kinds)
    if shape.get("type") == "array":
        return f"list of {_kind(schema, shape.get('items', {}))}"
    return str(shape.get("type", "anything"))


def _resolved(schema: Schema, shape: Schema) -> Schema:
    if "$ref" in shape:
        found: Schema = schema["components"]["schemas"][shape["$ref"].rsplit("/", 1)[1]]
        return found
    return shape


def _example(schema: Schema, shape: Schema, depth: int = 0) -> Any:
    shape = _resolved(schema, shape)
    if shape.get("examples"):
        return shape["examples"][0]
    if "enum" in shape:
        return shape["enum"][0]
    if "const" in shape:
        return shape["const"]
    if "anyOf" in shape:
        return _example(schema, shape["anyOf"][0], depth)
    if depth > _DEEPEST:
        return "…"
    if shape.get("type") == "array":
        return [_example(schema, shape.get("items", {}), depth + 1)]
    if shape.get("type") == "object":
        return {
            name: _example(schema, told, depth + 1)
            for name, told in shape.get("properties", {}).items()
        }
    return _EXAMPLES.get(str(shape.get("type")), "…")


def _call(schema: Schema, method: str, path: str, one: Schema, body: Schema) -> str:
    needed = [
        f"{told['name']}={_example(schema, told['schema'])}"
        for told in one.get("parameters", ())
        if told["in"] == "query" and told.get("required")
    ]
    parts = ["curl" if method == "get" else f"curl -X {method.upper()}"]
    parts.append(f"http://127.0.0.1:8321{path}")
    if needed:
        parts += ["--get", *(f"--data-urlencode '{one}'" for one in needed)]
    if one.get("security"):
        parts.append('-H "Authorization: Bearer $KEY"')
    media = body.get("media")
    if media == "application/json":
        shape = _resolved(schema, body["schema"])
        told = {
            name: _example(schema, field)
            for name, field in shape.get("properties", {}).items()
            if name in shape.get("required", ())
        }
        parts.append(f"--json '{json.dumps(told, ensure_ascii=False)}'")
    elif media:
        parts.append(f"-H 'Content-Type: {media}' --data-binary @{_FILES.get(media, 'file')}")
    return " ".join(parts)
