"""The verbs that change single memories: fields, tags, pins, holds, ratings, corrections, links, deletions."""

from typing import TYPE_CHECKING, Literal, Unpack, overload

from remanence.core.clock import to_micros
from remanence.core.errors import InvalidInput
from remanence.core.forbidden import Forbidden
from remanence.core.keywords import Editable, IfExists, LinkOptions, Moment, RelationName, VerdictName
from remanence.core.later import import_later
from remanence.core.model import (
    LearnResult,
    Link,
    Memories,
    OneMemory,
    Relation,
)
from remanence.core.receipt import RateResult, Receipt
from remanence.flows.base.context import Core
from remanence.flows.base.naming import list_memory_names
from remanence.flows.base.permission_checks import verb_class

if TYPE_CHECKING:
    from remanence.edit import links
    from remanence.flows.consolidate import merging
    from remanence.flows.edit import editing, rating
    from remanence.flows.scopes import promoting
    from remanence.flows.undo import restoring
    from remanence.flows.write import gating

import_later(globals())


@verb_class()
class EditingVerbs:
    """The verbs that change single memories; `Engine` adds all others."""

    @property
    def _core(self) -> Core:
        """What the verbs work on: `Shelves` has it."""
        raise NotImplementedError

    # Editing: several memories are changed in one run, all or none; with `if_revision`, which only one may have, only
    # while the memory has that revision, else Conflict.

    async def update(
        self, name: OneMemory, *, if_revision: int | None = None, **values: Unpack[Editable]
    ) -> Receipt:
        """Change the text, category, kind, state or another column of a memory.

        Columns: text, category, kind, state, severity, lifecycle, verification, policy_class, attributes, confidence,
        importance, valid_from, valid_to. A memory may leave the policy class ephemeral, and never enters it.
        """
        return await editing.edit(self._core, name, values, if_revision)

    async def tag(
        self, names: Memories, *tags: str, off: bool = False, if_revision: int | None = None
    ) -> Receipt:
        """Add tags; with `off` remove them."""
        change = editing.untag if off else editing.tag
        return await change(self._core, names, tags, if_revision)

    async def pin(self, names: Memories, *, off: bool = False, if_revision: int | None = None) -> Receipt:
        """Protect a memory from demotion, archiving and deletion; with `off` remove the pin."""
        return await editing.set_pin(self._core, names, pinned=not off, if_revision=if_revision)

    async def hold(
        self,
        names: Memories,
        reason: str,
        until: Moment | None = None,
        *,
        off: bool = False,
        if_revision: int | None = None,
    ) -> Receipt:
        """Forbid deleting or rewriting a memory under a named hold, until a time; with `off` remove that hold."""
        if off:
            editing.refuse_beside_off(until=until)
            return await editing.release(self._core, names, reason, if_revision)
        ends = None if until is None else to_micros(until)
        return await editing.hold(self._core, names, reason, ends, if_revision)

    async def rate(
        self, names: Memories, verdict: VerdictName | float, *, if_revision: int | None = None
    ) -> RateResult:
        """Rate memories: "right" or "wrong", or how far they helped: "helped", "misled", or from 0 to 1.

        "right" marks a memory as correct or seen again, and restores an archived one; "wrong" marks it as denied. A
        number between 0 (misled) and 1 (helped) counts for both in part. `skipped` lists memories that cannot be rated
        by help: identity, and for an agent also memories under self/ or of a category of the system.
        """
        return await rating.rate(self._core, names, verdict, if_revision)

    @overload
    async def correct(self, name: OneMemory, text: str, *, if_revision: int | None = None) -> LearnResult: ...

    @overload
    async def correct(self, name: OneMemory, *, by: OneMemory, if_revision: int | None = None) -> Receipt: ...

    async def correct(
        self,
        name: OneMemory,
        text: str | None = None,
        *,
        by: OneMemory | None = None,
        if_revision: int | None = None,
    ) -> LearnResult | Receipt:
        """Replace a wrong memory with a corrected text, or by another memory; the old one stays in the history.

        The new memory takes over the pin and the holds of the old one. An agent may not correct a memory that has any,
        nor one that says who the agent is.
        """
        if by is not None and text is None:
            return await editing.supersede(self._core, name, by, if_revision)
        if text is None or by is not None:
            raise InvalidInput(
                "correct takes a text or a memory",
                recovery="pass the right text, or as `by` the memory that has it",
            )
        return await editing.correct(self._core, name, text, if_revision)

    async def forget(self, names: Memories, *, if_revision: int | None = None) -> Receipt:
        """Delete a memory; restore undoes it.

        A policy may purge the deleted memory. Its text may be learned again; `forbid` refuses that.
        """
        return await editing.forget(self._core, names, if_revision)

    async def forbid(self, names: Memories, *, off: bool = False, if_revision: int | None = None) -> Receipt:
        """Delete a memory and refuse its text from then on, whoever says it; with `off` allow the text again.

        The text is also refused in other letters that look alike. With `off` a hash of `forbidden` names a text as
        well.
        """
        if off:
            editing.refuse_beside_off(if_revision=if_revision)
            return await gating.lift(self._core, list_memory_names(names))
        return await editing.forget(self._core, names, if_revision, forbid=True)

    async def forbidden(
        self, *, limit: int | None = None, after: str | Forbidden | None = None
    ) -> list[Forbidden]:
        """List forbidden texts: the hash of each, since when, and which memory said it.

        The list is in the order of the hashes. It continues after the text or the hash `after`.
        """
        return await gating.list_forbidden(self._core, limit, after)

    async def restore(self, names: Memories, *, if_revision: int | None = None) -> Receipt:
        """Restore archived, deleted or compressed memories."""
        return await restoring.restore(self._core, names, if_revision)

    @overload
    async def link(
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
    async def link(
        self,
        source: OneMemory,
        target: OneMemory,
        relation: RelationName | Relation,
        *,
        off: Literal[True],
        if_revision: int | None = None,
    ) -> Receipt: ...

    async def link(
        self,
        source: OneMemory,
        target: OneMemory,
        relation: RelationName | Relation,
        *,
        off: bool = False,
        if_revision: int | None = None,
        **more: Unpack[LinkOptions],
    ) -> Link | Receipt:
        """Link two memories by a relation, or strengthen an existing link; with `off` remove it.

        `more` are `weight` and `confidence`, from 0 to 1, and `if_exists`: reinforce, update, skip or error.
        `if_revision` is the link's own, 0 where there is to be none.
        """
        if off:
            editing.refuse_beside_off(**more)
            return await editing.unlink(self._core, source, target, relation, if_revision)
        wish = links.Linking(source, target, relation, if_revision=if_revision, **more)
        return await editing.link(self._core, wish)

    async def merge(self, a: OneMemory, b: OneMemory, *, if_revision: int | None = None) -> Receipt:
        """Merge two memories that say the same, or two entities that are one.

        Memory `b` is superseded by `a`: neither embedder nor policy is asked, a pin or a hold on `b` refuses it, and
        `if_revision` is that of `b`. Entities are given by names or numbers: the one with the fuller name keeps all
        names and mentions.
        """
        return await merging.merge(self._core, a, b, if_revision)

    async def promote(self, names: Memories, to: str) -> Receipt:
        """Copy memories of this scope into another one of the store, such as one that a team shares.

        A copy has the text, tags, sources, times, speaker, attributes and trust of its memory, and an id of its own. It
        has no key, session, pin and hold. Texts that the other scope knows already stay as they are there, and a text
        that is forbidden or was erased there is refused. The run belongs to the other scope: undo it there.
        """
        return await promoting.promote(self._core, names, to)
