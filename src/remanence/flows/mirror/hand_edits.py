"""What somebody edited in a mirror, as proposals: each file with what it would change, shown first and then applied.

Knows what of a memory a file may change, and by which verb; must not know how files are found or written.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from math import isfinite
from typing import Any

from remanence.core.clock import to_datetime, to_micros
from remanence.core.errors import Conflict, InvalidInput, NotFound, format_value
from remanence.core.model import STANDING, LearnResult, Memory, Turn, short_id
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.base.paging import read_memories
from remanence.flows.base.settings import read_zone
from remanence.flows.edit.editing import correct
from remanence.flows.edit.editing import edit as edit_memory
from remanence.flows.mirror.documents import (
    CUT,
    DOCUMENTS,
    PROFILE,
    DocumentLine,
    in_words,
    lines_of,
    render_speaker,
)
from remanence.flows.mirror.file_names import ARCHIVE, ARTIFACTS, BOXES, CORRECTIONS, ENTITIES, path_of
from remanence.flows.mirror.front_matter import (
    CHECKSUM,
    FIELDS_CHECKSUM,
    Field,
    Page,
    as_read,
    fields_checksum,
    read,
)
from remanence.flows.mirror.journal import Journal
from remanence.flows.mirror.mirror_result import FileEdit
from remanence.flows.mirror.mirrored import fields_of
from remanence.flows.mirror.mirroring import ChangedFile, get_named
from remanence.flows.write import gating
from remanence.flows.write.learning import learn_many
from remanence.read.extraction import AREA
from remanence.recall.profile import HEADINGS, IDENTITY_AREA
from remanence.text.analysis import check_text

# What a file may change of its memory, and what one that is new may say besides.
_WORDS = ("category", "kind", "state", "severity")
_NUMBERS = ("confidence", "importance")
_TIMES = ("valid_from", "valid_to")
EDITABLE = frozenset({*_WORDS, *_NUMBERS, *_TIMES, "tags", "attributes"})
# What changes with the memory, whoever edits a file: an old value in it is no wish.
MAINTAINED = frozenset(
    {CHECKSUM, "revision", "updated", "verification", "trust", "since", "reason", "superseded_by"}
    | {"sources", "left_out", "pinned", "links"}
)
SAID = frozenset({*_WORDS, *_NUMBERS, "tags", "attributes", "speaker", "said"})
# What a new line of the profile is learned as; under other headings its area is kept as an attribute.
_CATEGORY_OF_AREA = {
    "rules": "principle",
    "family": "relationship",
    "likes": "preference",
    "plans": "commitment",
}
ABOUT = "about"  # of a new line on the page of an entity: that it mentions this one


def digest_of(data: bytes) -> str:
    """Return what tells one content of a file from another."""
    return blake2b(data, digest_size=16).hexdigest()


async def proposals(core: Core, founds: Iterable[ChangedFile], known: Journal) -> list[FileEdit]:
    """Return what edited files would change, in order of their paths; `known` says whose file is whose."""
    pages = [_read_page(file) for file in sorted(founds, key=lambda one: one.path)]
    memories = await get_named(core, (_read_id(page) for _, page in pages if page is not None))
    edits: list[FileEdit] = []
    for edit, page in pages:
        if page is None:
            edits.append(edit)
            continue
        memory = memories.get(_read_id(page))
        if is_drawn(edit.path):
            is_own = memory is not None and edit.path in known.find_paths(memory.seq)
            edits += await _of_document(core, edit, page, memory if is_own else None, known)
        else:
            edits += await propose_edit(core, edit, partial(_page_edit, edit, page, memory, known))
    return edits


async def propose_edit(
    core: Core, edit: FileEdit, read_edit: Callable[[], FileEdit | None]
) -> list[FileEdit]:
    """Return what a page or a line would change, or why it cannot; nothing where it says what its memory says."""
    try:
        read_ = read_edit()
        return [] if read_ is None else [await _screen_edit(core, read_)]
    except (InvalidInput, NotFound, Conflict) as error:
        return [edit.mark_refused(error)]


def is_drawn(path: str) -> bool:
    """Tell whether a file is worked out of many memories: it is edited line by line, or not at all."""
    return path in DOCUMENTS or path.startswith((f"{ENTITIES}/", f"{BOXES}/"))


async def _of_document(
    core: Core, edit: FileEdit, page: Page, entity: Memory | None, known: Journal
) -> list[FileEdit]:
    """Return what the lines of an edited document would change: all of it, or why nothing can be."""
    try:
        _refuse_other_pages(edit.path, page, entity)
        lines = lines_of(page, {heading: area for area, heading in HEADINGS.items() if area != IDENTITY_AREA})
    except InvalidInput as error:
        return [edit.mark_refused(error)]
    by_seq = await read_memories(core, [one.seq for one in lines if one.seq is not None])
    edits: list[FileEdit] = []
    firsts: dict[int, FileEdit] = {}
    for one in lines:
        its, memory = replace(edit, line=one.number), by_seq.get(one.seq or 0)
        for read_ in await propose_edit(core, its, partial(_line_edit, its, one, memory, entity, known)):
            first = read_ if read_.seq is None else firsts.setdefault(read_.seq, read_)
            if read_.after != first.after:
                differs = InvalidInput(
                    f"line {first.line} makes something else of {short_id(first.seq or 0)}",
                    recovery="edit one of the two lines, or both alike",
                )
                edits.append(its.mark_refused(differs))
            elif first is read_:
                edits.append(read_)
    return refuse_as_whole(edits)


def _refuse_other_pages(path: str, page: Page, entity: Memory | None) -> None:
    """Refuse to edit what has no lines of its own, and all but the lines of what has."""
    if path.startswith(f"{ENTITIES}/"):
        if entity is None or entity.status not in STANDING:
            raise InvalidInput("it is no page of an active entity", recovery="put the text into facts/")
        if fields_checksum(page.fields) != page.fields.get(FIELDS_CHECKSUM):
            raise InvalidInput(
                "a page of an entity changes by its lines alone",
                recovery="take that back; `entities alias`, `merge` and `entities split` do the rest",
            )
    elif path != PROFILE:
        raise InvalidInput(
            "the engine writes it from active memories", recovery="edit the facts, and discard this edit"
        )


def refuse_as_whole(edits: list[FileEdit]) -> list[FileEdit]:
    """Return the edits of one file, none of which is applied where one cannot be."""
    bad_edit = next((one for one in edits if one.error), None)
    if bad_edit is None:
        return edits
    whole = InvalidInput(
        f"line {bad_edit.line} cannot be applied, and the file is applied as a whole",
        recovery=bad_edit.recovery,
    )
    return [one if one.error else one.mark_refused(whole) for one in edits]


def _line_edit(
    edit: FileEdit, one: DocumentLine, memory: Memory | None, entity: Memory | None, known: Journal
) -> FileEdit | None:
    """Return what one line would change; None where it says what its memory says."""
    if one.seq is None:
        said_at = None if one.said is None else _read_value("said", one.said)
        about = None if entity is None else short_id(entity.seq)
        category = _CATEGORY_OF_AREA.get(one.area or "")
        attributes = {AREA: one.area} if one.area and category is None else None
        after = {
            "text": one.text,
            "category": category,
            "attributes": attributes,
            "said": said_at,
            ABOUT: about,
        }
        return replace(edit, verb="learn", after={name: to for name, to in after.items() if to is not None})
    if memory is None:
        raise NotFound(f"no memory #{one.seq}", recovery="take the line away, or the name in it")
    if one.said is not None and one.said != memory.said_day:
        raise InvalidInput(
            "a line does not change when it was said", recovery=f"write {memory.said_day} again"
        )
    own, text = " ".join(memory.text.split()), one.text.removeprefix(render_speaker(memory.speaker))
    as_shown = in_words(memory) == one.text + CUT * one.is_cut
    if as_shown or text == own or (one.is_cut and own.startswith(text)):
        return None
    if one.is_cut:
        raise InvalidInput(
            f"#{one.seq} says more than the line shows",
            recovery=f"edit the file of the fact: {_file_of(memory, known)}",
        )
    return edit.correct_text(memory, text, one.revision)


def _read_page(found: ChangedFile) -> tuple[FileEdit, Page | None]:
    edit = FileEdit(found.path, digest_of(found.data))
    if found.problem:
        return edit.mark_refused(InvalidInput(found.problem, recovery=found.recovery)), None
    try:
        return edit, read(found.data)
    except InvalidInput as error:
        return edit.mark_refused(error), None


def _read_id(page: Page) -> str:
    name = page.fields.get("id")
    return name if isinstance(name, str) else ""


def _page_edit(edit: FileEdit, page: Page, memory: Memory | None, known: Journal) -> FileEdit:
    """Return what one file would change."""
    if edit.path.startswith(f"{ARTIFACTS}/"):
        raise InvalidInput(
            "these are the user's own words",
            recovery="edit the file of the fact, and discard the edit of this one",
        )
    if not _read_id(page):
        return _build_learn_edit(edit, page)
    return _build_update_edit(edit, page, _check_file_owner(edit, page, memory, known))


def _check_file_owner(edit: FileEdit, page: Page, memory: Memory | None, known: Journal) -> Memory:
    """Return the memory whose file it is; a copy is not read."""
    if memory is None:
        raise NotFound(
            f"no memory has the id {format_value(_read_id(page))}",
            recovery="to make it a new one, take the line `id` away",
        )
    if edit.path not in known.find_paths(memory.seq):
        raise InvalidInput(
            f"it is a copy of the file of {short_id(memory.seq)}",
            recovery=f"edit {_file_of(memory, known)}; to make it a new memory, take the line `id` away",
        )
    return memory


def _file_of(memory: Memory, known: Journal) -> str:
    """Return the path of a memory's file, as it stands in the folder."""
    plain = path_of(memory)
    folder = plain.partition("/")[0]
    there = sorted(path for path in known.find_paths(memory.seq) if path.startswith(f"{folder}/"))
    return plain if plain in there or not there else there[0]


def _build_update_edit(edit: FileEdit, page: Page, memory: Memory) -> FileEdit:
    """Return what a file would change of its memory."""
    fields = {name: as_read(value) for name, value in fields_of(memory).items()}
    if page.fields.get("status") in {one.label for one in STANDING}:
        fields["status"] = page.fields["status"]  # it comes from the inbox by itself
    editable = sorted(EDITABLE & page.fields.keys())
    was = {name: _read_value(name, fields.get(name, "")) for name in editable}
    values = {name: _read_value(name, page.fields[name]) for name in editable}
    after = {name: value for name, value in values.items() if value != was[name]}
    if _normalize_line_ends(page.text) != _normalize_line_ends(memory.text):
        after = {"text": page.text, **after}
    before = {name: memory.text if name == "text" else was[name] for name in after}
    names = page.fields.keys() - EDITABLE - MAINTAINED
    others = sorted(name for name in names if fields.get(name, "") != page.fields[name])
    edit = replace(
        edit, id=memory.id, seq=memory.seq, revision=_read_revision(page, memory), before=before, after=after
    )
    if (after or others) and memory.status not in STANDING:
        raise InvalidInput(
            f"memory {short_id(memory.seq)} is {memory.status.label}",
            recovery=f"bring it back first: restore {memory.seq}; or discard the edit",
        )
    if edit.revision != memory.revision and (after or others):
        return edit.mark_refused(
            Conflict(
                [("memories", memory.seq)],
                f"the file is of revision {edit.revision}, the memory of {memory.revision}: it changed meanwhile",
                f"look at the present text; to change it all the same, set `revision: {memory.revision}` in the file",
                expected=edit.revision,
                current=memory.revision,
            )
        )
    if others:
        raise InvalidInput(
            f"a file does not change {', '.join(others)}",
            recovery="take that back; names and values of yours go into attributes, and verbs do the rest",
        )
    return replace(edit, verb="update") if after else edit


def _read_revision(page: Page, memory: Memory) -> int:
    revision = page.fields.get("revision", "")
    if (
        not isinstance(revision, str)
        or not revision.isascii()
        or not revision.isdigit()
        or len(revision) > 18
    ):
        raise InvalidInput(
            "the file does not say of which revision it is",
            recovery=f"put the line `revision: {memory.revision}` back, once you have looked at the present text",
        )
    return int(revision)


def _build_learn_edit(edit: FileEdit, page: Page) -> FileEdit:
    """Return a file that somebody put there as a memory to learn."""
    folder, others = edit.path.partition("/")[0], sorted(page.fields.keys() - SAID - {CHECKSUM})
    if folder == ARCHIVE:
        raise InvalidInput("nothing new begins in the archive", recovery="put the file into facts/")
    if others:
        raise InvalidInput(
            f"a new memory has no field {', '.join(others)}", recovery=f"use: {', '.join(sorted(SAID))}"
        )
    values = {name: _read_value(name, value) for name, value in page.fields.items() if name in SAID}
    after = {name: value for name, value in sorted(values.items()) if value not in (None, ())}
    if folder == CORRECTIONS:
        after.setdefault("category", "correction")
    return replace(edit, verb="learn", after={"text": page.text, **after})


async def _screen_edit(core: Core, edit: FileEdit) -> FileEdit:
    """Let what a file says pass the gate, so that what is shown is what would be kept."""
    text = edit.after.get("text")
    if text is not None:
        if not text.strip():
            raise InvalidInput(
                "it holds no text", recovery="an empty file is never a forget: remanence forget"
            )
        check_text(text)
        await gating.refuse_forbidden(core, text)
    turn = Turn(text or "", attributes=edit.after.get("attributes"), tags=edit.after.get("tags", ()))
    await gating.refresh_settings(core)
    clean_turn, replaced = await run_off_loop(len(turn.text), gating.screen_turn, core, turn, core.trust)
    tags, tag_counts = gating.screened_tags(core, turn.tags)
    if not replaced.counts and not tag_counts:
        return edit
    clean_values = {"text": clean_turn.text, "attributes": clean_turn.attributes, "tags": tags}
    after = {name: clean_values.get(name, value) for name, value in edit.after.items()}
    return replace(edit, after=after, replaced={**replaced.counts, **tag_counts})


def _read_value(name: str, given: Field) -> Any:
    """Read a field as what it means; raise InvalidInput for what it cannot mean."""
    if name == "tags":
        if isinstance(given, dict):
            raise _make_misread_error(name, "a list of texts")
        return tuple(sorted({*given} if isinstance(given, list) else {given} - {""}))
    if name == "attributes":
        if given and not isinstance(given, dict):
            raise _make_misread_error(name, "a mapping on one line, in JSON")
        return given or None
    if not isinstance(given, str):
        raise _make_misread_error(name, "one value")
    if given in ("", "null"):
        return None
    if name in _NUMBERS:
        return _read_number(name, given)
    if name == "said":
        return _read_moment(name, given)
    return to_datetime(to_micros(_in_utc(_read_moment(name, given)))) if name in _TIMES else given


def _read_number(name: str, given: str) -> float:
    try:
        value = float(given)
    except ValueError:
        raise _make_misread_error(name, "a number from 0 to 1") from None
    if not isfinite(value) or not 0 <= value <= 1:
        raise _make_misread_error(name, "a number from 0 to 1")
    return round(value, 6)


def _read_moment(name: str, given: str) -> datetime:
    """Read a time as it is written; one without a zone is of the scope's where it is said, else of UTC."""
    try:
        moment = datetime.fromisoformat(given)
        to_micros(_in_utc(moment))
    except (ValueError, OverflowError):
        raise _make_misread_error(name, "a time such as 2026-03-01T09:30Z") from None
    return moment


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _make_misread_error(name: str, what: str) -> InvalidInput:
    return InvalidInput(f"{name} is no {what.removeprefix('a ')}", recovery=f"write {name} as {what}")


def _normalize_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").removesuffix("\n")


async def apply_edit(core: Core, edit: FileEdit) -> tuple[FileEdit, str | None]:
    """Do what a proposal says; return it with the memory that it became, and the run."""
    values: dict[str, Any] = dict(edit.after)
    if edit.verb == "update":
        assert edit.id is not None
        tags = values.pop("tags", None)
        receipt = await edit_memory(core, edit.id, values, edit.revision, tags=tags)
        return edit, receipt.run if receipt.changes else None
    if edit.verb == "correct":
        assert edit.id is not None
        answer = await correct(core, edit.id, values["text"], edit.revision)
        return _as_learned(edit, answer)
    about = values.pop(ABOUT, None)
    said: datetime | None = values.pop("said", None)
    if said is not None and said.tzinfo is None:
        said = said.replace(tzinfo=await read_zone(core) or UTC)
    turn = Turn(values.pop("text"), said_at=said, **values)
    (answer,) = await learn_many(core, [turn], about=None if about is None else (await core.one(about)).seq)
    return _as_learned(edit, answer)


def _as_learned(edit: FileEdit, learned: LearnResult) -> tuple[FileEdit, str | None]:
    if learned.status == "gated":
        raise InvalidInput(learned.reason, recovery="say it otherwise, or take the file away")
    return replace(edit, id=learned.id, seq=learned.seq), learned.run
