"""From a name in the settings to an embedder. Nothing is loaded until the first text."""

from __future__ import annotations

from bethink.embedders.models import model_named
from bethink.embedders.protocol import Embedder
from bethink.embedders.two_models import is_pair, joined
from bethink.settings import Settings


def embedder_named(name: str, settings: Settings) -> Embedder | None:
    """The embedder of this name; None for `none`."""
    if name == "none":
        return None
    if name.startswith("openai:"):
        from bethink.embedders.openai_compatible import OpenAICompatible

        return OpenAICompatible(
            name.removeprefix("openai:"),
            endpoint=settings.endpoint,
            key=settings.endpoint_key,
            dimension=settings.endpoint_dimension,
        )
    if is_pair(name):
        return joined(name, lambda one: embedder_named(one, settings))
    model = model_named(name)
    if model.id == "use-m":
        from bethink.embedders.use_multilingual import UseMultilingual

        return UseMultilingual()
    if model.id == "hashing":
        from bethink.embedders.hashing import HashingEmbedder

        return HashingEmbedder()
    from bethink.embedders.onnx import OnnxEmbedder

    return OnnxEmbedder(model, settings.models_path)
