"""A real Chromium and a real server. Neither is ever skipped: without them the tests fail and say
what to do."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from bethink.doors.web.serving import PAGE
from tests.doors.web.served import Served
from tests.doors.web.visiting import Visit, open_page

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_SCRIPT = Path(__file__).parents[3] / "scripts" / "chromium"
_PATIENCE = 20_000  # milliseconds: how long to wait for what must come; a shared machine is slow

Open = Callable[..., Visit]


# Playwright keeps an event loop in this thread: it must end before other packages run theirs.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    found = subprocess.run(["bash", str(_SCRIPT)], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert (PAGE / "vendor" / "pins.json").is_file(), (
        "the page's libraries are missing: BETHINK_REQUIRE_PAGE=1 pip install -e ."
    )
    expect.set_options(timeout=_PATIENCE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=found.stdout.strip(), args=FLAGS, headless=True
        )
        yield chromium
        chromium.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    server = Served(tmp_path / "memory.db")
    yield server
    server.stop()


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Open]:
    """Opens the page; at the end nobody may have complained, and nothing came from elsewhere."""
    visits: list[Visit] = []

    def opened(**options: Any) -> Visit:
        visits.append(open_page(browser, served.address, **options))
        visits[-1].page.set_default_timeout(_PATIENCE)
        return visits[-1]

    yield opened
    for one in visits:
        one.page.context.close()
    assert [one.complaints for one in visits] == [[] for _ in visits]
    assert [one.strangers for one in visits] == [[] for _ in visits]
