"""How well newest truth is told: `python -m benchmarks.updates [--part …] [--embedder …]`.

All labelled scenes of one set are told to one memory among more than a thousand other texts: first what was so, then
the others, then what is said later. `nobody` says what holds; `writer` is one that knows the labels and contradicts
where they say so, and only where it was shown the pair.

`shown` is the share of updates whose older statement a writer was shown, `shown_5` among its first five; `stale` the
share in which a question finds the older statement and not the newer one above it; `linked` is the share of
contradictions linked. `above` counts in how many of the statements that stand a question finds the later one above.
"""

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import remanence
from benchmarks.labels import DEVELOPED, Scene, pairs, parts, scenes
from benchmarks.labels.intake import benign, harmless, shorts, signals
from benchmarks.locomo import EMBEDDERS
from benchmarks.report import figure, settings
from remanence.core.clock import MINUTE, ManualClock
from remanence.core.model import Relation, Trust, Turn
from remanence.llm.base import Judgement

DEPTH = 20
FIRST = 5
TRUSTED_LESS = tuple(f"[{one.label}] " for one in Trust)
SPEAKERS = ("Rosa", "Emil", "Yuki", "Farid", "Odile", "Nils", None)


@dataclass
class KnowsLabels:
    """A writer that knows the labels: it contradicts what a later statement replaces, where it is shown it."""

    answers: Mapping[str, frozenset[str]]  # by the later text those that no longer hold, or contradict it
    name: str = "labels"
    shown: dict[str, list[str]] = field(default_factory=dict)

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:  # noqa: ARG002
        """Note what is shown, and answer by the labels."""
        said = {one: _said(other) for one, other in others.items()}
        self.shown[_said(text)] = list(said.values())
        against = self.answers.get(_said(text), frozenset())
        return Judgement(1.0, {one: 1.0 for one, other in said.items() if other in against})


def _said(text: str) -> str:
    """Return a text without the mark of how far it is believed."""
    return text.split("] ", 1)[1] if text.startswith(TRUSTED_LESS) else text


def main() -> None:
    """Measure one set with one or more embedders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=parts("updates"), default="first")
    parser.add_argument("--embedder", choices=EMBEDDERS, nargs="*", default=["auto", "none"])
    given = parser.parse_args()
    told, beside = scenes(given.part), others()
    settings(part=given.part, scenes=len(told), beside=len(beside))
    for embedder in given.embedder:
        for judged in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                found = asyncio.run(
                    measure(Path(folder) / "memory.db", told, beside, embedder, judged=judged)
                )
            report(told, found, embedder=embedder, by="writer" if judged else "nobody")


def others() -> list[str]:
    """Return texts that no scene is about, from the other kinds of labels; the same ones whatever set is scored."""
    texts: list[str] = []
    for part in DEVELOPED:
        texts += [one.text for one in signals(part)]
        texts += [one.text for one in benign(part)]
        texts += [one.text for one in harmless(part)]
        texts += [one.text for one in shorts(part)]
        texts += [one.one for one in pairs(part)]
    return list(dict.fromkeys(texts))


@dataclass
class Found:
    """What became of the scenes, by id."""

    above: set[str] = field(default_factory=set)
    place: dict[str, int] = field(
        default_factory=dict
    )  # of the older statement among those shown to a writer
    stale: set[str] = field(default_factory=set)
    linked: set[str] = field(default_factory=set)


async def measure(
    path: Path, told: Sequence[Scene], beside: Sequence[str], embedder: str, *, judged: bool
) -> Found:
    """Tell all scenes, consolidate, and ask."""
    clock = ManualClock()
    answers: dict[str, frozenset[str]] = {}
    for scene in told:
        if scene.kind != "none":
            answers[scene.new.text] = answers.get(scene.new.text, frozenset()) | {scene.old.text}
    writer = KnowsLabels(answers)
    more: dict[str, Any] = {"writer": writer} if judged else {}
    async with remanence.open(path, embedder=embedder, clock=clock) as memory:
        ids = await _told(
            memory, clock, [(scene.old.speaker, scene.old.role, scene.old.text) for scene in told]
        )
        spoken = [(SPEAKERS[n % len(SPEAKERS)], "user", text) for n, text in enumerate(beside)]
        await _told(memory, clock, spoken)
        await memory.consolidate()
    async with remanence.open(path, embedder=embedder, clock=clock, **more) as memory:
        new = await _told(
            memory, clock, [(scene.new.speaker, scene.new.role, scene.new.text) for scene in told]
        )
        await memory.consolidate()
        found = await _found(memory, told, ids, new)
        for scene in told:
            shown = writer.shown.get(scene.new.text, [])
            if scene.old.text in shown:
                found.place[scene.id] = shown.index(scene.old.text)
        return found


async def _told(
    memory: remanence.Engine, clock: ManualClock, said: Sequence[tuple[str | None, str, str]]
) -> list[str]:
    """Learn what was said, a minute apart, and return the ids in order."""
    now = clock.now()
    made = [
        Turn(text, speaker=speaker, said_at=now + n * MINUTE, **_from(role))
        for n, (speaker, role, text) in enumerate(said)
    ]
    clock.advance(minutes=len(made))
    return [one.id for one in await memory.learn(made)]


def _from(role: str) -> dict[str, Any]:
    return {"role": "user", "trust": "outside"} if role == "outside" else {"role": role}


async def _found(
    memory: remanence.Engine, told: Sequence[Scene], olds: Sequence[str], news: Sequence[str]
) -> Found:
    found = Found()
    for scene, old, new in zip(told, olds, news, strict=True):
        seq = (await memory.get(new)).seq
        ends = [
            {one.source, one.target}
            for one in await memory.links(old)
            if one.relation is Relation.CONTRADICTS
        ]
        found.linked |= {scene.id} if any(seq in pair for pair in ends) else set()
        if scene.kind == "update" and await _stale(memory, scene.question, old, new):
            found.stale.add(scene.id)
        if scene.kind == "none" and scene.question and await _stale(memory, scene.question, new, old):
            found.above.add(scene.id)
    return found


async def _stale(memory: remanence.Engine, question: str, old: str, new: str) -> bool:
    """Tell whether the older statement is found, and the newer one not above it."""
    answer = await memory.recall(question, limit=DEPTH, count_use=False)
    place = {hit.id: at for at, hit in enumerate(answer.memories)}
    return old in place and place[old] < place.get(new, DEPTH)


def report(told: Sequence[Scene], found: Found, **fields: Any) -> None:
    """Print the figures of all scenes and of each language."""
    for language in (None, *dict.fromkeys(scene.language for scene in told)):
        mine = [scene for scene in told if language in (None, scene.language)]
        kinds = Counter(scene.kind for scene in mine)
        updates = {scene.id for scene in mine if scene.kind == "update"}
        where: dict[str, Any] = {**fields, "language": language or "all"}
        if fields["by"] == "writer":
            shown = {one for one in updates if one in found.place}
            five = {one for one in updates if found.place.get(one, FIRST) < FIRST}
            figure("shown", 100 * len(shown) / kinds["update"], "%", **where)
            figure("shown_5", 100 * len(five) / kinds["update"], "%", **where)
        figure("stale", 100 * len(updates & found.stale) / kinds["update"], "%", **where)
        stands = {scene.id for scene in mine if scene.kind == "none"}
        figure("above", len(stands & found.above), f"of {len(stands)}", **where)
        opposed = {scene.id for scene in mine if scene.kind == "contradiction"}
        if opposed:
            figure("linked", 100 * len(opposed & found.linked) / len(opposed), "%", **where)


if __name__ == "__main__":
    main()
