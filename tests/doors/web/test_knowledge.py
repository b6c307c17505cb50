"""Documents by clicking: in, withheld, replaced, out; the room shows what the store holds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, expect

from bethink.knowledge import KnowledgeBase
from bethink.knowledge.documents_kept import Document
from tests.doors.running import process
from tests.doors.web.conftest import Open
from tests.doors.web.served import Served
from tests.doors.web.test_key import REFUSED, Keyed, enter
from tests.doors.web.test_rooms import GUIDE, both_languages, both_themes, seed_base
from tests.doors.web.visiting import Visit, file, open_page
from tests.knowledge.test_documents_others import READER

BASE = "手册"
SAID = {
    "en": {"found": "can be found", "withheld": "withheld", "added": "added", "count": "3",
           "yes": "Remove", "erased": "Memories erased: 2", "bases": "documents: 3 · questions: 2"},
    "zh": {"found": "可查到", "withheld": "已停用", "added": "已添加", "count": "3",
           "yes": "移除", "erased": "抹去 2 条记忆", "bases": "文档 3 · 问题 2"},
}  # fmt: skip
BUTTONS = {
    "en": {
        "withhold": "Withhold",
        "again": "Let in again",
        "remove": "Remove …",
        "keep": "Keep it",
    },
    "zh": {"withhold": "停用", "again": "重新启用", "remove": "移除……", "keep": "保留"},
}


def documents(served: Served, base: str = BASE) -> dict[str, Document]:
    with served.engine() as engine:
        return {one.address: one for one in KnowledgeBase(engine, base).documents()}


def bring(here: Visit, *files: FilePayload) -> None:
    here.page.locator("input[name=files]").set_input_files(list(files))


def upload(here: Visit, name: str) -> Any:
    return here.page.locator(".upload").filter(has_text=name)


@both_themes
@both_languages
def test_documents_are_seen_withheld_let_in_and_removed(
    served: Served, visit: Open, language: str, scheme: str
) -> None:
    seed_base(served)
    here = visit(language=language, scheme=scheme)
    said, buttons = SAID[language], BUTTONS[language]
    here.go("knowledge", language)
    expect(here.page.locator(".bases .switches label")).to_contain_text(said["bases"])
    expect(here.page.locator("h2 .count")).to_have_text(said["count"])
    guide = here.document("Handbook 员工手册")
    expect(guide).to_contain_text("docs/handbook.md")
    expect(guide).to_contain_text("markdown")
    expect(guide.locator(".badge")).to_have_text(said["found"])
    expect(here.document("Old contract").locator(".badge")).to_have_text(said["withheld"])
    guide.locator("summary").click()
    expect(guide.locator(".parts-of-document li")).to_have_count(2)
    expect(guide.locator(".parts-of-document")).to_contain_text("离职须提前三个月通知。")

    guide.get_by_role("button", name=buttons["withhold"]).click()
    expect(guide.locator(".badge")).to_have_text(said["withheld"])
    assert not documents(served)["docs/handbook.md"].enabled
    guide.get_by_role("button", name=buttons["again"]).click()
    expect(guide.locator(".badge")).to_have_text(said["found"])
    assert documents(served)["docs/handbook.md"].enabled

    travel = here.document("报销.md")
    travel.get_by_role("button", name=buttons["remove"]).click()
    dialog = here.page.get_by_role("dialog")
    expect(dialog).to_contain_text("报销")
    dialog.get_by_role("button", name=buttons["keep"]).click()
    assert "报销.md" in documents(served)
    travel.get_by_role("button", name=buttons["remove"]).click()
    dialog.get_by_role("button", name=said["yes"], exact=True).click()
    expect(here.page.locator(".note.good")).to_contain_text(said["erased"])
    expect(travel).to_have_count(0)
    assert "报销.md" not in documents(served)


def test_what_is_said_moves_nothing_and_goes_when_told(served: Served, visit: Open) -> None:
    seed_base(served)
    here = visit()
    here.go("knowledge")
    travel = here.document("报销.md")
    before = travel.bounding_box()
    travel.get_by_role("button", name="Withhold").click()
    expect(here.page.locator(".note.good")).to_contain_text("“报销” is withheld")
    assert travel.bounding_box() == before
    here.page.get_by_role("button", name="Dismiss").click()
    expect(here.page.locator(".note")).to_have_count(0)


def test_by_keyboard_alone(served: Served, visit: Open) -> None:
    seed_base(served)
    here = visit()
    page = here.page
    page.on("filechooser", lambda _: None)  # heard from now on: the browser needs a moment for that
    here.go("knowledge")
    expect(page.locator(".document")).to_have_count(3)
    choose = page.get_by_role("button", name="Choose files")
    choose.focus()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    assert chooser.value.is_multiple()
    remove = here.document("报销.md").get_by_role("button", name="Remove")
    remove.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("button", name="Keep it")).to_be_focused()
    page.keyboard.press("Escape")
    expect(remove).to_be_focused()
    assert "报销.md" in documents(served)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("button", name="Keep it")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=2, name="Documents")).to_be_focused()
    assert "报销.md" not in documents(served)
    page.locator(".parts input:checked").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("textarea")).to_be_visible()
    page.go_back()
    expect(page.locator(".document")).to_have_count(2)


def test_several_files_each_with_what_became_of_it(served: Served, visit: Open) -> None:
    here = visit(expected=[r"status of 422"])
    here.go("knowledge")
    expect(here.page.locator(".empty")).to_contain_text("No knowledge base yet")
    here.page.locator("input[name=base]").fill("财务/expenses")
    here.page.get_by_role("button", name="Open it").click()
    expect(here.page.locator(".empty")).to_contain_text("No documents here yet")
    bring(here, file("手册.md", GUIDE), file("bad.pdf", "no"), file("x.bin", b"\0\1" * 99),
          file("notes.txt", "Trains: second class. 二等座。"))  # fmt: skip
    expect(upload(here, "手册.md")).to_contain_text("added")
    expect(upload(here, "notes.txt")).to_contain_text("added")
    expect(upload(here, "bad.pdf")).to_contain_text("but is no PDF")
    expect(upload(here, "x.bin")).to_contain_text("no format that is read")
    expect(upload(here, "x.bin").get_by_role("button")).to_have_count(0)
    expect(here.page.locator(".document")).to_have_count(2)
    assert sorted(documents(served, "财务/expenses")) == ["notes.txt", "手册.md"]
    expect(here.page.locator(".bases .switches label")).to_contain_text("documents: 2")

    bring(here, file("手册.md", GUIDE), file("notes.txt", "Trains: first class. 一等座。"))
    expect(here.page.locator(".upload").filter(has_text="as before")).to_contain_text("手册.md")
    expect(here.page.locator(".upload").filter(has_text="replaced")).to_contain_text("notes.txt")
    here.page.get_by_role("button", name="Clear what is done").click()
    expect(here.page.locator(".upload")).to_have_count(0)
    here.page.reload()  # the address names the base
    expect(here.page.locator(".document")).to_have_count(2)


def test_one_is_replaced_and_stays_as_it_was_called(served: Served, visit: Open) -> None:
    seed_base(served)
    before = documents(served)["docs/handbook.md"]
    here = visit()
    here.go("knowledge")
    guide = here.document("Handbook 员工手册")
    new = GUIDE.replace("三个月", "六个月").replace("Handbook", "New handbook")
    guide.locator("input[name=instead]").set_input_files([file("v2.md", new)])
    expect(upload(here, "v2.md")).to_contain_text("replaced")
    expect(here.document("New handbook")).to_contain_text("docs/handbook.md")
    after = documents(served)["docs/handbook.md"]
    assert (after.id, len(documents(served))) == (before.id, 3)


_DROP = """(files) => {
  const transfer = new DataTransfer();
  for (const [name, text] of files) transfer.items.add(new File([text], name));
  const target = document.querySelector(".drop");
  for (const kind of ["dragover", "drop"])
    target.dispatchEvent(
      new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


def test_files_are_dropped(served: Served, visit: Open) -> None:
    seed_base(served)
    here = visit()
    here.go("knowledge")
    expect(here.page.locator(".document")).to_have_count(3)
    dropped: Sequence[Sequence[str]] = [["一.md", "# 一\n\n甲"], ["two.md", "# Two\n\nb"]]
    here.page.evaluate(_DROP, dropped)
    expect(here.page.locator(".document")).to_have_count(5)
    assert {"一.md", "two.md"} <= documents(served).keys()


def test_files_of_a_folder_keep_their_paths(served: Served, visit: Open) -> None:
    """A folder cannot be dropped by a program, so its shape is given: what a browser hands over."""
    found = visit().page.evaluate(
        """async () => {
          const { filesOf } = await import("/page/dropped.js");
          const file = (path) => ({ isFile: true, name: path.split("/").at(-1), fullPath: path,
            file: (done) => done(new File(["x"], path.split("/").at(-1))) });
          const folder = (name, inside) => {
            const batches = [inside, []];
            const readEntries = (done) => done(batches.shift());
            return { isDirectory: true, name, createReader: () => ({ readEntries }) };
          };
          const tree = folder("手册", [
            file("/手册/a.md"),
            file("/手册/.hidden"),
            folder("node_modules", [file("/手册/node_modules/x.md")]),
            folder("sub", [file("/手册/sub/b.md")]),
          ]);
          const entries = [tree, file("/c.md")];
          const items = entries.map((entry) => ({ webkitGetAsEntry: () => entry }));
          return (await filesOf({ items, files: [] })).map((one) => one.name);
        }"""
    )
    assert found == ["手册/a.md", "手册/sub/b.md", "c.md"]


def test_what_is_too_large_is_not_even_sent(served: Served, visit: Open, tmp_path: Path) -> None:
    seed_base(served)
    big = tmp_path / "大 big.pdf"
    with big.open("wb") as handle:
        handle.truncate(33 * 1024 * 1024)
    here = visit()
    here.go("knowledge")
    expect(here.page.locator(".document")).to_have_count(3)
    here.page.locator("input[name=files]").set_input_files(big)
    expect(upload(here, "big.pdf")).to_contain_text("It has 33 MiB; at most 32 MiB are taken")
    assert len(documents(served)) == 3


def test_what_the_server_cannot_read_is_said_before_and_after(
    served: Served, visit: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seed_base(served)
    (tmp_path / "pypdfium2.py").write_text("raise ImportError('not installed')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    here = visit(expected=[r"status of 501"])
    here.go("knowledge")
    expect(here.page.locator(".drop")).to_contain_text("Not read here: pdf.")
    bring(here, file("合同.pdf", b"%PDF-1.4 whatever"))
    expect(upload(here, "合同.pdf")).to_contain_text("pip install 'bethink[documents]'")


def test_bytes_that_are_still_held_are_told(served: Served, visit: Open) -> None:
    seed_base(served)
    here = visit()
    here.go("knowledge")
    expect(here.page.locator(".document")).to_have_count(3)
    command = [sys.executable, "-c", READER, str(served.store)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"reading\n"
        here.document("报销.md").get_by_role("button", name="Remove").click()
        here.page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
        expect(here.page.locator(".note.warn")).to_contain_text("another process is reading")
        reader.communicate()


def test_what_others_change_shows_here(served: Served, visit: Open, tmp_path: Path) -> None:
    seed_base(served)
    here = visit()
    here.go("knowledge")
    expect(here.page.locator(".document")).to_have_count(3)
    path = tmp_path / "新 new.md"
    path.write_text("# 新 New\n\n正文", "utf-8")
    ran = process("documents", "add", str(path), "--space", BASE, store=served.store)
    assert ran.returncode == 0, ran.stderr
    expect(here.document("新 New")).to_be_visible()
    with served.engine() as engine:
        KnowledgeBase(engine, BASE).disable_documents("报销.md")
    expect(here.document("报销.md").locator(".badge")).to_have_text("withheld")
    with served.engine() as engine:
        KnowledgeBase(engine, "another 库".replace(" ", "-")).add_faq("when?", "now")
    expect(here.page.locator(".bases .switches label")).to_have_count(2)


def test_what_somebody_else_removed_is_said_and_the_list_is_right(
    served: Served, visit: Open
) -> None:
    seed_base(served)
    here = visit(expected=[r"status of 404"])
    here.go("knowledge")
    travel = here.document("报销.md")
    expect(travel).to_be_visible()

    def meanwhile(route: Any) -> None:
        with served.engine() as engine:
            KnowledgeBase(engine, BASE).remove_documents("报销.md")
        route.continue_()

    here.page.route("**/disable", meanwhile)
    travel.get_by_role("button", name="Withhold").click()
    expect(here.page.locator(".note.bad")).to_contain_text("there is no document")
    expect(travel).to_have_count(0)


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[Keyed]:
    server = Keyed(tmp_path / "memory.db")
    yield server
    server.stop()


def test_who_may_only_read_is_shown_nothing_that_would_be_refused(
    browser: Browser, keyed: Keyed
) -> None:
    seed_base(keyed)
    with keyed.engine() as engine:
        KnowledgeBase(engine, "secret-库").add_faq("秘密？", "not for this key")
    limited = keyed.reception.keys.create(name="小美", scopes=["read"], spaces=[BASE])
    here = open_page(browser, keyed.address, expected=[*REFUSED, r"status of 404"])
    enter(here.page, limited.key)
    here.go("knowledge")
    expect(here.page.locator(".document")).to_have_count(3)
    expect(here.page.locator("#room")).to_contain_text("needs the scope “write”")
    expect(here.page.locator(".bases .switches label")).to_have_count(1)
    expect(here.page.locator(".verbs, .drop, .new-base, input[type=file]")).to_have_count(0)
    here.part("faq")
    expect(here.page.locator(".document")).to_have_count(2)
    expect(here.page.locator(".verbs, .importing, input[type=file]")).to_have_count(0)
    expect(here.page.get_by_role("button", name="Add a question")).to_have_count(0)
    here.part("ask")
    expect(here.ask("离职要提前多久通知？").locator(".hit").first).to_contain_text("三个月")
    here.page.goto(f"{keyed.address}#knowledge/secret-库/faq")
    expect(here.page.locator(".note.bad")).to_contain_text("there is no such space")
    assert "not for this key" not in here.page.content()
    here.page.context.close()
    assert here.complaints == []
