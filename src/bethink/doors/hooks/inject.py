"""When a prompt is sent: the few memories that bear on it, or silence, by the preset `skill`."""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING

from bethink.doors.hooks import log
from bethink.doors.hooks.label import Item, labelled, language_of
from bethink.doors.hooks.work import RECALL_SECONDS
from bethink.errors import UnknownSpace
from bethink.recall.render import UNCERTAIN_LABEL
from bethink.recall.unverified import LABEL
from bethink.vocabulary import GLOBAL_SPACE, Hit, Recollection, Status

if TYPE_CHECKING:
    from bethink.engine import Engine

PRESET = "skill"
AT_MOST = 3  # the preset's own limit, whatever the settings say of other questions
_AGREES = (
    "yes|yep|yeah|no|ok|okay|sure|fine|right|correct|please|go ahead|do it|go on|continue|proceed|"
    "keep going|carry on|next|thanks|thank you|thx|great|good|nice|perfect|cool|lgtm|looks good|"
    "sounds good|that works|well done|try again|again|"
    "好的|好|嗯|行|可以|对|是的|没错|没问题|继续|接着来|接着|下一步|就这么做|就这样|就这么办|照做|"
    "谢谢|多谢|辛苦了|不错|很好|完美|再试一次|再来一次|ok"
)
_SAY_WHY = (Status.DEGRADED, Status.STALE, Status.UNAVAILABLE, Status.DISABLED)


def inject(engine: Engine, prompt: str) -> tuple[str, str]:
    """The labelled memories, and what the log says."""
    if not prompt.strip():
        return "", "silent: the prompt is empty"
    if asks_for_nothing(prompt):
        return "", "silent: the prompt only agrees"
    answer = recalled(engine, prompt)
    language = language_of(prompt)
    marks = () if answer.status is not Status.UNCERTAIN else (UNCERTAIN_LABEL[language],)
    items = (_item(hit, engine.settings.zone, language, marks) for hit in answer.hits)
    context = labelled(items, language=language)
    outcome = f"memories: {len(answer.hits)}" if answer.hits else f"silent: {answer.status.value}"
    if answer.status in _SAY_WHY or log.is_full():  # others may quote the question
        outcome += f"; {answer.status.value}: {'; '.join(answer.reasons)}"
    return context, outcome


def asks_for_nothing(prompt: str) -> bool:
    """Whether the prompt only agrees or thanks: what it goes on with is known already."""
    import re

    words = re.sub(r"[\s,.!?;，。！？、；~～]+", " ", prompt.casefold()).strip()
    return re.fullmatch(rf"(?:(?:{_AGREES}) ?){{1,6}}", words) is not None


def recalled(engine: Engine, prompt: str) -> Recollection:
    def ask(spaces: list[str]) -> Recollection:
        return engine.recall(
            prompt,
            spaces=spaces,
            preset=PRESET,
            limit=AT_MOST,
            deadline=RECALL_SECONDS,
            meaning=engine.settings.embedder != "none",  # nothing of it is then loaded
        )

    wanted = spaces_here(engine)
    try:
        return ask(wanted)
    except UnknownSpace:  # nothing was ever told in one of them
        known = {info.name for info in engine.spaces()}
        return ask([name for name in wanted if name in known] or [GLOBAL_SPACE])


def spaces_here(engine: Engine) -> list[str]:
    """The project's own, and what holds everywhere."""
    return list(dict.fromkeys((engine.settings.space, GLOBAL_SPACE)))


def _item(hit: Hit, zone: tzinfo, language: str, marks: tuple[str, ...] = ()) -> Item:
    """With the day as the user counts it: what was said at one in the morning was said that day."""
    memory = hit.memory
    day = (memory.occurred_at or memory.updated_at).astimezone(zone).date().isoformat()
    shown = hit.score if hit.relevance is None else hit.relevance
    about = f"{memory.id} {memory.kind} {day} relevance {shown:.2f}"
    if not memory.verified:
        marks = (LABEL[language], *marks)
    about = " ".join((about, *marks))
    return Item(about, hit.text, memory.id, part=len(hit.text.strip()) < len(memory.text.strip()))
