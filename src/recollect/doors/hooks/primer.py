"""When a session starts: what memory there is, how to use it, what stands open. Short: it is paid
for in every session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.clock import system_clock
from recollect.doors.hooks.inject import spaces_here
from recollect.doors.hooks.label import PRIMER, Item, labelled, language_of
from recollect.vocabulary import Memory

if TYPE_CHECKING:
    from recollect.engine import Engine

MOST = 3_000  # characters
_EACH_KIND = 5  # of the newest
_KINDS = ("instruction", "task")

_HOW = {
    "en": """\
Recollect is this machine's memory across sessions: {known}.
- Look up before you ask or guess: recollect recall "QUESTION" --preset skill --format model
- Remember what will matter later: recollect remember "ONE FACT" --kind decision|preference|\
instruction|pattern|task
- Memories that bear on a prompt are put beside it by themselves; the ids in brackets are for \
recollect get ID.""",
    "zh": """\
Recollect 是这台机器跨会话的记忆：{known}。
- 先查再问、再猜：recollect recall "问题" --preset skill --format model
- 记下以后用得上的：recollect remember "一件事" --kind decision|preference|instruction|pattern|task
- 与提问有关的记忆会自动附上；方括号里的编号可用于 recollect get 编号。""",
}


def primer(engine: Engine) -> tuple[str, str]:
    """The text, and what the log says."""
    known = {info.name: info.memories for info in engine.spaces()}
    here = {name: known[name] for name in spaces_here(engine) if known.get(name)}
    if not here:
        return "", "silent: nothing is remembered here yet"
    open_now = list(_open(engine, list(here)))
    chinese = sum(language_of(memory.text) == "zh" for memory in open_now)
    language = "zh" if chinese * 2 > len(open_now) else "en"
    counted = ", ".join(f"{name}: {count:,}" for name, count in here.items())
    how = f"<{PRIMER}>\n{_HOW[language].format(known=counted)}\n</{PRIMER}>"
    items = (Item(f"{memory.id} {memory.kind}", memory.text, memory.id) for memory in open_now)
    block = labelled(items, language=language, most=MOST - len(how) - 1)
    return "\n".join(filter(None, (how, block))), f"a primer, open items: {len(open_now)}"


def _open(engine: Engine, spaces: list[str]) -> Iterator[Memory]:
    """Standing instructions and tasks that are not done, the newest first."""
    now = system_clock()
    for kind in _KINDS:
        page = engine.list(spaces=spaces, where={"kind": kind}, limit=_EACH_KIND * 4)
        still = (
            memory
            for memory in page.memories
            if not memory.metadata.get("done") and (not memory.valid_to or memory.valid_to > now)
        )
        for memory, _ in zip(still, range(_EACH_KIND), strict=False):
            yield memory
