"""What a setting of text may hold. Asked when one is set, and by `doctor`: a value from a file or a
variable must not keep anybody from remembering, so loading takes it and its first use says it."""

from __future__ import annotations

import os
from pathlib import Path

from bethink.addresses import is_server
from bethink.errors import BethinkError, MissingExtra
from bethink.settings import Loaded, Settings, is_embedder, no_such_embedder


def fault_of(name: str, value: object) -> str:
    """What is wrong with this value; nothing, if it will do."""
    if name == "retrievers":
        return _no_retrievers(value)
    if not isinstance(value, str) or not value:
        return ""
    try:
        return _fault(name, value)
    except BethinkError as e:
        return str(e)


def _fault(name: str, value: str) -> str:
    kind, _, what = value.partition(":")
    if name == "timezone":
        _ = Settings(timezone=value).zone
    elif name == "space":
        from bethink.checks import check_space

        check_space(value)
    elif name == "routes":
        from bethink.recall.route_table import read_routes

        read_routes(Path(value).expanduser())
    elif name == "embedder" and not is_embedder(value):
        return no_such_embedder(value)
    elif name == "llm" and value != "none" and not (kind == "openai" and what):
        return f"there is no language model {value!r}; write openai:MODEL, or none"
    elif name == "reranker" and kind == "hf":
        from bethink.models.hub import check_hub_name

        check_hub_name(value)
    elif (
        name == "reranker"
        and value not in ("auto", "none", "tei", "reader-en")
        and not (kind in ("http", "onnx") and what)
    ):
        return (
            f"there is no reranker {value!r}; write reader-en, hf:OWNER/NAME, http:MODEL, tei, "
            "onnx:DIRECTORY, auto or none"
        )
    elif name.endswith("endpoint") and not value.lower().startswith(("http://", "https://")):
        return f"{name} must be an address like https://example.org/v1"
    elif name == "hot":
        from bethink.hot import check_hot

        check_hot(value)
    elif name == "store" and is_server(value):  # refuses what is nearly an address
        _check_server(value)
    elif name in ("store", "models"):
        return _no_place(name, Path(value).expanduser())
    return ""


def _check_server(address: str) -> None:
    from bethink.stores.postgres.address import parse_address

    try:
        parse_address(address)
    except ModuleNotFoundError:  # whose parameters are known there
        raise MissingExtra("a store on PostgreSQL", "postgres") from None


def _no_retrievers(value: object) -> str:
    from bethink.settings import typed
    from bethink.stores.retriever_address import parse_address

    try:
        for address in typed("retrievers", value, "retrievers"):
            parse_address(address)
    except BethinkError as e:
        return str(e)
    return ""


def _no_place(name: str, path: Path) -> str:
    if name == "store" and os.path.isdir(path):
        return f"{path} is a directory; name a file"
    if name == "models" and os.path.exists(path) and not os.path.isdir(path):
        return f"{path} is no directory"
    return ""


def faults(loaded: Loaded) -> list[str]:
    """Every setting in force that cannot be used, with where it was set."""
    found = []
    for name, origin in loaded.origins.items():
        if origin != "default" and (why := fault_of(name, getattr(loaded.settings, name))):
            found.append(f"{origin}: {name}: {why.removeprefix(f'{name}: ')}")
    return found
