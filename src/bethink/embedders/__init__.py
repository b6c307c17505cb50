"""Embedders: texts as vectors. `protocol.py` says what one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "MODELS",
    "Embedder",
    "HashingEmbedder",
    "Model",
    "ModelFile",
    "OnnxEmbedder",
    "OpenAICompatible",
    "TwoModels",
    "UseMultilingual",
    "embedder_named",
    "model_named",
]

if TYPE_CHECKING:
    from bethink.embedders.hashing import HashingEmbedder
    from bethink.embedders.loading import embedder_named
    from bethink.embedders.models import MODELS, Model, model_named
    from bethink.embedders.onnx import OnnxEmbedder
    from bethink.embedders.openai_compatible import OpenAICompatible
    from bethink.embedders.protocol import Embedder
    from bethink.embedders.two_models import TwoModels
    from bethink.embedders.use_multilingual import UseMultilingual
    from bethink.models.files import ModelFile
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.embedders.hashing": "HashingEmbedder",
            "bethink.embedders.loading": "embedder_named",
            "bethink.embedders.models": "MODELS Model model_named",
            "bethink.embedders.onnx": "OnnxEmbedder",
            "bethink.embedders.openai_compatible": "OpenAICompatible",
            "bethink.embedders.protocol": "Embedder",
            "bethink.embedders.two_models": "TwoModels",
            "bethink.embedders.use_multilingual": "UseMultilingual",
            "bethink.models.files": "ModelFile",
        },
    )
