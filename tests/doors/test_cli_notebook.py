"""The commands for notebooks, as their users meet them."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from bethink.settings import data_directory
from tests.doors.running import Cli, in_terminal, process

pytestmark = pytest.mark.usefixtures("own_home")


@pytest.fixture
def project(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "我的 project"
    (made / ".git").mkdir(parents=True)
    (made / "src").mkdir()
    monkeypatch.chdir(made / "src")
    return made


def tree(root: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()
    }


def test_init_without_a_terminal_only_says_what_it_would_offer(cli: Cli, project: Path) -> None:
    before = tree(project)
    ran = cli("init")
    assert ran.code == 0
    assert ran.json["created"] is True
    assert ran.json["books"] == []
    own, its = ran.json["offers"]
    assert own["space"] == "global"
    assert its["space"] == "我的-project"
    assert its["would_make"] == ["TASKS.md", "agent/decisions.md", "agent/patterns.md"]
    assert its["would_write"] == str(project / ".bethink.toml")
    assert tree(project) == before
    assert not (data_directory() / "notebook").exists()
    told = cli("init", "--text").out
    assert "Here is your store" in told
    assert "--yes" in told
    assert "would be made there: TASKS.md" in told


def test_init_makes_both_notebooks_and_again_changes_nothing(cli: Cli, project: Path) -> None:
    made = cli("init", "--yes").json
    assert [book["space"] for book in made["books"]] == ["global", "我的-project"]
    assert all(book["sync"]["complete"] for book in made["books"])
    assert made["memories"] == 0  # headings and comments are not remembered
    own = data_directory() / "notebook"
    assert {"user/preferences.md", "user/instructions.md", "user/entities.md"} == set(tree(own))
    for text in (*tree(own).values(), *tree(project / ".bethink").values()):
        heading, blank, comment = text.decode().splitlines()
        assert heading.startswith("# ")
        assert blank == ""
        assert comment.startswith("<!-- ")
        assert comment.endswith(" -->")
    assert 'space = "我的-project"' in (project / ".bethink.toml").read_text("utf-8")
    before = tree(project), tree(own)
    again = cli("init", "--yes").json
    assert (again["books"], again["offers"], again["created"]) == ([], [], False)
    assert (tree(project), tree(own)) == before
    assert cli("recall", "anything").json["status"] == "empty"


def test_init_takes_what_is_there_and_overwrites_nothing(cli: Cli, project: Path) -> None:
    (project / ".bethink.toml").write_text('space = "alpha"\n')
    folder = project / ".bethink/agent"
    folder.mkdir(parents=True)
    (folder / "decisions.md").write_text("my own\r\n* Use apsw 用它\r\n", "utf-8", newline="")
    before = tree(project)
    made = cli("init", "--project", "--yes").json
    assert [(b["space"], b["sync"]["added"]) for b in made["books"]] == [("alpha", 2)]
    after = tree(project)
    assert {name: after[name] for name in before} == before
    assert cli("recall", "apsw 用它").json["hits"][0]["source"] == "agent/decisions.md"


def test_init_finds_notes_with_an_index(cli: Cli, project: Path) -> None:
    (project / "memory/notes").mkdir(parents=True)
    (project / "memory/INDEX.md").write_text(
        "# Index\n\n- [Theme](notes/theme.md): 主题\n", "utf-8"
    )
    (project / "memory/notes/theme.md").write_text("# Theme\n\n深色 dark mode\n", "utf-8")
    offers = cli("init").json["offers"]
    assert [(o["form"], Path(o["root"]).name) for o in offers][-1] == ("notes", "memory")
    made = cli("init", "--notes", str(project / "memory"), "--space", "notes", "--yes").json
    assert [(b["form"], b["space"], b["sync"]["added"]) for b in made["books"]] == [
        ("notes", "notes", 1)
    ]
    assert cli("recall", "dark mode", "--space", "notes").json["hits"]


def test_init_of_notes_makes_an_index_where_there_is_none(cli: Cli, tmp_path: Path) -> None:
    assert cli("init", "--notes", "笔记", "--space", "n", "--yes").code == 0
    assert (tmp_path / "笔记/INDEX.md").read_text("utf-8").startswith("# Index")
    (tmp_path / "file").write_text("")
    assert cli("init", "--notes", "file", "--yes").code == 2


def test_init_never_writes_through_links(cli: Cli, project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / ".bethink").symlink_to(outside)
    refused = cli("init", "--project", "--yes")
    assert refused.code == 2
    assert "link" in refused.error["message"]
    (project / ".bethink").unlink()
    (project / ".bethink").mkdir()
    (project / ".bethink/agent").symlink_to(outside)
    refused = cli("init", "--project", "--yes")
    assert refused.code == 2
    assert "leads out" in refused.error["message"]
    assert list(outside.iterdir()) == []


def test_a_cloned_project_cannot_have_the_users_space(cli: Cli, project: Path) -> None:
    (project / ".bethink.toml").write_text('space = "global"\n')
    refused = cli("init", "--project", "--yes")
    assert refused.code == 2
    assert "--space" in refused.error["message"]
    assert cli("init", "--project", "--space", "mine", "--yes").json["books"][0]["space"] == "mine"


def test_two_projects_of_one_name_get_two_spaces(
    cli: Cli, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("init", "--project", "--yes")
    twin = tmp_path / "other" / project.name
    (twin / ".git").mkdir(parents=True)
    monkeypatch.chdir(twin)
    made = cli("init", "--project", "--yes").json
    assert made["books"][0]["space"] == "other/我的-project"


@pytest.mark.parametrize(
    ("answers", "spaces"),
    [(b"n\ny\n", ["p"]), ("是\n\n".encode(), ["global"]), (b"\x04y\n", ["p"])],
)
def test_init_in_a_terminal_asks_for_each(
    tmp_path: Path, answers: bytes, spaces: list[str]
) -> None:
    project = tmp_path / "p"
    (project / ".git").mkdir(parents=True)
    code, text = in_terminal("init", store=tmp_path / "m.db", typed=answers, cwd=project)
    assert code == 0
    assert text.count("[y/N]") == 2
    assert "would be made there" in text
    ran = process("source", "list", store=tmp_path / "m.db")
    import json

    assert [book["space"] for book in json.loads(ran.stdout)] == spaces


def test_sources_are_added_listed_and_removed(cli: Cli, tmp_path: Path) -> None:
    vault = tmp_path / "vault 库"
    vault.mkdir()
    (vault / "a.md").write_text("# Theme\n\n深色 dark mode\n", "utf-8")
    (vault / "b.md").write_bytes(b"\xff\xfa\x00")
    assert cli("source").json == []
    added = cli("source", "add", str(vault), "--space", "notes").json
    assert (added["space"], added["sync"]["added"]) == ("notes", 1)
    assert added["sync"]["refused"][0]["path"] == "b.md"
    assert cli("recall", "dark mode", "--space", "notes").json["hits"][0]["source"] == "a.md"

    (listed,) = cli("source", "list").json
    assert (listed["root"], listed["form"], listed["writable"]) == (str(vault), "folder", False)
    assert (listed["files"], listed["pieces"], listed["refused"]) == (1, 1, 1)
    assert listed["complete"] is True
    assert cli("status").json["books"] == [listed]
    told = cli("status", "--text").out
    assert f"book      {vault} (folder of notes, read only)" in told
    assert "1 files not read" in told
    doctor = cli("doctor")
    assert doctor.code == 1
    assert any("b.md" in check["part"] for check in doctor.json if not check["ok"])

    assert cli("source", "add", str(vault), "--space", "other").code == 2
    assert cli("source", "add", str(tmp_path / "nowhere")).code == 2
    assert cli("source", "add").code == 2
    assert cli("source", "remove", str(tmp_path)).code == 3
    assert cli("source", "remove", str(vault), "--forget").code == 2  # nobody there to ask
    removed = cli("source", "remove", str(vault), "--forget", "--yes").json
    assert removed["forgotten"] == 1
    assert (vault / "a.md").exists()
    assert cli("source").json == []
    assert "No folders yet" in cli("source", "--text").out


def test_sync_says_what_it_did(cli: Cli, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    for n in range(12):
        (vault / f"n{n}.md").write_text(f"# N{n}\n\n第 {n} 条 entry\n", "utf-8")
    cli("source", "add", str(vault), "--space", "notes")
    (vault / "n1.md").write_text("# N1\n\n第 1 条 entry, changed\n", "utf-8")
    (vault / "n2.md").unlink()
    report = cli("sync").json
    assert (report["files"], report["changed"]) == (11, 2)
    assert (report["revised"], report["removed"], report["complete"]) == (1, 1, True)
    (vault / "n3.md").write_text("# N3\n\n第 3 条 entry, changed\n", "utf-8")
    assert "1 revised" in cli("sync", str(vault / "n3.md"), "--text").out
    assert cli("sync", "--space", "global").json["files"] == 0
    assert cli("sync", str(tmp_path / "x.md")).code == 2
    for file in vault.iterdir():
        file.unlink()
    refused = cli("sync")
    assert refused.code == 1
    assert "--accept-empty" in refused.json["faults"][0]
    assert cli("sync", "--text").code == 1
    assert cli("sync", "--accept-empty").json["removed"] == 11
    assert cli("sync", "--anew").json["complete"] is True


def test_sync_without_folders_says_how_to_add_some(cli: Cli) -> None:
    cli("init")
    assert cli("sync").json["files"] == 0
    assert "source add" in cli("sync", "--text").out


def test_reindex_brings_back_what_the_store_lost(cli: Cli, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("# A\n\n甲 amethyst\n", "utf-8")
    (vault / "b.md").write_text("# B\n\n乙 opal\n", "utf-8")
    cli("source", "add", str(vault), "--space", "notes")
    for found in cli("list", "--space", "notes").json["memories"]:
        cli("forget", found["id"])
    assert cli("reindex").code == 0
    assert len(cli("list", "--space", "notes").json["memories"]) == 2


def test_a_lost_store_is_filled_again_from_its_files(cli: Cli, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("# A\n\n甲 amethyst\n", "utf-8")
    cli("source", "add", str(vault), "--space", "notes")
    for file in tmp_path.glob("memory.db*"):
        if file.is_file():
            file.unlink()
    asked = cli("recall", "amethyst", "--space", "notes")
    assert asked.code != 0 and "bethink sync" in asked.error["message"]
    assert cli("sync").code == 0
    assert len(cli("recall", "甲 amethyst", "--space", "notes").json["hits"]) == 1


def test_watch_without_folders_says_what_to_do(cli: Cli) -> None:
    cli("init")
    ran = cli("watch")
    assert ran.code == 2
    assert "source add" in ran.error["message"]


def test_a_project_that_was_moved_keeps_its_memories(
    cli: Cli, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("init", "--yes")
    one = cli("remember", "Use apsw 用它", "--kind", "decision").json["id"]
    cli("reinforce", one)
    project.rename(tmp_path / "moved")
    monkeypatch.chdir(tmp_path / "moved")
    told = cli("init", "--yes", "--text").out
    assert f"was {project / '.bethink'}; its memories came along" in told
    assert cli("recall", "apsw").json["hits"][0]["id"] == one
    (memory,) = cli("list").json["memories"]
    assert (memory["id"], memory["reinforcement"]) == (one, 1)


def test_list_get_and_export_look_at_the_files_too(cli: Cli, project: Path) -> None:
    cli("init", "--yes")
    file = project / ".bethink/agent/decisions.md"
    file.write_text("- Use apsw 用它\n", "utf-8")
    (memory,) = cli("list").json["memories"]
    assert memory["text"] == "Use apsw 用它"
    file.write_text("- Use apsw 用它吧\n", "utf-8")
    assert cli("get", memory["id"]).json["text"] == "Use apsw 用它吧"
    file.write_text("- Use apsw 就用它吧\n", "utf-8")
    assert "就用它吧" in cli("export").out
    file.write_bytes("- 就用它\n".encode("gbk"))
    for command in (["list"], ["get", memory["id"]], ["export"]):
        ran = cli(*command)
        assert ran.code == 0
        assert "stale:" in ran.err
        assert "decisions.md: it is not UTF-8" in ran.err


def test_a_whole_home_is_no_source(cli: Cli, project: Path, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path.parent, Path("/")):
        ran = cli("source", "add", str(folder))
        assert ran.code != 0
        assert "home or disk" in ran.err


def test_forgetting_says_what_became_of_the_file(cli: Cli, project: Path) -> None:
    cli("init", "--yes")
    one = cli("remember", "The key is hunter2 机密", "--kind", "decision").json["id"]
    ran = cli("forget", one, "--yes", "--text")
    file = project / ".bethink/agent/decisions.md"
    assert f"removed from {file}" in ran.err
    assert "hunter2" not in file.read_text("utf-8")
    cli("sync", "--anew")
    assert cli("list").json["memories"] == []
    refused = cli("forget", "--space", "我的-project", "--yes")
    assert refused.code != 0
    assert "source remove" in refused.err


def test_an_emptied_notebook_is_named_by_sync(cli: Cli, project: Path) -> None:
    cli("init", "--yes")
    cli("remember", "Use apsw 用它", "--kind", "decision")
    for file in (project / ".bethink").rglob("*.md"):
        file.unlink()
    ran = cli("sync", "--text")
    assert ran.code == 1
    assert "is empty" in ran.out
    assert "--accept-empty" in ran.out
    assert "No folders" not in ran.out
    answer = cli("recall", "apsw")
    assert answer.json["status"] == "stale"


@pytest.mark.parametrize(
    ("question", "entry"),
    [
        ("which decisions have we made", "We use service {n} for the part {n} of the shop"),
        ("我们做过哪些决策", "商城的第 {n} 部分采用服务 {n}"),
    ],
)
def test_a_route_hands_out_the_whole_file_as_one_result(
    cli: Cli, project: Path, question: str, entry: str
) -> None:
    cli("init", "--yes")
    lines = [entry.format(n=n) for n in range(34)]
    text = "# Decisions\n\n" + "".join(f"- {line}\n" for line in lines[:20])
    text += "\n## Later\n\n" + "".join(f"- {line}\n" for line in lines[20:])
    (project / ".bethink/agent/decisions.md").write_text(text, "utf-8")
    answer = cli("recall", question, "--preset", "notebook", "--limit", "3").json
    (hit,) = answer["hits"]
    assert (hit["id"], hit["source"]) == ("file:agent/decisions.md", "agent/decisions.md")
    assert [line[2:] for line in hit["text"].splitlines() if line.startswith("- ")] == lines
    assert "## Later" in hit["text"].splitlines()
    assert answer["reasons"] == []
    assert answer["tokens_used"] == hit["tokens"] == 1500 - answer["tokens_left"]
    (result,) = cli("recall", question, "--preset", "notebook", "--format", "search-response").json[
        "results"
    ]
    assert (result["uri"], result["token_count"]) == ("agent/decisions.md", hit["tokens"])
    shown = cli("recall", question, "--preset", "notebook", "--markdown").out.splitlines()
    assert shown[0] == "- agent/decisions.md"
    assert [line[4:] for line in shown[1:] if not line.endswith("Later:")] == lines
    # the access is counted for every entry
    told = cli("list", "--limit", "50").json["memories"]
    assert {memory["access_count"] for memory in told} == {3}


@pytest.mark.parametrize("question", ["which decisions have we made", "我们做过哪些决策"])
def test_a_file_over_the_budget_says_what_is_missing(
    cli: Cli, project: Path, question: str
) -> None:
    cli("init", "--yes")
    text = "".join(f"- 采用服务 use the service number {n}\n" for n in range(34))
    (project / ".bethink/agent/decisions.md").write_text(text, "utf-8")
    answer = cli("recall", question, "--preset", "notebook", "--budget", "100").json
    (hit,) = answer["hits"]
    shown = sum(line.startswith("- ") for line in hit["text"].splitlines())
    assert 3 < shown < 34
    assert answer["tokens_used"] <= 100
    assert answer["reasons"] == [
        f"{34 - shown} of 34 entries do not fit in 100 tokens; raise the budget to read all"
    ]


@pytest.mark.parametrize("question", ["what happened in the past 30 days", "最近三十天发生了什么"])
def test_a_period_hands_out_all_its_days_each_as_one_result(
    cli: Cli, project: Path, question: str
) -> None:
    cli("init", "--yes")
    days = [date.today() - timedelta(days=n) for n in range(1, 21)]
    for day in days:
        path = project / f".bethink/journal/{day}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"- 09:00 早会 stand-up {day}\n- 14:00 散步 a walk\n", "utf-8")
    answer = cli("recall", question, "--preset", "notebook").json
    assert [hit["source"] for hit in answer["hits"]] == [f"journal/{day}.md" for day in days]
    first = answer["hits"][0]["text"].splitlines()
    assert ["stand-up" in first[0], "walk" in first[1]] == [True, True]
    assert answer["reasons"] == []


def lingxi(folder: Path) -> Path:
    """Notes as an agent's workflow keeps them."""
    notes = folder / "notes"
    notes.mkdir(parents=True)
    (folder / "INDEX.md").write_text("# Index\n\n- [Gateway](notes/gateway.md): 40103\n", "utf-8")
    (notes / "gateway.md").write_text(
        "# 网关签名失败 the signature\n\n先校准时间 set the clock first: ERR_SIGN_40103\n",
        "utf-8",
    )
    return folder


@pytest.mark.parametrize("question", ["what about ERR_SIGN_40103", "网关签名失败怎么办"])
@pytest.mark.parametrize("where", [".cursor/.lingxi/memory", "memory"])
def test_notes_of_a_project_are_detected_and_asked(
    cli: Cli, project: Path, where: str, question: str
) -> None:
    folder = lingxi(project / where)
    offer = cli("init").json["offers"][-1]
    assert (offer["form"], offer["root"]) == ("notes", str(folder))
    cli("init", "--yes")
    (hit,) = cli("recall", question, "--preset", "skill").json["hits"]
    assert hit["source"] == "notes/gateway.md"


@pytest.mark.parametrize("question", ["what about ERR_SIGN_40103", "网关签名失败怎么办"])
@pytest.mark.parametrize("before", [False, True], ids=["alone", "beside a notebook"])
def test_notes_anywhere_are_asked_in_the_project(
    cli: Cli, project: Path, tmp_path: Path, question: str, before: bool
) -> None:
    if before:
        cli("init", "--yes")
    folder = lingxi(tmp_path / "elsewhere/shared notes")
    (made,) = cli("init", "--notes", str(folder), "--yes").json["books"]
    assert made["space"] == "我的-project"
    (hit,) = cli("recall", question).json["hits"]
    assert hit["source"] == "notes/gateway.md"
    given = json.dumps({"prompt": question, "cwd": str(project)}).encode()
    hook = ("hook", "prompt", "--harness", "claude")
    told = process(*hook, store=tmp_path / "memory.db", given=given)
    assert b"set the clock first" in told.stdout


def test_a_second_folder_of_notes_is_only_read(cli: Cli, project: Path, tmp_path: Path) -> None:
    cli("init", "--notes", str(lingxi(project / "memory")), "--yes")
    other = tmp_path / "more"
    (other / "notes").mkdir(parents=True)
    (other / "notes/tea.md").write_text("# Tea 茶\n\noolong 乌龙\n", "utf-8")
    ran = cli("init", "--notes", str(other), "--yes").json
    assert any("is only read" in note for note in ran["notes"])
    assert not (other / "INDEX.md").exists()
    assert cli("recall", "oolong 乌龙").json["hits"][0]["source"] == "notes/tea.md"
