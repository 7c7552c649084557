"""A writer that asks models over Anthropic's Messages API; its answer is the input of a tool that it has to call.

Knows what requests and answers of that API look like; the package `anthropic` sends them.
"""

from typing import TYPE_CHECKING, Any

import orjson

from remanence.llm.asking import ModelWriter, Reply, document, items, missing, tokens
from remanence.llm.questions import ModelQuestion
from remanence.llm.replies import CUT_OFF, REFUSES, build_reply_error

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


class AnthropicWriter(ModelWriter["AsyncAnthropic"]):
    """Asks a model of Anthropic, or of any server that speaks its Messages API at `base_url` (or ANTHROPIC_BASE_URL).

    The key is read from ANTHROPIC_API_KEY; a server of one's own may need none. A question, with all tries, has
    `seconds_max`.
    """

    vendor = "anthropic"
    key_variable = "ANTHROPIC_API_KEY"
    url_variable = "ANTHROPIC_BASE_URL"

    def _failures(self) -> tuple[type[Exception], ...]:
        try:
            from anthropic import APIError
            from httpx2 import HTTPError
        except ModuleNotFoundError:
            raise missing(self.vendor) from None
        return (APIError, HTTPError)

    def _make_client(self, key: str, base_url: str | None) -> "AsyncAnthropic":
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

        return AsyncAnthropic(
            api_key=key,
            base_url=base_url,
            max_retries=0,
            timeout=self.seconds_max,
            http_client=DefaultAsyncHttpxClient(follow_redirects=False),
        )

    async def _ask(self, client: "AsyncAnthropic", question: ModelQuestion) -> Reply:
        request = client.messages.with_streaming_response.create(
            model=self.model,
            system=question.instructions,
            messages=[{"role": "user", "content": question.shown}],
            tools=[
                {
                    "name": question.name,
                    "description": "Takes the answer.",
                    "input_schema": dict(question.schema),
                }
            ],
            tool_choice={"type": "tool", "name": question.name, "disable_parallel_tool_use": True},
            max_tokens=question.tokens_max,
        )
        async with request as answer:
            body = await document(answer)
        return _parse_tool_call(body, question.name)


def _parse_tool_call(found: dict[str, Any], tool: str) -> Reply:
    """Return what the tool was called with."""
    counts = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    used = tokens(found, *counts)
    stop_reason, blocks = found.get("stop_reason"), items(found, "content")
    if stop_reason == "refusal":
        raise build_reply_error(REFUSES, used or 0)
    if stop_reason not in {"tool_use", "end_turn"}:
        raise build_reply_error(CUT_OFF, used or 0)
    for block in blocks:
        if block.get("type") == "tool_use" and block.get("name") == tool:
            return Reply(orjson.dumps(block.get("input")).decode(), used)
    raise build_reply_error("the model did not answer in the shape that was asked for", used or 0)
