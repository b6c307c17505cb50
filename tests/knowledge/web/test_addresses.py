"""Which addresses are public, and which links are followed at all."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from bethink.errors import WebError
from bethink.knowledge.web.addresses import is_public, literal
from bethink.knowledge.web.links import LinkRefused, link_of

NOT_PUBLIC = """
    127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1
    169.254.169.254 169.254.0.1 100.64.0.1 100.100.100.200 100.127.255.255 192.0.0.1 192.0.0.192
    192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1
    255.255.255.255 168.63.129.16
    :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 fe80::1 fec0::1 fc00::1
    fd00:ec2::254 ff02::1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2001::1 2001:0:7f00:1::
    2001:db8::1 2002:7f00:1:: 2002:a00:1::1 2001:10::1 3fff::1 100::1 4000::1 5f00::1
    ::ffff:0:127.0.0.1 fe80::1%eth0
"""
PUBLIC = """
    1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 223.5.5.5
    2606:4700::1111 2400:3200::1 2a00:1450:4001::200e ::ffff:8.8.8.8 64:ff9b::808:808
"""


@pytest.mark.parametrize("address", NOT_PUBLIC.split())
def test_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "host",
    ["0x7f.1", "017700000001", "2130706433", "127.1", "0177.0.0.1", "0x7f000001", "127.0.0.0x1",
     "1.2.3.4.5", "256.1.1.1", "１２７.0.0.1", "127。0。0。1x.0x7f", "127.0.0.01", "[::1%25eth0]",
     "127.0.0.1%00.example.org", "exa mple.org", "a..b", "-" * 70 + ".org", "<x>.org"],
)  # fmt: skip
def test_hosts_that_are_written_oddly(host: str) -> None:
    """Either refused, or read as the one address that it is, which is then checked."""
    try:
        link = link_of(f"http://{host}/")
    except LinkRefused:
        return
    assert link.address is not None
    assert not is_public(link.address)


def test_full_width_digits_are_the_address_that_a_browser_reads() -> None:
    assert str(link_of("http://１２７.0.0.1/").address) == "127.0.0.1"
    assert str(link_of("http://127。0。0。1/").address) == "127.0.0.1"
    assert literal("例子.example") is None


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://example.org/x", "gopher://example.org", "javascript:alert(1)",
     "data:text/html,x", "//example.org/x", "example.org", "http://", "https:///x", "http://:80/",
     "http://example.org:99999/", "http://example.org:port/", "http://[::1/", "", " ",
     "http://example.org/" + "x" * 3_000],
)  # fmt: skip
def test_links_that_are_not_followed(url: str) -> None:
    with pytest.raises(WebError):
        link_of(url)


def test_a_link_in_its_parts() -> None:
    link = link_of(" https://Bücher.Example:8443/Straße/北京?q=深色 x&y=%20#part ")
    assert link.host == "xn--bcher-kva.example"
    assert link.port == 8443
    assert link.target == "/Stra%C3%9Fe/%E5%8C%97%E4%BA%AC?q=%E6%B7%B1%E8%89%B2%20x&y=%20"
    assert link.shown == f"https://xn--bcher-kva.example:8443{link.target}"
    assert link_of("https://example.org").shown == "https://example.org/"
    assert link_of("http://[2606:4700::1111]:8080/").shown == "http://[2606:4700::1111]:8080/"


def test_passwords_and_line_breaks_do_not_come_along() -> None:
    link = link_of("http://user:secret@example.org/a\r\nHost: evil.example\\b")
    assert link.credentials == "user:secret"
    assert "secret" not in link.shown
    assert link.target == "/a%0D%0AHost:%20evil.example%5Cb"
    assert link_of("http://good.example\\@evil.example/").host != "good.example"


@pytest.mark.parametrize(
    "other",
    ["http://example.org/a/", "https://www.example.org/a", "https://example.org/a?utm_source=x",
     "https://example.org/a#part", "https://EXAMPLE.org/a?spm=1.2.3"],
)  # fmt: skip
def test_links_to_the_same_page(other: str) -> None:
    assert link_of(other).same_page == link_of("https://example.org/a").same_page


@pytest.mark.parametrize(
    "other", ["https://example.org/b", "https://example.org/a?id=2", "https://example.org:8443/a"]
)
def test_links_to_other_pages(other: str) -> None:
    assert link_of(other).same_page != link_of("https://example.org/a").same_page
