"""Tables in Markdown, with BM25 beside them, and differences to an earlier run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.quality.metrics import MEASURES

Figures = Mapping[str, Mapping[str, Any]]  # by set
REFERENCE_MEASURES = ("hit@1", "R@10", "NDCG@10")
# Stemmed BM25, bigrams for Chinese: from the README of the collected sets (shared with the data).
BM25: Mapping[str, tuple[float, float, float]] = {
    "lme_dev50_session": (0.913, 0.984, 0.952),
    "lme_dev50_turn": (0.543, 0.933, 0.712),
    "locomo_turn_dev": (0.342, 0.618, 0.478),
    "realmem_dev": (0.408, 0.720, 0.538),
    "memorybank_cn_dev": (0.556, 0.926, 0.746),
    "cmrc_500": (0.968, 0.990, 0.981),
    "drcd_500": (0.902, 0.984, 0.948),
}


def table(figures: Figures) -> str:
    """One run: sets by measures."""
    heads = [
        "set", "questions", *MEASURES, "BM25 " + " · ".join(REFERENCE_MEASURES),
        "p50 ms", "p95 ms", "CPU p50 ms",
    ]  # fmt: skip
    rows = [
        [
            name,
            str(found["questions"]),
            *(share(found.get(measure)) for measure in MEASURES),
            " · ".join(map(share, BM25[name])) if name in BM25 else "",
            f"{found['p50_ms']:.1f}",
            f"{found['p95_ms']:.1f}",
            f"{found['cpu_ms']:.1f}",
        ]
        for name, found in figures.items()
    ]
    return markdown(heads, rows)


def differences(figures: Figures, before: Figures) -> str:
    """What changed, in points of a hundred; only sets that both have."""
    heads = ["set", *MEASURES, "p50 ms", "p95 ms", "CPU p50 ms"]
    rows = []
    for name, now in figures.items():
        if name in before:
            then = before[name]
            points = [change(now.get(m), then.get(m)) for m in MEASURES]
            spent = [f"{then[m]:.1f} → {now[m]:.1f}" for m in ("p50_ms", "p95_ms", "cpu_ms")]
            rows.append([name, *points, *spent])
    return markdown(heads, rows)


def faults(figures: Figures) -> list[str]:
    """Answers that were not whole: where they are many, a figure means little."""
    return [
        f"{name}: {count} {status}"
        for name, found in figures.items()
        for status, count in found["status"].items()
        if status in ("degraded", "stale", "unavailable", "disabled", "refused")
    ]


def share(value: float | None) -> str:
    """.712; 1.00 for one; nothing where it was not measured."""
    if value is None:
        return ""
    return "1.00" if value >= 0.9995 else f"{value:.3f}".removeprefix("0")


def change(now: float | None, then: float | None) -> str:
    if now is None or then is None:
        return ""
    points = round(100 * (now - then), 1)
    return f"{points:+.1f}" if points else "0"


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
