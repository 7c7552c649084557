"""What a rule may say, at each bound, and what a policy says of itself."""

from typing import Any

import pytest

from remanence.core.clock import DAY, HOUR, MINUTE
from remanence.core.errors import PolicyError
from remanence.curate.policy.compiled import build_snapshot_request, load
from remanence.curate.policy.rules import Keep

V = "version = 1\n"
RULE = '[[rule]]\nname = "r"\nevery = "deep"\nphase = "expire"\nwhere = "uses > 3"\ndo = "archive"\n'
BEST = RULE.replace("expire", "reinforce").replace("archive", "reinforce")
PAIRS = (
    RULE.replace("expire", "deduplicate")
    .replace('"archive"', '"merge"\nover = "pairs"')
    .replace("uses > 3", "True")
)
FLAG = RULE.replace("archive", "flag")


def _rule(text: str) -> Any:
    """Return the rule that a text says beside those of every policy."""
    (rule,) = [rule for rule in load(V + text).rules if rule.name == "r"]
    return rule


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        (RULE + "keep = { rows = 0 }\n", "keep", Keep("rows", 0)),
        (RULE + "keep = { rows = 9007199254740992 }\n", "keep", Keep("rows", 2**53)),
        (RULE + "keep = { share = 0 }\n", "keep", Keep("share", 0)),
        (RULE + "keep = { share = 1 }\n", "keep", Keep("share", 1)),
        (RULE + "keep = { share = 1.0 }\n", "keep", Keep("share", 1.0)),
        (BEST + "top = 0\n", "top", 0),
        (BEST + "top = 9007199254740992\n", "top", 2**53),
        (PAIRS + "min = 0\n", "pair_min", 0.0),
        (PAIRS + "min = 1\n", "pair_min", 1.0),
        (RULE, "pair_min", 1.0),
        (FLAG + f'to = "{"x" * 60}"\n', "to", "x" * 60),
        (FLAG + 'to = "a-b_c.1"\n', "to", "a-b_c.1"),
    ],
)
def test_a_bound_is_within(text: str, name: str, value: object) -> None:
    """What may just be said is taken as it is said."""
    assert value == getattr(_rule(text), name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RULE + "keep = { rows = 9007199254740993 }\n", "rows must be a number"),
        (RULE + "keep = { rows = true }\n", "rows must be a number"),
        (RULE + "keep = { rows = 1.5 }\n", "rows must be a number"),
        (RULE + 'keep = { rows = "5" }\n', "rows must be a number"),
        (RULE + "keep = { share = true }\n", "share must be a number"),
        (RULE + "keep = { share = 1.001 }\n", "a share is between 0 and 1"),
        (RULE + "keep = 5\n", "one of rows, tokens, words or share"),
        (RULE + "top = 9007199254740993\n", "top must be a whole number"),
        (RULE + "top = true\n", "top must be a whole number"),
        (RULE + "top = -1\n", "top must be a whole number"),
        (PAIRS + "min = 1.001\n", "min must be between 0 and 1"),
        (PAIRS + "min = -0.001\n", "min must be between 0 and 1"),
        (PAIRS + "min = true\n", "min must be between 0 and 1"),
        (PAIRS + 'min = "0.9"\n', "min must be between 0 and 1"),
        (PAIRS, "does not say how sure a pair must be"),
        (RULE + "min = 0.9\n", "only a rule over pairs"),
        (RULE + 'column = "state"\n', "only a transition names a column"),
        (BEST + 'reason = "expired"\n', "only archive and prune have a reason"),
        (RULE + 'top = 5\nper = "agent"\n', "must be a list of names"),
        (RULE + 'top = 5\nper = ["agent", 3]\n', "must be a list of names"),
        (RULE + 'top = 5\nper = [""]\n', "must be a list of names"),
        (FLAG, "does not say where to flag"),
        (FLAG + 'to = "a b"\n', "cannot be a flag"),
        (FLAG + f'to = "{"x" * 61}"\n', "cannot be a flag"),
        (FLAG + 'to = ""\n', "must be a text"),
        (PAIRS + "min = 0.9\ntop = 5\n", "has no window"),
        (PAIRS + "min = 0.9\nkeep = { rows = 5 }\n", "has no window"),
        (BEST + 'period = "0 hours"\n', "is not a period"),
        (BEST + 'period = "1000001 hours"\n', "is not a period"),
        (BEST + 'period = "-1 hours"\n', "is not a period"),
        (BEST + 'period = "1 fortnights"\n', "is not a period"),
        (BEST + 'period = "40 turns"\n', "does not count turns"),
        (BEST + 'clock = "turns"\nperiod = "40 hours"\n', "does not count hours"),
        (BEST + 'clock = "turns"\n', "after how many turns"),
        (BEST + 'clock = "moon"\n', "unknown clock"),
    ],
)
def test_beyond_a_bound_nothing_is_taken(text: str, message: str) -> None:
    """It is refused with what it is, and what to write."""
    with pytest.raises(PolicyError, match=message) as refused:
        load(V + text)

    assert refused.value.recovery


@pytest.mark.parametrize(
    ("written", "micros"),
    [
        ("1 minute", MINUTE),
        ("30 minutes", 30 * MINUTE),
        ("1.5 hours", 90 * MINUTE),
        ("2 days", 2 * DAY),
        ("1 week", 604_800_000_000),
        ("0.25 weeks", 42 * HOUR),
        ("1000000 hours", 1_000_000 * HOUR),
    ],
)
def test_a_period_is_counted_in_microseconds(written: str, micros: int) -> None:
    """Of each unit, whole or in parts, up to a million."""
    assert micros == _rule(BEST + f'period = "{written}"\n').period


@pytest.mark.parametrize(
    ("every", "minutes"), [("rapid", 5), ("standard", 15), ("hourly", 60), ("deep", 360)]
)
def test_a_rule_that_reinforces_acts_once_in_its_interval(every: str, minutes: int) -> None:
    """Where it names no period of its own; any other rule has none."""
    assert minutes * MINUTE == _rule(BEST.replace("deep", every)).period
    assert None is _rule(RULE.replace("deep", every)).period


def test_a_turn_is_an_hour_of_its_clock() -> None:
    """A period in turns is kept like one in hours."""
    rule = _rule(BEST + 'clock = "turns"\nperiod = "200 turns"\n')

    assert 200 * HOUR == rule.period
    assert "once in 200 turns" in rule.describe()
    assert rule.describe().endswith("on the turns clock")


@pytest.mark.parametrize(
    ("text", "described"),
    [
        (RULE, "archive where uses > 3"),
        (
            RULE + 'top = 5\nperiod = "40 hours"\n',
            "archive the first 5 once in 40 hours where uses > 3",
        ),
        (RULE + "keep = { share = 0.5 }\n", "archive beyond 0.5 share where uses > 3"),
        (
            RULE + 'keep = { rows = 7 }\nper = ["agent", "thread"]\n',
            "archive beyond 7 rows per agent, thread where uses > 3",
        ),
        (PAIRS + "min = 0.9\n", "merge pairs where True"),
        (FLAG + 'to = "odd"\n', "flag to odd where uses > 3"),
        (
            RULE.replace("archive", "transition") + 'to = "stale"\n',
            "transition lifecycle to stale where uses > 3",
        ),
        (RULE + 'clock = "active"\n', "archive where uses > 3 on the active clock"),
    ],
)
def test_a_rule_is_described_by_what_it_says(text: str, described: str) -> None:
    """And by nothing that it leaves out."""
    assert described == _rule(text).describe()


CLOCKED = V + 'clock = "active"\ninterval = "40 hours"\nabout = "What this is for."\n'


def test_a_policy_describes_itself() -> None:
    """Its purpose, when it runs by itself, its guards and its rules, each with its reason."""
    guard = '[[guard]]\nname = "mine"\nwhere = "disputes > 0"\nblocks = "archive"\nbecause = "somebody denied it"\n'
    lines = load(CLOCKED + guard + RULE).describe().splitlines()

    assert "What this is for." == lines[1]
    assert "runs by itself every 40 active hours" == lines[2]
    assert "guard mine: never archive, merge, delete where disputes > 0 on the active clock" in lines
    assert "    because somebody denied it" in lines
    assert "rule r (expire, deep): archive where uses > 3 on the active clock" in lines
    assert "" == load(V + RULE).describe().splitlines()[1]
    assert (
        "guard mine: never archive, merge, delete where disputes > 0"
        in load(V + guard + RULE).describe().splitlines()
    )


def test_a_clock_and_an_interval_are_part_of_what_is_said() -> None:
    """Each makes another policy; the wall's clock is the one of a policy that names none."""
    hashes = [
        load(V + head + RULE).hash
        for head in (
            "",
            'clock = "wall"\n',
            'clock = "active"\n',
            'interval = "1 hours"\n',
            'interval = "2 hours"\n',
        )
    ]

    assert hashes[0] == hashes[1]
    assert 4 == len(set(hashes))
    assert all(len(found) == 32 for found in hashes)


def test_a_policy_that_runs_by_itself_needs_its_clock() -> None:
    """A snapshot is asked for the clocks that are named; the wall's is always there."""
    assert frozenset() == build_snapshot_request(load(V + RULE)).clocks
    assert frozenset() == build_snapshot_request(load(V + 'clock = "active"\n')).clocks - {"active"}
    assert (
        frozenset({"active"})
        == build_snapshot_request(
            load(CLOCKED + RULE.replace("uses > 3", "True") + 'clock = "wall"\n')
        ).clocks
    )
    assert frozenset({"turns"}) == build_snapshot_request(load(V + RULE + 'clock = "turns"\n')).clocks


def test_what_a_policy_extends_it_takes_over() -> None:
    """Clock and interval among them; what it says itself goes before."""
    tidy = load("default")
    mine = load(V + 'extend = "default"\ninterval = "7 hours"\n')

    assert (tidy.clock, 7 * HOUR) == (mine.clock, mine.interval)
    assert [rule.name for rule in tidy.rules] == [rule.name for rule in mine.rules]
    assert ("policy", "default") == (mine.name, tidy.name)
    assert "named" == load(V + 'name = "named"\n').name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rule = 3\n", "must be a list"),
        ("category = 3\n", "must be a table"),
        ("[[category]]\nstates = []\n", "must be a table"),
        ("[[alias]]\nx = 'uses > 1'\n", "must be a table"),
        ("guard = [3]\n", "must be tables"),
        ('[category.x]\nsystem = "no"\n', "system must be true or false"),
        ('[category.x]\nstates = ["a"]\ninitial = "b"\n', "initial 'b'"),
        ("[alias]\nx = 3\n", "must be a text"),
        ("[category.x]\naliases = { 'a b' = 'uses > 1' }\n", "cannot be an alias"),
        ("[alias]\nweight = 'uses > 1'\n", "cannot be an alias"),
    ],
)
def test_what_is_no_policy_says_so(text: str, message: str) -> None:
    """A key of another shape is refused where it stands."""
    with pytest.raises(PolicyError, match=message) as refused:
        load(V + text)

    assert refused.value.recovery


def test_true_is_no_version() -> None:
    """Though Python takes it for 1."""
    with pytest.raises(PolicyError, match="is not known"):
        load("version = true\n")


def test_a_category_keeps_what_a_later_document_leaves_out() -> None:
    """System categories stay so; others may say that they are none."""
    policy = load(
        V
        + '[category.identity]\nstates = ["new"]\n'
        + '[category.ticket]\nsystem = false\nstates = ["a", "b"]\nterminal = ["b"]\ninitial = "a"\n'
    )
    ticket = policy.categories["ticket"]

    assert policy.categories["identity"].system
    assert (False, ("a", "b"), ("b",), "a") == (ticket.system, ticket.states, ticket.terminal, ticket.initial)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("version = 1\nname = \n", 2, 8),
        ('version = 1\nabout = "x', 2, 1),
        ("version = 1\n\n[[rule\n", 3, 7),
    ],
)
def test_what_is_not_toml_is_pointed_at(text: str, line: int, column: int) -> None:
    """By line and column; at its last line where it just ends."""
    with pytest.raises(PolicyError, match="is not TOML") as refused:
        load(text)

    assert (line, column) == (refused.value.line, refused.value.column)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (V + RULE.replace('"archive"', '"archiv"'), 7, 7),
        (V + RULE + "top = 2.5\n", 8, 7),
        (V + RULE + "  top   =   2.5\n", 8, 13),
        (V + RULE + "[[rule]]\n", 8, 1),
        (V + RULE.replace('"uses > 3"', '"""\nuses >> 3"""'), 7, 1),
        (V + RULE.replace('"uses > 3"', '"""uses >> 3"""'), 6, 12),
        (V + RULE.replace('"uses > 3"', "'uses >> 3'"), 6, 10),
        (V + RULE.replace('"uses > 3"', "'''\nuses > 3 and\n  uses >> 3'''"), 8, 3),
    ],
)
def test_a_mistake_is_pointed_at_where_it_stands(text: str, line: int, column: int) -> None:
    """Inside the quotes, and below them where the text begins on the next line."""
    with pytest.raises(PolicyError) as refused:
        load(text)

    assert (line, column) == (refused.value.line, refused.value.column)
