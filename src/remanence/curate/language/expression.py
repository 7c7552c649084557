"""The small language of conditions: Python's grammar of expressions, of which only listed nodes compile.

Compiles text to functions on arrays once; nothing is ever evaluated as Python. Logic is three-valued (Kleene): a
rule matches where its condition is true, a guard where its condition is not false.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from remanence.core.errors import PolicyError, suggest
from remanence.core.timescale import ClockName
from remanence.curate.language.array_logic import (
    ANSWERS,
    MIRROR,
    OPERATIONS,
    SIGNS,
    apply_alias,
    as_float,
    build_value_node,
    compare_nodes,
    junction,
    nan_where_negative,
    negation,
    one_of,
)
from remanence.curate.language.view import Node, Type

CHARS_MAX = 2_000
NODES_MAX = 400
DEPTH_MAX = 24
# With its aliases written out: an alias is compiled and computed once, however often it is named, so that these bound
# no work of the planner, only what aliases of aliases of aliases would come to.
PARTS_MAX = 10_000
DEPTH_IN_ALL_MAX = 96
_ORDERED = frozenset({"severity", "trust"})  # labels of which one is more than another
NUMBER_MAX = 1e18  # larger than any count or time that is kept
# What Python has and this language has not, as people call it.
_FOREIGN: Mapping[type[ast.expr], str] = {
    ast.Attribute: "a dot after a name",
    ast.Subscript: "an index in brackets",
    ast.IfExp: "`if … else`",
    ast.Lambda: "`lambda`",
    ast.ListComp: "`for`",
    ast.GeneratorExp: "`for`",
    ast.List: "a list outside `in`",
    ast.Tuple: "a list outside `in`",
}
Over: TypeAlias = Literal["memories", "links"]


@dataclass(frozen=True, slots=True)
class SourcePosition:
    """Where an expression begins in its document; lines and columns count from 1.

    At a `fixed` place the expression itself is written elsewhere, so that its nodes say nothing.
    """

    source: str = "policy"
    line: int = 1
    column: int = 1
    fixed: bool = False

    def error(self, message: str, recovery: str, node: ast.expr | ast.keyword | None = None) -> PolicyError:
        """Build the error that points at a node of the expression."""
        line, column = self.line, self.column
        if node is not None and not self.fixed:
            # The text is compiled inside a bracket, which shifts its first line by one.
            below = node.lineno - 1
            # A bare tuple begins at that bracket; it is pointed at where its text begins.
            within = max(node.col_offset, 1) + self.column - 1 if below == 0 else node.col_offset + 1
            line, column = line + below, within
        return PolicyError(message, recovery=recovery, source=self.source, line=line, column=column)

    def build_syntax_error(self, error: SyntaxError) -> PolicyError:
        """Build the error that points at where Python's parser gave up."""
        below = (error.lineno or 1) - 1
        column = (error.offset or 2) - 1 + (self.column - 1 if below == 0 else 1)
        return PolicyError(
            f"is not an expression: {error.msg}",
            recovery="write it as in Python, e.g. `category == 'task' and age(state_at) > days(14)`",
            source=self.source,
            line=self.line if self.fixed else self.line + below,
            column=self.column if self.fixed else max(column, 1),
        )

    def fix(self, node: ast.expr) -> "SourcePosition":
        """Return the place of a node, for what is written elsewhere and used here."""
        error = self.error("", "", node)
        return SourcePosition(self.source, error.line, error.column, fixed=True)


@dataclass(frozen=True, slots=True)
class PolicyNames:
    """The open names that a policy declares: states of categories, abbreviations, and numbers by name and category.

    `expanded` keeps each abbreviation as compiled for one sort of rule on one clock: a rule of many would otherwise
    compile all of them again.
    """

    states: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    expanded: "dict[tuple[str, Over, ClockName | None], _Alias]" = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the vocabulary that stands alone: a column."""

    name: str
    over: frozenset[Over]
    doc: str
    node: Node


@dataclass(frozen=True, slots=True)
class Function:
    """A word of the vocabulary that takes arguments; `build` makes its node from a call."""

    name: str
    over: frozenset[Over]
    signature: str
    answers: Type
    doc: str
    build: Callable[["Call"], Node]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words that a condition may use."""

    columns: Mapping[str, Word]
    functions: Mapping[str, Function]


@dataclass(frozen=True, slots=True)
class Call:
    """A function's call while it is compiled: its arguments, and how to complain."""

    compiler: "Compiler"
    node: ast.Call
    signature: str

    @property
    def arguments(self) -> Sequence[ast.expr]:
        """The positional arguments."""
        return self.node.args

    def error(self, message: str, node: ast.expr | ast.keyword | None = None) -> PolicyError:
        """Build the error of a wrong argument."""
        return self.compiler.place.error(message, f"write {self.signature}", node or self.node)

    def count(self, least: int, most: int) -> None:
        """Refuse too few or too many arguments."""
        if not least <= len(self.arguments) <= most:
            raise self.error(f"wrong number of arguments: {len(self.arguments)}")

    def refuse_keywords(self) -> None:
        """Refuse named arguments."""
        if self.node.keywords:
            raise self.error("takes no named arguments", self.node.keywords[0])

    def compile_argument(self, index: int, *types: Type) -> Node:
        """Compile an argument, which must be of one of these types."""
        node = self.compiler.compile(self.arguments[index])
        if node.type not in types:
            kinds = " or ".join(map(_describe_type, types))
            raise self.error(
                f"argument {index + 1} is a {_describe_type(node.type)}, not a {kinds}",
                self.arguments[index],
            )
        return node

    def all_typed(self, *types: Type) -> list[Node]:
        """Compile all arguments, each of one of these types and all of the same."""
        nodes = [self.compile_argument(index, *types) for index in range(len(self.arguments))]
        for argument, node in zip(self.arguments, nodes, strict=True):
            if node.type != nodes[0].type:
                raise self.error(
                    f"mixes a {_describe_type(nodes[0].type)} with a {_describe_type(node.type)}", argument
                )
        return nodes

    def number(self, index: int) -> float:
        """Return an argument that must be a written number."""
        value = getattr(self.arguments[index], "value", None)
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) >= NUMBER_MAX:
            raise self.error(f"argument {index + 1} must be a plain number", self.arguments[index])
        return value

    def string(self, node: ast.expr) -> str:
        """Return an argument that must be a quoted text."""
        value = getattr(node, "value", None)
        if not isinstance(value, str):
            raise self.error("must be a quoted text", node)
        return value

    def text(self) -> str:
        """Return the call in its canonical form."""
        return ast.unparse(self.node)


def condition(
    text: str,
    vocabulary: Vocabulary,
    names: PolicyNames,
    place: SourcePosition,
    over: Over = "memories",
    clock: ClockName | None = None,
) -> Node:
    """Compile a condition, or raise PolicyError where it is none; durations must be the clock's, if one is named."""
    node = Compiler(vocabulary, names, place, over, clock).read(text)
    if node.type != "truth":
        raise place.error(f"is a {node.type}, not a condition", "compare it with something, e.g. `uses > 3`")
    return node


def ordering(
    text: str,
    vocabulary: Vocabulary,
    names: PolicyNames,
    place: SourcePosition,
    clock: ClockName | None = None,
) -> tuple[tuple[Node, bool], ...]:
    """Compile `a desc, b asc` to pairs of (what to sort by, whether descending); ascending where nothing is said."""
    keys = []
    for start, item in _split_at_commas(text):
        words = item.rsplit(None, 1)
        direction = words[-1].lower() if len(words) > 1 else ""
        body = words[0] if direction in {"asc", "desc"} else item
        here = SourcePosition(place.source, place.line, place.column + start)
        node = Compiler(vocabulary, names, here, "memories", clock).read(body)
        if node.type in {"truth", "name"}:
            raise here.error(
                f"cannot sort by a {_describe_type(node.type)}",
                "sort by a number, a time or a label such as severity",
            )
        keys.append((node, direction == "desc"))
    return tuple(keys)


def _split_at_commas(text: str) -> Iterable[tuple[int, str]]:
    """Split at commas outside brackets; yield (offset, item)."""
    depth = start = 0
    for index, sign in enumerate(text + ","):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth <= 0:
            item = text[start:index]
            yield start + len(item) - len(item.lstrip()), item.strip()
            start = index + 1
    if start <= len(text):  # a bracket is open to the end
        yield start, text[start:].strip()


@dataclass(frozen=True, slots=True)
class _Alias:
    """An alias that is compiled: its node, and how many parts it comes to, how deep."""

    node: Node
    parts: int
    height: int


@dataclass
class Compiler:
    """Compiles one expression; `open_aliases` are those being expanded, so that none contains itself.

    `nodes` and `depth` are those of what is written, an alias being one node; `parts` and `deepest` count what is
    inside it too.
    """

    vocabulary: Vocabulary
    names: PolicyNames
    place: SourcePosition
    over: Over
    clock: ClockName | None = None
    open_aliases: tuple[str, ...] = ()
    nodes: int = 0
    depth: int = 0
    parts: int = 0
    outside: int = 0  # how deep the alias lies that is being expanded
    deepest: int = 0

    def read(self, text: str) -> Node:
        """Compile a text."""
        return self.compile(self.parse(text))

    def parse(self, text: str) -> ast.expr:
        """Read an expression, within the limits of length."""
        if len(text) > CHARS_MAX:
            raise self.place.error(
                f"has {len(text)} characters, more than {CHARS_MAX}", "split it into several rules"
            )
        if not text.strip():
            raise self.place.error("is empty", "write a condition, or `True` for all")
        try:
            return ast.parse(f"({text}\n)", mode="eval").body
        except SyntaxError as error:
            raise self.place.build_syntax_error(error) from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise self.place.error("cannot be read", "write a shorter, plainer condition") from error

    def compile(self, node: ast.expr) -> Node:
        """Compile one node, or raise PolicyError where the language has no such thing."""
        self.nodes += 1
        self.depth += 1
        if self.nodes > NODES_MAX or self.depth > DEPTH_MAX:
            raise self.place.error("is too long or too deeply nested", "split it into several rules", node)
        self._count_reach(1, 0, node)
        compiled = self._compile_node(node)
        self.depth -= 1
        return compiled

    def _count_reach(self, parts: int, height: int, node: ast.expr) -> None:
        """Count what an expression comes to with its aliases written out; refuse what doubles without end."""
        self.parts += parts
        self.deepest = max(self.deepest, self.outside + self.depth + height)
        if self.parts > PARTS_MAX or self.deepest > DEPTH_IN_ALL_MAX:
            raise self.place.error(
                f"is too long or too deeply nested with its aliases written out: {self.parts:,} parts",
                "let aliases name fewer of one another",
                node,
            )

    def _compile_node(self, node: ast.expr) -> Node:
        match node:
            case ast.BoolOp():
                return junction(isinstance(node.op, ast.And), [self.truth(value) for value in node.values])
            case ast.UnaryOp(op=ast.Not()):
                return negation(self.truth(node.operand))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                return self._compile_sign(node)
            case ast.Compare():
                left = node.left
                nodes = []
                for sign, right in zip(node.ops, node.comparators, strict=True):
                    nodes.append(self._compile_comparison(left, sign, right))
                    left = right
                return nodes[0] if len(nodes) == 1 else junction(True, nodes)
            case ast.BinOp():
                return self._compile_arithmetic(node)
            case ast.Name():
                alias = self.names.aliases.get(node.id)
                if alias is not None:
                    return self._compile_alias(node, alias)
                word = self.vocabulary.columns.get(node.id)
                if word is None or self.over not in word.over:
                    raise self._build_unknown_error(
                        "column", node, [*self._list_words(self.vocabulary.columns), *self.names.aliases]
                    )
                return word.node
            case ast.Constant():
                return self._compile_constant(node)
            case ast.Call(func=ast.Name()):
                return self._call(node)
        raise self.place.error(
            f"{_FOREIGN.get(type(node), 'this')} is not part of the language",
            "use columns, functions, numbers, quoted names, comparisons, arithmetic, `and`, `or`, `not`",
            node,
        )

    def truth(self, node: ast.expr) -> Node:
        """Compile a node that must be a condition."""
        compiled = self.compile(node)
        if compiled.type != "truth":
            raise self.place.error(
                f"is a {_describe_type(compiled.type)}, not a condition",
                "compare it with something, e.g. `uses > 3`",
                node,
            )
        return compiled

    def _compile_alias(self, node: ast.Name, text: str) -> Node:
        key = (node.id, self.over, self.clock)
        alias = self.names.expanded.get(key)
        if alias is not None:
            self._count_reach(alias.parts, alias.height, node)
            return alias.node
        if node.id in self.open_aliases:
            circle = " → ".join([*self.open_aliases[self.open_aliases.index(node.id) :], node.id])
            raise self.place.error(f"an alias refers to itself: {circle}", "write one of them out", node)
        self.names.expanded[key] = alias = self._expand_alias(node, text)
        return alias.node

    def _expand_alias(self, node: ast.Name, text: str) -> _Alias:
        """Compile an alias, whose nodes and depth are counted as of a text of its own."""
        before = (self.place, self.depth, self.outside, self.deepest)
        parts = self.parts
        self.open_aliases = (*self.open_aliases, node.id)
        self.place, self.depth, self.outside = self.place.fix(node), 0, self.outside + self.depth
        self.deepest = self.outside
        compiled = apply_alias(node.id, self.read(text))
        alias = _Alias(compiled, self.parts - parts, self.deepest - self.outside)
        self.open_aliases = self.open_aliases[:-1]
        bottom = self.deepest
        self.place, self.depth, self.outside, self.deepest = before
        self.deepest = max(self.deepest, bottom)
        return alias

    def _call(self, node: ast.Call) -> Node:
        name: str = node.func.id  # type: ignore[attr-defined]
        function = self.vocabulary.functions.get(name)
        if function is not None and self.over in function.over:
            return function.build(Call(self, node, function.signature))
        word = self.vocabulary.columns.get(name)
        if word is not None and self.over in word.over and not node.args and not node.keywords:
            return word.node
        raise self._build_unknown_error("function", node.func, self._list_words(self.vocabulary.functions))

    def _list_words(self, words: Mapping[str, Word] | Mapping[str, Function]) -> list[str]:
        return sorted(name for name, word in words.items() if self.over in word.over)

    def _build_unknown_error(self, what: str, node: ast.expr, known: Sequence[str]) -> PolicyError:
        name: str = node.id  # type: ignore[attr-defined]
        other = self.vocabulary.functions if what == "column" else self.vocabulary.columns
        if name in other and self.over in other[name].over:
            recovery = f"write {name}(…)" if what == "column" else f"write {name} without brackets"
        else:
            recovery = suggest(name, known)
        return self.place.error(f"unknown {what} {name!r} for {self.over}", recovery, node)

    def _compile_constant(self, node: ast.Constant) -> Node:
        value = node.value
        if isinstance(value, bool):
            return Node(
                "truth",
                lambda view: np.full(len(view), value),
                str(value),
                no=lambda view: np.full(len(view), not value),
            )
        if isinstance(value, int | float) and abs(value) < NUMBER_MAX:
            return Node("number", lambda _: float(value), repr(value), constant=float(value))
        if isinstance(value, str):
            return Node("text", lambda _: value, repr(value), constant=value)
        raise self.place.error(
            "is neither a number, a quoted name, True nor False", "write one of these, or missing(x)", node
        )

    def _compile_sign(self, node: ast.UnaryOp) -> Node:
        inner = self.compile(node.operand)
        if inner.type not in {"number", "duration"}:
            raise self.place.error(f"a {_describe_type(inner.type)} has no sign", "write a number", node)
        if isinstance(node.op, ast.UAdd):
            return inner
        constant = None if inner.constant is None else -inner.constant
        return build_value_node(inner.type, f"-{inner.text}", lambda a: -as_float(a), [inner], constant)

    def _compile_arithmetic(self, node: ast.BinOp) -> Node:
        left, right = self.compile(node.left), self.compile(node.right)
        operation = OPERATIONS.get(type(node.op))
        if operation is None:
            raise self.place.error("this operator is not part of the language", "use + - * /", node)
        sign, compute = operation
        answer = ANSWERS.get((sign, left.type, right.type))
        if answer is None:
            raise self.place.error(
                f"cannot compute {_describe_type(left.type)} {sign} {_describe_type(right.type)}",
                "compare times with durations: days(7)",
                node,
            )
        constant = None
        if left.constant is not None and right.constant is not None:
            constant = float(compute(np.float64(left.constant), np.float64(right.constant)))
        return build_value_node(
            answer, f"({left.text} {sign} {right.text})", compute, [left, right], constant
        )

    def _compile_comparison(self, left: ast.expr, sign: ast.cmpop, right: ast.expr) -> Node:
        if isinstance(sign, ast.In | ast.NotIn):
            return self._compile_membership(left, isinstance(sign, ast.In), right)
        if type(sign) not in SIGNS:
            raise self.place.error("`is` is not part of the language", "use ==, or missing(x)", right)
        a, b = self.compile(left), self.compile(right)
        symbol = SIGNS[type(sign)]
        if a.type == "text" and b.type in {"label", "name"}:
            a, b, left, right, symbol = b, a, right, left, MIRROR[symbol]
        if a.type in {"label", "name"} and b.type == "text":
            return self._compare_label(a, symbol, b.constant, right)
        if a.type != b.type or a.type in {"truth", "text", "label", "name"}:
            raise self._build_mismatch_error(a, b, right)
        return compare_nodes(a, symbol, b)

    def _build_mismatch_error(self, a: Node, b: Node, node: ast.expr) -> PolicyError:
        pair = {a.type, b.type}
        recovery = "compare values of one type"
        if pair == {"duration", "number"}:
            recovery = "write a duration as days(7) or hours(12)"
        elif pair in ({"time", "duration"}, {"time", "number"}):
            recovery = "turn a time into an age first: age(state_at) > days(7)"
        elif "truth" in pair:
            recovery = "write the condition itself, or `not` before it"
        elif a.type in {"label", "name"}:
            recovery = f"compare {a.text} with a quoted name"
        elif pair == {"text"}:
            recovery = "compare a column with a quoted name"
        return self.place.error(
            f"compares a {_describe_type(a.type)} with a {_describe_type(b.type)}", recovery, node
        )

    def _compare_label(self, a: Node, sign: str, name: str, node: ast.expr) -> Node:
        """Compare a label or name with a quoted one: by its number, which for open names each scope assigns."""
        if sign in {"==", "!="}:
            return one_of(a, [self._resolve_label(a, name, node)], sign == "==")
        if a.column not in _ORDERED:
            columns = " and ".join(sorted(_ORDERED))
            raise self.place.error(
                f"{a.text} has no order", f"use == or !=; only {columns} have degrees", node
            )
        code = self._resolve_label(a, name, node)
        grade = Node("number", lambda _: code, repr(name), constant=float(code))
        value = Node(
            "number",
            lambda view: nan_where_negative(a.run(view)),
            a.text,
            reads=a.reads,
            mentions=a.mentions,
        )
        return compare_nodes(value, sign, grade)

    def _resolve_label(self, a: Node, name: str, node: ast.expr) -> int | str:
        """Return the number of a label, or an open name that is declared."""
        if a.labels is not None:
            labels = [label.label for label in a.labels]
            if name not in labels:
                raise self.place.error(f"unknown {a.column} {name!r}", suggest(name, labels), node)
            return int(a.labels[name.upper()])
        self.check_open(a.column, name, node)
        return name

    def check_open(self, column: str, name: str, node: ast.expr) -> None:
        """Refuse a category or state that no policy declares; agents, threads and speakers are free."""
        if column == "category":
            choices = sorted(self.names.states)
        elif column == "state":
            choices = sorted({state for states in self.names.states.values() for state in states})
        else:
            return
        if name not in choices:
            raise self.place.error(f"undeclared {column} {name!r}", suggest(name, choices), node)

    def _compile_membership(self, left: ast.expr, wanted: bool, right: ast.expr) -> Node:
        if not isinstance(right, ast.Tuple | ast.List) or not right.elts:
            raise self.place.error("`in` needs a list", "write in ('a', 'b')", right)
        a = self.compile(left)
        if a.type not in {"label", "name"}:
            equal = [compare_nodes(a, "==", self._compile_same_type(a, item)) for item in right.elts]
            among = equal[0] if len(equal) == 1 else junction(False, equal)
            return among if wanted else negation(among)
        names = []
        for item in right.elts:
            if not isinstance(item, ast.Constant) or not isinstance(item.value, str):
                raise self.place.error("is no quoted name", f"list names of {a.column}", item)
            names.append(self._resolve_label(a, item.value, item))
        return one_of(a, names, wanted)

    def _compile_same_type(self, a: Node, item: ast.expr) -> Node:
        b = self.compile(item)
        if a.type != b.type or a.type in {"truth", "text"}:
            raise self._build_mismatch_error(a, b, item)
        return b


def _describe_type(kind: Type) -> str:
    """Return a type as people call it."""
    return "condition" if kind == "truth" else kind
