"""Which columns of each table are under check sums; read by the schema and by whatever adds to the sums."""

from collections.abc import Mapping
from dataclasses import dataclass

from remanence.core.box import BOX_COLUMNS, TRACE_COLUMNS
from remanence.core.model import COLUMNS, LINK_COLUMNS


@dataclass(frozen=True, slots=True)
class SummedTable:
    """A table that is summed: its columns behind the scope, which of them are the key, and which hold texts.

    Where it is `chunked`, a row belongs to the chunk of the first number of its key, else to the first of its scope. A
    row that is `counted` is missed though its values be 0.
    """

    columns: tuple[str, ...]
    key: tuple[str, ...]
    texts: frozenset[str] = frozenset()
    chunked: bool = True
    counted: bool = True


def _of_scope(*columns: str, texts: tuple[str, ...] = (), counted: bool = True) -> SummedTable:
    return SummedTable(columns, columns[:1], frozenset(texts), False, counted)


SUMMED: Mapping[str, SummedTable] = {
    "states": SummedTable(("seq", *(column.name for column in COLUMNS if column.home == "states")), ("seq",)),
    "vectors": SummedTable(("seq", "digest"), ("seq",)),
    "embeddings": SummedTable(("seq", "model", "digest"), ("seq", "model")),
    "tags": SummedTable(("seq", "tag", "at"), ("seq", "tag")),
    "accessors": SummedTable(("seq", "agent", "uses", "last_at"), ("seq", "agent")),
    "sources": SummedTable(("seq", "source", "span"), ("seq", "source"), frozenset({"source", "span"})),
    "links": SummedTable(("source", "target", "relation", *LINK_COLUMNS), ("source", "target", "relation")),
    "forbidden": _of_scope("fold", "at", "seq", texts=("fold",)),
    "erased": _of_scope("mark", "at", "kind", texts=("mark",)),
    "boxes": _of_scope("box", *BOX_COLUMNS, texts=("session", "topics", "members")),
    "traces": _of_scope("trace", *TRACE_COLUMNS, texts=("topics",)),
    "purged": _of_scope("seq", "id", "key", "position", "at", texts=("id", "key")),
    "mentions": SummedTable(("seq", "position"), ("seq", "position")),
    "names": SummedTable(("no", "space", "name"), ("no",), frozenset({"space", "name"})),
    "settings": _of_scope("name", "value", texts=("name", "value")),
    "fired": _of_scope("rule", "at", texts=("rule",)),
    "leases": _of_scope("name", "holder", "until", "fence", texts=("name", "holder")),
    "spans": _of_scope("began_at", "ended_at"),
    "heard": _of_scope("minute", "turns", counted=False),
    "counters": _of_scope("name", "count", texts=("name",)),
}
