"""A memory engine for AI agents that keeps what matters, and can say why, show it first, and take it back."""

from typing import TYPE_CHECKING

from remanence._version import __version__
from remanence.core.clock import Clock, ManualClock, SystemClock
from remanence.core.errors import (
    CapabilityMissing,
    Conflict,
    EmbedderError,
    Erased,
    ErasedSince,
    ExtensionError,
    ImagesEnded,
    IngestError,
    InvalidInput,
    LanguageError,
    LeaseLost,
    ModelError,
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
    WriterError,
)
from remanence.core.later import build_getattr
from remanence.core.model import (
    Decay,
    Kind,
    LearnResult,
    Lifecycle,
    Link,
    Memory,
    PolicyClass,
    Reason,
    RecallResult,
    Relation,
    Role,
    Severity,
    Status,
    Tier,
    Trust,
    Turn,
    Verification,
)
from remanence.core.receipt import Receipt
from remanence.core.results import Result

if TYPE_CHECKING:
    from remanence import sync, types
    from remanence.audit_source import audit
    from remanence.curate.planner.plan import Plan
    from remanence.curate.policy.compiled import Policy
    from remanence.engine import Engine
    from remanence.faces.rest.client import connect
    from remanence.llm.base import Embedder, Writer
    from remanence.opening import (
        change_key,
        open,  # noqa: A004 - the verb of the package
    )
    from remanence.recall.frames import Frame
    from remanence.store.base import Store
    from remanence.store_copy import copy_scopes, move_scope

__all__ = [
    "CapabilityMissing",
    "Clock",
    "Conflict",
    "Decay",
    "Embedder",
    "EmbedderError",
    "Engine",
    "Erased",
    "ErasedSince",
    "ExtensionError",
    "Frame",
    "ImagesEnded",
    "IngestError",
    "InvalidInput",
    "Kind",
    "LanguageError",
    "LearnResult",
    "LeaseLost",
    "Lifecycle",
    "Link",
    "ManualClock",
    "Memory",
    "ModelError",
    "NameUnknown",
    "NotFound",
    "Plan",
    "PlanHeld",
    "Policy",
    "PolicyClass",
    "PolicyError",
    "PolicyMismatch",
    "Protected",
    "Reason",
    "RecallResult",
    "Receipt",
    "Relation",
    "RemanenceError",
    "Result",
    "Role",
    "Severity",
    "Status",
    "Store",
    "StoreDamaged",
    "StoreError",
    "StoreIncompatible",
    "StoreUnavailable",
    "SystemClock",
    "Tier",
    "Trust",
    "Turn",
    "Verification",
    "Writer",
    "WriterError",
    "__version__",
    "audit",
    "change_key",
    "connect",
    "copy_scopes",
    "move_scope",
    "open",
    "sync",
    "types",
]

# What brings numpy and SQL along is imported when it is first asked for: the command line and its help start without.
if not TYPE_CHECKING:  # a type checker sees the imports above, and no name that is not there
    __getattr__ = build_getattr(globals())


def __dir__() -> list[str]:
    return [*__all__]
