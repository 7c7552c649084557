"""Who spoke, where nobody said it and the name leaves it in doubt; and a look for a role that was told wrongly."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from remanence.errors import StoreError
from remanence.flows.checks import broken
from remanence.flows.core import Core
from remanence.model import Role
from remanence.segment import LOOK_BACK
from remanence.snapshot import Snapshot, SnapshotRequest
from remanence.store.base import Check, Find
from remanence.write.arrive import Draft
from remanence.write.roles import TEXTS_MAX, in_doubt, speaks_as_assistant, told_by_texts

NAME = "speakers"
WORDS_MIN = 2_000  # below, one long text may be most of what is there


async def settled(core: Core, drafts: Sequence[Draft], *, together: bool = False) -> list[Draft]:
    """Give the assistant's role to doubtful names whose latest texts, these among them, read as an assistant's.

    As if they came one by one, since who else arrives at the same moment must not decide; or all of a name `together`,
    which tells an assistant from its first word, where they were handed over as one.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for place, draft in enumerate(drafts):
        if draft.turn.speaker is not None and in_doubt(draft.turn):
            places[draft.turn.speaker].append(place)
    found = list(drafts)
    for speaker, own in places.items():
        known = await _latest(core, speaker, LOOK_BACK)
        arriving = [drafts[place].turn.text for place in own]
        tell = partial(told_by_texts, known[::-1], arriving, together=together)
        for place, assistant in zip(own, await asyncio.to_thread(tell), strict=True):
            found[place] = replace(drafts[place], role=Role.ASSISTANT) if assistant else drafts[place]
    return found


async def _latest(core: Core, speaker: str, among: int | None = None) -> list[str]:
    """Return the latest texts of a name, newest first; of the last arrivals only, where `among` says how many."""
    asked = Find(equal={"speaker": speaker}, limit=TEXTS_MAX, among=among)
    return [memory.text for memory in await core.store.find(core.scope, asked)]


async def speakers(core: Core) -> Check:
    """Look whether most words come from one speaker who reads as an assistant and is kept as a user."""
    try:
        snapshot = await core.store.snapshot(
            core.scope, SnapshotRequest(frozenset({"role", "speaker", "words"})), core.clock.now()
        )
        loudest, share = _loudest(snapshot)
        said = [] if loudest is None else await _latest(core, loudest)
    except StoreError as error:
        return replace(broken(error), name=NAME)
    if loudest is None:
        return Check(NAME, True, "no user says most of the words")
    detail = f"{share:.0%} of the words are the user {loudest}'s"
    if not await asyncio.to_thread(speaks_as_assistant, said):
        return Check(NAME, True, detail)
    advice = (
        f"{loudest} offers and lists like an assistant, and is kept as a user, which harms recall and keep-values:"
        " learn its texts with role assistant"
    )
    return Check(NAME, True, detail, advice)


def _loudest(snapshot: Snapshot) -> tuple[str | None, float]:
    """Return the one speaker who says more than half of all words in the role of a user, and that share."""
    words = snapshot.columns["words"].astype(np.int64)
    speaker = snapshot.columns["speaker"].astype(np.int64)
    users = (snapshot.columns["role"] == Role.USER) & (speaker >= 0)
    said = np.bincount(speaker[users], words[users])
    if not len(said) or words.sum() < WORDS_MIN or 2 * said.max() <= words.sum():
        return None, 0.0
    return snapshot.names["speaker"][int(said.argmax())], float(said.max() / words.sum())
