"""Transactions on a server: retried where they may be, and reads of one moment though the server promises none.

Neo4j has no snapshot: a reader sees what others committed meanwhile, and half of a commit that is being applied. So
each scope has a gate. Who writes locks it last of all and counts up, and holds it until all is applied; who reads
passes it at the end. Where a reader finds the number that it knew before it began, nothing was applied in between;
otherwise it reads again. Setting a property to the value that it has takes the lock and writes nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from random import uniform
from threading import Lock
from time import sleep
from types import MappingProxyType
from typing import Any, Final, Generic, NamedTuple, TypeVar

import neo4j
from neo4j import GraphDatabase, NotificationMinimumSeverity
from neo4j.exceptions import ClientError

from remanence.core.clock import SECOND, read_monotonic_micros
from remanence.core.errors import RemanenceError, StoreDamaged
from remanence.store.neo4j import neo_errors
from remanence.store.neo4j.neo_address import NeoAddress
from remanence.store.neo4j.neo_queries import QUERIES
from remanence.store.scope_transfer import (
    build_arriving_refusal,
    build_moved_refusal,
    is_arriving,
    mark_arriving,
)

Answer = TypeVar("Answer")
CONNECTIONS = 8  # at most, of one process
ATTEMPTS = 10  # of a transaction that the server gave up in favour of another
LOOKS_FREE = 4  # of a reader whom writers overtake; then it holds the scope
_WAIT_SECONDS = 10  # for a connection
_PAUSE, _LOST_PAUSE, _PAUSES_MOST = (
    0.01,
    0.1,
    5,
)  # seconds before another attempt, so many times as long at most
_SCOPES_MOST = 10_000  # whose gates are remembered
_ANY: Final = "RETURN 1"  # whether anybody answers
_NEW = ""  # the gate of scopes that are new
# What reading may raise where what is stored is not what was written.
_UNREADABLE = (AttributeError, LookupError, TypeError, ValueError)
GateNumber = tuple[str, int]


class Transaction(NamedTuple):
    """One transaction, which asks by the names of statements, in one scope."""

    raw: neo4j.Transaction
    scope: str

    def rows(self, name: str, **values: Any) -> list[neo4j.Record]:
        """Run a statement and return its rows."""
        return list(self.raw.run(QUERIES[name], {"scope": self.scope, **values}))

    def row(self, name: str, **values: Any) -> neo4j.Record | None:
        """Run a statement and return its first row, None where it has none."""
        rows = self.rows(name, **values)
        return rows[0] if rows else None

    def run(self, name: str, **values: Any) -> None:
        """Run a statement that answers nothing."""
        self.raw.run(QUERIES[name], {"scope": self.scope, **values}).consume()

    def collect(self, name: str, **values: Any) -> list[Any]:
        """Run a statement that answers one list, and return it."""
        row = self.row(name, **values)
        return [] if row is None else row[0]

    def read_scope(self) -> Mapping[str, Any]:
        """Return what the node of the scope says; nothing where there is none."""
        row = self.row("read_scope")
        if row is None or not is_arriving(row["scope"]["position"]):
            return {} if row is None else row["scope"]
        return {**row["scope"], "position": mark_arriving(row["scope"]["position"])}

    def pass_gate(self) -> GateNumber:
        """Wait until nobody's commit is being applied, and return which was the last; NotFound if the scope moved."""
        for scope in (self.scope, _NEW):
            row = self.row("pass_gate", scope=scope)
            if row is not None and row["moved_to"] is not None:
                raise build_moved_refusal(scope, row["moved_to"])
            if row is not None:
                return scope, row["writes"]
        return _NEW, 0

    def lock_scope(
        self, lease: str | None = None, parts: Sequence[Sequence[Any]] = (), *, comes_back: bool = False
    ) -> "LockedScope":
        """Lock the node of a scope, made where it is missing, before anything is compared.

        One that moved elsewhere is NotFound, unless it `comes_back` now.
        """
        row = self.row("lock_scope", lease=lease or "", parts=list(parts))
        assert row is not None
        values = dict(row["scope"])
        if "moved_to" in values and not comes_back:
            raise build_moved_refusal(self.scope, values["moved_to"])
        if is_arriving(values["position"]) and not comes_back:
            raise build_arriving_refusal(self.scope)
        return LockedScope(values, row["fence"], row["parts"], bool(values.pop("is_new", False)))

    def close_gate(self, written: "WriteOutcome[Any]") -> GateNumber:
        """Write what the node of the scope says, and lock the gate until all is applied: nothing is asked after it."""
        if written.is_new:
            self.run("close_gate_of_new_scopes")
        row = self.row("close_gate", values=dict(written.values))
        assert row is not None
        return self.scope, row["writes"]


class LockedScope(NamedTuple):
    """What a locked scope says of itself, the fence of a lease, which of some parts are written, whether it is new."""

    values: dict[str, Any]
    fence: int | None
    parts: list[Mapping[str, Any]]
    is_new: bool


class WriteOutcome(NamedTuple, Generic[Answer]):
    """The answer of what wrote, whether it made its scope, and what the node of the scope says from now on."""

    answer: Answer
    is_new: bool
    values: Mapping[str, Any] = MappingProxyType({})


class ReadOutcome(NamedTuple, Generic[Answer]):
    """What came of reading once, the gate's number behind it, and whether no writer could come in between."""

    answers: tuple[Answer, ...]
    error: Exception | None
    gate: GateNumber
    is_held: bool

    def tell(self) -> Answer:
        """Return the answer; what could not be read is damage."""
        if self.error is None:
            return self.answers[0]
        if isinstance(self.error, RemanenceError):
            raise self.error
        raise StoreDamaged(
            f"the database is damaged: a row is not what was written ({type(self.error).__name__}: {self.error})",
            recovery="run `doctor`, then go back to the latest backup",
        ) from self.error


def _look(work: Callable[[Transaction], Answer], db: Transaction, *, holds: bool) -> ReadOutcome[Answer]:
    """Read once; what fails may be half of what a writer is about to write."""
    is_held = holds and bool(db.collect("hold_scope"))
    answers: tuple[Answer, ...] = ()
    error: Exception | None = None
    try:
        answers = (work(db),)
    except (*_UNREADABLE, RemanenceError) as raised:
        error = raised
    return ReadOutcome(answers, error, db.pass_gate(), is_held)


class Neo4jTransactions:
    """The connections to one database, and what is known of the gates of its scopes."""

    def __init__(self, address: NeoAddress) -> None:
        self._database = address.database
        self._gates: dict[str, GateNumber] = {}
        self._guard = Lock()
        try:
            self._driver = GraphDatabase.driver(
                address.uri,
                auth=address.auth,
                max_connection_pool_size=CONNECTIONS + 1,
                connection_acquisition_timeout=_WAIT_SECONDS,
                connection_timeout=_WAIT_SECONDS,
                notifications_min_severity=NotificationMinimumSeverity.OFF,
                user_agent="remanence",
            )
        except neo_errors.ERRORS as error:
            raise neo_errors.explain_error(error) from error
        try:
            with self._driver.session(database=self._database) as session:
                session.run(_ANY).consume()
        except neo_errors.ERRORS as error:
            self._driver.close()
            raise neo_errors.explain_error(error) from error

    def close(self) -> None:
        """Let all connections go."""
        self._driver.close()

    def run_alone(self, query: str, **values: Any) -> list[neo4j.Record]:
        """Run one statement in a transaction that the server opens for it."""

        def run() -> list[neo4j.Record]:
            with self._driver.session(database=self._database) as session:
                return list(session.run(query, values))

        return self._try(lambda _: run())

    def make(self, statement: str) -> None:
        """Make a constraint or an index, unless somebody just did: IF NOT EXISTS does not see what is being made."""

        def make() -> None:
            try:
                with self._driver.session(database=self._database) as session:
                    session.run(statement).consume()
            except ClientError as error:
                if not str(error.code).endswith(neo_errors.IS_MADE):
                    raise

        self._try(lambda _: make())

    def read(self, scope: str, work: Callable[[Transaction], Answer]) -> Answer:
        """Read what is of one moment: again where a writer came in between, at last while none can."""
        known = self._gates.get(scope)
        if known is None:
            known = self._transact(scope, Transaction.pass_gate)
        for attempt in count(1):
            look = self._transact(scope, partial(_look, work, holds=attempt > LOOKS_FREE))
            self._keep_gate(scope, look.gate)
            if look.is_held or look.gate == known:
                return look.tell()
            known = look.gate
        raise AssertionError  # it counts for ever

    def write(
        self, scope: str, work: Callable[[Transaction], WriteOutcome[Answer]], *, repeats: bool
    ) -> Answer:
        """Write in one transaction.

        Where its outcome was lost with the connection it is done again if it `repeats`: it knows what it wrote before.
        """

        def write(transaction: Transaction) -> Answer:
            written = work(transaction)
            after.append(transaction.close_gate(written))
            return written.answer

        after: list[GateNumber] = []
        answer = self._transact(scope, write, writes=True, repeats=repeats)
        self._keep_gate(scope, after[-1])
        return answer

    def look(self, work: Callable[[Transaction], Answer]) -> Answer:
        """Read what is of no one scope."""
        return self._transact("", work)

    def _keep_gate(self, scope: str, number: GateNumber) -> None:
        with self._guard:
            if len(self._gates) >= _SCOPES_MOST:
                self._gates.clear()
            self._gates[scope] = number

    def _transact(
        self,
        scope: str,
        work: Callable[[Transaction], Answer],
        *,
        writes: bool = False,
        repeats: bool = True,
    ) -> Answer:
        def transact(ends: list[bool]) -> Answer:
            with self._driver.session(database=self._database) as session:
                with session.begin_transaction() as raw:
                    answer = work(Transaction(raw, scope))
                    ends.append(True)
                    raw.commit()
                return answer

        return self._try(transact, writes=writes, repeats=repeats)

    def _try(
        self, transact: Callable[[list[bool]], Answer], *, writes: bool = False, repeats: bool = True
    ) -> Answer:
        """Run a transaction, again where the server gave it up in favour of another or the connection was lost.

        A server that does not answer is waited for, as one that starts again, so that what became of a commit is known.
        """
        until = read_monotonic_micros() + _WAIT_SECONDS * SECOND
        is_unknown, attempt = False, 0
        while True:
            attempt += 1
            ends: list[bool] = []  # whether it was asked to commit
            try:
                return transact(ends)
            except neo_errors.PASSING as error:
                is_lost = isinstance(error, neo_errors.LOST)
                is_unknown = is_unknown or (writes and bool(ends) and is_lost)
                is_over = read_monotonic_micros() > until if is_lost else attempt >= ATTEMPTS
                if is_unknown and (is_over or not repeats):
                    raise neo_errors.build_unknown_outcome() from error
                if is_over:
                    raise neo_errors.explain_error(error) from error
                sleep(min(attempt, _PAUSES_MOST) * (_LOST_PAUSE if is_lost else _PAUSE) * uniform(0.5, 1.0))
            except neo_errors.ERRORS as error:
                raise neo_errors.explain_error(error) from error
