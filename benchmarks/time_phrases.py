"""How well and how fast are time phrases found, beside two libraries that do only this?

    pip install recognizers-text-date-time 'emoji<1.7' jionlp    # in an environment of their own
    python benchmarks/time_phrases.py [--out FILE] [--show]

The phrases and what they mean are the table of the tests (tests/text/time_phrase_table.py). It
follows our written policy ("last Tuesday" is the latest Tuesday), so a library can differ without
being wrong; therefore three columns: found at all, the same days, and days that overlap. Of several
readings of a library the one nearest to the table counts. Neither library is a dependency: what is
not installed is named and left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.text.time_phrase_table import CHINESE, ENGLISH, NO_TIME, NOW, SHANGHAI, Row

from bethink.text.time_phrases import find_time_phrases

Range = tuple[datetime, datetime]  # wall time, [start, end)
Reader = Callable[[str], list[Range]]
FIRST, LAST = datetime(2, 1, 1), datetime(9999, 1, 1)
SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
NO_TIME_WORDS = [
    "what database did we choose for the project and why",
    "我们为什么选择了这个数据库来做项目",
    "偏好 dark mode 的设置在哪里",
]


def bethink_reader() -> Reader:
    def read(text: str) -> list[Range]:
        found = find_time_phrases(text, now=NOW, zone=SHANGHAI)
        return [(p.start.replace(tzinfo=None), p.end.replace(tzinfo=None)) for p in found]

    return read


def recognizers_reader(language: str) -> Reader:
    library: Any = import_module("recognizers_date_time")
    culture = getattr(library.Culture, language)
    reference = NOW.replace(tzinfo=None)

    def moment(text: str | None, otherwise: datetime) -> datetime:
        return datetime.fromisoformat(text) if text else otherwise

    def read(text: str) -> list[Range]:
        ranges = []
        for found in library.recognize_datetime(text, culture, reference=reference):
            for value in (found.resolution or {}).get("values", []):
                try:
                    if value["type"] in ("date", "datetime"):
                        start = datetime.fromisoformat(value["value"])
                        ranges.append((start, start + (DAY if value["type"] == "date" else SECOND)))
                    elif value["type"] in ("daterange", "datetimerange"):
                        ranges.append(
                            (moment(value.get("start"), FIRST), moment(value.get("end"), LAST))
                        )
                except (KeyError, ValueError):  # "not resolved"
                    continue
        return ranges

    return read


def jionlp_reader() -> Reader:
    jionlp: Any = import_module("jionlp")

    base = NOW.replace(tzinfo=None).timestamp()

    def moment(text: str, otherwise: datetime) -> datetime:
        return otherwise if "inf" in text else datetime.fromisoformat(text)

    def read(text: str) -> list[Range]:
        try:
            found = jionlp.ner.extract_time(text, time_base=base, with_parsing=True)
        except Exception:  # it raises on some texts: that is not found
            return []
        ranges = []
        for one in found:
            if one["type"] not in ("time_point", "time_span"):
                continue
            start, end = one["detail"]["time"]
            ranges.append((moment(start, FIRST), moment(end, LAST) + SECOND))
        return ranges

    return read


def days(found: Range) -> tuple[object, object]:
    """First and last day; all that is before the year 1000 or after 9000 is an open end."""
    start, end = found[0], found[1] - SECOND
    return (
        start.date() if start.year > 1000 else None,
        end.date() if end.year < 9000 else None,
    )


def score(rows: list[Row], read: Reader) -> tuple[dict[str, float], dict[str, list[Range]]]:
    answers: dict[str, list[Range]] = {}
    read(rows[0].phrase)  # what is built on first use
    began = time.perf_counter()
    for row in rows:
        answers[row.phrase] = read(row.phrase)
    took = time.perf_counter() - began
    table = {r.phrase: (r.start.replace(tzinfo=None), r.end.replace(tzinfo=None)) for r in rows}
    found = sum(bool(answers[p]) for p in table)
    same = sum(any(days(a) == days(table[p]) for a in answers[p]) for p in table)
    overlap = sum(any(a[0] < t[1] and t[0] < a[1] for a in answers[p]) for p, t in table.items())
    count = len(table)
    figures = {
        "phrases": count,
        "found": found / count,
        "same_days": same / count,
        "overlap": overlap / count,
        "ms_per_question": 1000 * took / count,
    }
    return figures, answers


def readers() -> dict[str, dict[str, Reader]]:
    """Every reader that is installed, by name and language."""
    ours = bethink_reader()
    found = {"bethink": {"English": ours, "Chinese": ours}}
    try:
        found["recognizers-text"] = {
            language: recognizers_reader(language) for language in ("English", "Chinese")
        }
    except ImportError as missing:
        print(f"recognizers-text-date-time is left out: {missing}", file=sys.stderr)
    try:
        jio = jionlp_reader()
        found["jionlp"] = {"English": jio, "Chinese": jio}
    except ImportError as missing:
        print(f"jionlp is left out: {missing}", file=sys.stderr)
    return found


def microseconds(read: Reader, text: str, times: int) -> float:
    began = time.perf_counter()
    for _ in range(times):
        read(text)
    return 1e6 * (time.perf_counter() - began) / times


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, help="write the figures here as JSON")
    parser.add_argument("--show", action="store_true", help="list every disagreement")
    options = parser.parse_args()
    tables = {"English": ENGLISH, "Chinese": CHINESE}
    result: dict[str, dict[str, dict[str, float]]] = {}
    everyone = readers()
    print("| reader | language | phrases | found | same days | overlap | ms a question |")
    print("|---|---|---|---|---|---|---|")
    for name, by_language in everyone.items():
        for language, read in by_language.items():
            figures, answers = score(tables[language], read)
            result.setdefault(name, {})[language] = figures
            shares = " | ".join(f"{figures[k]:.0%}" for k in ("found", "same_days", "overlap"))
            print(
                f"| {name} | {language} | {figures['phrases']} | {shares}"
                f" | {figures['ms_per_question']:.2f} |",
                flush=True,
            )
            if options.show:
                for row in tables[language]:
                    wanted = days((row.start.replace(tzinfo=None), row.end.replace(tzinfo=None)))
                    got = [days(answer) for answer in answers[row.phrase]]
                    if wanted not in got:
                        told = "; ".join(f"{a} … {b}" for a, b in got) or "nothing"
                        print(f"    {row.phrase}: {wanted[0]} … {wanted[1]}, got {told}")
    print("\n| reader | texts without a time | taken for one | µs for a text without time words |")
    print("|---|---|---|---|")
    for name, by_language in everyone.items():
        wrong = [t for t in NO_TIME if by_language["English" if t.isascii() else "Chinese"](t)]
        speed = [
            microseconds(by_language["English" if t.isascii() else "Chinese"], t, 50)
            for t in NO_TIME_WORDS
        ]
        result[name]["no_time"] = {
            "texts": len(NO_TIME), "wrong": len(wrong), "us": sum(speed) / len(speed),
        }  # fmt: skip
        print(f"| {name} | {len(NO_TIME)} | {len(wrong)} | {sum(speed) / len(speed):.0f} |")
        if options.show:
            print("    " + "; ".join(wrong))
    if options.out:
        options.out.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
