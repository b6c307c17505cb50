"""A server that answers and refuses: trying again does not help, so nobody is told to."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from bethink.doors.cli.main import main
from bethink.errors import InvalidInput, StoreError, StoreUnavailable
from bethink.stores.postgres.address import parse_address
from bethink.stores.postgres.plain_errors import in_plain_words
from bethink.stores.postgres.store import PostgresStore
from tests.servers.postgres_server import PostgresServer


@pytest.fixture(scope="module")
def strict() -> Iterator[PostgresServer]:
    """One that asks everybody for a password, but the superuser and `bethink`."""
    with PostgresServer.started() as server:
        server.new_database()
        (server.folder / "data" / "pg_hba.conf").write_text(
            "local all postgres,bethink,角色 trust\n"
            "local all kept_out reject\n"
            "local all all scram-sha-256\n"
        )
        server.execute(
            "CREATE ROLE reader LOGIN PASSWORD 's3cret'",
            "CREATE ROLE group_only NOLOGIN PASSWORD 's3cret'",
            "CREATE ROLE full_up LOGIN PASSWORD 's3cret' CONNECTION LIMIT 0",
            "CREATE DATABASE closed",
            "REVOKE CONNECT ON DATABASE closed FROM PUBLIC",
            "SELECT pg_reload_conf()",
        )
        yield server


@pytest.mark.parametrize(
    ("account", "database", "said", "advice"),
    [
        ("角色", "d1", 'role "角色" does not exist', "CREATE ROLE"),
        ("reader:s3cret-not", "d1", "password authentication failed", "check the user"),
        ("reader", "d1", "no password supplied", "check the user"),
        ("group_only:s3cret", "d1", "not permitted to log in", "check the user"),
        ("kept_out:s3cret", "d1", "pg_hba.conf", "check the user"),
        ("reader:s3cret", "数据库", 'database "数据库" does not exist', "CREATE DATABASE"),
        ("reader:s3cret", "closed", "permission denied", "GRANT CONNECT"),
    ],
)
def test_what_stays_refused_says_what_to_do(
    strict: PostgresServer, account: str, database: str, said: str, advice: str
) -> None:
    with pytest.raises(StoreError, match=advice) as caught:
        PostgresStore(strict.address(database, account))
    assert said in str(caught.value)
    assert not isinstance(caught.value, StoreUnavailable)
    assert "again" not in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_what_may_pass_is_to_be_tried_again(strict: PostgresServer) -> None:
    limit = r"no more connections now \(too many connections.*connections=….*CONNECTION LIMIT"
    with pytest.raises(StoreUnavailable, match=limit) as full:
        PostgresStore(strict.address("d1", "full_up:s3cret"))
    assert "cannot be reached" not in str(full.value)
    with pytest.raises(StoreUnavailable, match=r"Try again.*look at the address"):
        PostgresStore("postgresql://bethink@127.0.0.1:1/d")


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ('角色 "我" 不存在', "CREATE ROLE"),
        ('不允许角色"我" 进行登录', "check the user"),
        ('用户 "我" Password 认证失败', "check the user"),
        ('数据库 "记忆" 不存在', "CREATE DATABASE"),
        ('访问数据库"记忆"的权限不够', "GRANT CONNECT"),
    ],
)
def test_a_server_that_speaks_chinese_is_understood(said: str, advice: str) -> None:
    """The wheel that these tests start knows English only. Before a login is done the server's
    words are all there is: psycopg has no code of the error."""
    told = f'connection failed: connection to server at "h", port 5432 failed: 致命错误:  {said}'
    error = in_plain_words(psycopg.OperationalError(told), "here")
    assert type(error) is StoreError
    assert advice in str(error)
    assert said in str(error)


@pytest.mark.parametrize(
    "said",
    [
        "sorry, too many clients already",
        "remaining connection slots are reserved for roles with the SUPERUSER attribute",
        '由角色"我"发起的连接太多了',
        '到数据库 "记忆"的连接太多了',
        "已保留的连接位置为执行非复制请求的超级用户预留",
    ],
)
def test_that_no_more_connections_are_to_be_had(said: str) -> None:
    told = f'connection failed: connection to server at "h", port 5432 failed: FATAL:  {said}'
    error = in_plain_words(psycopg.OperationalError(told), "here")
    assert isinstance(error, StoreUnavailable)
    assert f"here takes no more connections now ({said}). Try again" in str(error)


def test_a_setting_that_means_nothing_is_to_be_mended(strict: PostgresServer) -> None:
    with pytest.raises(StoreError, match=r"sslmode.*mend the address") as caught:
        PostgresStore(f"{strict.address('d1', 'bethink')}&sslmode=要")
    assert "again" not in str(caught.value)


@pytest.mark.parametrize("url", ["postgresql://h/db?foo=1", "postgresql://h/db?m=8&foo=&bar=2"])
def test_an_unknown_parameter_is_named(url: str) -> None:
    with pytest.raises(InvalidInput, match="'foo'") as refused:
        parse_address(url)
    for known in ("connections", "ef_construction", "index", "sslmode", "target_session_attrs"):
        assert known in str(refused.value)


def test_an_unknown_parameter_is_named_on_the_command_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BETHINK_STORE", "postgresql://me:s3cret@h/db?参数=1")
    assert main(["recall", "预算"]) == InvalidInput.exit_code
    said = capsys.readouterr().err
    assert "'参数'" in said
    assert "s3cret" not in said


@pytest.mark.parametrize("piece", ["s3cret", "s3cret&x", "x=1&s3cret"])
def test_what_may_be_a_piece_of_the_password_is_not_named(piece: str) -> None:
    with pytest.raises(InvalidInput, match="%3F") as refused:
        parse_address(f"postgresql://me:12?{piece}@h/db")
    assert "s3cret" not in str(refused.value)
