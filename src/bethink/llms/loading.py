"""From a name in the settings to a language model. Nothing is sent until the first question."""

from __future__ import annotations

from bethink.errors import LLMError
from bethink.llms.protocol import LLM
from bethink.settings import Settings


def llm_named(name: str, settings: Settings) -> LLM | None:
    """The model of this name; None for `none`."""
    if name in ("", "none"):
        return None
    if not name.startswith("openai:") or name == "openai:":
        raise LLMError(
            f"there is no language model {name!r}; write openai:MODEL, or none: "
            "bethink config set llm openai:MODEL"
        )
    from bethink.llms.openai_compatible import OpenAICompatibleLLM

    # a key goes only to the address that it was set for
    own = bool(settings.llm_endpoint)
    return OpenAICompatibleLLM(
        name.removeprefix("openai:"),
        endpoint=settings.llm_endpoint if own else settings.endpoint,
        key=settings.llm_endpoint_key if own else settings.endpoint_key,
    )
