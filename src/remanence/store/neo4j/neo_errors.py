"""What errors of the driver and of the server mean to the caller: those of the driver never get out."""

import orjson
from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    ConstraintError,
    DriverError,
    Forbidden,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from remanence.core.errors import (
    Conflict,
    InvalidInput,
    ReadOnly,
    RemanenceError,
    StoreError,
    StoreIncompatible,
    StoreUnavailable,
)

# After these the same may go well a moment later: the server gave a transaction up for another, or nobody answers.
PASSING = (TransientError, ServiceUnavailable, SessionExpired)
LOST = (ServiceUnavailable, SessionExpired)
# What the driver, and JSON, say of a value that cannot be kept.
UNFIT = (OverflowError, UnicodeEncodeError, orjson.JSONEncodeError)
ERRORS = (Neo4jError, DriverError, *UNFIT)
IS_MADE = ("RuleAlreadyExists", "IndexAlreadyExists", "ConstraintAlreadyExists")  # codes end so
_NOTHING = "nothing was written"
# By classes of the driver, or the end of a code of the server: what it means, and what to do; the first counts.
_MEANINGS: tuple[
    tuple[type[Exception] | tuple[type[Exception], ...] | str, type[RemanenceError], str, str], ...
] = (
    (
        AuthError,
        StoreUnavailable,
        "the server refuses this user or password",
        "check the user in the address and NEO4J_PASSWORD",
    ),
    (
        ".DatabaseNotFound",
        StoreUnavailable,
        "there is no such database on the server",
        "name another one, or create it: CREATE DATABASE name",
    ),
    (
        Forbidden,
        ReadOnly,
        "the server lets nothing be written",
        "connect as a user who may write, or open the memory with --read-only",
    ),
    (
        ConfigurationError,
        InvalidInput,
        "the driver refuses the address",
        "write neo4j://USER@HOST:PORT/DATABASE",
    ),
    (".SyntaxError", StoreIncompatible, "the server does not know a statement", "use Neo4j 5.26 or newer"),
    (
        TransientError,
        StoreUnavailable,
        "the server gave the transaction up",
        f"try again in a moment; {_NOTHING}",
    ),
    (
        LOST,
        StoreUnavailable,
        "the server does not answer",
        f"check that it runs and that the address is right, then try again; {_NOTHING}",
    ),
)


def explain_error(error: BaseException) -> RemanenceError:
    """Return what an error means to the caller."""
    if isinstance(error, UNFIT):
        return InvalidInput(
            f"a value cannot be kept: {error}", recovery="use valid Unicode and integers below 2**63"
        )
    said = _read_first_line(error)
    if isinstance(error, ConstraintError):
        return Conflict([], f"an id, key or row is taken already ({said}); {_NOTHING}")
    code = getattr(error, "code", None) or ""
    for kind, ours, message, recovery in _MEANINGS:
        if code.endswith(kind) if isinstance(kind, str) else isinstance(error, kind):
            return ours(f"{message}: {said}", recovery=recovery)
    return StoreError(
        f"the server refuses: {said}", recovery="run `doctor`; if it finds nothing, report this as a bug"
    )


def build_unknown_outcome() -> StoreUnavailable:
    """Return what it means that nobody knows whether a transaction was committed."""
    return StoreUnavailable(
        "the connection was lost as the transaction ended: whether it was written is not known",
        recovery="look what is there, then try again",
    )


def _read_first_line(error: BaseException) -> str:
    said = (getattr(error, "message", None) or str(error)).strip()
    return said.splitlines()[0] if said else type(error).__name__
