"""Shares by part, by half and by language, as tables of Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.quality.report import markdown
from benchmarks.story.checks import Verdict
from benchmarks.story.novel import HALVES, PARTS

Row = Mapping[str, Any]


def rows(run: str, language: str, found: Sequence[Verdict]) -> list[dict[str, Any]]:
    """How many of how many, by part, by what is said of it, and by half."""
    counted: dict[tuple[str, str, str], list[int]] = {}
    for verdict in found:
        check = verdict.check
        kinds = [check.part, *(["implied"] if verdict.implied and check.say == "must" else [])]
        if check.part == "memories" and check.say == "must":
            kinds += [f"first {n}" for n in (3, 5)]
        for kind in kinds:
            count = counted.setdefault((kind, check.say, check.half), [0, 0])
            count[0] += 0 < verdict.rank <= int(kind[6:]) if kind[:6] == "first " else verdict.holds
            count[1] += 1
    return [
        {"run": run, "language": language, "kind": kind, "say": say, "half": half,
         "right": right, "of": of}
        for (kind, say, half), (right, of) in counted.items()
    ]  # fmt: skip


def shares(counted: Sequence[Row], names: Sequence[str], *, halves: bool = False) -> str:
    """A line for each run and language (and half), a column for each kind."""
    kinds = [("states", "must"), ("implied", "must"), ("states", "never"), ("memories", "must"),
             ("first 3", "must"), ("memories", "never"), ("timeline", "must"),
             ("timeline", "never"), ("threads", "must"), ("threads", "never")]  # fmt: skip
    head = ["made by", "novel", *(["questions"] if halves else []),
            *(k if k in ("implied", "first 3") else f"{k} {say}" for k, say in kinds),
            "all"]  # fmt: skip
    body = []
    for name in names:
        for language in dict.fromkeys(row["language"] for row in counted):
            for half in HALVES if halves else [""]:
                mine = [
                    row for row in counted
                    if row["run"] == name and row["language"] == language
                    and half in ("", row["half"])
                ]  # fmt: skip
                if mine:
                    cells = [_of(mine, kind, say) for kind, say in kinds]
                    line = [name, language, *([half] if halves else [])]
                    body.append([*line, *cells, _whole(mine)])
    return markdown(head, body)


def sizes(figures: Sequence[Row]) -> str:
    head = ["made by", "novel", "memories", "states", "timeline", "threads", "tokens",
            "ms for one", "leaks"]  # fmt: skip
    body = [
        [f["run"], f["language"], *(f"{f[k]:.1f}" for k in ("memories", "states", "timeline")),
         f"{f['threads']:.1f}", f"{f['tokens']:.0f}", f"{f['ms']:.0f}", str(f["leaks"])]
        for f in figures
    ]  # fmt: skip
    return markdown(head, body)


def _of(mine: Sequence[Row], kind: str, say: str) -> str:
    fitting = [row for row in mine if row["kind"] == kind and row["say"] == say]
    return _ratio(fitting)


def _whole(mine: Sequence[Row]) -> str:
    return _ratio([row for row in mine if row["kind"] in PARTS])


def _ratio(found: Sequence[Row]) -> str:
    of = sum(row["of"] for row in found)
    return f"{sum(row['right'] for row in found)} of {of}" if of else ""


def dialogues_table(found: Sequence[Row]) -> str:
    head = ["set", "made by", "questions", "passage in the context", "in the first 3", "leaks"]
    body = [
        [f["set"], f["run"], str(f["asked"]), f"{f['any'] / f['asked']:.1%}",
         f"{f['first 3'] / f['asked']:.1%}", str(f["leaks"])]
        for f in found
    ]  # fmt: skip
    return markdown(head, body)
