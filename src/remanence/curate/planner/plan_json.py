"""A plan read back from JSON: every field of the type that it is written in, every number where it can be.

Knows what a plan looks like; knows nothing of policies or scopes, so it cannot tell whether the plan may be applied.
"""

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import numpy as np

from remanence.core.change import ABSENT, MILLION
from remanence.core.clock import TIME_MAX
from remanence.core.effects import ACTIONS
from remanence.core.model import COLUMN, Relation
from remanence.core.snapshot import Ints
from remanence.curate.planner.diff import Deferral, Edits, LinkEdits, MergePairs, Refusal, unpack_integers

T = TypeVar("T")
_ACTIONS = frozenset(effect.name for effect in ACTIONS)


def format_of(data: Mapping[str, Any]) -> int:
    """Return the number of the format that a plan is written in; raise like `fields_of`."""
    return _check_range(data["format"], 0, 1 << 31)


def fields_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a plan of this format by name; raise ValueError, TypeError or KeyError where it is none."""
    rules = _texts(data["rules"])
    return {
        "scope": _check_type(str, data["scope"]),
        "policy": _check_type(str, data["policy"]["name"]),
        "policy_hash": _check_type(str, data["policy"]["hash"]),
        "overrides": _mapping(data["policy"]["overrides"], dict),
        "now": _check_range(data["now"], -TIME_MAX, TIME_MAX),
        "position": _check_range(data["position"], 0, 1 << 62),
        "automatic": _check_type(bool, data["automatic"]),
        "rules": rules,
        "because": _mapping(data["because"], str),
        **_rows(data, len(rules)),
        **_links(data, len(rules)),
        **_parse_report_fields(data, rules),
    }


def _rows(data: Mapping[str, Any], rules: int) -> dict[str, Any]:
    memories = data["memories"]
    seq = _ascending(unpack_integers(memories["seq"]), 1, 1 << 62)
    states = _texts(data["states"])
    columns = {
        name: _edits(name, Edits.read(edits), len(seq), states) for name, edits in data["columns"].items()
    }
    return {
        "seq": seq,
        "revision": _check_minimum(1, unpack_integers(memories["revision"], len(seq))),
        "touched": _check_minimum(0, unpack_integers(memories["touched"], len(seq))),
        "purged": _ascending(unpack_integers(memories["purged"]), 0, len(seq)),
        "exempt": _ascending(unpack_integers(memories["exempt"]), 0, len(seq)),
        "columns": columns,
        "states": states,
        "tags": {
            action: {tag: _ascending(unpack_integers(rows), 1, 1 << 62) for tag, rows in tags.items()}
            for action, tags in data["tags"].items()
        },
        "why": {
            group: _numbers(unpack_integers(why, len(seq)), -1, rules) for group, why in data["why"].items()
        },
    }


def _edits(name: str, edits: Edits, rows: int, states: tuple[str, ...]) -> Edits:
    """Return what changes in a column, if its places and values can be."""
    _ascending(edits.rows, 0, rows)
    kind = COLUMN[name].kind
    for side in (edits.before, edits.after):
        values = side[side != ABSENT]
        if name == "state":
            _numbers(values, 0, len(states))
        elif kind == "time":
            _numbers(values, -TIME_MAX, TIME_MAX)
        elif kind == "fraction":
            _numbers(values, 0, MILLION + 1)
        elif kind == "enum":
            _numbers(values, 0, 1 << 7)
        else:
            _numbers(values, 0, 1 << 62)
    return edits


def _links(data: Mapping[str, Any], rules: int) -> dict[str, Any]:
    links = LinkEdits.read(data["links"])
    _numbers(links.source, 1, 1 << 62)
    _numbers(links.target, 1, 1 << 62)
    _numbers(links.relation, 0, len(Relation))
    _numbers(links.why, -1, rules)
    survivor, discard = data["merges"]
    survivors = unpack_integers(survivor)
    return {"links": links, "merges": MergePairs(survivors, unpack_integers(discard, len(survivors)))}


def _parse_report_fields(data: Mapping[str, Any], rules: tuple[str, ...]) -> dict[str, Any]:
    """Return what a plan says for people; nothing is done because it stands there."""
    return {
        "by_rule": tuple(
            (_one_of(_ACTIONS, action), _one_of(rules, rule), _check_range(count, 0, 1 << 62))
            for action, rule, count in data["by_rule"]
        ),
        "refusals": tuple(
            Refusal(
                _check_type(str, guard),
                _check_type(str, rule),
                _check_range(count, 0, 1 << 62),
                tuple(unpack_integers(some).tolist()),
            )
            for guard, rule, count, some in data["refusals"]
        ),
        "deferred": tuple(
            Deferral(_check_type(str, rule), tuple(unpack_integers(seqs).tolist()))
            for rule, seqs in data["deferred"]
        ),
        "held": None if data["held"] is None else _check_type(str, data["held"]),
        "destroyed": _check_range(data["destroyed"], 0, 1 << 62),
        "memories": _check_range(data["of"], 0, 1 << 62),
        "fired": _texts(data["fired"]),
        "notes": _texts(data["notes"]),
    }


def _check_type(kind: type[T], value: Any) -> T:
    if type(value) is not kind:
        raise ValueError(f"{value!r:.40} is no {kind.__name__}")
    return value


def _one_of(names: Collection[str], value: Any) -> str:
    name = _check_type(str, value)
    if name not in names:
        raise ValueError(f"{name!r:.40} is none of those that there are")
    return name


def _check_range(value: Any, low: int, high: int) -> int:
    if not low <= _check_type(int, value) < high:
        raise ValueError(f"{value} is out of range")
    return int(value)


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(_check_type(str, value) for value in _check_type(list, values))


def _mapping(values: Any, kind: type[T]) -> dict[str, T]:
    return {name: _check_type(kind, value) for name, value in _check_type(dict, values).items()}


def _numbers(values: Ints, low: int, high: int) -> Ints:
    if len(values) and not (low <= values.min() and values.max() < high):
        raise ValueError("a number is out of range")
    return values


def _check_minimum(low: int, values: Ints) -> Ints:
    return _numbers(values, low, 1 << 62)


def _ascending(values: Ints, low: int, high: int) -> Ints:
    if bool((np.diff(values) <= 0).any()):
        raise ValueError("numbers do not ascend")
    return _numbers(values, low, high)
