"""Whether what is stored is sound, scope by scope: what the server does not check of itself.

Reads everything of a scope and mends nothing. Knows nodes and digests; knows nothing of how one moment is read.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from remanence.core.model import Relation, Status
from remanence.store.audit_parts import UNCHAINED
from remanence.store.base import DOUBT_UNDO, MAKE_ANEW, Check
from remanence.store.lineage import SUCCEEDING, find_without_successor, lineage
from remanence.store.neo4j.neo_erasing import page_parts
from remanence.store.neo4j.neo_log import open_log
from remanence.store.neo4j.neo_rows import (
    NARROW_NAMES,
    decode_columns,
    encode_columns,
    unpack_link,
    unpack_row,
    words_of,
)
from remanence.store.neo4j.neo_transactions import Transaction
from remanence.store.sql import checking
from remanence.store.undo_data_pruning import PROVEN, from_where
from remanence.text.analysis import asks, term_hash

_AT_ONCE = 2_000
_SHOWN_MAX = 5
_SOUND = {
    "rows": "what people see of every memory and link is what is read of it",
    "references": "every link, tag and box is of memories that are there",
    "counts": "every scope counts what it holds",
    "full text": "every word leads to the texts that hold it, and to no other",
    "audit": PROVEN,
}
_WAYS_OUT = {"full text": MAKE_ANEW, "audit": DOUBT_UNDO}


@dataclass(slots=True)
class ScopeFindings:
    """What is wrong in one scope, by check, and its superseded memories that have no successor left."""

    faults: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in _SOUND})
    without_successor: list[int] = field(default_factory=list)
    ended: tuple[int, int] | None = None  # the last part whose images have ended, and when that was


def check_scope(db: Transaction) -> ScopeFindings:
    """Look through one scope."""
    found = ScopeFindings()
    scope = db.read_scope()
    words: dict[str, set[int]] = defaultdict(set)
    reasons: dict[int, int] = {}
    statuses: dict[int, int] = {}
    after = 0
    while nodes := db.collect("page_memories", after=after, limit=_AT_ONCE):
        for node in nodes:
            seq, row = _check_memory(node, found)
            statuses[seq] = row["status"]
            if row["status"] == Status.SUPERSEDED:
                reasons[seq] = row["reason"]
            for word in words_of(row["text"]):
                words[word].add(seq)
        after = nodes[-1]["seq"]
    links = _check_links(db, found)
    worded = len(set().union(*words.values())) if words else 0
    forbidden = len(db.rows("list_forbidden", folds=None))
    counts = {"memories": len(statuses), "links": len(links), "worded": worded, "forbidden": forbidden}
    found.faults["counts"] += [
        f"it counts {scope.get(name, 0)} {name} and has {count}"
        for name, count in counts.items()
        if scope.get(name, 0) != count
    ]
    if max(statuses, default=0) > scope.get("latest_seq", 0):
        found.faults["counts"].append(
            f"a number is above the last that it gave, {scope.get('latest_seq', 0)}"
        )
    _check_words(db, words, found)
    _check_audit(db, scope, found)
    successions = [(source, target, statuses[source]) for source, target, kind in links if kind in SUCCEEDING]
    found.without_successor = find_without_successor(successions, reasons)
    return found


def list_checks(names: Sequence[str], findings: Sequence[ScopeFindings]) -> list[Check]:
    """Return what was found as one entry a check."""
    checks = []
    for check, sound in _SOUND.items():
        faults = [
            f"{name}: {fault}"
            for name, found in zip(names, findings, strict=True)
            for fault in found.faults[check]
        ]
        more = f" and {len(faults) - _SHOWN_MAX} more" if len(faults) > _SHOWN_MAX else ""
        detail = "; ".join(faults[:_SHOWN_MAX]) + more if faults else sound
        if check == "audit" and not faults:
            pairs = zip(names, findings, strict=True)
            detail += from_where((name, *found.ended) for name, found in pairs if found.ended is not None)
        checks.append(Check(check, not faults, detail, _WAYS_OUT.get(check, "") if faults else ""))
    return [*checks, lineage([seq for found in findings for seq in found.without_successor])]


def _check_memory(node: Mapping[str, Any], found: ScopeFindings) -> tuple[int, Mapping[str, Any]]:
    seq, row = decode_columns(node)
    expected = encode_columns(row, [*NARROW_NAMES, "text"]) | {"seq": seq}
    wrong = sorted(name for name, value in expected.items() if node.get(name) != value)
    if unpack_row(node["row"])[1]["asks"] != asks(row["text"]):
        wrong.append("row")
    if wrong:
        found.faults["rows"].append(
            f"memory {node['seq']} is shown with another {', '.join(wrong)} than is read"
        )
    return node["seq"], row


def _check_links(db: Transaction, found: ScopeFindings) -> list[tuple[int, int, int]]:
    keys = []
    for row in db.rows("list_links"):
        key, values = unpack_link(row["row"])
        shown = {name: row["values"].get(name) for name in values}
        if key != (row["source"], row["target"], int(Relation[row["type"]])) or shown != values:
            found.faults["rows"].append(f"the link {key} is shown otherwise than it is read")
        keys.append(key)
    repeated = [key for key, count in Counter(keys).items() if count > 1]
    found.faults["references"] += [f"the link {key} is there twice" for key in repeated]
    strays = db.collect("list_strays")
    found.faults["references"] += [f"memory {seq} is linked into another scope" for seq in strays]
    return keys


def _check_words(db: Transaction, words: Mapping[str, set[int]], found: ScopeFindings) -> None:
    kept: dict[str, list[int]] = defaultdict(list)
    faults = found.faults["full text"]
    for row in db.rows("list_postings"):
        kept[row["stem"]] += row["seqs"]
        if row["hash"] != term_hash(row["stem"]):
            faults.append(f"the statistics of {row['stem']!r} are another's")
    for word in sorted(words.keys() | kept.keys()):
        if sorted(words.get(word, ())) != sorted(kept.get(word, ())):
            faults.append(f"{word!r} does not lead to the texts that hold it")


def _check_audit(db: Transaction, scope: Mapping[str, Any], found: ScopeFindings) -> None:
    """Prove that every part follows from the one before, and says what its digest was made of."""
    digest, before = (bytes.fromhex(scope.get(name, UNCHAINED.hex())) for name in ("digest", "before"))
    with open_log(db, page_parts(db)) as log:
        log.scope.row = log.scope.row._replace(
            position=scope.get("position", 0), digest=digest, before=before
        )
        found.faults["audit"] += checking.find_audit_faults(log.scope)
        found.ended = checking.find_images_end(log.scope)
