"""Addresses of engines: what they say, what is refused, and what nobody gets to see."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bethink.errors import MissingExtra, SettingsError
from bethink.stores.retriever_address import in_the_clear, of_tenant, parse_address, shown


def test_an_address_says_where_what_and_how() -> None:
    plain = parse_address("qdrant://vectors.example/memories")
    assert (plain.host, plain.port, plain.index) == ("vectors.example", 6333, "memories")
    assert (plain.finds, plain.tls, plain.secret) == (("meaning",), False, "")
    assert plain.url == "http://vectors.example:6333"
    assert plain.name == "qdrant vectors.example:6333/memories"
    full = parse_address(
        "elasticsearch://me:p%40ss@[::1]:9243/my_index-2?tls=yes&finds=meaning,words"
    )
    assert (full.user, full.secret, full.url) == ("me", "p@ss", "https://[::1]:9243")
    assert full.finds == ("words", "meaning")
    assert parse_address("opensearch://h/x").finds == ("words",)
    assert parse_address("qdrant://KEY@h/x?grpc=6334") == parse_address(
        "qdrant://:KEY@h/x?grpc=6334"
    )


@pytest.mark.parametrize(
    "address",
    [
        "",
        "memories",
        "http://h/x",
        "qdrant://h",
        "qdrant://h/",
        "qdrant:///x",
        "qdrant://h/Memories",
        "qdrant://h/a/b",
        "qdrant://h/记忆",
        "qdrant://h:99999/x",
        "qdrant://h:port/x",
        "qdrant://h/x?tls=maybe",
        "qdrant://h/x?key=SECRET",
        "qdrant://h/x?finds=words",
        "opensearch://h/x?finds=meaning",
        "elasticsearch://h/x?grpc=6334",
        "qdrant://h/x?grpc=many",
        "qdrant://SECRET/SECRET@h/x",
        "elasticsearch://u:SECRET/SECRET@h:1/x",
        "postgresql://u:SECRET@h/x",
    ],
)
def test_what_is_no_address_is_refused_without_telling_secrets(address: str) -> None:
    with pytest.raises(SettingsError, match=r"^retrievers: ") as caught:
        parse_address(address)
    assert "SECRET" not in str(caught.value)


def test_secrets_are_shown_to_nobody() -> None:
    for account in ("SECRET", ":SECRET", "u:SECRET", "SECRET:SECRET"):
        address = f"qdrant://{account}@h:6333/x?tls=yes"
        parsed = parse_address(address)
        assert "SECRET" not in f"{shown(address)} {parsed!r} {parsed.name} {parsed.url}"
    assert shown("qdrant://KEY@h:6333/x?tls=yes") == "qdrant://…@h:6333/x"
    assert shown("qdrant://h/x") == "qdrant://h/x"
    assert "SECRET" not in shown("anything SECRET")


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("qdrant://KEY@vectors.example/x", True),
        ("elasticsearch://u:KEY@10.0.0.7/x", True),
        ("qdrant://KEY@vectors.example/x?tls=yes", False),
        ("qdrant://vectors.example/x", False),
        ("qdrant://KEY@localhost/x", False),
        ("opensearch://u:KEY@127.0.0.9/x", False),
        ("qdrant://KEY@[::1]/x", False),
    ],
)
def test_a_key_on_a_network_without_encryption_is_told(address: str, told: bool) -> None:
    assert bool(in_the_clear(parse_address(address))) is told


def test_every_tenant_has_an_index_of_its_own() -> None:
    address = "qdrant://KEY@h:1/x?tls=yes"
    parsed = [parse_address(a) for a in (address, *(of_tenant(address, t) for t in ("租户", "t")))]
    assert len({one.index for one in parsed}) == 3
    assert {(one.secret, one.url) for one in parsed} == {("KEY", "https://h:1")}


@pytest.mark.parametrize(
    ("package", "address", "extra"),
    [
        ("qdrant_client", "qdrant://127.0.0.1:1/x", "qdrant"),
        ("elasticsearch", "elasticsearch://127.0.0.1:1/x", "elastic"),
        ("opensearchpy", "opensearch://127.0.0.1:1/x", "opensearch"),
    ],
)
def test_without_its_extra_every_engine_is_an_error_that_says_what_to_install(
    tmp_path: Path, package: str, address: str, extra: str
) -> None:
    program = (
        f"import sys; sys.modules[{package!r}] = None; from bethink.doors.cli.main import main; "
        "sys.exit(main(sys.argv[1:]))"
    )
    told = ["remember", "预算 budget", "--store", str(tmp_path / "m.db"), "--retriever", address]
    ran = subprocess.run(
        [sys.executable, "-c", program, *told], capture_output=True, text=True, check=False
    )
    assert ran.returncode == MissingExtra.exit_code
    assert f"pip install 'bethink[{extra}]'" in ran.stderr
