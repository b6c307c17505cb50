from __future__ import annotations

import argparse

from bethink.doors.cli.session import Session
from bethink.errors import InvalidInput

_EPILOG = """\
An agent starts this program and speaks MCP with it over standard input and output. It needs no key:
it is you who starts it. The store is opened, and the model loaded, with the first call.

In the agent's settings (docs/how-to/mcp.md has them for each agent):
  command: bethink    arguments: mcp

examples:
  bethink mcp
  bethink mcp --space work --space global    what is in other spaces does not exist for it
  bethink mcp --read-only                    only tools that change nothing
  bethink mcp --knowledge handbook           and two more, to ask its documents
  bethink mcp --story 江湖 --chapter 12 --scene 3    and three more, for who writes that scene

Over HTTP, with keys, for a team: 'bethink serve' has MCP under /mcp.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "--space",
        action="append",
        default=[],
        metavar="NAME",
        help="the agent sees this space only; may be repeated",
    )
    parser.add_argument(
        "--read-only", action="store_true", help="no tools that write, and no writing"
    )
    parser.add_argument(
        "--knowledge",
        default="",
        metavar="NAME",
        help="also tools to search and ask this knowledge base",
    )
    parser.add_argument(
        "--story", default="", metavar="PROJECT", help="also tools to look things up in this story"
    )
    parser.add_argument(
        "--chapter",
        "--chapter-index",
        type=int,
        metavar="N",
        help="nothing of the story from here on",
    )
    parser.add_argument("--scene", "--scene-index", type=int, metavar="N")


def run(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.checks import check_space
    from bethink.doors.mcp.local import local_caller, serve_stdio

    spaces = [check_space(name) for name in arguments.space]
    knowledge = check_space(arguments.knowledge) if arguments.knowledge else ""
    story = check_space(arguments.story) if arguments.story else ""
    if arguments.chapter is None and arguments.scene is not None:
        raise InvalidInput("which chapter? give --chapter N with --scene N")
    if arguments.chapter is not None and not story:
        raise InvalidInput("of which story? give --story PROJECT with --chapter N")
    caller = local_caller(spaces=spaces, read_only=arguments.read_only)
    serve_stdio(
        session.loaded.settings,
        caller,
        knowledge=knowledge,
        story=story,
        chapter=arguments.chapter,
        scene=arguments.scene,
    )
    return 0
