from __future__ import annotations

import argparse

from bethink.doors.cli.session import Session

_EPILOG = """\
  bash: bethink completion bash >> ~/.bashrc
  zsh:  bethink completion zsh >> ~/.zshrc
  fish: bethink completion fish > ~/.config/fish/completions/bethink.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("shell", choices=["bash", "zsh", "fish"])


def run(arguments: argparse.Namespace, session: Session) -> int:
    from argcomplete.shell_integration import shellcode

    code: str = shellcode(["bethink"], shell=arguments.shell)
    session.say(code)
    return 0
