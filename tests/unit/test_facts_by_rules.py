"""Which sentences of a turn are facts, what is made of each, and what a batch holds."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.languages import LEXICONS
from remanence.read.assertion import tier
from remanence.read.extract import extract_facts
from remanence.read.extraction import (
    CATEGORIES,
    FACTS_MAX,
    PROFILE_MAX,
    Entity,
    ExtractRequest,
    ExtractResult,
    ExtractTurn,
    Fact,
    Relationship,
    checked_extraction,
)
from remanence.read.statements import spans

NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def found(text: str, speaker: str = "Runa", role: str = "user") -> tuple[Fact, ...]:
    """Extract what one turn states."""
    return extract_facts([ExtractTurn("t", text, speaker, role)], CATEGORIES).facts


def only(text: str, speaker: str = "Runa") -> Fact:
    """Return the one fact of a turn."""
    (fact,) = found(text, speaker)
    return fact


@pytest.mark.parametrize(
    ("text", "category", "subject"),
    [
        ("I prefer rye bread over white bread.", "preference", "Runa"),
        ("I love hiking.", "preference", "Runa"),
        ("I don't eat shellfish.", "preference", "Runa"),
        ("We decided to sell the blue van.", "decision", "Runa"),
        ("My brother Anders fixes clocks in Turku.", "relationship", "Anders"),
        ("The gate code is 4471.", "fact", "gate code"),
        ("Never leave the kiln alone.", "principle", "Runa"),
        ("Ich bin gegen Erdnüsse allergisch.", "fact", "Runa"),
        ("Wir haben beschlossen, am 3. Mai zu pflanzen.", "decision", "Runa"),
        ("Mi hermana Luz trabaja en Vigo.", "relationship", "Luz"),
        ("Prefiero el tren al autobús.", "preference", "Runa"),
        ("Mon frère Luc habite à Nantes.", "relationship", "Luc"),
        ("Je déteste les réunions du lundi.", "preference", "Runa"),
        ("Minha irmã Bia mora em Recife.", "relationship", "Bia"),
        ("Prefiro escrever à mão.", "preference", "Runa"),
        ("我喜欢喝绿茶。", "preference", "Runa"),
        ("我们决定星期三搬家。", "decision", "Runa"),
        ("私は猫が大好きです。", "preference", "Runa"),
        ("会議は木曜日に決めました。", "decision", "会議"),
    ],
)
def test_what_is_stated_is_a_fact(text: str, category: str, subject: str) -> None:
    """A statement is found in each of seven languages, with its category and whom or what it is about."""
    fact = only(text)

    assert (category, subject, text) == (fact.category, fact.subject, text[slice(*fact.span)])


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Where is the ladder?",
            "Thanks a lot!",
            "If it rains, we stay in.",
            "Translate this letter for me.",
        ),
        *(
            "I need a list of all ladders.",
            "I wish I had a boat.",
            "Just kidding.",
            "ok",
            "Do you know when Bo left",
        ),
        *("Wo ist die Leiter?", "Vielen Dank!", "Falls es regnet, bleiben wir.", "Schreib mir eine Liste."),
        *("¿Dónde está?", "Muchas gracias.", "Si llueve, nos quedamos.", "Hazme una lista, por favor."),
        *("Où est-elle ?", "Merci beaucoup !", "S'il pleut, on reste.", "Traduis cette lettre."),
        *("Onde está?", "Muito obrigado!", "Se chover, ficamos.", "Me mostra a lista."),
        *("梯子在哪里？", "谢谢", "如果下雨，我们就不去。", "帮我翻译这封信。"),
        *(
            "梯子はどこですか。",
            "ありがとうございます。",
            "もし雨なら行きません。",
            "この手紙を訳してください。",
        ),
        *(
            "`I am a value`",
            "```\nI live in Oslo, house 12.\n```",
            "Traceback (most recent call last): x = 12",
        ),
        "Come up with 12 names for a sailing boat in the north.",
        "Quiz me on the harbours of Norway, seven questions.",
        "Rephrase my letter to the harbour office of Bergen in 3 lines.",
        "Compárame los precios de estos 3 barcos en Vigo.",
        "Schlag mir 5 Namen für meinen Hund in Kiel vor.",
        "Propose-moi trois menus pour mon dimanche à Lyon.",
        "Me sugere 5 nomes para o meu barco novo em Recife.",
        "I want to cross the Atlantic in my boat once in my life.",
    ],
)
def test_what_states_nothing_is_no_fact(text: str) -> None:
    """Questions, thanks, suppositions, requests, wishes, jokes, code and errors bear no fact."""
    assert () == found(text)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I'm allergic to bee stings.", "Runa is allergic to bee stings."),
        ("I don't eat meat on 2 days.", "Runa doesn't eat meat on 2 days."),
        ("I always keep my keys in the blue jar.", "Runa always keeps Runa's keys in the blue jar."),
        ("My brother and I own a boat since 2019.", "My brother and I own a boat since 2019."),
        ("We own a boat since 2019.", "We own a boat since 2019."),
        ("I read 3 papers before breakfast.", "I read 3 papers before breakfast."),
        ("I play chess and paint on Sundays.", "I play chess and paint on Sundays."),
        ("Ich wohne seit 2015 in Kiel.", "Runa wohnt seit 2015 in Kiel."),
        ("Ich habe meine Adresse auf 12 geändert.", "Ich habe meine Adresse auf 12 geändert."),
        ("我对花生过敏。", "Runa对花生过敏。"),
        ("我们住在三号楼。", "我们住在三号楼。"),
        ("私は辛い料理が苦手です。", "Runaは辛い料理が苦手です。"),
        ("Vivo en Lugo desde 2011.", "Vivo en Lugo desde 2011."),
    ],
)
def test_the_speaker_takes_the_place_of_i_where_that_is_safe(text: str, content: str) -> None:
    """A statement is said of its speaker where words alone tell how; otherwise it stands as it was said."""
    assert content == only(text).content


def test_nobody_known_is_named() -> None:
    """Where nobody says who spoke, a statement stands as it was said."""
    assert "I prefer rye bread." == only("I prefer rye bread.", speaker="").content


def test_a_sentence_does_not_end_within_a_date_or_name() -> None:
    """A full stop after an abbreviation or a counted day ends nothing."""
    text = "Mi cita con la Dra. Solís no es mañana. Wir treffen Dr. Lund am 12. Juli um 9. Danach essen wir."

    assert [
        "Mi cita con la Dra. Solís no es mañana.",
        "Wir treffen Dr. Lund am 12. Juli um 9.",
        "Danach essen wir.",
    ] == [text[begin:end] for begin, end in spans(text)]


def test_of_programs_only_what_is_arranged_counts() -> None:
    """What an assistant explains, offers or promises is no fact; what a tool has arranged is one."""
    told = [
        *found("The capital of Peru is Lima, a city of 10 million.", "Helper", "assistant"),
        *found("I'll send the draft by Friday at 9.", "Helper", "assistant"),
        *found("I can prepare a list of 12 recipes for you.", "Helper", "assistant"),
        *found("Booked: table for 4 at 19:30", "calendar", "tool"),
        *found("error: 3 files failed to load", "shell", "tool"),
    ]

    assert ["Booked: table for 4 at 19:30"] == [fact.content for fact in told]


def test_tiers_go_by_confidence() -> None:
    """What was said outright is explicit, what follows implied, what is likely inferred, what is hedged speculative."""
    texts = [
        "I prefer rye bread.",
        "Tomas has lived at 12 Elm Road.",
        "Two men brought chairs up from the cellar on Sunday.",
        "I think my cousin Ada maybe works in a bakery in Turku.",
    ]  # fmt: skip

    assert ["explicit", "implied", "inferred", "speculative"] == [
        tier(only(text).confidence) for text in texts
    ]


def test_an_answer_needs_less_to_be_a_fact() -> None:
    """A short statement counts after somebody else's question."""
    question = ExtractTurn("q", "Where did you put the spare tyres?", "Bo")
    answer = ExtractTurn("a", "The spare tyres are behind the shed.", "Runa")

    assert ([], ["a"]) == (
        [fact.turn for fact in extract_facts([answer], CATEGORIES).facts],
        [fact.turn for fact in extract_facts([question, answer], CATEGORIES).facts],
    )


def test_a_batch_holds_so_much_and_counts_what_is_cut() -> None:
    """The surest facts are kept, in the order they were said, and what is left out is counted by kind."""
    hedged = ExtractTurn("h", "I think my cousin Ada maybe works in a bakery in Turku.", "Runa")
    turns = [
        hedged,
        *(
            ExtractTurn(str(k), f"I prefer dish {name} of the menu.", "Runa")
            for k, name in enumerate("ABCDEFGHIJKLMN")
        ),
    ]
    got = extract_facts(turns, CATEGORIES)

    assert ([str(k) for k in range(FACTS_MAX)], PROFILE_MAX, {"facts": 3, "profile": 8}) == (
        [fact.turn for fact in got.facts],
        len(got.profile),
        got.cut,
    )


def test_a_statement_said_twice_is_one_fact() -> None:
    """Of equal statements the first one counts."""
    turns = [ExtractTurn("1", "I prefer rye bread.", "Runa"), ExtractTurn("2", "I prefer rye bread.", "Runa")]

    assert ["1"] == [fact.turn for fact in extract_facts(turns, CATEGORIES).facts]


def test_names_and_kin_are_told() -> None:
    """A name after a word for kin is a person, and how it stands to the speaker is told; times are no names."""
    got = extract_facts([ExtractTurn("1", "My sister Vera moved to Ghent in March.", "Runa")], CATEGORIES)

    assert (
        (Entity("Vera", "person"), Entity("Ghent", "place")),
        (Relationship("Vera", "sister", "Runa"),),
    ) == (
        got.entities,
        got.relationships,
    )


def test_only_what_is_wanted_is_found() -> None:
    """A category that nobody asked for is left out."""
    turns = [ExtractTurn("1", "I prefer rye bread. We decided to sell the van.", "Runa")]

    assert ["decision"] == [fact.category for fact in extract_facts(turns, ["decision"]).facts]


PIECES = st.sampled_from(
    [
        *"I my me we not don't never not no 5 7,20 -3 v1.2 is am prefer live moved decided sister Ada Turku".split(),
        *"ich bin nicht kein wohne soy no mi hermana je ne pas préfère eu não gosto".split(),
        *'我 不 喜欢 没有 私は ません です 好き 。 . ! ? , ; : ``` [ ] " ( )'.split(),
        "\n",
    ]
)
# Statements that are nearly always facts, with a place for whatever may change their meaning.
FRAMES = st.sampled_from(
    [
        *(
            "I {} prefer {} eggs at 9.",
            "My sister {} lives at {} Elm Road.",
            "I {} have {} cats and I'm {} 5 feet tall.",
        ),
        *(
            "I've {} lived here since {} May.",
            "I do {} eat {} plums.",
            "Ich habe {} {} Katzen.",
            "Ich esse {} {} Eier.",
        ),
        *(
            "Yo {} prefiero {} huevos.",
            "Je {} préfère {} œufs.",
            "Eu {} prefiro {} ovos.",
            "我{}喜欢吃{}个苹果。",
        ),
        *("私は{}犬が{}匹好きです。", "We decided {} to keep {} hens."),
    ]
)
SENTENCES = st.one_of(
    st.lists(PIECES, max_size=40).map(" ".join),
    st.tuples(FRAMES, PIECES, PIECES, PIECES).map(lambda drawn: drawn[0].format(*drawn[1:])),
)


@given(st.lists(st.one_of(SENTENCES, st.text(max_size=60)), min_size=1, max_size=5))
def test_a_fact_keeps_every_number_and_negation_of_its_sentence(texts: list[str]) -> None:
    """Spans lie in their turn, and what is made of a sentence has its numbers and as many negations."""
    turns = [ExtractTurn(str(k), text, "Runa") for k, text in enumerate(texts)]
    got = extract_facts(turns, CATEGORIES)

    assert (
        got == checked_extraction(got, turns, ExtractRequest())
        if not got.cut
        else isinstance(got, ExtractResult)
    )
    for fact in got.facts:
        sentence = texts[int(fact.turn)][slice(*fact.span)]

        assert (NUMBER.findall(sentence), negations(sentence)) == (
            NUMBER.findall(fact.content),
            negations(fact.content),
        )


def negations(text: str) -> Counter[str]:
    """Count the words and characters that deny something."""
    listed = {word for lexicon in LEXICONS.values() for word in lexicon.negations}
    words = [
        word.replace("doesn't", "don't").replace("hasn't", "haven't")
        for word in re.findall(r"[\w']+", text.casefold())
    ]
    return Counter(
        [word for word in words if word in listed] + [sign for sign in text if sign in "不没无未別ん"]
    )


def test_a_sentence_goes_on_with_the_mark_of_what_gave_way() -> None:
    """A marker is no aside: the sentence would end in "his number is"."""
    text = "The code is [secret: PIN 1a2] [see above] there. His number is [personal: phone number f86]"

    assert [
        "The code is [secret: PIN 1a2] [see above] there.",
        "His number is [personal: phone number f86]",
    ] == [text[begin:end] for begin, end in spans(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Another form from the council, exactly what I always wanted.",
        "Na super, Regen seit drei Wochen, mein Lieblingswetter.",
        "Il ne manquait plus que la pluie, ma météo préférée.",
        "Justo lo que necesitaba, mi quinta multa del mes.",
        "Era só o que me faltava, outra multa, a minha preferida.",
    ],
)
def test_what_is_said_with_irony_is_no_fact(text: str) -> None:
    """Phrases that nobody means, in five languages; nothing else tells irony."""
    assert () == found(text)
