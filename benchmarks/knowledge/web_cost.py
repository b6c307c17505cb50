"""What the web adds to a recall: reading five pages from a server on this machine, and ranking.

    python -m benchmarks.knowledge.web_cost

CPU milliseconds of the whole process (server included), the median of ROUNDS; the network of the
real web comes on top. With and without vectors for the passages.
"""

from __future__ import annotations

import json
import statistics
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bethink import Engine
from bethink.knowledge.web import web_stage
from bethink.knowledge.web.fetching import Fetcher
from bethink.recall.draft import Draft
from bethink.settings import Settings

ROUNDS = 7
PAGES = 5
PARAGRAPH = (
    "第{0}号线第{1}段：首班车五点半，末班车十点四十五分。Line {0}, part {1}, opens at 5:30. " * 4
)


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        port = int(self.headers["Host"].rpartition(":")[2])
        if self.path.startswith("/search"):
            results = [
                {"title": f"{n}", "url": f"http://s{n}.example:{port}/{n}"} for n in range(9)
            ]
            self._say("application/json", json.dumps({"results": results}).encode())
        else:
            n = self.path.strip("/")
            body = "".join(f"<p>{PARAGRAPH.format(n, part)}</p>" for part in range(100))
            self._say("text/html", f"<meta charset=utf-8><title>{n}</title>{body}".encode())

    def _say(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None: ...


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = Settings(web_search="searxng", web_endpoint=f"http://127.0.0.1:{server.server_port}")
    for embedder in ("use-m", "none"):
        with Engine.in_memory(settings=settings, embedder=embedder) as engine:
            engine.remember("三号线的末班车是十点四十五分。", space="metro")
            query, _, kit = engine._asked(
                "三号线末班车几点？", "knowledge", time.monotonic(), spaces="metro"
            )
            kit.question(query)  # the model is loaded
            gather: list[float] = []
            rank: list[float] = []
            for _ in range(ROUNDS):
                fetcher = Fetcher(
                    allowed=lambda _: True, resolve=lambda host, port: ["127.0.0.1"], ports=None
                )
                stage = web_stage(engine, fetcher=fetcher)
                query, _, kit = engine._asked(
                    query.text, "knowledge", time.monotonic(), spaces="metro"
                )
                began = time.process_time()
                gathered = stage.web.gather(query.text, seconds=30)
                read = time.process_time()
                ranked = stage.ranking.rank(gathered.pages, Draft(query), kit, kit.deadline)
                gather.append(1000 * (read - began))
                rank.append(1000 * (time.process_time() - read))
            characters = sum(len(page.text) for page in gathered.pages)
            print(
                f"{embedder}: {len(gathered.pages)} pages, {characters:,} characters: gather "
                f"{statistics.median(gather):.0f} ms, rank {statistics.median(rank):.0f} ms, "
                f"{len(ranked.found)} passages"
            )


if __name__ == "__main__":
    main()
