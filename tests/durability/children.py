"""Child processes that tell what they have done through a pipe, a line for each thing.

Forked, not started: a kill a few milliseconds after the start should meet a write, not an import.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from types import TracebackType

Say = Callable[[str], None]


class Child:
    """A process that does some work and says so. Use it with `with`: it is gone afterwards."""

    def __init__(self, work: Callable[[Say], None]) -> None:
        self._reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._reading)
            code = 1

            def say(line: str) -> None:
                # one write of less than 4 kB to a pipe arrives whole or not at all
                os.write(writing, (line + "\n").encode())

            try:
                work(say)
                code = 0
            except BaseException as e:
                os.write(writing, f"failed {type(e).__name__}: {e}\n".encode())
            finally:
                os._exit(code)
        os.close(writing)
        self._lines: list[str] | None = None
        self.killed = False

    def kill(self) -> list[str]:
        """End it at once, wherever it is; what it had said."""
        os.kill(self.pid, signal.SIGKILL)
        self.killed = True
        return self.lines()

    def lines(self) -> list[str]:
        """Everything it says until it ends."""
        if self._lines is None:
            with open(self._reading) as pipe:
                self._lines = pipe.read().splitlines()
            os.waitpid(self.pid, 0)
        return self._lines

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._lines is None:
            self.kill()


def kill_after(work: Callable[[Say], None], seconds: float) -> list[str]:
    with Child(work) as child:
        time.sleep(seconds)
        return child.kill()
