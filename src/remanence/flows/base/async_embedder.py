"""A waiting embedder as the engine asks it: in time, beside the event loop, and never believed unlooked-at.

Knows no store. What a model gives that is not a finite row of one length for each text is an EmbedderError.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from inspect import isawaitable, iscoroutinefunction
from typing import Any

import numpy as np

from remanence.core.errors import EmbedderError, ModelError, RemanenceError, format_value
from remanence.core.results import one_line
from remanence.flows.base import extensions
from remanence.flows.base.extensions import DIMENSIONS_MAX, NAME_CHARS_MAX, is_waiting, wrap_extension_errors
from remanence.llm.asking import Vendor
from remanence.llm.base import (
    EmbeddedTexts,
    Embedder,
    QuestionEmbedder,
    Vectors,
    WaitingEmbedder,
    unit_rows,
)
from remanence.llm.local import BUILT_IN
from remanence.llm.named import EMBEDDERS, waiting_embedder

BATCH_MAX = 32  # texts that a model is given at once, where it does not say how many it takes
BATCH_SECONDS_MAX = 300.0
QUESTION_SECONDS_MAX = 10.0
QUESTIONS_KEPT = 256
# So long questions are not put to a model that failed: else each recall would wait for it in vain.
REST_S = 30.0
MESSAGE_CHARS_MAX = 300
LOG = logging.getLogger("remanence")


def parts(embedder: "str | Embedder | WaitingEmbedder") -> tuple[Embedder, "Model | None"]:
    """Return what embeds inside `learn`, and the model beside it where an embedder that waits is meant."""
    name = ""
    if isinstance(embedder, str):
        built_in = BUILT_IN.get(embedder)
        if built_in is not None:
            return built_in(), None
        name = embedder
        waiting = waiting_embedder(name)
        embedder = extensions.embedder(name, [*BUILT_IN, *EMBEDDERS]) if waiting is None else waiting
    if is_waiting(embedder):
        return BUILT_IN["auto"](), Model(embedder, name)
    return embedder, None


class Model:
    """One waiting embedder; `failure` says why it did not answer a question last, "" where it did.

    `asked_for` is the name that it was asked for by, "" where an object was given.
    """

    def __init__(self, given: WaitingEmbedder, asked_for: str = "") -> None:
        self._given = given
        self.asked_for = asked_for
        with wrap_extension_errors(f"the embedder {asked_for}" if asked_for else "the embedder"):
            self.name, self.dimensions = given.name, given.dimensions
            self.batch_max: int = getattr(given, "batch_max", BATCH_MAX)
        if not _is_name(self.name):
            raise self._build_answer_error(f"{format_value(self.name)} as its name")
        if self.dimensions is not None and not _is_length(self.dimensions):
            raise self._build_answer_error(f"{format_value(self.dimensions)} as its dimensions")
        self.failure = ""
        self._rests_until = 0.0
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._thread: ThreadPoolExecutor | None = None

    async def embed(self, texts: Sequence[str]) -> EmbeddedTexts:
        """Return unit rows of texts, of at most `batch_max` distinct ones; raise EmbedderError where there are none."""
        distinct = list(dict.fromkeys(texts))
        embeddings = await self._ask_with_timeout(self._given.embed, distinct, BATCH_SECONDS_MAX)
        place = {text: at for at, text in enumerate(distinct)}
        return EmbeddedTexts(embeddings.vectors[[place[text] for text in texts]], embeddings.tokens_used)

    async def question(self, text: str) -> EmbeddedTexts | None:
        """Return the unit row of a question, None where the model does not answer; `failure` then says why.

        The latest questions are kept. What failed is not asked again before a while has passed.
        """
        if (vector := self._kept.get(text)) is not None:
            self._kept.move_to_end(text)
            return EmbeddedTexts(vector)
        loop = asyncio.get_running_loop()
        if loop.time() < self._rests_until:
            return None
        embedder = self._given
        ask = embedder.embed_questions if isinstance(embedder, QuestionEmbedder) else embedder.embed
        try:
            embeddings = await self._ask_with_timeout(ask, [text], QUESTION_SECONDS_MAX)
        except RemanenceError as error:
            if not self.failure:
                LOG.warning("recall goes on without the embedder %s: %s", self.name, error)
            self.failure, self._rests_until = str(error), loop.time() + REST_S
            return None
        self.failure = ""
        self._kept[text] = embeddings.vectors[0]
        if len(self._kept) > QUESTIONS_KEPT:
            self._kept.popitem(last=False)
        return EmbeddedTexts(embeddings.vectors[0], embeddings.tokens_used)

    async def close(self) -> None:
        """Let go what was begun for it here; what runs in its thread comes to its end by itself."""
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None
        if isinstance(self._given, Vendor) and self.asked_for:
            await self._given.close()

    async def _ask_with_timeout(
        self, ask: Callable[..., Any], texts: list[str], seconds_max: float
    ) -> EmbeddedTexts:
        """Ask within a time limit."""
        label = f"the embedder {self.name}"
        try:
            async with asyncio.timeout(seconds_max):
                with wrap_extension_errors(label):
                    pending = (
                        ask(texts) if iscoroutinefunction(ask) else await self._run_in_thread(ask, texts)
                    )
                    answer = await pending if isawaitable(pending) else pending
        except TimeoutError:
            raise EmbedderError(
                f"{label} gave no answer within {seconds_max:g} s", recovery=_RECOVERY
            ) from None
        except ModelError:
            raise
        except RemanenceError as error:
            raise EmbedderError(one_line(str(error), MESSAGE_CHARS_MAX), recovery=_RECOVERY) from error
        return self._looked_at(answer, len(texts))

    async def _run_in_thread(self, ask: Callable[..., Any], texts: list[str]) -> Any:
        """Ask in the model's own thread, one batch after another."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "remanence-embedder")
        return await asyncio.get_running_loop().run_in_executor(self._thread, ask, texts)

    def _looked_at(self, given: object, texts: int) -> EmbeddedTexts:
        """Refuse what is not one finite row of the known length for each text."""
        tokens_used = given.tokens_used if isinstance(given, EmbeddedTexts) else 0
        try:
            rows = np.array(given.vectors if isinstance(given, EmbeddedTexts) else given, np.float32)
        except (TypeError, ValueError):
            raise self._build_answer_error(f"{format_value(given)} for vectors", tokens_used) from None
        if rows.ndim != 2 or len(rows) != texts:
            raise self._build_answer_error(f"an array of shape {rows.shape} for {texts:,} texts", tokens_used)
        dimensions = self.dimensions or rows.shape[1]
        if rows.shape[1] != dimensions or not 0 < dimensions <= DIMENSIONS_MAX:
            raise self._build_answer_error(
                f"vectors of {rows.shape[1]:,} numbers instead of {dimensions:,}", tokens_used
            )
        if not np.isfinite(rows).all():
            raise self._build_answer_error("numbers that are not finite", tokens_used)
        self.dimensions = dimensions
        return EmbeddedTexts(unit_rows(rows), tokens_used)

    def _build_answer_error(self, what: str, tokens_used: int = 0) -> EmbedderError:
        return EmbedderError(
            f"the embedder {format_value(self.name)} gave {what}", recovery=_RECOVERY, tokens_used=tokens_used
        )


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= NAME_CHARS_MAX


def _is_length(value: object) -> bool:
    return type(value) is int and 0 < value <= DIMENSIONS_MAX


_RECOVERY = "nothing of it was written; mend or change the embedder, and it goes on where it stopped"
