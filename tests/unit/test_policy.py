"""Policies: what a document says, how documents are put together, and what is wrong with a wrong one."""

from pathlib import Path

import pytest

import remanence
from remanence.core.clock import HOUR
from remanence.core.errors import NameUnknown, PolicyError
from remanence.core.model import Reason
from remanence.curate.policy.compiled import Policy, build_snapshot_request, load
from remanence.curate.policy.document import PRESETS
from remanence.curate.policy.rules import Keep

GOOD = """version = 1
name = "mine"

[[guard]]
name = "young"
where = "age(learned_at) < hours(24)"

[[rule]]
name = "old-notices"
every = "rapid"
phase = "expire"
where = "category == 'notification' and read and age(state_at, learned_at) > days(7)"
do = "prune"
because = "a read notice lives 7 days"

[[rule]]
name = "hot"
every = "rapid"
phase = "budgets"
where = "tier == 'hot'"
per = ["scope", "agent"]
order = "last_used desc"
keep = { tokens = 1600 }
do = "move"
to = "warm"
"""


def rule(policy: Policy, name: str) -> dict[str, object]:
    """Return what a rule says."""
    return next(dict(item.written) for item in policy.rules if item.name == name)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_compiles(name: str) -> None:
    """Every policy that ships compiles, says what it is for, and gives each rule its reason."""
    policy = load(name)

    assert name == policy.name
    assert policy.about
    assert all(item.because for item in policy.rules)
    assert all(item.because for item in policy.guards)
    assert build_snapshot_request(policy).columns >= {"status", "tier", "pinned"}


def test_default_destroys_by_age_alone() -> None:
    """The preset that newcomers try deletes only what is ephemeral, and tombstones: no budget does."""
    destroying = [item for item in load("default").rules if item.destroys]

    assert {"ended-sessions", "read-notices", "unread-notices", "tombstones"} == {
        item.name for item in destroying
    }
    assert not [item.name for item in destroying if item.has_window or "age" not in item.node.mentions]
    assert all("ephemeral" in item.where for item in destroying if item.do == "prune")


def test_default_took_the_place_of_tidy() -> None:
    """To name it, or to extend it, says so; what a file has stored of it still compiles, to what it was."""
    for source in ("tidy", 'version = 1\nextend = "tidy"\n'):
        with pytest.raises(PolicyError, match="'default' has taken its place") as caught:
            load(source)
        stored = load(source, stored=True)

        assert "default" in caught.value.recovery
        assert ["hot-budget", "keep-recent-episodes", "weak-links"] == [item.name for item in stored.rules]
    assert "tidy" not in PRESETS
    assert "`default` has taken its place" in load("tidy", stored=True).about


def test_a_rule_says_what_it_does() -> None:
    """Keys become what the planner needs; what is not written has its default."""
    policy = load(GOOD)
    hot, notices = policy.rules

    assert Keep("tokens", 1600) == hot.keep
    assert ("agent",) == hot.per
    assert Reason.EXPIRED == notices.reason
    assert ("move to warm beyond 1600 tokens per agent where tier == 'hot'") == hot.describe()
    assert "a read notice lives 7 days" in policy.describe()


def test_only_what_is_named_is_read() -> None:
    """A snapshot is asked for the columns, tags and links of the policy and no others."""
    asked = build_snapshot_request(load(GOOD))

    assert {"agent", "tokens", "used_at", "state_at"} <= asked.columns
    assert not asked.columns & {"seq", "scope", "speaker", "uses", "value"}
    assert (frozenset(), None) == (asked.tags, asked.links)


def test_actions_ask_for_what_they_change() -> None:
    """A merge needs links and counters, a flag its tag, a reinforcement its counter."""
    text = """version = 1
[[rule]]
name = "m"
every = "deep"
phase = "deduplicate"
over = "pairs"
where = "both(not tagged('self/*'))"
min = 0.97
do = "merge"
[[rule]]
name = "f"
every = "deep"
phase = "shrink"
where = "tokens > 500"
do = "flag"
to = "long"
[[rule]]
name = "r"
every = "deep"
phase = "reinforce"
where = "True"
top = 5
period = "40 hours"
do = "reinforce"
"""
    asked = build_snapshot_request(load(text))

    assert asked.links
    assert {"self/*", "flag/long"} == asked.tags
    assert {"value", "uses", "use_days", "confirmations", "reinforced", "reinforced_at"} <= asked.columns


def test_the_hash_is_of_what_is_said() -> None:
    """Comments, blanks and order do not matter; a number does, and so does an override of it."""
    head, guard, *rules = GOOD.split("\n\n")
    turned = "\n\n".join([head + "  # mine", *reversed(rules), guard])

    assert load(GOOD).hash == load(turned).hash
    assert load(GOOD).hash == load(GOOD, {"hot": {"because": "another sentence"}}).hash
    assert load(GOOD).hash != load(GOOD.replace("1600", "1700")).hash
    assert load(GOOD.replace("1600", "1700")).hash == load(GOOD, {"hot": {"keep": {"tokens": 1700}}}).hash


def test_a_policy_extends_a_preset_and_overrides_it() -> None:
    """An extended policy has the preset's rules, with other numbers where it says so, and without what it drops."""
    policy = load(
        """version = 1
extend = "default"
[[override]]
name = "store-budget"
keep = { tokens = 800 }
[[override]]
name = "weak-links"
off = true
"""
    )

    assert "weak-links" not in [item.name for item in policy.rules]
    assert [Keep("tokens", 800)] * 2 == [item.keep for item in policy.rules if item.ladder]
    assert {"store-budget": {"keep": {"tokens": 800}}, "weak-links": {"off": True}} == policy.overrides


def test_overrides_from_code_win() -> None:
    """What the caller overrides is put over what the document says."""
    policy = load("default", {"store-budget": {"keep": {"rows": 7}}, "grace": {"off": True}})

    assert {"rows": 7} == rule(policy, "store-budget/archive")["keep"]
    assert "grace" not in [item.name for item in policy.guards]


def test_categories_are_data() -> None:
    """A policy declares categories with states and abbreviations, and adds to those of every policy."""
    policy = load(
        """version = 1
[category.ticket]
states = ["new", "closed"]
terminal = ["closed"]
initial = "new"
aliases = { closed = "state == 'closed'" }
[alias]
quiet = "idle > days(3)"
[[rule]]
name = "closed"
every = "deep"
phase = "expire"
where = "category == 'ticket' and closed and quiet"
do = "archive"
"""
    )

    assert ("new", "closed") == policy.categories["ticket"].states
    assert {"state", "category", "used_at", "learned_at"} <= policy.rules[0].node.reads
    assert policy.categories["identity"].system


def test_no_policy_opens_a_system_category() -> None:
    """What the system needs stays guarded, whatever a policy declares."""
    with pytest.raises(PolicyError, match="is a system category"):
        load("version = 1\n[category.identity]\nsystem = false\n")


def test_an_unknown_preset_is_named_with_the_nearest() -> None:
    """A name that is no preset is refused."""
    with pytest.raises(NameUnknown) as caught:
        load("defalt")

    assert "'default'" in caught.value.recovery


RULE = '[[rule]]\nname = "r"\nevery = "deep"\nphase = "expire"\nwhere = "uses > 3"\ndo = "archive"\n'
V = "version = 1\n"
BEST = RULE.replace("expire", "reinforce").replace('"archive"', '"reinforce"')
PAIRS = (
    RULE.replace("expire", "deduplicate")
    .replace('"archive"', '"merge"\nover = "pairs"')
    .replace("uses > 3", "True")
)
# (document, part of the message, part of the recovery, line)
MALFORMED = (
    ("", "has no version", "version = 1", 1),
    ("version = 2\n", "version 2 is not known", "version = 1", 1),
    ("version = \n", "is not TOML", "mend the TOML", 1),
    (V + "colour = 3\n", "unknown key 'colour'", "use one of", 2),
    (V + "rule = 3\n", "must be a list", "[[rule]]", 2),
    (V + '[rule]\nname = "r"\n', "must be a list", "[[rule]]", 1),
    (V + 'extend = "defalt"\n', "unknown preset 'defalt'", "'default'", 2),
    (V + RULE.replace('name = "r"\n', ""), "has no 'name'", "add name", 2),
    (V + RULE.replace('every = "deep"\n', ""), "'r' has no 'every'", "add every", 2),
    (V + RULE.replace('phase = "expire"\n', ""), "'r' has no 'phase'", "add phase", 2),
    (V + RULE.replace('where = "uses > 3"\n', ""), "'r' has no 'where'", "add where", 2),
    (V + RULE.replace('do = "archive"\n', ""), "'r' has no 'do'", "add do", 2),
    (V + RULE.replace("deep", "daily"), "unknown every 'daily'", "rapid", 4),
    (V + RULE.replace("expire", "expires"), "unknown phase 'expires'", "'expire'", 5),
    (V + RULE.replace('"archive"', '"archiv"'), "unknown do 'archiv'", "'archive'", 7),
    (V + RULE.replace('"archive"', '"decay"'), "unknown do 'decay'", "archive", 7),
    (V + RULE + "wherre = 3\n", "unknown key 'wherre'", "'where'", 8),
    (V + RULE + RULE, "the name 'r' is taken", "own name", 9),
    (V + RULE.replace("uses > 3", "usess > 3"), "unknown column 'usess'", "'uses'", 6),
    (V + RULE.replace("uses > 3", "category == 'tsk'"), "undeclared category 'tsk'", "'task'", 6),
    (
        V + RULE.replace('where = "uses > 3"', 'where = """\nuses > 3 and\n  pined"""'),
        "unknown column 'pined'",
        "'pinned'",
        8,
    ),
    (V + RULE.replace("expire", "links"), "is not done in phase 'links'", "expire", 7),
    (
        V + RULE.replace('"archive"', '"move"').replace("expire", "tiers"),
        "does not say where to move",
        "add to",
        2,
    ),
    (V + RULE + 'to = "warm"\n', "'archive' has no target", "leave `to` out", 8),
    (
        V + RULE.replace('"archive"', '"move"').replace("expire", "tiers") + 'to = "archive"\n',
        "cannot move to 'archive'",
        "do = 'archive'",
        8,
    ),
    (
        V + RULE.replace('"archive"', '"transition"') + 'to = "staale"\n',
        "cannot transition to 'staale'",
        "'stale'",
        8,
    ),
    (V + RULE + "keep = { rows = 5, tokens = 5 }\n", "one of rows, tokens, words or share", "rows = 200", 8),
    (V + RULE + "keep = { row = 5 }\n", "unknown unit 'row'", "'rows'", 8),
    (V + RULE + "keep = { rows = -1 }\n", "rows must be a number from 0 up", "rows = 200", 8),
    (V + RULE + "keep = { share = 2 }\n", "a share is between 0 and 1", "0.9", 8),
    (
        V + RULE.replace("uses > 3", "tier == 'hot'") + "keep = { share = 0.5 }\n",
        "would shrink with every run",
        "rows or tokens",
        8,
    ),
    (
        V + RULE.replace("archive", "prune") + "keep = { share = 0.5 }\n",
        "would shrink with every run",
        "archive instead",
        8,
    ),
    (V + RULE + "keep = { rows = 5 }\ntop = 5\n", "has both keep and top", "beyond", 9),
    (V + RULE + "top = 2.5\n", "top must be a whole number", "top = 5", 8),
    (V + RULE + 'order = "uses desc"\n', "does nothing without keep or top", "keep", 8),
    (V + RULE + 'top = 5\norder = "pinned desc"\n', "cannot sort by a condition", "number", 9),
    (V + RULE + 'top = 5\nper = ["agnt"]\n', "cannot keep or take a number per 'agnt'", "'agent'", 9),
    (V + RULE + 'over = "links"\n', "'archive' is not done over links", "memories", 8),
    (
        V + RULE.replace('"archive"', '"unlink"').replace("expire", "links"),
        "'unlink' is not done over memories",
        "links",
        7,
    ),
    (V + RULE + 'period = "40 hours"\n', "only reinforce and top have a period", "leave it out", 8),
    (V + RULE + 'reason = "bored"\n', "unknown reason 'bored'", "decayed", 8),
    (
        V + RULE.replace("uses > 3", "tier == 'archive'"),
        "looks at active and inbox memories only",
        "status == 'archived'",
        6,
    ),
    (V + RULE + '[[override]]\nname = "s"\noff = true\n', "no rule or guard 's'", "use one of", 9),
    (
        V + '[[guard]]\nname = "g"\nwhere = "pinned"\nblocks = "purges"\n',
        "unknown blocks 'purges'",
        "move",
        5,
    ),
    (V + '[category.x]\nstates = ["a"]\nterminal = ["b"]\n', "terminal 'b' is not a state", "a", 4),
    (V + '[category.x]\ncolor = "a"\n', "unknown key 'color'", "use one of", 3),
    (V + '[category.x]\naliases = { uses = "pinned" }\n', "'uses' cannot be an alias", "plain word", 3),
    (V + '[category.x]\naliases = { odd = "pined" }\n', "unknown column 'pined'", "'pinned'", 3),
    (V + '[alias]\nread = "pinned"\n', "alias 'read' means something else", "another word", 3),
)


@pytest.mark.parametrize(
    ("aliases", "circle"),
    [
        ('p = "p"', "p → p"),
        ('p = "q"\nq = "not r"\nr = "q or p"', "q → r → q"),
    ],
)
def test_an_alias_that_stands_for_itself_is_named_with_its_circle(aliases: str, circle: str) -> None:
    """Whoever wrote the aliases sees which lead back to themselves."""
    with pytest.raises(PolicyError, match=f"(?m)an alias refers to itself: {circle}$"):
        load(V + f"[alias]\n{aliases}\n" + RULE.replace("uses > 3", "p"))


@pytest.mark.parametrize(
    ("text", "message", "recovery", "line"), MALFORMED, ids=[message for _, message, _, _ in MALFORMED]
)
def test_a_wrong_policy_says_what_to_do(text: str, message: str, recovery: str, line: int) -> None:
    """Each mistake is one error with its line, what is wrong, and what to write instead."""
    with pytest.raises(PolicyError) as caught:
        load(text or "\n")

    assert message in str(caught.value)
    assert recovery in caught.value.recovery
    assert line == caught.value.line


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"hott-budget": {"off": True}}, "no rule or guard 'hott-budget'"),
        ({"store-budget": {"keeps": 3}}, "unknown key 'keeps'"),
        ({"store-budget": 3}, "is not a mapping"),
        ({"store-budget": {"off": "yes"}}, "off must be true or false"),
        ({"grace": {"do": "prune"}}, "unknown key 'do'"),
    ],
)
def test_a_wrong_override_says_so(overrides: dict[str, dict[str, object]], message: str) -> None:
    """What the caller overrides is checked like a document."""
    with pytest.raises(PolicyError, match=message):
        load("default", overrides)


def test_the_errors_column_is_inside_the_quotes() -> None:
    """The place of a mistake in a condition is the mistake's, not the line's."""
    with pytest.raises(PolicyError) as caught:
        load(V + RULE.replace("uses > 3", "uses > 3 and pined"))

    written = caught.value
    line = (V + RULE.replace("uses > 3", "uses > 3 and pined")).splitlines()[written.line - 1]
    assert line[written.column - 1 :].startswith("pined")


TOP = 'version = 1\n[[rule]]\nname = "r"\nevery = "deep"\nphase = "{}"\ndo = "{}"\nwhere = "{}"\ntop = 3\n{}'
UNSETTLED = [
    ("value", "archive", "True", ""),
    ("value", "archive", "status in ('active', 'archived')", ""),
    ("value", "prune", "kind == 'episodic'", ""),
    ("purge", "purge", "True", ""),
    ("value", "move", "tier != 'hot'", 'to = "hot"\n'),
    ("value", "move", "age(tier_at) > days(1)", 'to = "hot"\n'),
    ("value", "move", "True", 'to = "hot"\norder = "tier desc"\n'),
    ("value", "move", "True", 'to = "hot"\nper = ["tier"]\n'),
    ("value", "transition", "lifecycle == 'candidate'", 'to = "stale"\n'),
    ("value", "transition", "missing(state_at)", 'to = "completed"\ncolumn = "state"\n'),
    ("value", "flag", "not tagged('flag/*')", 'to = "seen"\n'),
]
SETTLED = [
    ("value", "move", "kind == 'episodic'", 'to = "hot"\norder = "value desc"\n'),
    ("value", "transition", "uses > 3", 'to = "active"\nper = ["kind"]\n'),
    ("value", "transition", "lifecycle == 'stale'", 'to = "completed"\ncolumn = "state"\n'),
    ("value", "flag", "tagged('flag/other')", 'to = "seen"\n'),
]


@pytest.mark.parametrize(("phase", "do", "where", "more"), UNSETTLED)
def test_a_top_that_never_settles_needs_a_period(phase: str, do: str, where: str, more: str) -> None:
    """Where the action changes what the rule itself looks at, the first three are others each time: it is refused."""
    written = TOP.format(phase, do, where, more)

    with pytest.raises(PolicyError, match="others each time") as caught:
        load(written)

    assert ":8:" in str(caught.value)
    assert 'period = "40 hours"' in caught.value.recovery
    assert 40 * HOUR == load(written + 'period = "40 hours"\n').rules[0].period


@pytest.mark.parametrize(("phase", "do", "where", "more"), SETTLED)
def test_a_top_that_settles_needs_none(phase: str, do: str, where: str, more: str) -> None:
    """Where the action changes nothing that the rule looks at, the first three are the same ones each time."""
    assert load(TOP.format(phase, do, where, more)).rules[0].period is None


def test_half_a_character_is_replaced_in_a_policy() -> None:
    """A policy is hashed and stored as UTF-8, which has none; in a condition the replacement means nothing."""
    policy = load("default", {"store-budget": {"because": "\ud800"}})

    assert "\ufffd" in [rule.because for rule in policy.rules]
    with pytest.raises(PolicyError):
        load("default", {"store-budget": {"where": "\ud800"}})


def test_the_presets_are_the_policies_that_ship() -> None:
    """Each has a file, each file but the categories is one; what is recommended is offered first."""
    files = {
        path.stem for path in Path(remanence.__file__).parent.joinpath("curate", "presets").glob("*.toml")
    }

    assert {*PRESETS, "categories"} == files
    assert "default" == PRESETS[0]


@pytest.mark.parametrize(
    ("keys", "complaint"),
    [
        ("links = 101", "percentage"),
        ("links = true", "whole number"),
        ("lifecycle = 1", "true or false"),
        ('leaves_out = ["old"]', "cannot leave out 'old'"),
        ('leaves_out = "stale"', "list of names"),
        ("link = 5", "unknown key 'link'"),
    ],
)
def test_a_wrong_key_of_recall_is_refused(keys: str, complaint: str) -> None:
    """Each wrong value has one clear error with its line."""
    with pytest.raises(PolicyError, match=complaint) as refused:
        load(f'version = 1\nname = "some"\n[recall]\n{keys}\n')

    assert refused.value.recovery
    assert refused.value.line in (3, 4)


def test_what_a_policy_says_of_recall_is_described_extended_and_hashed() -> None:
    """A policy that extends another keeps its keys of recall, may change them, and has another hash then."""
    some = load('version = 1\nextend = "engram"\n')
    other = load('version = 1\nextend = "engram"\n[recall]\nlinks = 10\n')

    assert {"links": 5, "lifecycle": True} == some.recall.to_dict()
    assert {"links": 10, "lifecycle": True} == other.recall.to_dict()
    assert some.hash != other.hash
    assert "linked memories gain up to 10 percent" in other.describe()
