"""What is taken for a repeat: `python -m benchmarks.dedup [LOCOMO] [--part first second] [--embedder …]`.

`--candidates N` instead looks through N memories for near duplicates by their words, a hundredth of them repeats.

Labelled pairs are learned one after the other, consolidated, and curated under a policy that merges what is linked as a
near duplicate. Bands: `confirmed` = the second is the first one over again, `near` and `similar` = they are linked so,
`apart` = they are not. Precision of a band is the share of its pairs that say the same, recall the share of pairs
that say the same which are in it or in one above. A drop is wrong where two that differ became one memory. Disguises of
a repeat have to be confirmed or linked. With LoCoMo's file: the evidence that no memory names any more.
"""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import remanence
from benchmarks import labels
from benchmarks.corpus import Maker
from benchmarks.labels.intake import repeats
from benchmarks.locomo import EMBEDDERS, questions
from benchmarks.report import figure, note, rss_peak_mb, settings, spent
from remanence.core.clock import ManualClock
from remanence.core.model import STANDING, Reason, Relation
from remanence.text.analysis import stems
from remanence.text.twins import SimilarityThresholds, same_words, verdict
from remanence.write.transcripts.formats import parse

BANDS = ("confirmed", "near", "similar", "apart")
SHARED = (1.0, 0.9, 0.8, 0.6)
LINKS = {Relation.NEAR_DUPLICATE: "near", Relation.SIMILAR: "similar"}
MERGE = """
version = 1
name = "merge"

[[rule]]
name = "near-duplicates"
every = "deep"
phase = "deduplicate"
over = "pairs"
min = 0.85
do = "merge"
where = "both(status == 'active')"
"""


def main() -> None:
    """Score the sets of labels and, where its file is given, LoCoMo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, nargs="?")
    parser.add_argument("--part", choices=labels.parts("dedup_pairs"), nargs="*", default=labels.DEVELOPED)
    parser.add_argument("--embedder", choices=EMBEDDERS, nargs="*", default=["auto"])
    parser.add_argument(
        "--missed", action="store_true", help="print wrong drops and missed repeats, on stderr"
    )
    parser.add_argument("--candidates", type=int, metavar="N", help="look through so many memories")
    given = parser.parse_args()
    settings(parts=given.part)
    if given.candidates is not None:
        asyncio.run(look_through(given.candidates))
        return
    for part in given.part:
        score_words(part)
    for embedder in given.embedder:
        for part in given.part:
            asyncio.run(score_pairs(part, embedder, missed=given.missed))
            if part in labels.parts("repeats"):
                asyncio.run(score_repeats(part, embedder, missed=given.missed))
        if given.path is not None:
            asyncio.run(score_evidence(given.path, embedder))


async def score_pairs(part: labels.Part, embedder: str, *, missed: bool) -> None:
    """Print what became of the labelled pairs, and which languages they are in."""
    pairs = labels.pairs(part)
    bands, merged = await met([(pair.one, pair.other) for pair in pairs], embedder)
    fields = {"part": part, "embedder": embedder}
    same = sum(pair.same for pair in pairs)
    found = 0
    for band in BANDS:
        within = [pair for pair, its in zip(pairs, bands, strict=True) if its == band]
        right = sum(pair.same for pair in within)
        found += right
        figure("dedup.precision", right / max(1, len(within)), "", band=band, pairs=len(within), **fields)
        if band != "apart":
            figure("dedup.recall", found / same, "", band=band, pairs=same, **fields)
    for what, some in (("all", [False, True]), ("hard", [True])):
        differing = [at for at, pair in enumerate(pairs) if not pair.same and pair.hard in some]
        wrong = [at for at in differing if bands[at] == "confirmed" or at in merged]
        languages = len({pairs[at].language for at in differing})
        figure(
            "dedup.wrong_drops", len(wrong), "", pairs=what, of=len(differing), languages=languages, **fields
        )
        if missed:
            for at in wrong:
                note(f"{pairs[at].id} {pairs[at].one!r} {pairs[at].other!r}")


def score_words(part: labels.Part) -> None:
    """Print how many pairs that differ rules over words alone would make one, after all vetoes, and how many others."""
    pairs = labels.pairs(part)
    differing = sum(not pair.same for pair in pairs)
    judged = [(pair.same, _shared(pair), same_words(pair.one, pair.other)) for pair in pairs]
    for band, within in (
        ("same words", [same for same, _, words in judged if words]),
        *(
            (f"words shared {least:g}", [same for same, shared, _ in judged if shared >= least])
            for least in SHARED
        ),
    ):
        figure(
            "dedup.by_words", within.count(False), "", band=band, of=differing, right=sum(within), part=part
        )


def _shared(pair: labels.Pair) -> float:
    """Return the share of content words that two texts have in common, 0 where something forbids that they are one."""
    if verdict(pair.one, pair.other, None, SimilarityThresholds(0, 0)).kind == "distinct":
        return 0.0
    one, other = set(stems(pair.one)), set(stems(pair.other))
    return len(one & other) / max(1, len(one | other))


async def score_repeats(part: labels.Part, embedder: str, *, missed: bool) -> None:
    """Print how many texts in disguise are recognised, and which disguises are in every text."""
    some = repeats(part)
    told = [(one, disguise.name, disguise.text) for one in some for disguise in one.disguises]
    bands, _ = await met([(one.text, text) for one, _, text in told], embedder)
    unknown = Counter(name for (_, name, _), band in zip(told, bands, strict=True) if band == "apart")
    names = {disguise.name for one in some for disguise in one.disguises}
    fields = {"part": part, "embedder": embedder}
    figure("dedup.disguises", len(names - unknown.keys()), "", of=len(names), missed=dict(unknown), **fields)
    figure("dedup.repeats", 1 - unknown.total() / len(told), "", texts=len(told), **fields)
    if missed:
        for (one, name, text), band in zip(told, bands, strict=True):
            if band == "apart":
                note(f"{one.id} {name} {text!r}")


async def met(pairs: Sequence[tuple[str, str]], embedder: str) -> tuple[list[str], set[int]]:
    """Return the band of each pair, and which pairs became one memory by curation."""
    clock = ManualClock()
    async with remanence.open(clock=clock, embedder=embedder) as memory:
        first = await memory.learn(one for one, _ in pairs)
        second = await memory.learn(other for _, other in pairs)
        await memory.consolidate()
        bands = []
        for one, other in zip(first, second, strict=True):
            if one.seq == other.seq:
                bands.append("confirmed")
                continue
            links = [link for link in await memory.links(one.seq) if other.seq in (link.source, link.target)]
            named = {LINKS[link.relation] for link in links if link.relation in LINKS}
            bands.append(next((band for band in BANDS if band in named), "apart"))
        clock.advance(days=2)
        plan = await memory.plan(MERGE)
        await memory.apply(plan, allow_destroyed=len(pairs))
        merged = {
            at
            for at, (one, other) in enumerate(zip(first, second, strict=True))
            for seq in {one.seq, other.seq}
            if (await memory.get(seq)).reason is Reason.MERGED
        }
    return bands, merged


async def look_through(n: int) -> None:
    """Print what it takes to find near duplicates among n memories, and how many of those planted are found."""
    texts = list(Maker().texts(n - n // 100))
    repeats_ = [text.replace(" ", ", ", 1) for text in texts[: n // 100]]
    with TemporaryDirectory() as folder:
        async with remanence.open(Path(folder) / "memory.db", embedder="none") as memory:
            await memory.learn([*texts, *repeats_])
            await memory.consolidate()
        async with remanence.open(Path(folder) / "memory.db", embedder="none") as memory:
            with spent() as cost:
                done = (await memory.consolidate(duplicates=True)).duplicates
            assert done is not None
            figure(
                "dedup.candidates_cpu", cost.cpu_s, "s", memories=done.compared, rss_mb=round(rss_peak_mb())
            )
            figure(
                "dedup.candidates_found", done.linked, "", planted=len(repeats_), candidates=done.candidates
            )
            with spent() as cost:
                await memory.plan(MERGE)
            figure("dedup.plan_cpu", cost.cpu_s, "s", pairs=done.linked)


async def score_evidence(path: Path, embedder: str) -> None:
    """Print the share of the turns that hold an answer which no standing memory names any more."""
    samples = json.loads(path.read_text(encoding="utf-8"))
    turns = parse(json.dumps(samples), "locomo", path.name).turns
    asked = questions(samples, {turn.source for turn in turns if turn.source})
    evidence = frozenset().union(*(question.evidence for question in asked))
    clock = ManualClock()
    async with remanence.open(clock=clock, embedder=embedder) as memory:
        learned = await memory.learn(turns)
        await memory.consolidate()
        clock.advance(days=2)
        await memory.apply(await memory.plan(MERGE), allow_destroyed=len(turns))
        told = [await memory.get(seq) for seq in {one.seq for one in learned}]
    named = {source for one in told if one.status in STANDING for source in one.sources}
    own = Counter(one.seq for one in learned)
    shared = sum(count - 1 for count in own.values())
    figure(
        "dedup.lost", 100 * len(evidence - named) / len(evidence), "%", evidence=len(evidence),
        repeats=shared, embedder=embedder,
    )  # fmt: skip


if __name__ == "__main__":
    main()
