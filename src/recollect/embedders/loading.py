"""From a name in the settings to an embedder. Nothing is loaded until the first text."""

from __future__ import annotations

from recollect.embedders.models import model_named
from recollect.embedders.protocol import Embedder
from recollect.embedders.two_models import is_pair, joined
from recollect.settings import Settings


def embedder_named(name: str, settings: Settings) -> Embedder | None:
    """The embedder of this name; None for `none`."""
    if name == "none":
        return None
    if name.startswith("openai:"):
        from recollect.embedders.openai_compatible import OpenAICompatible

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
        from recollect.embedders.use_multilingual import UseMultilingual

        return UseMultilingual()
    if model.id == "hashing":
        from recollect.embedders.hashing import HashingEmbedder

        return HashingEmbedder()
    from recollect.embedders.onnx import OnnxEmbedder

    return OnnxEmbedder(model, settings.models_path)
