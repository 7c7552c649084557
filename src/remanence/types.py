"""What verbs take and return and nobody constructs: results, shelves, and the words that an argument may be."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
from remanence.model import Affected, Dropped, Hit, Memories, OneMemory, Rated
from remanence.receipt import Consolidated, LinkedDuplicates, Listened

if TYPE_CHECKING:
    from remanence.claim import Forbidden
    from remanence.curate.explain import Explanation
    from remanence.curate.forecast_report import Forecast, Leaving, RunToCome
    from remanence.curate.planner.plan_diff import PlanDiff
    from remanence.curate.planner.plan_report import PlanReport
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
    from remanence.flows.write.extracting import Estimated, Extraction, FoundFact
    from remanence.flows.write.ingesting import Ingested
    from remanence.flows.write.noting import Noted
    from remanence.flows.write.proposals import Proposal
    from remanence.flows.write.settling import Upcoming
    from remanence.flows.write.waiting import Waiting
    from remanence.opening import OwnParts
    from remanence.recall.frames import FrameDefinition
    from remanence.store.base import Check
    from remanence.write.engine_actions import Eligibility
    from remanence.write.guideline_learning import Guideline

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
    "Columns",
    "Consolidated",
    "Contradiction",
    "DecayName",
    "Dropped",
    "Editable",
    "Eligibility",
    "Ended",
    "EngineAction",
    "Entities",
    "EntityProfile",
    "Erase",
    "ErasedSinceReport",
    "Erasing",
    "Erasure",
    "Estimated",
    "Event",
    "Expired",
    "Explanation",
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
    "Ingested",
    "KindName",
    "KnownEntity",
    "Leaving",
    "LifecycleName",
    "LinkedDuplicates",
    "Listened",
    "Memories",
    "Mirror",
    "Mirrored",
    "Moment",
    "Noted",
    "OneMemory",
    "OutcomeName",
    "OwnParts",
    "PlanDiff",
    "PlanReport",
    "PolicyClassName",
    "Profile",
    "ProfileLine",
    "Progress",
    "Proposal",
    "Ran",
    "Rated",
    "ReasonName",
    "Reembedded",
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
    "Ticked",
    "TierName",
    "Timetable",
    "Topic",
    "Trace",
    "Traces",
    "TrustName",
    "Upcoming",
    "VerificationName",
    "Waiting",
]

# What brings numpy and SQL along is imported when it is first asked for: the command line and its help start without.
_LATER = {
    "ActiveGuidelines": "remanence.flows.guidelines",
    "Applied": "remanence.flows.mirror.applying",
    "Box": "remanence.flows.boxes",
    "Boxes": "remanence.flows.boxes",
    "Check": "remanence.store.base",
    "Contradiction": "remanence.flows.graph",
    "Eligibility": "remanence.write.engine_actions",
    "Ended": "remanence.flows.curate.daemon",
    "EngineAction": "remanence.flows.acted",
    "Entities": "remanence.flows.entities",
    "EntityProfile": "remanence.flows.entities",
    "Erase": "remanence.flows.erase",
    "ErasedSinceReport": "remanence.flows.erase_since",
    "Erasing": "remanence.flows.erase",
    "Erasure": "remanence.flows.erase",
    "Estimated": "remanence.flows.write.extracting",
    "Event": "remanence.flows.inspect",
    "Expired": "remanence.flows.expiring",
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
    "Ingested": "remanence.flows.write.ingesting",
    "KnownEntity": "remanence.flows.entities",
    "Leaving": "remanence.curate.forecast_report",
    "Mirror": "remanence.flows.mirror.mirror",
    "Mirrored": "remanence.flows.mirror.watching",
    "Noted": "remanence.flows.write.noting",
    "OwnParts": "remanence.opening",
    "PlanDiff": "remanence.curate.planner.plan_diff",
    "PlanReport": "remanence.curate.planner.plan_report",
    "Profile": "remanence.flows.recall.profiling",
    "ProfileLine": "remanence.flows.recall.profiling",
    "Proposal": "remanence.flows.write.proposals",
    "Ran": "remanence.flows.curate.scheduling",
    "Reembedded": "remanence.flows.reembedding",
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
    "Ticked": "remanence.flows.curate.ticking",
    "Timetable": "remanence.flows.curate.timetable",
    "Topic": "remanence.flows.recall.profiling",
    "Trace": "remanence.flows.boxes",
    "Traces": "remanence.flows.boxes",
    "Upcoming": "remanence.flows.write.settling",
    "Waiting": "remanence.flows.write.waiting",
}

if not TYPE_CHECKING:  # a type checker sees the imports above, and no name that is not there

    def __getattr__(name: str) -> Any:
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_LATER[name]), name)
        return value


def __dir__() -> list[str]:
    return [*__all__]
