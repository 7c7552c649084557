"""Puts an engine together: which store, whose scope, which clock, embedder and policy."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypedDict, Unpack

from remanence.core.arguments import check_name, check_path
from remanence.core.clock import Clock, SystemClock
from remanence.core.errors import ExtensionError, InvalidInput, NotFound, format_value
from remanence.core.keywords import TrustName
from remanence.core.model import Trust
from remanence.core.permissions import Capability
from remanence.core.signatures import validate_arguments
from remanence.core.timescale import CLOCKS, ClockName
from remanence.engine import Engine
from remanence.flows.base import extensions
from remanence.flows.base.async_embedder import Model, parts
from remanence.flows.base.context import Core, label
from remanence.flows.base.opening_checks import Answer, NewScope
from remanence.flows.base.policy_reading import no_policy, read_policy
from remanence.flows.base.tracing import Tracer
from remanence.gate.screening import refuse_secret
from remanence.llm.base import Embedder, WaitingEmbedder, Writer
from remanence.llm.named import NAMES, vendor_writer
from remanence.store.address import is_address, is_folder, is_neo4j
from remanence.store.base import Store
from remanence.store.capabilities import VECTORS, can, complete, require
from remanence.store.sqlite import key_change
from remanence.store.sqlite.driver import IN_MEMORY, FileKey
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence.text.tokens import token_counts

TokenCounter = Callable[[str], int]
LetGo = Callable[[], Awaitable[None]]


class OwnParts(TypedDict, total=False):
    """Parts of your own that replace the built-in ones, and how far texts that come in this way are believed."""

    store: Store | None
    key: object  # text, bytes or a function that returns either: a type would have a wrong value printed
    tokens: TokenCounter | None
    trust: TrustName | Trust
    denies: Sequence[Capability]
    read_only: bool
    erased_since: Answer
    new_scope: NewScope
    tracer: Tracer | None


@validate_arguments
def open(  # noqa: A001 - the verb of the contract: remanence.open
    path: str | Path = ":memory:",
    *,
    scope: str = "default",
    agent: str | None = None,
    policy: str | None = None,
    clock: str | Clock = "wall",
    embedder: str | Embedder | WaitingEmbedder = "auto",
    writer: str | Writer | None = None,
    **own: Unpack[OwnParts],
) -> Engine:
    """Open a memory: a file, made where it is missing, a database on a server, or one in this process only.

    Use it with `async with` or `await`.

    Args:
        path: the database file, ":memory:", or the address of a server: "postgresql://user@host/database" (extra
            `postgres`) or "neo4j://user@host/database" (extra `neo4j`).
        scope: name of the scope; no verb reads or writes across scopes but those of `scopes`, `promote`, and `recall`
            where it names others.
        agent: who writes and recalls.
        policy: the curation policy, as a preset's name, a TOML text or the path of a TOML file.
        clock: how the frames fade if their policy names no clock: by "wall", "active" or "turns"; or a clock object of
            yours.
        embedder: "auto" (built-in static word vectors), "hashed", "none" (words alone); in addition to the static
            vectors "local:FOLDER" (sentence-transformers, ONNX), "multilingual", "openai" or "openai:MODEL";
            the name of a registered embedder, or an embedder of yours.
        writer: a model that judges memories at consolidation and decides nothing: "openai:MODEL", "anthropic:MODEL",
            the name of a registered model, or a model of yours.
        store: a store of yours instead of SQLite at `path`.
        key: what encrypts the file (extra `encrypted`): a passphrase as text or bytes, "x'64 hexadecimal digits'", or a
            function that returns either. A new file is encrypted with it; one that is there opens with its key alone.
        trust: how far texts that come in through this opening are believed at most; pass "agent" where an agent writes
            by itself: it then removes nothing that a person set.
        denies: actions that this opening refuses even to a person: "release" (unpin, end a hold, settle quarantine and
            bans), "policy", "settings", "erase", "tokens".
        read_only: open it only to read: nothing is written, not even that something was used, and a verb that writes
            raises ReadOnly. If its file or folder is not writable, it is opened read-only with a warning.
        erased_since: how to open a file with data that were erased since it was copied: "refuse" raises ErasedSince,
            "look" opens it for `status`, `doctor` and `memory.erase`, "erase" erases them again first.
        new_scope: how to open a scope that nobody ever wrote to: "make" begins it, "refuse" raises NotFound with the
            existing scopes.
        tokens: a function of yours that counts the tokens of a text, for budgets; without it they are estimated.
        tracer: a tracer of OpenTelemetry, which gets spans when a curation gathers, decides and commits; it gets no
            texts, ids and names.
    """
    if not is_address(path):
        check_path(path)
    check_name("a scope", scope)
    if agent is not None:
        check_name("an agent", agent)
        refuse_secret(b"", "name of the agent", agent)
    store, counter = own.get("store"), own.get("tokens")
    key = _read_key(own.get("key"))
    if key is not None and (store is not None or str(path) == IN_MEMORY or is_address(path)):
        raise InvalidInput(
            "a key encrypts a database file, and none is opened",
            recovery="name the path of a file, or leave out key",
        )
    backend = complete(store if store is not None else build_store(path, key))
    vectorizer, model = _embedder(backend, embedder)
    watch, fades_by = _clock(clock)
    judge, let_go = _writer(writer)
    has_policy = policy is not None
    rules = no_policy() if policy is None else read_policy(policy)
    core = Core(
        backend,
        scope,
        watch,
        vectorizer,
        rules,
        agent,
        policy_given=has_policy,
        fades_by=fades_by,
        writer=judge,
    )
    core.let_go, core.model = let_go, model
    core.trust = label(Trust, own.get("trust", Trust.USER), "trust")
    core.denies = frozenset(own.get("denies", ()))
    core.reads_only = own.get("read_only", False)
    core.erased_since = own.get("erased_since", "refuse")
    if core.erased_since == "erase":
        core.refuse_verb("erase.apply", "erase")
    core.new_scope = own.get("new_scope", "make")
    core.tracer = own.get("tracer")
    core.counts = token_counts if counter is None else partial(_count_line_tokens, counter)
    return Engine(core)


@validate_arguments
async def change_key(path: str | Path, *, key: object = None, new_key: object) -> int:
    """Encrypt a file with `new_key`, or decrypt it if that is None, and return how many memories are in it.

    `key` is the one that it has now, None if it has none; both are as for `open`. The file is written anew beside
    itself and compared row by row before it takes the place of the old one: whatever fails, or is killed, before that
    leaves the old one as it was. Nobody else may have it open. What the old file said stays on the disk until its
    blocks are used again; its backups and exports stay as they are.
    """
    if is_address(path):
        raise InvalidInput(
            "a key encrypts a database file, and this is the address of a server", recovery="name a file"
        )
    check_path(path)
    before, after = _read_key(key), _read_key(new_key)
    return await asyncio.to_thread(key_change.change_key, str(path), before, after)


def build_store(path: str | Path, key: object = None) -> Store:
    """Return the store of a file, a folder or a database on a server; what these need is loaded for them alone."""
    file_key = _read_key(key)
    if is_folder(path):
        from remanence.store.folder.folder_store import FolderStore

        return FolderStore(str(path), key=file_key)
    if not is_address(path):
        return SqliteStore(str(path), key=file_key)
    extra = "neo4j" if is_neo4j(str(path)) else "postgres"
    try:
        if extra == "neo4j":
            from remanence.store.neo4j.neo_store import Neo4jStore

            return Neo4jStore(str(path))
        from remanence.store.postgres.pg_store import PgStore
    except ImportError as error:
        raise NotFound(
            f"the extra `{extra}` is not installed ({error})", recovery=f"pip install 'remanence[{extra}]'"
        ) from None
    return PgStore(str(path))


def _read_key(source: object) -> FileKey | None:
    """Return the key that a caller gives; a function of theirs is called once."""
    if callable(source):
        with extensions.wrap_extension_errors("the function that returns the key"):
            source = source()
        return FileKey(source)
    return source if source is None or isinstance(source, FileKey) else FileKey(source)


def _embedder(store: Store, embedder: str | Embedder | WaitingEmbedder) -> tuple[Embedder, Model | None]:
    """Return what embeds; on a store that keeps no vectors nothing does, and what was named all the same is refused."""
    if embedder == "auto" and not can(store, VECTORS):
        embedder = "none"
    vectorizer, model = parts(embedder)
    if vectorizer.dimensions or model is not None:
        require(store, VECTORS, f"the embedder {vectorizer.name if model is None else model.name}")
    return vectorizer, model


def _clock(clock: str | Clock) -> tuple[Clock, ClockName]:
    if not isinstance(clock, str):
        return clock, "wall"
    for name in CLOCKS:
        if clock == name:
            return SystemClock(), name
    raise InvalidInput(
        f"unknown clock {clock!r}", recovery=f"use one of {', '.join(CLOCKS)}, or pass a clock of yours"
    )


def _writer(writer: str | Writer | None) -> tuple[Writer | None, LetGo | None]:
    """Return the writer, and how its connections are let go where it is made here."""
    if not isinstance(writer, str):
        return writer, None
    asking = vendor_writer(writer)
    return (extensions.writer(writer, NAMES), None) if asking is None else (asking, asking.close)


def _count_line_tokens(counter: TokenCounter, lines: Sequence[str]) -> list[int]:
    """Have a user's own function count lines, each with its end; refuse what it should not have said."""
    counter_name = f"the token counter {getattr(counter, '__qualname__', type(counter).__name__)}"
    with extensions.wrap_extension_errors(counter_name):
        counts: list[object] = [counter(line + "\n") for line in lines]
    for count in counts:
        if type(count) is not int or count < 0:
            raise ExtensionError(
                f"{counter_name} returned {format_value(count)}",
                recovery="have it return a whole number of at least 0",
                extension=counter_name,
            )
    return counts  # type: ignore[return-value]
