"""An embedder that asks models over OpenAI's API, many texts in a request.

Knows what requests and answers of that API look like; the package `openai` sends them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from remanence.core.errors import EmbedderError, WriterError
from remanence.llm.asking import Vendor, document, items, missing, tokens
from remanence.llm.base import EmbeddedTexts
from remanence.llm.replies import RECOVERY
from remanence.text.tokens import token_counts

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT = "text-embedding-3-small"
CHARS_MAX = (
    8_000  # of a text; OpenAI's models take 8,192 tokens, and a text of Chinese has about one a character
)
BATCH_MAX = 64
ANSWER_BYTES_MAX = 1 << 24  # 64 vectors of 4,096 numbers are 6 MB


class OpenAIEmbedder(Vendor["AsyncOpenAI"]):
    """Asks a model of OpenAI, or of any server that speaks its API at `base_url` (or OPENAI_BASE_URL).

    The key is read from OPENAI_API_KEY; a server of one's own may need none. A request, with all tries, has
    `seconds_max`. How long its vectors are, the first answer tells.
    """

    vendor = "openai"
    key_variable = "OPENAI_API_KEY"
    url_variable = "OPENAI_BASE_URL"
    what = "embedder"
    error = EmbedderError
    waits = True
    batch_max = BATCH_MAX
    dimensions: int | None = None

    async def embed(self, texts: Sequence[str]) -> EmbeddedTexts:
        """Return one row per text; only the first so many characters of each are sent."""
        # Servers refuse a text without anything in it.
        inputs = [text[:CHARS_MAX] if text.strip() else "." for text in texts]
        costs = sum(token_counts(inputs))
        try:
            answer = await self._ask_in_time(lambda client: self._fetch_embeddings(client, inputs), costs)
        except WriterError as error:
            raise EmbedderError(str(error), recovery=error.recovery, tokens_used=costs) from None
        used = tokens(answer, "total_tokens")
        return EmbeddedTexts(_rows(answer, len(inputs), costs), costs if used is None else used)

    def _failures(self) -> tuple[type[Exception], ...]:
        try:
            from httpx2 import HTTPError
            from openai import APIError
        except ModuleNotFoundError:
            raise missing(self.vendor) from None
        return (APIError, HTTPError)

    def _make_client(self, key: str, base_url: str | None) -> "AsyncOpenAI":
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        return AsyncOpenAI(
            api_key=key,
            base_url=base_url,
            max_retries=0,
            timeout=self.seconds_max,
            http_client=DefaultAsyncHttpxClient(follow_redirects=False),
        )

    async def _fetch_embeddings(self, client: "AsyncOpenAI", texts: Sequence[str]) -> dict[str, Any]:
        request = client.embeddings.with_streaming_response.create(
            model=self.model, input=[*texts], encoding_format="float"
        )
        async with request as answer:
            return await document(answer, ANSWER_BYTES_MAX)


def _rows(
    found: dict[str, Any], texts: int, costs: int
) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
    """Return the vectors in the order of the texts, whatever order the server has them in."""
    entries = sorted(items(found, "data"), key=lambda one: _place(one.get("index")))
    if [one.get("index") for one in entries] != list(range(texts)):
        raise EmbedderError(
            f"{len(entries):,} vectors came for {texts:,} texts", recovery=RECOVERY, tokens_used=costs
        )
    try:
        return np.array([one.get("embedding") for one in entries], np.float32)
    except (TypeError, ValueError):
        raise EmbedderError("what came is no list of vectors", recovery=RECOVERY, tokens_used=costs) from None


def _place(index: object) -> int:
    return index if type(index) is int else -1
