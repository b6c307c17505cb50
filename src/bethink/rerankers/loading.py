"""From a name in the settings to a reranker. Nothing is loaded or sent until the first question."""

from __future__ import annotations

from pathlib import Path

from bethink.errors import RerankerError
from bethink.rerankers.protocol import Reranker
from bethink.settings import Settings


def reranker_named(name: str, settings: Settings) -> Reranker | None:
    """The reranker of this name; None for `none`."""
    if name in ("", "none"):
        return None
    kind, _, what = name.partition(":")
    if (kind == "http" and what) or name == "tei":
        from bethink.rerankers.http import HttpReranker

        return HttpReranker(
            what, endpoint=settings.reranker_endpoint, key=settings.reranker_key, tei=name == "tei"
        )
    if kind == "onnx" and what:
        from bethink.rerankers.cross_encoder import CrossEncoder

        return CrossEncoder(Path(what).expanduser())
    raise RerankerError(
        f"there is no reranker {name!r}; write http:MODEL, tei, onnx:DIRECTORY or none: "
        "bethink config set reranker http:MODEL"
    )
