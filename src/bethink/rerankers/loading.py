"""From a name in the settings to a reranker. Nothing is loaded or sent until the first question."""

from __future__ import annotations

from pathlib import Path

from bethink.errors import BethinkError, RerankerError
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
    if not (settings.models_path / READER / "model.onnx").is_file():
        return "none"
    return READER if runtime_installed() else "none"


def runtime_installed() -> bool:
    """Return True if a local cross-encoder can be run: the extra `onnx` is installed."""
    from importlib.util import find_spec

    return find_spec("onnxruntime") is not None and find_spec("tokenizers") is not None


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
    if kind == "hf" and what:
        return _from_hub(name, settings.models_path)
    raise RerankerError(
        f"there is no reranker {name!r}; write reader-en, hf:OWNER/NAME, http:MODEL, tei, "
        "onnx:DIRECTORY, auto or none: "
        "bethink config set reranker http:MODEL"
    )


def _from_hub(name: str, models: Path) -> Reranker:
    from bethink.models.hub import recorded
    from bethink.rerankers.cross_encoder import PulledReader

    try:
        reader = recorded(name, models)
    except BethinkError as e:
        raise RerankerError(str(e)) from e
    if reader is None:
        raise RerankerError(f"{name} is not here; get it with: bethink models pull {name}")
    return PulledReader(reader, models, seconds=OWN_SECONDS)
