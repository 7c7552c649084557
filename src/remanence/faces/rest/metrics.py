"""The numbers of a server for Prometheus: what it did since it began, and what its file says waits, is held or late.

Knows prometheus-client, and is imported where somebody asked for metrics alone. No text, id or name is in a label.
"""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client import generate_latest as write_registry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from remanence.core.clock import SECOND, read_monotonic_micros
from remanence.core.errors import ModelError, Protected, RemanenceError, StoreError
from remanence.engine import Engine
from remanence.flows.inspect.oversight import Overseer, Oversight

# The numbers of the file are kept for so many times as long as it took to read them, and so long at least: however
# many scopes there are and however often somebody asks, no more than 2 % of the time goes there.
KEPT_TIMES, KEPT_LEAST = 50, SECOND
# From a verb that reads one row to the longest that a request may take by default.
_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """Counts verbs and requests, and reads the rest when it is asked for."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self, memory: Engine) -> None:
        self._overseer = Overseer(memory._core)  # noqa: SLF001 # of the file, and no verb
        self._turn = asyncio.Lock()
        self._kept_until: int | None = None
        # A series for each series, of when it began: nobody asks.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._of_file = _OfFile(self._overseer)
        self._registry.register(self._of_file)
        self._requests = Counter(
            "remanence_http_requests",
            "Requests, by the status of their answers.",
            ["status"],
            registry=self._registry,
        )
        self._verbs = Counter(
            "remanence_verbs",
            "Verbs called, by how they ended.",
            ["verb", "outcome"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "remanence_verb_seconds",
            "How long verbs took.",
            ["verb"],
            buckets=_BUCKETS_S,
            registry=self._registry,
        )
        self._refusals = Counter(
            "remanence_protected",
            "Verbs refused, by the guard that forbids them.",
            ["guard"],
            registry=self._registry,
        )

    async def render(self) -> bytes:
        """Return all numbers as Prometheus reads them."""
        async with self._turn:
            began = read_monotonic_micros()
            if self._kept_until is None or began >= self._kept_until:
                self._of_file.seen = await self._overseer.look()
                ended = read_monotonic_micros()
                self._kept_until = ended + max(KEPT_LEAST, KEPT_TIMES * (ended - began))
        return write_registry(self._registry)

    def count_request(self, status: int) -> None:
        """Count a request that was answered."""
        self._requests.labels(str(status)).inc()

    @contextmanager
    def observe(self, verb: str) -> Iterator[None]:
        """Measure a verb."""
        began, outcome = read_monotonic_micros(), "failed"
        try:
            yield
            outcome = "ok"
        except RemanenceError as error:
            if not isinstance(error, (StoreError, ModelError)):
                outcome = "refused"
            if isinstance(error, Protected):
                for guard in error.guards:
                    self._refusals.labels(guard).inc()  # the engine's own, as a policy refuses no verb
            raise
        finally:
            self._verbs.labels(verb, outcome).inc()
            self._seconds.labels(verb).observe((read_monotonic_micros() - began) / SECOND)


class _OfFile(Collector):
    """What the last look at the file told."""

    def __init__(self, overseer: Overseer) -> None:
        self._overseer = overseer
        self.seen = Oversight()

    def collect(self) -> Iterable[Metric]:
        """Yield it as Prometheus has it."""
        seen = self.seen
        for name, told, value in (
            ("scopes", "Scopes that were written to.", seen.scopes),
            (
                "scopes_counted",
                "Scopes whose turns, embeddings and tokens are in these numbers.",
                seen.counted,
            ),
            ("scopes_adopting", "Scopes that have adopted a policy.", seen.adopting),
            ("scopes_late", "Scopes in which three runs or more were missed.", seen.late),
            ("turns_waiting", "Turns that were noted and not listened to yet.", seen.turns_waiting),
            ("embeddings_waiting", "Memories to be embedded by the next model.", seen.embeddings_waiting),
            (
                "last_tick_timestamp_seconds",
                "When due jobs last ran in any scope.",
                seen.last_tick_at / SECOND,
            ),
            (
                "last_curation_timestamp_seconds",
                "When any scope was last curated.",
                seen.last_curate_at / SECOND,
            ),
        ):
            yield GaugeMetricFamily(f"remanence_{name}", told, value=value)
        for name, told, label, counts in (
            ("plans_held", "Plans that the brake holds, by what for.", "by", seen.held),
            ("work_failing", "Scopes in which due jobs fail, by the job.", "work", seen.failing),
            ("model_tokens_today", "Tokens that models took today, UTC.", "model", seen.tokens),
        ):
            family = GaugeMetricFamily(f"remanence_{name}", told, labels=[label])
            for what, count in sorted(counts.items()):
                family.add_metric([what], count)
            yield family
        kept = CounterMetricFamily(
            "remanence_guard_refusals", "Memories that guards kept from runs of policies.", labels=["guard"]
        )
        for guard, count in sorted(self._overseer.refusals.items()):
            kept.add_metric([guard], count)
        yield kept
