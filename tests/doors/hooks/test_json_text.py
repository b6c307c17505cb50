"""Small changes to JSON that leave the rest alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.doors.hooks import json_text
from bethink.errors import InvalidInput

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)
objects = st.dictionaries(st.text(max_size=4), values, max_size=4)
indents = st.sampled_from([None, 1, 2, 4, "\t"])


@given(objects, indents, st.booleans())
def test_what_is_added_can_be_taken_out_again(
    told: dict[str, Any], indent: Any, crlf: bool
) -> None:
    told.pop("我们", None)
    text = json.dumps(told, indent=indent, ensure_ascii=False)
    text = text.replace("\n", "\r\n") if crlf else text
    grown = json_text.append(text, ["我们", "ours"], {"command": "x", "深": [1]})
    assert json.loads(grown) == {**told, "我们": {"ours": [{"command": "x", "深": [1]}]}}
    more = json_text.append(grown, ["我们", "ours"], 2)
    assert json.loads(more)["我们"]["ours"][1] == 2
    assert json_text.remove(more, ["我们", "ours", 1]) == grown
    assert json_text.remove(grown, ["我们"]) == text or not told
    assert json.loads(json_text.remove(grown, ["我们"])) == told


@given(st.lists(values, min_size=1, max_size=5), indents, st.data())
def test_any_item_can_be_taken_out(items: list[Any], indent: Any, data: Any) -> None:
    place = data.draw(st.integers(0, len(items) - 1))
    text = json.dumps({"a": items}, indent=indent)
    del items[place]
    assert json.loads(json_text.remove(text, ["a", place])) == {"a": items}


@given(objects)
def test_it_reads_what_json_reads(told: dict[str, Any]) -> None:
    assert json_text.parse(json.dumps(told)).value == told


def test_comments_and_commas_stay() -> None:
    text = '{\n  // 我的设置\n  "a": [1, /* two */ 2,], // end\n  "b": {},\n}\n'
    grown = json_text.append(text, ["a"], 3)
    assert json_text.parse(grown).value == {"a": [1, 2, 3], "b": {}}
    for comment in ("// 我的设置", "/* two */", "// end"):
        assert comment in grown
    assert json_text.remove(grown, ["a", 2]) == text
    assert "/* two */" in json_text.remove(grown, ["a", 0])


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a": }', "{'a': 1}", '{"a": 1 "b": 2}', '{"a": 1} x', '{"a": 1, "a": 2}', "{a: 1}",
     "[" * 1000 + "]" * 1000, '{"a": 01x}', '"\x01"'],
)  # fmt: skip
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        json_text.parse(text)


def test_what_is_not_of_the_shape_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no list"):
        json_text.append('{"hooks": {"Stop": {}}}', ["hooks", "Stop"], 1)
    with pytest.raises(InvalidInput, match="no object"):
        json_text.append('{"hooks": []}', ["hooks", "Stop"], 1)


def test_json5_where_it_is_spoken() -> None:
    text = "{名字: 'it\\'s \\x41\\\n', $a: +.5, b_1: [0x1F, -Infinity, 2.,], \"c\": null, // 完\n}"
    told = json_text.parse(text, json5=True).value
    assert told == {"名字": "it's A", "$a": 0.5, "b_1": [31, float("-inf"), 2.0], "c": None}
    grown = json_text.put(text, ["plugins", "ours"], True, json5=True)
    assert json_text.parse(grown, json5=True).value == {**told, "plugins": {"ours": True}}
    assert json_text.remove(grown, ["plugins"], json5=True) == text
    assert "NaN" in json_text.remove("{a: NaN, b: 1}", ["b"], json5=True)


@pytest.mark.parametrize("text", ["{1a: 1}", "{a: 1x}", "{a: 'b}", "{a: b}", "{a: 1, 'a': 2}"])
def test_what_is_no_json5_either_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        json_text.parse(text, json5=True)


@pytest.mark.parametrize(
    ("text", "path", "left"),
    [
        ('{\n  // 注释\n  "a": 1\n}', ["a"], "{\n  // 注释\n}"),
        ('{"b": 2, // 注释\n  "a": 1 }', ["a"], '{"b": 2 // 注释\n   }'),
        ('{"a": 1 /* 我的 */ , "b": 2}', ["a"], '{ /* 我的 */  "b": 2}'),
        ('{"a": [1 // 注释\n, 2]}', ["a", 1], '{"a": [1 // 注释\n]}'),
    ],
)
def test_comments_around_what_goes_stay(text: str, path: list[str | int], left: str) -> None:
    assert json_text.remove(text, path) == left
