"""The page's files: who may fetch them, what a browser may do with them, and what is said when
some are missing."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from bethink.doors.web.serving import PAGE, mount_page
from tests.doors.web.conftest import Open
from tests.doors.web.served import Served

OURS = sorted(p for p in PAGE.rglob("*") if p.is_file() and "vendor" not in p.parts)
SCRIPTS = [path for path in OURS if path.suffix == ".js"]


def of(name: str, text: str) -> str:
    found = re.search(rf"{name} ([^;]*)", text)
    return found.group(1) if found else ""


def test_a_browser_may_run_our_files_and_nothing_else(served: Served) -> None:
    for path in ("", "page/app.js", "page/style/parts.css", "page/vendor/preact.js"):
        answer = httpx.get(served.address + path)
        assert answer.status_code == 200
        policy = answer.headers["content-security-policy"]
        assert of("default-src", policy) == "'none'"
        assert of("script-src", policy) == of("style-src", policy) == "'self'"
        assert of("connect-src", policy) == "'self'"
        assert of("frame-ancestors", policy) == "'none'"
        assert of("require-trusted-types-for", policy) == "'script'"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", [str(p.relative_to(PAGE)) for p in OURS])
def test_every_file_is_served_as_what_it_is(path: str) -> None:
    app = FastAPI()
    mount_page(app)
    answer = TestClient(app).get(f"/page/{path}")
    assert answer.status_code == 200
    kinds = {
        ".js": "text/javascript",
        ".css": "text/css",
        ".html": "text/html",
        ".svg": "image/svg",
    }
    assert answer.headers["content-type"].startswith(kinds[Path(path).suffix])


@pytest.mark.parametrize(
    "path", ["page/../serving.py", "page/%2e%2e/serving.py", "page/none.js", "page/", "page/rooms"]
)
def test_nothing_else_is_served(served: Served, path: str) -> None:
    answer = httpx.get(served.address + path)
    assert answer.status_code in (401, 404)
    assert b"mount_page" not in answer.content


def test_without_the_libraries_the_page_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "page"
    shutil.copytree(PAGE, folder, ignore=shutil.ignore_patterns("vendor"))
    app = FastAPI()
    mount_page(app, folder=folder)
    answer = TestClient(app).get("/")
    assert answer.status_code == 503
    for said in ("Preact and htm", "pip install", "BETHINK_REQUIRE_PAGE=1", "页面不完整"):
        assert said in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_browser_without_modules_sees_words(served: Served) -> None:
    assert "allow" in httpx.get(served.address).text
    assert "正在打开" in httpx.get(served.address).text


def test_nothing_of_ours_makes_markup_from_text_or_asks_elsewhere() -> None:
    forbidden = r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|https?://"
    for path in SCRIPTS:
        assert not re.search(forbidden, path.read_text("utf-8"), re.I), path
    for path in OURS:
        if path.suffix == ".html":
            text = path.read_text("utf-8")
            assert not re.search(r"<script(?![^>]*\ssrc=)|\son\w+=|style=|<style", text), path


def test_files_stay_small() -> None:
    assert {
        path.name: n for path in OURS if (n := len(path.read_text("utf-8").splitlines())) > 400
    } == {}


def test_both_languages_say_the_same_things(served: Served, visit: Open) -> None:
    words: dict[str, dict[str, str]] = visit().page.evaluate(
        "async () => (await import('/page/i18n.js')).WORDS"
    )
    en, zh = words["en"], words["zh"]
    assert en.keys() == zh.keys()
    for name in en:
        assert set(re.findall(r"\{\w+\}", en[name])) == set(re.findall(r"\{\w+\}", zh[name])), name
        assert re.search(r"[\u4e00-\u9fff]", zh[name]), name


def test_every_word_that_is_used_is_there_and_the_other_way_round(
    served: Served, visit: Open
) -> None:
    en: dict[str, str] = visit().page.evaluate(
        "async () => (await import('/page/i18n.js')).WORDS.en"
    )
    code = "\n".join(p.read_text("utf-8") for p in SCRIPTS if "words" not in p.parts)
    used = set(re.findall(r"""\bt\("([\w.]+)\"""", code))
    used |= {
        a for pair in re.findall(r'\? "([\w.]+)" : "([\w.]+)"\)', code) for a in pair if "." in a
    }
    assert used - en.keys() == set()
    made = tuple(re.findall(r"\bt\(`([\w.]+\.)\$\{", code))  # by a word of the server, or a choice
    groups = (
        "status.", "channel.", "part.", "decision.", "tier.", "verdict.", "state.", "memory.",
        "upload.", "document.", *made,
    )  # fmt: skip
    assert [name for name in en if name not in used and not name.startswith(groups)] == []
