"""Write the reference page of the command line from the parser itself:

python -m tools.pages.commands > docs/reference/commands.md
"""

from __future__ import annotations

import argparse
import os

from bethink.doors.cli.main import COMMANDS, build_parser

_INTRO = """\
# Commands

Made from the commands' own help by `python -m tools.pages.commands`; a test keeps it true.

Answers go to standard output, everything else to standard error. Output is JSON when asked
(`--json`) or when standard output is no terminal. Exit codes: 0 well, 1 something else (for
`doctor`: a fault), 2 wrong input or settings, 3 not found, 4 conflict, 5 the store, 6 the embedder,
7 an optional part is missing, 130 stopped.
"""


def page() -> str:
    os.environ["COLUMNS"] = "100"  # argparse wraps to the terminal; the page must not
    parser = build_parser()
    commands = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    parts = [_INTRO]
    for name in COMMANDS:
        help_text = commands.choices[name].format_help().rstrip()
        parts.append(f"## {name}\n\n```text\n{help_text}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
