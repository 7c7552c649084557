"""No text makes the package slow: what it costs grows with its length, whatever is in it."""

import re
import time
from collections.abc import Callable
from functools import partial
from types import ModuleType

import pytest

import remanence
from remanence.core.errors import RemanenceError
from remanence.core.model import TEXT_CHARS_MAX
from remanence.curate.policy.compiled import load
from remanence.llm.offline import HashedEmbedder
from remanence.recall.passages import passage
from remanence.text.analysis import fingerprint, sentences, stems, terms_of, visible, vital_tokens, words
from remanence.text.condense import condense_text
from remanence.text.summary import complaint
from remanence.text.tokens import token_counts
from remanence.text.twins import SimilarityThresholds, verdict
from remanence.write.transcripts.formats import parse
from remanence.write.value import keep_value
from tests.laws import growth

# Which of them are a module's own is read in its source, which takes longer: its test does that.
MODULES = [module for module in growth.modules() if growth.holds_patterns(module)]
LITTLE_S = 1.0  # CPU time that is no harm, whatever the ratio; quadratic work took 6.5 s
BANDS = SimilarityThresholds(similar=0.0, near=0.0)
RULE = 'version = 1\nname = "x"\n[[rule]]\nname = "a"\nevery = "deep"\nphase = "expire"\ndo = "archive"\nwhere = "{}"\n'


def _valued(text: str) -> object:
    return keep_value(
        text, terms=terms_of(text), memories=1, df={}, place=0, after_question=False, assistant=False
    )


def _refused(work: Callable[[str], object]) -> Callable[[str], None]:
    """Do work that most of these texts are refused by."""

    def tried(text: str) -> None:
        try:
            work(text)
        except RemanenceError:
            return

    return tried


WORK: dict[str, Callable[[str], object]] = {
    "sentences": sentences,
    "words": words,
    "stems": stems,
    "fingerprint": fingerprint,
    "vital_tokens": vital_tokens,
    "visible": visible,
    "token_counts": lambda text: token_counts([text]),
    "passage": lambda text: passage(text, {"tide"}, lambda shown: len(shown) < len(text) // 2),
    "keep_value": _valued,
    "verdict": lambda text: verdict(text, text + ", b", 1.0, BANDS),
    "embed": lambda text: HashedEmbedder().embed([text]),
    "parse": _refused(parse),
    "condensed": condense_text,
    "complaint": lambda text: complaint(text, text[: len(text) // 2]),
    "load": _refused(load),
    "load a condition": _refused(lambda text: load(RULE.format(text))),
}


def _repeated(piece: str, chars: int) -> str:
    return "x" + piece * (chars // len(piece)) + "copper lamp at the harbour"


def test_no_pattern_is_made_out_of_sight() -> None:
    """Every pattern of the package is a name of its module, so that the next test meets it, and something uses it."""
    found = [each for module in growth.modules() for each in growth.uncounted(module)]
    unused = [
        f"{module.__name__}.{name}"
        for module in growth.modules()
        for name in growth.patterns(module)
        if not growth.looks(module, name)
    ]

    assert ([], []) == (found, unused)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_a_pattern_costs_twice_as_much_on_twice_the_text(module: ModuleType) -> None:
    """Called as the source calls it, no pattern takes more than 2.5 times as long when a hard text doubles.

    Thousands of texts are tried on each; on the slowest of them it is measured how the time grows.
    """
    assert {} == _growing(module, growth.SLOWEST)


@pytest.mark.deep
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_a_pattern_costs_twice_as_much_on_twice_of_every_text(module: ModuleType) -> None:
    """The same deep: on every text that takes long at all."""
    assert {} == _growing(module, None)


def _growing(module: ModuleType, most: int | None) -> dict[tuple[str, str], list[str]]:
    """Return the hard texts on which a pattern of a module takes too long, by its name and how it is looked for."""
    found = {
        (name, look): _slow(pattern, look, most)
        for name, pattern in growth.patterns(module).items()
        for look in sorted(growth.looks(module, name))
    }
    return {where: texts for where, texts in found.items() if texts}


def _slow(pattern: re.Pattern[str], look: str, most: int | None) -> list[str]:
    heads_max = growth.HEADS_MAX if most else growth.HEADS_DEEP_MAX
    hard: list[Callable[[int], str]] = [*growth.hard_texts(pattern, heads_max)]
    hard += [partial(_repeated, piece) for piece in growth.PIECES]
    return [text(40) for text in growth.growing(partial(growth.run_on, pattern, look), hard, most)]


@pytest.mark.parametrize("what", WORK)
def test_a_text_costs_twice_as_much_when_it_is_twice_as_long(what: str) -> None:
    """Nothing that is done with a text takes more than 2.5 times as long when a hard text doubles."""
    hard = [piece for piece in growth.PIECES if growth.grows(WORK[what], partial(_repeated, piece))]

    assert [] == hard


@pytest.mark.parametrize("pattern", [r"\d+x", r"(?:a|b)+c", r"\s+on\s"])
def test_the_measure_notices_a_quadratic_pattern(pattern: str) -> None:
    """A pattern that is known to be quadratic is one by this measure."""
    compiled = re.compile(pattern)
    run = partial(growth.run_on, compiled, "finditer")

    assert any(growth.grows(run, text) for text in growth.hard_texts(compiled))


def test_texts_are_as_long_as_a_text_may_be() -> None:
    """What is measured is far shorter than the longest text, so that a growth has room to show."""
    assert growth.SUSPECT_CHARS * 8 <= TEXT_CHARS_MAX


@pytest.mark.parametrize("piece", ["!", "…", "\u0301\u0323", "a_"])
async def test_two_hostile_texts_cost_what_their_length_says(piece: str) -> None:
    """Learned and consolidated through the public verbs, texts of twice the length take at most 2.5 times as long."""
    spent = {chars: min([await _spent(piece * chars) for _ in range(3)]) for chars in (4_000, 8_000)}

    assert spent[8_000] <= max(LITTLE_S, growth.GROWTH_MAX * spent[4_000])


async def _spent(run: str) -> float:
    async with remanence.open(embedder="hashed") as memory:
        began = time.process_time()
        for tail in ("", ", b"):
            await memory.learn(f"{run}copper lamp at the harbour{tail}")
        await memory.consolidate()
        return time.process_time() - began
