"""Types of arguments and results of verbs, and what models, embedders and importers of your own return."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from remanence.core.guide import Guide
from remanence.core.keywords import (
    AboutNamed,
    ActionName,
    Asking,
    CadenceName,
    Columns,
    DecayName,
    Editable,
    Foretelling,
    FrameAsking,
    IfExists,
    KindName,
    LifecycleName,
    LinkOptions,
    ListOptions,
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
    VerdictName,
    VerificationName,
)
from remanence.core.model import (
    AffectedMemory,
    DroppedMemory,
    Hit,
    Memories,
    OneMemory,
    RateResult,
)
from remanence.core.receipt import ConsolidateResult, ExtractPendingResult, LinkedDuplicates

if TYPE_CHECKING:
    from remanence.core.errors import FileReplaced, ReadOnly
    from remanence.core.forbidden import Forbidden
    from remanence.core.permissions import TokenRole
    from remanence.core.recall_explanation import (
        Absence,
        FilterCount,
        Hop,
        RecallExplanation,
        ScoreExplanation,
        ScorePart,
    )
    from remanence.core.receipt import AutomaticRun
    from remanence.curate.explain import Explanation
    from remanence.curate.forecast.forecast_report import Forecast, Leaving, RunToCome
    from remanence.curate.planner.plan_diff import PlanDiff
    from remanence.curate.planner.plan_report import PlanReport
    from remanence.faces.rest.client import RemoteEngine
    from remanence.flows.base.access_tokens import AccessToken, AccessTokens, NewToken
    from remanence.flows.base.copies import RegisteredCopy
    from remanence.flows.base.decision_log import EngineAction
    from remanence.flows.base.settings import Setting, Settings
    from remanence.flows.base.undo_data_expiry import DueImages, ExpireResult
    from remanence.flows.consolidate.boxes import Conversations, ConversationSegment, ConversationThread
    from remanence.flows.consolidate.consolidation import Upcoming
    from remanence.flows.consolidate.guidelines import GuidelineDraft, Guidelines
    from remanence.flows.consolidate.ingesting import IngestResult
    from remanence.flows.curate.scheduling import Timetable
    from remanence.flows.entities.entities import Entities, EntityProfile, KnownEntity
    from remanence.flows.erase.erase import Erase, ErasedSinceReport, ErasePreview, Erasure
    from remanence.flows.inspect.inspect import Event, Run, State
    from remanence.flows.inspect.related import RelatedMemory, RelatedResult
    from remanence.flows.inspect.review import Review, ReviewItem, ReviewQueue, SettlingWay
    from remanence.flows.inspect.run_report import RunReport
    from remanence.flows.mirror.hand_edits import FileEdit
    from remanence.flows.mirror.mirror import Mirror, MirrorResult
    from remanence.flows.recall.counting import CountResult, ValueCount
    from remanence.flows.recall.kept_frames import Frames
    from remanence.flows.recall.profiling import Profile, ProfileLine
    from remanence.flows.schedule.schedules import DaemonResult, DaemonStart, UntilStopped
    from remanence.flows.schedule.scope_policy import PolicyUseResult, ScopePolicy
    from remanence.flows.schedule.ticking import JobsResult
    from remanence.flows.scopes.dropping import DropPreview
    from remanence.flows.scopes.scopes import ScopeOverview, Scopes
    from remanence.flows.write.extracting import ExtractEstimate
    from remanence.flows.write.noting import NoteResult
    from remanence.flows.write.pending_turns import PendingTurns
    from remanence.flows.write.reembedding import ReembedResult
    from remanence.llm.base import (
        EmbeddedTexts,
        Extractor,
        Judgement,
        Shortener,
        SimilarityThresholds,
        WaitingEmbedder,
    )
    from remanence.opening import OwnParts
    from remanence.read.extraction import (
        Entity,
        ExtractRequest,
        ExtractResult,
        ExtractTurn,
        Fact,
        Relationship,
        ShortenResult,
    )
    from remanence.recall.frames import FrameDefinition
    from remanence.store.base import Check
    from remanence.write.engine_actions import Eligibility
    from remanence.write.guideline_learning import Guideline
    from remanence.write.imported import ImportedTurn, SkipCounts
    from remanence.write.transcripts.base import Importer
    from remanence.write.transcripts.importer_source import Source, SourceImporter, SqliteTable

__all__ = [
    "AboutNamed",
    "Absence",
    "AccessToken",
    "AccessTokens",
    "ActionName",
    "AffectedMemory",
    "Asking",
    "AutomaticRun",
    "CadenceName",
    "Check",
    "Columns",
    "ConsolidateResult",
    "ConversationSegment",
    "ConversationThread",
    "Conversations",
    "CountResult",
    "DaemonResult",
    "DaemonStart",
    "DecayName",
    "DropPreview",
    "DroppedMemory",
    "DueImages",
    "Editable",
    "Eligibility",
    "EmbeddedTexts",
    "EngineAction",
    "Entities",
    "Entity",
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
    "ExtractRequest",
    "ExtractResult",
    "ExtractTurn",
    "Extractor",
    "Fact",
    "FileEdit",
    "FileReplaced",
    "FilterCount",
    "Forbidden",
    "Forecast",
    "Foretelling",
    "FrameAsking",
    "FrameDefinition",
    "Frames",
    "Guide",
    "Guideline",
    "GuidelineDraft",
    "Guidelines",
    "Hit",
    "Hop",
    "IfExists",
    "ImportedTurn",
    "Importer",
    "IngestResult",
    "JobsResult",
    "Judgement",
    "KindName",
    "KnownEntity",
    "Leaving",
    "LifecycleName",
    "LinkOptions",
    "LinkedDuplicates",
    "ListOptions",
    "Memories",
    "Mirror",
    "MirrorResult",
    "Moment",
    "NewToken",
    "NoteResult",
    "OneMemory",
    "OutcomeName",
    "OwnParts",
    "PendingTurns",
    "PlanDiff",
    "PlanReport",
    "PolicyClassName",
    "PolicyUseResult",
    "Profile",
    "ProfileLine",
    "Progress",
    "RateResult",
    "ReadOnly",
    "ReasonName",
    "RecallExplanation",
    "ReembedResult",
    "RegisteredCopy",
    "RelatedMemory",
    "RelatedResult",
    "RelationName",
    "Relationship",
    "RemoteEngine",
    "Review",
    "ReviewItem",
    "ReviewQueue",
    "RoleName",
    "Run",
    "RunReport",
    "RunToCome",
    "ScopeOverview",
    "ScopePolicy",
    "Scopes",
    "ScoreExplanation",
    "ScorePart",
    "Setting",
    "Settings",
    "SettlingWay",
    "SeverityName",
    "ShortenResult",
    "Shortener",
    "SimilarityThresholds",
    "SkipCounts",
    "Some",
    "Source",
    "SourceImporter",
    "SqliteTable",
    "State",
    "StatusName",
    "TierName",
    "Timetable",
    "TokenRole",
    "TrustName",
    "UntilStopped",
    "Upcoming",
    "ValueCount",
    "VerdictName",
    "VerificationName",
    "WaitingEmbedder",
]

# What brings numpy and SQL along is imported when it is first asked for: the command line and its help start without.
_LATER = {
    "EmbeddedTexts": "remanence.llm.base",
    "Entity": "remanence.read.extraction",
    "ExtractRequest": "remanence.read.extraction",
    "ExtractResult": "remanence.read.extraction",
    "ExtractTurn": "remanence.read.extraction",
    "Extractor": "remanence.llm.base",
    "Fact": "remanence.read.extraction",
    "ImportedTurn": "remanence.write.imported",
    "Importer": "remanence.write.transcripts.base",
    "Judgement": "remanence.llm.base",
    "Relationship": "remanence.read.extraction",
    "ShortenResult": "remanence.read.extraction",
    "Shortener": "remanence.llm.base",
    "SimilarityThresholds": "remanence.llm.base",
    "WaitingEmbedder": "remanence.llm.base",
    "SkipCounts": "remanence.write.imported",
    "Source": "remanence.write.transcripts.importer_source",
    "SourceImporter": "remanence.write.transcripts.importer_source",
    "SqliteTable": "remanence.write.transcripts.importer_source",
    "FileReplaced": "remanence.core.errors",
    "ReadOnly": "remanence.core.errors",
    "AccessToken": "remanence.flows.base.access_tokens",
    "AccessTokens": "remanence.flows.base.access_tokens",
    "CountResult": "remanence.flows.recall.counting",
    "NewToken": "remanence.flows.base.access_tokens",
    "RemoteEngine": "remanence.faces.rest.client",
    "TokenRole": "remanence.core.permissions",
    "ValueCount": "remanence.flows.recall.counting",
    "Absence": "remanence.core.recall_explanation",
    "FilterCount": "remanence.core.recall_explanation",
    "Hop": "remanence.core.recall_explanation",
    "RecallExplanation": "remanence.core.recall_explanation",
    "ScoreExplanation": "remanence.core.recall_explanation",
    "ScorePart": "remanence.core.recall_explanation",
    "Check": "remanence.store.base",
    "ConversationSegment": "remanence.flows.consolidate.boxes",
    "ConversationThread": "remanence.flows.consolidate.boxes",
    "Conversations": "remanence.flows.consolidate.boxes",
    "Eligibility": "remanence.write.engine_actions",
    "DaemonResult": "remanence.flows.schedule.schedules",
    "DaemonStart": "remanence.flows.schedule.schedules",
    "UntilStopped": "remanence.flows.schedule.schedules",
    "EngineAction": "remanence.flows.base.decision_log",
    "Entities": "remanence.flows.entities.entities",
    "EntityProfile": "remanence.flows.entities.entities",
    "Erase": "remanence.flows.erase.erase",
    "ErasedSinceReport": "remanence.flows.erase.erase",
    "ErasePreview": "remanence.flows.erase.erase",
    "Erasure": "remanence.flows.erase.erase",
    "ExtractEstimate": "remanence.flows.write.extracting",
    "Event": "remanence.flows.inspect.inspect",
    "DropPreview": "remanence.flows.scopes.dropping",
    "DueImages": "remanence.flows.base.undo_data_expiry",
    "ExpireResult": "remanence.flows.base.undo_data_expiry",
    "Explanation": "remanence.curate.explain",
    "FileEdit": "remanence.flows.mirror.hand_edits",
    "Forbidden": "remanence.core.forbidden",
    "Forecast": "remanence.curate.forecast.forecast_report",
    "FrameDefinition": "remanence.recall.frames",
    "Frames": "remanence.flows.recall.kept_frames",
    "Guideline": "remanence.write.guideline_learning",
    "GuidelineDraft": "remanence.flows.consolidate.guidelines",
    "Guidelines": "remanence.flows.consolidate.guidelines",
    "IngestResult": "remanence.flows.consolidate.ingesting",
    "KnownEntity": "remanence.flows.entities.entities",
    "Leaving": "remanence.curate.forecast.forecast_report",
    "Mirror": "remanence.flows.mirror.mirror",
    "MirrorResult": "remanence.flows.mirror.mirror",
    "NoteResult": "remanence.flows.write.noting",
    "OwnParts": "remanence.opening",
    "PlanDiff": "remanence.curate.planner.plan_diff",
    "PlanReport": "remanence.curate.planner.plan_report",
    "Profile": "remanence.flows.recall.profiling",
    "ProfileLine": "remanence.flows.recall.profiling",
    "AutomaticRun": "remanence.core.receipt",
    "ReembedResult": "remanence.flows.write.reembedding",
    "RegisteredCopy": "remanence.flows.base.copies",
    "RelatedMemory": "remanence.flows.inspect.related",
    "RelatedResult": "remanence.flows.inspect.related",
    "Review": "remanence.flows.inspect.review",
    "ReviewItem": "remanence.flows.inspect.review",
    "ReviewQueue": "remanence.flows.inspect.review",
    "SettlingWay": "remanence.flows.inspect.review",
    "Run": "remanence.flows.inspect.inspect",
    "RunReport": "remanence.flows.inspect.run_report",
    "RunToCome": "remanence.curate.forecast.forecast_report",
    "ScopeOverview": "remanence.flows.scopes.scopes",
    "Scopes": "remanence.flows.scopes.scopes",
    "ScopePolicy": "remanence.flows.schedule.scope_policy",
    "PolicyUseResult": "remanence.flows.schedule.scope_policy",
    "Setting": "remanence.flows.base.settings",
    "Settings": "remanence.flows.base.settings",
    "State": "remanence.flows.inspect.inspect",
    "JobsResult": "remanence.flows.schedule.ticking",
    "Timetable": "remanence.flows.curate.scheduling",
    "Upcoming": "remanence.flows.consolidate.consolidation",
    "PendingTurns": "remanence.flows.write.pending_turns",
}

if not TYPE_CHECKING:  # a type checker sees the imports above, and no name that is not there

    def __getattr__(name: str) -> Any:
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_LATER[name]), name)
        return value


def __dir__() -> list[str]:
    return [*__all__]
