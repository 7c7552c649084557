"""A session of OpenAI Agents over this memory: its items in their order, and what is said in words is heard.

Each item is a memory of the thread that is named as the session is, with the item whole among its attributes. What is
popped or cleared leaves a tombstone, so `undo` and `restore` bring it back; only `erase` erases. Written for
openai-agents 0.24.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast
from uuid import uuid4
from weakref import WeakKeyDictionary, WeakValueDictionary

from remanence.core.arguments import check_attributes, check_name
from remanence.core.errors import Conflict, InvalidInput, format_value
from remanence.core.model import TEXT_CHARS_MAX, Memory, Status
from remanence.engine import Engine
from remanence.flows.base.context import RACES_MAX
from remanence.integrations.engine_calls import AnyEngine, EngineCalls
from remanence.integrations.framework_versions import require_framework
from remanence.integrations.own_items import forget_own, is_own, list_own, refuse_protected, tell_markers

require_framework("openai-agents", "0.24", "openai-agents")

from agents import SessionSettings, TResponseInputItem
from agents.memory.session_settings import coerce_session_settings, resolve_session_limit

TAG = "openai-agents"
FORBIDDEN = "[a text that is forbidden here]"
_ITEM = "openai_item"  # the attribute with an item
# A policy may archive or merge what was said, and a person has yet to accept what is in quarantine: it was said.
_SAID = tuple(status for status in Status if status is not Status.PRUNED)
# How roles are called there, and here; what is no message is the program's.
_ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
# Who adds to which session, by its engine, in whose loop alone it is looked at.
_adding: WeakKeyDictionary[Engine, WeakValueDictionary[str, asyncio.Lock]] = WeakKeyDictionary()


class MemorySession:
    """The history of one conversation, for `Runner.run(…, session=…)`.

    `memory` is what `remanence.open` or `remanence.sync.open` returns (`Runner.run_sync` needs the latter), `agent` who
    answers for what the assistant says.
    """

    def __init__(
        self,
        session_id: str,
        memory: AnyEngine,
        *,
        agent: str = "agent",
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        check_name("session_id", session_id)
        self.session_id = session_id
        self.session_settings: SessionSettings | None = coerce_session_settings(session_settings or {})
        self._agent = agent
        self._name = f"an item of the session {session_id}"
        self._calls = EngineCalls(memory)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the latest items in the order they came, all without a limit; a negative one is none."""
        wanted = resolve_session_limit(limit, self.session_settings)
        if wanted == 0:
            return []
        memories = await self._calls.run(partial(self._list, -1 if wanted is None else wanted))
        return [_item_of(one) for one in reversed(memories)]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items, all or none; what users and assistants say is heard, so that recall finds it and facts in it."""
        plain = [json.loads(json.dumps(item)) for item in items]
        for item in plain:
            if not isinstance(item, dict) or not isinstance(item.get("role"), str | None):
                raise InvalidInput(
                    f"{format_value(item)} is no item: it must be a dict, its role a text",
                    recovery="pass whole items",
                )
            check_attributes({_ITEM: item})
        await self._calls.run(partial(self._add_in_turn, plain))

    async def pop_item(self) -> TResponseInputItem | None:
        """Forget the latest item and return it; `undo` brings it back."""
        return await self._calls.run(self._pop_latest)

    async def clear_session(self) -> None:
        """Forget all items; `undo` brings them back."""
        await self._calls.run(self._clear_items)

    async def _list(self, wanted: int, engine: Engine) -> list[Memory]:
        """List the latest memories of this session, newest first; a negative number wants all."""

        def read(memory: Memory) -> Memory | None:
            return memory if is_own(engine, TAG, memory, memory.role) and _is_item(memory) else None

        enough = None if wanted < 0 else wanted
        return await list_own(engine, TAG, _SAID, read, enough=enough, thread=self.session_id)

    async def _add_in_turn(self, items: Sequence[dict[str, Any]], engine: Engine) -> None:
        """Add items after those that another thread or loop is adding, not among them."""
        of_engine = _adding.setdefault(engine, WeakValueDictionary())
        lock = of_engine.setdefault(self.session_id, asyncio.Lock())
        async with lock:
            keys: list[str] = []
            is_done = False
            try:
                for item in items:
                    keys.append(uuid4().hex)
                    await self._add(engine, item, keys[-1])
                is_done = True
            finally:
                if keys and not is_done:  # of the last one nobody knows whether it came in
                    await forget_own(engine, await engine.list(key=keys, status=_SAID, limit=len(keys)))

    async def _add(self, engine: Engine, item: dict[str, Any], key: str) -> None:
        role = _ROLES.get(_role_of(item), "tool")
        words = _collect_words(item)
        if words and role in ("user", "assistant"):
            noted = await engine.note(words, key=key, **self._describe_origin(item, role))
            if noted.status in ("stored", "quarantined"):
                tell_markers(self._name, noted.replacements)
                return
        # Small talk and what was said before are no news to hear, yet items of this conversation.
        text = words or json.dumps(item, ensure_ascii=False)[:TEXT_CHARS_MAX]
        answer = await engine.learn(text, key=key, kind="episodic", **self._describe_origin(item, role))
        if answer.status != "gated":
            tell_markers(self._name, answer.replacements)
            return
        if role == "tool":
            raise InvalidInput(
                f"an item is forbidden here: {answer.reason}", recovery="allow it: forbid(…, off=True)"
            )
        item = {"role": item["role"], "content": FORBIDDEN}
        await engine.learn(FORBIDDEN, key=key, kind="episodic", **self._describe_origin(item, role))

    def _describe_origin(self, item: Mapping[str, Any], role: str) -> dict[str, Any]:
        speaker = {"agent": self._agent} if role != "user" else {"speaker": "user"}
        return {
            "role": role,
            "thread": self.session_id,
            "tags": [TAG],
            "attributes": {_ITEM: item},
            **speaker,
        }

    async def _pop_latest(self, engine: Engine) -> TResponseInputItem | None:
        for attempt in range(1, RACES_MAX + 1):
            latest = await self._list(1, engine)
            if not latest:
                return None
            try:
                refuse_protected(engine, latest[0])
                await engine.forget(latest[0].id, if_revision=latest[0].revision)
                return _item_of(latest[0])
            except Conflict:  # somebody else popped it, or changed it: look again
                if attempt == RACES_MAX:
                    raise
        raise AssertionError("unreachable")

    async def _clear_items(self, engine: Engine) -> None:
        await forget_own(engine, await self._list(-1, engine))


def _is_item(memory: Memory) -> bool:
    """Tell whether a memory has an item of its own role; what corrects an item stands in its thread, and is none.

    What is in quarantine was said, yet as system and developer nobody has said it to the model.
    """
    item = (memory.attributes or {}).get(_ITEM)
    role = _ROLES.get(_role_of(item), "tool") if isinstance(item, dict) else ""
    return role == memory.role.label and (memory.status is not Status.QUARANTINED or role != "system")


def _role_of(item: Mapping[str, Any]) -> str:
    role = item.get("role")
    return role if isinstance(role, str) else ""


def _item_of(memory: Memory) -> TResponseInputItem:
    return cast("TResponseInputItem", (memory.attributes or {})[_ITEM])


def _collect_words(item: Mapping[str, Any]) -> str:
    """Return what a message says in words, at most so much as a memory holds; "" for what is no message."""
    content = item.get("content")
    parts = [content] if isinstance(content, str) else []
    if isinstance(content, list):
        texts = (part.get("text", part.get("refusal")) for part in content if isinstance(part, dict))
        parts = [text for text in texts if isinstance(text, str)]
    words = "\n".join(parts).replace("\0", "") if item.get("role") in _ROLES else ""
    return words[:TEXT_CHARS_MAX] if words.strip() else ""
