"""What the servers of one database keep between two requests: in its table `server_state`, where each of them finds it.

A place is (scope, kind, name). Its name, and what is kept there, are written so that only who knows the name can read
them: a copy of the database logs nobody in. What has a text of a scope is kept only if nothing of the scope was erased
since the position at which the text was read, and an erasure empties what is there in its own transaction.
"""

import asyncio
import secrets
import zlib
from collections import defaultdict
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any, Self, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from remanence.core.errors import StoreError
from remanence.store.postgres.pg_listening import PgListening
from remanence.store.postgres.pg_store import PgStore
from remanence.store.sql.database import Database, Row
from remanence.store.sql.dialect import POSTGRES_NOW, Statement
from remanence.store.sql.scope import TELL

Answer = TypeVar("Answer")
StatePlace = tuple[str, str, str]  # scope, kind and name
CONNECTIONS = 4
BYTES_MAX = 16 << 20  # that is kept for one owner in one kind, but for the newest, which may be larger
LISTENING_S = 60.0  # for which a scope is listened to once that was said
_NONCE_BYTES = 12
_DIGITS_MAX = 20
_WHERE = "scope = ?1 AND kind = ?2 AND name = ?3"
_THERE = f"{_WHERE} AND expires_at > {POSTGRES_NOW}"
_UNTIL = f"{POSTGRES_NOW} + ?"
_INSERT = "INSERT INTO server_state (scope, kind, name, owner, asked, value, expires_at)"
_SHARE = Statement("SELECT position FROM scopes WHERE scope = ?1 FOR SHARE")
_PUT = Statement(
    f"{_INSERT} VALUES (?1, ?2, ?3, ?4, NULL, CASE WHEN EXISTS (SELECT 1 FROM runs WHERE scope = ?1"
    f" AND verb = 'erase' AND position > ?7) THEN ''::bytea ELSE ?5::bytea END, {_UNTIL}6)"
    " ON CONFLICT (scope, kind, name) DO UPDATE SET owner = excluded.owner, value = excluded.value,"
    " expires_at = excluded.expires_at"
)
_POST = Statement(
    f"{_INSERT} VALUES (?1, ?2, ?3, '', NULL, ?4, {_UNTIL}5) ON CONFLICT (scope, kind, name)"
    " DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at"
)
_POSTS = Statement(
    "SELECT name, expires_at, value FROM server_state"
    f" WHERE scope = ?1 AND kind = ?2 AND value <> '' AND expires_at > {POSTGRES_NOW} ORDER BY expires_at"
)
_LISTEN = Statement(
    f"{_INSERT} VALUES (?1, 'listening', '', '', NULL, NULL, {_UNTIL}2)"
    " ON CONFLICT (scope, kind, name) DO UPDATE SET expires_at = excluded.expires_at"
)
_TRIM = Statement(
    "DELETE FROM server_state WHERE scope = ?1 AND kind = ?2 AND owner = ?3 AND name IN (SELECT k.name FROM"
    " (SELECT name, row_number() OVER w AS n, sum(octet_length(value)) OVER w AS bytes FROM server_state"
    " WHERE scope = ?1 AND kind = ?2 AND owner = ?3 AND value IS NOT NULL WINDOW w AS (ORDER BY expires_at DESC, name))"
    " AS k WHERE k.n > ?4 OR (k.n > 1 AND k.bytes > ?5))"
)
_FIND = Statement(f"SELECT value FROM server_state WHERE {_THERE} AND value IS NOT NULL")
_TAKE = Statement(f"DELETE FROM server_state WHERE {_THERE} AND value IS NOT NULL RETURNING value")
_DROP = Statement(f"DELETE FROM server_state WHERE {_WHERE} AND owner = ?4 RETURNING NULL")
_CLAIM = Statement(
    f"{_INSERT} VALUES (?1, ?2, ?3, ?4, ?5, NULL, {_UNTIL}6)"
    " ON CONFLICT (scope, kind, name) DO UPDATE SET owner = excluded.owner, asked = excluded.asked, value = NULL,"
    " expires_at = excluded.expires_at"
    f" WHERE server_state.expires_at <= {POSTGRES_NOW} OR server_state.owner = excluded.owner RETURNING 1"
)
_CLAIMED = Statement(f"SELECT asked, value FROM server_state WHERE {_WHERE}")
_PROLONG = Statement(
    f"UPDATE server_state SET expires_at = {_UNTIL}5 WHERE {_WHERE} AND owner = ?4 RETURNING NULL"
)
_SWEEP = Statement(f"DELETE FROM server_state WHERE expires_at <= {POSTGRES_NOW}")
_NAME = Statement("SELECT name FROM scope_names WHERE scope = ?1")


class PgServerState:
    """Keeps, finds and tells what servers share; `async with`. `on_erasure` hear of scopes of which was erased."""

    def __init__(self, address: str) -> None:
        self._store = PgStore(address, connections=CONNECTIONS)
        self._address = address
        self.process = secrets.token_hex(8)
        self.on_erasure: list[Callable[[str], Awaitable[None]]] = []
        self._numbers: dict[str, int] = {}
        self._told: defaultdict[int, int] = defaultdict(int)  # how often something was told of a scope
        self._came = asyncio.Event()  # another one each time
        self._looking: set[asyncio.Task[None]] = set()
        self._listening: PgListening | None = None

    async def __aenter__(self) -> Self:
        await self._store.open()
        loop = asyncio.get_running_loop()
        self._listening = PgListening(
            self._store.libpq, lambda told: loop.call_soon_threadsafe(self._hear, told)
        )
        self._listening.start()
        return self

    async def __aexit__(self, *_raised: object) -> None:
        if self._listening is not None:
            self._listening.end()
            await asyncio.to_thread(self._listening.join)
        await asyncio.gather(*self._looking)
        await self._store.close()

    # What is kept

    async def put(
        self,
        place: StatePlace,
        value: bytes,
        *,
        seconds: float,
        since: int | None = None,
        owner: str = "",
        most: int = 100,
    ) -> None:
        """Keep a value for so long, of one owner at most so many in its kind.

        With `since` it is empty where memories of the scope were erased after that position.
        """
        row = (*_key(place), owner, _seal(place, value), _micros(seconds), since)

        def work(db: Database, scope: int) -> None:
            # An erasure that is under way is waited for: what it cannot see yet is not to be kept behind its back.
            if since is not None:
                db.row(_SHARE, (scope,))
            db.run(_PUT, (scope, *row))
            db.run(_TRIM, (scope, row[0], owner, most, BYTES_MAX))

        await self._change(place[0], work)

    async def find(self, place: StatePlace) -> bytes | None:
        """Return what is kept, b"" where it was emptied, None where nothing is."""
        return _open(place, await self._ask(place, _FIND))

    async def take(self, place: StatePlace) -> bytes | None:
        """Return what is kept and keep it no more: of all who ask one is given it."""
        return _open(place, await self._ask(place, _TAKE))

    async def claim(
        self, place: StatePlace, asked: bytes, holder: str, seconds: float
    ) -> tuple[bytes, bytes | None] | None:
        """Take a place for so long, None; where it is taken, what it was asked with and what is kept there, if any."""
        key = _key(place)

        def work(db: Database, scope: int) -> Row | None:
            if db.row(_CLAIM, (scope, *key, holder, asked, _micros(seconds))) is not None:
                return None
            return db.row(_CLAIMED, (scope, *key)) or (asked, None)

        row = await self._change(place[0], work)
        return None if row is None else (bytes(row[0] or b""), _open(place, row[1:]))

    async def prolong(self, place: StatePlace, holder: str, seconds: float) -> None:
        """Hold a place that was claimed for longer."""
        await self._ask(place, _PROLONG, holder, _micros(seconds))

    async def drop(self, place: StatePlace, owner: str) -> None:
        """Keep nothing there, if it is the owner's."""
        await self._ask(place, _DROP, owner)

    async def sweep(self) -> None:
        """Take away what has expired, of all scopes."""
        await self._change("", lambda db, _: db.run(_SWEEP))

    # What is told

    async def post(self, place: StatePlace, value: bytes, *, seconds: float) -> None:
        """Keep what every process reads, and tell those that listen."""

        def work(db: Database, scope: int) -> None:
            db.run(_POST, (scope, *place[1:], value, _micros(seconds)))
            db.run(TELL, (str(scope),))

        await self._change(place[0], work)

    async def read_posts(self, scope: str, kind: str) -> dict[str, tuple[int, bytes]]:
        """Return what was posted, each by its name with a number that is another one each time, the oldest first."""
        rows = await self._change(scope, lambda db, number: db.rows(_POSTS, (number, kind)))
        return {name: (stamp, bytes(value)) for name, stamp, value in rows}

    async def listen(self, scope: str) -> None:
        """Have writers tell of their commits in a scope, for a minute."""

        def work(db: Database, number: int) -> None:
            db.run(_LISTEN, (number, _micros(LISTENING_S)))

        await self._change(scope, work)

    def find_stamp(self, scope: str) -> int:
        """Return how often something was told of a scope that was asked for before."""
        return self._told[self._numbers.get(scope, 0)]

    async def wait(self, scope: str, stamp: int, seconds: float, unheard_s: float) -> None:
        """Wait until something is told of a scope since a stamp, at most so long; less where nothing can be heard."""
        is_heard = self._listening is not None and self._listening.is_heard
        try:
            async with asyncio.timeout(seconds if is_heard else unheard_s):
                while self.find_stamp(scope) == stamp:
                    await self._came.wait()
        except TimeoutError:
            pass

    def _hear(self, payload: str) -> None:
        is_number = payload.removeprefix("-").isdecimal() and len(payload) <= _DIGITS_MAX
        number = int(payload) if is_number else None
        for scope in [*self._told] if number is None else [abs(number)]:
            self._told[scope] += 1
        self._came.set()
        self._came = asyncio.Event()
        if number is not None and number < 0:
            task = asyncio.create_task(self._tell_erasure(-number))
            self._looking.add(task)
            task.add_done_callback(self._looking.discard)

    async def _tell_erasure(self, number: int) -> None:
        def find_name(db: Database, _: int) -> Row | None:
            return db.row(_NAME, (number,))

        try:
            named = await self._change("", find_name)
        except StoreError:  # whoever uses the scope next looks
            return
        if named is not None:
            for hear in self.on_erasure:
                await hear(named[0])

    def forget(self, scope: str) -> None:
        """Do nothing: the erasure did it."""

    async def _ask(self, place: StatePlace, statement: Statement, *more: Any) -> Row | None:
        values = (*_key(place), *more)

        def ask(db: Database, scope: int) -> Row | None:
            return db.row(statement, (scope, *values))

        return await self._change(place[0], ask)

    async def _change(self, scope: str, work: Callable[[Database, int], Answer]) -> Answer:
        def work_there(db: Database, number: int) -> Answer:
            self._numbers[scope] = number
            return work(db, number)

        return await self._store.transact(scope, work_there)


def _micros(seconds: float) -> int:
    return round(seconds * 1_000_000)


def _key(place: StatePlace) -> tuple[str, str]:
    """Return the kind of a place, and the digest of its name."""
    return place[1], sha256("\0".join(place).encode()).hexdigest()


def _seal(place: StatePlace, value: bytes) -> bytes:
    """Return a value as it is kept: encrypted with a key that follows from the name of its place."""
    if not value:
        return b""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + _build_cipher(place).encrypt(nonce, zlib.compress(value, 1), None)


def _open(place: StatePlace, row: Row | None) -> bytes | None:
    """Return what is kept, None where nothing is, or something that nobody wrote who knew the name."""
    if row is None or row[0] is None:
        return None
    kept = bytes(row[0])
    if not kept:
        return b""
    try:
        packed = _build_cipher(place).decrypt(kept[:_NONCE_BYTES], kept[_NONCE_BYTES:], None)
    except (InvalidTag, ValueError):
        return None
    return zlib.decompress(packed)


def _build_cipher(place: StatePlace) -> AESGCM:
    return AESGCM(sha256("\0".join((*place, "value")).encode()).digest())
