"""Which rules of the contract are asked of a store: those of what it can do. Knows capabilities; knows no rule."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar

try:
    import pytest
    import pytest_asyncio  # noqa: F401 - it runs the rules
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"the contract of a store needs pytest and pytest-asyncio, and {error.name} is not installed:"
        " pip install pytest pytest-asyncio"
    ) from error

from remanence.store.base import Store
from remanence.store.capabilities import Capability, can

Rules = TypeVar("Rules", bound=type)
Rule = Callable[..., Awaitable[None]]


def needs(*capabilities: Capability) -> Callable[[Rules], Rules]:
    """Let the rules of a class be skipped, with the reason, where a store lacks one of these."""

    def guard(rules: Rules) -> Rules:
        for name, rule in list(vars(rules).items()):
            if name.startswith("test_"):
                setattr(rules, name, needs_also(*capabilities)(rule))
        return rules

    return guard


def needs_also(*capabilities: Capability) -> Callable[[Rule], Rule]:
    """Let one rule be skipped where a store lacks one of these."""

    def guard(rule: Rule) -> Rule:
        @wraps(rule)
        async def ask(self: object, store: Store, *given: Any, **more: Any) -> None:
            for capability in capabilities:
                if not can(store, capability):
                    pytest.skip(f"this store lacks the capability {capability.name!r}")
            await rule(self, store, *given, **more)

        return ask

    return guard
