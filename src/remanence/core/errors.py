"""What can go wrong, as one tree; every error says what to do next. Knows nothing of the rest of the package.

RemanenceError
├── InvalidInput (ValueError)       an argument is wrong: empty text, NUL, a vector of the wrong size
│   ├── NameUnknown                 an unknown category, state, frame, relation or preset
│   ├── Erased                      it was erased for good, and nothing brings it back
│   ├── PolicyError                 a policy does not compile: line, column, nearest valid name
│   ├── IngestError                 a file to take in is malformed: line number; nothing was taken in
│   └── LanguageError               a language file is broken: file, key and line
├── NotFound (KeyError)             no such memory, link, run or file
├── Protected                       a guard forbids it: pinned, held, a system category
├── Conflict                        a row changed since it was read; nothing was written
├── LeaseLost                       another process has taken over the lease; nothing was written
├── PlanHeld                        the brake holds the plan: too much would be destroyed, or the clock jumped
├── PolicyMismatch                  the stored policy is another one than the caller's
├── ExtensionError                  code of another package, registered by an entry point, failed
├── WriterError                     a model gave no usable answer; what it was asked about is kept as it is
└── StoreError                      the store cannot do its work
    ├── StoreIncompatible           not a database of ours, a newer version, another embedding model
    ├── ErasedSince                 the file holds what was erased since it was copied: a person settles that first
    ├── StoreUnavailable            locked, full or closed
    │   ├── FileReplaced            the database file was removed, moved or replaced while it was open
    │   └── ReadOnly                the memory is opened to be read alone
    ├── CapabilityMissing           a store of yours cannot do this; nothing was written
    └── StoreDamaged                stored bytes are not what was written
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

INT_BITS = 64
# What Python and the linker say where the system gives no more: of threads, of libraries, of pages, and in a library
# that does not look whether it was given any.
_MEMORY_SIGNS = (
    "can't start new thread",
    "failed to map segment",
    "Cannot allocate memory",
    "error return without exception set",
)
SHOWN_CHARS = 80


class RemanenceError(Exception):
    """The root: `str(error)` says what happened, `error.recovery` what to do about it; a traceback shows both."""

    recovery: str

    def __init__(self, message: str, *, recovery: str) -> None:
        super().__init__(message)
        self.recovery = recovery
        self.add_note(f"→ {recovery}")

    def __str__(self) -> str:
        # KeyError would show the repr of its argument.
        return str(self.args[0])


class InvalidInput(RemanenceError, ValueError):
    """An argument is wrong; nothing was written."""


class NameUnknown(InvalidInput):
    """A name that is not declared, with the nearest one that is."""

    def __init__(
        self,
        what: str,
        name: str,
        known: Iterable[str],
        synonyms: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(f"unknown {what} {format_value(name)}", recovery=suggest(name, self.known, synonyms))


class Erased(InvalidInput):
    """The data was erased for good, or the change would bring erased data back; nothing was written."""

    def __init__(self, message: str, *, recovery: str = "nothing: erased data is kept nowhere") -> None:
        super().__init__(message, recovery=recovery)


class ImagesEnded(InvalidInput):
    """The undo data that it needs has expired; nothing was written."""


class PolicyError(InvalidInput):
    """A policy does not compile; `line` and `column` count from 1 in the document named by `source`."""

    def __init__(
        self, message: str, *, recovery: str, source: str = "policy", line: int = 1, column: int = 1
    ) -> None:
        super().__init__(f"{source}:{line}:{column}: {message}", recovery=recovery)
        self.source = source
        self.line = line
        self.column = column


class IngestError(InvalidInput):
    """A file to take in is malformed at `line` (from 1); nothing of it was taken in."""

    def __init__(self, message: str, *, recovery: str, source: str, line: int) -> None:
        super().__init__(f"{source}:{line}: {message}", recovery=recovery)
        self.message = message
        self.source = source
        self.line = line


class LanguageError(InvalidInput):
    """A language file does not hold what it should; `line` counts from 1, `key` is the dotted key of the list."""

    def __init__(self, message: str, *, recovery: str, source: str, key: str = "", line: int = 1) -> None:
        where = f"{source}:{line}: {key}" if key else f"{source}:{line}"
        super().__init__(f"{where}: {message}", recovery=recovery)
        self.source = source
        self.key = key
        self.line = line


class NotFound(RemanenceError, KeyError):
    """The thing named does not exist in this scope."""


class Protected(RemanenceError):
    """A guard forbids the change; `guards` names them."""

    def __init__(self, message: str, *, recovery: str, guards: Sequence[str]) -> None:
        super().__init__(message, recovery=recovery)
        self.guards = tuple(guards)


class Conflict(RemanenceError):
    """Rows changed since they were read, so nothing was written; `keys` holds their (table, key) pairs.

    If the caller passed `if_revision`, `expected` is that revision and `current` the present one, 0 where there is
    none; else both are None. `runs` must be undone first.
    """

    def __init__(
        self,
        keys: Sequence[tuple[str, Any]],
        message: str | None = None,
        recovery: str = "read the rows again and repeat the change; nothing was written",
        *,
        expected: int | None = None,
        current: int | None = None,
        runs: Sequence[str] = (),
    ) -> None:
        examples = ", ".join(f"{table} {key}" for table, key in keys[:5])
        more = f" and {len(keys) - 5} more" if len(keys) > 5 else ""
        super().__init__(message or f"changed since it was read: {examples}{more}", recovery=recovery)
        self.keys = tuple(keys)
        self.expected = expected
        self.current = current
        self.runs = tuple(runs)


class LeaseLost(RemanenceError):
    """The lease that the work relied on has another holder by now, so nothing was written; `lease` names it."""

    def __init__(self, lease: str) -> None:
        super().__init__(
            f"the lease {lease!r} has another holder by now; nothing was written",
            recovery="leave the work to that holder, or take the lease again and decide anew",
        )
        self.lease = lease


class PlanHeld(RemanenceError):
    """The deletion limit holds the whole plan: it would delete `destroyed` memories, or the `clock` is in doubt."""

    def __init__(self, message: str, *, recovery: str, destroyed: int, clock: bool = False) -> None:
        super().__init__(message, recovery=recovery)
        self.destroyed = destroyed
        self.clock = clock


class PolicyMismatch(RemanenceError):
    """The policy stored in the database is not the one the caller holds."""


class ModelError(RemanenceError):
    """A model gave no usable answer; `tokens_used` counts the tokens that were spent."""

    def __init__(self, message: str, *, recovery: str, tokens_used: int = 0) -> None:
        super().__init__(message, recovery=recovery)
        self.tokens_used = tokens_used


class WriterError(ModelError):
    """A model that judges, extracts or shortens gave no usable answer."""


class EmbedderError(ModelError):
    """An embedder returned no vectors, or vectors that cannot be stored; nothing was written."""


class ExtensionError(RemanenceError):
    """An extension that another package registered failed or returned a wrong value; `extension` names it."""

    def __init__(self, message: str, *, recovery: str, extension: str) -> None:
        super().__init__(message, recovery=recovery)
        self.extension = extension


class StoreError(RemanenceError):
    """The store cannot do its work."""


class StoreIncompatible(StoreError):
    """The file is not ours, is of a newer version, or was embedded by another model."""


class ErasedSince(StoreError):
    """The file holds `count` memories that were erased since it was copied, as `ledgers` say; it is not opened."""

    def __init__(self, message: str, *, recovery: str, count: int, ledgers: Sequence[str]) -> None:
        super().__init__(message, recovery=recovery)
        self.count = count
        self.ledgers = tuple(ledgers)


class StoreUnavailable(StoreError):
    """The store is locked, full or closed; nothing was lost."""


class FileReplaced(StoreUnavailable):
    """The database file was removed, moved or replaced while it was open; nothing was stored in its place."""


class ReadOnly(StoreUnavailable):
    """The memory is opened to be read alone, or its file allows no more; nothing was written."""


def build_memory_refusal(error: BaseException) -> StoreUnavailable | None:
    """Return our error for one by which a machine without memory shows, or by which it starts no thread; else None."""
    cause = error.__cause__
    is_out = isinstance(error, MemoryError) or any(sign in str(error) for sign in _MEMORY_SIGNS)
    if not is_out or not isinstance(error, MemoryError | RuntimeError | ImportError | OSError | SystemError):
        return None if cause is None else build_memory_refusal(cause)
    return StoreUnavailable(
        "memory ran out",
        recovery="free memory, or let the process have more (400 MB are enough for a small file), and try again;"
        " what a verb has answered is kept, nothing is half done",
    )


class CapabilityMissing(StoreError):
    """The store lacks a `capability` that is needed, by its name in `store.capabilities`; nothing was written."""

    def __init__(self, message: str, *, recovery: str, capability: str) -> None:
        super().__init__(message, recovery=recovery)
        self.capability = capability


class StoreDamaged(StoreError):
    """Stored bytes are not what was written."""


_SLIP_CHARS_MAX = 200  # what is longer than any name is no slip of one; comparing it would take long


def format_value(value: object) -> str:
    """Show a value that somebody passed in a few signs, whatever it is: a long number or an own `repr` may fail."""
    if value is None or isinstance(value, bool | float):
        return repr(value)
    if isinstance(value, int) and value.bit_length() <= INT_BITS:
        return repr(int(value))
    if isinstance(value, str | bytes):
        return repr(value[:SHOWN_CHARS]) + ("…" if len(value) > SHOWN_CHARS else "")
    if isinstance(value, int):
        return f"a number of {value.bit_length():,} bits"
    kind = type(value).__name__
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def suggest(name: str, known: Sequence[str], synonyms: Mapping[str, tuple[str, ...]] | None = None) -> str:
    """Say which known name means what `name` does elsewhere, else which is nearest, or list them where none is near."""
    meant = find_synonyms(str(name), {plain_name(one): one for one in known}, synonyms or {})
    if meant:
        return f"did you mean {' or '.join(map(repr, meant))}?"
    near = nearest(name, known)
    if near is not None:
        return f"did you mean {near!r}?"
    return "use one of: " + ", ".join(known[:30]) if known else "declare it first"


def nearest(name: str, known: Sequence[str]) -> str | None:
    """Return the known name that `name` may be a slip of, None where none is near."""
    near = get_close_matches(str(name), known, n=1, cutoff=0.6) if len(str(name)) <= _SLIP_CHARS_MAX else []
    return near[0] if near else None


def find_synonyms(word: str, known: Mapping[str, str], synonyms: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return which names mean what a word says elsewhere; `known` maps plain names to how they are shown."""
    return [known[name] for name in synonyms.get(plain_name(word), ()) if name in known]


def plain_name(word: str) -> str:
    """Return a word as the tables have it: in small letters, parts joined by dashes, none in front."""
    return word.strip("-_").replace("_", "-").casefold()
