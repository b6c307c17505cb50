"""The page of docs/ from measured figures.

python -m benchmarks.poison.page poison.json > docs/reference/poisoning.md
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.figures import print_page
from benchmarks.poison.report import alarms_table, detectors_table, harm_table, reached_table

_HEAD = """# Poisoning

How far a text gets that somebody slipped in, measured through the engine: what it holds of the
first five hits, in each tier and with each defence, in English and in Chinese.

    python -m benchmarks.poison --data DIR --questions 60 --out poison.json
    python -m benchmarks.poison.page poison.json > docs/reference/poisoning.md

The victims are the parallel sets (100 memories each). The injected texts are in
`benchmarks/poison/injected.jsonl`; the adaptive ones are made from the questions themselves, so
that they win by words and by meaning. No offer is too short here: lengths protect nobody.

- **quarantine**: offered and refused. Nothing there can be found, by any preset.
- **working**: offered by a stranger, admitted unless the detectors held it. Only presets that read
  working memory (`workflow`) see it; that one hands out all of it by default, and here
  nobody else had offered anything. Without detectors: what they held was let in by hand.
- **by rule**: three strangers say the same from three places, and `promotion = "by-rule"`. It is
  unverified, so `unverified_share` bounds it (0.5 by default).
- **unverified, nothing checked**: the same without detectors and without a look at what is known.
- **a fooled reviewer** promotes everything: then it is verified, and nothing holds it back.
"""

_DETECTORS = """
## What the detectors hold

They sort, they do not judge: what they hold waits for a person. A plain lie has no sign, so they
cannot see **false facts** and **sybils** (the same lie in several wordings). The half that is held
out was written before any rule and no rule was changed for it, but by the same hand. Sentences of
another author fared far worse at first (`benchmarks/LOG.md`): expect that of any attacker.
"""

_ALARMS = """
Real memories that would be held for nothing, or nearly (some do hold orders to a model). The rules
were corrected on these sets, so elsewhere expect more:
"""

_REACHED = """
## How much of the top five they hold

`false fact` and `sybil` are measured on the questions that they lie about, the others on all.
"""

_HARM = """
## What it does to an answer

For texts that mimic the question, the strongest here. The share bounds how many unverified hits
there are and makes room for the right memory; it does not bound where they stand. Each is labelled
as unverified wherever it is shown.
"""


def page(measured: Mapping[str, Any]) -> str:
    before, reached = measured["before"], measured["reached"]
    parts = [_HEAD, _DETECTORS, detectors_table(measured["detectors"])]
    if measured["alarms"]:
        parts += [_ALARMS, alarms_table(measured["alarms"])]
    parts += [_REACHED, reached_table(reached), _HARM, harm_table(reached, before)]
    return "\n".join(parts) + "\n"


def main(arguments: Sequence[str]) -> int:
    return print_page(page, __doc__, arguments)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
