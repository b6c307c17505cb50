"""The page of docs/ from measured figures.

python -m benchmarks.knowledge.followups_page followups.json > docs/reference/followups-quality.md
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.knowledge.followups import WAYS, lines

_HEAD = """# Follow-ups: what making them whole is worth

Dialogues about small knowledge bases in English and in Chinese (`benchmarks/sets/followups`): a
turn or two, then a follow-up such as "and in Germany?" or 那第二个呢？, and the section that
answers it. The bases are small (76 and 66 sections): hit@1 tells more than R@5. Found by
the preset `knowledge` with the default embedder, without a language model.

    python -m benchmarks.knowledge.followups --data DIR --json followups.json
    python -m benchmarks.knowledge.followups_page followups.json > PAGE

- **as asked**: the follow-up alone, as if nothing had been said before.
- **references**: the same, and what earlier turns referred to joins the candidates.
- **rewritten**: made whole by rules first. **both**: as `base.search(…, history=…)` does it.
- **hit@1**: the section stands first. **R@5**: it is among the first five.

One hand wrote dialogues and rules. The rules were made on `dev`; what the first run on `held-out`
showed was mended too, so it is no longer unseen: `benchmarks/LOG.md` has the figures before that.
"""
_KINDS = """
## By kind of follow-up

All dialogues; R@5.
"""
_HARM = """
## Questions that stand by themselves

They must not be changed. Those of `alone` were written for this; the other sets are questions of
other people, each asked after another one of its set and an answer with a list. Some of these do
lean on a text that nobody named (为什么该站称作北土城站？), and a few are turns of a chat.
The first run changed 222 questions of `locomo_turn_dev` ("when did John get his dog?") and 82 of
`realmem_dev`; the rules were mended on them, so these are no unseen figures either.
"""


def page(told: dict[str, Any]) -> str:
    dialogues = told["dialogues"]
    parts = [_HEAD, *lines(dialogues), _KINDS, *_kinds(dialogues), _HARM, *_harm(told)]
    return "\n".join(parts) + "\n"


def _kinds(dialogues: list[dict[str, Any]]) -> list[str]:
    rows = ["| kind | dialogues | " + " | ".join(WAYS) + " |", "|---|---|" + "---|" * len(WAYS)]
    for kind in sorted({kind for one in dialogues for kind in one["kinds"]}):
        own = [one["kinds"][kind] for one in dialogues if kind in one["kinds"]]
        count = sum(one["count"] for one in own)
        shares = (sum(one[way] * one["count"] for one in own) / count for way in WAYS)
        rows.append(f"| {kind} | {count} | " + " | ".join(f"{s:.3f}" for s in shares) + " |")
    return rows


def _harm(told: dict[str, Any]) -> list[str]:
    rows = ["| questions | of them changed |", "|---|---|"]
    for one in told["dialogues"]:
        changed = round(one["harmed"] * one["alone"])
        rows.append(f"| alone, {one['language']}, {one['split']}: {one['alone']} | {changed} |")
    rows += [f"| {o['set']}: {o['questions']:,} | {o['changed']} |" for o in told["elsewhere"]]
    return rows


if __name__ == "__main__":
    print(page(json.loads(Path(sys.argv[1]).read_text("utf-8"))), end="")
