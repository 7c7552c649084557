"""Who spoke, where nobody said it."""

import asyncio
from typing import Any

import pytest

import remanence
from remanence.core.keywords import RoleName
from remanence.core.model import LearnResult, Role, Turn
from remanence.write.roles import role_of_name, speaks_as_assistant
from tests.flows.conftest import Opener

REPLY = "Here are three ways to mend it:\n- glue\n- rope\n- a new plank\nLet me know which you like. {k}"
CHAT = "I rowed to the island with my sister on Tuesday, buoy {k}."


async def _role(memory: remanence.Engine, learned: LearnResult) -> Role:
    return (await memory.get(learned.seq)).role


@pytest.mark.parametrize(
    ("name", "role"),
    [
        *[
            (name, Role.ASSISTANT)
            for name in ("assistant", "Bot", "agent", "ChatGPT", "AI Assistant", "GPT-4", "Asistente")
        ],
        *[(name, Role.SYSTEM) for name in ("System", "système")],
        *[(name, Role.USER) for name in ("Mara", "Abbot", "Botha", "Airi", "", None, "Bo 2")],
        *[(name, None) for name in ("Claude", "Ai", "Gemini", "Claude 3.5", "Support Bot", "estate agent")],
    ],
)
def test_a_name_tells_a_program_or_raises_the_question(name: str | None, role: Role | None) -> None:
    """Names that only programs bear are told by themselves; those of people too, and trades, are in doubt."""
    assert role == role_of_name(name)


def test_one_sign_of_many_is_no_assistant() -> None:
    """Anybody offers now and then; an assistant does so in most of its texts."""
    offer = "Let me know when you are there."

    assert [False, False, True] == [
        speaks_as_assistant(texts) for texts in ([offer], [offer, *[CHAT] * 9], [REPLY, REPLY, "Yes."])
    ]


@pytest.mark.parametrize(
    ("speaker", "role"), [("ChatGPT", Role.ASSISTANT), ("system", Role.SYSTEM), ("Mara", Role.USER)]
)
async def test_a_role_that_nobody_said_is_told_by_the_name(opener: Opener, speaker: str, role: Role) -> None:
    """Alike for one text, for many and for a text that is put; the answer says so where it is not the user's."""
    async with opener(agent="mate") as memory:
        found = [
            await memory.learn("It is six.", speaker=speaker),
            *await memory.learn([Turn("It is seven.", speaker=speaker)]),
            await memory.learn("It is eight.", key="clock", speaker=speaker, source="log"),
        ]
        told = (None, "") if role is Role.USER else (role.label, "its name")

        assert [role] * 3 == [await _role(memory, learned) for learned in found]
        assert [told] * 3 == [(learned.role, learned.told_by) for learned in found]


@pytest.mark.parametrize("said", ["user", "tool"])
async def test_a_role_that_was_said_holds(opener: Opener, said: RoleName) -> None:
    """Neither the name nor what it says overrules the caller."""
    async with opener() as memory:
        turns = [Turn(REPLY.format(k=k), speaker="Claude", role=said) for k in range(4)]
        found = [
            await memory.learn("It is six.", speaker="assistant", role=said),
            *await memory.learn(turns),
        ]

        assert {said} == {(await _role(memory, learned)).label for learned in found}
        assert {(None, "")} == {(learned.role, learned.told_by) for learned in found}


@pytest.mark.parametrize(("text", "role"), [(REPLY, Role.ASSISTANT), (CHAT, Role.USER)])
async def test_a_doubtful_name_is_told_by_all_it_says_in_a_batch(
    opener: Opener, text: str, role: Role
) -> None:
    """Claude who lists and offers is an assistant, in his short texts too; Claude who tells of himself is a person."""
    async with opener() as memory:
        turns = [Turn(text.format(k=k), speaker="Claude") for k in range(8)]
        found = await memory.learn([*turns, Turn("Yes.", speaker="Claude"), Turn("Hello", speaker="Mara")])
        *claudes, mara = [await _role(memory, learned) for learned in found]

        assert ({role}, Role.USER) == (set(claudes), mara)
        assert ("what it says" if role is Role.ASSISTANT else "") == found[0].told_by


async def test_one_by_one_a_doubtful_name_is_told_by_what_is_known_of_it(opener: Opener) -> None:
    """A short text of a name that is known to offer and list is an assistant's; elsewhere nothing is known."""
    async with opener() as memory:
        first = await memory.learn("Yes.", speaker="Claude")
        for k in range(6):
            await memory.learn(REPLY.format(k=k), speaker="Claude")
        last = await memory.learn("No.", speaker="Claude")
        other = await memory.learn("No!", speaker="Gemini")

        assert [Role.USER, Role.ASSISTANT, Role.USER] == [
            await _role(memory, one) for one in (first, last, other)
        ]


async def test_texts_that_arrive_at_once_are_told_as_one_by_one(opener: Opener) -> None:
    """Who waits with whom for a commit decides nothing: a text is told by what came before it."""
    texts = ["Yes.", "No.", "Perhaps.", *(REPLY.format(k=k) for k in range(4)), "Never."]
    async with opener(scope="at once") as memory:
        at_once = await asyncio.gather(*(memory.learn(text, speaker="Claude") for text in texts))
        roles = [await _role(memory, learned) for learned in at_once]
    async with opener(scope="in turn") as memory:
        in_turn = [await memory.learn(text, speaker="Claude") for text in texts]

        assert [await _role(memory, learned) for learned in in_turn] == roles
        assert {Role.USER, Role.ASSISTANT} == set(roles)


async def test_a_batch_is_told_by_the_latest_texts_of_a_name(opener: Opener) -> None:
    """The last twenty, for all of the batch alike; what came long before counts no more."""
    async with opener() as memory:
        chats = [Turn(CHAT.format(k=k), speaker="Claude") for k in range(60)]
        replies = [Turn(REPLY.format(k=k), speaker="Claude") for k in range(20)]
        found = await memory.learn([*chats, *replies])

        assert {Role.ASSISTANT} == {await _role(memory, learned) for learned in found}


@pytest.mark.parametrize(("others", "role"), [(490, Role.ASSISTANT), (500, Role.USER)])
async def test_a_doubtful_name_is_looked_for_among_the_last_arrivals(
    opener: Opener, others: int, role: Role
) -> None:
    """As many as a thread is looked for in: a name that was silent for longer is as good as unknown."""
    async with opener(embedder="none") as memory:
        await memory.learn([Turn(REPLY.format(k=k), speaker="Claude") for k in range(6)])
        await memory.learn([Turn(f"buoy {k}", speaker="Mara") for k in range(others)])

        assert role == await _role(memory, await memory.learn("Yes.", speaker="Claude"))


async def test_an_assistants_words_are_worth_less_whoever_says_so(opener: Opener) -> None:
    """The keep-value of an inferred assistant is that of a said one."""

    async def value(scope: str, **more: Any) -> float:
        async with opener(scope=scope) as memory:
            return (await memory.get((await memory.learn("The pier is green.", **more)).seq)).value or 0.0

    inferred, said = (
        await value("a", speaker="ChatGPT"),
        await value("b", speaker="ChatGPT", role="assistant"),
    )
    person = await value("c", speaker="ChatGPT", role="user")

    assert inferred == said < person


async def _advice(memory: remanence.Engine) -> str:
    return next(check.advice for check in await memory.doctor() if check.name == "speakers")


async def test_doctor_tells_of_an_assistant_that_is_kept_as_a_user(opener: Opener) -> None:
    """Where most words are of one who offers and lists; not of one who chats, nor where the role was said."""
    long = "Plank after plank goes over the keel. " * 12
    for scope, text, role, told in (
        ("assistant", REPLY, None, True),
        ("said", REPLY, "assistant", False),
        ("chat", CHAT, None, False),
    ):
        async with opener(scope=scope) as memory:
            await memory.learn(
                [Turn(text.format(k=k) + long, speaker="Nestor", role=role) for k in range(40)]
            )
            await memory.learn("Thanks.", speaker="Mara")
            advice = await _advice(memory)

            assert told == ("Nestor" in advice)
