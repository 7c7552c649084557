"""What the engine asks of an embedder and of a writer. Knows no model."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeGuard, runtime_checkable

import numpy as np
import numpy.typing as npt

from remanence.read.extraction import ExtractRequest, ExtractResult, ExtractTurn, ShortenResult
from remanence.text.twins import SimilarityThresholds

Vectors = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
WordWeight = Callable[[str], float]
# What the stem of each word weighs in its text: stems, and beside each the place of its text among those embedded.
WordWeights = Callable[[Sequence[str], Ints], Vectors]

__all__ = [
    "EmbeddedTexts",
    "Embedder",
    "Extractor",
    "Ints",
    "Judgement",
    "QuestionEmbedder",
    "Shortener",
    "SimilarityThresholds",
    "TogetherEmbedder",
    "Vectors",
    "WaitingEmbedder",
    "WordWeight",
    "WordWeights",
    "Writer",
    "embeds_together",
    "unit_rows",
]


def unit_rows(rows: Vectors) -> Vectors:
    """Scale each row to length 1, in place; zero rows stay zero."""
    # As `norm` has it, without what that asks about its arguments.
    norms: Vectors = np.sqrt(np.add.reduce(rows * rows, axis=1, keepdims=True))
    np.divide(rows, norms, out=rows, where=norms > 0)
    return rows


class Embedder(Protocol):
    """Texts in, unit vectors out, at once, inside `learn`; the same text always gives the same vector."""

    @property
    def name(self) -> str:
        """The model's name, stored with its vectors; another name means other vectors."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of a vector; 0 for an embedder that makes none."""
        ...

    @property
    def thresholds(self) -> SimilarityThresholds:
        """From which cosines texts are similar or near, and below which strength an answer is weak."""
        ...

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return one unit row per text, zeros where a text has nothing to embed.

        `weight` says what the stem of a word weighs, usually how rare it is; an embedder may ignore it.
        """
        ...


@runtime_checkable
class TogetherEmbedder(Protocol):
    """An embedder that takes many texts in one pass where a word weighs something else in each of them."""

    def embed_together(self, texts: Sequence[str], weights: WordWeights) -> Vectors:
        """Return what `embed` gives for each text alone."""
        ...


def embeds_together(embedder: Embedder) -> TypeGuard[TogetherEmbedder]:
    """True if an embedder takes many texts in one pass."""
    # By its class, of which the answer is remembered; of each object it would be looked for anew.
    return issubclass(type(embedder), TogetherEmbedder)


@dataclass(frozen=True, slots=True)
class EmbeddedTexts:
    """Vectors that a model made of texts: a row for each, in their order, and the tokens that it used."""

    vectors: Vectors
    tokens_used: int = 0


class WaitingEmbedder(Protocol):
    """A model, in this process or on a server, that takes its time: asked at consolidation, never inside `learn`.

    Its vectors are used in addition to the static ones; if it fails, the static vectors and the words answer alone.
    """

    @property
    def name(self) -> str:
        """The model's name, stored with its vectors; another name means other vectors."""
        ...

    @property
    def dimensions(self) -> int | None:
        """The length of a vector; None where only the first answer tells."""
        ...

    @property
    def waits(self) -> bool:
        """Always True: it may not be asked inside `learn`."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors | EmbeddedTexts | Awaitable[Vectors | EmbeddedTexts]:
        """Return one row per text; called in a thread of its own, unless it is `async`."""
        ...


@runtime_checkable
class QuestionEmbedder(Protocol):
    """A waiting embedder for which a question is embedded otherwise than what answers it."""

    def embed_questions(
        self, texts: Sequence[str]
    ) -> Vectors | EmbeddedTexts | Awaitable[Vectors | EmbeddedTexts]:
        """Return one row per question."""
        ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """Judgement of a text by a model: how well it fits who the agent is, and which other texts it contradicts.

    `alignment` is from 0 to 1. `contradicts` maps ids of the other texts that the model was shown to a confidence from
    0 to 1, and `replaces` does so for texts that were true before and are no longer true, according to this text.
    `repeats` are texts that say the same, no more and no less; a person is shown them. `tokens_used` is the cost of the
    question. `tags` are added to the memory's tags; a tag that says who the agent is (self/…) is only proposed.
    """

    alignment: float
    contradicts: Mapping[str, float] = field(default_factory=dict)
    tokens_used: int = 0
    tags: Sequence[str] = ()
    replaces: Mapping[str, float] = field(default_factory=dict)
    repeats: Mapping[str, float] = field(default_factory=dict)


class Writer(Protocol):
    """A language model that consolidation asks about each text; its judgement is stored with the memory.

    It may be an `Extractor` and a `Shortener` too.
    """

    @property
    def name(self) -> str:
        """The model's name, which the audit keeps beside what it judged."""
        ...

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Judge one text in the light of who the agent is (`identity`) and of similar memories by id.

        Raise WriterError where no judgement can be had.
        """
        ...


@runtime_checkable
class Extractor(Protocol):
    """A model that finds facts in what was said."""

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Find what is wanted in at most 100 turns, each fact with the turn that it was learned from.

        Raise WriterError where nothing can be had.
        """
        ...


@runtime_checkable
class Shortener(Protocol):
    """A model that says the same in fewer words."""

    async def shorten(self, text: str, tokens_max: int) -> ShortenResult:
        """Return a text of at most `tokens_max` tokens that says the same as this one.

        Raise WriterError where none can be had.
        """
        ...
