"""Pages as text: charsets, what stands around, what is hidden, and pages that are made to hurt."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink.errors import WebError
from bethink.knowledge.web.charset import decoded, known
from bethink.knowledge.web.fetching import Fetched
from bethink.knowledge.web.reading import MOST_CHARACTERS, read, read_html

CHINESE = "上海地铁二十三号线昨日正式开通，全长二十八公里，共设二十二座车站。"
FRENCH = "Le café est fermé à Noël, naturellement."


def page(text: str, encoding: str, meta: str = "") -> bytes:
    return f"<html><head>{meta}<title>标题 café</title></head><p>{text}</p>".encode(
        encoding, "replace"
    )


@pytest.mark.parametrize("charset", ["gb2312", "GBK", "gb18030"])
@pytest.mark.parametrize(
    "meta",
    ['<meta charset="{}">', "<META http-equiv=Content-Type content='text/html; charset={}'>"],
)
def test_only_the_page_says_its_charset(charset: str, meta: str) -> None:
    content = page(CHINESE, "gb18030", meta.format(charset))
    assert CHINESE in decoded(content)
    fetched = Fetched("http://site.example/", "text/html", "", content, False)
    assert read(fetched).text == CHINESE


def test_the_server_says_it() -> None:
    assert CHINESE in decoded(page(CHINESE, "gb18030"), "gbk")
    traditional = "台北捷運新線今日通車"
    assert traditional in decoded(page(traditional, "big5"), "big5")
    assert FRENCH in decoded(page(FRENCH, "cp1252"), "iso-8859-1")


def test_nobody_says_it_or_they_are_wrong() -> None:
    assert CHINESE in decoded(page(CHINESE, "utf-8"))
    assert CHINESE in decoded(page(CHINESE, "gb18030"))
    assert CHINESE in decoded(page(CHINESE, "utf-8"), "no-such-charset")
    assert CHINESE in decoded(page(CHINESE, "gb18030", '<meta charset="utf-8">'))
    assert CHINESE in decoded("\ufeff".encode() + page(CHINESE, "utf-8"), "gbk")
    assert CHINESE in decoded(page(CHINESE, "utf-16"))


@pytest.mark.parametrize("name", ["hex", "base64", "zlib", "rot13", "idna", "unicode_escape",
                                  "undefined", "mbcs", "", "\0"])  # fmt: skip
def test_codecs_that_are_no_charsets(name: str) -> None:
    assert known(name) == ""


NEWS = """<html><head><title>地铁新线开通 - 新闻网</title>
<script>document.write("never 不要")</script><style>p {color: red}</style></head>
<body class="has-sidebar"><nav><a href=/>首页</a> <a href=/n>国内新闻</a></nav>
<div class="left sidebar"><h3>热门推荐</h3><ul><li><a href=x>明星八卦</a></li></ul></div>
<article><header><h1>上海地铁新线开通</h1></header>
<p>全长<b>二十八</b>公里，<br>共设二十二座车站。</p>
<h2>Fares 票价</h2><ul><li>Students pay half</li><li>老人免费</li></ul>
<table><tr><th>Station</th><th>换乘</th></tr><tr><td>Xujiahui</td><td>一号线</td></tr></table>
<pre>line  one
  line two</pre>
<p style="display: none">Secret orders</p><p hidden>Hidden orders</p>
<div aria-hidden="true">Unread orders</div><!-- commented orders -->
<noscript>Switch scripts on</noscript><img alt="A map of the line 线路图" src=x>
</article><footer>版权所有 Copyright</footer></body></html>"""


@pytest.mark.parametrize("name", ["utf-7", "UTF7", "utf_7"])
def test_a_charset_in_which_harmless_text_is_markup(name: str) -> None:
    for told in ("hello", CHINESE):
        content = f'<meta charset="{name}"><p>{told} +ADw-script+AD4-</p>'.encode()
        assert f"{told} +ADw-script" in decoded(content, name)
        assert f"{told} +ADw-script" in decoded(content)


@pytest.mark.parametrize("text", [CHINESE, FRENCH])
def test_nobody_waits_for_a_page_any_more(text: str) -> None:
    fetched = Fetched("http://site.example/", "text/html", "utf-8", page(text, "utf-8"), False)
    assert text in read(fetched).text
    with pytest.raises(WebError, match="not read in time"):
        read(fetched, end=time.monotonic())


def test_the_text_of_a_page_and_nothing_else() -> None:
    title, text = read_html(NEWS)
    assert title == "地铁新线开通 - 新闻网"
    lines = [line for line in text.split("\n") if line]
    assert lines == [
        "上海地铁新线开通",
        "全长二十八公里，",
        "共设二十二座车站。",
        "Fares 票价",
        "- Students pay half",
        "- 老人免费",
        "Station | 换乘",
        "Xujiahui | 一号线",
        "line one",
        "line two",
        "A map of the line 线路图",
    ]


def test_a_page_whose_text_stands_in_a_sidebar() -> None:
    body = f"<body><div class=sidebar><p>{CHINESE * 9}</p></div><p>x</p></body>"
    assert CHINESE in read_html(body).text


def test_a_page_of_links() -> None:
    body = "<body><ul>" + "".join(f"<li><a href={n}>Guide 指南 {n}</a></li>" for n in range(9))
    assert "Guide 指南 8" in read_html(body).text


def test_entities_and_controls() -> None:
    text = read_html("<p>a &amp; b &lt;c&gt; &#x4f60;&#22909; \x1b[31mred\x00 \x85</p>").text
    assert text == "a & b <c> 你好 [31mred"


def test_an_xml_declaration() -> None:
    text = '<?xml version="1.0" encoding="gb2312"?><html><body><p>你好</p></body></html>'
    assert read_html(text).text == "你好"


@pytest.mark.parametrize("content", [b"", b"   ", b"<html></html>", b"<script>x</script>"])
def test_nothing_there(content: bytes) -> None:
    with pytest.raises(WebError, match="no text"):
        read(Fetched("http://site.example/", "text/html", "", content, False))


def test_plain_text_is_not_read_as_tags() -> None:
    content = "if a < b: print('<p>')  # 你好\r\nnext".encode()
    page = read(Fetched("http://site.example/a.txt", "text/plain", "", content, False))
    assert page == ("", "if a < b: print('<p>') # 你好\nnext")


_SIZE = 1_000_000
HOSTILE = {
    "nested": "<div>" * (_SIZE // 5),
    "misnested": "<b><i></b>" * (_SIZE // 10),
    "links": "<p><a href=x>y" * (_SIZE // 14),
    "tables": "<table><tr><td>" * (_SIZE // 15),
    "comments": "<!--" * (_SIZE // 4),
    "brackets": "<" * _SIZE,
    "attributes": "<div " + " ".join(f"a{n}=1" for n in range(_SIZE // 9)) + ">",
    "a long attribute": "<div style='" + "display:" * (_SIZE // 8) + "'>",
    "entities": "&amp;" * (_SIZE // 5),
    "formatting": "<p>" + "".join(f"<b a={n}>" for n in range(500)) + "</p>" + "<p>x" * 200_000,
    "a long title": "<title>" + "很长 " * (_SIZE // 6),
    "blanks": "<p>" + " \n" * (_SIZE // 2),
    "meta": "<meta " * (_SIZE // 6),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_pages_that_are_made_to_take_long(name: str) -> None:
    """In a tree some of these take minutes and gigabytes; here each is done in a second or so."""
    text = decoded(HOSTILE[name].encode())
    title, body = read_html(text + f"<p>{CHINESE}</p>")
    assert len(body) <= MOST_CHARACTERS
    assert len(title) <= 200


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([
    "<p>", "</p>", "<div>", "</div>", "<a>", "</a>", "<table>", "<td>", "</table>", "<title>",
    "</title>", "<script>", "</script>", "<br/>", "<nav>", "</nav>", "</body>", "<!--", "-->",
    "<svg>", "</svg>", "<li hidden>", "文字", "text", "<", "&", "\x00", "<html>", "</html>",
]), max_size=40))  # fmt: skip
def test_any_soup_of_tags(parts: list[str]) -> None:
    title, text = read_html("".join(parts) + "</script></title></nav></svg><p>结尾 end</p>")
    assert "\x00" not in title + text


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.text(max_size=12))
def test_any_bytes(content: bytes, charset: str) -> None:
    assert isinstance(decoded(content, charset), str)
