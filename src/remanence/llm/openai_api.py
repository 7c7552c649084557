"""Embeddings and writing over OpenAI's API, or servers that speak it: many texts a request, either kind of answer.

Knows what requests and answers of that API look like; the package `openai` sends them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from remanence.core.errors import EmbedderError, WriterError
from remanence.llm.asking import ModelWriter, Reply, Vendor, document, items, missing, tokens
from remanence.llm.base import EmbeddedTexts
from remanence.llm.questions import ModelQuestion
from remanence.llm.replies import CUT_OFF, RECOVERY, REFUSES, build_reply_error
from remanence.text.tokens import token_counts

if TYPE_CHECKING:
    from openai import AsyncOpenAI


DEFAULT = "text-embedding-3-small"
CHARS_MAX = (
    8_000  # of a text; OpenAI's models take 8,192 tokens, and a text of Chinese has about one a character
)
BATCH_MAX = 64
ANSWER_BYTES_MAX = 1 << 24  # 64 vectors of 4,096 numbers are 6 MB


class OpenAIVendor(Vendor["AsyncOpenAI"]):
    """Who is asked over OpenAI's API: its key, its client, and what the client raises."""

    vendor = "openai"
    key_variable = "OPENAI_API_KEY"
    url_variable = "OPENAI_BASE_URL"

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


class OpenAIEmbedder(OpenAIVendor):
    """Asks a model of OpenAI, or of any server that speaks its API at `base_url` (or OPENAI_BASE_URL).

    The key is read from OPENAI_API_KEY; a server of one's own may need none. A request, with all tries, has
    `seconds_max`. How long its vectors are, the first answer tells.
    """

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
    entries = sorted(items(found, "data"), key=lambda one: _read_place(one.get("index")))
    if [one.get("index") for one in entries] != list(range(texts)):
        raise EmbedderError(
            f"{len(entries):,} vectors came for {texts:,} texts", recovery=RECOVERY, tokens_used=costs
        )
    try:
        return np.array([one.get("embedding") for one in entries], np.float32)
    except (TypeError, ValueError):
        raise EmbedderError("what came is no list of vectors", recovery=RECOVERY, tokens_used=costs) from None


def _read_place(index: object) -> int:
    return index if type(index) is int else -1


_NO_RESPONSES = frozenset({404, 405, 501})


class OpenAIWriter(OpenAIVendor, ModelWriter["AsyncOpenAI"]):
    """Asks a model of OpenAI, or of any server that speaks its API at `base_url` (or OPENAI_BASE_URL).

    The key is read from OPENAI_API_KEY; a server of one's own may need none. A question, with all tries, has
    `seconds_max`.
    """

    _only_chat = False  # whether this server turned out to have no responses

    async def _ask(self, client: "AsyncOpenAI", question: ModelQuestion) -> Reply:
        """Ask by responses; once a server has none and does answer by chat, by chat alone."""
        from openai import APIStatusError

        if self._only_chat:
            return await self._by_chat(client, question)
        try:
            return await self._by_responses(client, question)
        except APIStatusError as error:
            if error.status_code not in _NO_RESPONSES:
                raise
        reply = await self._by_chat(client, question)
        self._only_chat = True
        return reply

    async def _by_responses(self, client: "AsyncOpenAI", question: ModelQuestion) -> Reply:
        request = client.responses.with_streaming_response.create(
            model=self.model,
            instructions=question.instructions,
            input=question.shown,
            text={
                "format": {
                    "type": "json_schema",
                    "name": question.name,
                    "schema": dict(question.schema),
                    "strict": True,
                }
            },
            max_output_tokens=question.tokens_max,
            store=False,
        )
        async with request as answer:
            body = await document(answer)
        return _parse_response(body)

    async def _by_chat(self, client: "AsyncOpenAI", question: ModelQuestion) -> Reply:
        request = client.chat.completions.with_streaming_response.create(
            model=self.model,
            messages=[
                {"role": "system", "content": question.instructions},
                {"role": "user", "content": question.shown},
            ],
            response_format={
                "type": "json_schema",
                "json_schema": {"name": question.name, "schema": dict(question.schema), "strict": True},
            },
            # Servers of one's own know this name; OpenAI's own has responses.
            max_tokens=question.tokens_max,
        )
        async with request as answer:
            body = await document(answer)
        return _parse_chat(body)


def _parse_response(found: dict[str, Any]) -> Reply:
    """Return what was said in a response."""
    used = tokens(found, "input_tokens", "output_tokens")
    parts = [
        part
        for item in items(found, "output")
        if item.get("type") == "message"
        for part in items(item, "content")
    ]
    if any(part.get("type") == "refusal" for part in parts):
        raise build_reply_error(REFUSES, used or 0)
    if found.get("status") != "completed":
        raise build_reply_error(CUT_OFF, used or 0)
    return Reply("".join(str(part.get("text")) for part in parts if part.get("type") == "output_text"), used)


def _parse_chat(found: dict[str, Any]) -> Reply:
    """Return what was said in a chat."""
    used = tokens(found, "prompt_tokens", "completion_tokens")
    choice = next(iter(items(found, "choices")), {})
    message = choice.get("message")
    if not isinstance(message, dict):
        raise build_reply_error("the answer has no message", used or 0)
    if message.get("refusal"):
        raise build_reply_error(REFUSES, used or 0)
    if choice.get("finish_reason") != "stop":
        raise build_reply_error(CUT_OFF, used or 0)
    return Reply(str(message.get("content")), used)
