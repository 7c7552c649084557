"""A policy: guards and rules compiled from TOML, frozen, with a hash that says what it is.

Knows how policies are put together (presets, extend, override); knows nothing of plans.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from remanence.core.clock import HOUR, format_duration
from remanence.core.effects import NO_SHORTER, NO_SUMMARY, STANDING_COLUMNS, describe_blocks
from remanence.core.errors import PolicyError, suggest
from remanence.core.keywords import CadenceName
from remanence.core.model import STANDING, PolicyClass, Trust
from remanence.core.results import Result, encode_json_value, number
from remanence.core.snapshot import LINK_COLUMNS, TAG, Among, Holds, SnapshotRequest
from remanence.core.timescale import ClockName
from remanence.curate.language.array_logic import only_both
from remanence.curate.language.expression import PolicyNames, SourcePosition, condition
from remanence.curate.language.view import AGENTS, FAR, LINKS, OF_LINKS, TAGGED_AT, Node, reads_of
from remanence.curate.language.vocabulary import vocabulary
from remanence.curate.policy.document import (
    ALWAYS,
    FORMER,
    PRESETS,
    PolicyDocument,
    Table,
    parse,
    parse_preset,
)
from remanence.curate.policy.rules import (
    EVERY,
    GUARD_KEYS,
    HOURS,
    RULE_KEYS,
    Guard,
    Rule,
    build_flag_rule,
    clock,
    compile_guard,
    compile_rule,
    count,
    duration,
    flag,
    numbers_of,
    rungs,
    text,
    texts,
)

VERSION = 1
EXTENDS_MAX = 8
_TOP_KEYS = (
    "version",
    "name",
    "about",
    "extend",
    "clock",
    "interval",
    "guard",
    "rule",
    "override",
    "category",
    "alias",
    "recall",
)
_WITHIN = "confirm_within"
_RECALL_KEYS = ("links", "lifecycle", "leaves_out", _WITHIN)
LEFT_OUT = ("archived", "stale")  # what a recall may leave out
_CATEGORY_KEYS = ("states", "terminal", "initial", "aliases", "numbers", "system", "policy_class", "about")

# What guards, brake and the bookkeeping of changes need whatever a policy says.
_ENGINE_COLUMNS = STANDING_COLUMNS | {"category", "pinned", "hold_until", "learned_at"}


@dataclass(frozen=True, slots=True)
class Category:
    """What a category declares: its states, the first and the last of them, short names of conditions, and numbers.

    What arrives in it is of its `policy_class`. A `system` category is never archived or destroyed by a rule, and no
    policy can change that.
    """

    name: str
    states: tuple[str, ...] = ()
    terminal: tuple[str, ...] = ()
    initial: str | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    system: bool = False
    about: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)
    policy_class: PolicyClass = PolicyClass.DURABLE


@dataclass(frozen=True, slots=True)
class RecallRules:
    """What a policy says of recall, None where it says nothing; a setting of the scope stands above it.

    `links` is the percent of the best score that links add at most, `lifecycle` whether the lifecycle of a memory
    raises or lowers its score, `leaves_out` what of `LEFT_OUT` is not found unasked. `confirm_within` maps the label of
    a trust to how long, in microseconds, such a memory is shown without a mark that nobody said or confirmed it since.
    """

    links: int | None = None
    lifecycle: bool | None = None
    leaves_out: tuple[str, ...] | None = None
    confirm_within: Mapping[str, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what is said, by key."""
        return {key: getattr(self, key) for key in _RECALL_KEYS if getattr(self, key) is not None}

    def describe(self) -> list[str]:
        """Say it in words, a line each."""
        lines = (
            [f"recall: linked memories gain up to {self.links} percent of the best score"]
            if self.links
            else []
        )
        lines += ["recall: the lifecycle of a memory raises or lowers its score"] if self.lifecycle else []
        lines += [f"recall: leaves out what is {' or '.join(self.leaves_out)}"] if self.leaves_out else []
        lines += [
            f"recall: marks what was said with the trust {trust} and not confirmed for {format_duration(micros)}"
            for trust, micros in (self.confirm_within or {}).items()
        ]
        return lines


@dataclass(frozen=True, repr=False)
class Policy(Result):
    """Guards and rules, compiled; `hash` is the same for the same rules, however they are written and ordered.

    `source` is what `load` took; with the same `overrides` it gives this policy again. `clock` is that of rules and
    guards which name none; `interval`, in microseconds of that clock, is how often the policy runs by itself, None if
    only when asked. `recall` says what it wants of recall.
    """

    name: str
    source: str
    about: str
    guards: tuple[Guard, ...]
    rules: tuple[Rule, ...]
    categories: Mapping[str, Category]
    aliases: Mapping[str, str] = field(default_factory=dict)
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    clock: ClockName = "wall"
    interval: int | None = None
    recall: RecallRules = RecallRules()

    def to_dict(self) -> dict[str, Any]:
        """Return what it is called and where it comes from, and the names of its guards and rules."""
        names = ("name", "hash", "about", "clock", "interval", "overrides")
        return {
            **{name: encode_json_value(getattr(self, name)) for name in names},
            "guards": [guard.name for guard in self.guards],
            "rules": [rule.name for rule in self.rules],
            "recall": self.recall.to_dict(),
        }

    def __str__(self) -> str:
        rules = number(len(self.rules), "rule", "rules")
        return f"{self.name}: {rules}, {number(len(self.guards), 'guard', 'guards')}"

    def is_system(self, category: str | None) -> bool:
        """Return True if the system itself needs this category."""
        definition = self.categories.get(category or "")
        return definition is not None and definition.system

    @cached_property
    def hash(self) -> str:
        """Return 32 hex digits over all that the policy does; its sentences for people do not count."""
        content = {
            "version": VERSION,
            "guards": {guard.name: _drop_explanation(guard.written) for guard in self.guards},
            "rules": {rule.name: _drop_explanation(rule.written) for rule in self.rules},
            "aliases": dict(self.aliases),
            "categories": {
                name: [item.states, item.terminal, item.initial, dict(item.aliases), item.system]
                for name, item in self.categories.items()
            },
        }
        # Only where it is said, so that what says nothing of these has the hash that it always had.
        content |= {"clock": self.clock} if self.clock != "wall" else {}
        content |= {"interval": self.interval} if self.interval is not None else {}
        content |= {"recall": recall} if (recall := self.recall.to_dict()) else {}
        numbers = {name: dict(item.numbers) for name, item in self.categories.items() if item.numbers}
        content |= {"numbers": numbers} if numbers else {}
        content["policy_classes"] = {name: item.policy_class.label for name, item in self.categories.items()}
        return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()

    @cached_property
    def _snapshot_request(self) -> SnapshotRequest:
        return _collect_snapshot_request(self)

    @cached_property
    def _affected_filter(self) -> Among | None:
        if any(rule.over == "links" for rule in self.rules) or any(
            LINKS in node.reads and node.mentions & FAR for node in _on_memories(self)
        ):
            return None
        return _collect_affected_filter(self)

    @cached_property
    def _parts(self) -> dict[CadenceName, "Policy"]:
        return {}

    def part(self, cadence: CadenceName) -> "Policy":
        """Return the part that a cadence judges: its rules and those of quicker ones, under all guards."""
        if cadence not in self._parts:
            rules = tuple(rule for rule in self.rules if EVERY[rule.every] <= EVERY[cadence])
            self._parts[cadence] = self if len(rules) == len(self.rules) else replace(self, rules=rules)
        return self._parts[cadence]

    def describe(self) -> str:
        """Say in words what the policy does, for a person."""
        lines = [f"{self}, {self.hash[:12]}"]
        lines += [self.about] if self.about else []
        lines += (
            [f"runs by itself every {self.interval / HOUR:g} {HOURS[self.clock]}"] if self.interval else []
        )
        lines += [*self.recall.describe(), ""]
        for guard in self.guards:
            on = "" if guard.clock == "wall" else f" on the {guard.clock} clock"
            lines += [
                f"guard {guard.name}: {describe_blocks(guard.blocks)} where {guard.where}{on}",
                *_render_reason(guard.because),
            ]
        for rule in self.rules:
            lines += [
                f"rule {rule.name} ({rule.phase}, {rule.every}): {rule.describe()}",
                *_render_reason(rule.because),
            ]
        return "\n".join(lines)


def _drop_explanation(written: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in written.items() if key != "because"}


def _render_reason(because: str) -> list[str]:
    return [f"    because {because}"] if because else []


def load(
    source: str,
    overrides: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    file: str = "policy",
    stored: bool = False,
) -> Policy:
    """Compile a policy from a preset's name or a TOML text; raise PolicyError or NameUnknown where it is wrong.

    `overrides` maps the names of rules and guards to keys and their new values; `{"off": True}` drops one. Errors of a
    text name `file`. What a file has `stored` may rest on presets that ship no more.
    """
    if not isinstance(overrides or {}, Mapping):
        raise PolicyError("the overrides are not a mapping", recovery="pass {'rule-name': {'key': value}}")
    is_text = "\n" in source or "=" in source or not source.strip()
    if not is_text and not overrides:
        return _preset(source, stored=stored)
    return _compile_source(source, overrides or {}, file if is_text else "", stored=stored)


@lru_cache(maxsize=64)  # more than ship, under the names of today and of before
def _preset(source: str, *, stored: bool) -> Policy:
    """Compile a preset once: nothing changes it while the process lives."""
    return _compile_source(source, {}, "", stored=stored)


def _compile_source(
    source: str, overrides: Mapping[str, Mapping[str, Any]], file: str, *, stored: bool
) -> Policy:
    """Compile a text that errors call `file`, or without one the preset that is named."""
    name = source.strip()
    document = parse(source, file) if file else parse_preset(name, stored=stored)
    draft = _PolicyBuilder("policy" if file else name, stored=stored)
    draft.include(parse_preset(ALWAYS), 0)
    draft.include(document, 0)
    draft.override(_parse_overrides(overrides))
    return draft.policy(document.top, source)


def build_snapshot_request(policy: Policy) -> SnapshotRequest:
    """Say what of a scope must be read to plan with this policy: what it names, and what every plan needs."""
    return policy._snapshot_request  # noqa: SLF001 # worked out once for each policy, by this module


def _collect_snapshot_request(policy: Policy) -> SnapshotRequest:
    nodes = [node for rule in policy.rules for node in rule.nodes] + [guard.node for guard in policy.guards]
    reads = set(reads_of(nodes)) | _ENGINE_COLUMNS
    tags = {name.removeprefix("tag:") for name in reads if name.startswith("tag:")}
    for rule in policy.rules:
        reads |= rule.changes | rule.needs | ({"policy_class"} if rule.expires_by_age else set())
        tags |= {rule.tag} - {""} | ({NO_SHORTER, NO_SUMMARY} if rule.effect.needs_text else set())
    tagged_at = {name.removeprefix(TAGGED_AT) for name in reads if name.startswith(TAGGED_AT)}
    columns = frozenset(
        name
        for name in reads
        if name not in {LINKS, AGENTS, "seq"} and not name.startswith(("tag:", OF_LINKS, TAGGED_AT))
    )
    clocks = {rule.clock for rule in policy.rules} | {guard.clock for guard in policy.guards}
    clocks |= {policy.clock} if policy.interval is not None else set()
    return SnapshotRequest(
        columns,
        frozenset(tags),
        _wanted_of_links(policy, reads),
        frozenset(clocks - {"wall"}),
        tagged_at=frozenset(tagged_at),
        agents=AGENTS in reads,
    )


def build_affected_filter(policy: Policy) -> Among | None:
    """Say which memories alone the rules can do anything to; None for any, and where a rule cuts links.

    What no rule chooses no rule changes, so that none chooses it later in the run either. Where conditions read links,
    they read no more than the other ends of those that these memories have.
    """
    return policy._affected_filter  # noqa: SLF001 # the same


def concerned_beside_links(policy: Policy) -> Among | None:
    """Say the same where rules may cut links between what stands; None where any memory counts.

    That is where a condition on memories reads links, and where two memories become one.
    """
    return None if LINKS in reads_of(_on_memories(policy)) else _collect_affected_filter(policy)


def _on_memories(policy: Policy) -> list[Node]:
    rules = [rule for rule in policy.rules if rule.over == "memories"]
    return [node for rule in rules for node in rule.nodes] + [guard.node for guard in policy.guards]


def _collect_affected_filter(policy: Policy) -> Among | None:
    over_links = [rule for rule in policy.rules if rule.over == "links"]
    others = [rule for rule in policy.rules if rule.over == "memories"]
    if len(over_links) + len(others) < len(policy.rules):
        return None
    filters = [_find_eligible(rule) for rule in others] + [{"status": STANDING}] * bool(over_links)
    return _select_widest(filters) if all(filters) else None


def _select_widest(found: Iterable[Holds]) -> Among:
    """Leave out what means no memory that another one does not mean."""
    among: list[Holds] = []
    for holds in found:
        if not any(_means_all_of(one, holds) for one in among):
            among = [one for one in among if not _means_all_of(holds, one)] + [holds]
    return tuple(among)


def _means_all_of(one: Holds, other: Holds) -> bool:
    """True if each memory that the other describes is described by this one."""
    return all(name in other and other[name] <= values for name, values in one.items())


def _find_eligible(rule: Rule) -> Holds:
    """Say what memories hold that a rule may choose, or counts among those that it keeps a share of."""
    if rule.effect.removes:
        return only_both([rule.node.only, {"status": rule.effect.reach}])
    if rule.tag and not rule.effect.adds_row and not rule.has_window:
        return only_both([rule.node.only, {TAG: frozenset({rule.tag})}])
    if rule.sees_all or (rule.keep is not None and rule.keep.unit == "share"):
        return rule.node.only
    return only_both([rule.node.only, {"status": STANDING}])


def _wanted_of_links(policy: Policy, reads: AbstractSet[str]) -> frozenset[str] | None:
    """Return the columns of links that a policy needs: those that it names, and to merge two all; None for no links."""
    if any(rule.effect.unites for rule in policy.rules):
        return LINK_COLUMNS
    if LINKS not in reads and all(rule.over == "memories" for rule in policy.rules):
        return None
    return (
        frozenset(name.removeprefix(OF_LINKS) for name in reads if name.startswith(OF_LINKS)) & LINK_COLUMNS
    )


def _parse_overrides(overrides: Mapping[str, Mapping[str, Any]]) -> list[Table]:
    place = SourcePosition("overrides")
    tables = []
    for name, values in overrides.items():
        if not isinstance(values, Mapping):
            raise place.error(
                f"the override of {name!r} is not a mapping", "pass {'rule-name': {'key': value}}"
            )
        tables.append(Table({"name": name, **values}, place))
    return tables


class _PolicyBuilder:
    """A policy while its documents are put together; `name` is what it is called where it names itself nothing."""

    def __init__(self, name: str, *, stored: bool) -> None:
        self.name = name
        self.stored = stored
        self.guards: dict[str, Table] = {}
        self.rules: dict[str, Table] = {}
        self.categories: dict[str, Category] = {}
        self.aliases: dict[str, str] = {}
        self.alias_places: dict[str, SourcePosition] = {}
        self.overridden: dict[str, dict[str, Any]] = {}
        self.recall: dict[str, Table] = {}
        self.said: dict[str, Table] = {}  # clock and interval, and the top of the document that says so

    def include(self, document: PolicyDocument, depth: int) -> None:
        """Take in a document: first what it extends, then its own tables, then its overrides."""
        self._refuse_shape(document)
        for name in self._list_extended(document, depth):
            self.include(parse_preset(name, stored=self.stored), depth + 1)
        self.said |= {key: document.top for key in ("clock", "interval") if key in document.top.values}
        for name, table in document.named.get("category", {}).items():
            self.categories[name] = _read_category(name, table, self.categories.get(name))
            self._add_aliases(self.categories[name].aliases, table)
        for name, table in document.named.get("alias", {}).items():
            self._add_aliases({name: text(table, "")}, table)
        for key, table in document.named.get("recall", {}).items():
            if key not in _RECALL_KEYS:
                raise table.place.error(f"unknown key {key!r} in [recall]", suggest(key, _RECALL_KEYS))
            self.recall[key] = table if key == _WITHIN else Table({key: table.values.get("")}, table.place)
        self._add(document.lists.get("guard", ()), self.guards, "guard")
        self._add(document.lists.get("rule", ()), self.rules, "rule")
        self.override(document.lists.get("override", ()))

    def _refuse_shape(self, document: PolicyDocument) -> None:
        top = document.top
        here = [*top.values, *document.lists, *document.named]
        for key in here:
            if key not in _TOP_KEYS:
                raise top.error(key, f"unknown key {key!r}", suggest(key, _TOP_KEYS))
        for key in ("guard", "rule", "override"):
            if key in document.named or key in top.values:
                raise top.error(key, f"{key!r} must be a list of tables", f"write [[{key}]]")
        for key in ("category", "alias", "recall"):
            if key in document.lists or key in top.values:
                raise top.error(key, f"{key!r} must be a table", f"write [{key}] or [{key}.name]")
        if "version" not in top.values:
            raise top.place.error("has no version", f"begin with: version = {VERSION}")
        if top.values["version"] != VERSION or isinstance(top.values["version"], bool):
            raise top.error(
                "version", f"version {top.values['version']!r} is not known", f"write version = {VERSION}"
            )

    def _list_extended(self, document: PolicyDocument, depth: int) -> tuple[str, ...]:
        if "extend" not in document.top.values:
            return ()
        name = text(document.top, "extend")
        if name in FORMER and not self.stored:
            instead = f"{FORMER[name]!r} has taken its place"
            raise document.top.error(
                "extend", f"the preset {name!r} ships no more: {instead}", f'write extend = "{FORMER[name]}"'
            )
        if name not in {*PRESETS, *FORMER}:
            raise document.top.error("extend", f"unknown preset {name!r}", suggest(name, PRESETS))
        if depth >= EXTENDS_MAX:
            raise document.top.error(
                "extend", "extends itself", "extend a preset that does not lead back here"
            )
        return (name,)

    def _add_aliases(self, aliases: Mapping[str, str], table: Table) -> None:
        for name, expression in aliases.items():
            place = table.find_position("aliases") if "aliases" in table.values else table.place
            if not name.isidentifier() or any(
                name in vocabulary(over).columns for over in ("memories", "links")
            ):
                raise place.error(
                    f"{name!r} cannot be an alias", "choose a plain word that is not the name of a column"
                )
            if self.aliases.get(name, expression) != expression:
                raise place.error(f"alias {name!r} means something else already", "choose another word")
            self.aliases[name] = expression
            self.alias_places[name] = place

    def _add(self, tables: Iterable[Table], into: dict[str, Table], what: str) -> None:
        for table in tables:
            table.refuse_unknown(RULE_KEYS if what == "rule" else GUARD_KEYS, f"a {what}")
            name = text(table, "name")
            if name in self.guards or name in self.rules:
                raise table.error(
                    "name", f"the name {name!r} is taken", "give every rule and guard its own name"
                )
            into[name] = table

    def override(self, tables: Iterable[Table]) -> None:
        """Put new values over those of rules and guards by name."""
        for table in tables:
            name = text(table, "name")
            into = self.rules if name in self.rules else self.guards
            if name not in into:
                names = [*self.rules, *self.guards]
                raise table.error("name", f"no rule or guard {name!r} to override", suggest(name, names))
            keys = RULE_KEYS if into is self.rules else GUARD_KEYS
            table.refuse_unknown([*keys, "off"], "an override")
            self.overridden.setdefault(name, {}).update(
                {key: value for key, value in table.values.items() if key != "name"}
            )
            if flag(table, "off"):
                del into[name]
            else:
                into[name] = into[name].merge_values(table, "off")

    def policy(self, top: Table, source: str) -> Policy:
        """Compile everything."""
        names = PolicyNames(
            {name: item.states for name, item in self.categories.items()}, self.aliases, self._numbers()
        )
        # Category aliases are compiled here so that a wrong one is found though no rule uses it.
        for category in self.categories.values():
            for alias, expression in category.aliases.items():
                condition(expression, vocabulary("memories"), names, self.alias_places[alias])
        on = clock(self.said["clock"], "wall") if "clock" in self.said else "wall"
        tables = [rung for table in self.rules.values() for rung in rungs(table)]
        rules = [compile_rule(table, names, on) for table in tables]
        more = [compile_rule(table, names, on) for table in map(build_flag_rule, rules) if table is not None]
        for rule in (*more, *(rule for rule in rules if rule.ladder)):
            if rule.name in self.rules or rule.name in self.guards:
                raise rule.place.error(f"the name {rule.name!r} is taken", "give that rule another one")
        return Policy(
            name=text(top, "name") if "name" in top.values else self.name,
            source=source,
            about=text(top, "about") if "about" in top.values else "",
            guards=tuple(compile_guard(self.guards[name], names, on) for name in sorted(self.guards)),
            rules=tuple(sorted([*rules, *more], key=lambda rule: rule.name)),
            categories=self.categories,
            aliases=self.aliases,
            overrides=self.overridden,
            clock=on,
            interval=duration(self.said["interval"], "interval", on) if "interval" in self.said else None,
            recall=_recall_rules(self.recall),
        )

    def _numbers(self) -> dict[str, dict[str, float]]:
        """Return the numbers that categories declare, by name."""
        numbers: dict[str, dict[str, float]] = {}
        for category in self.categories.values():
            for name, value in category.numbers.items():
                numbers.setdefault(name, {})[category.name] = value
        return numbers


def _recall_rules(tables: Mapping[str, Table]) -> RecallRules:
    """Read the table [recall]."""
    links = count(tables["links"], "links") if "links" in tables else None
    if links is not None and links > 100:
        raise tables["links"].error("links", "links is a percentage", "write links = 10")
    leaves_out = texts(tables["leaves_out"], "leaves_out") if "leaves_out" in tables else None
    for word in leaves_out or ():
        if word not in LEFT_OUT:
            raise tables["leaves_out"].error(
                "leaves_out", f"recall cannot leave out {word!r}", suggest(word, LEFT_OUT)
            )
    lifecycle = flag(tables["lifecycle"], "lifecycle") if "lifecycle" in tables else None
    return RecallRules(links, lifecycle, leaves_out, _confirm_within(tables.get(_WITHIN)))


def _confirm_within(table: Table | None) -> dict[str, int] | None:
    """Read after how long a memory of each trust is to be confirmed."""
    if table is None:
        return None
    if not table.values or "" in table.values:
        raise table.place.error(f"{_WITHIN} is no table", f'write {_WITHIN} = {{ agent = "30 days" }}')
    table.refuse_unknown([one.label for one in Trust], f"recall.{_WITHIN}")
    return {trust: duration(table, trust, "wall") for trust in table.values}


def _read_category(name: str, table: Table, base: Category | None) -> Category:
    """Read a declared category; keys that it does not name stay as an earlier document said."""
    table.refuse_unknown(_CATEGORY_KEYS, f"category {name!r}")
    old = base or Category(name)
    states = texts(table, "states") if "states" in table.values else old.states
    terminal = texts(table, "terminal") if "terminal" in table.values else old.terminal
    initial = text(table, "initial") if "initial" in table.values else old.initial
    for key, used in (("terminal", terminal), ("initial", (initial,) if initial is not None else ())):
        for state in used:
            if state not in states:
                raise table.error(key, f"{key} {state!r} is not a state of {name!r}", suggest(state, states))
    system = flag(table, "system") or old.system
    if table.values.get("system") is False and old.system:
        raise table.error(
            "system", f"{name!r} is a system category", "leave it one; choose another category name"
        )
    aliases = table.values.get("aliases", old.aliases)
    if not isinstance(aliases, Mapping) or not all(isinstance(value, str) for value in aliases.values()):
        raise table.error(
            "aliases", "aliases map words to conditions", "write aliases = { read = \"state == 'read'\" }"
        )
    about = text(table, "about") if "about" in table.values else old.about
    numbers = {**old.numbers, **numbers_of(table, "numbers")}
    policy_class = _read_policy_class(table, old.policy_class)
    return Category(name, states, terminal, initial, aliases, system, about, numbers, policy_class)


def _read_policy_class(table: Table, old: PolicyClass) -> PolicyClass:
    """Read the policy class of what arrives in a category."""
    if "policy_class" not in table.values:
        return old
    name, classes = text(table, "policy_class"), [item.label for item in PolicyClass]
    if name not in classes:
        raise table.error("policy_class", f"unknown policy class {name!r}", suggest(name, classes))
    return PolicyClass[name.upper()]
