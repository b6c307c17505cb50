from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bethink.doors.cli.colour import identifier
from bethink.doors.cli.ids import hashed_id
from bethink.doors.cli.session import Session, clip
from bethink.errors import InvalidInput, NotFound, install_extra

if TYPE_CHECKING:
    from bethink.knowledge import KnowledgeBase
    from bethink.knowledge.documents.report import Outcome, Report
    from bethink.knowledge.documents_kept import Document

_EPILOG = f"""\
formats: Markdown, text, CSV; with {install_extra("documents")} also HTML, PDF, DOCX, PPTX,
XLSX and EPUB

examples:
  bethink documents add docs/ contract.pdf --space handbook
  bethink documents add docs/ --space handbook --prune           and remove those that are gone
  bethink documents add docs/ --space handbook --format pdf
  bethink documents list --space handbook
  bethink documents show docs/guide.md --space handbook          its sections, with their pages
  bethink documents replace contract.pdf contract-v2.pdf --space handbook
  bethink documents disable docs/old.md --space handbook         kept, and no question finds it
  bethink documents enable docs/old.md --space handbook
  bethink documents remove docs/old.md --space handbook          erased
  bethink documents bases                  spaces with documents or frequent questions

A document is named by its id, the beginning of the id's hash, its address (as 'list' shows it) or
the path of its file.
Added again, files that have not changed are passed over and those that have are replaced. What
cannot be read is named with the reason and stops nothing else; the exit code is then 2. Stopped in
the middle, do it again: it goes on.
"""
_WHAT = ("add", "list", "show", "replace", "enable", "disable", "remove", "bases")
_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("what", choices=_WHAT)
    parser.add_argument(
        "given", nargs="*", metavar="PATH|ID", help="files and folders (add), or documents"
    )
    parser.add_argument("--space", help="the knowledge base (default: the setting 'space')")
    adding = parser.add_argument_group("add")
    adding.add_argument(
        "--prune", action="store_true", help="remove documents whose files are gone"
    )
    adding.add_argument(
        "--format", action="append", metavar="FORMAT", help="only these of a folder; repeatable"
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    what = arguments.what
    if what != "add" and (arguments.prune or arguments.format):
        option = "--prune" if arguments.prune else "--format"
        raise InvalidInput(f"{option} is for 'bethink documents add'")
    if what == "bases":
        return _bases(arguments, session)
    if what == "list" and arguments.given:
        raise InvalidInput("'bethink documents list' takes no names; 'show' shows one document")
    if what != "list" and not arguments.given:
        raise InvalidInput(_NOTHING.get(what, "which documents? name their ids or addresses"))
    if what == "add":
        return _add(arguments, session)
    base = _base(arguments, session)
    if what == "replace":
        arguments.given[:1] = _named(base, arguments.given[:1])
    else:
        arguments.given = _named(base, arguments.given)
    if what == "list":
        _list(base.documents(), session)
    elif what == "show":
        _one(arguments.given, 1, "'bethink documents show' takes one document")
        _show(base, arguments.given[0], session)
    elif what == "replace":
        _one(arguments.given, 2, "'bethink documents replace' takes a document and a file")
        _replaced(base.replace_document(*arguments.given), session)
    elif what == "remove":
        _remove(base, arguments.given, session)
    else:
        switch = base.enable_documents if what == "enable" else base.disable_documents
        _list(switch(*arguments.given), session)
    return 0


def _bases(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.knowledge.spaces_with_knowledge import knowledge_bases

    if arguments.given or arguments.space:
        raise InvalidInput("'bethink documents bases' takes no names: it shows all there are")
    found = knowledge_bases(session.engine)
    if session.json:
        session.show_each(one._asdict() for one in found)
        return 0
    for one in found:
        entries = f"{one.entries:,} frequent question{'' if one.entries == 1 else 's'}"
        session.say(f"{one.name}  {_counted(one.documents, 'document')}, {entries}")
    if not found:
        session.say("no knowledge base yet: 'bethink documents add PATH --space NAME' makes one")
    return 0


_NOTHING = {
    "add": "nothing to add; name files or folders",
    "show": "which document? name its id or address",
    "replace": "which document, and by which file? name both",
}


def _named(base: KnowledgeBase, given: Sequence[str]) -> list[str]:
    """Return the names of documents as given, with the beginnings of ids completed."""
    from bethink.knowledge.shared import DOCUMENT

    def exists(name: str) -> bool:
        try:
            return bool(base.document_ids(name))
        except NotFound:
            return False

    return [
        hashed_id(base.engine, name, space=base.space, kind=DOCUMENT, exists=exists)
        for name in given
    ]


def _one(given: Sequence[str], count: int, otherwise: str) -> None:
    if len(given) != count:
        raise InvalidInput(otherwise)


def _base(
    arguments: argparse.Namespace, session: Session, *, creates: bool = False
) -> KnowledgeBase:
    from bethink.knowledge import KnowledgeBase

    arguments.creates = creates
    engine = session.engine
    return KnowledgeBase(engine, arguments.space or engine.settings.space)


def _add(arguments: argparse.Namespace, session: Session) -> int:
    base = _base(arguments, session, creates=True)
    with session.progress("reading") as progress:
        report = base.add(
            arguments.given, formats=arguments.format, removed=arguments.prune, progress=progress
        )
    if session.json:
        session.show(report.as_record())
    else:
        _say(report, session)
    return 2 if report.failed else 0


def _say(report: Report, session: Session) -> None:
    told = [f"{count:,} {fate}" for fate, count in report.counts.items() if count]
    session.say(f"{', '.join(told) or 'nothing to read there'} ({report.seconds:.1f} s)")
    for one in report.failed[:_SHOWN]:
        session.say(f"not read: {one.address}: {one.why}")
    if len(report.failed) > _SHOWN:
        session.say(f"and {len(report.failed) - _SHOWN:,} more; --json lists them")
    noted = [one for one in report.outcomes if one.notes and one.fate != "failed"]
    for one in noted[:_SHOWN]:
        session.hint(f"{one.address}: {'; '.join(one.notes)}")
    if len(noted) > _SHOWN:
        session.hint(f"and notes on {len(noted) - _SHOWN:,} more; --json lists them")
    for note in report.notes:
        session.hint(note)


def _list(documents: Sequence[Document], session: Session) -> None:
    if session.json:
        session.show_each(one.as_record() for one in documents)
        return
    for one in documents:
        session.say(f"{one.address}  {clip(one.title, 60)}")
        session.say("    ", identifier(one.id), f"  {_in_words(one)}")
    if not documents:
        session.say("no documents yet: 'bethink documents add PATH' takes some in")


def _in_words(one: Document) -> str:
    told = [one.format, _counted(one.sections, "section")]
    if one.pages:
        told.append(_counted(one.pages, one.unit))
    told.append(f"{one.bytes:,} bytes")
    if not one.enabled:
        told.append("disabled")
    if one.state != "ready":
        told.append(f"{one.state}: add it again")
    return ", ".join(told)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _show(base: KnowledgeBase, name: str, session: Session) -> None:
    document = base.document(name)
    parts = base.document_parts(document.id)
    if session.json:
        sections: list[dict[str, Any]] = [one._asdict() for one in parts]
        session.show({**document.as_record(), "parts": sections})
        return
    _list([document], session)
    for note in document.notes:
        session.say(f"    note: {note}")
    for one in parts:
        where = f"{document.unit} {one.page}" if one.page else ""
        where += f"–{one.page_end}" if one.page_end > one.page else ""
        told = "  ".join(filter(None, (where, one.headings)))
        session.say(f"  {one.id.rpartition('.')[2]}  {told or clip(one.text, 60)}")


def _replaced(outcome: Outcome, session: Session) -> None:
    if session.json:
        session.show({**outcome._asdict(), "notes": list(outcome.notes)})
        return
    session.say(f"replaced: {outcome.address}, {_counted(outcome.sections, 'section')}")
    for note in outcome.notes:
        session.hint(note)


def _remove(base: KnowledgeBase, names: Sequence[str], session: Session) -> None:
    ids = base.document_ids(*names)
    left: list[str] = []
    gone = base.remove_documents(*ids, notes=left)
    if session.json:
        session.show({"removed": ids, "memories": gone, "notes": left})
        return
    for one in dict.fromkeys(ids):
        session.say(f"{one} is removed")
    session.say(f"{_counted(len(set(ids)), 'document')} removed, {gone:,} memories erased")
    for note in left:
        session.hint(note)
