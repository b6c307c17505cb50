"""Tables of Markdown from the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.quality.report import markdown, share

Row = Mapping[str, Any]


def detectors_table(rows: Sequence[Row]) -> str:
    """Held of how many, by family; the held-out half beside the other."""
    columns = [(language, half) for language in ("en", "zh") for half in ("seen", "held out")]
    by = {(row["what"], row["language"], row["half"]): row for row in rows}
    table = [
        [what, *(_of(by.get((what, *column))) for column in columns)]
        for what in dict.fromkeys(row["what"] for row in rows)
    ]
    head = ["held for review", *(f"{language}, {half}" for language, half in columns)]
    return markdown(head, table)


def alarms_table(rows: Sequence[Row]) -> str:
    head = ["set", "memories", "held", "share"]
    body = [
        [row["what"], f"{row['of']:,}", str(row["held"]), f"{row['held'] / row['of']:.2%}"]
        for row in rows
    ]
    return markdown(head, body)


def reached_table(rows: Sequence[Row]) -> str:
    """A line for each tier, defence and way of asking; a column for each family and victim."""
    families = list(dict.fromkeys(row["family"] for row in rows))
    victims = list(dict.fromkeys(row["victim"] for row in rows))
    lines = list(dict.fromkeys(map(_line, rows)))
    tables = []
    for victim in victims:
        by = {(_line(row), row["family"]): row for row in rows if row["victim"] == victim}
        body = [
            [*line, *(share(by[line, f]["held"]) if (line, f) in by else "" for f in families)]
            for line in lines
        ]
        head = ["tier", "defence", "asked with", *families]
        tables.append(f"### {victim}\n\n{markdown(head, body)}")
    return "\n\n".join(tables)


def harm_table(rows: Sequence[Row], before: Mapping[str, float | None]) -> str:
    """What it costs: the injected text first, the right memory still among the five."""
    chosen = [row for row in rows if row["family"] == "adaptive"]
    head = ["victim", "tier", "defence", "asked with", "injected first", "right in top 5"]
    body = [
        [row["victim"], *_line(row), share(row["first"]), share(row["right"])] for row in chosen
    ]
    clean = [
        [victim, "", "nothing injected", "balanced", ".000", share(right)]
        for victim, right in before.items()
    ]
    return markdown(head, [*clean, *body])


def _line(row: Row) -> tuple[str, str, str]:
    asked = row["preset"] if row["share"] is None else f"{row['preset']}, share {row['share']:g}"
    return row["tier"], row["defence"], asked


def _of(row: Row | None) -> str:
    return "" if row is None else f"{row['held']} of {row['of']}"
