# Written from the engine by `make pages`; a test compares.
# mypy: disable-error-code="overload-overlap"
import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Self, Unpack, overload

from remanence.core.clock import Clock
from remanence.core.forbidden import Forbidden
from remanence.core.guide import Guide
from remanence.core.keywords import (
    AboutNamed,
    ActionName,
    AgentFormat,
    Asking,
    CadenceName,
    Editable,
    Foretelling,
    FrameAsking,
    IfExists,
    KindName,
    ListOptions,
    Moment,
    OutcomeName,
    Overrides,
    Progress,
    RelationName,
    Some,
    StatusName,
    TrustName,
    VerdictName,
)
from remanence.core.model import (
    Kind,
    LearnResult,
    Link,
    Memories,
    Memory,
    OneMemory,
    RecallResult,
    Relation,
    Status,
    Trust,
    Turn,
)
from remanence.core.permissions import Capability, TokenRole
from remanence.core.receipt import ConsolidateResult, RateResult, Receipt
from remanence.core.signatures import validate_arguments
from remanence.curate.explain import Explanation
from remanence.curate.forecast.forecast_report import Forecast
from remanence.curate.planner.plan import Plan
from remanence.curate.planner.plan_report import PlanDiff
from remanence.curate.policy.compiled import Policy
from remanence.flows.base.access_tokens import AccessToken, Door, NewToken
from remanence.flows.base.copies import RegisteredCopy
from remanence.flows.base.settings import Setting
from remanence.flows.consolidate.boxes import ConversationSegment, ConversationThread, Segments, Threads
from remanence.flows.consolidate.guidelines import Guidelines
from remanence.flows.consolidate.ingesting import IngestResult
from remanence.flows.entities.entities import EntityProfile, KnownEntity
from remanence.flows.erase.erase_results import ErasedSinceReport, ErasePreview, Erasure
from remanence.flows.inspect.inspect import Event, Run, State
from remanence.flows.inspect.related import RelatedResult
from remanence.flows.inspect.review import Review, ReviewItem
from remanence.flows.inspect.review_pages import Sort
from remanence.flows.inspect.run_report import RunReport
from remanence.flows.mirror.mirror_result import FileEdit, MirrorResult
from remanence.flows.recall.counting import CountResult
from remanence.flows.recall.profiling import Profile
from remanence.flows.schedule.schedules import DaemonResult, StopSignal, UntilStopped
from remanence.flows.schedule.scope_policy import PolicyUseResult
from remanence.flows.schedule.ticking import JobsResult
from remanence.flows.scopes.dropping import DropPreview
from remanence.flows.scopes.scopes import ScopeOverview
from remanence.flows.write.noting import NoteResult
from remanence.flows.write.reembedding import ReembedResult
from remanence.llm.base import Embedder, WaitingEmbedder, Writer
from remanence.opening import OwnParts
from remanence.recall.frames import Frame, FrameDefinition
from remanence.store.base import Check
from remanence.write.transcripts.importer_source import AnyImporter

class ScopePolicy:
    @property
    def current(self) -> Policy: ...
    def use(self, policy: str | None, *, dry_run: bool = False) -> PolicyUseResult: ...
    def show(self, policy: str | None = None, *, words: bool = False) -> str: ...

class Frames:
    @overload
    def get(self, name: None = None) -> list[Frame]: ...
    @overload
    def get(self, name: str) -> Frame: ...
    @overload
    def set(self, name: str, **definition: Unpack[FrameDefinition]) -> Frame: ...
    @overload
    def set(self, name: str, *, off: bool) -> Frame | None: ...

class Mirror:
    def sync(
        self,
        folder: str | Path,
        *,
        apply: bool | Sequence[FileEdit] = False,
        discard: Some[str] = (),
        as_: AgentFormat | None = None,
        frame: str | None = None,
        budget: int | None = None,
    ) -> MirrorResult: ...
    def watch(
        self,
        folder: str | Path,
        tell: Callable[[MirrorResult], object] | None = None,
        *,
        command: Sequence[str] = (),
    ) -> None: ...

class Erase:
    @overload
    def show(
        self,
        names: Memories = (),
        *,
        scope: bool = False,
        subject: str | Sequence[str] | None = None,
        mentions: bool = False,
        scopes: Sequence[str] = (),
    ) -> ErasePreview: ...
    @overload
    def show(self, *, since: Literal[True]) -> ErasedSinceReport | None: ...
    @overload
    def show(self, *, copies: Literal[True]) -> list[RegisteredCopy]: ...
    @overload
    def apply(self, shown: ErasePreview) -> Erasure: ...
    @overload
    def apply(self, *, subject: str | Sequence[str] | None = None) -> Erasure | None: ...
    @overload
    def settle(self, *, keep: str) -> Receipt: ...
    @overload
    def settle(self, *, copies: Some[str | Path]) -> list[RegisteredCopy]: ...

class Conversations:
    @overload
    def get(self, number: int) -> ConversationSegment: ...
    @overload
    def get(self, *, thread: int) -> ConversationThread: ...
    @overload
    def list(
        self,
        *,
        session: str | None = None,
        of: OneMemory | None = None,
        open_only: bool = False,
        limit: int = 20,
        after: int | ConversationSegment | None = None,
    ) -> Segments: ...
    @overload
    def list(
        self,
        *,
        threads: Literal[True],
        segments_min: int = 1,
        limit: int = 20,
        after: int | ConversationThread | None = None,
    ) -> Threads: ...

class Entities:
    def list(
        self, *, type: str | None = None, limit: int = 100, after: OneMemory | KnownEntity | None = None
    ) -> builtins.list[KnownEntity]: ...
    def get(self, name: OneMemory) -> EntityProfile: ...
    def split(self, entity: OneMemory, off: OneMemory | Sequence[OneMemory]) -> Receipt: ...
    def alias(self, entity: OneMemory, name: str) -> Receipt: ...

class AccessTokens:
    def add(
        self,
        name: str,
        *,
        scopes: Sequence[str],
        role: TokenRole = "read",
        agent: str | None = None,
        door: Door | None = None,
        denies: Sequence[Capability] = (),
    ) -> NewToken: ...
    def list(self) -> builtins.list[AccessToken]: ...
    def end(self, name: str) -> AccessToken: ...

class Scopes:
    def copy(self, to: str) -> Receipt: ...
    @overload
    def drop(self) -> DropPreview: ...
    @overload
    def drop(self, shown: DropPreview, *, allow_protected: int = 0) -> Receipt: ...
    def list(
        self, limit: int = 1000, after: str | ScopeOverview | None = None
    ) -> builtins.list[ScopeOverview]: ...

class ReviewQueue:
    def settle(
        self,
        item: ReviewItem | OneMemory | tuple[OneMemory, OneMemory],
        choice: OneMemory,
        *,
        only: Sequence[OneMemory] = (),
        if_revision: int | None = None,
    ) -> Receipt: ...
    def list(
        self,
        sort: Sort | None = None,
        *,
        settled: bool = False,
        limit: int = 20,
        after: str | ReviewItem | None = None,
    ) -> Review: ...

class Settings:
    @overload
    def get(self, name: None = None) -> list[Setting]: ...
    @overload
    def get(self, name: str) -> Setting: ...
    def set(self, name: str, value: int | str | None) -> Setting: ...

class Engine:
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def close(self) -> None: ...
    def update(
        self, name: OneMemory, *, if_revision: int | None = None, **values: Unpack[Editable]
    ) -> Receipt: ...
    def tag(
        self, names: Memories, *tags: str, off: bool = False, if_revision: int | None = None
    ) -> Receipt: ...
    def pin(self, names: Memories, *, off: bool = False, if_revision: int | None = None) -> Receipt: ...
    def hold(
        self,
        names: Memories,
        reason: str,
        until: Moment | None = None,
        *,
        off: bool = False,
        if_revision: int | None = None,
    ) -> Receipt: ...
    def rate(
        self, names: Memories, verdict: VerdictName | float, *, if_revision: int | None = None
    ) -> RateResult: ...
    @overload
    def correct(self, name: OneMemory, text: str, *, if_revision: int | None = None) -> LearnResult: ...
    @overload
    def correct(self, name: OneMemory, *, by: OneMemory, if_revision: int | None = None) -> Receipt: ...
    def forget(self, names: Memories, *, if_revision: int | None = None) -> Receipt: ...
    def forbid(self, names: Memories, *, off: bool = False, if_revision: int | None = None) -> Receipt: ...
    def forbidden(
        self, *, limit: int | None = None, after: str | Forbidden | None = None
    ) -> list[Forbidden]: ...
    def restore(self, names: Memories, *, if_revision: int | None = None) -> Receipt: ...
    @overload
    def link(
        self,
        source: OneMemory,
        target: OneMemory,
        relation: RelationName | Relation,
        *,
        weight: float | None = None,
        confidence: float | None = None,
        if_exists: IfExists = "reinforce",
        if_revision: int | None = None,
    ) -> Link: ...
    @overload
    def link(
        self,
        source: OneMemory,
        target: OneMemory,
        relation: RelationName | Relation,
        *,
        off: Literal[True],
        if_revision: int | None = None,
    ) -> Receipt: ...
    def merge(self, a: OneMemory, b: OneMemory, *, if_revision: int | None = None) -> Receipt: ...
    def promote(self, names: Memories, to: str) -> Receipt: ...
    @property
    def policy(self) -> ScopePolicy: ...
    @property
    def frames(self) -> Frames: ...
    @property
    def mirror(self) -> Mirror: ...
    @property
    def erase(self) -> Erase: ...
    @property
    def conversations(self) -> Conversations: ...
    @property
    def entities(self) -> Entities: ...
    @property
    def token(self) -> AccessTokens: ...
    @property
    def scopes(self) -> Scopes: ...
    @property
    def review(self) -> ReviewQueue: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def scope(self) -> str: ...
    @property
    def embedder(self) -> Embedder: ...
    @overload
    def learn(
        self, text: str | Turn, *, if_revision: int | None = None, **more: Unpack[AboutNamed]
    ) -> LearnResult: ...
    @overload
    def learn(
        self,
        text: Iterable[Turn | str | Mapping[str, Any]],
        *,
        progress: Progress | None = None,
        **more: Unpack[AboutNamed],
    ) -> builtins.list[LearnResult]: ...
    def note(self, turn: Turn | str, *, later: bool = False, **more: Unpack[AboutNamed]) -> NoteResult: ...
    def ingest(
        self,
        path: str | Path,
        *,
        format: str | AnyImporter = "auto",
        trust: TrustName | Trust = "outside",
        extract: bool = False,
        actions: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> IngestResult: ...
    def consolidate(
        self, progress: Progress | None = None, *, listen: bool = False, duplicates: bool = False
    ) -> ConsolidateResult: ...
    def reembed(
        self, embedder: str | WaitingEmbedder | None = None, progress: Progress | None = None
    ) -> ReembedResult: ...
    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        budget: int | None = None,
        filters: Mapping[str, Any] | None = None,
        between: tuple[Moment, Moment] | None = None,
        **asking: Unpack[Asking],
    ) -> RecallResult: ...
    @overload
    def frame(self, name: Literal["profile"]) -> Profile: ...
    @overload
    def frame(self, name: Literal["boot"], *, budget: int | None = None) -> RecallResult: ...
    @overload
    def frame(
        self,
        name: str,
        query: str | None = None,
        *,
        budget: int | None = None,
        limit: int | None = None,
        **asking: Unpack[FrameAsking],
    ) -> RecallResult: ...
    def count(
        self,
        by: str | None = None,
        *,
        filters: Mapping[str, Any] | None = None,
        between: tuple[Moment, Moment] | None = None,
        limit: int = 100,
    ) -> CountResult: ...
    def get(self, name: OneMemory, *, as_of: Moment | None = None) -> Memory: ...
    @overload
    def links(self, name: OneMemory) -> builtins.list[Link]: ...
    @overload
    def links(self, name: OneMemory, *, depth: int, limit: int = 10) -> RelatedResult: ...
    @overload
    def links(self, *, query: str, depth: int = 3, limit: int = 10) -> RelatedResult: ...
    @overload
    def plan(self, policy: str | None = None, *, overrides: Overrides | None = None) -> Plan: ...
    @overload
    def plan(self, policy: str | None = None, *, compare: Plan, limit: int = 100) -> PlanDiff: ...
    def apply(
        self,
        plan: Plan,
        *,
        policy: str | None = None,
        overrides: Overrides | None = None,
        allow_destroyed: int | None = None,
        progress: Progress | None = None,
    ) -> Receipt: ...
    def curate(
        self,
        policy: str | None = None,
        *,
        overrides: Overrides | None = None,
        allow_destroyed: int | None = None,
        progress: Progress | None = None,
    ) -> Receipt: ...
    def forecast(
        self, days: int = 30, policy: str | None = None, **more: Unpack[Foretelling]
    ) -> Forecast: ...
    @overload
    def run_jobs(
        self, cadence: CadenceName | None = None, *, policy: str | None = None, expire: bool = False
    ) -> JobsResult: ...
    @overload
    def run_jobs(self, *, stop: StopSignal, **options: Unpack[UntilStopped]) -> DaemonResult: ...
    def undo(self, run: Run, *, progress: Progress | None = None) -> Receipt: ...
    def explain(
        self, name: OneMemory, policy: str | None = None, *, overrides: Overrides | None = None
    ) -> Explanation: ...
    @overload
    def history(
        self,
        name: OneMemory | None = None,
        *,
        limit: int = 100,
        verb: str | None = None,
        after: Run | None = None,
        decision: ActionName | Literal["any"] | None = None,
        outcome: OutcomeName | None = None,
    ) -> builtins.list[Event]: ...
    @overload
    def history(self, *, run: Run, limit: int = 100) -> RunReport: ...
    def guidelines(self, *lines: int | str, off: bool = False) -> Guidelines: ...
    def status(self) -> State: ...
    def doctor(self) -> builtins.list[Check]: ...
    def guide(self, verb: str | None = None) -> Guide: ...
    def begin_session(self, task_type: str = "general", *, heartbeats: bool = True) -> str: ...
    def end_session(self, session: str | None = None) -> float: ...
    @contextmanager
    def session(self, task_type: str = "general") -> Iterator[str]: ...
    def backup(self, path: str | Path, *, to: str | Path = "") -> None: ...
    def export(self, *, to: str | Path | None = "-", progress: Progress | None = None) -> Iterator[bytes]: ...
    def import_(
        self,
        lines: Iterable[bytes | str],
        name: str = "import",
        *,
        edited: bool = False,
        trust: TrustName | Trust = "outside",
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Receipt: ...
    def list(
        self,
        *,
        status: Some[StatusName | Status] | Literal["any"] | None = None,
        kind: Some[KindName | Kind] | None = None,
        tags: Sequence[str] = (),
        filters: Mapping[str, Any] | None = None,
        limit: int = 1000,
        oldest_first: bool = False,
        **equal: Unpack[ListOptions],
    ) -> builtins.list[Memory]: ...

@validate_arguments
def open(
    path: str | Path = ":memory:",
    *,
    scope: str = "default",
    agent: str | None = None,
    policy: str | None = None,
    clock: str | Clock = "wall",
    embedder: str | Embedder | WaitingEmbedder = "auto",
    writer: str | Writer | None = None,
    **own: Unpack[OwnParts],
) -> Engine: ...
