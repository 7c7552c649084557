"""What recalls and lists are narrowed by, read from what a caller wrote: status, tags, columns and attributes.

Knows names, values and columns; must not know how memories are looked for.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, get_type_hints

import numpy as np
import numpy.typing as npt

from remanence.core.arguments import check_tags
from remanence.core.attributes import (
    OPERATORS,
    AttributeFilter,
    Range,
    list_filter_values,
    parse_attribute_filter,
    value_of,
)
from remanence.core.errors import InvalidInput, NameUnknown, format_value
from remanence.core.keywords import ATTRIBUTE, Columns
from remanence.core.local_time import SAID, SaidSpan
from remanence.core.model import COLUMN, STANDING, Lifecycle, Memory, Status, Verification
from remanence.core.snapshot import Bools, Ints, Snapshot, SnapshotRequest
from remanence.flows.base.context import Core, label
from remanence.flows.indexes.attribute_index import NAMES_MAX
from remanence.flows.indexes.index_columns import COLUMNS
from remanence.flows.recall.time_filters import (
    LAST_SAID,
    ORDERS,
    TIMES,
    asks_by_operators,
    match_times,
    parse_time_filter,
    read_time,
)
from remanence.read.entity import CATEGORY
from remanence.store.constraints import refuse_unfit

LISTABLE = frozenset({*get_type_hints(Columns), "kind"})  # columns that a list may be asked for
# What a recall may be narrowed by: the columns that it keeps anyway, and labels.
RECALLABLE = COLUMNS | {name for name in LISTABLE if COLUMN[name].kind == "enum"}
ANY = "any"
# An operator at the end of a name, where people write it: signs as `--where` has them, or words as Django joins them.
_SIGNS = {
    "!=": "not",
    "<>": "not",
    "^=": "prefix",
    ">": "gt",
    ">=": "gte",
    "=>": "gte",
    "<": "lt",
    "<=": "lte",
}
_SIGNS |= {"=<": "lte", "=": "", "==": ""}
_SIGN = re.compile("|".join(sorted(map(re.escape, _SIGNS), key=len, reverse=True)))
_VALUE = re.compile(r"-?[\d.]+|true|false|null|(?P<mark>[\"']).*(?P=mark)|", re.DOTALL)
_WORDED = re.compile(rf"(?P<name>.+?)(?:__|\.?\$)(?P<sign>{'|'.join(OPERATORS)})", re.DOTALL)
FRESH = (Lifecycle.CANDIDATE, Lifecycle.VALIDATED, Lifecycle.ACTIVE)  # of what nobody has tried, a candidate


@dataclass(frozen=True, slots=True)
class Filters:
    """What a memory must be: of a status, None for any, with all tags, and for the rest one of the values.

    `by_status` says that somebody asked for the status, `checks_types` that a filter is refused where no value of its
    attribute is of a type that it compares with.
    """

    statuses: tuple[Status, ...] | None = tuple(sorted(STANDING))
    tags: tuple[str, ...] = ()
    columns: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    attributes: Mapping[str, AttributeFilter] = field(default_factory=dict)
    by_status: bool = False
    times: Mapping[str, Range] = field(default_factory=dict)
    checks_types: bool = True

    @property
    def has_more(self) -> bool:
        """Tell whether attributes or times are asked for, which are no column that is compared by value."""
        return bool(self.attributes or self.times)

    def without_stale(self) -> "Filters":
        """Return the same without what is stale or archived, unless somebody asks for it by lifecycle or status."""
        if self.by_status or "lifecycle" in self.columns:
            return self
        return replace(self, columns={**self.columns, "lifecycle": FRESH})

    def with_strict(self, since: int | None, *, verified: bool) -> "Filters":
        """Return the same without what was not said or confirmed since a time, and what no user confirmed."""
        columns = (
            {**self.columns, "verification": (Verification.USER_CONFIRMED,)} if verified else self.columns
        )
        times = (
            self.times if since is None else {**self.times, LAST_SAID: Range("number", since, with_low=True)}
        )
        return replace(self, columns=columns, times=times)

    def met_by(self, memory: Memory) -> bool:
        """Tell whether the attributes and times of a memory will do."""
        return not self.find_unmet(memory)

    def find_unmet(self, memory: Memory) -> str:
        """Return which of the attributes and times of a memory will not do, "" where all will."""
        for name, condition in self.attributes.items():
            if not condition.is_met(value_of(memory.attributes, name)):
                return "attributes"
        return next((name for name, one in self.times.items() if not one.is_met(read_time(memory, name))), "")

    def list_columns(self, between: SaidSpan | None = None) -> frozenset[str]:
        """Return the columns that a snapshot needs for `match_rows`."""
        return frozenset({*self.columns, *(SAID if between else ())})

    def match_rows(self, snapshot: Snapshot, between: SaidSpan | None = None) -> Bools:
        """Tell which memories of a snapshot pass by their columns, tags and when they were said."""
        passes = np.ones(len(snapshot), np.bool_)
        for name, values in self.columns.items():
            codes = defaultdict(
                lambda: -2, {text: code for code, text in enumerate(snapshot.names.get(name, ()))}
            )
            passes &= match_values(name, snapshot.columns[name], values, codes.__getitem__)
        if between is not None:
            passes &= between.holds_either(*(snapshot.columns[name] for name in SAID))
        for pattern in self.tags:
            passes &= snapshot.tags[pattern]
        return passes


def match_values(
    name: str, column: npt.NDArray[Any], values: Sequence[Any], find_code: Callable[[str], int]
) -> Bools:
    """Tell which rows of a column have one of some values, None for none; `find_code` gives the code of a name."""
    choices = [value for value in values if value is not None]
    if COLUMN[name].kind == "name":
        choices = [find_code(value) for value in choices]
    matches: Bools = np.isin(column, choices)
    if len(choices) < len(values):
        matches |= np.isnan(column) if column.dtype.kind == "f" else column == -1
    return matches


@dataclass(frozen=True, slots=True)
class ArchiveFilter:
    """What of the archive an answer may hold: thread, time span and filters as asked; whether scores are lowered."""

    thread: str | None
    between: SaidSpan | None
    filters: Filters
    lowered: bool


def read(given: Mapping[str, Any], columns: Collection[str]) -> Filters:
    """Read filters by name; `columns` are those that may be asked for."""
    rest = dict(given)
    status, tags = rest.pop("status", None), rest.pop("tags", ())
    asked_times = {name: rest.pop(name) for name in given if asks_by_operators(name, given[name])}
    attributes = {name: rest.pop(name) for name in given if name.startswith(ATTRIBUTE) and name != ATTRIBUTE}
    if len(attributes) > NAMES_MAX:
        raise InvalidInput(
            f"a filter names {len(attributes):,} attributes, {NAMES_MAX} are the limit",
            recovery="ask for those that tell most, and look at the rest in what comes back",
        )
    for name, value in given.items():
        _refuse_operator(name, value)
    for name in rest:
        if name not in columns:
            unknown = NameUnknown("filter", name, {*columns, *ORDERS, "status", "tags", f"{ATTRIBUTE}NAME"})
            if name != ATTRIBUTE.rstrip("."):
                unknown.recovery = f"for an attribute pass {f'{ATTRIBUTE}{name}'!r}; {unknown.recovery}"
            raise unknown
    return Filters(
        statuses=_read_statuses(status),
        tags=_read_tags(tags),
        columns={
            name: tuple(_column_value(name, one) for one in list_filter_values(name, value))
            for name, value in rest.items()
        },
        attributes={
            name.removeprefix(ATTRIBUTE): parse_attribute_filter(name, value)
            for name, value in attributes.items()
        },
        by_status=status is not None,
        times={name: parse_time_filter(name, value) for name, value in asked_times.items()},
    )


def _find_operator(name: str) -> tuple[str, str]:
    """Return a name without an operator that somebody wrote into it, and the operator; "" where there is none."""
    found = _SIGN.search(name)
    if found is not None and _VALUE.fullmatch(name[found.end() :].strip()):
        return name[: found.start()].rstrip(), found[0]
    worded = _WORDED.fullmatch(name)
    return (name, "") if worded is None else (worded["name"], worded["sign"])


def _refuse_operator(name: str, value: Any) -> None:
    """Refuse an operator in the name of a filter, and operators of what is compared by value alone."""
    plain, sign = _find_operator(name)
    is_label = plain in {*LISTABLE, "status", "tags"} - TIMES.keys()
    if not sign and not (is_label and isinstance(value, Mapping)):
        return
    operator = _SIGNS.get(sign, sign)
    if is_label:
        right = f"{{{plain!r}: […]}} with the values that will do: attributes and times alone take operators"
    else:
        plain = plain if plain in TIMES or plain.startswith(ATTRIBUTE) else f"{ATTRIBUTE}{plain}"
        ends = bool(sign) and name.rstrip().endswith(sign)
        bound = format_value(value) if ends else "…"
        right = f"{{{format_value(plain)}: " + (f"{{{operator!r}: {bound}}}}}" if operator else f"{bound}}}")
    raise InvalidInput(
        f"the filter {name} cannot be compared by an operator"
        if not sign
        else f"the filter {format_value(name)} has an operator in its name",
        recovery=f"pass {right}",
    )


def read_recallable(given: Mapping[str, Any]) -> Filters:
    """Read what a recall is narrowed by."""
    return read(given, RECALLABLE)


def listed_by(named: Mapping[str, Any], equal: Mapping[str, Any], filters: Mapping[str, Any]) -> Filters:
    """Read what `list` is asked for; of what is named, None asks for nothing."""
    values = {name: value for name, value in named.items() if value is not None}
    return read(join_filters(values, equal, filters), LISTABLE)


def lists_entities(filters: Filters) -> bool:
    """Tell whether entities are asked for: by their category, since they say nothing that answers a question."""
    return CATEGORY in filters.columns.get("category", ())


def join_filters(*several: Mapping[str, Any]) -> dict[str, Any]:
    """Put filters of several sources together; what two of them name is refused."""
    union: dict[str, Any] = {}
    for one in several:
        for name in one:
            if name in union:
                raise InvalidInput(f"the filter {name} is given twice", recovery=f"name {name} once")
        union |= one
    return union


def _read_statuses(status: Any) -> tuple[Status, ...] | None:
    if status is None:
        return tuple(sorted(STANDING))
    if status == ANY:
        return None
    return tuple(sorted({label(Status, name, "status") for name in list_filter_values("status", status)}))


def _read_tags(tags: Any) -> tuple[str, ...]:
    names = (tags,) if isinstance(tags, str) else tags
    check_tags(names)
    return tuple(names)


def _column_value(name: str, value: Any) -> Any:
    """Return what a column is asked to be, a label by its number, or refuse what it can never be."""
    labels = COLUMN[name].labels
    plain = label(labels, value, name) if labels is not None and isinstance(value, str) else value
    if plain is not None:
        refuse_unfit(name, plain)
    return plain


async def find_passing(core: Core, filters: Filters) -> Ints:
    """Return which memories of any status pass by their attributes and times, in order of arrival."""
    now = core.clock.now()
    passing = partial(core.attributes.seqs, filters.attributes, now, checks_types=filters.checks_types)
    if not filters.times:
        return await passing()
    columns = frozenset(column for name in filters.times for column in TIMES[name])
    snapshot = await core.store.snapshot(core.scope, SnapshotRequest(columns), now)
    seqs: Ints = snapshot.seq[match_times(snapshot, filters.times)]
    if not filters.attributes:
        return seqs
    return np.intersect1d(seqs, await passing(), assume_unique=True)
