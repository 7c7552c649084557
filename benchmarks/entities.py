"""How well names are joined: `python -m benchmarks.entities [--part …] [--by …] [--names] [--shown]`.

Each labelled pair is told to a memory of its own, session by session, a day apart, and heard at each end. `labels`
has a writer that finds the labelled names and every turn as a fact, so that only the joining is scored; `rules` has no
writer: a name that rules do not find is joined with nothing.

With `--names` it counts the names that rules find in ordinary lines and no label has (`false`), of all that they find,
and the share of the labelled ones that are found.

`wrong` counts pairs of different names, or namesakes, of which one entity was made; `right` is the share of the same
ones that are one entity, and `found` the share of pairs of which both names are entities. A pair is one entity where
both turns mention the same one.
"""

import argparse
import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import remanence
from benchmarks.labels import NamePair, Part, name_pairs, read
from benchmarks.report import figure, note, settings, spent
from remanence.core.clock import DAY, ManualClock
from remanence.core.model import Memory, Relation
from remanence.flows.consolidate.extract_pending import listen
from remanence.llm.base import Judgement
from remanence.read.entity import folded_name, is_entity, names_of
from remanence.read.extract import extract_facts
from remanence.read.extraction import CATEGORIES, Entity, ExtractRequest, ExtractResult, ExtractTurn, Fact

BEGINNING = 12  # characters that tell the turns of a pair apart


@dataclass(frozen=True)
class KnowsNames:
    """A writer that finds the labelled names in what it is shown, and nothing but each turn as a fact."""

    pair: NamePair
    name: str = "labels"

    async def judge(self, text: str, identity: str, others: object) -> Judgement:  # noqa: ARG002
        """Judge nothing."""
        return Judgement(0.5)

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:  # noqa: ARG002
        """Find the names that stand in these turns; of two of one name the one that the label says stands there."""
        one_name = self.pair.names[0] == self.pair.names[1]
        entities = [
            Entity(name, type_)
            for name, type_, at in zip(self.pair.names, self.pair.types, self.pair.at, strict=True)
            if any(name in turn.text and (not one_name or _is(turn, self.pair, at)) for turn in turns)
        ]
        facts = [Fact("fact", f"{turn.text} ", turn.id, (0, len(turn.text))) for turn in turns]
        return ExtractResult(tuple(facts), tuple(dict.fromkeys(entities)))


def _is(turn: ExtractTurn, pair: NamePair, at: int) -> bool:
    """Tell whether a turn is one of a label's, whatever markers stand in it."""
    return turn.text[:BEGINNING] == pair.turns[at].text[:BEGINNING]


def ordinary(part: Part, *, shown: bool) -> None:
    """Print how many names rules find in ordinary lines, and how many of these are none."""
    lines = read("naming", part)
    settings(part=part, lines=len(lines), languages=len({line["language"] for line in lines}))
    found = false = known = met = 0
    for line in lines:
        names = {one.name for one in extract_facts([ExtractTurn("1", line["text"])], CATEGORIES).entities}
        wrong = {name for name in names if not any(name in one or one in name for one in line["names"])}
        found, false = found + len(names), false + len(wrong)
        missed = {one for one in line["names"] if not any(name in one or one in name for name in names)}
        known, met = known + len(line["names"]), met + len(line["names"]) - len(missed)
        if shown and (wrong or missed):
            note(f"{line['id']} {line['language']} false: {sorted(wrong)} missed: {sorted(missed)}")
    figure("false", false, "names", of=found)
    figure("found", met / known, "share", of=known)


def main() -> None:
    """Measure one set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=get_args(Part)[:3], default="first")
    parser.add_argument("--by", choices=("labels", "rules"), nargs="*", default=["labels", "rules"])
    parser.add_argument(
        "--shown", action="store_true", help="name the pairs that came out otherwise, on stderr"
    )
    parser.add_argument("--names", action="store_true", help="score names found in ordinary lines")
    given = parser.parse_args()
    if given.names:
        ordinary(given.part, shown=given.shown)
        return
    pairs = name_pairs(given.part)
    settings(part=given.part, pairs=len(pairs), languages=len({pair.language for pair in pairs}))
    for by in given.by:
        with spent() as cost:
            found = asyncio.run(measured(pairs, by))
        report(pairs, found, by, shown=given.shown)
        figure("seconds", cost.cpu_s / len(pairs), "s a pair", by=by)


async def measured(pairs: Sequence[NamePair], by: str) -> list[tuple[int | None, int | None]]:
    """Tell each pair to a memory, and return which entities its two names are."""
    return [await _told(pair, by) for pair in pairs]


async def _told(pair: NamePair, by: str) -> tuple[int | None, int | None]:
    clock = ManualClock()
    writer = KnowsNames(pair) if by == "labels" else None
    async with remanence.open(embedder="none", writer=writer, clock=clock) as memory:
        seqs: list[int] = []
        for place, turn in enumerate(pair.turns):
            noted = await memory.note(turn.text, speaker=turn.speaker, session=turn.session, later=True)
            seqs.append((await memory.get(noted.id)).seq)
            last = place + 1 == len(pair.turns) or pair.turns[place + 1].session != turn.session
            if last:
                await listen(memory._core)  # noqa: SLF001 - hears, and leaves the inbox as it is
                clock.advance(seconds=DAY // 1_000_000)
        return (
            await _meant(memory, seqs[pair.at[0]], _accepted(pair, 0)),
            await _meant(memory, seqs[pair.at[1]], _accepted(pair, 1)),
        )


def _accepted(pair: NamePair, place: int) -> Sequence[str]:
    """Return by which names a mention may be known: in another case by the other name, too."""
    return pair.names if pair.why == "inflected" else (pair.names[place],)


async def _meant(memory: remanence.Engine, turn: int, names: Sequence[str]) -> int | None:
    """Return the entity that a turn mentions by one of some names."""
    links = [link for link in await memory.links(turn) if link.relation is Relation.MENTIONS]
    entities = [await memory.get(link.target) for link in links]
    bearing = [one for one in entities if is_entity(one) and any(_bears(one, name) for name in names)]
    return bearing[0].seq if len(bearing) == 1 else None


def _bears(memory: Memory, name: str) -> bool:
    """Tell whether an entity has a name, or a short form of one."""
    words = set(folded_name(name).split())
    return any(words <= set(folded_name(one).split()) for one in names_of(memory))


def report(
    pairs: Sequence[NamePair], found: Sequence[tuple[int | None, int | None]], by: str, *, shown: bool
) -> None:
    """Print the figures of a set."""
    one = [None not in ends and ends[0] == ends[1] for ends in found]
    same = [pair.same for pair in pairs]
    wrong = sum(joined and not wanted for joined, wanted in zip(one, same, strict=True))
    right = sum(joined and wanted for joined, wanted in zip(one, same, strict=True))
    both = sum(None not in ends for ends in found)
    figure("wrong", wrong, "pairs", by=by, of=same.count(False))
    figure("right", right / same.count(True), "share", by=by, of=same.count(True))
    figure("found", both / len(pairs), "share", by=by, of=len(pairs))
    missed = Counter(pair.why for pair, joined in zip(pairs, one, strict=True) if joined != pair.same)
    for why, count in sorted(missed.items()):
        figure("missed", count, "pairs", by=by, why=why)
    for pair, joined, ends in zip(pairs, one, found, strict=True):
        if shown and joined != pair.same:
            note(f"{by} {pair.id} {pair.language} {pair.why} {pair.names} {ends}")


if __name__ == "__main__":
    main()
