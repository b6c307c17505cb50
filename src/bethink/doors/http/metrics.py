"""Numbers for Prometheus. Labels are route templates, statuses and decisions: never ids, names or
texts."""

from __future__ import annotations

import time
from collections.abc import Iterator

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bethink.hot import HotNumbers

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
# Anybody may send any word as a method; each would be a row that is kept for ever.
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OTHER = "other"


class _Hot(Collector):
    """Counted by those who answer; looked at when somebody asks for the page."""

    def __init__(self) -> None:
        self.numbers = HotNumbers()

    def collect(self) -> Iterator[Metric]:
        said = (
            "Questions that may be answered as a moment ago (setting `hot`), by whether they were"
        )
        answers = CounterMetricFamily("bethink_hot_answers", said, labels=["kept"])
        answers.add_metric(["yes"], self.numbers.kept)
        answers.add_metric(["no"], self.numbers.asked)
        yield answers
        yield GaugeMetricFamily(
            "bethink_hot_away", "Tenants for whom Redis is left alone now", self.numbers.away
        )


class Metrics:
    def __init__(self) -> None:
        kept = self._registry = CollectorRegistry()
        self._requests = Counter(
            "bethink_requests",
            "Requests by route and status",
            ["method", "route", "status"],
            registry=kept,
        )
        self._seconds = Histogram(
            "bethink_request_seconds",
            "How long a request took",
            ["method", "route"],
            buckets=_BUCKETS,
            registry=kept,
        )
        self._recalls = Counter(
            "bethink_recalls", "Recalls by what kind of answer it was", ["status"], registry=kept
        )
        self._offers = Counter(
            "bethink_offers", "Offers by what was decided at once", ["decision"], registry=kept
        )
        self._events = Counter(
            "bethink_events_sent", "Events sent to those who watch", ["kind"], registry=kept
        )
        self._hot = _Hot()
        kept.register(self._hot)
        self.watchers = Gauge("bethink_watchers", "Who watches events now", registry=kept)
        self._workers = Gauge(
            "bethink_workers",
            "Processes that answer questions (--workers); 0: the server does so itself",
            registry=kept,
        )

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        method = method if method in _METHODS else _OTHER
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def recalled(self, status: str) -> None:
        self._recalls.labels(status).inc()

    def offered(self, decision: str) -> None:
        self._offers.labels(decision).inc()

    def sent(self, kind: str) -> None:
        self._events.labels(kind).inc()

    def page(self, hot: HotNumbers, *, workers: int) -> Response:
        self._hot.numbers = hot
        self._workers.set(workers)
        return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)


def metrics_of(connection: HTTPConnection) -> Metrics:
    metrics = connection.app.state.metrics
    assert isinstance(metrics, Metrics)
    return metrics


class Measured:
    """Times every request, by the route that took it."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            route = getattr(scope.get("route"), "path_format", _OTHER)
            self._metrics.count(scope["method"], route, status, time.perf_counter() - began)
