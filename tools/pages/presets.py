"""Write the reference page of the presets from the code:

python -m tools.pages.presets > docs/reference/presets.md
"""

from __future__ import annotations

import re
import sys

from bethink.recall.draft import Stage
from bethink.recall.preset_outline import outline, steps
from bethink.recall.presets import PRESETS, PURPOSES

_INTRO = """\
# Presets

Made from the code by `python -m tools.pages.presets`; a test keeps it true.

A preset is an ordered list of stages: `bethink recall "…" --preset NAME`, or
`engine.recall("…", preset="name")`. `bethink presets` prints this list. A preset may bring a
limit, a budget and a share of its own (how much of an answer may be unverified); they hold where
neither the caller nor the settings name others. Any list of stages makes a preset of your own: see
[Ask](../how-to/ask.md).
"""


def summary(stage: Stage) -> str:
    """The first sentence of what its class, or else its file, says of it."""
    made = type(stage)
    told = made.__doc__ or ""
    if not told or told.startswith(f"{made.__name__}("):  # a dataclass without a word of its own
        told = sys.modules[made.__module__].__doc__ or ""
    paragraph = " ".join(told.strip().split("\n\n")[0].split())
    return re.split(r"(?<=[.。]) ", paragraph)[0].rstrip(":.") + "."


def page() -> str:
    parts = [_INTRO]
    every: dict[str, Stage] = {}
    for preset in PRESETS.values():
        lines = "\n".join(outline(preset))
        parts.append(f"## {preset.name}\n\n{PURPOSES[preset.name]}\n\n```text\n{lines}\n```\n")
        every |= {type(one).__name__: one for _, stages in steps(preset) for one in stages}
    rows = "\n".join(
        f"| `{name}` | `{type(stage).__module__}` | {summary(stage)} |"
        for name, stage in sorted(every.items())
    )
    parts.append(f"## Stages\n\n| stage | module | what it does |\n|---|---|---|\n{rows}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(page())
