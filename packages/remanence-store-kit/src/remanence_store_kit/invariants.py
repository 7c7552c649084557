"""What must hold of all that a scope keeps, whatever was done to it; each predicate lists what breaks it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

from remanence.core.change import GUARDS, AuditPart, Increment
from remanence.core.clock import MINUTE
from remanence.core.effects import owned_by
from remanence.core.model import COLUMNS, STANDING, SYMMETRIC, Lifecycle, Reason, Status, Tier
from remanence.text.analysis import stems, term_hash
from remanence_store_kit.dump import Dump

_FRACTIONS = [column for column in COLUMNS if column.kind == "fraction"]


def dangling_ends(content: Dump) -> list[str]:
    """Every link ends at two memories that have a row."""
    return [f"link {key}" for key in content.links if not {key[0], key[1]} <= content.memories.keys()]


def links_out_of_order(content: Dump) -> list[str]:
    """A symmetric link is stored once, lower sequence number first, and no memory is linked to itself."""
    return [
        f"link {key}"
        for key, link in content.links.items()
        if key[0] == key[1] or (link.relation in SYMMETRIC and key[0] > key[1])
    ]


def two_archives(content: Dump) -> list[str]:
    """A memory's tier is archive if and only if its status is archived."""
    return [
        f"memory {seq}"
        for seq, memory in content.memories.items()
        if (memory["status"] == Status.ARCHIVED) != (memory["tier"] == Tier.ARCHIVE)
    ]


def lifecycles_off(content: Dump) -> list[str]:
    """What is archived is so by its lifecycle, and what stands is not."""
    return [
        f"memory {seq}"
        for seq, memory in content.memories.items()
        if (memory["lifecycle"] == Lifecycle.ARCHIVED) != (memory["status"] == Status.ARCHIVED)
        and memory["status"] in {*STANDING, Status.ARCHIVED}
    ]


def reasons_missing(content: Dump) -> list[str]:
    """A memory that is neither inbox nor active says why."""
    return [
        f"memory {seq}"
        for seq, memory in content.memories.items()
        if memory["status"] not in STANDING and not isinstance(memory["reason"], Reason)
    ]


def fractions_out_of_range(content: Dump) -> list[str]:
    """Fractions of a memory lie between 0 and what their column allows; a link's weight between 0 and 1."""
    memories = [
        f"memory {seq}: {column.name}"
        for seq, memory in content.memories.items()
        for column in _FRACTIONS
        if memory[column.name] is not None and not 0 <= memory[column.name] <= column.limit
    ]
    links = [f"link {key}" for key, link in content.links.items() if not 0 <= link.weight <= 1]
    return memories + links


def postings_off(content: Dump) -> list[str]:
    """Full text finds exactly the memories whose text holds the stem."""
    by_stem: dict[str, list[int]] = {}
    for seq, memory in sorted(content.memories.items()):
        for stem in set(stems(memory["text"])):
            by_stem.setdefault(stem, []).append(seq)
    return [
        stem
        for stem in by_stem.keys() | content.postings.keys()
        if tuple(by_stem.get(stem, ())) != content.postings.get(stem)
    ]


def statistics_off(content: Dump) -> list[str]:
    """Term statistics are what a recount of the texts gives."""
    words = [set(stems(memory["text"])) for memory in content.memories.values()]
    counts = Counter(term_hash(stem) for memory_stems in words for stem in memory_stems)
    wrong = [
        f"term {term}"
        for term in counts.keys() | content.df.keys()
        if counts[term] != content.df.get(term, 0)
    ]
    return wrong + ["number of memories"] * (content.with_words != sum(map(bool, words)))


def ids_shared(content: Dump) -> list[str]:
    """No two memories of a scope have one id or one key."""
    names = Counter(
        (column, memory[column])
        for memory in content.memories.values()
        for column in ("id", "key")
        if memory[column] is not None
    )
    return [f"{column} {name}" for (column, name), count in names.items() if count > 1]


def clocks_off(content: Dump) -> list[str]:
    """Spans ascend and lie apart; each minute in which a turn was heard is there once."""
    edges = [edge for span in content.spans for edge in span]
    spans = [f"span at {later}" for earlier, later in pairwise(edges) if later <= earlier]
    minutes = [minute for minute, _ in content.heard]
    turns = [f"minute {minute}" for minute, turns in content.heard if minute % MINUTE or turns <= 0]
    return spans + turns + ["minutes"] * (minutes != sorted(set(minutes)))


ALL: tuple[Callable[[Dump], list[str]], ...] = (
    dangling_ends,
    links_out_of_order,
    two_archives,
    lifecycles_off,
    reasons_missing,
    fractions_out_of_range,
    postings_off,
    statistics_off,
    ids_shared,
    clocks_off,
)


def find_broken_invariants(content: Dump) -> list[str]:
    """Return what breaks any invariant, each with its name."""
    return [f"{rule.__name__}: {what}" for rule in ALL for what in rule(content)]


def revisions_fallen(before: Dump, after: Dump) -> list[str]:
    """The revision of a memory only ever rises."""
    return [
        f"memory {seq}: {before.memories[seq]['revision']} → {memory['revision']}"
        for seq, memory in after.memories.items()
        if seq in before.memories and memory["revision"] < before.memories[seq]["revision"]
    ]


def find_unaccounted_rows(content: Dump, log: Iterable[AuditPart]) -> list[str]:
    """What stands is what was created less what was destroyed, as the audit tells it."""
    rows: dict[tuple[str, object], int] = Counter()
    for part in log:
        for change in part.changes:
            rows[change.table, change.key] += (change.before is None) - (change.after is None)
    standing = {key for key, count in rows.items() if count == 1}
    row_keys: set[tuple[str, object]] = {("memories", seq) for seq in content.memories}
    row_keys |= {("links", key) for key in content.links}
    row_keys |= {("forbidden", one.fold) for one in content.forbidden}
    row_keys |= {("boxes", one.box) for one in content.boxes} | {
        ("traces", one.trace) for one in content.traces
    }
    row_keys |= {("tags", (seq, tag)) for seq, memory in content.memories.items() for tag in memory["tags"]}
    row_keys |= {
        ("sources", (seq, source)) for seq, memory in content.memories.items() for source in memory["sources"]
    }
    odd = {key for key, count in rows.items() if count not in {0, 1}}
    return sorted(f"{table} {key}" for table, key in (row_keys ^ standing) | odd)


def find_misordered_parts(log: Iterable[AuditPart]) -> list[str]:
    """Positions rise from part to part, and of a run no part is there twice."""
    parts = list(log)
    fallen = [f"position {b.position}" for a, b in pairwise(parts) if b.position <= a.position]
    counts = Counter((part.cause.run, part.cause.part) for part in parts)
    return fallen + [f"part {part} of {run}" for (run, part), count in counts.items() if count > 1]


def find_unowned_changes(log: Iterable[AuditPart]) -> list[str]:
    """A run changes of memories only the columns that its verb owns."""
    return [
        f"{part.cause.verb} of memory {change.key}: {', '.join(sorted(more))}"
        for part in log
        for change in part.changes
        if change.table == "memories" and change.before and change.after
        if (more := _changed_columns(change.after) - owned_by(part.cause.verb) - GUARDS)
    ]


def _changed_columns(after: Mapping[str, Any]) -> set[str]:
    """Return the columns that change; a counter raised by nothing only watches its row."""
    return {name for name, value in after.items() if not isinstance(value, Increment) or value.by}
