"""From a name in the settings to a reranker. Nothing is loaded or sent until the first question."""

from __future__ import annotations

from pathlib import Path

from bethink.errors import RerankerError
from bethink.rerankers.models import READER, reader_named
from bethink.rerankers.protocol import Reranker
from bethink.settings import Settings

AUTO = "auto"
# What one question may take. 10 turns of a conversation take about 100 ms on one core.
READ_SECONDS = 0.15
# A model of your own may be larger: you chose it, so it has more of the recall's deadline.
OWN_SECONDS = 1.0


def chosen_reranker(name: str, settings: Settings) -> str:
    """`auto` is the reader of the registry if it was pulled and can be loaded, else none."""
    if name != AUTO:
        return name
    from importlib.util import find_spec

    if not (settings.models_path / READER / "model.onnx").is_file():
        return "none"
    installed = find_spec("onnxruntime") is not None and find_spec("tokenizers") is not None
    return READER if installed else "none"


def reranker_named(name: str, settings: Settings) -> Reranker | None:
    """The reranker of this name; None for `none`."""
    name = chosen_reranker(name, settings)
    if name in ("", "none"):
        return None
    reader = reader_named(name)
    if reader is not None:
        from bethink.rerankers.cross_encoder import PulledReader

        return PulledReader(reader, settings.models_path, seconds=READ_SECONDS)
    kind, _, what = name.partition(":")
    if (kind == "http" and what) or name == "tei":
        from bethink.rerankers.http import HttpReranker

        return HttpReranker(
            what, endpoint=settings.reranker_endpoint, key=settings.reranker_key, tei=name == "tei"
        )
    if kind == "onnx" and what:
        from bethink.rerankers.cross_encoder import CrossEncoder

        return CrossEncoder(Path(what).expanduser(), seconds=OWN_SECONDS)
    raise RerankerError(
        f"there is no reranker {name!r}; write reader-en, http:MODEL, tei, onnx:DIRECTORY, "
        "auto or none: "
        "bethink config set reranker http:MODEL"
    )
