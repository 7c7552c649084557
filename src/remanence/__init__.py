"""A memory engine for AI agents that keeps what matters, and can say why, show it first, and take it back."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from remanence._version import __version__
from remanence.change import Receipt
from remanence.clock import Clock, ManualClock, SystemClock
from remanence.errors import (
    Conflict,
    IngestError,
    InvalidInput,
    NameUnknown,
    NotFound,
    PlanHeld,
    PolicyError,
    PolicyMismatch,
    Protected,
    RemanenceError,
    StoreDamaged,
    StoreError,
    StoreIncompatible,
    StoreUnavailable,
)
from remanence.model import Learned, Memory, Recalled, Turn

if TYPE_CHECKING:
    from remanence import sync
    from remanence.curate.plan import Plan
    from remanence.curate.policy.compiled import Policy
    from remanence.engine import Engine
    from remanence.opening import open  # noqa: A004 - the verb of the package

__all__ = [
    "Clock",
    "Conflict",
    "Engine",
    "IngestError",
    "InvalidInput",
    "Learned",
    "ManualClock",
    "Memory",
    "NameUnknown",
    "NotFound",
    "Plan",
    "PlanHeld",
    "Policy",
    "PolicyError",
    "PolicyMismatch",
    "Protected",
    "Recalled",
    "Receipt",
    "RemanenceError",
    "StoreDamaged",
    "StoreError",
    "StoreIncompatible",
    "StoreUnavailable",
    "SystemClock",
    "Turn",
    "__version__",
    "open",
    "sync",
]

# What brings numpy and SQL along is imported when it is first asked for: the command line and its help start without.
_LATER = {
    "Engine": "remanence.engine",
    "Plan": "remanence.curate.plan",
    "Policy": "remanence.curate.policy.compiled",
    "open": "remanence.opening",
}

if not TYPE_CHECKING:  # a type checker sees the imports above, and no name that is not there

    def __getattr__(name: str) -> Any:
        if name == "sync":
            return import_module("remanence.sync")
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_LATER[name]), name)
        return value


def __dir__() -> list[str]:
    return [*__all__]
