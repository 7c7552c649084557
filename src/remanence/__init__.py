"""A memory engine for AI agents that keeps what matters, and can say why, show it first, and take it back."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from remanence._version import __version__
from remanence.clock import Clock, ManualClock, SystemClock
from remanence.errors import (
    Conflict,
    EmbedderError,
    Erased,
    ErasedSince,
    ExtensionError,
    ImagesEnded,
    IngestError,
    InvalidInput,
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
from remanence.guide import Guide
from remanence.keywords import (
    About,
    AboutNamed,
    ActionName,
    Asking,
    CadenceName,
    Columns,
    DecayName,
    Editable,
    Foretelling,
    IfExists,
    KindName,
    LifecycleName,
    Moment,
    OutcomeName,
    PolicyClassName,
    Progress,
    ReasonName,
    RelationName,
    RoleName,
    SeverityName,
    Some,
    StatusName,
    TierName,
    TrustName,
    VerificationName,
)
from remanence.model import (
    Affected,
    Decay,
    Dropped,
    Hit,
    Kind,
    Learned,
    Lifecycle,
    Link,
    Memories,
    Memory,
    OneMemory,
    PolicyClass,
    Rated,
    Reason,
    Recalled,
    Relation,
    Role,
    Severity,
    Status,
    Tier,
    Trust,
    Turn,
    Verification,
)
from remanence.receipt import Consolidated, LinkedDuplicates, Listened, Receipt
from remanence.results import Result

if TYPE_CHECKING:
    from remanence import sync
    from remanence.claim import Forbidden
    from remanence.curate.explain import Explanation
    from remanence.curate.forecast_report import Forecast, Leaving, RunToCome
    from remanence.curate.plan import Plan
    from remanence.curate.planner.plan_diff import PlanDiff
    from remanence.curate.planner.plan_report import PlanReport
    from remanence.curate.policy.compiled import Policy
    from remanence.engine import Engine
    from remanence.extraction import Entity, Extracted, Fact, Heard, Relationship, Shortened, Wanted
    from remanence.flows.acted import EngineAction
    from remanence.flows.boxes import Box, Boxes, Trace, Traces
    from remanence.flows.copies import RegisteredCopy
    from remanence.flows.curate.daemon import Ended
    from remanence.flows.curate.run_names import Run
    from remanence.flows.curate.runs import RunReport
    from remanence.flows.curate.schedules import Schedule
    from remanence.flows.curate.scheduling import Ran
    from remanence.flows.curate.ticking import Ticked
    from remanence.flows.curate.timetable import Timetable
    from remanence.flows.entities import Entities, EntityProfile, KnownEntity
    from remanence.flows.erase import Erase, Erasing, Erasure
    from remanence.flows.erase_since import ErasedSinceReport
    from remanence.flows.expiring import Expired
    from remanence.flows.forbidding import ForbiddenTexts
    from remanence.flows.graph import Contradiction, Graph
    from remanence.flows.guidelines import ActiveGuidelines, GuidelineDraft, Guidelines
    from remanence.flows.inspect import Event, State
    from remanence.flows.mirror.applying import Applied
    from remanence.flows.mirror.hand_edits import FileEdit
    from remanence.flows.mirror.mirror import Mirror
    from remanence.flows.mirror.watching import Mirrored
    from remanence.flows.recall.kept_frames import Frames
    from remanence.flows.recall.profiling import Profile, ProfileLine, Topic
    from remanence.flows.reembedding import Reembedded
    from remanence.flows.review import Review, ReviewItem, ReviewQueue
    from remanence.flows.scope_policy import ScopePolicy
    from remanence.flows.settings import Setting, Settings
    from remanence.flows.write.extracting import Estimated, Extraction, FoundFact, OfflineExtractor
    from remanence.flows.write.ingesting import Ingested
    from remanence.flows.write.noting import Noted
    from remanence.flows.write.proposals import Proposal
    from remanence.flows.write.settling import Upcoming
    from remanence.flows.write.waiting import Waiting
    from remanence.llm.base import (
        EmbeddedTexts,
        Embedder,
        Extractor,
        Judgement,
        Shortener,
        SimilarityThresholds,
        WaitingEmbedder,
        Writer,
    )
    from remanence.opening import (
        OwnParts,
        open,  # noqa: A004 - the verb of the package
    )
    from remanence.recall.frames import Frame, FrameDefinition
    from remanence.store.base import Check, Store
    from remanence.write.engine_actions import Eligibility
    from remanence.write.guideline_learning import Guideline
    from remanence.write.transcripts.base import Importer

__all__ = [
    "About",
    "AboutNamed",
    "ActionName",
    "ActiveGuidelines",
    "Affected",
    "Applied",
    "Asking",
    "Box",
    "Boxes",
    "CadenceName",
    "Check",
    "Clock",
    "Columns",
    "Conflict",
    "Consolidated",
    "Contradiction",
    "Decay",
    "DecayName",
    "Dropped",
    "Editable",
    "Eligibility",
    "EmbeddedTexts",
    "Embedder",
    "EmbedderError",
    "Ended",
    "Engine",
    "EngineAction",
    "Entities",
    "Entity",
    "EntityProfile",
    "Erase",
    "Erased",
    "ErasedSince",
    "ErasedSinceReport",
    "Erasing",
    "Erasure",
    "Estimated",
    "Event",
    "Expired",
    "Explanation",
    "ExtensionError",
    "Extracted",
    "Extraction",
    "Extractor",
    "Fact",
    "FileEdit",
    "Forbidden",
    "ForbiddenTexts",
    "Forecast",
    "Foretelling",
    "FoundFact",
    "Frame",
    "FrameDefinition",
    "Frames",
    "Graph",
    "Guide",
    "Guideline",
    "GuidelineDraft",
    "Guidelines",
    "Heard",
    "Hit",
    "IfExists",
    "ImagesEnded",
    "Importer",
    "IngestError",
    "Ingested",
    "InvalidInput",
    "Judgement",
    "Kind",
    "KindName",
    "KnownEntity",
    "Learned",
    "LeaseLost",
    "Leaving",
    "Lifecycle",
    "LifecycleName",
    "Link",
    "LinkedDuplicates",
    "Listened",
    "ManualClock",
    "Memories",
    "Memory",
    "Mirror",
    "Mirrored",
    "ModelError",
    "Moment",
    "NameUnknown",
    "NotFound",
    "Noted",
    "OfflineExtractor",
    "OneMemory",
    "OutcomeName",
    "OwnParts",
    "Plan",
    "PlanDiff",
    "PlanHeld",
    "PlanReport",
    "Policy",
    "PolicyClass",
    "PolicyClassName",
    "PolicyError",
    "PolicyMismatch",
    "Profile",
    "ProfileLine",
    "Progress",
    "Proposal",
    "Protected",
    "Ran",
    "Rated",
    "Reason",
    "ReasonName",
    "Recalled",
    "Receipt",
    "Reembedded",
    "RegisteredCopy",
    "Relation",
    "RelationName",
    "Relationship",
    "RemanenceError",
    "Result",
    "Review",
    "ReviewItem",
    "ReviewQueue",
    "Role",
    "RoleName",
    "Run",
    "RunReport",
    "RunToCome",
    "Schedule",
    "ScopePolicy",
    "Setting",
    "Settings",
    "Severity",
    "SeverityName",
    "Shortened",
    "Shortener",
    "SimilarityThresholds",
    "Some",
    "State",
    "Status",
    "StatusName",
    "Store",
    "StoreDamaged",
    "StoreError",
    "StoreIncompatible",
    "StoreUnavailable",
    "SystemClock",
    "Ticked",
    "Tier",
    "TierName",
    "Timetable",
    "Topic",
    "Trace",
    "Traces",
    "Trust",
    "TrustName",
    "Turn",
    "Upcoming",
    "Verification",
    "VerificationName",
    "Waiting",
    "WaitingEmbedder",
    "Wanted",
    "Writer",
    "WriterError",
    "__version__",
    "open",
    "sync",
]

# What brings numpy and SQL along is imported when it is first asked for: the command line and its help start without.
_LATER = {
    "ReviewQueue": "remanence.flows.review",
    "ScopePolicy": "remanence.flows.scope_policy",
    "ForbiddenTexts": "remanence.flows.forbidding",
    "Box": "remanence.flows.boxes",
    "Boxes": "remanence.flows.boxes",
    "Trace": "remanence.flows.boxes",
    "Traces": "remanence.flows.boxes",
    "RegisteredCopy": "remanence.flows.copies",
    "ActiveGuidelines": "remanence.flows.guidelines",
    "Check": "remanence.store.base",
    "Contradiction": "remanence.flows.graph",
    "EmbeddedTexts": "remanence.llm.base",
    "Embedder": "remanence.llm.base",
    "Eligibility": "remanence.write.engine_actions",
    "Ended": "remanence.flows.curate.daemon",
    "Engine": "remanence.engine",
    "EngineAction": "remanence.flows.acted",
    "Entities": "remanence.flows.entities",
    "Entity": "remanence.extraction",
    "EntityProfile": "remanence.flows.entities",
    "Erase": "remanence.flows.erase",
    "ErasedSinceReport": "remanence.flows.erase_since",
    "Erasing": "remanence.flows.erase",
    "Erasure": "remanence.flows.erase",
    "Expired": "remanence.flows.expiring",
    "Event": "remanence.flows.inspect",
    "Explanation": "remanence.curate.explain",
    "Forbidden": "remanence.claim",
    "Forecast": "remanence.curate.forecast_report",
    "Leaving": "remanence.curate.forecast_report",
    "RunToCome": "remanence.curate.forecast_report",
    "Extracted": "remanence.extraction",
    "Extractor": "remanence.llm.base",
    "Fact": "remanence.extraction",
    "Frame": "remanence.recall.frames",
    "FrameDefinition": "remanence.recall.frames",
    "Frames": "remanence.flows.recall.kept_frames",
    "Graph": "remanence.flows.graph",
    "Guideline": "remanence.write.guideline_learning",
    "GuidelineDraft": "remanence.flows.guidelines",
    "Guidelines": "remanence.flows.guidelines",
    "Heard": "remanence.extraction",
    "Importer": "remanence.write.transcripts.base",
    "Extraction": "remanence.flows.write.extracting",
    "FoundFact": "remanence.flows.write.extracting",
    "OfflineExtractor": "remanence.flows.write.extracting",
    "Estimated": "remanence.flows.write.extracting",
    "Ingested": "remanence.flows.write.ingesting",
    "Judgement": "remanence.llm.base",
    "KnownEntity": "remanence.flows.entities",
    "Mirror": "remanence.flows.mirror.mirror",
    "Applied": "remanence.flows.mirror.applying",
    "FileEdit": "remanence.flows.mirror.hand_edits",
    "Mirrored": "remanence.flows.mirror.watching",
    "Noted": "remanence.flows.write.noting",
    "OwnParts": "remanence.opening",
    "Plan": "remanence.curate.plan",
    "PlanDiff": "remanence.curate.planner.plan_diff",
    "PlanReport": "remanence.curate.planner.plan_report",
    "Policy": "remanence.curate.policy.compiled",
    "Profile": "remanence.flows.recall.profiling",
    "ProfileLine": "remanence.flows.recall.profiling",
    "Proposal": "remanence.flows.write.proposals",
    "Ran": "remanence.flows.curate.scheduling",
    "Reembedded": "remanence.flows.reembedding",
    "Relationship": "remanence.extraction",
    "Review": "remanence.flows.review",
    "ReviewItem": "remanence.flows.review",
    "Run": "remanence.flows.curate.run_names",
    "RunReport": "remanence.flows.curate.runs",
    "Schedule": "remanence.flows.curate.schedules",
    "Ticked": "remanence.flows.curate.ticking",
    "Timetable": "remanence.flows.curate.timetable",
    "Setting": "remanence.flows.settings",
    "Settings": "remanence.flows.settings",
    "Shortened": "remanence.extraction",
    "Shortener": "remanence.llm.base",
    "SimilarityThresholds": "remanence.llm.base",
    "State": "remanence.flows.inspect",
    "Store": "remanence.store.base",
    "Topic": "remanence.flows.recall.profiling",
    "Wanted": "remanence.extraction",
    "Writer": "remanence.llm.base",
    "Upcoming": "remanence.flows.write.settling",
    "Waiting": "remanence.flows.write.waiting",
    "WaitingEmbedder": "remanence.llm.base",
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
