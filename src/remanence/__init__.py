"""A memory engine for AI agents that keeps what matters, and can say why, show it first, and take it back."""

from remanence._version import __version__
from remanence.change import Receipt
from remanence.clock import Clock, ManualClock, SystemClock
from remanence.curate.plan import Plan
from remanence.curate.policy import Policy
from remanence.engine import Engine
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
]
