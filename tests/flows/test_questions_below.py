"""What only asks is no answer: it stands below what states something, and is found all the same."""

import pytest

import remanence
from remanence.text.analysis import only_asks


async def test_an_answer_stands_above_its_question(memory: remanence.Engine) -> None:
    """Of a question that was noted and a statement in other words the statement is the answer."""
    await memory.learn("Where is the spare key of the boathouse?", speaker="Ida")
    await memory.learn("The spare key hangs in the boathouse behind the oars.", speaker="Ida")
    answer = await memory.recall("Where is the spare key of the boathouse?")

    assert ["The spare key hangs in the boathouse behind the oars."] == [
        one.text for one in answer.memories[:1]
    ]
    assert {1.0, 0.1} == {one.parts.get("question", 1.0) for one in answer.memories}


async def test_a_noted_question_stands_below_what_answers_it_in_other_words(memory: remanence.Engine) -> None:
    """An assistant's echo of the question, too: neither answers anything, however well the words fit."""
    for text, speaker in (
        ("Ada is coming to dinner on Friday.", "Mia"),
        ("What does she eat?", "Ben"),
        ("You asked: What does she eat?", "Assistant"),
        ("ada is vegan", "Mia"),
    ):
        await memory.note(text, speaker=speaker, role="assistant" if speaker == "Assistant" else "user")
    answer = await memory.recall("What does she eat?")
    texts = [one.text for one in answer.memories]

    assert {"What does she eat?", "You asked: What does she eat?"} == {*texts[-2:]}
    assert "ada is vegan" in texts[:2]


async def test_scores_are_those_of_their_parts(memory: remanence.Engine) -> None:
    """The factor is among the parts, and hits stand in the order of their scores."""
    for text in ("Is the ferry late?", "The ferry is late.", "When does the ferry go? At noon."):
        await memory.learn(text)
    answer = await memory.recall("ferry late", newer_first=False)
    scores = [one.score for one in answer.memories]

    assert sorted(scores, reverse=True) == scores
    assert ["Is the ferry late?"] == [one.text for one in answer.memories if "question" in one.parts]


@pytest.mark.parametrize(
    ("text", "asking"),
    [
        ("where is it?", True),
        ("Wo ist er? Und seit wann?", True),
        ("鍵はどこですか？", True),
        ("Where is it? In the shed.", False),
        ("It is in the shed.", False),
        ("Could you make it run on two machines with Debian before the fair in Ghent on 9 October?", False),
    ],
)
def test_only_short_texts_that_ask_in_every_sentence_only_ask(text: str, *, asking: bool) -> None:
    """A statement beside a question, and a long request, tell something."""
    assert asking == only_asks(text)
