"""Which work of the engine goes along with memories that an undo takes away, or whose text it does.

Knows rows as they were read and what later runs changed; knows no store. A row that the engine made goes with its
memory, and so do facts and entities once nothing is left that they are known from. What anybody else has touched stays.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from remanence.core.change import Change, Row
from remanence.core.model import Memory, Relation
from remanence.edit.later_runs import LaterRuns

# Which end of a link is known from the other: facts from what they were learned from, entities from who mentions them.
KNOWN_END = {Relation.LEARNED_FROM: 0, Relation.MENTIONS: 1}
Rows = Mapping[Row, Change]  # tags, sources and links that are there, each with the change that takes it away


class Dependents:
    """The memories that go, `going`, and the `rows` that go along with them.

    `named` are the rows that go anyway, `entities` memories that the run made and that go only if nothing holds them.
    Of a run of the engine mentions go whoever drew them: a merge of entities draws them anew.
    """

    def __init__(
        self, later: LaterRuns, named: AbstractSet[Row], entities: AbstractSet[int], *, is_engine: bool
    ) -> None:
        self._later, self._named, self._entities, self._is_engine = later, named, entities, is_engine
        self.going: set[int] = set()
        self.rows: dict[Row, Change] = {}
        changes = (one for part in later.engine_changes() for one in part)
        self._made = entities | {one.key for one in changes if one.table == "memories" and one.before is None}

    def take_along(self, seqs: AbstractSet[int], attached: Rows) -> set[int]:
        """Let memories go with what the engine attached to them; return which others may be known no more."""
        self.going |= seqs
        rows = {row for row in attached if not seqs.isdisjoint(_ends_of(row))}
        mine = self._select_engine_rows(rows)
        if self._is_engine:
            mine |= {row for row in rows if _relation_of(row) == Relation.MENTIONS and row[1][0] in seqs}
        self.rows |= {row: one for row, one in attached.items() if row in mine}
        return ({end for row in mine for end in _ends_of(row)} & self._made) - self.going

    def select_unknown(self, memories: Mapping[int, Memory], attached: Rows) -> set[int]:
        """Return which of some memories nothing is left to know from, and nobody else touched."""
        cut = self._named | self.rows.keys()
        others = attached.keys() - self._select_engine_rows(attached.keys()) - cut
        held = {end for row in others for end in _ends_of(row)} | self._later.columns(memories.keys()).keys()
        known: dict[int, set[Row]] = {seq: set() for seq in memories}
        for row in attached:
            if (relation := _relation_of(row)) in KNOWN_END:
                known.setdefault(row[1][KNOWN_END[relation]], set()).add(row)
        unknown = {
            seq
            for seq in memories.keys() - held
            if known[seq] <= cut and (known[seq] or seq in self._entities)
        }
        self.rows |= {
            ("memories", seq): Change("memories", seq, {"revision": memories[seq].revision}, None)
            for seq in unknown - self._entities
        }
        return unknown

    def _select_engine_rows(self, rows: AbstractSet[Row]) -> set[Row]:
        """Return the rows that the engine made since, or a use, which is not logged."""
        used = {row for row in rows if _relation_of(row) == Relation.CO_OCCURS}
        return self._later.find_engine_made(rows) | (used - self._later.find_changed(used))


def _ends_of(row: Row) -> tuple[int, ...]:
    """Return the memories that a tag, a source or a link is attached to."""
    table, key = row
    return tuple(key[:2] if table == "links" else key[:1])


def _relation_of(row: Row) -> Relation | None:
    return Relation(row[1][2]) if row[0] == "links" else None
