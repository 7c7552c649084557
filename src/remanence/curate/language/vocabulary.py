"""The vocabulary of conditions as one table: every column and function with its type, its meaning and its needs.

A new word for policies is a new row here and nothing else. Derived values are functions of (what is stored, now)
and are never stored themselves.
"""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import methodcaller
from typing import Any

import numpy as np

from remanence.core.clock import DAY, HOUR, MINUTE
from remanence.core.errors import suggest
from remanence.core.model import COLUMNS, REJECTED_PATH, Label, Relation, Status
from remanence.core.score import PRESETS, RATING
from remanence.core.timescale import TURN
from remanence.curate.language.array_logic import build_value_node, truth
from remanence.curate.language.derived import (
    OUTDATED_READS,
    build_dangling_test,
    build_link_condition,
    build_outdated_test,
    compute_composite_score,
    confidence_at,
    decayed_weight,
    degree,
    feedback,
    load_bearing,
    posterior,
    recency,
    shown_length,
    text_at,
    used_value,
    uses_within,
    weighted_degree,
)
from remanence.curate.language.expression import Call, Function, Over, Vocabulary, Word
from remanence.curate.language.meanings import LINK_MEANINGS, MEANINGS, RATED
from remanence.curate.language.view import AGENTS, LINKS, OF_LINKS, TAGGED_AT, LinkView, Node, Run, Type

MEMORIES: frozenset[Over] = frozenset({"memories"})
LINK: frozenset[Over] = frozenset({"links"})
BOTH: frozenset[Over] = MEMORIES | LINK

_FADING = ("decay", "helped", "failed")
_ABSENT_LINK_CONFIDENCE = 1.0


def _column(
    name: str, doc: str, over: frozenset[Over], kind: str, labels: type[Label] | None, absent: Any
) -> Word:
    """Build the word of a stored column."""
    types: dict[str, Type] = {"enum": "label", "name": "name", "time": "time", "flag": "truth"}
    reads = frozenset({LINKS, OF_LINKS + name} if over == LINK else {name})
    common: dict[str, Any] = {"reads": reads, "column": name, "mentions": frozenset({name})}

    def raw(view: Any) -> Any:
        return view.column(name)

    def filled(view: Any) -> Any:
        array = view.column(name)
        return np.where(np.isnan(array), absent, array)

    if kind == "flag":
        node = Node("truth", lambda view: raw(view) != 0, name, no=lambda view: raw(view) == 0, **common)
    else:
        node = Node(
            types.get(kind, "number"), raw if absent is None else filled, name, labels=labels, **common
        )
    return Word(name, over, doc, node)


def _build_column_words() -> list[Word]:
    words = []
    for column in COLUMNS:
        if column.name in MEANINGS:
            # An absent number is 0; how sure it is and how much it matters are unknown, as labels and times are.
            absent = 0.0 if column.name in {"value", "alignment"} else None
            words.append(
                _column(column.name, MEANINGS[column.name], MEMORIES, column.kind, column.labels, absent)
            )
    return words


def _of_links() -> list[Word]:
    kinds = {"relation": "enum", "last_at": "time"}
    return [
        _column(
            name,
            doc,
            LINK,
            kinds.get(name, "fraction"),
            Relation if name == "relation" else None,
            _ABSENT_LINK_CONFIDENCE if name == "confidence" else None,
        )
        for name, doc in LINK_MEANINGS.items()
    ]


def _fact(name: str, doc: str, over: frozenset[Over], kind: Type, run: Run, *reads: str) -> Word:
    """Build the word of a value that is computed from several columns, or from links."""
    return Word(name, over, doc, Node(kind, run, name, reads=frozenset(reads), mentions=frozenset({name})))


def _add_mention(node: Node, word: str) -> Node:
    return Node(
        node.type,
        node.run,
        node.text,
        no=node.no,
        reads=node.reads,
        mentions=node.mentions | {word},
        parts=node.parts,
    )


def _condition(name: str, yes: Run, no: Run, *reads: str) -> Node:
    """Build a word that is a condition by itself."""
    return _add_mention(truth(name, yes, no, reads=frozenset(reads)), name)


def _read_ratings(name: str) -> Run:
    return lambda view: view.column(name) / RATING


def _time(name: str) -> Node:
    return Node(
        "time", lambda view: view.column(name), name, reads=frozenset({name}), mentions=frozenset({name})
    )


def _build_latest(*nodes: Node) -> Node:
    """The latest of the times that are known."""
    text = f"latest({', '.join(node.text for node in nodes)})"
    return build_value_node(nodes[0].type, text, lambda *values: reduce(np.fmax, values), nodes)


def _build_duration(text: str, time: Node, word: str) -> Node:
    """The duration from a time until now."""
    return Node(
        "duration",
        lambda view: np.subtract(view.now, time.run(view), dtype=np.float64),
        text,
        reads=time.reads,
        since=time,
        mentions=time.mentions | {word},
    )


_LAST_USED = _build_latest(_time("used_at"), _time("learned_at"))
_COMPUTED = [
    _fact("seq", "its place in the order of arrival", MEMORIES, "number", lambda view: view.column("seq")),
    Word("last_used", MEMORIES, "the later of used_at and learned_at", _LAST_USED),
    _fact(
        "text_at",
        "when its text last changed; said_at where it never did",
        MEMORIES,
        "time",
        text_at,
        "text_at",
        "said_at",
    ),
    _fact(
        "confidence_at",
        "when its confidence was last said, also where it was said again; unknown where it has none",
        MEMORIES,
        "time",
        confidence_at,
        "confidence_at",
        "confidence",
        "learned_at",
    ),
    Word("idle", MEMORIES, "how long since last_used", _build_duration("idle", _LAST_USED, "idle")),
    _fact(
        "degree",
        "how many links it has; lineage, contradictions and links to memories out of sight do not count",
        MEMORIES,
        "number",
        degree,
        LINKS,
        "status",
    ),
    _fact(
        "weighted_degree",
        "the sum of those links' weights",
        MEMORIES,
        "number",
        weighted_degree,
        LINKS,
        "status",
    ),
    _fact(
        "decayed_weight",
        "the weight, faded since last_at: × exp(−λ·hours), λ half the slower end's (elfmem); half of that from ten"
        " sightings on",
        LINK,
        "number",
        decayed_weight,
        LINKS,
        OF_LINKS + "count",
        OF_LINKS + "last_at",
        "decay",
    ),
    _fact(
        "posterior",
        "how sure one may be: (2 × confidence + helped) / (2 + helped + failed), 0.5 if absent (elfmem)",
        MEMORIES,
        "number",
        posterior,
        "confidence",
        "helped",
        "failed",
    ),
    *(
        _fact(name, doc, MEMORIES, "number", methodcaller("agents", name), AGENTS)
        for name, doc in {
            "agents": "how many agents used it, each counted once",
            "other_agents": "how many agents used it to which it does not belong, each counted once",
            "sharing_agents": "how many such used it or own a memory that links to it (likeness is no link here)",
        }.items()
    ),
    *(_fact(name, doc, MEMORIES, "number", _read_ratings(name), name) for name, doc in RATED.items()),
    _fact(
        "used_value",
        "its keep-value times its use: value × (1 + 0.3 ln(1 + uses) + 3 ln(1 + confirmations)); 0 without a value",
        MEMORIES,
        "number",
        used_value,
        "value",
        "uses",
        "confirmations",
    ),
    *(
        _fact(
            f"shown_{unit}",
            f"the length in {unit} of what is shown of it: its text, or the short form that a policy gave it",
            MEMORIES,
            "number",
            partial(shown_length, unit=unit),
            *("form", unit, f"short_{unit}"),
        )
        for unit in ("tokens", "words")
    ),
    Word(
        "load_bearing",
        MEMORIES,
        "later work rests on it: all but episodes, and episodes tagged 'rejected-path'; an unknown kind too",
        _condition(
            "load_bearing", load_bearing, lambda view: ~load_bearing(view), "kind", f"tag:{REJECTED_PATH}"
        ),
    ),
    Word(
        "dangling",
        MEMORIES,
        "it is superseded, and all that came after it are tombstones; unknown where nothing says what came",
        _condition("dangling", *build_dangling_test(), LINKS, "status"),
    ),
    Word(
        "outdated",
        MEMORIES,
        "an active memory of no less trust replaces it, with certainty; never true of the agent's identity",
        _condition("outdated", *build_outdated_test(), *OUTDATED_READS),
    ),
    _fact("now", "the instant of the plan", BOTH, "time", lambda view: np.asarray(view.now, np.float64)),
]


def _duration(unit: int, turns: bool = False) -> Callable[[Call], Node]:
    def build(call: Call) -> Node:
        call.refuse_keywords()
        call.count(1, 1)
        clock = call.compiler.clock
        if clock is not None and turns != (clock == "turns"):
            way = (
                "write turns(200)"
                if clock == "turns"
                else "write days(7) or hours(12), or name clock = 'turns'"
            )
            raise call.compiler.place.error(
                f"{call.text()} is no duration of the {clock} clock", way, call.node
            )
        micros = float(round(call.number(0) * unit))
        return Node("duration", lambda _: micros, call.text(), constant=micros)

    return build


def _build_age(call: Call) -> Node:
    call.refuse_keywords()
    call.count(0, 8)
    times = call.all_typed("time") if call.arguments else [_time("learned_at")]
    return _build_duration(f"age({', '.join(node.text for node in times)})", _first_known(times), "age")


def _first_known(nodes: Sequence[Node]) -> Node:
    text = f"coalesce({', '.join(node.text for node in nodes)})"
    if len(nodes) == 1:
        return nodes[0]
    return build_value_node(
        nodes[0].type,
        text,
        lambda *values: reduce(lambda a, b: np.where(np.isnan(a), b, a), values),
        nodes,
    )


def _build_coalesce(call: Call) -> Node:
    call.refuse_keywords()
    call.count(2, 8)
    # A column whose absence reads as 0 is never unknown, so the raw column is what may be.
    return _first_known([_read_stored_column(node) for node in call.all_typed("number", "duration", "time")])


def _read_stored_column(node: Node) -> Node:
    """The column as it is stored, unknown where it is absent."""
    if node.type != "number" or not node.column:
        return node
    name = node.column
    return Node("number", lambda view: view.column(name), node.text, reads=node.reads, mentions=node.mentions)


def _build_extreme(compute: Callable[[Any, Any], Any]) -> Callable[[Call], Node]:
    def build(call: Call) -> Node:
        call.refuse_keywords()
        call.count(2, 8)
        nodes = call.all_typed("number", "duration", "time")
        return build_value_node(nodes[0].type, call.text(), lambda *values: reduce(compute, values), nodes)

    return build


def _curve(compute: Callable[[Any], Any]) -> Callable[[Call], Node]:
    def run(value: Any) -> Any:
        with np.errstate(all="ignore"):
            numbers = compute(np.asarray(value, np.float64))
            return np.where(np.isfinite(numbers), numbers, np.nan)

    def build(call: Call) -> Node:
        call.refuse_keywords()
        call.count(1, 1)
        return build_value_node("number", call.text(), run, [call.compile_argument(0, "number")])

    return build


def _build_clamp(call: Call) -> Node:
    call.refuse_keywords()
    call.count(3, 3)
    nodes = call.all_typed("number", "duration")
    return build_value_node(
        nodes[0].type, call.text(), lambda x, low, high: np.minimum(np.maximum(x, low), high), nodes
    )


def _uses(call: Call) -> Node:
    call.refuse_keywords()
    call.count(1, 1)
    days = call.number(0)
    if days not in range(1, 8):
        raise call.error("counts 1 to 7 days", call.arguments[0])
    text, reads = call.text(), frozenset({"use_days", "use_day"})

    def run(view: Any) -> Any:
        return view.remember(text, reads, lambda whole: uses_within(whole, int(days)))

    return Node("number", run, text, reads=reads, mentions=frozenset({"uses"}))


def _recency(call: Call) -> Node:
    call.refuse_keywords()
    call.count(0, 1)
    half_life = call.compile_argument(0, "duration") if call.arguments else None
    constant = None if half_life is None else half_life.constant
    if (half_life is not None and half_life.reads - {"category"}) or (constant is not None and constant <= 0):
        raise call.error("needs a fixed half-life above zero, or one of_category('…')", call.arguments[0])
    run = (lambda _: None) if half_life is None else half_life.run
    also = frozenset(_FADING) if half_life is None else half_life.reads
    return Node(
        "number",
        lambda view: recency(view, run(view)),
        call.text(),
        reads=frozenset({"reinforced_at", "used_at", "learned_at"}) | also,
        mentions=frozenset({"recency"}),
    )


def _of_category(call: Call) -> Node:
    call.refuse_keywords()
    call.count(1, 1)
    name, by_name = call.string(call.arguments[0]), call.compiler.names.numbers
    if name not in by_name:
        raise call.compiler.place.error(
            f"no category declares the number {name!r}",
            suggest(name, sorted(by_name)) if by_name else f"write numbers = {{ {name} = 30 }} in a category",
            call.arguments[0],
        )
    numbers, text = by_name[name], call.text()

    def table(view: Any) -> Any:
        # The last stands for -1, a memory without a category.
        return np.array([numbers.get(code, np.nan) for code in (*view.names("category"), "")])

    def run(view: Any) -> Any:
        return view.remember(f"table of {text}", frozenset(), table)[view.column("category")]

    mentions = frozenset({"category", "of_category"})
    reads = frozenset({"category"})
    return Node("number", run, text, reads=reads, mentions=mentions, by_category=numbers)


def _build_feedback(call: Call) -> Node:
    call.refuse_keywords()
    call.count(0, 0)

    return Node(
        "number",
        feedback,
        call.text(),
        reads=frozenset({"helped", "failed"}),
        mentions=frozenset({"feedback"}),
    )


def _build_score(call: Call) -> Node:
    call.refuse_keywords()
    call.count(1, 1)
    name = call.string(call.arguments[0])
    if name not in PRESETS:
        raise call.compiler.place.error(
            f"unknown score {name!r}", suggest(name, [*PRESETS]), call.arguments[0]
        )
    weights = PRESETS[name].without_similarity()
    return Node(
        "number",
        lambda view: compute_composite_score(view, weights),
        call.text(),
        reads=frozenset(
            {LINKS, "status", "used_at", "learned_at", "confidence", "uses", "confirmations", *_FADING}
        ),
        mentions=frozenset({"score"}),
    )


def _compile_tagged(call: Call) -> Node:
    call.refuse_keywords()
    call.count(1, 1)
    pattern = call.string(call.arguments[0])
    if not pattern.strip("*") or "*" in pattern[:-1]:
        raise call.error("a pattern is a tag, or the beginning of one and a star", call.arguments[0])
    reads = frozenset({f"tag:{pattern}"})
    node = truth(
        f"tagged({pattern!r})",
        lambda view: view.tag(pattern),
        lambda view: ~view.tag(pattern),
        reads=reads,
    )
    return _add_mention(node, "tagged")


def _compile_flagged(call: Call) -> Node:
    call.refuse_keywords()
    call.count(1, 1)
    name = call.string(call.arguments[0])
    if not name or "*" in name:
        raise call.error("takes the name of one flag", call.arguments[0])
    tag = f"flag/{name}"
    return Node(
        "time",
        lambda view: view.tagged_at(tag),
        f"flagged({name!r})",
        reads=frozenset({f"tag:{tag}", f"{TAGGED_AT}{tag}"}),
        mentions=frozenset({"flagged"}),
    )


def _make_known_compiler(wanted: bool) -> Callable[[Call], Node]:
    def build(call: Call) -> Node:
        call.refuse_keywords()
        call.count(1, 1)
        node = call.compiler.compile(call.arguments[0])
        is_known = _build_known_test(_read_stored_column(node))
        runs = (
            (is_known, lambda view: ~is_known(view)) if wanted else (lambda view: ~is_known(view), is_known)
        )
        return truth(f"{'known' if wanted else 'missing'}({node.text})", *runs, [node])

    return build


def _build_known_test(node: Node) -> Run:
    run, no = node.run, node.no
    if no is not None:
        return lambda view: run(view) | no(view)
    if node.type in {"label", "name"}:
        return lambda view: run(view) >= 0
    return lambda view: np.broadcast_to(~np.isnan(np.asarray(run(view), np.float64)), len(view))


def _one(call: Call) -> Node:
    call.refuse_keywords()
    call.count(1, 1)
    inner = call.compile_argument(0, "truth")
    yes, no = inner.run, inner.no or inner.run

    def run(view: Any) -> Any:
        return np.where(yes(view), 1.0, np.where(no(view), 0.0, np.nan))

    return Node(
        "number", run, f"one({inner.text})", reads=inner.reads, mentions=inner.mentions, parts=(inner,)
    )


def _compile_declared(call: Call) -> Node:
    call.refuse_keywords()
    call.count(1, 1)
    column = call.compile_argument(0, "name")
    if column.column != "category":
        raise call.error("only categories are declared", call.arguments[0])
    names = sorted(call.compiler.names.states)

    def yes(view: Any) -> Any:
        table = np.array([view.code("category", name) for name in names], np.int64)
        return np.isin(view.column("category"), table)

    return truth(
        "declared(category)", yes, lambda view: (view.column("category") >= 0) & ~yes(view), [column]
    )


_DIRECTIONS = ("any", "in", "out")


def _compile_linked(call: Call) -> Node:
    call.count(1, 1)
    relation = call.string(call.arguments[0])
    relations = ["*", *(item.label for item in Relation)]
    if relation not in relations:
        raise call.compiler.place.error(
            f"unknown relation {relation!r}", suggest(relation, relations), call.arguments[0]
        )
    filters: dict[str, Any] = {}
    for keyword in call.node.keywords:
        filters[str(keyword.arg)] = _check_link_filter(
            call, str(keyword.arg), call.string(keyword.value), keyword.value
        )
    reads = frozenset({LINKS, "status", *(filters.keys() & {"category", "state"})})
    number = None if relation == "*" else int(Relation[relation.upper()])
    answer = build_link_condition(number, filters, call.text(), reads)
    return _add_mention(truth(call.text(), *answer, reads=reads), "linked")


def _check_link_filter(call: Call, name: str, value: str, node: Any) -> str | int:
    """Check one named argument of `linked`."""
    if name in {"category", "state"}:
        call.compiler.check_open(name, value, node)
        return value
    choices = {"status": [label.label for label in Status], "direction": list(_DIRECTIONS)}
    if name not in choices:
        raise call.error(f"has no argument {name!r}", node)
    if value not in choices[name]:
        raise call.compiler.place.error(f"unknown {name} {value!r}", suggest(value, choices[name]), node)
    return int(Status[value.upper()]) if name == "status" else value


def _ends(conjunction: bool) -> Callable[[Call], Node]:
    def build(call: Call) -> Node:
        call.refuse_keywords()
        call.count(1, 1)
        compiler = call.compiler
        compiler.over, compiler.vocabulary = "memories", vocabulary("memories")
        inner = compiler.truth(call.arguments[0])
        compiler.over, compiler.vocabulary = "links", vocabulary("links")
        yes, no = inner.run, inner.no or inner.run
        runs = (_at_ends(yes, conjunction), _at_ends(no, not conjunction))
        return truth(call.text(), *runs, [inner], frozenset({LINKS}))

    return build


def _at_ends(run: Run, conjunction: bool) -> Run:
    def answer(view: LinkView) -> Any:
        truths, links = run(view.memories), view.memories.edges()
        first, second = truths[links.source[view.edges]], truths[links.target[view.edges]]
        return first & second if conjunction else first | second

    return answer


def _function(
    signature: str, answers: Type, doc: str, build: Callable[[Call], Node], over: frozenset[Over] = MEMORIES
) -> Function:
    return Function(signature.split("(", 1)[0], over, signature, answers, doc, build)


FUNCTIONS = [
    _function("days(7)", "duration", "a number of days", _duration(DAY), BOTH),
    _function("hours(12)", "duration", "a number of hours", _duration(HOUR), BOTH),
    _function("minutes(5)", "duration", "a number of minutes", _duration(MINUTE), BOTH),
    _function("weeks(2)", "duration", "a number of weeks", _duration(7 * DAY), BOTH),
    _function(
        "turns(200)",
        "duration",
        "a number of turns, on the turns clock, which has no other",
        _duration(TURN, turns=True),
        BOTH,
    ),
    _function(
        "age(time, …)",
        "duration",
        "how long since the first of these times that is known; of learned_at if none",
        _build_age,
        BOTH,
    ),
    _function("latest(time, …)", "time", "the latest of those that are known", _build_extreme(np.fmax), BOTH),
    _function(
        "earliest(time, …)", "time", "the earliest of those that are known", _build_extreme(np.fmin), BOTH
    ),
    _function("uses(7)", "number", "how often it was recalled within 1 to 7 UTC days, today included", _uses),
    _function(
        "recency(hours(48))",
        "number",
        "1 at its last use, half of that after each half-life, unknown where that is; recency() fades by `decay` and"
        " ratings (elfmem)",
        _recency,
    ),
    _function(
        "of_category('half_life')",
        "number",
        "the number of this name that its category declares; unknown where it has none or the category does not",
        _of_category,
    ),
    _function(
        "score('self')",
        "number",
        "elfmem's score without a question, by the weights of self, attention, task or simulate",
        _build_score,
    ),
    _function(
        "feedback()",
        "number",
        "what ratings say of it, -1 to 1: (helped - failed) / max(helped + failed, 1)",
        _build_feedback,
    ),
    _function(
        "flagged('orphan')",
        "time",
        "when this flag was set; unknown where it is not, and where this plan sets it",
        _compile_flagged,
    ),
    _function("tagged('self/*')", "truth", "it bears this tag, or one that begins so", _compile_tagged),
    _function(
        "linked('supports', category='task', state='blocked', status='active', direction='in')",
        "truth",
        "a link of this relation ('*': any) joins it to such a memory, active unless a status is named",
        _compile_linked,
    ),
    _function(
        "declared(category)",
        "truth",
        "the policy declares its category; unknown if it has none",
        _compile_declared,
    ),
    _function("missing(x)", "truth", "x is not known", _make_known_compiler(False), BOTH),
    _function("known(x)", "truth", "x is known", _make_known_compiler(True), BOTH),
    _function(
        "coalesce(a, b, …)",
        "number",
        "the first of these that is known; also of times and durations",
        _build_coalesce,
        BOTH,
    ),
    _function("one(condition)", "number", "1 where it is true, 0 where it is false", _one, BOTH),
    _function("min(a, b, …)", "number", "the least; unknown if any is", _build_extreme(np.minimum), BOTH),
    _function("max(a, b, …)", "number", "the greatest; unknown if any is", _build_extreme(np.maximum), BOTH),
    _function("clamp(x, low, high)", "number", "x, held between two bounds", _build_clamp, BOTH),
    _function("ln(x)", "number", "the natural logarithm; unknown at zero and below", _curve(np.log), BOTH),
    _function("exp(x)", "number", "e to the power of x", _curve(np.exp), BOTH),
    _function("floor(x)", "number", "the greatest whole number up to x", _curve(np.floor), BOTH),
    _function("ceil(x)", "number", "the least whole number from x up", _curve(np.ceil), BOTH),
    _function("both(condition)", "truth", "the condition holds at both ends of the link", _ends(True), LINK),
    _function("either(condition)", "truth", "the condition holds at one end at least", _ends(False), LINK),
]

VOCABULARY = {
    over: Vocabulary(
        {word.name: word for word in (*_build_column_words(), *_of_links(), *_COMPUTED) if over in word.over},
        {function.name: function for function in FUNCTIONS if over in function.over},
    )
    for over in ("memories", "links")
}


def vocabulary(over: Over) -> Vocabulary:
    """Return the words for conditions over memories or over links."""
    return VOCABULARY[over]
