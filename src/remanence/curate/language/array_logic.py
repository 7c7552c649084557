"""What compiled expressions are made of: arithmetic, comparisons and three-valued logic on arrays.

Knows nodes and numpy; knows nothing of text, places or the vocabulary. An unknown number is NaN.
"""

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from remanence.core.snapshot import Holds
from remanence.curate.language.view import Node, Run, Type, reads_of


def as_float(value: Any) -> Any:
    """Return a number or an array of numbers as floats."""
    return value if isinstance(value, float) else np.asarray(value, np.float64)


def _divide_or_unknown(a: Any, b: Any) -> Any:
    """Divide; by zero it is unknown."""
    a, b = as_float(a), as_float(b)
    with np.errstate(all="ignore"):
        return np.where(b == 0, np.nan, np.divide(a, np.where(b == 0, 1.0, b)))


def _ignore_float_errors(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(a: Any, b: Any) -> Any:
        with np.errstate(all="ignore"):
            return compute(as_float(a), as_float(b))

    return run


OPERATIONS: Mapping[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", _ignore_float_errors(operator.add)),
    ast.Sub: ("-", _ignore_float_errors(operator.sub)),
    ast.Mult: ("*", _ignore_float_errors(operator.mul)),
    ast.Div: ("/", _divide_or_unknown),
}
ANSWERS: Mapping[tuple[str, Type, Type], Type] = {
    ("+", "number", "number"): "number",
    ("-", "number", "number"): "number",
    ("*", "number", "number"): "number",
    ("/", "number", "number"): "number",
    ("+", "duration", "duration"): "duration",
    ("-", "duration", "duration"): "duration",
    ("/", "duration", "duration"): "number",
    ("*", "duration", "number"): "duration",
    ("*", "number", "duration"): "duration",
    ("/", "duration", "number"): "duration",
    ("-", "time", "time"): "duration",
    ("-", "time", "duration"): "time",
    ("+", "time", "duration"): "time",
}
SIGNS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    # NaN != NaN is true for floats, so "differs" is put as "is less or more".
    "!=": lambda a, b: (a < b) | (a > b),
}


def build_value_node(
    kind: Type, text: str, compute: Callable[..., Any], nodes: Sequence[Node], constant: Any = None
) -> Node:
    """A number, duration or time computed from others."""
    runs = [node.run for node in nodes]
    return Node(
        kind,
        (lambda _: constant)
        if constant is not None
        else (lambda view: compute(*(run(view) for run in runs))),
        text,
        reads=reads_of(nodes),
        constant=constant,
        mentions=mentions_of(nodes),
        parts=tuple(nodes),
    )


def apply_alias(name: str, node: Node) -> Node:
    """Call what is computed by its alias, and remember it by that where rules share it."""
    if node.type not in {"number", "duration", "time"} or not node.parts or node.constant is not None:
        return node
    key, inner = alias_key(name), node.run

    def run(view: Any) -> Any:
        if key in getattr(view, "shared", ()):
            return view.remember(key, node.reads, inner)
        return inner(view)

    return replace(node, run=run, text=name, alias=name)


def alias_key(name: str) -> str:
    """Return by what a view remembers the values of an alias, which no condition is called."""
    return f"alias {name}"


def mentions_of(nodes: Iterable[Node]) -> frozenset[str]:
    """Unite the words that several expressions use."""
    return frozenset().union(*(node.mentions for node in nodes))


def truth(
    text: str, yes: Run, no: Run, nodes: Sequence[Node] = (), reads: frozenset[str] = frozenset()
) -> Node:
    """Build a condition whose answers are remembered by its text where rules share it."""
    reads |= reads_of(nodes)

    def remembered(key: str, run: Run) -> Run:
        def answer(view: Any) -> Any:
            if key in getattr(view, "shared", ()):
                return view.remember(key, reads, run)
            return run(view)

        return answer

    return Node(
        "truth",
        remembered(text, yes),
        text,
        no=remembered(f"not {text}", no),
        reads=reads,
        mentions=mentions_of(nodes),
        parts=tuple(nodes),
    )


def negation(inner: Node) -> Node:
    """Turn a condition round; what is unknown stays so."""
    assert inner.no is not None
    return Node(
        "truth",
        inner.no,
        f"not {inner.text}",
        no=inner.run,
        reads=inner.reads,
        mentions=inner.mentions,
        parts=(inner,),
    )


def junction(conjunction: bool, nodes: Sequence[Node]) -> Node:
    """Kleene's `and` and `or`: each is false where the other, of the negations, is true."""
    runs = [node.run for node in nodes]
    noes = [node.no for node in nodes if node.no is not None]
    word = " and " if conjunction else " or "
    both, either = (
        _build_conjunction(runs if conjunction else noes),
        _build_disjunction(noes if conjunction else runs),
    )
    return Node(
        "truth",
        both if conjunction else either,
        "(" + word.join(node.text for node in nodes) + ")",
        no=either if conjunction else both,
        reads=reads_of(nodes),
        mentions=mentions_of(nodes),
        parts=tuple(nodes),
        only=(only_both if conjunction else only_either)([node.only for node in nodes]),
    )


def only_both(parts: Sequence[Holds]) -> Holds:
    """Say what a memory must hold of which all conditions are true."""
    names = frozenset().union(*parts)
    return {
        name: frozenset[int | str].intersection(*(part[name] for part in parts if name in part))
        for name in names
    }


def only_either(parts: Sequence[Holds]) -> Holds:
    """Say what a memory must hold of which any condition is true: only what each of them says something of."""
    names = frozenset(parts[0]).intersection(*parts)
    return {name: frozenset[int | str]().union(*(part[name] for part in parts)) for name in names}


def _build_conjunction(runs: Sequence[Run]) -> Run:
    def run(view: Any) -> Any:
        truths = runs[0](view)
        for other in runs[1:]:
            # Most rules begin with a category that a scope may not have at all.
            if not truths.any():
                return truths
            truths = truths & other(view)
        return truths

    return run


def _build_disjunction(runs: Sequence[Run]) -> Run:
    def run(view: Any) -> Any:
        truths = runs[0](view)
        for other in runs[1:]:
            truths = truths | other(view)
        return truths

    return run


def compare_nodes(a: Node, sign: str, b: Node) -> Node:
    """Compare numbers, durations or times; unknown where either side is NaN."""
    if a.since is not None and b.constant is not None:
        return _compare_age(a, sign, b)
    if b.since is not None and a.constant is not None:
        return _compare_age(b, MIRROR[sign], a)
    text = f"{a.text} {sign} {b.text}"

    def side(name: str) -> Run:
        compare, first, second = _COMPARE[name], a.run, b.run
        return lambda view: _fill_rows(compare(first(view), second(view)), view)

    node = truth(text, side(sign), side(_OPPOSITE[sign]), [a, b])
    if a.by_category and b.constant is not None:
        those = (name for name, value in a.by_category.items() if _COMPARE[sign](value, b.constant))
        return replace(node, only={"category": frozenset(those)})
    return node


def _compare_age(a: Node, sign: str, b: Node) -> Node:
    """`now - since > c` as `since < now - c`: the same instants, without a subtraction per row."""
    assert a.since is not None
    since, seconds = a.since.run, b.constant

    def side(name: str) -> Run:
        compare = _COMPARE[MIRROR[name]]
        return lambda view: _fill_rows(compare(since(view), view.now - seconds), view)

    node = truth(f"{a.text} {sign} {b.text}", side(sign), side(_OPPOSITE[sign]), [a, b])
    if a.since.mentions & {"now", "age", "idle"}:
        return node
    return replace(node, turns=lambda view: _spread_over_rows(since(view) + seconds, view))


def _spread_over_rows(instants: Any, view: Any) -> Any:
    times = np.asarray(instants, np.float64)
    return times if times.shape == (len(view),) else np.broadcast_to(times, len(view))


def _fill_rows(found: Any, view: Any) -> Any:
    """Spread an answer that is the same for all memories over them."""
    return found if isinstance(found, np.ndarray) and found.shape else np.full(len(view), bool(found))


def one_of(a: Node, names: Sequence[int | str], wanted: bool) -> Node:
    """Tell whether a label or name is one of some; unknown where it is absent (-1)."""
    column, run = a.column, a.run
    text = f"{a.text} in {sorted(map(str, names))}"

    def among(view: Any) -> Any:
        codes = run(view)
        numbers = [name if isinstance(name, int) else view.code(column, name) for name in names]
        mask = codes == numbers[0]
        for number in numbers[1:]:
            mask |= codes == number
        return mask

    def others(view: Any) -> Any:
        mask = ~among(view)
        mask &= run(view) >= 0
        return mask

    node = replace(truth(text, among, others, [a]), only={column: frozenset(names)})
    return node if wanted else negation(node)


def nan_where_negative(codes: Any) -> Any:
    """Return the degrees of an ordered label, unknown where it is absent."""
    return np.where(codes < 0, np.nan, codes.astype(np.float64))
