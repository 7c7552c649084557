"""What an erasure leaves behind: salted hashes by which what was erased is known again and refused.

The same in every store. Knows changes and hashes; knows nothing of how rows are kept.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from remanence.core.change import Change
from remanence.core.model import Label
from remanence.store.constraints import bans_of, folds_of, texts_coming_in

ERASE = "erase"  # the verb of a commit that takes memories away with their images
KEEP = "keep"  # the verb of a run that keeps what a ledger names
EMPTIED = "emptied"  # in the detail of its run: the digest of what it left of the parts before it
_MARK_BYTES = 16
FOLD = "fold:"
_ID = "id:"


class MarkKind(Label):
    """What a mark of the ledger stands for."""

    ERASED = 0  # a salted hash of a number or a text: its memory is gone
    REDACTED = 1  # a salted hash of a text: its memory stands, without a person's names
    ID = 2  # the id of a memory that is gone, as it was: it is random, and says nothing
    KEPT = 3  # named by a ledger, and kept all the same because a person said so: refused nowhere


def of_seq(seq: int) -> str:
    """Return what a sequence number is asked for by."""
    return f"seq:{seq}"


def of_id(memory_id: str) -> str:
    """Return what an id is asked for by."""
    return f"{_ID}{memory_id}"


def of_fold(fold: str) -> str:
    """Return what a text is asked for by, given one of its `folding.fold_keys`."""
    return f"{FOLD}{fold}"


def mark(salt: bytes, name: str) -> str:
    """Return what the ledger keeps of a name: its salted hash, or an id as it is."""
    if name.startswith(_ID):
        return name.removeprefix(_ID)
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_MARK_BYTES, key=salt).hexdigest()


def names_of(memories: Iterable[tuple[int, str]], texts: Iterable[str]) -> list[str]:
    """Return by what memories, each a number and an id, and texts are known again."""
    names = [name for seq, id_ in memories for name in (of_seq(seq), of_id(id_))]
    return [*names, *map(of_fold, sorted(bans_of(texts)))]


def ids_among(names: Iterable[str]) -> list[str]:
    """Return the ids among the names by which what was erased is known."""
    return [name.removeprefix(_ID) for name in names if name.startswith(_ID)]


def names_coming_in(changes: Sequence[Change]) -> dict[str, tuple[str, object]]:
    """Return by what texts and memories that come in would be known again, each with the row that a conflict names.

    What an undo or a restoration brings back is no exception.
    """
    folds = folds_of(texts_coming_in(changes, ""))
    by_name: dict[str, tuple[str, object]] = {of_fold(fold): ("forbidden", fold) for fold in sorted(folds)}
    for change in changes:
        if change.table == "memories" and change.before is None and change.after is not None:
            by_name[of_id(change.after["id"])] = ("memories", change.key)
    return by_name
