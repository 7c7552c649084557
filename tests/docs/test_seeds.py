"""The map from other engines to here: every name on its right-hand side is something that exists."""

import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from remanence.core.model import LINK_COLUMNS, Decay, Memory, Reason, Relation, Status
from remanence.core.verbs import TABLE
from remanence.curate.language.vocabulary import VOCABULARY
from remanence.curate.policy.compiled import load
from remanence.curate.policy.document import PRESETS
from remanence.engine import Engine
from remanence.flows.base.settings import SETTINGS
from remanence.recall.frames import BUILTIN
from tools.sql_tables import metadata

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "seeds.md"
LABELS = {"Relation": Relation, "Status": Status, "Reason": Reason, "Decay": Decay}


def rows() -> list[list[str]]:
    """Return the cells of every row of every table but the headings."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [row for row in cells if row[0] not in {"theirs", "---|---|---"} and not row[0].startswith("---")]


NAMES = sorted({name for row in rows() for name in re.findall(r"`([^`]+)`", row[1])})


def _engine(name: str) -> bool:
    holder: Any = Engine
    *namespaces, verb = name.split(".")
    for namespace in namespaces:
        holder = get_type_hints(getattr(holder, namespace).fget)["return"]
    found = getattr(holder, verb, None)
    return callable(found) or isinstance(found, property)


def _imported(name: str) -> bool:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part, None)
        return found is not None
    return False


def _preset(name: str) -> bool:
    preset, _, rule = name.partition("/")
    if preset not in PRESETS:
        return False
    return not rule or rule in entries(preset) | {*load(preset).aliases}


def entries(preset: str) -> set[str]:
    """Return the names of a preset's rules and guards."""
    policy = load(preset)
    return {rule.name for rule in policy.rules} | {guard.name for guard in policy.guards}


def _label(name: str) -> bool:
    labels, _, label = name.partition(".")
    return label.upper() in LABELS[labels].__members__


def _command(name: str) -> bool:
    return any(name in {row.command, row.command.split(" ")[0]} for row in TABLE)


def _word(name: str) -> bool:
    return any(
        name in vocabulary.columns or name in vocabulary.functions for vocabulary in VOCABULARY.values()
    )


def _tests() -> frozenset[str]:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    return frozenset(
        name for text in texts for name in re.findall(r"^(?:async )?def (test_\w+)", text, re.MULTILINE)
    )


TESTS = _tests()
# Rules and guards of presets that the map shows as a whole.
WHOLE = {"weak-links", "load-bearing", "newest-episodes", "superseded-episodes"}
KINDS: Mapping[str, Callable[[str], bool]] = {
    r"table (\w+)": lambda name: name in metadata.tables,
    r"preset (.+)": _preset,
    r"word (\w+)": _word,
    r"setting (\w+)": lambda name: name in SETTINGS,
    r"frame (\w+)": lambda name: name in BUILTIN,
    r"Engine\.(.+)": _engine,
    r"Memory\.(\w+)": lambda name: name in {field.name for field in fields(Memory)},
    r"Link\.(\w+)": lambda name: name in LINK_COLUMNS,
    r"((?:Relation|Status|Reason|Decay)\.\w+)": _label,
    r"remanence (.+)": _command,
    r"(test_\w+)": lambda name: name in TESTS,
    r"(remanence(?:_store_kit)?\..+|remanence)": _imported,
}


def resolves(name: str) -> bool:
    """Tell whether a name of the map stands for something."""
    for pattern, resolve in KINDS.items():
        found = re.fullmatch(pattern, name)
        if found is not None:
            return resolve(found[1])
    return False


# Functions, settings with their defaults, and files that engram's document and its code name; a row has both.
ENGRAM = {
    "bufferMaxTurns": "5",
    "bufferMaxMinutes": "15",
    "triggerMode": "smart",
    "extractionMinImportanceLevel": "low",
    "factDeduplicationEnabled": "on",
    "episodeNoteModeEnabled": "off",
    "verbatimArtifactsEnabled": "off",
    "memoryBoxesEnabled": "off",
    "traceWeaverEnabled": "off",
    "boxTopicShiftThreshold": ".35",
    "boxTimeGapMs": "1,800,000",
    "boxMaxMemories": "50",
    "consolidateEveryN": "3",
    "consolidationMinIntervalMs": "600,000",
    "commitmentDecayDays": "90",
    "factArchivalEnabled": "false",
    "factArchivalAgeDays": "90",
    "factArchivalMaxImportance": ".3",
    "factArchivalMaxAccessCount": "2",
    "factArchivalProtectedCategories": "",
    "compressionGuidelineLearningEnabled": "off",
    "contextCompressionActionsEnabled": "off",
    "lifecyclePolicyEnabled": "on",
    "lifecycleFilterStaleEnabled": "off",
    "qmdTierMigrationEnabled": "false",
    "qmdTierDemotionMinAgeDays": "14 days",
    "multiGraphMemoryEnabled": "false",
    "graphTraversalConfidenceFloor": ".2",
    "graphTraversalPageRankIterations": "8",
    "DEFAULT_REINFORCE_DELTA": ".05",
    "perWindow": ".1",
    "windowMs": "90 d",
    "floor": ".1",
    "computeLifecycleValueInputs": "",
    "computeTierValueScore": "",
    "decideTierTransition": "",
    "graphEdgeConfidences": "",
    "profile.md": "",
    "IDENTITY.md": "",
    "config/aliases.json": "",
    "facts/YYYY-MM-DD/<category>-<timestamp>-<hash>.md": "",
    "boxes/YYYY-MM-DD/box-<id>.md": "",
    "entities/<type>-<name>.md": "",
    "state/buffer.json": "",
    "state/fact-hashes.txt": "",
    "state/topics.json": "",
    "state/open-box.json": "",
    "state/traces.json": "",
    "state/memory-actions.jsonl": "",
    "state/compression-guidelines.md": "",
    "state/lifecycle-metrics.json": "",
    "state/tier-migration-journal.jsonl": "",
    "state/graph-edge-decay-status.json": "",
    "state/last_graph_recall.json": "",
}


def test_every_name_of_engram_has_a_row() -> None:
    """With its default, where it has one."""
    theirs = [row[0] for row in rows()]

    assert [] == [
        name
        for name, default in ENGRAM.items()
        if not any(
            default in cell.replace(name, "") for cell in theirs if f"`{name}`" in cell or f"`{name}:" in cell
        )
    ]


# Rules, thresholds and weights of the Jochi design, each with the number that it has there.
JOCHI = {
    "T1": "7 days", "T2": "30 days", "T3": "24 hours", "T4": "14 days", "T5": "90 days", "T6": "never",
    "T7": "30 days", "T8": "60 days", "T9": "0.7", "T10": "0.3 to 0.7", "T11": "0.3", "T12": "90 days",
    "T13": "never", "T14": "60 days", "T15": "medium", "T16": "180 days", "T17": "45 days", "T18": "120 days",
    "T19": "Recommendation", "T20": "30 days", "T21": "30 days", "T22": "90 days", "D1": "0.01", "O1": "7 days",
    "P-D1": "12 hours", "P-D2": "48 hours", "P-D3": "90 days", "P-P1": ">= 3", "P-P2": ">= 10", "P-P3": "ARCHIVE",
    "HOT": "1600", "WARM": "400", "COLD": "200",
    "R1": "Agent", "R2": "AgentKey", "R3": "tasks", "R4": "sessions", "R5": "0.9", "R6": "> 5",
    "R7": "Migration", "R8": "SystemConfig", "R9": "24 hours", "R10": "4", "R11": "unknown", "R12": "5 %",
    "R13": "clock", "Belief": "10.0", "Reflection": "8.0", "Analysis": "7.0", "Synthesis": "6.5",
    "Recommendation": "5.0", "CompressedContext": "4.0", "Task (active)": "3.0", "MemoryEntry": "2.5",
    "SessionContext": "1.5", "Notification": "12 hours", "recency": "3", "frequency": "2", "quality": "2",
    "centrality": "1.5", "cross-agent": "2", "bloat": "1.5", "safety multiplier": "100", ">= 50": "KEEP",
    ">= 8": "KEEP", "5 to 8": "flag", "3 to 5": "MERGE", "1.5 to 3": "DEMOTE", "0.5 to 1.5": "PRUNE",
    "< 0.5": "Notification", "dedup": "0.85", "every 5 min": "15 min", "500 tokens": "10 a cycle",
}  # fmt: skip


def test_what_the_jochi_design_names_has_a_row() -> None:
    """With its number."""
    theirs = [row[0] for row in rows()]
    named = {name: re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])") for name in JOCHI}

    assert [] == [
        name
        for name, number in JOCHI.items()
        if not any(number in cell.replace(name, "", 1) for cell in theirs if named[name].search(cell))
    ]


@pytest.mark.parametrize(
    "preset", ["janitor", "mvs", "mvs-seed", "autonomous", "elfmem", "engram", "episodic-cap"]
)
def test_every_rule_and_guard_of_a_preset_is_in_the_map(preset: str) -> None:
    """Under its own name or that of the preset that it extends."""
    shown = {name.partition("/")[2] for name in NAMES if name.startswith("preset ")}

    assert set() == {name.partition("/")[0] for name in entries(preset)} - shown - WHOLE


def test_every_name_of_the_map_resolves() -> None:
    """What the map promises is there."""
    assert [] == [name for name in NAMES if not resolves(name)]


@pytest.mark.parametrize(
    "name",
    [
        "Engine.lern",
        "Engine.review.nothing",
        "Memory.colour",
        "preset elfmem/none",
        "word wrd",
        "preset engram/cold",
        "Status.gone",
        "test_x",
        "x",
    ],
)
def test_a_wrong_name_does_not_resolve(name: str) -> None:
    """A name that stands for nothing is found out."""
    assert not resolves(name)


def test_every_row_says_where() -> None:
    """No row of the map leaves the middle empty."""
    assert [] == [row for row in rows() if len(row) < 2 or not re.search(r"`[^`]+`", row[1])]
