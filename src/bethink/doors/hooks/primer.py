"""When a session starts: what memory there is, how to use it, what stands open. Short: it is paid
for in every session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bethink.clock import system_clock
from bethink.doors.hooks import log
from bethink.doors.hooks.inject import spaces_here
from bethink.doors.hooks.label import PRIMER, STANDING, Item, labelled, language_of
from bethink.errors import BethinkError
from bethink.vocabulary import Memory

if TYPE_CHECKING:
    from bethink.engine import Engine

MOST = 3_000  # characters
_EACH_KIND = 5  # of the newest
_KINDS = ("instruction", "task")
_SURE = 0.8  # what somebody was not sure of is no standing instruction
_SYNC_SECONDS = 1.0

HOW = {
    "en": """\
Bethink is this machine's memory across sessions: {known}.
- Look up before you ask or guess: bethink recall "QUESTION" --preset skill --format model --quiet
- Remember what will matter later: bethink remember "ONE FACT" --kind decision|preference|\
instruction|pattern|task
- Memories that bear on a prompt are put beside it by themselves; the ids in brackets are for \
bethink get ID.""",
    "zh": """\
Bethink 是这台机器跨会话的记忆：{known}。
- 先查再问、再猜：bethink recall "问题" --preset skill --format model --quiet
- 记下以后用得上的：bethink remember "一件事" --kind decision|preference|instruction|pattern|task
- 与提问有关的记忆会自动附上；方括号里的编号可用于 bethink get 编号。""",
}


def primer(engine: Engine) -> tuple[str, str]:
    """The text, and what the log says."""
    behind = _read_books(engine)
    known = {info.name: info.memories for info in engine.spaces()}
    here = {name: known[name] for name in spaces_here(engine) if known.get(name)}
    if not here:
        return "", "silent: nothing is remembered here yet"
    open_now = list(_open(engine, list(here)))
    chinese = sum(language_of(memory.text) == "zh" for memory in open_now)
    language = "zh" if chinese * 2 > len(open_now) else "en"
    counted = ", ".join(f"{name}: {count:,}" for name, count in here.items())
    how = f"<{PRIMER}>\n{HOW[language].format(known=counted)}\n</{PRIMER}>"
    items = (Item(f"{memory.id} {memory.kind}", memory.text, memory.id) for memory in open_now)
    most = MOST - len(how) - 1
    block = labelled(items, language=language, most=most, notice=STANDING)
    outcome = f"a primer, open items: {len(open_now)}"
    return "\n".join(filter(None, (how, block))), "; ".join(filter(None, (outcome, behind)))


def _read_books(engine: Engine) -> str:
    """What the person wrote since, within a bound; what the log says if that was not enough."""
    try:
        books = engine.books
        if books is None or not books.of_spaces(spaces_here(engine)):
            return ""
        report = engine.sync(spaces=spaces_here(engine), within=_SYNC_SECONDS)
    except BethinkError as e:
        return f"the notebook was not read: {log.why(e)}"
    return "" if report.complete else f"the notebook was not read in {_SYNC_SECONDS:g} s"


def _open(engine: Engine, spaces: list[str]) -> Iterator[Memory]:
    """Standing instructions and tasks that are not done, the newest first."""
    now = system_clock()
    for kind in _KINDS:
        page = engine.list(spaces=spaces, where={"kind": kind}, limit=_EACH_KIND * 4)
        still = (
            memory
            for memory in page.memories
            if (memory.confidence >= _SURE or _users_own_words(memory))
            and memory.verified
            and not memory.metadata.get("done")
            and (memory.valid_to is None or memory.valid_to > now)
        )
        for memory, _ in zip(still, range(_EACH_KIND), strict=False):
            yield memory


def _users_own_words(memory: Memory) -> bool:
    """Captured by a hook from what the user said. Nobody reviewed it, but nobody else said it."""
    return memory.provenance.get("by") == "hook" and memory.role == "user"
