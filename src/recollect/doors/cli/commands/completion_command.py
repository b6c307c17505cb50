from __future__ import annotations

import argparse

from recollect.doors.cli.session import Session

_EPILOG = """\
  bash: recollect completion bash >> ~/.bashrc
  zsh:  recollect completion zsh >> ~/.zshrc
  fish: recollect completion fish > ~/.config/fish/completions/recollect.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("shell", choices=["bash", "zsh", "fish"])


def run(arguments: argparse.Namespace, session: Session) -> int:
    from argcomplete.shell_integration import shellcode

    code: str = shellcode(["recollect"], shell=arguments.shell)
    session.say(code)
    return 0
