"""The rows of a scope that one commit is about: read from the graph as tables, written back where they are otherwise.

Knows which rows the shared rules look at, and what in the graph follows from a row; knows no rule.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import orjson

from remanence.core.change import GUARDS, Cause, Change
from remanence.core.effects import CURATE
from remanence.core.model import Relation
from remanence.store.constraints import folds_of, memories_of, texts_coming_in
from remanence.store.neo4j.neo_queries import TYPES
from remanence.store.neo4j.neo_rows import (
    BLOCK_BITS,
    ENTITY,
    NARROW_NAMES,
    OWN,
    decode_columns,
    decode_sources,
    decode_tags,
    encode_columns,
    encode_link,
    encode_node,
    encode_sources,
    encode_tags,
    pack_row,
    stem_key,
    unpack_link,
    unpack_row,
    words_of,
)
from remanence.store.neo4j.neo_transactions import Transaction
from remanence.store.row_rules import Row, Tables, changes_state, empty
from remanence.text.analysis import term_hash

_COUNTED = NARROW_NAMES | GUARDS
_RELATIONS = frozenset(map(int, Relation))
_APART = {"boxes": "box", "traces": "trace", "forbidden": "fold"}


class ScopeSlice:
    """Tables that hold all rows which a commit names, claims, or touches; rows of memories may be narrow."""

    def __init__(self, db: Transaction, cause: Cause, position: int, *, forbids: bool) -> None:
        self._db, self._cause, self._position, self._forbids = db, cause, position, forbids
        self.tables: Tables = empty()

    def read(self, changes: Sequence[Change]) -> None:
        """Read what changes are compared with, before placeholders have numbers."""
        whole, narrow = self._sort_memories(changes)
        self._read_whole(whole, [one.key for one in changes if _needs_vector(one)])
        self._read_narrow(narrow - whole)
        self._read_claims(changes)
        named = [
            [source, target, TYPES[Relation(relation)]]
            for source, target, relation in _list_link_keys(changes)
            if min(source, target) > 0 and relation in _RELATIONS  # another is refused in a moment
        ]
        if named:
            self._take_links(self._db.collect("read_links", keys=named))
        hubs = [
            one.key
            for one in changes
            if one.table == "memories"
            and (_is_destroyed(one) or (changes_state(one) and not self._cause.planned))
        ]
        if hubs:
            self._take_links(self._db.collect("read_neighbours", seqs=hubs, types=None))
        for table in _APART:
            some = [one.key for one in changes if one.table == table]
            if table == "forbidden" and self._forbids:
                some += folds_of(texts_coming_in(changes, self._cause.verb))
            if some:
                rows = self._db.collect(f"read_{table}", keys=some)
                self.tables[table] = {key: orjson.loads(row) for key, row in rows}

    def read_ends(self, changes: Sequence[Change], latest_seq: int) -> None:
        """Read the memories that rows hang on, as far as they were there before."""
        ends = {end for key in self.tables["links"] for end in key[:2]}
        ends.update(
            seq for one in changes if one.table != "memories" for seq in memories_of(one.table, one.key)
        )
        self._read_narrow(seq for seq in ends if seq <= latest_seq)

    def write(self, tables: Tables) -> Counter[str]:
        """Write what is otherwise in other tables of the same rows; return by how much counts of the scope change."""
        old, new = self.tables["memories"], tables["memories"]
        created = {seq: row for seq, row in new.items() if seq not in old}
        removed = {seq: row for seq, row in old.items() if seq not in new}
        changed = {seq: (old[seq], row) for seq, row in new.items() if seq in old and row is not old[seq]}
        old_links, new_links = self.tables["links"], tables["links"]
        self._put("remove_links", [encode_link(key, None) for key in old_links if key not in new_links])
        self._remove_memories(removed)
        self._update_memories(changed, tables)
        self._create_memories(created, tables)
        self._put(
            "create_links", [encode_link(key, row) for key, row in new_links.items() if key not in old_links]
        )
        kept = [key for key in new_links if key in old_links and new_links[key] is not old_links[key]]
        self._put("update_links", [encode_link(key, new_links[key]) for key in kept])
        self._write_vectors(created, changed, removed)
        for table, name in _APART.items():
            self._write_apart(table, name, tables[table])
        return Counter(
            memories=len(created) - len(removed),
            links=len(new_links) - len(old_links),
            forbidden=len(tables["forbidden"]) - len(self.tables["forbidden"]),
            worded=self._write_words(created, changed, removed),
        )

    def _sort_memories(self, changes: Sequence[Change]) -> tuple[set[int], set[int]]:
        """Return which memories are read whole, and of which numbers, codes and times are enough."""
        whole: set[int] = set()
        narrow: set[int] = set()
        by_agent = self._cause.verb == "use" and self._cause.actor is not None
        for one in changes:
            if one.table in {"tags", "sources"}:
                whole.add(one.key[0])  # type: ignore[index, arg-type]
            elif one.table == "memories" and isinstance(one.key, int):
                is_narrow = not _is_destroyed(one) and one.columns <= _COUNTED and not by_agent
                (narrow if is_narrow else whole).add(one.key)
        return whole, narrow

    def _read_whole(self, seqs: Iterable[int], with_vectors: Sequence[Any]) -> None:
        for node in self._collect("read_memories", seqs):
            seq, row = decode_columns(node)
            self.tables["memories"][seq] = row
            self.tables["tags"].update({(seq, tag): one for tag, one in decode_tags(node).items()})
            self.tables["sources"].update(
                {(seq, source): one for source, one in decode_sources(node).items()}
            )
        if with_vectors:
            record = self._db.row("read_some_vectors", model=OWN, seqs=with_vectors)
            assert record is not None
            vectors = dict(zip(record["seqs"], record["vectors"], strict=True))
            for seq in self.tables["memories"].keys() & set(with_vectors):
                self.tables["memories"][seq] = {**self.tables["memories"][seq], "vector": vectors.get(seq)}

    def _read_narrow(self, seqs: Iterable[int]) -> None:
        for packed in self._collect("read_rows", seqs):
            seq, row = unpack_row(packed)
            self.tables["memories"][seq] = row

    def _collect(self, name: str, seqs: Iterable[int]) -> list[Any]:
        missing = sorted(seq for seq in seqs if seq > 0 and seq not in self.tables["memories"])
        return self._db.collect(name, seqs=missing) if missing else []

    def _read_claims(self, changes: Sequence[Change]) -> None:
        """Read memories that have an id, a key or a text that a change gives to another."""
        claims: dict[str, set[str]] = {"id": set(), "key": set(), "fingerprint": set()}
        for one in changes:
            if one.table != "memories" or one.after is None:
                continue
            for name, values in claims.items():
                value = one.after.get(name)
                if value is not None:
                    values.add(value.hex() if name == "fingerprint" else value)
        if not any(claims.values()):
            return
        found = {f"{name}s": list(values) for name, values in claims.items()}
        for record in self._db.rows("read_claims", **found):
            seq, row = unpack_row(record["row"])
            row |= {"id": record["id"], "key": record["key"]}
            row["fingerprint"] = bytes.fromhex(record["fingerprint"])
            self.tables["memories"][seq] = {**row, **self.tables["memories"].get(seq, {})}

    def _take_links(self, packed: Sequence[bytes]) -> None:
        self.tables["links"].update(map(unpack_link, packed))

    def _put(self, name: str, rows: Sequence[Any], **values: Any) -> None:
        if rows:
            self._db.run(name, rows=rows, **values)

    def _remove_memories(self, removed: Mapping[int, Row]) -> None:
        """Leave of each the node that its history hangs on."""
        cause = self._cause
        by = {"scope": self._db.scope, "run": cause.run, "at": cause.at, "position": self._position}
        rows = [{**by, "seq": seq, "id": row["id"], "key": row["key"]} for seq, row in removed.items()]
        self._put("remove_memories", rows)

    def _create_memories(self, created: Mapping[int, Row], tables: Tables) -> None:
        tags, sources = group_rows(tables["tags"]), group_rows(tables["sources"])
        nodes = [
            encode_node(self._db.scope, seq, row, tags[seq], sources[seq]) for seq, row in created.items()
        ]
        self._put("create_memories", nodes)
        self._mark_entities([seq for seq, row in created.items() if row["category"] == ENTITY])

    def _update_memories(self, changed: Mapping[int, tuple[Row, Row]], tables: Tables) -> None:
        old_tags, new_tags = group_rows(self.tables["tags"]), group_rows(tables["tags"])
        old_sources, new_sources = group_rows(self.tables["sources"]), group_rows(tables["sources"])
        columns = {
            seq: [name for name, value in new.items() if name != "asks" and value != old.get(name)]
            for seq, (old, new) in changed.items()
        }
        moved = [
            seq for seq, names in columns.items() if "key" in names and changed[seq][0]["key"] is not None
        ]
        self._put("update_memories", [{"seq": seq, "key": None} for seq in moved])  # another may take it
        curated = {"last_curated_at": self._cause.at} if self._cause.verb == CURATE else {}
        rows = {
            seq: {
                "seq": seq,
                **encode_columns(changed[seq][1], names),
                **curated,
                "row": pack_row(seq, changed[seq][1]),
            }
            for seq, names in columns.items()
        }
        for seq in old_tags.keys() | new_tags.keys():
            if old_tags[seq] != new_tags[seq] and seq in tables["memories"]:
                rows.setdefault(seq, {"seq": seq}).update(encode_tags(new_tags[seq]))
        for seq in old_sources.keys() | new_sources.keys():
            if old_sources[seq] != new_sources[seq] and seq in tables["memories"]:
                rows.setdefault(seq, {"seq": seq}).update(encode_sources(new_sources[seq]))
        self._put("update_memories", [row for seq, row in rows.items() if seq in self.tables["memories"]])
        if movers := [seq for seq, names in columns.items() if {"session", "thread"} & {*names}]:
            self._db.run("move_memories", seqs=movers)
        self._mark_entities([seq for seq, names in columns.items() if "category" in names])

    def _mark_entities(self, seqs: Sequence[int]) -> None:
        if seqs:
            self._db.run("mark_entities", seqs=seqs, category=ENTITY)

    def _write_vectors(
        self, created: Mapping[int, Row], changed: Mapping[int, tuple[Row, Row]], removed: Mapping[int, Row]
    ) -> None:
        """Write the memories' own vectors, and let those of models go with the texts that they were made for."""
        vectors = {seq: row["vector"] for seq, row in created.items() if row["vector"] is not None}
        gone = {*removed}
        for seq, (old, new) in changed.items():
            if "vector" in new and new["vector"] != old.get("vector"):
                gone.add(seq)
                vectors |= {} if new["vector"] is None else {seq: new["vector"]}
        if gone:
            self._db.run("remove_vectors", seqs=[*gone], model=OWN)
        rows = [{"seq": seq, "vector": vector, "bytes": len(vector)} for seq, vector in vectors.items()]
        self._put("put_vectors", rows, model=OWN)
        edited = [seq for seq, (old, new) in changed.items() if new.get("text") != old.get("text")]
        if edited or removed:
            self._db.run("remove_model_vectors", seqs=[*edited, *removed], own=OWN)

    def _write_words(
        self, created: Mapping[int, Row], changed: Mapping[int, tuple[Row, Row]], removed: Mapping[int, Row]
    ) -> int:
        """Write where stems are found; return by how much the number of memories with words changes."""
        before = {seq: words_of(row["text"]) for seq, row in removed.items()}
        after = {seq: words_of(row["text"]) for seq, row in created.items()}
        for seq, (old, new) in changed.items():
            if new.get("text") != old.get("text"):
                before[seq], after[seq] = words_of(old["text"]), words_of(new["text"])
        for name, some, others in (("remove_words", before, after), ("add_words", after, before)):
            blocks: dict[tuple[str, int], list[int]] = defaultdict(list)
            for seq in sorted(some):
                for stem in some[seq] - others.get(seq, frozenset()):
                    blocks[stem, seq >> BLOCK_BITS].append(seq)
            rows = [
                {"key": stem_key(stem), "stem": stem, "block": block, "hash": term_hash(stem), "seqs": seqs}
                for (stem, block), seqs in sorted(blocks.items())
            ]
            self._put(name, rows)
        return sum(map(bool, after.values())) - sum(map(bool, before.values()))

    def _write_apart(self, table: str, name: str, rows: Mapping[Any, Row]) -> None:
        """Write boxes, traces or what is forbidden: what people ask for as properties, the whole as JSON."""
        old = self.tables[table]
        nodes = [
            {
                "scope": self._db.scope,
                name: key,
                **{column: row[column] for column in row if column != "topics"},
                "row": orjson.dumps(row).decode(),
            }
            for key, row in rows.items()
            if row is not old.get(key)
        ]
        self._put(f"put_{table}", nodes)
        if gone := [key for key in old if key not in rows]:
            self._db.run(f"remove_{table}", keys=gone)


def _list_link_keys(changes: Sequence[Change]) -> list[tuple[int, int, int]]:
    return [cast("tuple[int, int, int]", one.key) for one in changes if one.table == "links"]


def _is_destroyed(change: Change) -> bool:
    return change.table == "memories" and change.after is None


def _needs_vector(change: Change) -> bool:
    """Tell whether a memory's vector is compared, logged or set by a change."""
    if change.table != "memories" or not isinstance(change.key, int) or change.key <= 0:
        return False
    return _is_destroyed(change) or "vector" in {*(change.before or ()), *(change.after or ())}


def group_rows(rows: Mapping[Any, Row]) -> defaultdict[int, dict[str, Row]]:
    """Return rows that hang on memories by memory."""
    by_memory: defaultdict[int, dict[str, Row]] = defaultdict(dict)
    for (seq, name), row in rows.items():
        by_memory[seq][name] = row
    return by_memory
