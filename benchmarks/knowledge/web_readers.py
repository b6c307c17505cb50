"""How long parsers of HTML take for a megabyte that is made to hurt, each in a process of its own.

    python -m benchmarks.knowledge.web_readers

Ours and those of these libraries that are installed: lxml, trafilatura, readability-lxml,
selectolax, resiliparse. CPU seconds; `over` is more than LIMIT of them or more than 3 GB.
"""

from __future__ import annotations

import importlib
import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import Any

SIZE = 1_000_000
LIMIT = 10
PAGES = {
    "nested div": "<div>" * (SIZE // 5),
    "misnested": "<b><i></b>" * (SIZE // 10),
    "nested tables": "<table><tr><td>" * (SIZE // 15),
    "many attributes": "<div " + " ".join(f"a{n}=1" for n in range(SIZE // 9)) + ">",
    "open formatting": "<p>"
    + "".join(f"<b a={n}>" for n in range(500))
    + "</p>"
    + "<p>x" * 200_000,
    "paragraphs": "<p>The quick brown fox 敏捷的棕色狐狸。" * (SIZE // 40),
}


def ours() -> Callable[[str], Any]:
    from bethink.knowledge.web.reading import read_html

    return read_html


def lxml() -> Callable[[str], Any]:
    html: Any = importlib.import_module("lxml.html")
    return lambda text: html.document_fromstring(text).text_content()


def trafilatura() -> Callable[[str], Any]:
    return importlib.import_module("trafilatura").extract  # type: ignore[no-any-return]


def readability() -> Callable[[str], Any]:
    document = importlib.import_module("readability").Document
    return lambda text: document(text).summary()


def selectolax() -> Callable[[str], Any]:
    parser = importlib.import_module("selectolax.lexbor").LexborHTMLParser
    return lambda text: parser(text).text()


def resiliparse() -> Callable[[str], Any]:
    extract = importlib.import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda text: extract(text, main_content=True)


def _measured(library: Callable[[], Callable[[str], Any]], page: str, told: Any) -> None:
    read = library()
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    began = time.process_time()
    try:
        read(page)
    except Exception as e:
        told.put(f"{time.process_time() - began:.2f} ({type(e).__name__})")
    else:
        told.put(f"{time.process_time() - began:.2f}")


def main() -> None:
    print("| library | " + " | ".join(PAGES) + " |\n|---|" + "---|" * len(PAGES))
    for library in (ours, lxml, trafilatura, readability, selectolax, resiliparse):
        try:
            library()
        except ImportError as e:
            print(f"| {library.__name__} | not installed: {e} |")
            continue
        row: list[str] = []
        for page in PAGES.values():
            told: Any = multiprocessing.Queue()
            child = multiprocessing.Process(target=_measured, args=(library, page, told))
            child.start()
            child.join()
            row.append("over" if told.empty() else told.get())
        print(f"| {library.__name__} | " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
