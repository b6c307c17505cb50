"""The page of docs/ from measured files.

python -m benchmarks.knowledge.documents_page documents.json [MORE.json] [search_speed.json] \\
    > docs/reference/knowledge-quality.md
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_NAMES = {
    "python": "CPython 3.11, English",
    "bethink": "these docs, English",
    "debian": "Debian, Chinese",
}
_HEAD = """# Knowledge quality

How well a knowledge base finds the section that answers, in documents that were written for people:
the documentation of CPython 3.11 (HTML), these docs (Markdown), and the Debian reference with the
Debian Edu manual in Chinese (HTML). Questions are asked as people ask them; each names the sections
that answer it, or none. `benchmarks/sets/documents` has them, and says where the documents are.

    python -m benchmarks.knowledge.documents --docs bethink=docs,README.md python=DIR \\
        debian=DIR --pdf FILE --out documents.json
    python -m benchmarks.knowledge.search_speed --rows 100k --best-of 4 --out search_speed.json
    python -m benchmarks.knowledge.documents_page documents.json search_speed.json \\
        > docs/reference/knowledge-quality.md

Embedder: the default. Ten passages, the preset's own budget. **@k**: a right section is among the
first k. **document**: a right document is. **seen**: a right section is among what is shown of the
first five, neighbours included. **in vain**: of questions that the documents do not answer.
"""
_WAYS_HEAD = """
## What each part does

Switched off one at a time (or put in the place of another). Sections @1 · @5 · @10, all questions
of a set; in brackets the held-out half @5. A question is one to three hundredths, so differences
below .03 say nothing.
"""
_READ = """
What can be read from it, and what cannot:

- Every passage is searched with the headings above it; what they are worth was tried by hand
  (benchmarks/LOG.md).
- Identifiers help in all three, one passage for each section in Debian. Neighbours come after the
  ranking and change what is seen, not what is found (below).
- The second pass and the rewriting change no figure, but these questions hardly try them: of 287
  the second pass was needed by 16, and rewriting gave 3 of them other words to look for.
- Widened candidates help in our docs and cost something at ten in the other two. Why was not looked
  into; reciprocal ranks let what stands low in both lists outrank what stands high in one.
- Meaning alone finds about as many as both together on CPython and Debian, and fewer in our docs.
- Adaptive fusion alone is no better than reciprocal ranks. With `Refine`, which reads the best
  candidates, it is better on CPython and Debian, and finds fewer among the first five of our docs;
  frequent questions in other words it finds less well in English. So the preset was not changed;
  whoever wants it asks with the preset `balanced`.
- Which sections answer was decided by one person from tables of contents, and nobody checked it.
  Others may answer too, so that the figures compare ways of asking better than they tell how good
  an answer is.
"""
_REFUSAL_HEAD = """
## Keeping silent

The line of the confidence is the one that was fitted to memories elsewhere, so AUROC is of unseen
questions. The floors are not: they were chosen with both halves in view so that no answerable
question was refused, and lowered once, when seven of the 500 questions of CMRC were lost. So
*refused* is what they were made for, and says little about other documents. About half of the
questions in vain are still answered, mostly those near to the subject: "how does numpy broadcasting
work" finds passages of the CPython documentation that speak of NumPy. Where it matters, let a model
read the passages.
"""


def page(sets: Mapping[str, Mapping[str, Any]], speeds: Sequence[Mapping[str, Any]]) -> str:
    named = {name: sets[name] for name in _NAMES if name in sets}
    parts = [_HEAD, "## Found\n", _table(_FOUND, [_found(*one) for one in named.items()])]
    parts += [_WAYS_HEAD, _ways(named), _READ, _REFUSAL_HEAD]
    parts.append(_table(_REFUSED, [row for one in named.items() for row in _refused(*one)]))
    parts += ["\n## Citations\n", _citations(sets)]
    parts += [_speed(one) for one in speeds]
    return "\n".join(parts) + "\n"


_FOUND = ["documents", "passages", "half", "questions", "section @1", "@5", "@10", "MRR",
          "document @1", "@5", "seen @5", "tokens"]  # fmt: skip
_FOUND = ["set", *_FOUND]
_REFUSED = ["set", "half", "AUROC", "answerable, refused", "in vain, answered",
            "tokens", "tokens in vain", "without floor and noise"]  # fmt: skip


def _found(name: str, one: Mapping[str, Any]) -> list[str]:
    rows: list[list[str]] = []
    for half in ("dev", "held-out"):
        told = one["ways"]["knowledge"][half]
        section, document = told["section"], told["document"]
        rows.append(
            [half, str(told["questions"]),
             *(_share(section[at]) for at in ("@1", "@5", "@10", "MRR")),
             *(_share(document[at]) for at in ("@1", "@5")), _share(told["seen@5"]),
             f"{told['tokens']:,.0f}"]
        )  # fmt: skip
    both = ["<br>".join(cells) for cells in zip(*rows, strict=True)]
    return [_NAMES[name], str(one["documents"]), f"{one['passages']:,}", *both]


def _ways(sets: Mapping[str, Mapping[str, Any]]) -> str:
    names = list(next(iter(sets.values()))["ways"])
    rows = []
    for way in names:
        cells = [way]
        for one in sets.values():
            told = one["ways"][way]
            shares = " · ".join(_share(told["all"]["section"][at]) for at in ("@1", "@5", "@10"))
            cells.append(f"{shares} ({_share(told['held-out']['section']['@5'])})")
        rows.append(cells)
    seen = []
    for way in ("knowledge", "without neighbours"):
        if way in names:
            cells = [_share(one["ways"][way]["all"]["seen@5"]) for one in sets.values()]
            seen.append([f"seen @5, {way}", *cells])
    return _table(["", *(_NAMES[name] for name in sets)], [*rows, *seen])


def _refused(name: str, one: Mapping[str, Any]) -> list[list[str]]:
    rows = []
    for half in ("dev", "held-out"):
        told = one["ways"]["knowledge"][half]
        bare = one["ways"].get("without confidence and noise", {}).get(half)
        before = "" if bare is None else f"{bare['tokens']:,.0f}, {bare['tokens in vain']:,.0f}"
        rows.append(
            [_NAMES[name], half, _share(told["AUROC"]), _share(told["refused"]),
             _share(told["answered in vain"]), f"{told['tokens']:,.0f}",
             f"{told['tokens in vain']:,.0f}", before]
        )  # fmt: skip
    return rows


def _citations(sets: Mapping[str, Mapping[str, Any]]) -> str:
    rows = []
    for name, one in sets.items():
        told = one["citations"]
        what = "pages of a PDF, Chinese" if name == "pdf" else f"headings, {_NAMES[name]}"
        rows.append([what, *(str(told[kind]) for kind in ("right", "wrong", "not told"))])
    why = (
        "Every passage that was handed out is looked for in its source by other means than those "
        "that read\nit. *Not told*: none of its lines stands there as it is shown (tables, code)."
        "\nHeadings are compared without their numbers and anchor signs.\n\n"
    )
    return why + _table(["", "right", "wrong", "not told"], rows)


def _speed(one: Mapping[str, Any]) -> str:
    rows = [
        [name, f"{told['p50_ms']:.1f}", f"{told['p95_ms']:.1f}", f"{told['cpu_ms']:.1f}",
         f"{told['to_plain']:.2f}"]
        for name, told in one["ways"].items()
    ]  # fmt: skip
    return (
        f"\n## {one['passages']:,} passages\n\nMade-up Markdown through `base.add`, embedder "
        "`hashing`; the same questions by turns, each one's best\nof several times, on a machine "
        "that others used. How fast documents come in is in `benchmarks/LOG.md`.\n\n"
        + _table(["", "p50 ms", "p95 ms", "CPU ms", "÷ plain recall"], rows)
    )


def _share(value: float | None) -> str:
    if value is None:
        return ""
    return "1.00" if round(value, 3) == 1 else f"{value:.3f}".removeprefix("0")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    sets: dict[str, Any] = {}
    speeds: list[Any] = []
    for name in sys.argv[1:]:
        told = json.loads(Path(name).read_text("utf-8"))
        sets |= told.get("sets", {})
        speeds += told.get("sizes", [])
    sys.stdout.write(page(sets, speeds))


if __name__ == "__main__":
    main()
