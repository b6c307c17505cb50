"""One entry of frequent questions: what it is, how it is told, and how it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bethink.checks import check_encodable, is_id, shown
from bethink.errors import InvalidInput
from bethink.shelf import made_id
from bethink.text.bare import bare
from bethink.text.faq_layout import FAQ, IN_ID, Span, composed, layout_of
from bethink.vocabulary import Memory

MAX_QUESTION_CHARS = 1_000  # a longer one is a text, and nobody asks it in these words
MAX_QUESTIONS = 500  # similar ones, and as many negative ones
MAX_ANSWERS = 50
FIELDS = ("question", "answers", "similar", "negative", "tags", "id", "enabled", "source")


@dataclass(frozen=True, slots=True, kw_only=True)
class Faq:
    """`similar` are other ways to ask it; `negative` are questions that look alike and that this
    entry does not answer."""

    id: str  # of the memory that holds it
    question: str
    answers: tuple[str, ...]
    similar: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    own_id: str = ""  # under which whoever told it knows it
    source: str = ""
    enabled: bool = True

    def as_data(self) -> dict[str, Any]:
        """JSON-ready, and what `add_faqs` takes."""
        return {
            "id": self.own_id or self.id,
            "question": self.question,
            "similar": list(self.similar),
            "negative": list(self.negative),
            "answers": list(self.answers),
            "tags": list(self.tags),
            "enabled": self.enabled,
        }

    to_dict = as_data


def told_faq(told: Mapping[str, Any], *, space: str, clean: bool) -> Faq:
    """An entry from what somebody told, every field checked; `clean` takes secrets out before it is
    laid out, so that no line is lost with one."""
    if not isinstance(told, Mapping):
        raise InvalidInput(f"expected an object with a 'question', got {type(told).__name__}")
    unknown = [str(key) for key in told if key not in FIELDS]
    if unknown:
        raise InvalidInput(f"unknown field {unknown[0]!r}; known: {', '.join(FIELDS)}")
    question = _question(told.get("question"), "question", clean)
    answers = [_answer(one, clean) for one in _several(told.get("answers"), "answers")]
    answers = [one for one in answers if one]
    if not answers:
        raise InvalidInput("an entry needs an answer; give at least one in 'answers'")
    if len(answers) > MAX_ANSWERS:
        raise InvalidInput(f"{len(answers)} answers are too many; at most {MAX_ANSWERS} fit")
    similar = _questions(told.get("similar"), "similar", clean, besides=(question,))
    negative = _questions(told.get("negative"), "negative", clean, besides=())
    known = {bare(one) for one in (question, *similar)}
    for one in negative:
        if bare(one) in known:
            raise InvalidInput(
                f"{shown(one)} is both a question of the entry and a negative one; keep one of them"
            )
    own_id = _own_id(told.get("id"), space)
    tags = tuple(dict.fromkeys(one.strip() for one in _several(told.get("tags"), "tags")))
    enabled = told.get("enabled")
    if enabled is not None and not isinstance(enabled, bool):
        raise InvalidInput(f"enabled: expected true or false, got {shown(enabled)}")
    source = told.get("source") or ""
    if not isinstance(source, str):
        raise InvalidInput(f"source: expected text, got {shown(source)}")
    return Faq(
        id=faq_id(space, own_id=own_id, question=question),
        question=question,
        answers=tuple(dict.fromkeys(answers)),
        similar=similar,
        negative=negative,
        tags=tuple(filter(None, tags)),
        own_id=own_id,
        source=source,
        enabled=enabled is not False,
    )


def faq_id(space: str, *, own_id: str = "", question: str = "") -> str:
    """The same for the same id, or else for the same question however it is set: told again, an
    entry is changed, not doubled. An id that we gave, as an export has it, stays."""
    if own_id.startswith(f"{space}{IN_ID}"):
        return own_id
    return made_id(space, FAQ, *(("id", own_id) if own_id else ("question", bare(question))))


def as_told(faq: Faq) -> dict[str, Any]:
    """The memory that holds it."""
    text, counts = composed(faq.question, faq.answers, faq.similar, faq.negative)
    if faq.own_id and faq.own_id != faq.id:
        counts["id"] = faq.own_id
    return {
        "id": faq.id,
        "kind": FAQ,
        "text": text,
        "tags": list(faq.tags),
        "source": faq.source,
        "metadata": {"title": faq.question, FAQ: counts},
    }


def faq_of(memory: Memory, *, enabled: bool = True) -> Faq | None:
    """The entry that a memory holds; None where it is none of ours."""
    layout = layout_of(memory)
    if layout is None:
        return None

    def texts(spans: Sequence[Span]) -> tuple[str, ...]:
        return tuple(memory.text[start:end] for start, end in spans)

    told = memory.metadata.get(FAQ)
    own_id = told.get("id") if isinstance(told, Mapping) else None
    return Faq(
        id=memory.id,
        question=texts([layout.question])[0],
        answers=texts(layout.answers),
        similar=texts(layout.similar),
        negative=texts(layout.negative),
        tags=memory.tags,
        own_id=own_id if isinstance(own_id, str) else "",
        source=memory.source,
        enabled=enabled,
    )


def _several(value: object, name: str) -> list[str]:
    if value is None:
        return []
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, Sequence) or not all(isinstance(one, str) for one in several):
        raise InvalidInput(f"{name}: expected a text or a list of texts, got {shown(value)}")
    return list(several)


def _cleaned(text: str, clean: bool) -> str:
    if not clean:
        return text
    from bethink.text.redaction import redact

    return redact(text).text


def _question(value: object, name: str, clean: bool) -> str:
    if value is None:
        raise InvalidInput("an entry needs a 'question'")
    if not isinstance(value, str):
        raise InvalidInput(f"{name}: expected a text, got {shown(value)}")
    line = " ".join(_cleaned(check_encodable(value, name=name), clean).split())
    if not line:
        raise InvalidInput(f"the {name} is empty; write what people ask")
    if len(line) > MAX_QUESTION_CHARS:
        raise InvalidInput(
            f"{name} has {len(line):,} characters; at most {MAX_QUESTION_CHARS:,} fit. "
            "What explains it belongs into an answer"
        )
    return line


def _questions(value: object, name: str, clean: bool, *, besides: Sequence[str]) -> tuple[str, ...]:
    """Each once, however it is set; empty ones are passed over."""
    several = [one for one in _several(value, name) if one.strip()]
    if len(several) > MAX_QUESTIONS:
        raise InvalidInput(f"{name}: {len(several)} are too many; at most {MAX_QUESTIONS} fit")
    known = {bare(one) for one in besides}
    kept: list[str] = []
    for one in several:
        line = _question(one, name, clean)
        if bare(line) not in known:
            known.add(bare(line))
            kept.append(line)
    return tuple(kept)


def _answer(text: str, clean: bool) -> str:
    lines = _cleaned(check_encodable(text, name="answers"), clean).splitlines()
    return "\n".join(line.rstrip() for line in lines).strip()


def _own_id(value: object, space: str) -> str:
    """One that we gave in another space says nothing here: there, the question does."""
    if value is None or value == "":
        return ""
    told = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(told, str) or not is_id(told.strip()):
        raise InvalidInput(
            f"{shown(value)} is no id; use 1 to 256 visible characters without white space"
        )
    told = told.strip()
    return "" if IN_ID in told and not told.startswith(f"{space}{IN_ID}") else told
