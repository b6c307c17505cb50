"""Language models, which nothing needs. `protocol.py` says what one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "LLM",
    "OpenAICompatibleLLM",
    "llm_named",
]

if TYPE_CHECKING:
    from bethink.llms.loading import llm_named
    from bethink.llms.openai_compatible import OpenAICompatibleLLM
    from bethink.llms.protocol import LLM
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.llms.loading": "llm_named",
            "bethink.llms.openai_compatible": "OpenAICompatibleLLM",
            "bethink.llms.protocol": "LLM",
        },
    )
