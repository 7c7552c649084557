"""The language of conditions, against a slow reference that knows one row and Python's own logic."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from remanence.core.clock import DAY, HOUR
from remanence.core.errors import PolicyError
from remanence.core.model import COLUMN, Decay, Kind, Relation, Severity
from remanence.curate.language.expression import (
    CHARS_MAX,
    Over,
    PolicyNames,
    SourcePosition,
    condition,
    ordering,
)
from remanence.curate.language.reference import reference
from remanence.curate.language.view import LinkView, Node, View
from remanence.curate.language.vocabulary import vocabulary
from tests.unit.random_policies import rows
from tests.unit.scopes import NOW, Row, World, linked, row, snapshot

NAMES = PolicyNames(
    {"task": ("pending", "completed"), "message": (), "fact": ()},
    {"done": "state == 'completed'"},
    {"half_life": {"fact": 30.0}},
)
PATTERNS = ("self/*", "flag/seen", "rejected-path")


def compiled(text: str) -> Node:
    """Compile a condition over memories."""
    return condition(text, vocabulary("memories"), NAMES, SourcePosition())


def truths(text: str, *some: Row, **more: Any) -> list[bool | None]:
    """Evaluate a condition for rows: True, False or None for unknown."""
    frame = View(snapshot(some, patterns=PATTERNS, **more), NOW)
    node = compiled(text)
    assert node.no is not None
    return [
        True if yes else False if no else None
        for yes, no in zip(node.run(frame).tolist(), node.no(frame).tolist(), strict=True)
    ]


ATOMS = (
    "category == 'task'",
    "category != 'fact'",
    "category in ('message', 'fact')",
    "state not in ('completed', 'pending')",
    "done",
    "severity >= 'medium'",
    "severity < 'high'",
    "status == 'active'",
    "pinned",
    "idle > days(5)",
    "age(used_at) <= hours(121)",
    "age(state_at, learned_at) > days(6)",
    "age() == days(3)",
    "last_used != learned_at",
    "now - state_at < days(4) * 2",
    "days(2) < age(learned_at) < days(9)",
    "uses + confirmations * 2 > 4",
    "uses(7) >= 2",
    "uses(2) == 1",
    "value < 0.5",
    "confidence >= 0.5",
    "known(confidence)",
    "missing(state)",
    "missing(used_at)",
    "known(severity) or pinned",
    "tokens / words > 1.5",
    "ln(uses) < 1",
    "exp(-uses) < 0.1",
    "clamp(tokens, 5, 20) == 20",
    "min(tokens, words) > 7",
    "max(used_at, state_at) > learned_at",
    "latest(used_at, state_at) > learned_at",
    "coalesce(age(used_at), days(9)) > days(8)",
    "coalesce(value, 0.7) > 0.6",
    "recency() < 0.5",
    "recency(days(4)) > 0.4",
    "tagged('self/*')",
    "alignment >= 0.5",
    "helped - failed > 0.5",
    "posterior < 0.6",
    "load_bearing",
    "tokens in (3, 4, 5)",
    "-tokens < -9",
    "1 / (uses - 1) > 0",
    "True",
    "+tokens > 3",
    "idle() > days(2)",
    "missing(value > 2)",
)


class Reference:
    """A slow evaluator of one row: numbers and times, None for unknown, Kleene's tables by hand."""

    def __init__(self, one: Row) -> None:
        self.row = one

    def truth(self, text: str) -> bool | None:
        """Evaluate a condition."""
        return self.value(ast.parse(text, mode="eval").body)  # type: ignore[no-any-return]

    def value(self, node: ast.expr) -> Any:
        """Evaluate any node."""
        match node:
            case ast.BoolOp(op=ast.And()):
                return self._and([self.value(item) for item in node.values])
            case ast.BoolOp():
                negated = self._and([self._not(self.value(item)) for item in node.values])
                return self._not(negated)
            case ast.UnaryOp(op=ast.Not()):
                return self._not(self.value(node.operand))
            case ast.UnaryOp():
                return self._lift(
                    operator.neg if isinstance(node.op, ast.USub) else operator.pos, self.value(node.operand)
                )
            case ast.BinOp():
                signs = {
                    ast.Add: operator.add,
                    ast.Sub: operator.sub,
                    ast.Mult: operator.mul,
                    ast.Div: operator.truediv,
                }
                return self._lift(signs[type(node.op)], self.value(node.left), self.value(node.right))
            case ast.Compare():
                return self._and(self._pairs(node))
            case ast.Constant():
                return node.value
            case ast.Name():
                return self._name(node.id)
            case ast.Call():
                return self._call(node)
        raise AssertionError(node)

    def _not(self, value: bool | None) -> bool | None:
        return None if value is None else not value

    def _and(self, values: list[bool | None]) -> bool | None:
        if False in values:
            return False
        return None if None in values else True

    def _lift(self, compute: Callable[..., Any], *values: Any) -> Any:
        if None in values:
            return None
        try:
            return compute(*map(float, values))
        except (ZeroDivisionError, ValueError):
            return None

    def _pairs(self, node: ast.Compare) -> list[bool | None]:
        left, found = node.left, []
        for sign, right in zip(node.ops, node.comparators, strict=True):
            found.append(self._compare(left, sign, right))
            left = right
        return found

    def _compare(self, left: ast.expr, sign: ast.cmpop, right: ast.expr) -> bool | None:
        signs = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
        a = self.value(left)
        if isinstance(sign, ast.In | ast.NotIn):
            among = None if a is None else a in [self.value(item) for item in right.elts]  # type: ignore[attr-defined]
            return among if isinstance(sign, ast.In) else self._not(among)
        b = self.value(right)
        if isinstance(left, ast.Name) and left.id == "severity":
            a, b = None if a is None else Severity[a.upper()], Severity[b.upper()]
        if a is None or b is None:
            return None
        return bool(getattr(operator, signs[type(sign)])(a, b))

    def _name(self, name: str) -> Any:
        one = self.row
        match name:
            case "done":
                return self.truth("state == 'completed'")
            case "now":
                return NOW
            case "last_used":
                return max(one["learned_at"], one["used_at"] or one["learned_at"])
            case "idle":
                return NOW - self._name("last_used")
            case "value" | "alignment":
                return one[name] or 0.0
            case "helped" | "failed":
                return one[name] / 1_000
            case "posterior":
                said = 0.5 if one["confidence"] is None else one["confidence"]
                helped, failed = one["helped"] / 1_000, one["failed"] / 1_000
                return (2 * said + helped) / (2 + helped + failed)
            case "load_bearing":
                return one["kind"] != Kind.EPISODIC or "rejected-path" in one["tags"]
            case "pinned":
                return bool(one[name])
        labels = COLUMN[name].labels
        return labels(one[name]).label if labels is not None and one[name] is not None else one[name]

    def _call(self, node: ast.Call) -> Any:
        name = node.func.id  # type: ignore[attr-defined]
        if name == "idle":
            return self._name("idle")
        if name == "tagged":
            return any(tag.startswith("self/") for tag in self.row["tags"])
        if name == "coalesce" and isinstance(node.args[0], ast.Name):
            values = [self.row[node.args[0].id], self.value(node.args[1])]
        elif name in {"missing", "known"} and isinstance(node.args[0], ast.Name):
            values = [self.row[node.args[0].id]]
        else:
            values = [self.value(item) for item in node.args]
        return self._apply(name, values)

    def _apply(self, name: str, values: list[Any]) -> Any:
        known = [value for value in values if value is not None]
        one = self.row
        match name:
            case "days" | "hours":
                return values[0] * (DAY if name == "days" else HOUR)
            case "age":
                times = known if values else [one["learned_at"]]
                return NOW - times[0] if times else None
            case "known" | "missing":
                return bool(known) == (name == "known")
            case "coalesce":
                return known[0] if known else None
            case "latest":
                return max(known, default=None)
            case "min" | "max" | "ln" | "exp":
                compute: Mapping[str, Callable[..., Any]] = {
                    "min": min,
                    "max": max,
                    "ln": math.log,
                    "exp": math.exp,
                }
                return self._lift(compute[name], *values)
            case "clamp":
                return self._lift(lambda x, low, high: min(max(x, low), high), *values)
            case "uses":
                return self._uses(values[0])
            case "recency":
                return self._recency(values)
        raise AssertionError(name)

    def _uses(self, days: int) -> int:
        total = 0
        for bucket in range(7):
            age = NOW // DAY - (self.row["use_day"] - bucket)
            if 0 <= age < days:
                total += (self.row["use_days"] >> (8 * bucket)) & 255
        return total

    def _recency(self, values: list[Any]) -> float:
        last = max(at for at in (self._name("last_used"), self.row["reinforced_at"]) if at is not None)
        elapsed = max(0, NOW - last)
        if values:
            return float(0.5 ** (elapsed / values[0]))
        rates = {Decay.PERMANENT: 1e-5, Decay.DURABLE: 1e-3, Decay.STANDARD: 1e-2, Decay.EPHEMERAL: 5e-2}
        rate, decay = rates[self.row["decay"]], self.row["decay"]
        if decay > Decay.DURABLE:
            rate = min(5e-2, rate * 2 ** max(0, (self.row["failed"] - self.row["helped"]) / 1_000))
        return math.exp(-rate * elapsed / HOUR)


@given(st.integers(0, 2**48))
def test_conditions_agree_with_one_row_at_a_time(seed: int) -> None:
    """Any condition answers for each row what the reference answers: true, false or unknown."""
    random = Random(seed)
    some = [{**rows(random), "agent": None} for _ in range(6)]
    text = random.choice(ATOMS)
    for _ in range(random.randint(0, 4)):
        text = (
            f"({text} {random.choice(['and', 'or'])} {random.choice(['', 'not '])}({random.choice(ATOMS)}))"
        )
    for one in some:
        one["category"] = None if one["category"] in {"identity", "unheard-of"} else one["category"]

    assert [Reference(one).truth(text) for one in some] == truths(text, *some)


def test_an_instant_is_exact_to_the_microsecond() -> None:
    """`age > days(7)` is false at seven days and true one microsecond later."""
    some = [row(learned_at=NOW - 7 * DAY), row(learned_at=NOW - 7 * DAY - 1)]

    assert [False, True] == truths("age(learned_at) > days(7)", *some)
    assert [True, False] == truths("days(7) >= age(learned_at)", *some)


def test_unknown_is_neither_true_nor_false() -> None:
    """`not` of unknown is unknown, and so is its `or` with false; `and` with false is false."""
    plain = row(state=None)

    assert [None] == truths("state == 'completed'", plain)
    assert [None] == truths("not done or False", plain)
    assert [False] == truths("done and False", plain)
    assert [True] == truths("done or missing(state)", plain)


def test_a_name_that_the_scope_has_never_seen_matches_nothing() -> None:
    """Words are codes of the scope; one without a code equals none and differs from all that are there."""
    some = [row(agent="a"), row(agent=None)]

    assert [False, None] == truths("agent == 'zoe'", *some)
    assert [True, None] == truths("agent != 'zoe'", *some)


def test_a_link_counts_where_both_ends_are_in_sight() -> None:
    """Degree leaves out links to what is out of sight, lineage and contradictions."""
    world = World(
        [row(), row(), row(status="archived", reason="decayed"), row()],
        {**linked((1, 2), (1, 3)), **linked((1, 4), relation=Relation.CONTRADICTS)},
    )
    frame = View(world.snapshot(), NOW)

    assert [True, True, False, False] == compiled("degree == 1").run(frame).tolist()


def test_a_link_to_something_unknown_may_be_the_one_asked_for() -> None:
    """linked(…, category=) is unknown where the other end has no category, and false where it has another."""
    world = World([row(), row(category=None), row(), row(category="fact"), row()], linked((1, 2), (3, 4)))
    frame = View(world.snapshot(), NOW)
    node = compiled("linked('similar', category='task')")
    assert node.no is not None

    assert [False] * 5 == node.run(frame).tolist()
    assert [False, True, True, True, True] == node.no(frame).tolist()


def test_directions_are_told_apart() -> None:
    """`in` means that the other memory points here."""
    world = World([row(), row()], linked((1, 2), relation=Relation.SUPPORTS))
    frame = View(world.snapshot(), NOW)

    assert [False, True] == compiled("linked('supports', direction='in')").run(frame).tolist()
    assert [True, False] == compiled("linked('supports', direction='out')").run(frame).tolist()


def test_a_link_fades_half_as_fast_as_its_slower_end() -> None:
    """decayed_weight = weight × exp(−λ·hours), λ half of the lesser; half of that again from ten sightings on."""
    ends = [row(decay="durable"), row(decay="standard")]
    node = condition("decayed_weight < 0.5", vocabulary("links"), NAMES, SourcePosition(), "links").parts[0]
    for count, rate in ((1, 0.0005), (10, 0.00025)):
        world = World(ends, linked((1, 2), weight=0.8, last_at=NOW - 100 * HOUR, count=count))
        frame = LinkView(View(world.snapshot(), NOW), np.array([0]))

        assert [pytest.approx(0.8 * math.exp(-rate * 100))] == node.run(frame).tolist()


def test_ends_of_links_are_judged_as_memories() -> None:
    """both() and either() ask the memories at the ends."""
    world = World([row(pinned=1), row()], linked((1, 2)))
    frame = LinkView(View(world.snapshot(), NOW), np.array([0]))
    words = vocabulary("links")

    assert [False] == condition("both(pinned)", words, NAMES, SourcePosition(), "links").run(frame).tolist()
    assert [True] == condition("either(pinned)", words, NAMES, SourcePosition(), "links").run(frame).tolist()


def test_an_order_is_a_list_of_keys() -> None:
    """Commas inside brackets do not part keys; the direction is asc unless desc is said."""
    keys = ordering("min(uses, tokens) desc, seq", vocabulary("memories"), NAMES, SourcePosition())

    assert [("min(uses, tokens)", True), ("seq", False)] == [
        (node.text, descending) for node, descending in keys
    ]


WRONG = (
    ("", "is empty", 1),
    ("uses >", "is not an expression", None),
    ("uses > 3 and\n  frobnicate", "unknown column 'frobnicate'", 3),
    ("satus == 'active'", "unknown column 'satus'", 1),
    ("status == 'activ'", "unknown status 'activ'", 11),
    ("category == 'taks'", "undeclared category 'taks'", 13),
    ("state == 'complete'", "undeclared state 'complete'", 10),
    ("age(state_at) > 7", "compares a duration with a number", 17),
    ("state_at > days(7)", "compares a time with a duration", 12),
    ("pinned == True", "compares a condition with a condition", 11),
    ("category > 'task'", "has no order", 12),
    ("uses", "is a number, not a condition", 1),
    ("uses and pinned", "is a number, not a condition", 1),
    ("ages(learned_at) > days(7)", "unknown function 'ages'", 1),
    ("age > days(7)", "unknown column 'age'", 1),
    ("days('7') < idle", "argument 1 must be a plain number", 6),
    ("uses(9) > 1", "counts 1 to 7 days", 6),
    ("uses.__class__", "a dot after a name is not part", 1),
    ("[x for x in uses]", "`for` is not part", 1),
    ("(lambda: 1)()", "this is not part", 1),
    ("__import__('os')", "unknown function '__import__'", 1),
    ("uses ** 2 > 1", "this operator is not part", 1),
    ("uses is 3", "`is` is not part", 9),
    ("state_at + used_at > 1", "cannot compute time + time", 1),
    ("category in 'task'", "`in` needs a list", 13),
    ("category in ('task', 3)", "is no quoted name", 22),
    ("linked('suports')", "unknown relation 'suports'", 8),
    ("linked('supports', colour='red')", "has no argument 'colour'", 27),
    ("days() < idle", "wrong number of arguments: 0", 1),
    ("days(n=3) < idle", "takes no named arguments", 6),
    ("ln(idle) > 1", "argument 1 is a duration, not a number", 4),
    ("tagged(3)", "must be a quoted text", 8),
    ("-pinned", "a condition has no sign", 1),
    ("uses in (3, 'a')", "compares a number with a text", 13),
    ("recency(idle) > 0.5", "needs a fixed half-life", 9),
    ("score('slef') > 0.5", "unknown score 'slef'", 7),
    ("score(self) > 0.5", "must be a quoted text", 7),
    ("score() > 0.5", "wrong number of arguments: 0", 1),
    ("load_bearing == True", "compares a condition with a condition", 17),
    ("linked('supports', status='actve')", "unknown status 'actve'", 27),
    ("tagged('a*b')", "a pattern is a tag", 8),
    ("declared(agent)", "only categories are declared", 10),
    ("coalesce(uses, idle) > 3", "mixes a number with a duration", 16),
    ("age(uses) > days(1)", "argument 1 is a number, not a time", 5),
    ("age(used_at, uses) > days(1)", "argument 2 is a number, not a time", 14),
    ("uses(0) > 1", "counts 1 to 7 days", 6),
    ("uses(1.5) > 1", "counts 1 to 7 days", 6),
    ("uses(True) > 1", "argument 1 must be a plain number", 6),
    ("uses(1, 2) > 1", "wrong number of arguments: 2", 1),
    ("days(True) < idle", "argument 1 must be a plain number", 6),
    ("days(1e999) < idle", "argument 1 must be a plain number", 6),
    ("days(" + "9" * 400 + ") < idle", "argument 1 must be a plain number", 6),
    ("recency(days(0)) > 0.5", "needs a fixed half-life above zero", 9),
    ("recency(3) > 0.5", "argument 1 is a number, not a duration", 9),
    ("recency(days(1), days(2)) > 0.5", "wrong number of arguments: 2", 1),
    ("coalesce(uses) > 3", "wrong number of arguments: 1", 1),
    ("coalesce(pinned, pinned) > 3", "argument 1 is a condition, not a number or duration or time", 10),
    ("min(uses) > 3", "wrong number of arguments: 1", 1),
    ("max(uses, idle) > 3", "mixes a number with a duration", 11),
    ("clamp(uses, 1) > 3", "wrong number of arguments: 2", 1),
    ("clamp(used_at, 1, 2) > 3", "argument 1 is a time, not a number or duration", 7),
    ("one(uses) > 0", "argument 1 is a number, not a condition", 5),
    ("one(pinned, pinned) > 0", "wrong number of arguments: 2", 1),
    ("declared(uses)", "argument 1 is a number, not a name", 10),
    ("declared()", "wrong number of arguments: 0", 1),
    ("tagged('')", "a pattern is a tag", 8),
    ("tagged('*')", "a pattern is a tag", 8),
    ("tagged('a', 'b')", "wrong number of arguments: 2", 1),
    ("linked()", "wrong number of arguments: 0", 1),
    ("linked(3)", "must be a quoted text", 8),
    ("linked('supports', direction='up')", "unknown direction 'up'", 30),
    ("linked('supports', category='taks')", "undeclared category 'taks'", 29),
    ("linked('supports', status=3)", "must be a quoted text", 27),
    ("'task' == category == state", "compares a name with a name", 23),
    ("uses > 1e400", "is neither a number", 8),
    ("not " * 40 + "pinned", "too deeply nested", None),
    ("uses > 1 and " * 300 + "pinned", f"more than {CHARS_MAX}", 1),
    ("-" * 1_900 + "1 > 0", "", None),
    ("(" * 500 + "uses" + ")" * 500 + " > 1", "", None),
    ("uses > 1\0", "", None),
)


@pytest.mark.parametrize(("text", "message", "column"), WRONG, ids=[text[:30] for text, _, _ in WRONG])
def test_a_wrong_condition_is_one_error_that_points(text: str, message: str, column: int | None) -> None:
    """What is not of the language is refused with its place and a way out."""
    with pytest.raises(PolicyError) as caught:
        compiled(text)

    assert message in str(caught.value)
    assert caught.value.recovery
    assert column in {None, caught.value.column}


@example("0,")
@given(st.text(max_size=60))
def test_nothing_but_a_policy_error_comes_out(text: str) -> None:
    """Any text either compiles or is refused with PolicyError."""
    found = refusal(text)

    assert found is None or (found.line >= 1 and found.column >= 1)


def refusal(text: str) -> PolicyError | None:
    """Return the error that a text makes, if it does."""
    try:
        compiled(text)
    except PolicyError as error:
        return error
    return None


def test_an_error_in_an_abbreviation_points_at_its_use() -> None:
    """An alias is written elsewhere; the place that uses it is shown."""
    names = PolicyNames({}, {"stale": "uses > days(1)"})

    with pytest.raises(PolicyError) as caught:
        condition("pinned or stale", vocabulary("memories"), names, SourcePosition("policy", 4, 10))

    assert (4, 20) == (caught.value.line, caught.value.column)


def test_an_abbreviation_that_contains_itself_is_refused() -> None:
    """It would never end."""
    names = PolicyNames({}, {"a": "b or pinned", "b": "a or pinned"})

    with pytest.raises(PolicyError, match="an alias refers to itself: a → b → a"):
        condition("a", vocabulary("memories"), names, SourcePosition())


def test_every_word_has_a_meaning() -> None:
    """The reference names each column and function with its meaning."""
    page = reference()
    for over in ("memories", "links"):
        for word in vocabulary(over).columns.values():
            assert f"| `{word.name}` |" in page
            assert word.doc
        for function in vocabulary(over).functions.values():
            assert f"`{function.signature}`" in page


# Of every function a right argument, what stands behind the call, and how many arguments it takes.
CALLS = {
    **dict.fromkeys(("days", "hours", "minutes", "weeks", "turns"), ("1", " < idle", 1, 1)),
    "age": ("used_at", " > idle", 0, 8),
    **dict.fromkeys(("latest", "earliest"), ("used_at", " > learned_at", 2, 8)),
    "uses": ("1", " > 1", 1, 1),
    "recency": ("days(1)", " > 0.5", 0, 1),
    "feedback": ("1", " > 0.5", 0, 0),
    "score": ("'self'", " > 0.5", 1, 1),
    "flagged": ("'a'", " < now", 1, 1),
    "tagged": ("'a'", "", 1, 1),
    "declared": ("category", "", 1, 1),
    **dict.fromkeys(("missing", "known"), ("uses", "", 1, 1)),
    **dict.fromkeys(("coalesce", "min", "max"), ("uses", " > 1", 2, 8)),
    "one": ("pinned", " > 0", 1, 1),
    "clamp": ("uses", " > 1", 3, 3),
    **dict.fromkeys(("ln", "exp", "floor", "ceil"), ("uses", " > 1", 1, 1)),
    "of_category": ("'half_life'", " > 1", 1, 1),
    **dict.fromkeys(("both", "either"), ("pinned", "", 1, 1)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_function_takes_so_many_arguments_and_none_by_name(name: str) -> None:
    """From the least to the most it compiles; one fewer, one more, or one with a name is refused."""
    argument, rest, least, most = CALLS[name]
    over: Over = "links" if name in {"both", "either"} else "memories"

    def compiles(arguments: int, more: str = "") -> None:
        text = f"{name}({', '.join([argument] * arguments)}{more}){rest}"
        condition(text, vocabulary(over), NAMES, SourcePosition(), over)

    for arguments in (least, most):
        compiles(arguments)
    for arguments in {least - 1, most + 1} - {-1}:
        with pytest.raises(PolicyError, match=f"wrong number of arguments: {arguments}"):
            compiles(arguments)
    with pytest.raises(PolicyError, match="takes no named arguments"):
        compiles(most, ", extra=1" if most else "extra=1")


def test_every_function_is_called_here() -> None:
    """But `linked`, which takes named ones."""
    words = {*vocabulary("memories").functions, *vocabulary("links").functions}

    assert {*CALLS, "linked"} == words


def test_a_condition_may_be_so_deep_and_so_long() -> None:
    """Twenty-four levels, four hundred nodes and two thousand characters; one more of each is refused."""
    compiled("not " * 23 + "pinned")
    with pytest.raises(PolicyError, match="too deeply nested"):
        compiled("not " * 24 + "pinned")
    compiled("pinned" + " " * (CHARS_MAX - 6))
    with pytest.raises(PolicyError, match="2001 characters"):
        compiled("pinned" + " " * (CHARS_MAX - 5))
    compiled(" or ".join(["pinned"] * 399)[:CHARS_MAX].rpartition(" or ")[0])
    with pytest.raises(PolicyError, match="too long or too deeply nested"):
        compiled("uses in (" + ",".join("1" * 400) + ")")


@pytest.mark.parametrize(
    ("text", "recovery"),
    [
        ("idle > 3", "write a duration as days(7)"),
        ("used_at > days(3)", "turn a time into an age first"),
        ("used_at > 3", "turn a time into an age first"),
        ("pinned == 1", "write the condition itself"),
        ("agent == 3", "compare agent with a quoted name"),
        ("uses == 'a'", "of one type"),
        ("uses + 'a' > 3", "compare times with durations"),
    ],
)
def test_a_mismatch_says_what_to_write(text: str, recovery: str) -> None:
    """By the two types that do not go together."""
    with pytest.raises(PolicyError) as caught:
        compiled(text)

    assert recovery in caught.value.recovery


def test_what_nobody_said_how_sure_it_is_is_no_guess() -> None:
    """Neither more nor less than any number: only its absence can be asked for, or given a number."""
    some = [row(confidence=0.2), row(confidence=None), row(confidence=0.9)]

    assert [True, None, False] == truths("confidence < 0.3", *some)
    assert [False, None, True] == truths("confidence >= 0.9", *some)
    assert [False, True, False] == truths("missing(confidence)", *some)
    assert [True, False, False] == truths("coalesce(confidence, 0.5) < 0.3", *some)


def test_only_declared_categories_are_declared() -> None:
    """Whatever names a scope has; where there is none it is unknown."""
    some = [row(category=category) for category in ("aaa", "fact", "zzz", None)]

    assert [False, True, False, None] == truths("declared(category)", *some)


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("relation == 'similar'", [0, 2]),
        ("relation != 'similar'", [1]),
        ("confidence >= 1", [0, 2]),
        ("confidence < 1", [1]),
        ("weight > 0.4", [1, 2]),
        ("last_at < now - days(2)", [2]),
    ],
)
def test_the_columns_of_links_are_read(text: str, edges: list[int]) -> None:
    """A link of which nobody said how sure it is, is sure."""
    links = {
        **linked((1, 2), weight=0.4),
        **linked((1, 3), relation=Relation.SUPPORTS, weight=0.5, confidence=0.5),
        **linked((2, 3), weight=0.5, last_at=NOW - 3 * DAY),
    }
    frame = View(World([row() for _ in range(3)], links).snapshot(), NOW)
    node = condition(text, vocabulary("links"), NAMES, SourcePosition(), "links")

    assert edges == np.flatnonzero(node.run(LinkView(frame, np.arange(3)))).tolist()
