"""What both languages need: tokens, terms, time phrases, redaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "Redacted",
    "TimePhrase",
    "count_tokens",
    "find_time_phrases",
    "identifiers",
    "query_terms",
    "redact",
    "terms",
]

if TYPE_CHECKING:
    from bethink.text.redaction import Redacted, redact
    from bethink.text.time_phrases import TimePhrase, find_time_phrases
    from bethink.text.tokenise import identifiers, query_terms, terms
    from bethink.text.tokens import count_tokens
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.text.redaction": "Redacted redact",
            "bethink.text.time_phrases": "TimePhrase find_time_phrases",
            "bethink.text.tokenise": "identifiers query_terms terms",
            "bethink.text.tokens": "count_tokens",
        },
    )
