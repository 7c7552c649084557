"""A writer that asks models over OpenAI's API: responses, or chat completions where a server has no responses.

Knows what requests and answers of that API look like; the package `openai` sends them.
"""

from typing import TYPE_CHECKING, Any

from remanence.llm.asking import ModelWriter, Reply, document, items, missing, tokens
from remanence.llm.questions import ModelQuestion
from remanence.llm.replies import CUT_OFF, REFUSES, build_reply_error

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_NO_RESPONSES = frozenset({404, 405, 501})


class OpenAIWriter(ModelWriter["AsyncOpenAI"]):
    """Asks a model of OpenAI, or of any server that speaks its API at `base_url` (or OPENAI_BASE_URL).

    The key is read from OPENAI_API_KEY; a server of one's own may need none. A question, with all tries, has
    `seconds_max`.
    """

    vendor = "openai"
    key_variable = "OPENAI_API_KEY"
    url_variable = "OPENAI_BASE_URL"
    _only_chat = False  # whether this server turned out to have no responses

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
