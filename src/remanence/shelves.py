"""The shelves of an open memory: what gathers the verbs of one matter under a name, such as `memory.review`."""

from typing import TYPE_CHECKING

from remanence.core.later import import_later
from remanence.core.signatures import checked_class
from remanence.flows.base.context import Core

if TYPE_CHECKING:
    from remanence.flows.base import access_tokens, settings
    from remanence.flows.base.access_tokens import AccessTokens
    from remanence.flows.base.settings import Settings
    from remanence.flows.consolidate import boxes
    from remanence.flows.consolidate.boxes import Conversations
    from remanence.flows.entities import entities
    from remanence.flows.entities.entities import Entities
    from remanence.flows.erase import erase, erase_since
    from remanence.flows.erase.erase import Erase
    from remanence.flows.inspect import review
    from remanence.flows.inspect.review import ReviewQueue
    from remanence.flows.mirror import mirror
    from remanence.flows.mirror.mirror import Mirror, Mirrorings
    from remanence.flows.recall import kept_frames
    from remanence.flows.recall.kept_frames import Frames
    from remanence.flows.schedule import lifetime, scope_policy
    from remanence.flows.schedule.scope_policy import ScopePolicy
    from remanence.flows.scopes import scopes
    from remanence.flows.scopes.scopes import Scopes

import_later(globals())


@checked_class
class Shelves:
    """Namespaces of verbs, each made when it is asked for; `Engine` adds the verbs outside the namespaces."""

    def __init__(self, core: Core) -> None:
        self._kept = core
        self._mirrorings: Mirrorings = {}

    @property
    def _core(self) -> Core:
        """What the verbs work on; a file that holds what was erased since it was copied is only looked at."""
        return self._kept.usable_core

    @property
    def policy(self) -> ScopePolicy:
        """The policy of this scope: which is in force, what it says, use another or none."""
        return scope_policy.ScopePolicy(self._core)

    @property
    def frames(self) -> Frames:
        """The frames of this scope: show, change and reset them."""
        return kept_frames.Frames(self._core)

    @property
    def mirror(self) -> Mirror:
        """A folder of text files, one for each fact, kept as the memory is."""
        return mirror.Mirror(self._core, self._mirrorings)

    @property
    def erase(self) -> Erase:
        """Memories erased for good, with every copy that is kept of them: shown first, then done."""
        return erase.Erase(self._kept.looked_at, erase_since.ErasedSinceVerbs(self._kept, lifetime.resume))

    @property
    def conversations(self) -> Conversations:
        """Segments of sessions about one matter each, and threads of them across sessions: list and show them."""
        return boxes.Conversations(self._core)

    @property
    def entities(self) -> Entities:
        """The people, projects, tools, companies and places that memories of this scope name."""
        return entities.Entities(self._core)

    @property
    def token(self) -> AccessTokens:
        """Access tokens of this database, for `remanence serve`: make, list and end them."""
        return access_tokens.AccessTokens(self._core)

    @property
    def scopes(self) -> Scopes:
        """The scopes of the store: list them, copy this one into another, drop it."""
        return scopes.Scopes(self._core)

    @property
    def review(self) -> ReviewQueue:
        """Items that wait for a person: list them, settle them."""
        return review.ReviewQueue(self._core)

    @property
    def settings(self) -> Settings:
        """Numbers that hold for this scope in every process: list, read and set them."""
        return settings.Settings(self._core)
