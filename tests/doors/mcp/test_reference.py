"""The page that describes MCP says what the server lists."""

from __future__ import annotations

from pathlib import Path

from tools.pages.mcp import page

PAGE = Path(__file__).parents[3] / "docs/reference/mcp.md"


def test_the_page_is_that_of_the_server() -> None:
    again = "run: python -m tools.pages.mcp > docs/reference/mcp.md"
    assert PAGE.read_text("utf-8") == page(), again
