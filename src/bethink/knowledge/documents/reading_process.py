"""The process that reads what strangers made: it may hang, crash or take all memory, and only it.

    python -P -m bethink.knowledge.documents.reading_process

It takes, for each file, a line of JSON and as many bytes as that says, and answers with a line of
JSON. Whoever started it ends it when an answer takes too long.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from bethink.errors import BethinkError
from bethink.knowledge.documents.blocks import Limits
from bethink.knowledge.documents.reading import read


def _bound_memory(most: int) -> None:
    if sys.platform == "linux":  # elsewhere the limit is not kept, or stops the start
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def answer(asked: dict[str, Any], data: bytes) -> dict[str, Any]:
    limits = Limits(**asked["limits"])
    try:
        found = read(asked["kind"], data, asked["name"], limits)
    except BethinkError as e:
        return {"why": getattr(e, "why", str(e)), "missing": e.code == "missing_extra"}
    except MemoryError:
        return {"why": "it takes more memory than a file may; split it"}
    except RecursionError:
        return {"why": "it is nested deeper than can be read"}
    except Exception as e:  # a library met what it did not expect: the file's fault, not ours
        return {"why": f"it cannot be read ({type(e).__name__}: {str(e)[:200]})"}
    record = found._asdict()
    record["blocks"] = [list(block) for block in found.blocks]
    record["about"] = {str(key): str(value)[:1000] for key, value in found.about.items()}
    return {"read": record}


def main() -> None:
    asking = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not be taken for an answer
    bounded = False
    while line := asking.readline():
        asked = json.loads(line)
        if not bounded:
            _bound_memory(asked["limits"]["memory"])
            bounded = True
        told = answer(asked, asking.read(asked["size"]))
        answers.write(json.dumps(told).encode("ascii") + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
