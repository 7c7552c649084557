"""Whether an exact name stands above one that only begins like it: `python -m benchmarks.identifiers [--pairs N]`.

Pairs of seven kinds (suffixes, paths, tickets, versions, names of people, domains, numbers) are drawn by a seed and
told in seven languages, in either order, in a store of their own; each of the two is asked for alone and in a question.
"""

import argparse
import asyncio
import itertools
from collections import Counter
from random import Random

import remanence
from benchmarks.locomo import EMBEDDERS
from benchmarks.report import figure, settings

OWNERS = ("Mara", "Nils")
SAYINGS = {
    "en": ("The owner of {} is {}.", "who owns {}?"),
    "de": ("Zuständig für {} ist {}.", "Wer ist zuständig für {}?"),
    "es": ("El dueño de {} es {}.", "¿Quién es el dueño de {}?"),
    "fr": ("Le responsable de {} est {}.", "Qui est responsable de {} ?"),
    "pt": ("O dono de {} é {}.", "Quem é o dono de {}?"),
    "zh": ("{} 的负责人是{}。", "{} 的负责人是谁？"),
    "ja": ("{} の担当は{}です。", "{} の担当は誰ですか。"),
}
_WORDS = (
    "billing",
    "payments",
    "harbour",
    "ledger",
    "kiln",
    "search",
    "orders",
    "garden",
    "letters",
    "pumps",
)
_GIVEN = ("John", "Ana", "Tom", "Eva", "Lena", "Omar")
_FAMILY = (
    ("Smith", "Smithson"),
    ("Rod", "Rodgers"),
    ("Hart", "Hartley"),
    ("Lind", "Lindgren"),
    ("Wei", "Weimin"),
)


def draw_pair(kind: str, chance: Random) -> tuple[str, str]:
    """Return a name and a longer one that begins with it."""
    word, number = chance.choice(_WORDS), chance.randrange(10, 990)
    match kind:
        case "suffix":
            return word, f"{word}-{chance.choice(('legacy', 'eu', 'two', 'platform'))}"
        case "path":
            path = (
                f"/{chance.choice(('etc', 'var', 'srv'))}/{word}/{chance.choice(('conf', 'log', 'run.py'))}"
            )
            return path, path + chance.choice((".bak", ".1", "/old", "-2"))
        case "ticket":
            ticket = f"{chance.choice(('TKT', 'OPS', 'BUG', 'REQ'))}-{number}"
            return ticket, f"{ticket}{chance.randrange(10)}"
        case "version":
            version = f"{number % 10}.{number // 10}"
            return version, version + chance.choice((".1", ".2.3", "-rc1"))
        case "name":
            given, (short, long) = chance.choice(_GIVEN), chance.choice(_FAMILY)
            return f"{given} {short}", f"{given} {long}"
        case "domain":
            domain = f"{word}.example"
            return domain, f"{domain}.{chance.choice(('net', 'org', 'test'))}"
        case _:
            return str(number), f"{number}{chance.randrange(10)}"


KINDS = ("suffix", "path", "ticket", "version", "name", "domain", "number")


async def measure(embedder: str, pairs: int, seed: int) -> None:
    """Ask for each of the two by its name, and print how often the other one, or none, stands first."""
    chance, asked, wrong = Random(seed), Counter[str](), Counter[str]()
    cases = itertools.islice(itertools.cycle(itertools.product(SAYINGS, KINDS)), pairs)
    for number, (language, kind) in enumerate(cases):
        pair = draw_pair(kind, chance)
        saying, question = SAYINGS[language]
        async with remanence.open(":memory:", embedder=embedder) as memory:
            told = [saying.format(name, owner) for name, owner in zip(pair, OWNERS, strict=True)]
            for text in told[:: 1 if number % 2 else -1]:
                await memory.learn(text)
            for name, text in zip(pair, told, strict=True):
                for query in (name, question.format(name)):
                    answer = await memory.recall(query, limit=2, count_use=False)
                    asked[kind] += 1
                    wrong[kind] += not answer.memories or answer.memories[0].text != text
    figure(
        "identifiers.wrong",
        wrong.total(),
        "answers",
        goal=0,
        embedder=embedder,
        of=asked.total(),
        by=dict(wrong),
    )


def main() -> None:
    """Measure with vectors and without."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=20261124)
    parser.add_argument("--embedder", choices=EMBEDDERS, nargs="*", default=["auto", "none"])
    given = parser.parse_args()
    settings(pairs=given.pairs, seed=given.seed)
    for embedder in given.embedder:
        asyncio.run(measure(embedder, given.pairs, given.seed))


if __name__ == "__main__":
    main()
