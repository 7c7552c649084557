"""What verbs take and return and nobody constructs: results, shelves, and the words that an argument may be."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from remanence.guide import Guide
from remanence.keywords import (
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
    PutOptions,
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
from remanence.model import AffectedMemory, DroppedMemory, Hit, Memories, OneMemory, RateResult
from remanence.receipt import ConsolidateResult, ExtractPendingResult, LinkedDuplicates

if TYPE_CHECKING:
    from remanence.claim import Forbidden
    from remanence.curate.explain import Explanation
    from remanence.curate.forecast_report import Forecast, Leaving, RunToCome
    from remanence.curate.planner.plan_diff import PlanDiff
    from remanence.curate.planner.plan_report import PlanReport
    from remanence.flows.acted import EngineAction
    from remanence.flows.boxes import Box, Boxes, Trace, Traces
    from remanence.flows.copies import RegisteredCopy
    from remanence.flows.curate.daemon import DaemonResult
    from remanence.flows.curate.run_names import Run
    from remanence.flows.curate.runs import RunReport
    from remanence.flows.curate.schedules import Schedule
    from remanence.flows.curate.scheduling import Ran
    from remanence.flows.curate.ticking import TickResult
    from remanence.flows.curate.timetable import Timetable
    from remanence.flows.entities import Entities, EntityProfile, KnownEntity
    from remanence.flows.erase import Erase, ErasePreview, Erasure
    from remanence.flows.erase_since import ErasedSinceReport
    from remanence.flows.expiring import ExpireResult
    from remanence.flows.forbidding import ForbiddenTexts
    from remanence.flows.graph import Contradiction, Graph
    from remanence.flows.guidelines import ActiveGuidelines, GuidelineDraft, Guidelines
    from remanence.flows.inspect import Event, State
    from remanence.flows.mirror.applying import ApplyEditsResult
    from remanence.flows.mirror.hand_edits import FileEdit
    from remanence.flows.mirror.mirror import Mirror
    from remanence.flows.mirror.watching import MirrorResult
    from remanence.flows.recall.kept_frames import Frames
    from remanence.flows.recall.profiling import Profile, ProfileLine, Topic
    from remanence.flows.reembedding import ReembedResult
    from remanence.flows.review import Review, ReviewItem, ReviewQueue
    from remanence.flows.scope_policy import ScopePolicy
    from remanence.flows.settings import Setting, Settings
    from remanence.flows.write.extracting import ExtractEstimate, Extraction, FoundFact
    from remanence.flows.write.ingesting import IngestResult
    from remanence.flows.write.noting import NoteResult
    from remanence.flows.write.proposals import Proposal
    from remanence.flows.write.settling import Upcoming
    from remanence.flows.write.waiting import PendingTurns
    from remanence.opening import OwnParts
    from remanence.recall.frames import FrameDefinition
    from remanence.store.base import Check
    from remanence.write.engine_actions import Eligibility
    from remanence.write.guideline_learning import Guideline

__all__ = [
    "AboutNamed",
    "ActionName",
    "ActiveGuidelines",
    "AffectedMemory",
    "ApplyEditsResult",
    "Asking",
    "Box",
    "Boxes",
    "CadenceName",
    "Check",
    "Columns",
    "ConsolidateResult",
    "Contradiction",
    "DaemonResult",
    "DecayName",
    "DroppedMemory",
    "Editable",
    "Eligibility",
    "EngineAction",
    "Entities",
    "EntityProfile",
    "Erase",
    "ErasePreview",
    "ErasedSinceReport",
    "Erasure",
    "Event",
    "ExpireResult",
    "Explanation",
    "ExtractEstimate",
    "ExtractPendingResult",
    "Extraction",
    "FileEdit",
    "Forbidden",
    "ForbiddenTexts",
    "Forecast",
    "Foretelling",
    "FoundFact",
    "FrameDefinition",
    "Frames",
    "Graph",
    "Guide",
    "Guideline",
    "GuidelineDraft",
    "Guidelines",
    "Hit",
    "IfExists",
    "IngestResult",
    "KindName",
    "KnownEntity",
    "Leaving",
    "LifecycleName",
    "LinkedDuplicates",
    "Memories",
    "Mirror",
    "MirrorResult",
    "Moment",
    "NoteResult",
    "OneMemory",
    "OutcomeName",
    "OwnParts",
    "PendingTurns",
    "PlanDiff",
    "PlanReport",
    "PolicyClassName",
    "Profile",
    "ProfileLine",
    "Progress",
    "Proposal",
    "PutOptions",
    "Ran",
    "RateResult",
    "ReasonName",
    "ReembedResult",
    "RegisteredCopy",
    "RelationName",
    "Review",
    "ReviewItem",
    "ReviewQueue",
    "RoleName",
    "Run",
    "RunReport",
    "RunToCome",
    "Schedule",
    "ScopePolicy",
    "Setting",
    "Settings",
    "SeverityName",
    "Some",
    "State",
    "StatusName",
    "TickResult",
    "TierName",
    "Timetable",
    "Topic",
    "Trace",
    "Traces",
    "TrustName",
    "Upcoming",
    "VerificationName",
]

# What brings numpy and SQL along is imported when it is first asked for: the command line and its help start without.
_LATER = {
    "ActiveGuidelines": "remanence.flows.guidelines",
    "ApplyEditsResult": "remanence.flows.mirror.applying",
    "Box": "remanence.flows.boxes",
    "Boxes": "remanence.flows.boxes",
    "Check": "remanence.store.base",
    "Contradiction": "remanence.flows.graph",
    "Eligibility": "remanence.write.engine_actions",
    "DaemonResult": "remanence.flows.curate.daemon",
    "EngineAction": "remanence.flows.acted",
    "Entities": "remanence.flows.entities",
    "EntityProfile": "remanence.flows.entities",
    "Erase": "remanence.flows.erase",
    "ErasedSinceReport": "remanence.flows.erase_since",
    "ErasePreview": "remanence.flows.erase",
    "Erasure": "remanence.flows.erase",
    "ExtractEstimate": "remanence.flows.write.extracting",
    "Event": "remanence.flows.inspect",
    "ExpireResult": "remanence.flows.expiring",
    "Explanation": "remanence.curate.explain",
    "Extraction": "remanence.flows.write.extracting",
    "FileEdit": "remanence.flows.mirror.hand_edits",
    "Forbidden": "remanence.claim",
    "ForbiddenTexts": "remanence.flows.forbidding",
    "Forecast": "remanence.curate.forecast_report",
    "FoundFact": "remanence.flows.write.extracting",
    "FrameDefinition": "remanence.recall.frames",
    "Frames": "remanence.flows.recall.kept_frames",
    "Graph": "remanence.flows.graph",
    "Guideline": "remanence.write.guideline_learning",
    "GuidelineDraft": "remanence.flows.guidelines",
    "Guidelines": "remanence.flows.guidelines",
    "IngestResult": "remanence.flows.write.ingesting",
    "KnownEntity": "remanence.flows.entities",
    "Leaving": "remanence.curate.forecast_report",
    "Mirror": "remanence.flows.mirror.mirror",
    "MirrorResult": "remanence.flows.mirror.watching",
    "NoteResult": "remanence.flows.write.noting",
    "OwnParts": "remanence.opening",
    "PlanDiff": "remanence.curate.planner.plan_diff",
    "PlanReport": "remanence.curate.planner.plan_report",
    "Profile": "remanence.flows.recall.profiling",
    "ProfileLine": "remanence.flows.recall.profiling",
    "Proposal": "remanence.flows.write.proposals",
    "Ran": "remanence.flows.curate.scheduling",
    "ReembedResult": "remanence.flows.reembedding",
    "RegisteredCopy": "remanence.flows.copies",
    "Review": "remanence.flows.review",
    "ReviewItem": "remanence.flows.review",
    "ReviewQueue": "remanence.flows.review",
    "Run": "remanence.flows.curate.run_names",
    "RunReport": "remanence.flows.curate.runs",
    "RunToCome": "remanence.curate.forecast_report",
    "Schedule": "remanence.flows.curate.schedules",
    "ScopePolicy": "remanence.flows.scope_policy",
    "Setting": "remanence.flows.settings",
    "Settings": "remanence.flows.settings",
    "State": "remanence.flows.inspect",
    "TickResult": "remanence.flows.curate.ticking",
    "Timetable": "remanence.flows.curate.timetable",
    "Topic": "remanence.flows.recall.profiling",
    "Trace": "remanence.flows.boxes",
    "Traces": "remanence.flows.boxes",
    "Upcoming": "remanence.flows.write.settling",
    "PendingTurns": "remanence.flows.write.waiting",
}

if not TYPE_CHECKING:  # a type checker sees the imports above, and no name that is not there

    def __getattr__(name: str) -> Any:
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_LATER[name]), name)
        return value


def __dir__() -> list[str]:
    return [*__all__]
