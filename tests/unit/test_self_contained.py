"""What a fact needs to stand by itself, what is mended within a turn, and what stays a turn with its reason."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.languages.families import SIGNALS, STATING
from remanence.read.cues import WORD, language_code, lower_text
from remanence.read.extract import LEFT, extract_facts
from remanence.read.extraction import CATEGORIES, ExtractResult, ExtractTurn
from remanence.read.signals import signal

# Statements that are facts with somebody or something in the place of {}.
STATED = {
    "en": "{} moved to Oslo in March 2019.",
    "de": "{} wohnt seit März 2019 in Oslo.",
    "fr": "{} habite à Oslo depuis mars 2019.",
    "es": "{} vive en Oslo desde marzo de 2019.",
    "pt": "{} mora em Oslo desde março de 2019.",
}


def extracted(text: str, speaker: str = "Runa", role: str = "user") -> ExtractResult:
    """Extract what one turn states."""
    return extract_facts([ExtractTurn("t", text, speaker, role)], CATEGORIES)


def contents(text: str, speaker: str = "") -> list[str]:
    """Return the facts of one turn; said by nobody, they have the words of the turn."""
    return [fact.content for fact in extracted(text, speaker).facts]


@pytest.mark.parametrize("code", STATED)
def test_a_statement_of_somebody_named_is_a_fact(code: str) -> None:
    """The frames of this file state something: without that the test below could not fail."""
    assert [STATED[code].format("Vera")] == contents(STATED[code].format("Vera"))


@given(st.sampled_from(sorted(STATED)).flatmap(lambda code: st.tuples(
    st.just(code),
    st.sampled_from(sorted(STATING[code].dependents)),
    st.lists(st.sampled_from(sorted(STATING[code].leads)), max_size=2),
)))  # fmt: skip
def test_no_fact_begins_with_what_stands_for_something_said_before(drawn: tuple[str, str, list[str]]) -> None:
    """Neither a pronoun nor a word that joins opens a fact, whatever leads to it; what is left is counted."""
    code, dependent, leads = drawn
    text = " ".join([*leads, STATED[code].format(dependent)])
    result = extracted(text, "")
    heard = STATING[language_code(text)]

    for fact in result.facts:
        first = WORD.findall(lower_text(fact.content))[0]

        assert first not in heard.leads | heard.dependents
    assert result.facts or not result.cut or any(name.startswith(LEFT) for name in result.cut)


@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    "and",
                    "no,",
                    "sorry,",
                    "Hey Bo,",
                    "it was 400",
                    "we own 12 boats.",
                    "so they left on Monday!",
                ),
                *(
                    "forty of us.",
                    "I moved to Oslo.",
                    "can you check that?",
                    ", please write it down.",
                    "mum",
                ),
                *(
                    "also wir haben 3 Hunde.",
                    "es kostet 12 Euro.",
                    "yo tengo 4 gatos.",
                    "¿y tú?",
                    "elle a 3 ans.",
                ),
            ]
        ),
        max_size=8,
    ).map(" ".join)
)
def test_mending_invents_no_word(text: str) -> None:
    """A fact is a stretch of its turn, word by word, where nobody's name takes the place of "I"."""
    for fact in extracted(text, "").facts:
        assert fact.content == text[slice(*fact.span)]
        assert fact.content == fact.content.strip()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("and the boat is in Bergen since May", ["the boat is in Bergen since May"]),
        ("No, sorry, the boat is in Bergen since May.", ["the boat is in Bergen since May."]),
        ("Hey Bo, the boat is in Bergen since May.", ["the boat is in Bergen since May."]),
        ("mum I moved to Bergen in May", ["I moved to Bergen in May"]),
        ("the boat lies in Bergen since May, can you write that down?", ["the boat lies in Bergen since May"]),
        ("all good. we rented 3 boats, so please send the list", ["we rented 3 boats"]),
        ("Can you cut it? Piet left on 3 June to open a bakery.", ["Piet left on 3 June to open a bakery."]),
        ("ja aber der Kahn liegt seit Mai in Kiel", ["der Kahn liegt seit Mai in Kiel"]),
        ("bueno, y el barco está en Vigo desde mayo", ["el barco está en Vigo desde mayo"]),
    ],
)  # fmt: skip
def test_what_leads_to_a_statement_and_asks_after_it_is_left_out(text: str, facts: list[str]) -> None:
    """Connectives, cries, names called upon and a request at the end are no part of a fact."""
    assert facts == contents(text)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I counted for the party again. no, forty of us", "I counted for the party again. no, forty of us"),
        ("We bought a house in Kiel. It cost 300,000.", "We bought a house in Kiel. It cost 300,000."),
        ("about the installs. no, four of them", "about the installs. no, four of them"),
        ("Lindwurm hat bestellt! 25 vom Sensor S2", "Lindwurm hat bestellt! 25 vom Sensor S2"),
    ],
)
def test_what_speaks_of_the_sentence_before_is_kept_with_it(text: str, fact: str) -> None:
    """A number or a pronoun with a value finds its subject in the sentence before, of the same turn."""
    assert [fact] == contents(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("it was 400 the last time I looked in May", "begins with a pronoun"),
        ("no, they moved to Bergen in May", "begins with a pronoun"),
        ("forty of us in May", "begins with a number"),
        ("I showed them the new boat in Bergen last May.", "speaks of what was said before"),
        ("It's a photo of my boat. This photo is from Bergen in May 2019.", "speaks of a picture"),
        ("es kostet seit Mai 300 Euro im Monat", "begins with a pronoun"),
        ("elle habite à Lyon depuis 2019", "begins with a pronoun"),
        ("vive en Vigo desde 2019", "begins with a pronoun"),
        ("ela mora em Recife desde 2019", "begins with a pronoun"),
        ("yes, with Dana, on Wednesdays", "says nothing of anything"),
        ("I am moving to Mars in May 2027. Just kidding!", "says that it is a joke"),
        ("Mein Hund heißt jetzt Pauli, nicht mehr Socke, haha nein, Scherz", "says that it is a joke"),
        ("je pars vivre à Lyon en 2027, je blague", "says that it is a joke"),
    ],
)
def test_what_cannot_be_mended_stays_a_turn_with_its_reason(text: str, why: str) -> None:
    """Whom "she" is, nobody guesses: nothing is kept, and the reason is counted."""
    result = extracted(text)

    assert ((), 1) == (result.facts, result.cut[f"{LEFT}{why}"])


@pytest.mark.parametrize(
    "text",
    [
        "If I won 3 million in the lottery I would buy a boat in Bergen.",
        "Wenn ich 3 Millionen hätte, würde ich in Kiel wohnen.",
        "je cours 42 km le dimanche, si j'étais jeune je ferais le double",
        "qui dort dîne, disait ma grand-mère en 1980",
        "measure twice, cut once, as they say in Bergen",
        "Thanks for showing me the boat in Bergen on Monday.",
        "Whatever happens, you will find the courage for it, my friend!",
        "Hard work always pays off for everyone!",
    ],
)
def test_what_is_quoted_supposed_or_courtesy_is_no_fact(text: str) -> None:
    """Sayings, what would be if, thanks and what is true of everybody tell nothing of anybody."""
    assert [] == contents(text)


@pytest.mark.parametrize(
    "text",
    [
        *("from now on write to me as Kit", "ab jetzt nenn mich Kit", "A partir de ahora llámame Kit"),
        *(
            "Dorénavant appelle-moi Kit.",
            "De agora em diante me chama de Kit",
            "Always answer in metric units.",
        ),
    ],
)
def test_an_order_is_a_line_of_the_profile(text: str) -> None:
    """How somebody wants to be served is of them, though it has the form of a request."""
    (fact,) = extracted(text).facts

    assert ("Runa", (fact.content,)) == (fact.subject, extracted(text).profile)


def test_what_all_are_to_do_is_no_line_of_a_profile() -> None:
    """A decision about things is none about the one who tells it."""
    result = extracted("From now on all our commits have to be signed.")

    assert (["decision"], ()) == ([fact.category for fact in result.facts], result.profile)


CHOICE = re.compile(r"\(([^|)]*)\|[^)]*\)")
HIGH = [
    CHOICE.sub(r"\1", phrase).removeprefix("^").replace("*", "en").replace(" ~", "")
    for language in SIGNALS.values()
    for phrases in (language.orders, *language.high.values())
    for phrase in phrases
]


@given(st.sampled_from(HIGH), st.sampled_from(["", " 12 boats", " Kit.", "?", " in Bergen!"]))
def test_every_turn_that_weighs_much_gives_a_fact_or_a_reason(phrase: str, after: str) -> None:
    """What asks most to be kept is never passed over in silence."""
    result = extracted(f"{phrase}{after}")
    is_high = signal(f"{phrase}{after}").level == "high"

    assert not is_high or result.facts or any(name.startswith(LEFT) for name in result.cut)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("My boss Ana prefers tea.", "fact"),
        ("the accountant, Ms Oduya, wants the export with semicolons", "fact"),
        ("I prefer tea.", "preference"),
        ("the library wants me full time", "fact"),
        ("my favourite library wants me full time", "preference"),
        ("Mi hermana Luz prefiere el tren.", "fact"),
    ],
)
def test_what_another_likes_is_no_preference_of_the_speaker(text: str, category: str) -> None:
    """A preference is kept of whoever has it; of somebody else it is a fact."""
    assert [category] == [fact.category for fact in extracted(text).facts]


@pytest.mark.parametrize(
    "text",
    [
        "tous les matins je prends du Cardinil 5 mg",
        "et le jeudi je marche avec Odile, une heure au bord du canal",
        "poids : 71,4 ce matin",
        "los miércoles doy el taller de compost con los críos del cole",
        "presupuesto: 600 euros, los puso la asociación",
        "me mudé el domingo, piso nuevo al otro lado del río",
        "na terça dou aula de violão em Olinda",
        "comprei 3 bicicletas ontem",
        "bin vom 6. bis 17. april weg, wandern",
        "jour fixe bleibt mittwoch 9 uhr",
        "hab gestern den vertrag mit Lindwurm unterschrieben",
    ],
)
def test_chats_are_heard_as_people_write_them(text: str) -> None:
    """A verb that alone says "I", small letters, a topic before a colon: a value makes a statement of them."""
    assert 1 == len(extracted(text).facts)


@pytest.mark.parametrize(
    ("category", "texts"),
    [
        ("correction", ("Correction: the gate code is 4471.", "Me equivoqué, la clave es 4471.")),
        ("principle", ("Never leave the kiln alone.", "Nunca dejes solo el horno de 900 grados.")),
        ("preference", ("I prefer rye bread.", "Ich mag lieber Roggenbrot.")),
        ("commitment", ("I'll send the draft by Friday.", "Je m'engage à livrer le 3 mai.")),
        ("decision", ("We decided to sell the van.", "Wir haben beschlossen, den Wagen zu verkaufen.")),
        ("relationship", ("My brother Anders fixes clocks.", "Mon frère Luc habite à Nantes.")),
        ("entity", ("The printer is called Gutenberg.", "Unser Drucker im Büro heißt Gutenberg.")),
        ("moment", ("We moved to Bergen last May.", "Me mudé a Vigo en mayo.")),
        ("skill", ("I can read sheet music.", "Ich spreche Finnisch und Estnisch.")),
        ("fact", ("The gate code is 4471.", "Der Code vom Tor ist 4471.")),
    ],
)
def test_every_category_is_reached_in_two_languages(category: str, texts: tuple[str, str]) -> None:
    """Rules alone tell all ten categories apart."""
    assert [category, category] == [fact.category for text in texts for fact in extracted(text).facts]


@pytest.mark.parametrize(
    "text",
    [
        "everything sits in a bucket at Halden Cloud",
        "je marche à Odile",
        "I work at Farrow Labour on Mondays",
    ],
)
def test_what_is_at_something_is_not_said_to_be_at_a_place(text: str) -> None:
    """One is at a company, at a person's and at a place: no sort is guessed."""
    assert {"other"} == {entity.type for entity in extracted(text).entities} | {"other"}
