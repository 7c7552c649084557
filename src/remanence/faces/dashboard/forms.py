"""What the forms on pages do: each calls one verb and says what came of it.

Knows fields and verbs; must not know pages, but for the addresses of those that show an answer.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from remanence.core.errors import Conflict, InvalidInput, Protected, RemanenceError
from remanence.core.model import short_id
from remanence.core.receipt import Receipt
from remanence.core.results import format_counts, number
from remanence.faces.dashboard import curation_pages
from remanence.faces.dashboard.browser_sessions import Note
from remanence.faces.dashboard.form_fields import FormFields, read_name
from remanence.faces.dashboard.rendering import ACTION_WORDS
from remanence.faces.dashboard.visits import Visit, check_preset
from remanence.faces.rest.shown_things import VerbRequest
from remanence.faces.style import local, moment
from remanence.flows.base.access_tokens import NewToken
from remanence.flows.base.settings import MIRROR_FOLDER, Setting
from remanence.flows.erase.erase_results import Erasure


@dataclass(frozen=True, slots=True)
class FormResult:
    """What a form did: a note for the next page, which is `go` or the one that it was on."""

    note: Note | None = None
    go: str = ""


@dataclass(frozen=True, slots=True)
class PageForm:
    """One form: its address, the verb that it calls, how, and with which arguments that say what the verb does."""

    name: str
    verb: str
    carry_out: Callable[[Visit, FormFields], Awaitable[FormResult]]
    arguments: Mapping[str, object] = field(default_factory=dict)


def _tell_receipt(receipt: Receipt, did: str) -> FormResult:
    """Say what a run did, with the way back where there is one."""
    run = receipt.run if receipt.changes else None
    detail = "; ".join([*receipt.notes, *(f"left out: {one}" for one in receipt.skipped[:5])])
    return FormResult(Note(did if receipt.changes else f"{did}: nothing to do", run, detail))


def _name(given: FormFields, field: str = "name") -> int | str:
    """Return the memory that a field names."""
    return read_name(given.require(field))


async def _learn(visit: Visit, given: FormFields) -> FormResult:
    learned = await visit.memory.learn(
        given.require("text"),
        tags=given.read_words("tags"),
        category=given.read_text("category"),
        speaker=given.read_text("speaker"),
    )
    if not learned.seq:
        return FormResult(Note(f"Not kept: {learned.reason}", is_refusal=True))
    return FormResult(
        Note(f"{learned.status.capitalize()} as {short_id(learned.seq)}", learned.run, learned.reason),
        visit.link(f"/memories/{learned.seq}"),
    )


async def _update(visit: Visit, given: FormFields) -> FormResult:
    """Change what the form shows differently from what the memory has."""
    name, revision = _name(given), given.read_whole("revision")
    memory = await visit.memory.get(name)
    wish: dict[str, Any] = {
        "text": given.take("text").replace("\r\n", "\n"),
        "category": given.read_text("category"),
        "kind": given.read_text("kind"),
        "importance": given.read_float("importance"),
        "valid_to": None if (until := given.read_text("valid_to")) is None else moment(until),
    }
    had = {
        "text": memory.text,
        "category": memory.category,
        "kind": memory.kind.label if memory.kind is not None else None,
        "importance": memory.importance,
        "valid_to": None if memory.valid_to is None else moment(local(memory.valid_to)),
    }
    changed = {field: value for field, value in wish.items() if value != had[field]}
    if not changed:
        return FormResult(Note("Nothing was changed"))
    receipt = await visit.memory.update(name, if_revision=revision, **changed)
    return _tell_receipt(receipt, f"Changed {', '.join(changed)} of {short_id(memory.seq)}")


async def _correct(visit: Visit, given: FormFields) -> FormResult:
    old = await visit.memory.get(_name(given))
    learned = await visit.memory.correct(
        old.seq, given.require("text"), if_revision=given.read_whole("revision")
    )
    if not learned.seq:
        return FormResult(Note(f"Not kept: {learned.reason}", is_refusal=True))
    return FormResult(
        Note(f"{short_id(learned.seq)} holds instead of {short_id(old.seq)}", learned.run),
        visit.link(f"/memories/{learned.seq}"),
    )


async def _tag(visit: Visit, given: FormFields) -> FormResult:
    tags = given.read_words("tags")
    return _tell_receipt(await visit.memory.tag(_name(given), *tags), f"Tagged {', '.join(tags)}")


async def _untag(visit: Visit, given: FormFields) -> FormResult:
    tag = given.require("tag")
    return _tell_receipt(await visit.memory.tag(_name(given), tag, off=True), f"Took the tag {tag} away")


def _on_one(verb: str, did: str, **more: Any) -> Callable[[Visit, FormFields], Awaitable[FormResult]]:
    """Return how a verb is called that takes one memory."""

    async def carry_out(visit: Visit, given: FormFields) -> FormResult:
        return _tell_receipt(
            await getattr(visit.memory, verb)(_name(given), **more), f"{did} #{given.take('name')}"
        )

    return carry_out


async def _hold(visit: Visit, given: FormFields) -> FormResult:
    until = given.read_text("until")
    receipt = await visit.memory.hold(
        _name(given), given.require("reason"), until=None if until is None else moment(until)
    )
    return _tell_receipt(receipt, f"Held #{given.take('name')}")


async def _release(visit: Visit, given: FormFields) -> FormResult:
    return _tell_receipt(
        await visit.memory.hold(_name(given), given.require("reason"), off=True),
        f"Released #{given.take('name')}",
    )


async def _rate(visit: Visit, given: FormFields) -> FormResult:
    verdict: Any = given.require("verdict")
    rated = await visit.memory.rate(_name(given), verdict)
    if rated.skipped:
        return FormResult(Note(f"Not rated: {rated.skipped[0].reason}", is_refusal=True))
    return FormResult(Note(f"Rated #{given.take('name')}: {verdict}", rated.run))


async def _forget(visit: Visit, given: FormFields) -> FormResult:
    forbid = given.read_text("forbid") is not None
    delete = visit.memory.forbid if forbid else visit.memory.forget
    receipt = await delete(_name(given), if_revision=given.read_whole("revision"))
    return _tell_receipt(
        receipt,
        f"Deleted #{given.take('name')}" + (", and its text is refused from now on" if forbid else ""),
    )


async def _supersede(visit: Visit, given: FormFields) -> FormResult:
    old, by = _name(given), _name(given, "by")
    return _tell_receipt(await visit.memory.correct(old, by=by), f"{by} holds instead of {old}")


async def _link(visit: Visit, given: FormFields) -> FormResult:
    relation: Any = given.require("relation")
    confidence = given.read_float("confidence")
    link = await visit.memory.link(
        _name(given),
        _name(given, "target"),
        relation,
        confidence=confidence,
        if_exists="reinforce" if confidence is None else "update",
    )
    return FormResult(
        Note(f"{short_id(link.source)} {link.relation.label} {short_id(link.target)}, seen {link.count}×")
    )


async def _unlink(visit: Visit, given: FormFields) -> FormResult:
    relation: Any = given.require("relation")
    return _tell_receipt(
        await visit.memory.link(_name(given, "source"), _name(given, "target"), relation, off=True),
        "Took the link away",
    )


async def _settle(visit: Visit, given: FormFields) -> FormResult:
    """Settle what waits by the choice that was pressed; some choices need more than the form does."""
    item, choice = given.require("item"), given.require("choice")
    if not visit.may("review.settle", item=item, choice=choice):
        raise Protected(
            f"the token {visit.token.name} may not {choice} this",
            recovery="log in with another",
            guards=("trust",),
        )
    receipt = await visit.memory.review.settle(read_name(item), read_name(choice))
    done = FormResult(Note(f"Settled: {choice}", detail="; ".join(receipt.notes)))
    return _tell_receipt(receipt, f"Settled: {choice}") if receipt.changes else done


async def _merge(visit: Visit, given: FormFields) -> FormResult:
    receipt = await visit.memory.merge(_name(given, "a"), _name(given, "b"))
    return _tell_receipt(receipt, "Made one of the two")


async def _apply(visit: Visit, given: FormFields) -> FormResult:
    """Apply the plan that was shown; of two who do so at once one is told that it was applied already."""
    policy = given.read_text("policy")
    plan = await visit.find_shown(curation_pages.PLAN, given.require("digest"))
    if plan is None:
        raise Conflict(
            (), "another plan is shown by now", recovery="look at the new plan, and apply that one"
        )
    allowed = given.read_whole("allow_destroyed")
    receipt = await visit.memory.apply(plan, policy=policy, allow_destroyed=allowed)
    if not receipt.changes:
        return FormResult(
            Note("Nothing of this plan is left to do: it was applied already, or what it is about changed")
        )
    counts = {ACTION_WORDS.get(name, name): count for name, count in receipt.counts.items()}
    told = _tell_receipt(receipt, f"Applied the plan: {format_counts(counts)}")
    return FormResult(told.note, visit.link(f"/runs/{receipt.run}"))


async def _undo(visit: Visit, given: FormFields) -> FormResult:
    receipt = await visit.memory.undo(given.require("run"))
    did = f"Took back {number(receipt.changes, 'change', 'changes')}"
    return FormResult(
        _tell_receipt(receipt, did).note, visit.link(f"/runs/{receipt.undoes}") if receipt.undoes else ""
    )


async def _adopt(visit: Visit, given: FormFields) -> FormResult:
    adopted = await visit.memory.policy.use(check_preset(given.require("policy")))
    return FormResult(Note(f"It curates this scope from now on: {adopted}"))


async def _drop_policy(visit: Visit, _: FormFields) -> FormResult:
    dropped = (await visit.memory.policy.use(None)).before
    return FormResult(Note(f"Dropped {dropped}: nothing runs by itself" if dropped else "None was adopted"))


async def _save_settings(visit: Visit, given: FormFields) -> FormResult:
    """Set what was typed differently from what the page showed; what is refused does not keep the rest from it."""
    saved: list[str] = []
    refused: dict[str, RemanenceError] = {}
    for setting in await visit.memory.settings.get():
        typed = _read_typed(setting, given)
        if typed is None:
            continue
        try:
            await _set_setting(visit, setting, typed)
            saved.append(setting.name)
        except InvalidInput as error:
            refused[setting.name] = error
    done = f"Saved {', '.join(saved)}" if saved else "Nothing was changed"
    if not refused:
        return FormResult(Note(done))
    problems = {name: f"{error}: {error.recovery}" for name, error in refused.items()}
    detail = f"{done}. {'; '.join(problems.values())}" if saved else "; ".join(problems.values())
    return FormResult(
        Note(f"Not saved: {', '.join(refused)}", detail=detail, is_refusal=True, problems=problems)
    )


def _read_typed(setting: Setting, given: FormFields) -> str | None:
    """Return what was typed for a setting, None where the form does not have it or it is as the page showed it."""
    name = setting.name
    if not given.has(f"was.{name}"):
        return None
    was, typed = (given.take(f"{part}.{name}").replace("\r\n", "\n") for part in ("was", "is"))
    if setting.is_switch:
        typed = "1" if given.has(f"is.{name}") else "0"
    return None if typed.strip() == was.strip() else typed.strip()


async def _set_setting(visit: Visit, setting: Setting, typed: str) -> None:
    """Set one setting to what was typed; nothing resets it."""
    if setting.name == MIRROR_FOLDER and not visit.may("mirror.sync"):
        raise InvalidInput(
            f"{MIRROR_FOLDER} is a folder of the server", recovery="who runs the server sets it"
        )
    whole = typed.removeprefix("-")
    is_number = isinstance(setting.value, int) and whole.isascii() and whole.isdigit() and len(whole) < 19
    await visit.memory.settings.set(setting.name, int(typed) if is_number else typed or None)


async def _lift(visit: Visit, given: FormFields) -> FormResult:
    return _tell_receipt(await visit.memory.forbid(_name(given), off=True), "Its text is let in again")


async def _split_entity(visit: Visit, given: FormFields) -> FormResult:
    return _tell_receipt(
        await visit.memory.entities.split(_name(given), given.read_words("off")), "Split off"
    )


async def _add_alias(visit: Visit, given: FormFields) -> FormResult:
    return _tell_receipt(
        await visit.memory.entities.alias(_name(given), given.require("alias")),
        f"Also called {given.take('alias')}",
    )


async def _show_erasure(visit: Visit, given: FormFields) -> FormResult:
    """Show what an erasure would take away, with the form that does it."""
    subject = given.read_words("subject")
    named = [read_name(name) for name in given.read_words("names")]
    if bool(subject) == bool(named):
        raise InvalidInput("nothing is named, or memories and a person", recovery="name one or the other")
    asked = VerbRequest(
        visit.position,
        [named],
        {"subject": subject or None, "mentions": given.read_text("mentions") is not None},
    )
    preview = await visit.memory.erase.show(*asked.places, **asked.named)
    name = await visit.shown.keep(visit.shown_by("erase.show"), preview, asked)
    return FormResult(go=visit.link("/erase", shown=name))


async def _erase(visit: Visit, given: FormFields) -> FormResult:
    """Erase what was shown, and show the proof."""
    to = visit.shown_by("erase.show")
    async with visit.shown.use(to, given.require("shown"), visit.memory) as preview:
        return await _show_proof(visit, await visit.memory.erase.apply(preview))


async def _finish_erasure(visit: Visit, _: FormFields) -> FormResult:
    proof = await visit.memory.erase.apply()
    return FormResult(Note("Nothing was left to erase")) if proof is None else await _show_proof(visit, proof)


async def _show_proof(visit: Visit, proof: Erasure) -> FormResult:
    """Lead to the page that shows a proof, however often it is loaded."""
    name = await visit.shown.keep(visit.shown_by("erase.apply"), proof)
    return FormResult(go=visit.link("/erase", proof=name))


async def _add_token(visit: Visit, given: FormFields) -> FormResult:
    """Make a token, and lead to the page that shows it once."""
    role: Any = given.require("role")
    door: Any = given.read_text("door")
    made = await visit.memory.token.add(
        given.require("name"),
        scopes=given.read_words("scopes"),
        role=role,
        agent=given.read_text("agent"),
        door=door,
    )
    return await _show_token(visit, made)


async def _show_token(visit: Visit, made: NewToken) -> FormResult:
    """Lead to the page that shows a token once."""
    return FormResult(
        go=visit.link("/tokens", made=await visit.shown.keep(visit.shown_by("token.add"), made))
    )


async def _renew_token(visit: Visit, given: FormFields) -> FormResult:
    """End a token whose secret is lost, and make another one of its name that may the same."""
    old = await visit.memory.token.end(given.require("name"))
    made = await visit.memory.token.add(
        old.name, scopes=old.scopes, role=old.role, agent=old.agent, door=old.door, denies=old.denies
    )
    return await _show_token(visit, made)


async def _end_token(visit: Visit, given: FormFields) -> FormResult:
    ended = await visit.memory.token.end(given.require("name"))
    return FormResult(Note(f"Ended {ended.name}: what it is sent with is refused"))


async def _apply_edit(visit: Visit, given: FormFields) -> FormResult:
    """Take in what somebody wrote into a file of the mirror, as it was shown."""
    folder = str((await visit.memory.settings.get(MIRROR_FOLDER)).value)
    seen = (await visit.memory.mirror.sync(folder)).edits
    edits = [edit for edit in seen if (edit.path, edit.digest) == (given.take("path"), given.take("digest"))]
    if not edits:
        raise Conflict((), "the file was edited again", recovery="look at it again")
    done = await visit.memory.mirror.sync(folder, apply=edits)
    if done.refused:
        return FormResult(Note(done.refused[0].problem, detail=done.refused[0].recovery, is_refusal=True))
    return FormResult(Note(f"Took in {given.take('path')}", done.runs[0] if done.runs else None))


async def _discard_edit(visit: Visit, given: FormFields) -> FormResult:
    folder = str((await visit.memory.settings.get(MIRROR_FOLDER)).value)
    await visit.memory.mirror.sync(folder, discard=given.require("path"))
    return FormResult(Note(f"Dropped what was edited in {given.take('path')}"))


FORMS = (
    PageForm("learn", "learn", _learn),
    PageForm("update", "update", _update),
    PageForm("correct", "correct", _correct),
    PageForm("tag", "tag", _tag),
    PageForm("untag", "tag", _untag),
    PageForm("pin", "pin", _on_one("pin", "Pinned")),
    PageForm("unpin", "pin", _on_one("pin", "Unpinned", off=True), {"off": True}),
    PageForm("hold", "hold", _hold),
    PageForm("release", "hold", _release, {"off": True}),
    PageForm("rate", "rate", _rate),
    PageForm("forget", "forget", _forget),
    PageForm("restore", "restore", _on_one("restore", "Brought back")),
    PageForm("supersede", "correct", _supersede),
    PageForm("link", "link", _link),
    PageForm("unlink", "link", _unlink),
    PageForm("merge", "merge", _merge),
    PageForm("settle", "review.settle", _settle),
    PageForm("apply", "apply", _apply),
    PageForm("undo", "undo", _undo),
    PageForm("adopt", "policy.use", _adopt),
    PageForm("drop-policy", "policy.use", _drop_policy),
    PageForm("save-settings", "settings.set", _save_settings),
    PageForm("lift", "forbid", _lift, {"off": True}),
    PageForm("split-entity", "entities.split", _split_entity),
    PageForm("add-alias", "entities.alias", _add_alias),
    PageForm("show-erasure", "erase.show", _show_erasure),
    PageForm("erase", "erase.apply", _erase, {"shown": True}),
    PageForm("finish-erasure", "erase.apply", _finish_erasure),
    PageForm("add-token", "token.add", _add_token),
    PageForm("renew-token", "token.add", _renew_token),
    PageForm("end-token", "token.end", _end_token),
    PageForm("apply-edit", "mirror.sync", _apply_edit),
    PageForm("discard-edit", "mirror.sync", _discard_edit),
)
