"""Addresses: what is ours, what is libpq's, and that no password is ever shown."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from bethink import Engine
from bethink.addresses import is_server, without_password
from bethink.doors.cli.main import main
from bethink.errors import InvalidInput, MissingExtra
from bethink.settings import Settings
from bethink.stores.postgres.address import parse_address
from bethink.stores.postgres.plain_errors import in_plain_words
from tests.embedders_of_tests import Letters
from tests.servers.postgres_server import PostgresServer


def test_ours_is_taken_out_and_the_rest_is_libpq_s() -> None:
    url = "postgresql://me:pw@h:5433/db?sslmode=require&connections=3&m=8&index=ivfflat&lists=7"
    address = parse_address(url)
    assert (address.connections, address.m, address.method, address.lists) == (3, 8, "ivfflat", 7)
    assert "connections" not in address.conninfo
    assert "sslmode=require" in address.conninfo
    assert "pw" in address.conninfo
    assert address.shown.startswith("postgresql://me@h:5433/db?sslmode=require")


@pytest.mark.parametrize(
    "wrong", ["connections=0", "connections=x", "m=1", "lists=-1", "index=flat", "m=１６"]
)
def test_what_is_wrong_is_named(wrong: str) -> None:
    with pytest.raises(InvalidInput, match=wrong.partition("=")[0]):
        parse_address(f"postgresql://h/db?{wrong}")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:s3cret@h/db",
        "postgresql://me:s3cret@h:1/db?sslmode=require",
        "postgresql://h/db?user=me&password=s3cret",
        "postgresql://me:s3/cret@h/db",
        "postgresql://me:s3#cret@h/db",
        "postgresql://me:s3?cret@h/db",
        "postgres://密:s3cret@h/数据库",
        "postgresql://me:s3cret@[h/db",
        "postgresql://me:100%s3cret@127.0.0.1:1/db",
        "POSTGRESQL://me:s3cret@h/db",
        " postgresql://me:s3cret@h/db\n",
        "postgresql://me:s3cret@h1:5432,h2:5433/db",
        "postgresql://me:s3cret@h1:5432,h2:x/db",
        "postgresql://h/db?sslPassword=s3cret&Api_KEY=s3cret&Token=s3cret&x_secret=s3cret",
    ],
)
def test_no_password_is_shown(url: str) -> None:
    assert is_server(url)
    settings = Settings(store=url)
    shown = [without_password(url), settings.store_shown, repr(settings), settings.store_path.name]
    try:
        shown.append(parse_address(url).shown)
    except InvalidInput as e:
        shown.append(f"{e} {e.__cause__} {e.__suppress_context__}")
    for text in shown:
        assert "cret" not in text
        assert "s3" not in text


@pytest.mark.parametrize(
    "nearly",
    [
        "postgresql:/me:s3cret@h/db",
        "postgresql:me:s3cret@h/db",
        "postgresql+psycopg://me:s3cret@h/db",
        "mysql://me:s3cret@h/db",
        "host=h user=me password=s3cret dbname=d",
        "sslmode=require password = s3cret",
    ],
)
def test_what_is_nearly_an_address_is_refused_and_not_shown(
    nearly: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="postgresql://user:password@host") as refused:
        Engine(nearly, settings=Settings())
    monkeypatch.setenv("BETHINK_STORE", nearly)
    assert main(["remember", "预算 is 42"]) != 0
    assert main(["config", "get", "store"]) == 0
    assert main(["config", "set", "store", nearly]) != 0
    assert main(["move", nearly, "m.db"]) != 0
    said = capsys.readouterr()
    assert "s3cret" not in f"{refused.value}{said.out}{said.err}"
    assert not list(tmp_path.glob("*s3cret*"))


def test_an_address_in_capitals_is_one_and_a_file_may_have_any_name() -> None:
    url = " POSTGRESQL://me@h/db "
    assert Settings(store=url).server == url.strip()
    assert parse_address(url).conninfo.startswith("postgresql://me@h/db?")
    assert not is_server("./host=h password=x")
    assert not is_server("./postgresql:x")


def test_spaces_and_signs_come_to_libpq_as_they_were_meant() -> None:
    url = "postgresql://h/db?options=-c%20geqo%3Doff&application_name=a+b"
    told = psycopg.conninfo.conninfo_to_dict(parse_address(url).conninfo)
    assert (told["options"], told["application_name"]) == ("-c geqo=off", "a+b")


def test_of_several_hosts_the_one_that_is_there_answers(server: PostgresServer) -> None:
    database = psycopg.conninfo.conninfo_to_dict(server.new_database())["dbname"]
    folder = quote(str(server.folder), safe="")
    url = f"postgresql://bethink@127.0.0.1:1,{folder}:5432/{database}"
    assert without_password(url) == url
    with Engine(url, embedder=Letters(), settings=Settings()) as engine:
        engine.remember("两台 servers, one answers")
        assert engine.store.count() == 1


@pytest.mark.parametrize("raw", ["100%s3cret", "s3%", "s3%00cret"])
def test_a_raw_percent_never_comes_to_libpq(raw: str) -> None:
    with pytest.raises(InvalidInput, match="%25"):
        parse_address(f"postgresql://me:{raw}@127.0.0.1:1/db")


def test_what_libpq_quotes_of_an_address_is_not_shown() -> None:
    error = psycopg.ProgrammingError('invalid percent-encoded token: "s3cret"')
    assert "s3cret" not in str(in_plain_words(error, "here"))


@pytest.mark.parametrize("path", ["memory.db", "/var/postgresql/m.db", "C:\\m.db", "x://y", ""])
def test_a_path_is_no_address(path: str) -> None:
    assert not is_server(path)


def test_an_engine_opens_an_address(server: PostgresServer) -> None:
    address = server.new_database()
    with Engine(address, embedder=Letters(), settings=Settings()) as engine:
        engine.remember("我们每周五部署 the payment service")
        (hit,) = engine.recall("什么时候部署").hits
        assert "每周五" in hit.text
        assert engine.status().store.startswith("postgresql://bethink@/")
        assert engine.forget(hit.id)
    with Engine(settings=Settings(store=address), embedder=Letters()) as engine:
        assert engine.store.count() == 0


def test_the_command_line_takes_an_address(
    server: PostgresServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BETHINK_STORE", server.new_database().replace("@", ":s3cret@", 1))
    monkeypatch.setenv("BETHINK_EMBEDDER", "hashing")
    calls = (
        ["remember", "预算 is 42 万元"],
        ["recall", "预算"],
        ["status"],
        ["doctor"],
        ["config", "get", "store"],
        ["init", "--yes"],
    )
    for call in calls:
        assert main([*call, "--json"]) == 0, call
    said = capsys.readouterr()
    assert "42 万元" in said.out
    assert "s3cret" not in said.out + said.err
    assert json.loads(said.out.splitlines()[4])["store"].startswith("postgresql://bethink@")


def test_without_the_optional_part_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in [n for n in sys.modules if n.startswith(("psycopg", "bethink.stores.postgres"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"bethink\[postgres\]"):
        Engine("postgresql://h/db", settings=Settings())
