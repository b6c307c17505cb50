from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bethink.doors.cli.inputs import parse_json, piped, read_text
from bethink.doors.cli.session import Session, clip
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from pydantic import BaseModel

    from bethink.story import Story

_EPILOG = """\
examples:
  bethink story cast cast.json --project river           who is in it; without a file: show them
  bethink story add chapter-3.md --project river --chapter 3       cut at headings and breaks
  bethink story add scene.md --project river --chapter 3 --scene 2 --plan plan.json \\
      --states states.json --event "林婉 loses the sword" --thread "谁拿走了剑？" \\
      --mention "the widow=Tamsin" --mention "小姑娘=阿灵"
  bethink story state 林婉 --project river --chapter 3 --scene 2           as of that scene
  bethink story state 林婉 --project river --chapter 3 --scene 2 --set "left arm=injured"
  bethink story threads --project river --chapter 3 --scene 2
  bethink story threads --project river --chapter 9 --scene 1 --close ID --resolution "赵允 did"
  bethink story timeline --project river --chapter 3 --window 2
  bethink story remove --project river --chapter 3 --scene 2    with all that was told of it
  bethink story move --project river --chapter 3 --to 5         a chapter; a scene: --to 5.1

states.json   {"林婉": {"left arm": "injured"}, "月剑": {"holder": "林婉"}}

Told again, a scene replaces what was told of it; what is left out (plan, states, events, threads)
stays as it was. Chapters and scenes count from wherever you like.
'bethink scene' makes the context of the next one.
"""
_WHAT = ("add", "cast", "state", "threads", "timeline", "remove", "move")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("what", choices=_WHAT)
    parser.add_argument("given", nargs="?", metavar="FILE|ENTITY", help="'-' reads a pipe")
    parser.add_argument(
        "--project", "--project-id", required=True, help="the space that holds the story"
    )
    parser.add_argument("--chapter", "--chapter-index", type=int, metavar="N")
    parser.add_argument(
        "--scene",
        "--scene-index",
        type=int,
        metavar="N",
        help="(add, remove, move) left out: a whole chapter",
    )
    adding = parser.add_argument_group("add")
    adding.add_argument("--plan", metavar="FILE", help="the scene's plan, as JSON")
    adding.add_argument("--states", metavar="FILE", help="what holds at its end, as JSON")
    adding.add_argument("--event", action="append", metavar="TEXT", help="may be repeated")
    adding.add_argument(
        "--thread", action="append", metavar="TEXT", help="what it leaves open; may be repeated"
    )
    adding.add_argument(
        "--mention",
        action="append",
        metavar="WORDS=NAME",
        help='whom words of this text mean: "the widow=Tamsin"; may be repeated',
    )
    adding.add_argument("--tag", action="append", default=[], metavar="TAG")
    adding.add_argument(
        "--extract", action="store_true", help="ask the language model what is not told"
    )
    parser.add_argument(
        "--allow-new",
        action="store_true",
        help="(add, state) record states of names that the cast does not know",
    )
    state = parser.add_argument_group("state")
    state.add_argument(
        "--set", action="append", metavar="KEY=VALUE", help="record it; an empty value ends a fact"
    )
    state.add_argument("--source", default="", help="where that is from")
    threads = parser.add_argument_group("threads")
    threads.add_argument("--open", metavar="TEXT", help="open one, in that scene")
    threads.add_argument("--close", metavar="ID", help="close one, in that scene")
    threads.add_argument("--resolution", default="", metavar="TEXT", help="how it ended")
    threads.add_argument("--closed", action="store_true", help="also those that are closed")
    threads.add_argument("--entity", action="append", metavar="NAME", help="that concern this one")
    timeline = parser.add_argument_group("timeline")
    timeline.add_argument("--window", type=int, default=3, metavar="CHAPTERS")
    timeline.add_argument("--with-states", action="store_true", help="and what was recorded")
    timeline.add_argument("--allow-future", action="store_true", help="also what comes later")
    moving = parser.add_argument_group("move")
    moving.add_argument("--to", metavar="N[.N]", help="chapter, or chapter and scene")


def run(arguments: argparse.Namespace, session: Session) -> int:
    _refuse_what_does_not_belong(arguments)
    do = {
        "add": _add, "cast": _cast, "state": _state, "threads": _threads, "timeline": _timeline,
        "remove": _remove, "move": _move,
    }  # fmt: skip
    do[arguments.what](arguments, session)
    return 0


# Which option belongs where, with what it is when it is not given.
_BELONGS: dict[str, tuple[str, Any]] = {
    "plan": ("add", None), "states": ("add", None), "event": ("add", None),
    "thread": ("add", None), "mention": ("add", None), "tag": ("add", []),
    "extract": ("add", False),
    "set": ("state", None), "source": ("state", ""),
    "open": ("threads", None), "close": ("threads", None), "resolution": ("threads", ""),
    "closed": ("threads", False), "entity": ("threads", None),
    "window": ("timeline", 3), "with_states": ("timeline", False),
    "allow_future": ("timeline", False), "to": ("move", None),
}  # fmt: skip


def _refuse_what_does_not_belong(arguments: argparse.Namespace) -> None:
    """An option that would be passed over in silence is a mistake."""
    for name, (where, default) in _BELONGS.items():
        if where != arguments.what and getattr(arguments, name) != default:
            raise InvalidInput(f"--{name.replace('_', '-')} is for 'bethink story {where}'")
    if arguments.allow_new and arguments.what not in ("add", "state"):
        raise InvalidInput("--allow-new is for 'bethink story add' and 'bethink story state'")
    if arguments.given is not None and arguments.what in ("threads", "timeline", "remove", "move"):
        raise InvalidInput(f"'bethink story {arguments.what}' takes no {arguments.given!r}")


def _story(arguments: argparse.Namespace, session: Session, *, creates: bool = False) -> Story:
    from bethink.story import Story

    arguments.creates = creates
    story = Story(session.engine, arguments.project)
    if not creates:
        mention_if_not_begun(story.project, session)
    return story


def mention_if_not_begun(project: str, session: Session) -> None:
    """A name that is mistyped must not look like a story of which nothing was told yet."""
    known = [one.name for one in session.engine.spaces()]
    if project in known:
        return
    from difflib import get_close_matches

    near = get_close_matches(project, known, n=1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    session.hint(f"there is no project {project!r}{meant}")


def _place(arguments: argparse.Namespace) -> tuple[int, int]:
    if arguments.chapter is None or arguments.scene is None:
        raise InvalidInput("which scene? give --chapter N and --scene N")
    return arguments.chapter, arguments.scene


def _add(arguments: argparse.Namespace, session: Session) -> None:
    _chapter(arguments)
    if arguments.given is None and sys.stdin.isatty():
        raise InvalidInput("nothing to add; name a file, or '-' for a pipe")
    text = piped() if arguments.given is None else read_text(arguments.given)
    told = {
        "plan": None if arguments.plan is None else _json(arguments.plan, "--plan"),
        "states": None if arguments.states is None else _json(arguments.states, "--states"),
        "events": arguments.event,
        "threads": arguments.thread,
        "mentions": arguments.mention
        and dict(_pair(one, "--mention") for one in arguments.mention),
    }
    if arguments.scene is None:
        beside = [name for name, value in told.items() if value is not None or arguments.tag]
        if beside:
            raise InvalidInput("what is told with a scene needs its number: give --scene N")
        story = _story(arguments, session, creates=True)
        added = story.add_chapter(arguments.chapter, text, extract=arguments.extract)
    else:
        if told["states"] is not None and not isinstance(told["states"], dict):
            raise InvalidInput('--states: expected an object like {"林婉": {"arm": "injured"}}')
        story = _story(arguments, session, creates=True)
        added = [
            story.add_scene(
                arguments.chapter,
                arguments.scene,
                text,
                tags=arguments.tag,
                extract=arguments.extract,
                allow_new=arguments.allow_new,
                **told,
            )
        ]
    if session.json:
        session.show_each(one.model_dump(mode="json") for one in added)
        return
    for one in added:
        session.say(f"{one.chapter}.{one.scene}  {', '.join(one.entities) or 'nobody of the cast'}")
        for note in one.notes:
            session.hint(note)


def _json(path: str, name: str) -> Any:
    return parse_json(read_text(path), name)


def _cast(arguments: argparse.Namespace, session: Session) -> None:
    if arguments.given is None:
        cast = _story(arguments, session).cast()
    else:
        told = _json(arguments.given, "the cast")
        story = _story(arguments, session, creates=True)
        for note in story.set_cast(told):
            session.hint(note)
        cast = story.cast()
    if session.json:
        session.show(cast.model_dump(mode="json"))
        return
    for one in cast.characters:
        also = ", ".join([*one.aliases, *one.titles])
        session.say(f"{one.id}  {one.name}{f' ({also})' if also else ''}")
        if one.description:
            session.say(f"    {clip(one.description, 90)}")
    if not cast.characters:
        session.say("nobody yet: 'bethink story cast cast.json --project …' says who is in it")


def _state(arguments: argparse.Namespace, session: Session) -> None:
    chapter, scene = _place(arguments)
    if arguments.set is not None:
        if arguments.given is None:
            raise InvalidInput("whose state? name a character")
        story = _story(arguments, session, creates=True)
        facts = dict(_pair(one, "--set") for one in arguments.set)
        story.record_state(
            arguments.given,
            chapter,
            scene,
            facts,
            source=arguments.source,
            allow_new=arguments.allow_new,
        )
        _hint_doubts(story, [arguments.given], session)
    else:
        story = _story(arguments, session)
    if arguments.given is None:
        states = story.states(chapter, scene)
    else:
        found = story.state_of(arguments.given, chapter=chapter, scene=scene)
        if found is None:
            _hint_doubts(story, [arguments.given], session)
        if session.json:
            session.show(None if found is None else found.model_dump(mode="json"))
            return
        states = [] if found is None else [found]
    if _shown(states, session):
        return
    for state in states:
        session.say(f"{state.name}  (since {state.chapter}.{state.scene})")
        for key, value in state.facts.items():
            session.say(f"    {key}: {value}")
        for one in state.contradictions:
            told = (f"{c.value!r} ({c.source.source or c.source.memory_id})" for c in one.claims)
            session.say(f"    contradicted: {one.key}: {', '.join(told)}")
    if not states:
        session.say("nothing was recorded until then")


def _hint_doubts(story: Story, names: Sequence[str], session: Session) -> None:
    for note in story.doubts(names):
        session.hint(note)


_PAIRS = {
    "--set": 'KEY=VALUE like "left arm=injured"',
    "--mention": 'WORDS=NAME like "the widow=Tamsin"',
}


def _pair(told: str, option: str) -> tuple[str, str]:
    key, equals, value = told.partition("=")
    if not equals or not key.strip():
        raise InvalidInput(f"{option}: expected {_PAIRS[option]}, got {told!r}")
    return key.strip(), value.strip()


def _threads(arguments: argparse.Namespace, session: Session) -> None:
    if arguments.open is not None and arguments.close is not None:
        raise InvalidInput("--open or --close, one at a time")
    if arguments.open is not None:
        place = _place(arguments)
        story = _story(arguments, session, creates=True)
        story.open_thread(arguments.open, *place, entities=arguments.entity)
    elif arguments.close is not None:
        place = _place(arguments)
        story = _story(arguments, session)
        thread = _thread_id(story, arguments.close, session)
        closed = story.close_thread(thread, *place, resolution=arguments.resolution)
        if session.json:
            session.show(closed.model_dump(mode="json"))
        else:
            session.say(f"closed in {place[0]}.{place[1]}: {closed.text}")
        return
    else:
        story = _story(arguments, session)
    _hint_doubts(story, arguments.entity or (), session)
    found = story.threads(
        arguments.chapter, arguments.scene, entities=arguments.entity, closed=arguments.closed
    )
    if _shown(found, session):
        return
    for one in found:
        end = "" if one.closed_at is None else f" – {one.closed_at.chapter}.{one.closed_at.scene}"
        session.say(f"{one.opened_at.chapter}.{one.opened_at.scene}{end}  {one.text}")
        session.say(f"    {one.id}{f'  {one.resolution}' if one.resolution else ''}")
    if not found:
        session.say("nothing is open")


def _thread_id(story: Story, told: str, session: Session) -> str:
    """Return the full id; the beginning of its hash is enough."""
    from bethink.doors.cli.ids import hashed_id
    from bethink.story.shelf import THREAD

    return hashed_id(
        session.engine,
        told,
        space=story.project,
        kind=THREAD,
        exists=lambda whole: session.engine.get(whole, space=story.project) is not None,
    )


def _timeline(arguments: argparse.Namespace, session: Session) -> None:
    if arguments.chapter is None:
        raise InvalidInput("up to where? give --chapter N (and --scene N)")
    found = _story(arguments, session).timeline(
        arguments.chapter,
        arguments.scene,
        window=arguments.window,
        allow_future=arguments.allow_future,
        states=arguments.with_states,
    )
    if _shown(found, session):
        return
    for one in found:
        beside = "; ".join(filter(None, (one.time, one.place)))
        session.say(
            f"{one.chapter}.{one.scene}  {clip(one.text, 100)}{f' ({beside})' if beside else ''}"
        )
    if not found:
        session.say("nothing happened in these chapters that anybody told")


def _chapter(arguments: argparse.Namespace) -> int:
    if arguments.chapter is None:
        raise InvalidInput("which chapter? give --chapter N (and --scene N for one scene)")
    return int(arguments.chapter)


def _remove(arguments: argparse.Namespace, session: Session) -> None:
    chapter = _chapter(arguments)
    gone = _story(arguments, session).remove(chapter, arguments.scene)
    _tell_how_many(gone, "forgotten", session)


def _move(arguments: argparse.Namespace, session: Session) -> None:
    chapter = _chapter(arguments)
    if arguments.to is None:
        raise InvalidInput("where to? give --to N for a chapter, --to N.N for a scene")
    to_chapter, dot, to_scene = arguments.to.partition(".")
    try:
        to = int(to_chapter), int(to_scene) if dot else None
    except ValueError:
        raise InvalidInput(
            f"--to: expected a chapter like 5 or a scene like 5.1, got {arguments.to!r}"
        ) from None
    story = _story(arguments, session)
    moved = story.move(chapter, arguments.scene, to_chapter=to[0], to_scene=to[1])
    _tell_how_many(moved, "moved", session)


def _tell_how_many(memories: int, done: str, session: Session) -> None:
    if session.json:
        session.show({"memories": memories})
    else:
        session.say(f"{memories} {'memory' if memories == 1 else 'memories'} {done}")


def _shown(records: Sequence[BaseModel], session: Session) -> bool:
    if session.json:
        session.show_each(one.model_dump(mode="json") for one in records)
    return session.json
