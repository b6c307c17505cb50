"""Work in a process of its own, as another user where we are root."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path


def in_child(work: Callable[[Path], Iterator[str]], path: Path, user: int = -1) -> list[str]:
    """Do it in a process of its own; its lines. Root may write anything, so it becomes another."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if user >= 0 and os.geteuid() == 0:
                os.setgid(user)
                os.setuid(user)
            for line in work(path):
                os.write(writing, (line.replace("\n", " ") + "\n").encode())
            os._exit(0)
        except BaseException as e:
            os.write(writing, f"{type(e)} {e}\n".encode())
            os._exit(1)
    os.close(writing)
    with open(reading) as pipe:
        lines = pipe.read().splitlines()
    _, status = os.waitpid(child, 0)
    assert status == 0, lines
    return lines
