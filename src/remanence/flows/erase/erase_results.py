"""What an erasure shows before it is done, what came of it, and what was erased since a file was copied.

Knows what is told; must not know how memories are erased.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from remanence.core.model import Memory
from remanence.core.redaction import MARK
from remanence.core.results import Result, Time, number, visible
from remanence.flows.base.copies import RegisteredCopy
from remanence.flows.mirror.agent_files import format_sync_command

LISTED = 20  # memories that are listed by their texts; the rest is counted
OTHERS_NAMED = 5

Revisions = Mapping[int, int]


@dataclass(frozen=True, slots=True, repr=False)
class ErasePreview(Result):
    """Preview of an erasure: give it to `erase.apply`, which refuses it if a memory changed since.

    `memories` lists the first named memories, and `learned` the first memories that were learned from these alone and
    are erased with them; `revisions` has all of both, by number. `others` stay: they were learned from erased memories
    and from something else, or somebody gave them a key. `same` say the very same, or were merged with an erased
    memory, and stay: a text that they say is not refused from then on. `held` are under a hold, which blocks the whole
    erasure. `mirrors` are folders that hold copies. `registered` are exports and backups that were made before and may
    hold some of it; of older ones only the number, `unlisted`, is known. `purged` counts memories that had no row any
    more: their undo data are erased. `anew` has for each text that was merged from several, by its number, which of
    these are left: the text is erased, and merged again from them. `elsewhere` shows what goes in other scopes that
    were named: the same texts of the same speakers, or the same person.

    For a person `subject` has the names, `mentioned` the first memories of others that name the person, `mentions` the
    number of these memories, and `redacts` all of them where the names are to be taken out. `namesakes` are longer
    names of others that hold one of these names: they are left. `maybe` has by part of a name, such as Lopes, how many
    further memories say that part alone, and who else has it in a name; `perhaps` lists the first of these memories,
    and all of them are left.
    """

    HIDDEN = frozenset({"revisions", "redacts", "anew"})

    scope: str
    at: int
    named: int
    memories: tuple[Memory, ...]
    learned: tuple[Memory, ...] = ()
    others: tuple[Memory, ...] = ()
    same: tuple[Memory, ...] = ()
    held: tuple[Memory, ...] = ()
    mirrors: tuple[str, ...] = ()
    registered: tuple[RegisteredCopy, ...] = ()
    unlisted: int = 0
    revisions: Revisions = field(default_factory=dict)
    purged: int = 0
    subject: tuple[str, ...] = ()
    mentioned: tuple[Memory, ...] = ()
    mentions: int = 0
    namesakes: tuple[str, ...] = ()
    maybe: Mapping[str, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    perhaps: tuple[Memory, ...] = ()
    redacts: Revisions = field(default_factory=dict)
    anew: Mapping[int, Sequence[int]] = field(default_factory=dict)
    elsewhere: "tuple[ErasePreview, ...]" = ()

    time = Time("at")

    def __len__(self) -> int:
        return len(self.revisions)

    def __str__(self) -> str:
        with_them = len(self) - self.named
        how = f"of {self.subject[0]}" if self.subject else "named"
        what = f"{self.named:,} {how}, {with_them:,} learned from them alone"
        lines = [
            f"{number(len(self), 'memory', 'memories')} would be permanently erased: {what}",
            *([f"of these {self.purged:,} were purged already: their images go"] if self.purged else []),
            *_list_memories(how, self.memories, max(self.named - self.purged, len(self.memories))),
            *_list_memories("learned from these alone", self.learned, with_them),
            *(
                [f"of these {len(self.anew):,} would be drawn together anew from what stays"]
                if self.anew
                else []
            ),
            *_list_memories("stays, though it was learned from one of them too", self.others),
            *_list_memories("stays, and says the same or much the same", self.same),
            *_list_memories("HELD, so nothing is erased until it is released", self.held),
            *self._describe_mentions(),
            *(f"files of a mirror go, too, if it can be reached: {folder}" for folder in self.mirrors),
            *_render_copies(self.registered, self.unlisted),
            *(f"in scope {one.scope!r}: {line}" for one in self.elsewhere for line in str(one).splitlines()),
            "exports, backups and other copies of the file are not changed",
        ]
        return visible("\n".join(lines))

    def _describe_mentions(self) -> list[str]:
        """Say what becomes of what others said of a person."""
        if not self.subject:
            return []
        names = ", ".join(self.subject)
        lines = [f"names that are meant: {names}"]
        if self.mentions:
            many = number(self.mentions, "memory", "memories")
            lines.append(
                f"{many} of others would say {MARK} in place of the names"
                if self.redacts
                else f"{many} of others name the person and stay as they are, unless you ask for `mentions`"
            )
        lines += _list_memories("names the person", self.mentioned, self.mentions)
        lines += [_describe_part(part, *counts) for part, counts in self.maybe.items()]
        lines += _list_memories(
            "says a part of the name", self.perhaps, sum(many for many, _ in self.maybe.values())
        )
        if self.namesakes:
            lines.append(f"names of others that hold one of these, and are left: {', '.join(self.namesakes)}")
        return lines


@dataclass(frozen=True, slots=True, repr=False)
class Erasure(Result):
    """Result of an erasure, and the proof of it.

    `run` is empty where all of it was in other scopes. `pending` is True if the file could not be rewritten yet:
    another process still reads its old state, or `why` has another reason. The next round rewrites the file and checks
    it. `looked_for` counts the pieces of erased text that were searched for in the files of the database, `shared`
    those that were not, since what stays says them too. `found` names those files that hold some, and `copies` files
    beside the database that do. `registered` are exports and backups that were made before and are not rewritten; of
    older ones only the number, `unlisted`, is known. `original` is the file that this one is a copy of: that file, its
    other copies and its mirrors are left as they are. `mirrors` are folders that could not be synced, or in which edits
    by hand are left, and `in_mirrors` files in such folders that still say some of it, in their names or contents.
    `redrawn` counts texts that were merged again from the memories that stay, `owed` texts that the next consolidation
    merges. `redacted` counts memories of others in which a mark replaces a person's names. `named_in` tells where a
    name is left nevertheless, and `words_left` which sorts of rows besides the memories say some of it, and what
    changes each. `beyond` says what a server keeps that nobody here can look through. `elsewhere` has what came of it
    in each other scope that was shown.
    """

    run: str
    at: int
    scope: str
    erased: int
    pending: bool = False
    why: str = ""
    looked_for: int = 0
    shared: int = 0
    found: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    mirrors: tuple[str, ...] = ()
    registered: tuple[RegisteredCopy, ...] = ()
    unlisted: int = 0
    redrawn: int = 0
    owed: int = 0
    redacted: int = 0
    named_in: tuple[str, ...] = ()
    original: str = ""
    in_mirrors: tuple[str, ...] = ()
    words_left: tuple[str, ...] = ()
    beyond: str = ""
    elsewhere: "tuple[Erasure, ...]" = ()

    time = Time("at")

    @property
    def is_well(self) -> bool:
        """Return True if nothing of the erased data was found."""
        left = self.found or self.named_in or self.in_mirrors or self.words_left
        return not left and all(one.is_well for one in self.elsewhere)

    def __str__(self) -> str:
        lines = [
            f"erased {number(self.erased, 'memory', 'memories')} for good (run {self.run})"
            if self.run
            else f"erased nothing in scope {self.scope!r}",
            *(
                [f"took the names out of {number(self.redacted, 'memory', 'memories')} of others"]
                if self.redacted
                else []
            ),
            *(
                [f"drew {number(self.redrawn, 'text', 'texts')} together anew from what stays"]
                if self.redrawn
                else []
            ),
            *(
                [f"{number(self.owed, 'text waits', 'texts wait')} to be drawn together anew: consolidate"]
                if self.owed
                else []
            ),
            *([_describe_proof(self)] if self.run else []),
            *(f"a name stands there all the same: {where}" for where in self.named_in),
            *(
                f"another file of this origin holds it still, delete it if it is a copy: {one}"
                for one in self.copies
            ),
            *([f"this file is a copy: {self.original} is left as it is"] if self.original else []),
            *(
                f"this mirror was not reached, or has edits by hand: {format_sync_command(one)}"
                for one in self.mirrors
            ),
            *_list_files(self.in_mirrors),
            *(f"words of it stand in {one}" for one in self.words_left),
            *_render_copies(self.registered, self.unlisted),
            *(f"in scope {one.scope!r}: {line}" for one in self.elsewhere for line in str(one).splitlines()),
        ]
        return visible("\n".join(lines))


def _describe_part(part: str, many: int, others: Sequence[str]) -> str:
    whose = f", and is in names of others: {', '.join(others[:OTHERS_NAMED])}" if others else ""
    says = f"{part!r} alone, or in another form, is in {number(many, 'further memory', 'further memories')}{whose}"
    return f"{says}; they stay as they are, unless you pass that name as well"


def _describe_proof(done: Erasure) -> str:
    if done.pending:
        why = done.why or "another process reads the file as it was"
        return f"pending: {why}; the next round of due jobs rewrites it and looks"
    if done.beyond:
        return f"gone from the tables and indexes of the server; not proven beyond them: {done.beyond}"
    if done.found:
        return f"NOT PROVEN: something of it is left in {', '.join(done.found)}; run `doctor`"
    if not done.looked_for and not done.shared:
        return "its files were searched already: nothing more was left to look for"
    proof = f"none of {number(done.looked_for, 'piece', 'pieces')} of it is in the files of the database"
    return f"{proof}; {done.shared:,} more are, since what stays says them too" if done.shared else proof


def _list_memories(what: str, memories: Sequence[Memory], count: int | None = None) -> list[str]:
    more = (len(memories) if count is None else count) - len(memories[:LISTED])
    return [
        *(f"{what}: {memory}" for memory in memories[:LISTED]),
        *([f"and {more:,} more"] if more > 0 else []),
    ]


def _list_files(files: Sequence[str]) -> list[str]:
    more = len(files) - LISTED
    return [
        *(
            f"this file of a mirror says some of it, or cannot be read: look into it and delete it: {one}"
            for one in files[:LISTED]
        ),
        *([f"and {more:,} more"] if more > 0 else []),
    ]


def _render_copies(copies: Sequence[RegisteredCopy], unlisted: int) -> list[str]:
    more = len(copies) - LISTED
    return [
        *(f"not rewritten, delete it: {copy}" for copy in copies[-LISTED:] if not copy.is_gone),
        *(f"made before: {copy}" for copy in copies[-LISTED:] if copy.is_gone),
        *([f"and {more:,} older ones: remanence erase --copies"] if more > 0 else []),
        *([f"and {unlisted:,} older ones that are listed nowhere any more"] if unlisted else []),
    ]


@dataclass(frozen=True, slots=True, repr=False)
class ErasedSinceReport(Result):
    """Report of data in a file that were erased since it was copied, scope by scope; nothing in it is changed.

    `erasures` are the erasures that `apply` would make, with all memories that were learned from those alone.
    `redacted` lists the first memories that lost a person's names since: they are erased, too, or redacted where the
    names are given. `redactions` counts them. `damaged` are ledgers of which not all can be read.
    """

    ledgers: tuple[str, ...]
    damaged: tuple[str, ...] = ()
    erasures: Mapping[str, ErasePreview] = field(default_factory=dict)
    redacted: Mapping[str, tuple[Memory, ...]] = field(default_factory=dict)
    redactions: int = 0

    def __str__(self) -> str:
        lines = [f"heard: {one}" for one in self.ledgers]
        lines += [f"NOT WHOLE, so it may name more: {one}" for one in self.damaged]
        for scope, preview in self.erasures.items():
            lines += [f"in scope {scope!r}:", str(preview)]
        for scope, memories in self.redacted.items():
            lines += [
                f"in scope {scope!r}, a person's names were taken out of it since: {one}" for one in memories
            ]
        if self.redactions:
            many = number(self.redactions, "memory", "memories")
            lines.append(f"{many} would be redacted with --subject NAME, and erased without")
        return visible("\n".join(lines))
