"""Files as other programs leave them, and what an engine holds after reading them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bethink import Engine, Memory


def save(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), "utf-8")
    return path


def save_lines(path: Path, *values: Any) -> Path:
    lines = [v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in values]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def save_text(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def held(engine: Engine, space: str = "global") -> list[Memory]:
    return list(engine.list(spaces=space, newest_first=False, limit=100).memories)
