"""What is left, and found, when a memory is cut to 50, 25 and 10 %: `python -m benchmarks.budget [PATH] --policy P …`.

PATH is LoCoMo's JSON, or JSON lines (a turn a line: id, text, and any of speaker, role, thread, session, said_at; a
question a line: question, evidence (ids of turns), thread), or nothing for what is made up. Each conversation is
learned in order, into a store of its own, then cut. Policies: keep-value, newest, random, elfmem-score, a preset or a
file, whose windows that archive or prune are set to the share; another engine is named as pip does, and forgets in
its own way. `kept_evidence` is the share of the evidence that still stands, `recall@10` what is among the first ten,
`kept_recall@10` the share of that which is found before anything is cut; means over questions. `per` says what is
counted: memories, words, words once all is condensed, or memories while the index of recall leaves out what is archived
(left); `archive` whether recall finds what is archived.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.budget.data import Kept, read
from benchmarks.budget.engines import Adapter, Left, Ours, copied
from benchmarks.budget.peer import Peer
from benchmarks.budget.policies import CONDENSED, LEFT, ORDERS, RANDOM, Budget
from benchmarks.peers.systems import ENVIRONMENTS
from benchmarks.report import figure, note, settings

SHARES = (0.5, 0.25, 0.1)
PER = ("memories", "words", CONDENSED)  # and LEFT, where it is asked for
UNCUT = "uncut"


@dataclass
class Tally:
    """The shares of evidence, a number for each question, and how much stands."""

    kept: list[float] = field(default_factory=list)
    found: dict[str, list[float]] = field(default_factory=dict)
    stands: list[float] = field(default_factory=list)

    def ask(self, adapter: Adapter, folder: Path, of: Kept, archive: str) -> None:
        """Count what is found."""
        answers = adapter.ask(folder, [one.text for one in of.questions], archive)
        self.found.setdefault(archive, []).extend(
            len(one.evidence & {*answer}) / len(one.evidence)
            for one, answer in zip(of.questions, answers, strict=True)
        )

    def keep(self, of: Kept, left: Left) -> None:
        """Count what stands."""
        self.kept += [len(one.evidence & left.turns) / len(one.evidence) for one in of.questions]
        self.stands.append(left.share)


def main() -> None:
    """Fill each conversation once, cut copies of it, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path, nargs="?")
    parser.add_argument("--policy", nargs="+", default=[*ORDERS, RANDOM])
    parser.add_argument("--share", type=float, nargs="+", default=SHARES)
    parser.add_argument("--per", nargs="+", choices=[*PER, LEFT], default=PER)
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--engine", nargs="+", default=["remanence"], help="remanence, elfmem==VERSION")
    parser.add_argument(
        "--env", type=Path, default=ENVIRONMENTS, help="where the environments of others are kept"
    )
    parser.add_argument("--conversations", type=int, default=None, help="only so many of them")
    given = parser.parse_args()
    data = read(given.path, given.conversations)
    asked = sum(len(one.questions) for one in data)
    settings(
        data=given.path.name if given.path else "made up", conversations=len(data), questions=asked,
        turns=sum(len(one.turns) for one in data), embedder=given.embedder,
    )  # fmt: skip
    for name in given.engine:
        adapter: Adapter = Ours(given.embedder) if name == Ours.name else Peer(name, given.env)
        counted = filter(adapter.counts, given.per)
        every = product(adapter.policies or given.policy, counted, given.share)
        # What chance draws it counts by whole texts.
        cuts = [cut for cut in every if cut[:2] != (RANDOM, CONDENSED)]
        report(adapter, measure(adapter, data, cuts))


Cuts = Sequence[tuple[str, str, float]]  # policy, per, share


def measure(adapter: Adapter, data: Sequence[Kept], cuts: Cuts) -> dict[tuple[str, str, float], Tally]:
    """Fill each conversation, ask it whole, then each of its cuts."""
    tallies: dict[tuple[str, str, float], Tally] = {}
    for number, of in enumerate(data, 1):
        with tempfile.TemporaryDirectory() as folder:
            whole = Path(folder) / "whole"
            whole.mkdir()
            adapter.fill(whole, of.turns)
            tallies.setdefault((UNCUT, "", 1.0), Tally()).ask(adapter, whole, of, "closed")
            for place, (policy, per, share) in enumerate(cuts):
                tally = tallies.setdefault((policy, per, share), Tally())
                cut = copied(whole, Path(folder) / str(place))
                tally.keep(of, adapter.cut(cut, policy, Budget(share, per)))
                for archive in adapter.archives:
                    tally.ask(adapter, cut, of, archive)
        note(f"{adapter.name}: {number} of {len(data)}")
    return tallies


def report(adapter: Adapter, tallies: dict[tuple[str, str, float], Tally]) -> None:
    """Print the figures."""
    whole = _mean(tallies[UNCUT, "", 1.0].found["closed"])
    figure("budget.recall@10", whole, "%", share=100, policy=UNCUT, engine=adapter.name)
    for (policy, per, share), tally in tallies.items():
        fields = {"share": round(100 * share, 2), "per": per, "policy": policy, "engine": adapter.name}
        if policy == UNCUT:
            continue
        stands = round(_mean(tally.stands), 1)
        figure("budget.kept_evidence", _mean(tally.kept), "%", **fields, stands=stands)
        for archive, found in tally.found.items():
            figure("budget.recall@10", _mean(found), "%", **fields, archive=archive)
            figure("budget.kept_recall@10", 100 * _mean(found) / whole, "%", **fields, archive=archive)


def _mean(shares: Sequence[float] | Iterator[float]) -> float:
    return 100 * float(np.mean(list(shares)))


if __name__ == "__main__":
    main()
