"""Files that need a library are read in a process beside this one: one that hangs is ended after
its time, one that crashes is named in the report, and the next file gets a new process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType

from bethink.errors import MissingExtra
from bethink.knowledge.documents.blocks import Block, Limits, Reading, Unreadable
from bethink.knowledge.documents.kinds import WITH_EXTRA
from bethink.knowledge.documents.reading import read

_MODULE = "bethink.knowledge.documents.reading_process"


class Readers:
    """Use it with `with`: the process is gone afterwards."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Readers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def read(self, kind: str, data: bytes, name: str) -> Reading:
        """Raises `Unreadable` with the reason, or `MissingExtra`."""
        if kind not in WITH_EXTRA:
            return read(kind, data, name, self._limits)
        asked = {
            "kind": kind,
            "name": name,
            "size": len(data),
            "limits": self._limits._asdict(),
        }
        line = self._asked(json.dumps(asked).encode("ascii") + b"\n", data)
        told = json.loads(line)
        if told.get("missing"):
            raise MissingExtra(f"reading {kind.upper()}", "documents")
        if "why" in told:
            raise Unreadable(told["why"])
        record = told["read"]
        record["blocks"] = [
            Block(*one)._replace(breaks=tuple((at, place) for at, place in one[-1]))
            for one in record["blocks"]
        ]
        record["notes"] = tuple(record["notes"])
        return Reading(**record)

    def _asked(self, head: bytes, data: bytes) -> bytes:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._limits.seconds, end)
        timer.daemon = True
        timer.start()
        try:
            process.stdin.write(head)
            process.stdin.write(data)
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = b""
        finally:
            timer.cancel()
        if line.endswith(b"\n"):
            return line
        self._end()
        if late.is_set():
            raise Unreadable(f"it takes more than {self._limits.seconds:g} seconds to read")
        raise Unreadable("the process that read it ended: it is damaged, or takes too much memory")

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            # -P: the folder that is read may hold files with the names of our modules
            ours = str(Path(__file__).parents[3])
            path = os.pathsep.join(filter(None, (ours, os.environ.get("PYTHONPATH"))))
            self._process = subprocess.Popen(  # noqa: S603  (ourselves)
                [sys.executable, "-P", "-m", _MODULE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": path},
            )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue  # what it was still to be told
        process.wait()
