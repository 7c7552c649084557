"""Whether use and ratings feed themselves: `python -m benchmarks.feedback [--days 365] [--new 2]`.

A year of one agent: 300 memories at first, two more a day, and each day twelve answers, all counted as used and rated:
six recalls, three frames `attention` and two `task` with a question, one `attention` without. A question names what one
memory says; what is returned of its matter is rated 1, the rest 0.3. Printed is, of all that was returned in a week,
the share of the ten memories that were returned most, in the first week and in the last, and how far that has grown.
"""

import argparse
import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import remanence
from benchmarks.report import figure, settings
from remanence.core.clock import ManualClock

PEOPLE = ("Mara", "Ilja", "Tove", "Edda", "Piet", "Runa", "Sami", "Wim", "Nele", "Otto", "Lene", "Koos")
THINGS = (
    "boat",
    "kiln",
    "loom",
    "press",
    "cello",
    "tent",
    "sledge",
    "lens",
    "stove",
    "globe",
    "anvil",
    "canoe",
)
DEEDS = (
    "mended",
    "sold",
    "borrowed",
    "painted",
    "lost",
    "weighed",
    "hid",
    "cleaned",
    "drew",
    "lent",
    "moved",
)
PLACES = ("harbour", "attic", "orchard", "station", "chapel", "quarry", "mill", "tower", "cellar", "meadow")
MEMORIES_AT_FIRST = 300
ASKS = ("recall",) * 6 + ("attention",) * 3 + ("task",) * 2 + ("",)  # "" is `attention` without a question
TOP = 10
GOAL = 1.5
WEEK = 7


@dataclass(frozen=True)
class Asked:
    """What to simulate."""

    days: int = 365
    new: int = 2
    seed: int = 7
    embedder: str = "auto"
    uncounted: bool = False


@dataclass
class Year:
    """An agent that asks, and what it was returned by week."""

    memory: remanence.Engine
    clock: ManualClock
    rng: random.Random
    counts_use: bool
    said: list[str]
    returned: dict[int, Counter[str]]

    async def learn(self, many: int) -> None:
        """Learn some new statements."""
        new: list[str] = []
        while len(new) < many:
            who, deed, thing, place = (self.rng.choice(some) for some in (PEOPLE, DEEDS, THINGS, PLACES))
            text = f"{who} {deed} the {thing} at the {place}."
            if text not in self.said:
                self.said.append(text)
                new.append(text)
        await self.memory.learn(new)

    async def ask(self, how: str, week: int) -> None:
        """Ask once and rate what is returned."""
        who, deed, _, thing, *_, place = self.rng.choice(self.said).rstrip(".").split()
        question = self.rng.choice(
            (f"What did {who} do with the {thing}?", f"Who {deed} what at the {place}?")
        )
        if how == "recall":
            answer = await self.memory.recall(question, limit=5, count_use=self.counts_use)
        else:
            frame, asked = how or "attention", question if how else None
            answer = await self.memory.frame(frame, asked, limit=5, count_use=self.counts_use)
        self.returned.setdefault(week, Counter()).update(hit.id for hit in answer.memories)
        if not self.counts_use:
            return
        helped = [hit.id for hit in answer.memories if thing in hit.memory.text or place in hit.memory.text]
        other = [hit.id for hit in answer.memories if hit.id not in helped]
        for names, signal in ((helped, 1.0), (other, 0.3)):
            if names:
                await self.memory.rate(names, signal)

    def share(self, week: int) -> float:
        """Return the share that the ten most returned memories have in what was returned in a week."""
        counts = self.returned[week]
        return sum(count for _, count in counts.most_common(TOP)) / counts.total()


async def simulate(asked: Asked) -> Year:
    """Live a year."""
    clock = ManualClock()
    async with remanence.open(clock=clock, embedder=asked.embedder) as memory:
        year = Year(memory, clock, random.Random(asked.seed), not asked.uncounted, [], {})
        await year.learn(MEMORIES_AT_FIRST)
        for day in range(asked.days):
            await year.learn(asked.new)
            for how in ASKS:
                clock.advance(hours=24 / len(ASKS))
                await year.ask(how, day // WEEK)
    return year


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate, and print the shares."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--new", type=int, default=2, help="memories that are learned a day")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--uncounted", action="store_true", help="count no use and rate nothing, to compare")
    asked = Asked(**vars(parser.parse_args(arguments)))
    settings(**asdict(asked))
    year = asyncio.run(simulate(asked))
    last = asked.days // WEEK - 1  # the last whole one
    first_share, last_share = year.share(0), year.share(last)
    figure("feedback.share", first_share, "", week=1)
    figure("feedback.share", last_share, "", week=last + 1)
    figure(
        "feedback.growth", last_share / first_share, "times", goal=GOAL, met=last_share <= GOAL * first_share
    )


if __name__ == "__main__":
    main()
