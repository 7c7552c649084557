"""A snapshot seen at one instant: what conditions read, and the shape of what they answer.

Knows columns and links as arrays; knows nothing of rules. An unknown number or time is NaN; an unknown truth is
neither among the trues nor among the falses.
"""

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from remanence.core.errors import InvalidInput
from remanence.core.model import COLUMNS, UNCOUNTED, Label, Status
from remanence.core.snapshot import Bools, Holds, Ints, LinkColumns, Snapshot
from remanence.core.timescale import ClockName, Timescale, scales

Array: TypeAlias = npt.NDArray[Any]
Type: TypeAlias = Literal["truth", "number", "duration", "time", "label", "name", "text"]
LINKS = "links"  # what a condition that reads links names in `reads`
OF_LINKS = "link:"  # and before a column of theirs
AGENTS = "agents"  # and what reads how many agents used a memory
FAR = frozenset({"dangling", "score"})  # words that read links of other memories, too
TAGGED_AT = "tagged at:"  # before a tag of which a condition reads when it was set
_TIMES = frozenset(column.name for column in COLUMNS if column.kind == "time")


@dataclass(eq=False, slots=True)
class View:
    """All memories of a scope, or those at `rows`, as columns at an instant.

    `instant` is one wall time, or one per row. `working` holds columns that the cycle has changed, `links` the links
    as they then are. `memo` keeps what was computed, by the text of the condition; of conditions only the `shared`
    ones, because a truth per memory and condition would fill the memory of the machine. On another clock than the
    wall's a view is a view: it shows all times, and now, as `scale` reads them.
    """

    snapshot: Snapshot
    instant: Any
    working: Mapping[str, Array] = field(default_factory=dict)
    links: LinkColumns | None = None
    rows: Ints | None = None
    whole: "View | None" = None
    shared: frozenset[str] = frozenset()
    memo: dict[str, tuple[frozenset[str], Any]] = field(default_factory=dict)
    clock: ClockName = "wall"
    scale: Timescale | None = None
    views: dict[ClockName, "View"] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.snapshot) if self.rows is None else len(self.rows)

    @property
    def now(self) -> Any:
        """The instant as this view's clock reads it."""
        return self.read_clock(self.instant)

    def read_clock(self, times: Any) -> Any:
        """Return what this view's clock reads at wall times."""
        return times if self.scale is None else self.scale.at(times)

    def on(self, clock: ClockName) -> "View":
        """Return the same memories as a clock shows them; on the wall's that is the view itself."""
        if clock == "wall":
            return self
        if clock not in self.views:
            scale = scales(self.snapshot, int(self.instant)).get(clock)
            if scale is None:
                raise InvalidInput(
                    f"the snapshot lacks the {clock} clock",
                    recovery="take it with wanted(policy) of this policy",
                )
            self.views[clock] = View(
                self.snapshot,
                self.instant,
                self.working,
                self.links,
                shared=self.shared,
                clock=clock,
                scale=scale,
            )
        return self.views[clock]

    def column(self, name: str) -> Array:
        """Return a column as it now is; absent labels and names are -1, absent numbers and times NaN."""
        if self.whole is not None and self.rows is not None:
            values: Array = self.whole.column(name)[self.rows]
            return values
        array = self.working.get(name)
        if array is None:
            array = self.snapshot.seq if name == "seq" else self.snapshot.columns.get(name)
        if array is None:
            raise InvalidInput(
                f"the snapshot lacks the column {name!r}",
                recovery="take it with wanted(policy) of this policy",
            )
        return array if self.scale is None or name not in _TIMES else self._read(name, array)

    def _read(self, name: str, times: Array) -> Array:
        """Read a column of times on this view's clock."""
        scale = self.scale
        if scale is None:
            return times
        read: Array = self.remember(f"{name} on this clock", frozenset({name}), lambda _: scale.at(times))
        return read

    def names(self, column: str) -> tuple[str, ...]:
        """Return what the codes of a name column stand for."""
        return self.snapshot.names.get(column, ())

    def code(self, column: str, name: str) -> int:
        """Return the code of a name, -2 where the scope has never seen it."""
        codes: dict[str, int] = self.remember(
            f"codes of {column}",
            frozenset(),
            lambda _: {name: code for code, name in enumerate(self.names(column))},
        )
        return codes.get(name, -2)

    def tag(self, pattern: str) -> Bools:
        """Tell who bears a tag that matches the pattern."""
        tags = self.working.get(f"tag:{pattern}")
        if tags is None:
            tags = self.snapshot.tags.get(pattern)
        if tags is None:
            raise InvalidInput(
                f"the snapshot lacks the tag pattern {pattern!r}",
                recovery="take it with wanted(policy) of this policy",
            )
        return tags if self.rows is None else tags[self.rows]

    def tagged_at(self, tag: str) -> Array:
        """Return when memories got a tag that they bear, on this view's clock; unknown where a plan sets it."""
        times = self.snapshot.tagged_at.get(tag)
        if times is None:
            raise InvalidInput(
                f"the snapshot lacks the times of the tag {tag!r}",
                recovery="take it with wanted(policy) of this policy",
            )
        mine = times if self.rows is None else times[self.rows]
        return np.where(self.tag(tag), self.read_clock(mine), np.nan)

    def agents(self, whose: Literal["agents", "other_agents", "sharing_agents"]) -> Array:
        """Return how many agents used each memory, how many others did, or how many others did or rest on it."""
        counts: Array | None = getattr(self.snapshot, whose)
        if counts is None:
            raise InvalidInput(
                "the snapshot lacks who used it", recovery="take it with wanted(policy) of this policy"
            )
        return counts if self.rows is None else counts[self.rows]

    def edges(self) -> LinkColumns:
        """Return the links as they now are."""
        if self.whole is not None:
            return self.whole.edges()
        links = self.snapshot.links if self.links is None else self.links
        if links is None:
            raise InvalidInput(
                "the snapshot lacks links", recovery="take it with wanted(policy) of this policy"
            )
        return self._read_links(links)

    def _read_links(self, links: LinkColumns) -> LinkColumns:
        scale, last_at = self.scale, links.last_at
        if scale is None or last_at is None:
            return links
        read: LinkColumns = self.remember(
            "links on this clock", frozenset({LINKS}), lambda _: replace(links, last_at=scale.at(last_at))
        )
        return read

    def find_standing(self) -> Bools:
        """Tell which memories recall can see: inbox and active."""
        return self.compute_everywhere("standing", frozenset({"status"}), _find_standing)

    def remember(self, key: str, reads: frozenset[str], compute: Callable[["View"], Any]) -> Any:
        """Compute something once for all memories of the view."""
        entry = self.memo.get(key)
        if entry is None:
            entry = self.memo[key] = (reads, compute(self))
        return entry[1]

    def compute_everywhere(
        self, key: str, reads: frozenset[str], compute: Callable[["View"], Array]
    ) -> Array:
        """Compute a fact that needs all memories, such as a degree, and return it for the rows of this view."""
        if self.rows is None or self.whole is None:
            return self.remember(key, reads, compute)  # type: ignore[no-any-return]
        fact: Array = self.whole.remember(key, reads, compute)
        return fact[self.rows]

    def take(self, rows: Ints, instant: Any = None) -> "View":
        """Return some rows of the whole view, at another wall time where one is given."""
        at = self.instant if instant is None else instant
        return View(
            self.snapshot,
            at,
            self.working,
            self.links,
            rows,
            self,
            shared=self.shared,
            clock=self.clock,
            scale=self.scale,
        )

    def replace_snapshot(self, snapshot: Snapshot, stale: AbstractSet[str]) -> "View":
        """Return the view of a snapshot that holds what this one shows, but for what is stale, keeping what stays."""
        memo = {key: entry for key, entry in self.memo.items() if not entry[0] & stale}
        return View(snapshot, self.instant, shared=self.shared, memo=memo)

    def evolve(self, changed: Mapping[str, Array], links: LinkColumns | None = None) -> "View":
        """Return the view with other columns or links, keeping what was computed from the rest; so do its views."""
        stale = set(changed) | ({LINKS} if links is not None else set())
        return View(
            self.snapshot,
            self.instant,
            {**self.working, **changed},
            self.links if links is None else links,
            shared=self.shared,
            memo={key: entry for key, entry in self.memo.items() if not entry[0] & stale},
            clock=self.clock,
            scale=self.scale,
            views={clock: view.evolve(changed, links) for clock, view in self.views.items()},
        )


def _find_standing(view: View) -> Bools:
    status = view.column("status")
    mask: Bools = (status >= Status.INBOX) & (status <= Status.ACTIVE)
    return mask


@dataclass(eq=False, slots=True)
class LinkView:
    """Some links of a view as columns; `edges` are their numbers among the view's links."""

    memories: View
    edges: Ints

    def __len__(self) -> int:
        return len(self.edges)

    @property
    def now(self) -> Any:
        """The instant of the view, as its clock reads it."""
        return self.memories.now

    def column(self, name: str) -> Array:
        """Return a column of the links."""
        return self.memories.edges().read_column(name, self.edges)

    def code(self, column: str, name: str) -> int:
        """Return the code of a name of a memory's column."""
        return self.memories.code(column, name)


def visible(view: View) -> Ints:
    """Number the links that count: both ends in sight, and no lineage or contradiction (elfmem, TC-G-009)."""
    links, standing = view.edges(), view.find_standing()
    is_counted = np.isin(links.relation, [int(relation) for relation in UNCOUNTED], invert=True)
    return links.find_uncut(is_counted & standing[links.source] & standing[links.target])


Run: TypeAlias = Callable[[Any], Any]
Labels: TypeAlias = type[Label]


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """A compiled expression: `run` takes a view and answers an array or scalar of its type.

    A truth answers where it is true, and through `no` where it is false; where neither holds it is unknown.
    `text` is its canonical form. `reads` names the columns, `tag:…` patterns and links that it needs. `since` is
    the time that a duration counts from, so that comparing it needs no subtraction. `mentions` are the words
    (columns and functions) as the policy writes them. `alias` is by what name the policy calls it, "" for none. A
    truth holds of no memory but those that hold what `only` says; a number is `by_category` what this says, and
    unknown for others. Where the passing of time turns it once, `turns` answers up to which instant it is what it was.
    """

    type: Type
    run: Run
    text: str
    no: Run | None = None
    reads: frozenset[str] = frozenset()
    column: str = ""
    labels: Labels | None = None
    constant: Any = None
    since: "Node | None" = None
    mentions: frozenset[str] = frozenset()
    parts: tuple["Node", ...] = ()
    alias: str = ""
    only: Holds = field(default_factory=dict)
    by_category: Mapping[str, float] = field(default_factory=dict)
    turns: Run | None = None


def reads_of(nodes: Iterable[Node]) -> frozenset[str]:
    """Unite what several expressions read."""
    return frozenset().union(*(node.reads for node in nodes))
