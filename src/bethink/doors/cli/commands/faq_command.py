from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bethink.doors.cli.colour import Styled, identifier
from bethink.doors.cli.ids import hashed_id, is_chosen, one_of
from bethink.doors.cli.session import Session, clip
from bethink.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from bethink.knowledge import KnowledgeBase
    from bethink.knowledge.faq_entry import Faq

_EPILOG = """\
examples:
  bethink faq add "How do I get a refund?" --answer "Ask for it within 30 days." \\
      --similar "can I have my money back" --negative "how do I return a rented bike"
  bethink faq import questions.csv --space shop
  bethink faq export questions.csv --space shop
  bethink faq list --space shop --tag refunds
  bethink faq show "怎么退款？" --space shop
  bethink faq disable "怎么退款？" --space shop

columns of a CSV file: question (标准问题), similar (相似问题), negative (反例问题 or 排除问题),
answers (答案), and if you like id, tags, enabled. '##' stands between several in a cell.
JSON and JSON lines have the same names. Files may be UTF-8 or GB18030.

Imported again, an entry is changed and never doubled: by its id, or where it has none, by its
question. A row that cannot be taken is named with the reason; the others are taken.
An entry is named by its id, the beginning of its id, or its question. 'bethink recall' and
'bethink ask' find them.
"""
_WHAT = ("add", "import", "export", "list", "show", "remove", "enable", "disable")
_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("what", choices=_WHAT)
    parser.add_argument("given", nargs="*", metavar="QUESTION|ID|FILE")
    parser.add_argument("--space", help="the knowledge base (default: the setting 'space')")
    adding = parser.add_argument_group("add")
    adding.add_argument("--answer", action="append", metavar="TEXT", help="may be repeated")
    adding.add_argument("--similar", action="append", metavar="QUESTION", help="may be repeated")
    adding.add_argument(
        "--negative",
        action="append",
        metavar="QUESTION",
        help="one that looks alike and must not get this answer; may be repeated",
    )
    adding.add_argument("--id", metavar="ID", help="an id of your own, by which it is changed")
    parser.add_argument("--tag", action="append", metavar="TAG", help="(add, list)")
    parser.add_argument("--yes", action="store_true", help="(remove) do not ask")
    files = parser.add_argument_group("import, export")
    files.add_argument("--format", choices=("auto", "csv", "json", "jsonl"), default="auto")
    files.add_argument(
        "--separator", default="##", metavar="TEXT", help="between several in a cell of CSV (##)"
    )
    files.add_argument(
        "--dry-run", action="store_true", help="(import) say what would be taken; take none"
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    _refuse_what_does_not_belong(arguments)
    do = {"add": _add, "import": _import, "export": _export, "list": _list, "show": _show}
    if arguments.what in do:
        return do[arguments.what](arguments, session)
    return _change(arguments, session)


# Which options belong where, with what they are when they are not given.
_BELONGS: dict[str, tuple[tuple[str, ...], Any]] = {
    "answer": (("add",), None),
    "similar": (("add",), None),
    "negative": (("add",), None),
    "id": (("add",), None),
    "tag": (("add", "list"), None),
    "format": (("import", "export"), "auto"),
    "separator": (("import", "export"), "##"),
    "dry_run": (("import",), False),
    "yes": (("remove",), False),
}


def _refuse_what_does_not_belong(arguments: argparse.Namespace) -> None:
    """An option that would be passed over in silence is a mistake."""
    for name, (where, default) in _BELONGS.items():
        if arguments.what not in where and getattr(arguments, name) != default:
            told = " and ".join(f"'bethink faq {one}'" for one in where)
            raise InvalidInput(f"--{name.replace('_', '-')} is for {told}")
    count = len(arguments.given)
    if arguments.what == "list" and count:
        raise InvalidInput(f"'bethink faq list' takes no {arguments.given[0]!r}; use --tag")
    if arguments.what in ("add", "show", "import", "export") and count != 1:
        wanted = "a FILE" if arguments.what in ("import", "export") else "one QUESTION"
        raise InvalidInput(f"'bethink faq {arguments.what}' needs {wanted}, in quotation marks")
    if arguments.what in ("remove", "enable", "disable") and not count:
        raise InvalidInput(f"what to {arguments.what}? name entries by id or question")


def _base(
    arguments: argparse.Namespace, session: Session, *, creates: bool = False
) -> KnowledgeBase:
    from bethink.knowledge import KnowledgeBase

    arguments.creates = creates
    space = arguments.space or session.loaded.settings.space
    return KnowledgeBase(session.engine, space)


def _add(arguments: argparse.Namespace, session: Session) -> int:
    faq = _base(arguments, session, creates=True).add_faq(
        arguments.given[0],
        arguments.answer or [],
        similar=arguments.similar or (),
        negative=arguments.negative or (),
        tags=arguments.tag or (),
        id=arguments.id,
    )
    _shown(faq, session)
    return 0


def _import(arguments: argparse.Namespace, session: Session) -> int:
    base = _base(arguments, session, creates=not arguments.dry_run)
    with session.progress("importing") as progress:
        report = base.import_faq(
            arguments.given[0],
            format=arguments.format,
            separator=arguments.separator,
            dry_run=arguments.dry_run,
            progress=progress,
        )
    if session.json:
        session.show(report.as_data())
    else:
        would = "would be " if report.dry_run else ""
        session.say(
            f"{report.added:,} {would}added, {report.updated:,} {would}changed, "
            f"{report.unchanged:,} as before, {len(report.failed):,} not taken"
        )
    for note in report.notes:
        session.hint(note)
    for failed in report.failed[:_SHOWN]:
        session.hint(f"row {failed.place}: {failed.why}")
    if len(report.failed) > _SHOWN:
        session.hint(f"and {len(report.failed) - _SHOWN:,} more; --json lists them")
    return 2 if report.failed else 0


def _export(arguments: argparse.Namespace, session: Session) -> int:
    base = _base(arguments, session)
    target = arguments.given[0]
    if target == "-":
        from bethink.knowledge.faq_files import written

        form = "jsonl" if arguments.format == "auto" else arguments.format
        records = (one.as_data() for one in base.faqs())
        sys.stdout.write(written(records, form, separator=arguments.separator))
        return 0
    count = base.export_faq(target, format=arguments.format, separator=arguments.separator)
    if session.json:
        session.show({"file": str(Path(target)), "entries": count})
    else:
        session.say(f"{count:,} entries in {target}")
    return 0


def _list(arguments: argparse.Namespace, session: Session) -> int:
    if len(arguments.tag or ()) > 1:
        raise InvalidInput("one --tag at a time")
    tag = arguments.tag[0] if arguments.tag else None
    entries = _base(arguments, session).faqs(tag=tag)
    if session.json:
        session.show_each(_record(one) for one in entries)
        return 0
    for one in entries:
        counts = f"{len(one.similar)} similar, {len(one.negative)} negative"
        off = "" if one.enabled else "  (disabled)"
        about = f"  {clip(one.question, 80)}  [{counts}]"
        session.say(identifier(one.own_id or one.id), about, Styled(off, "attention"))
    if not entries:
        session.say("no entries: 'bethink faq add' or 'bethink faq import' brings them")
    return 0


def _show(arguments: argparse.Namespace, session: Session) -> int:
    base = _base(arguments, session)
    faq = base.faq(_named(base, arguments.given)[0])
    if faq is None:
        raise NotFound(
            f"{base.space!r} has no entry {arguments.given[0]!r}; 'bethink faq list' shows them"
        )
    _shown(faq, session)
    return 0


def _change(arguments: argparse.Namespace, session: Session) -> int:
    base = _base(arguments, session)
    names = _named(base, arguments.given)
    for given, name in zip(arguments.given, names, strict=True):
        if arguments.what == "remove" and given != name and is_chosen(name):
            session.confirm(f"There is no {given!r}. Remove {name!r}, which begins so?")
    done = f"{arguments.what.removesuffix('e')}ed"
    if arguments.what == "remove":
        left: list[str] = []
        told: dict[str, Any] = {done: base.remove_faq(*names, notes=left), "notes": left}
    else:
        switch = base.enable_faq if arguments.what == "enable" else base.disable_faq
        told = {done: switch(*names)}
    if session.json:
        session.show(told)
        return 0
    for name in told[done]:
        session.say(f"{name} is {done}")
    for note in told.get("notes", ()):
        session.hint(note)
    return 0


def _named(base: KnowledgeBase, given: Sequence[str]) -> list[str]:
    """Return the names of entries as given, with the beginnings of ids completed."""
    from bethink.knowledge.shared import FAQ

    def exists(name: str) -> bool:
        return base.faq(name) is not None

    def full(name: str) -> str:
        if exists(name):
            return name
        whole = one_of(name, (one.own_id for one in base.faqs()))
        if whole != name:
            return whole
        return hashed_id(base.engine, name, space=base.space, kind=FAQ, exists=exists)

    return [full(name) for name in given]


def _record(faq: Faq) -> dict[str, Any]:
    return {**faq.as_data(), "memory_id": faq.id, "source": faq.source}


def _shown(faq: Faq, session: Session) -> None:
    if session.json:
        session.show(_record(faq))
        return
    session.say(f"{faq.question}{'' if faq.enabled else '  (disabled)'}")
    for answer in faq.answers:
        for line in answer.split("\n"):
            session.say(f"    {line}")
    for title, lines in (("also asked", faq.similar), ("not meant", faq.negative)):
        for line in lines:
            session.say(f"{title}: {line}")
    if faq.tags:
        session.say(f"tags: {', '.join(faq.tags)}")
    session.say(faq.own_id or faq.id)
