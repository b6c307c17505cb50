"""Figures in a JSON file, and the page of docs/ that is made of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any


def write_figures(out: Path | None, whole: Mapping[str, Any]) -> None:
    """Into this file, if one is named; its folder is made."""
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")


def print_page(
    page: Callable[[Mapping[str, Any]], str], usage: str | None, arguments: Sequence[str]
) -> int:
    """The page of the one file that is named. The code to leave with."""
    if len(arguments) != 1:
        print(usage, file=sys.stderr)
        return 2
    print(page(json.loads(Path(arguments[0]).read_text("utf-8"))), end="")
    return 0
