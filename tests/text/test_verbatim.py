"""Names that the index cannot tell apart are found as they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.containment import contains
from bethink.text.verbatim import cased_names, holds, verbatim_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("why is getUserNames slow", ["getUserNames"]),
        ("为什么调用getUserNames会慢", ["getUserNames"]),
        ("client.fetchAllPages() and useEffect", ["fetchAllPages", "useEffect"]),
        ("NullPointerException 怎么办", ["NullPointerException"]),
        ("ECONNREFUSED again", ["ECONNREFUSED"]),
        ("日志里报ECONNREFUSED", ["ECONNREFUSED"]),
        ("GitHub, iPhone, JavaScript, PostgreSQL, macOS, OpenAI, eBay", []),
        ("HTTP API URL TODO IMPORT", []),
        ("Monday Meeting with Ada", []),
        ("WHY WOULD ANYBODY SOMETIMES DOWNLOAD SOMETHING COMPLETELY DIFFERENT", []),
        ("user_Name get2ndName", []),  # identifiers that the index knows exactly
        ("可以改 docs/部署.md 吗", ["docs/部署.md"]),
        ("可以改docs/运维/部署.md吗", ["docs/运维/部署.md"]),
        ("改 /数据/配置.yaml。", ["/数据/配置.yaml"]),
        ("他/她说 docs/plain.md", []),
        ("", []),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert list(verbatim_names(text)) == names


@pytest.mark.parametrize(
    ("text", "name", "held"),
    [
        ("getUserNames is slow", "getUserName", False),
        ("getUserNames, then getUserName", "getUserName", True),
        ("调用getUserName会慢", "getUserName", True),
        ("client.getUserName()", "getUserName", True),
        ("GETUSERNAME", "getUserName", False),
        ("forgetUserName", "getUserName", False),
        ("see docs/部署.md.", "docs/部署.md", True),
        ("see docs/部署.md.bak", "docs/部署.md", False),
        ("see docs/部署2.md", "docs/部署.md", False),
        ("", "getUserName", False),
    ],
)
def test_a_name_is_held_whole(text: str, name: str, held: bool) -> None:
    assert holds(text, name) is held


def test_notes_about_two_names_are_two_notes() -> None:
    one = "写入之后调用 getUserName 会返回旧数据，清掉缓存再调一次。"
    other = one.replace("getUserName", "getUserNames")
    assert contains(one, one)
    assert not contains(one, other)
    assert not contains(other, one)


@given(st.text())
def test_any_text_has_names_that_it_holds(text: str) -> None:
    for name in cased_names(text):
        assert holds(text, name)
    assert len(verbatim_names(text)) <= 8
