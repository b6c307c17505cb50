from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bethink.doors.cli.inputs import parse_json, read_text
from bethink.doors.cli.session import Session, clip
from bethink.errors import InvalidInput, StoreError, StoreMissing

if TYPE_CHECKING:
    from bethink.story import SceneMemoryContext

_EPILOG = """\
Before a scene is written: who is in it and what state they are in, what was told that matters, what
happened lately, and what is still open. Only what lies before that scene; --allow-future lifts it.
A part that cannot be asked is named in "missing", and the others answer all the same; so it is with
a store that is damaged or away. If the file of --out cannot be written, that is a warning, and the
context is printed. A project of which nothing was ever told is named in "notes".

examples:
  bethink scene --plan plan.json --characters cast.json --project river --chapter 12 --scene 3
  bethink scene --plan - --project 江湖 --chapter 3 --scene 1 --out context.json < plan.json

plan.json     {"title": "…", "summary": "…", "location": "…", "characters": ["林婉"],
               "beats": ["…"], "tags": ["…"], "time": "…"}; nothing of it is required
cast.json     [{"name": "Lin Wan", "aliases": ["林婉"], "titles": ["Captain"]}]: joined with the
              cast that 'bethink story cast' keeps; or a list of names: who is in the scene
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--plan", required=True, metavar="FILE", help="JSON; '-' reads a pipe")
    parser.add_argument(
        "--characters", metavar="FILE", help="JSON (default: the cast that is kept)"
    )
    parser.add_argument(
        "--project", "--project-id", required=True, help="the space that holds the story"
    )
    parser.add_argument("--chapter", "--chapter-index", type=int, required=True, metavar="N")
    parser.add_argument("--scene", "--scene-index", type=int, required=True, metavar="N")
    parser.add_argument("--out", metavar="FILE", help="write the context there, as JSON")
    parser.add_argument(
        "--budget", type=int, metavar="TOKENS", help="what fits, most needed first (default: all)"
    )
    parser.add_argument("--deadline", type=float, metavar="SECONDS", help="answer by then")
    parser.add_argument("--allow-future", action="store_true", help="also what comes later")


def run(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.story import Story
    from bethink.story.story import context_without_store

    if arguments.plan == "-" == arguments.characters:
        raise InvalidInput("only one of --plan and --characters can come from the pipe")
    plan = parse_json(read_text(arguments.plan), "--plan")
    characters = None
    if arguments.characters is not None:
        characters = parse_json(read_text(arguments.characters), "--characters")
    try:
        story = Story(session.engine, arguments.project)
    except StoreMissing:  # a path that is wrong, rather than a store that fails
        raise
    except StoreError as e:
        place = (arguments.chapter, arguments.scene)
        context = context_without_store(arguments.project, plan, characters, *place, why=str(e))
    else:
        context = story.scene_context(
            plan,
            characters,
            arguments.chapter,
            arguments.scene,
            budget=arguments.budget,
            deadline=arguments.deadline,
            allow_future=arguments.allow_future,
        )
    for one in (*context.missing, *context.notes):
        session.hint(one)
    if arguments.out is not None and _written(arguments.out, context, session):
        return 0
    if session.json or arguments.out is not None:
        session.show(context.model_dump(mode="json"))
    else:
        _say(context, session)
    return 0


def _written(path: str, context: SceneMemoryContext, session: Session) -> bool:
    """The scene is written with or without this file: a disk that is full stops nobody."""
    try:
        Path(path).write_text(context.model_dump_json(indent=2) + "\n", "utf-8")
    except OSError as e:
        session.hint(f"warning: {path} cannot be written ({e.strerror}); here it is instead")
        return False
    session.hint(f"{path}: {context.status}")
    return True


def _say(context: SceneMemoryContext, session: Session) -> None:
    for state in context.entity_states:
        facts = "; ".join(f"{key}: {value}" for key, value in state.facts.items())
        session.say(f"{state.name}  {facts}")
        for one in state.contradictions:
            session.say(f"    contradicted: {one.key}: {', '.join(c.value for c in one.claims)}")
    for memory in context.relevant_memories:
        place = "" if memory.chapter is None else f"{memory.chapter}.{memory.scene}  "
        time = f" ({memory.time})" if memory.time else ""
        session.say(f"{memory.score:.2f}  {place}{clip(memory.text, 100)}{time}")
    for entry in context.events:
        time = f" ({entry.time})" if entry.time else ""
        session.say(f"{entry.chapter}.{entry.scene}  {clip(entry.text, 100)}{time}")
    for thread in context.open_threads:
        session.say(
            f"open since {thread.opened_at.chapter}.{thread.opened_at.scene}: {thread.text}"
        )
    found = context.entity_states or context.relevant_memories or context.events
    if not found and not context.open_threads and context.status != "unavailable":
        session.say(
            f"nothing was told of {context.project_id} before "
            f"{context.chapter_index}.{context.scene_index}"
        )
