"""A memory block of LlamaIndex over this memory: what leaves the short term is heard, what is asked is recalled.

Written for llama-index-core 0.14.25.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from remanence.core.model import TEXT_CHARS_MAX, Role
from remanence.engine import Engine
from remanence.integrations.engine_calls import AnyEngine, EngineCalls
from remanence.integrations.framework_versions import require_framework
from remanence.integrations.own_items import tell_markers
from remanence.llm.prompt_memories import find_room, show_begun, show_recalled

require_framework("llama-index-core", "0.14", "llamaindex")

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.utils import get_tokenizer

_ROLES = {MessageRole.USER: Role.USER, MessageRole.ASSISTANT: Role.ASSISTANT}


class RemanenceMemoryBlock(BaseMemoryBlock[str]):
    """Recalls what bears on the latest words of the user, within a budget, and hears the messages that it is given.

    `memory` is what `remanence.open` or `remanence.sync.open` returns. Without a question the block shows what to begin
    with. The priority is 1 unless you say another: a block of priority 0 is never shortened.
    """

    name: str = Field(default="long_term_memory")
    description: str | None = Field(default="What is remembered from this and earlier conversations.")
    priority: int = Field(default=1)
    budget: int = Field(default=800, ge=1, description="Maximum tokens of content.")
    agent: str = Field(default="agent", description="Name of the assistant as author.")
    _calls: EngineCalls = PrivateAttr()

    def __init__(self, memory: AnyEngine, **fields: Any) -> None:
        super().__init__(**fields)
        self._calls = EngineCalls(memory)

    async def _aget(self, messages: list[ChatMessage] | None = None, **_more: Any) -> str:
        """Return what is remembered of the user's latest words."""
        query = next(
            (
                words
                for one in reversed(messages or [])
                if one.role == "user" and (words := _collect_words(one))
            ),
            "",
        )
        room = find_room(self.budget)

        async def ask(engine: Engine) -> str:
            if not query:
                return show_begun(await engine.frame("boot", budget=room))
            return show_recalled(await engine.recall(query, budget=room))

        return await self._calls.run(ask)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Hear what users and assistants said; what a tool said is not kept."""
        await self._calls.run(partial(self._hear_messages, messages))

    async def _hear_messages(self, messages: Sequence[ChatMessage], engine: Engine) -> None:
        for message in messages:
            words, role = _collect_words(message), _ROLES.get(message.role)
            if words and role is not None:
                thread = message.additional_kwargs.get("session_id")
                agent = self.agent if role is Role.ASSISTANT else None
                noted = await engine.note(words, role=role, thread=thread, agent=agent)
                tell_markers(f"a message of the {role.label}", noted.replacements)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Leave out memories from the last one on until so many tokens are gone; None where none is left."""
        count = get_tokenizer()
        most = len(count(content)) - tokens_to_truncate
        *lines, end = content.split("\n")
        while len(lines) > 2 and len(count("\n".join([*lines, end]))) > most:
            lines.pop()
        return "\n".join([*lines, end]) if len(lines) > 2 else None


def _collect_words(message: ChatMessage) -> str:
    """Return what a message says in words, at most so much as a memory holds."""
    return (message.content or "").replace("\0", "").strip()[:TEXT_CHARS_MAX]
