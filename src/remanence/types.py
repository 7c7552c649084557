"""Types of arguments and results of verbs, and what models, embedders and importers of your own return."""

from typing import TYPE_CHECKING

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
from remanence.core.later import build_getattr
from remanence.core.model import (
    AffectedMemory,
    DroppedMemory,
    Hit,
    Memories,
    OneMemory,
)
from remanence.core.receipt import ConsolidateResult, ExtractPendingResult, LinkedDuplicates, RateResult

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
    from remanence.curate.planner.plan_report import PlanDiff, PlanReport
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
    from remanence.flows.erase.erase import Erase
    from remanence.flows.erase.erase_results import ErasedSinceReport, ErasePreview, Erasure
    from remanence.flows.inspect.inspect import Event, Run, State
    from remanence.flows.inspect.related import RelatedMemory, RelatedResult
    from remanence.flows.inspect.review import Review, ReviewItem, ReviewQueue, SettlingWay
    from remanence.flows.inspect.run_report import RunReport
    from remanence.flows.mirror.mirror import Mirror
    from remanence.flows.mirror.mirror_result import FileEdit, MirrorResult
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

if not TYPE_CHECKING:  # a type checker sees the imports above, and no name that is not there
    __getattr__ = build_getattr(globals())


def __dir__() -> list[str]:
    return [*__all__]
