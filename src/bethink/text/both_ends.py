"""What is read of a question that is longer than any question: its beginning and its end.

Whoever pastes a log asks before it or after it. `docs/how-to/ask.md` says so to the user, and the
answer says it when it happened.
"""

from __future__ import annotations

MAX_QUERY_CHARS = 8_192  # what words read
# What meaning reads: an encoder averages over all it is given, or cuts after 512 tokens.
MAX_MEANING_CHARS = 2_000
_LONGEST_WORD = 64  # so far back a cut looks for white space


def both_ends(text: str, most: int = MAX_QUERY_CHARS) -> str:
    """At most so many characters, half from each end, without a word cut in two."""
    text = text.strip()
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    head, tail = text[:half], text[-half:]
    if not text[half].isspace():
        head = head[:-_LONGEST_WORD] + _until_space(head[-_LONGEST_WORD:])
    if not text[-half - 1].isspace():
        tail = _until_space(tail[_LONGEST_WORD - 1 :: -1])[::-1] + tail[_LONGEST_WORD:]
    return f"{head.rstrip()}\n{tail.lstrip()}"


def _until_space(text: str) -> str:
    """Up to the last white space; all of it where there is none, as in Chinese."""
    at = max((n for n, character in enumerate(text) if character.isspace()), default=len(text))
    return text[:at]
