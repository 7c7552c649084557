"""What errors of psycopg and of the server mean to the caller: those of psycopg never get out."""

import psycopg
from psycopg import errors

from remanence.core.errors import (
    Conflict,
    InvalidInput,
    ReadOnly,
    RemanenceError,
    StoreDamaged,
    StoreError,
    StoreIncompatible,
    StoreUnavailable,
)
from remanence.store.sql.decoding import UNFIT as UNFIT
from remanence.store.sql.decoding import build_unfit_refusal

# After these nothing was written, and the same may go well a moment later.
PASSING = (errors.DeadlockDetected, errors.SerializationFailure, errors.IdleInTransactionSessionTimeout)
# What the server says, or nobody says any more, where the connection is gone.
LOST = (psycopg.OperationalError, psycopg.InterfaceError, errors.IdleInTransactionSessionTimeout)
_NOTHING = "nothing was written"
_KINDS: tuple[tuple[type[Exception], type[StoreError], str, str], ...] = (
    (
        errors.ReadOnlySqlTransaction,
        ReadOnly,
        "the server lets nothing be written",
        "connect to the primary server, or open the memory with --read-only",
    ),
    (
        errors.InsufficientPrivilege,
        ReadOnly,
        "this role may not do that",
        "name a scope that this role was granted, or have the owner grant it: remanence store grant ROLE",
    ),
    (
        errors.DiskFull,
        StoreUnavailable,
        "the disk of the server is full",
        f"make room on the server and try again; {_NOTHING}",
    ),
    (
        errors.LockNotAvailable,
        StoreUnavailable,
        "another process holds the scope",
        f"wait until it has finished, or stop it; {_NOTHING}",
    ),
    (
        errors.IdleInTransactionSessionTimeout,
        StoreUnavailable,
        "this process stood still while it held the scope, and the server ended its transaction",
        f"try again; {_NOTHING}",
    ),
    (
        errors.QueryCanceled,
        StoreUnavailable,
        "the server ended a statement that took too long",
        f"raise statement_timeout or try again; {_NOTHING}",
    ),
    (
        errors.UndefinedTable,
        StoreIncompatible,
        "a table is missing in this database",
        "it was changed by another program: go back to a backup",
    ),
    (errors.DataCorrupted, StoreDamaged, "the server says that data are damaged", "go back to a backup"),
    (errors.IndexCorrupted, StoreDamaged, "the server says that an index is damaged", "REINDEX it"),
)


def may_pass(error: psycopg.Error) -> bool:
    """Tell whether the same may go well in another transaction, on another connection."""
    return isinstance(error, PASSING) or is_unknown(error)


def is_unknown(error: psycopg.Error) -> bool:
    """Tell whether the connection is gone, so that nobody knows what became of its transaction."""
    if error.sqlstate is None:
        return True
    return error.sqlstate[:2] in {"08", "57"} and not isinstance(error, errors.QueryCanceled)


def meaning(error: BaseException) -> BaseException:
    """Return what an error means to the caller; others than those of psycopg stay what they are."""
    if isinstance(error, RemanenceError):
        return error
    if isinstance(error, UNFIT):
        return build_unfit_refusal(error)
    if not isinstance(error, psycopg.Error):
        return error
    for kind, ours, message, recovery in _KINDS:
        if isinstance(error, kind):
            return ours(f"{message}: {first_line(error)}", recovery=recovery)
    return _build_other(error)


def _build_other(error: psycopg.Error) -> RemanenceError:
    said = first_line(error)
    if isinstance(error, errors.UniqueViolation):
        return Conflict([], f"an id, key or row is taken already ({said}); {_NOTHING}")
    if isinstance(error, errors.ForeignKeyViolation | errors.RestrictViolation):
        return InvalidInput(
            "a tag, link or source would name a memory that does not exist",
            recovery="destroy a memory together with its tags, links and sources",
        )
    if isinstance(error, psycopg.IntegrityError | errors.NumericValueOutOfRange):
        return InvalidInput(
            f"a value is out of range: {said}", recovery="see the columns of a memory for its range"
        )
    if isinstance(error, psycopg.DataError):
        return InvalidInput(
            f"a value cannot be kept: {said}", recovery="use valid Unicode without the character NUL"
        )
    if isinstance(error, LOST):
        return StoreUnavailable(
            f"the server does not answer: {said}",
            recovery="check that it runs and that the address is right, then try again",
        )
    return StoreError(
        f"the server refuses: {said}", recovery="run `doctor`; if it finds nothing, report this as a bug"
    )


def first_line(error: psycopg.Error) -> str:
    """Return the first line of what the server or libpq says."""
    said = str(error).strip()
    return said.splitlines()[0] if said else type(error).__name__
