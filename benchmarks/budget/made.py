"""Makes up chats and long assistant logs by a seed: a few facts that are asked for, among much that is not."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

PEOPLE = ("Ada", "Bruno", "Chidi", "Dora", "Emil", "Farah", "Goran", "Hana")
THINGS = ("bicycle", "kayak", "accordion", "greenhouse", "telescope", "loom", "caravan", "beehive")
PLACES = ("Lisbon", "Tromsø", "Kyoto", "Galway", "Trieste", "Quito", "Bergen", "Porto")
COLOURS = ("green", "red", "yellow", "blue", "grey", "white", "black", "brown")
TASKS = ("invoice", "migration", "newsletter", "inventory", "timetable", "survey", "contract", "budget")
BLANKS = {"thing": THINGS, "place": PLACES, "colour": COLOURS, "task": TASKS, "other": PEOPLE[2:]}
CHATS, LOGS = 2, 2
SESSIONS, EXCHANGES = 20, 12
FACT_SHARE = 0.2
START = datetime(2026, 1, 5, 18, tzinfo=UTC)

FACTS = (
    ("I bought a {colour} {thing} in {place} last {n} March.", "Which {thing} was bought in {place}?"),
    (
        "My cousin {other} moved to {place} with {n} suitcases.",
        "Where did cousin {other} with {n} suitcases move?",
    ),
    (
        "We lost the {colour} key of the {thing} near {place}.",
        "Which key of the {thing} was lost near {place}?",
    ),
    (
        "On day {n} I repaired the {thing} that {other} gave me.",
        "What did {other} give that was repaired on day {n}?",
    ),
)
SMALL_TALK = (
    "Oh wow, a {colour} {thing}, that sounds great!",
    "How was your day in {place}? Any news of the {thing}?",
    "Thanks, you too! Say hello to {other}!",
    "Haha, that is so {other}!",
    "What are you up to this week, still the {thing}?",
    "Same here, nothing special really, it is all {colour} outside.",
    "Sounds like a plan! Will {other} come along?",
    "Did you sleep well in {place}?",
)
ASKED = (
    "Please update the {task} for {place}, the limit is {n} items.",
    "The {task} of {place} is due on day {n}, and {other} signs it.",
)
CHATTER = (
    "Thanks, that helps! Could you make the {task} a bit shorter?",
    "Can you say that about {place} in other words?",
)
ABOUT = (
    "What is the limit of items of the {task} for {place}?",
    "When is the {task} of {place} due, and who signs it?",
)
REPLY = (
    "Sure! Here are some steps for your {task}: first gather what you have, then sort it by date, check each line "
    "twice, and share a draft. Keep the structure simple, name an owner for each part, and leave room for questions. "
    "You could also compare it with the {colour} version for {place}, or with that of {other}. "
    "Let me know if you would like more detail!"
)


def made(seed: int = 5) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield chats of two people, then logs of a person and an assistant, as the lines of a file would be."""
    for number in range(CHATS + LOGS):
        random = np.random.default_rng([seed, number])
        chat = number < CHATS
        name = f"{'chat' if chat else 'log'}-{number}"
        yield name, list(_chat(name, random) if chat else _log(name, random))


def _filled(pattern: str, random: np.random.Generator) -> dict[str, str]:
    """Draw what fills the blanks of a pattern."""
    drawn = {name: str(random.choice(words)) for name, words in BLANKS.items() if f"{{{name}}}" in pattern}
    return {**drawn, "n": str(random.integers(2, 900))}


def _turns(name: str, speakers: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """Yield what all turns are made of but their texts: two speak in turn, session by session."""
    for number in range(SESSIONS * EXCHANGES * 2):
        session, place = divmod(number, EXCHANGES * 2)
        at = START + timedelta(days=3 * session, minutes=place)
        yield {
            "id": f"{name}:{number}",
            "thread": name,
            "session": f"{name}/{session}",
            "speaker": speakers[number % 2],
            "said_at": at.isoformat(),
        }


def _chat(name: str, random: np.random.Generator) -> Iterator[dict[str, Any]]:
    for turn in _turns(name, (PEOPLE[0], PEOPLE[1])):
        if random.random() >= FACT_SHARE:
            talk = SMALL_TALK[random.integers(len(SMALL_TALK))]
            yield {**turn, "text": talk.format(**_filled(talk, random))}
            continue
        fact, question = FACTS[random.integers(len(FACTS))]
        given = _filled(fact, random)
        yield {**turn, "text": fact.format(**given)}
        yield {"thread": name, "question": question.format(**given), "evidence": [turn["id"]]}


def _log(name: str, random: np.random.Generator) -> Iterator[dict[str, Any]]:
    given: dict[str, str] = {}
    for number, turn in enumerate(_turns(name, ("Mara", "assistant"))):
        if number % 2:
            yield {**turn, "role": "assistant", "text": REPLY.format(**given)}
            continue
        if random.random() >= 2 * FACT_SHARE:
            chatter = CHATTER[random.integers(len(CHATTER))]
            given = _filled(chatter + REPLY, random)
            yield {**turn, "text": chatter.format(**given)}
            continue
        which = int(random.integers(len(ASKED)))
        given = _filled(ASKED[which] + REPLY, random)
        yield {**turn, "text": ASKED[which].format(**given)}
        yield {"thread": name, "question": ABOUT[which].format(**given), "evidence": [turn["id"]]}
