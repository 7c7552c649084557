"""One page of an import: memories that come in, memories that are here and change, and what was left out.

Knows lines of an export and memories as they were read; must not know the store.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from remanence.core.change import Change, Increment
from remanence.core.model import COUNTERS, INT_MAX, Memory, Status, Trust
from remanence.core.score import decay
from remanence.core.stamps import STAMPS
from remanence.edit.one_memory import hold_columns, merge_changes, update, with_holds
from remanence.edit.versions import MergedVersion
from remanence.flows.exchange.exported import ExportRow, LinkRow
from remanence.flows.write.echoes import came_back

# A memory keeps the ids of those that were merged into it as sources: a second import finds them there.
MERGED = "memory/"
_GAINING = (
    "said_at",
    "said_again_at",
    "pinned",
    "holds",
    "confidence",
    "importance",
)  # what a repeat adds to


@dataclass
class ImportedMemory:
    """A memory that comes in; its `number` is below zero, and its own within the commit that writes it."""

    number: int
    columns: dict[str, Any]
    tags: set[str]
    sources: set[str]
    tagged_at: Mapping[str, int] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Its id, which it keeps."""
        id_: str = self.columns["id"]
        return id_

    def changes(self) -> list[Change]:
        """Create it under its number."""
        key = self.number
        return [
            Change("memories", key, None, self.columns),
            *(
                Change("tags", (key, tag), None, {"at": self.tagged_at[tag]} if tag in self.tagged_at else {})
                for tag in sorted(self.tags)
            ),
            *(Change("sources", (key, source), None, {"span": None}) for source in sorted(self.sources)),
        ]

    def add_repeat(self, row: ExportRow, now: int, trust: Trust) -> None:
        """Let another line of the file that says the same be a repeat of this one; less trusted, it adds nothing."""
        self.sources.add(MERGED + row.id)
        if trust < self.columns["trust"]:
            return
        self.columns["confirmations"] = min(
            INT_MAX, self.columns.get("confirmations", 0) + count_sightings(row)
        )
        self.columns |= merge_repeat(self.columns, row, now)
        if not self.tags.issuperset(row.tags):
            self.tags |= {*row.tags}
            self.columns["decay"] = decay(self.tags, self.columns.get("category"))
        self.sources |= {*row.sources}


@dataclass
class Existing:
    """A memory that is here and says the same as some that come in."""

    memory: Memory
    ids: list[str] = field(default_factory=list)
    sightings: int = 0
    tags: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    columns: dict[str, Any] = field(default_factory=dict)
    tagged_at: dict[str, int] = field(default_factory=dict)
    vectors: tuple[bytes | None, bytes | None] | None = (
        None  # of a text that becomes another: before, and after
    )

    def take_version(self, row: ExportRow, merged: MergedVersion) -> bool:
        """Become what the memory and a line of the file, another version of it, are merged to; tell if it changes."""
        memory = self.memory
        differing = {name: it for name, it in merged.columns.items() if getattr(memory, name) != it}
        tags = {*row.tags} - {*memory.tags, *self.tags}
        sources = {*row.sources} - {*memory.sources, *self.sources, MERGED + memory.id}
        self.columns |= differing
        self.tags |= tags
        self.sources |= sources
        self.tagged_at |= {tag: row.tagged_at[tag] for tag in tags if tag in row.tagged_at}
        return bool(differing or tags or sources)

    def is_echo(self, row: ExportRow) -> bool:
        """Tell whether a line may have been read from the memory, so that nobody said it again."""
        return came_back(self.memory, row.columns["learned_at"])

    def add_echo(self, row: ExportRow) -> None:
        """Keep of a line that it came in, and nothing of what it says."""
        self.ids.append(row.id)
        self.sources |= {MERGED + row.id} - {*self.memory.sources}

    def add_repeat(self, row: ExportRow, now: int, trust: Trust) -> None:
        """Let a line of the file be a repeat of this memory; a pin and holds protect it from now on.

        One that is believed less than the memory adds nothing to it: only that it came in is kept. One that may have
        been read from this memory was not said again.
        """
        memory = self.memory
        self.add_echo(row)
        if trust < memory.trust:
            return
        is_echo = self.is_echo(row)
        self.sightings += 0 if is_echo else count_sightings(row)
        self.tags |= {*row.tags} - {*memory.tags}
        self.sources |= {*row.sources} - {*memory.sources}
        stands = {name: getattr(memory, name) for name in _GAINING}
        gains = merge_repeat({**stands, **self.columns}, row, now)
        self.columns |= {
            name: value for name, value in gains.items() if name != "said_again_at" or not is_echo
        }

    def changes(self) -> list[Change]:
        """Confirm it as often as it was said again and the counter has room for, and give it what it lacks."""
        seq, memory = self.memory.seq, self.memory
        times = min(self.sightings, INT_MAX - memory.confirmations)
        more = {name: it - getattr(memory, name) for name, it in self.columns.items() if name in COUNTERS}
        if self.sightings:
            more["confirmations"] = more.get("confirmations", 0) + times
        counts = [Increment(by) for by in more.values()]
        before = dict(zip(more, (Increment(-one.by) for one in counts), strict=True))
        count_changes = (
            [Change("memories", seq, before, dict(zip(more, counts, strict=True)))] if more else []
        )
        values = {name: it for name, it in self.columns.items() if name not in COUNTERS}
        updates = update(memory, values, tags={*memory.tags, *self.tags})
        dated = {(seq, tag): {"at": at} for tag, at in self.tagged_at.items()}
        updates = [replace(one, after=dated[one.key]) if one.key in dated else one for one in updates]
        if self.vectors is not None:
            old, new = self.vectors
            updates.append(Change("memories", seq, {"vector": old}, {"vector": new}))
        sources = [Change("sources", (seq, source), None, {"span": None}) for source in sorted(self.sources)]
        return merge_changes([*count_changes, *updates, *sources])


@dataclass
class ImportPage:
    """What becomes of some lines of an export, in one commit; `remarks` say of each line that is refused why.

    `where` has the number of what each id is here, below zero for what is new.
    """

    new: list[ImportedMemory] = field(default_factory=list)
    existing: dict[int, Existing] = field(default_factory=dict)  # by sequence number
    links: list[Change] = field(default_factory=list)  # from texts that are learned anew
    where: dict[str, int] = field(default_factory=dict)
    here: dict[int, Status] = field(default_factory=dict)  # memories that are here and in the file, too
    counts: Counter[str] = field(default_factory=Counter)
    unguarded: int = 0  # lines that came without what only a person sets
    replaced: Counter[str] = field(default_factory=Counter)  # what markers took the place of, by kind
    remarks: list[str] = field(default_factory=list)
    unmerged: int = 0  # lines of other versions of what is believed more here
    pairs: list[LinkRow] = field(default_factory=list)  # texts of one memory that were edited on two sides
    repeats: dict[str, str] = field(
        default_factory=dict
    )  # id of a line → id of the memory that says the same
    purged: int = 0  # lines of what was deleted here for so long that its row went
    keys: dict[str, ImportedMemory] = field(default_factory=dict)
    said: dict[bytes, ImportedMemory] = field(default_factory=dict)
    # Ids of lines → the memory that was returned and comes back.
    echoes: Mapping[str, int] = field(default_factory=dict)

    def changes(self) -> list[Change]:
        """Return all that is to be written."""
        created = (change for one in self.new for change in one.changes())
        return [
            *created,
            *(change for one in self.existing.values() for change in one.changes()),
            *self.links,
        ]


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """A line of the file whose memory is here, the memory, and what both are merged to."""

    row: ExportRow
    memory: Memory
    merged: MergedVersion

    @property
    def changes_anything(self) -> bool:
        """Tell whether the memory is another one by the line."""
        gained = {*self.row.tags} - {*self.memory.tags} or {*self.row.sources} - {*self.memory.sources}
        return bool(gained) or any(
            getattr(self.memory, name) != it for name, it in self.merged.columns.items()
        )

    @property
    def has_new_text(self) -> bool:
        """Tell whether the memory says what only the line said."""
        return bool(self.merged.columns["text"] != self.memory.text)

    @property
    def gained_key(self) -> str | None:
        """Return the key that the line has, and the memory has not."""
        key: str | None = self.merged.columns["key"]
        return None if key == self.memory.key else key


def count_sightings(row: ExportRow) -> int:
    """Count how often a line's text was said: when it was learned, and each time it was confirmed."""
    return 1 + max(0, int(row.columns.get("confirmations", 0)))


def merge_repeat(stands: Mapping[str, Any], row: ExportRow, now: int) -> dict[str, Any]:
    """Return what a repeat adds to a memory: a later day, more confidence or importance, its pin, and longer holds."""
    gains: dict[str, Any] = {}
    first, last = row.columns["said_at"], row.columns.get("said_again_at") or row.columns["said_at"]
    mine = stands.get("said_again_at") or stands["said_at"]
    if first < stands["said_at"]:
        gains |= {"said_at": first, "said_offset": row.columns.get("said_offset", 0)}
    if last > mine or (gains and mine > first):
        gains["said_again_at"] = max(last, mine)
    confidence = row.columns.get("confidence")
    if confidence is not None and confidence > (stands.get("confidence") or 0.0):
        said_at = row.columns.get("confidence_at", row.columns["learned_at"])
        gains |= {"confidence": confidence, STAMPS["confidence"]: said_at}
    importance = row.columns.get("importance")
    if importance is not None and importance > (stands.get("importance") or 0.0):
        gains["importance"] = importance
    if row.columns.get("pinned") and not stands.get("pinned"):
        gains["pinned"] = 1
    holds = with_holds(stands.get("holds"), row.columns.get("holds"), now)
    if holds != (stands.get("holds") or {}):
        gains |= hold_columns(holds)
    return gains
