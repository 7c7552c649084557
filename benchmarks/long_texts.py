"""What a hostile text of 100 kB costs each reader of what holds now: `python -m benchmarks.long_texts`.

CPU in milliseconds, the most of three dozen shapes of text that repeat what a pattern looks for, and how much more
that is than for half the text: 2 is linear, 4 quadratic. `claims`, `outdating` as the newer, the older and somebody
else's text; and `extract`, whose work grows with the sentences that a text has.
"""

import time
from collections.abc import Callable

from benchmarks.report import figure, settings
from remanence.core.model import Role, Trust
from remanence.read.claims import claims_of
from remanence.read.extract import extract_facts
from remanence.read.extraction import ExtractTurn
from remanence.read.outdating import AttributedText, may_outdate, score_outdated
from remanence.read.self_contained import trim_statement

CHARS = 100_000
SHAPES = (
    *("the rent moved to 815 now ", "Rent Moved ", ",a", "a. ", "...", "\"“'", "([", "(", "7,", "7.4.", "7"),
    *(
        "a",
        " ",
        "\n",
        "a: ",
        "a-",
        "no longer ",
        "ä",
        "现在是三点。",
        "三",
        "今は三点",
        "`a",
        "    a\n",
        "a'",
    ),
    *(
        "- a\n",
        "😀",
        "now, ",
        "correction: ",
        "a? ",
        "i moved to ",
        "bin x nach A ",
        "a7a",
        "ab-cd'",
        ", A",
        "–",
    ),
)
SHORT = "The rent is 740."


def main() -> None:
    """Measure every reader."""
    settings(chars=CHARS, shapes=len(SHAPES))
    for name, read in READERS.items():
        read(SHORT)  # the lists of words are read once
        most, growth = 0.0, 0.0
        for shape in SHAPES:
            half, whole = (
                _measure(read, (shape * (size // len(shape) + 1))[:size]) for size in (CHARS // 2, CHARS)
            )
            most = max(most, whole)
            growth = max(growth, whole / half if whole > 1 else 0.0)
        figure("long_texts.most", most, "ms", reader=name)
        figure("long_texts.growth", growth, "", reader=name)


def _measure(read: Callable[[str], object], text: str) -> float:
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        read(text)
        best = min(best, time.process_time() - begin)
    return best * 1_000


def _say(text: str, speaker: str = "Ana") -> AttributedText:
    return AttributedText(text, speaker, Role.USER, Trust.USER)


def _score(old: AttributedText, new: AttributedText) -> object:
    return score_outdated(old, new, None, {}, 0)


READERS: dict[str, Callable[[str], object]] = {
    "claims": lambda text: claims_of(text, "Ana"),
    "outdating: worth comparing": lambda text: may_outdate(_say(text)),
    "outdating: newer": lambda text: _score(_say(SHORT), _say(text)),
    "outdating: older": lambda text: _score(_say(text), _say(SHORT)),
    "outdating: somebody else": lambda text: _score(_say(SHORT), _say(text, "Ben")),
    "self_contained": lambda text: trim_statement(text, 0, len(text), "en"),
    "extract": lambda text: extract_facts([ExtractTurn("a", text, "Ana", "user", "user", "2026-01-01")], ()),
}

if __name__ == "__main__":
    main()
