"""JSON schemas for models: without what only people and programs that write code need. Every word
of a tool list is paid for in every conversation."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, TypeAdapter


def input_schema(kind: type[BaseModel]) -> dict[str, Any]:
    """null is taken for saying nothing, but need not be offered: leaving out is shorter."""
    schema = _plain(kind.model_json_schema())
    assert isinstance(schema, dict)
    schema.pop("description", None)
    schema["properties"] = {
        name: _optional(field) for name, field in schema.get("properties", {}).items()
    }
    return schema


def output_schema(kind: Any) -> dict[str, Any]:
    schema = _plain(TypeAdapter(kind).json_schema(mode="serialization"))
    assert isinstance(schema, dict)
    return schema


def _optional(field: dict[str, Any]) -> dict[str, Any]:
    options = [option for option in field.get("anyOf", ()) if option != {"type": "null"}]
    if len(options) != 1:
        return field
    rest = {name: value for name, value in field.items() if name not in ("anyOf", "default")}
    return {**options[0], **rest}


def _plain(schema: Any, *, names: bool = False) -> Any:
    """Without titles, which repeat the names. `names`: the keys are those of fields."""
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _plain(value, names=not names and key in ("properties", "$defs"))
        for key, value in schema.items()
        if names or key != "title" or not isinstance(value, str)
    }
