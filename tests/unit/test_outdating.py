"""Whether a newer text says that something of an older one is otherwise now: by words of change, and in doubt not."""

import pytest

from remanence.core.model import Role, Trust
from remanence.languages.change_words import CHANGING
from remanence.read.outdating import (
    AT_ODDS,
    CHARS_MAX,
    SURE,
    UNSURE,
    AttributedText,
    OutdatedScore,
    may_outdate,
    read_change,
    score_outdated,
)
from remanence.text.analysis import stems

MANY = 1_000


def said(
    text: str, speaker: str = "Ana", role: Role = Role.USER, trust: Trust = Trust.USER
) -> AttributedText:
    """Return a text of a user."""
    return AttributedText(text, speaker, role, trust)


def judged(old: AttributedText, new: AttributedText, near: float | None = 0.5) -> OutdatedScore:
    """Compare two texts among many others that say other things."""
    return score_outdated(old, new, near, dict.fromkeys(stems(new.text), 2), MANY)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The lease for the boat shed is 310 a month.", "Letter from the harbour: the lease goes up to 355."),
        ("I take the tram to the office.", "Gave up the tram, the bike is so much quicker."),
        ("The rehearsal is on Monday.", "They moved the rehearsal to Wednesday."),
        ("Die Werkstatt öffnet um acht.", "Die Werkstatt hat die Zeiten geändert, offen ist sie ab neun."),
        ("Mi taller cuesta 40 euros.", "Subieron el precio del taller, son 45."),
        ("Le stage coûte 80 euros.", "Ils ont augmenté le stage, c'est 95 maintenant."),
        ("A oficina fica na rua do Norte.", "A oficina mudou de endereço, agora é na praça."),
        ("我的课在星期二。", "我的课改到星期四了。"),
        ("会議は月曜日です。", "会議は水曜日に変わりました。"),
    ],
)
def test_a_word_of_change_about_the_same_outdates(old: str, new: str) -> None:
    """In seven languages, though the two share no verb and few words."""
    assert judged(said(old), said(new)).sure >= UNSURE
    assert may_outdate(said(new))


@pytest.mark.parametrize(
    ("old", "new", "least"),
    [
        ("Anna works as a nurse at Mercy.", "Ben now works as a nurse at Mercy.", None),
        ("Anna Holt sorts the bolts.", "Anna Hold sorts the bolts from now on.", None),
        ("Anna's rent is 740 a month.", "Ben's rent is 815 a month now.", None),
        ("Note: Anna works as a nurse at Mercy.", "Ben now works as a nurse at Mercy.", None),
        ("Anna wohnt in Kiel.", "Ben wohnt jetzt in Bonn.", None),
        ("Anna sorts the bolts at nine.", "Anna sorts the bolts at ten from now on.", SURE),
        ("Anna Holt sorts the bolts at nine.", "Anna now sorts the bolts at ten.", SURE),
        ("Anna is our goalkeeper.", "Ben is our goalkeeper now.", UNSURE),
        ("The rent is 740 a month.", "Our landlord wrote, the rent is 815 a month now.", UNSURE),
        ("Lives in the tall house.", "Moved out of the tall house.", UNSURE),
    ],
)
def test_what_is_told_of_one_by_name_is_told_of_nobody_else(old: str, new: str, least: float | None) -> None:
    """Whoever keeps a memory of all of them; who has an office is what changes of it."""
    outdated = judged(said(old), said(new))

    assert (outdated.sure >= least) if least else (outdated.sure == 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The open day is on Friday.", "Sorry, I misread the flyer. The open day is the Saturday."),
        ("Wir brauchen acht Stühle für den Saal.", "Wegen der Stühle hatte ich mich vertan, es sind zehn."),
        ("Le vaccin date de 2019.", "Pour le vaccin, je me suis trompée, c'est 2017."),
        ("La feria es el 6 de junio.", "Perdón, miré mal el calendario. Es el 13, el 6 hay verbena."),
        ("A oficina fica na rua 12.", "Não é bem isso, eu me enganei: a oficina fica na rua 14."),
        ("我的课在星期二。", "我看错了，我的课在星期四。"),
        ("会議は月曜日です。", "言い間違いです。会議は水曜日です。"),
        ("Keep the install on two machines simple.", "Thanks. And about the install. No, four of them."),
    ],
)
def test_a_correction_outdates_what_it_names(old: str, new: str) -> None:
    """By the matter or by the value that it says again, in seven languages."""
    assert judged(said(old), said(new)).sure >= UNSURE
    assert may_outdate(said(new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Noted. Tuesday is choir.", "Great, I gave up the choir. Is good for you too, I hope."),
        (
            "Perfect. We mount a Tordo board in the shed.",
            "I might paint the shed. The Tordo board was replaced.",
        ),
    ],
)
def test_talk_and_doubt_beside_a_statement_take_nothing_from_it(old: str, new: str) -> None:
    """What reacts, speaks to somebody or supposes is left out clause by clause."""
    assert judged(said(old), said(new)).sure == UNSURE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The open day is on Friday.", "Maybe I misread the flyer, the open day could be the Saturday."),
        ("The open day is on Friday.", "I misread the flyer. The garden party is on Saturday."),
        ("Sounds nice, Maria! Time with cousins is important.", "Thanks, Maria! I'm with the cousins now."),
        ("Hey Jon! It's a wild ride. How are sales?", "Sales are up. It's been a wild ride lately."),
        ("Great. The shed stays locked.", "I moved. You know the shed, great place."),
    ],
)
def test_a_correction_in_doubt_of_another_matter_or_among_talk_outdates_nothing(old: str, new: str) -> None:
    """What is only supposed, names something else, or tells of the moment is no correction."""
    assert judged(said(old), said(new)).sure == 0


def test_a_name_tells_alone_what_a_text_is_about() -> None:
    """Where a long statement shares a name and nothing else, a word of change said of the name outdates it."""
    old = "My doctor is Fauvel in the street of the tanners beside the bakery near Brevolles, third floor."
    assert judged(said(old), said("By the way, Fauvel retired.")).sure == UNSURE
    assert judged(said(old), said("By the way, the bakery closed.")).sure == 0
    assert judged(said(old), said("By the way, the house of the Bakery closed.")).sure == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Our choir meets in the town hall.", "From next week our choir meets in the school gym."),
        ("Our choir meets in the town hall.", "Ana's choir no longer meets in the town hall."),
        ("I smoke a pipe in the evening.", "I don't smoke the pipe anymore."),
        ("My tailor is Mr. Okoro.", "My tailor is Mrs. Lind these days."),
        ("The printer is out of order.", "The printer is working again."),
        ("The deposit is 1,250.", "The deposit went up to 1,400."),
        ("Mein Nachbar ist Herr Kolb.", "Mein Nachbar ist jetzt Frau Peters."),
        ("Ich fahre mit der Fähre zur Arbeit.", "Die Fähre habe ich aufgegeben, ich nehme das Rad."),
        ("El coro ensaya en la iglesia.", "El coro ya no ensaya en la iglesia."),
        ("El coro ensaya en la iglesia.", "El coro ensaya ahora en el gimnasio."),
        ("J'ai une vieille moto.", "Je n'ai plus de moto, je prends le tram."),
        ("La chorale répète à l'école.", "La chorale répète désormais à la mairie."),
        ("O coral ensaia na escola.", "O coral ensaia agora na igreja."),
        ("O treino é às nove.", "O treino mudou para o meio-dia."),
        ("合唱团在学校排练。", "合唱团改到教堂排练了。"),
        ("合唱団は学校で練習します。", "合唱団は今月から教会で練習します。"),
    ],
)
def test_a_word_of_change_counts_beside_what_both_are_about(old: str, new: str) -> None:
    """In its clause, next to it, or where the rest is the same statement."""
    assert judged(said(old), said(new)).sure >= UNSURE
    assert may_outdate(said(new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ana is proud of Ana's garden.", "Ana has been busy lately."),
        ("Ana loves baking bread.", "Since our last talk I have been busy with the bread stall."),
        ("Ana is keen on sailing.", "Lately Ana has been reading about sailing."),
        ("Ana plays the cello in a quartet.", "Finally Ana can enjoy the cello after a long day."),
        ("Ana looks after two ponies.", "Now Ana is off to see a friend about ponies."),
        ("Ana enjoys the sea.", "It's hard to swim in the sea since Ana's cold."),
        ("Ana walks the dog at dawn.", "Ana went to a dog show last week."),
        ("Ana teaches pottery.", "The pottery class hit a snag."),
        ("Ana will never quit the choir.", "I won't quit the choir, even now."),
        ("The harbour is a joy to Ana.", "I met him when they moved the harbour office."),
        ("The red kettle boils in two minutes.", "The red kettle has a broken lid."),
        ("A hammock costs 60 euros.", "The fees are now 90 euros."),
        ("Ana is away next month.", "Ana is now on a course next month."),
        ("Ana backt gern Brot.", "In letzter Zeit ist Ana mit dem Brot beschäftigt."),
        ("Ana spielt Cello im Quartett.", "Endlich hat Ana wieder Freude am Cello."),
        ("A Ana le encanta el mar.", "Últimamente Ana lee sobre el mar."),
        ("Ana enseña cerámica.", "Por fin Ana disfruta de la cerámica en casa."),
        ("Ana aime la mer.", "Ces temps-ci Ana lit des livres sur la mer."),
        ("Ana enseigne la poterie.", "Enfin, Ana rit à la poterie."),
        ("A Ana adora o mar.", "Ultimamente a Ana lê sobre o mar."),
        ("安娜喜欢大海。", "最近安娜在读关于大海的书。"),
        ("アナは海が好きです。", "最近アナは海の本を読んでいます。"),
    ],
)
def test_a_word_of_change_in_passing_outdates_nothing(old: str, new: str) -> None:
    """Nor do the name of who speaks, a word of time, a unit or the word of change itself tell what both are about."""
    assert 0.0 == judged(said(old), said(new)).sure


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("It's Minka! I've had her for two years.", "Ben has had them for 3 years!"),
        ("Ana's twins have so much.", "Ben's twins don't have so much."),
        ("She always puts a smile on Ana's face.", "They always put a smile on Ben's face."),
        ("Staying patient with toddlers is key.", "And don't forget to stay patient with toddlers."),
        ("Swim practice with the juniors (mon)", "Swim practice with the juniors (tue)"),
        ("Recently not.", "I don't row recently."),
    ],
)
def test_what_two_persons_tell_of_themselves_is_not_at_odds(old: str, new: str) -> None:
    """As "I" or by name, as extracted facts do; nor is an order, a date in brackets, or one shared word."""
    assert 0.0 == judged(said(old), said(new, "Ben")).sure


@pytest.mark.parametrize(
    "new",
    [
        "Is the rehearsal on Wednesday now?",
        "If they moved the rehearsal to Wednesday, I could come.",
        "Maybe they moved the rehearsal to Wednesday.",
        "Tom says they moved the rehearsal to Wednesday.",
        "We are thinking of moving the rehearsal to Wednesday now.",
        "I wish they had moved the rehearsal to Wednesday.",
        "The rehearsal used to be moved to Wednesday.",
        "The rehearsal moved to Wednesday last year.",
        "Another rehearsal is on Wednesday now.",
        "The rehearsal costs 20.",
        "The rehearsal is still on Monday.",
        "They moved the piano to the hall.",
        "Please move the rehearsal to Wednesday now, would you?",
    ],
)
def test_what_asks_supposes_wishes_plans_or_adds_outdates_nothing(new: str) -> None:
    """Nor hearsay, the past, another attribute, another subject, a repetition, an order."""
    assert 0.0 == judged(said("The rehearsal is on Monday."), said(new)).sure


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Thanks, that moved me!", "We moved the rehearsal."),
        ("Where is the rehearsal?", "They moved the rehearsal to Wednesday."),
        ("order 7226937 has shipped", "order 781895513089 has now shipped"),
        ("We rehearsed on Monday and had fun.", "They moved the rehearsal to Wednesday."),
    ],
)
def test_what_tells_nothing_lasting_is_not_outdated(old: str, new: str) -> None:
    """Talk, a question, an identifier, what happened once."""
    assert 0.0 == judged(said(old), said(new)).sure


@pytest.mark.parametrize(
    ("old", "new", "sure"),
    [
        ("My tailor is Mr. Okoro.", "My tailor is Mrs. Lind these days.", True),
        ("Our choir meets in the town hall.", "Ana's choir no longer meets in the town hall.", True),
        ("El coro ensaya en la iglesia.", "El coro ensaya ahora en el gimnasio.", True),
        ("The rehearsal is on Monday.", "They moved the rehearsal to Wednesday.", False),
        ("I take the tram to the office.", "Gave up the tram, the bike is so much quicker.", False),
        ("The deposit is 1,250.", "The deposit went up to 1,400.", False),
    ],
)
def test_sure_is_only_the_same_statement_said_to_have_changed(old: str, new: str, sure: bool) -> None:
    """The same words but for one value and a word of change, or all of it said to be over."""
    assert (SURE if sure else UNSURE) == judged(said(old), said(new)).sure


def test_a_word_of_change_of_another_speaker_is_at_odds() -> None:
    """Also of one who is believed more: nobody else knows that what was said is no longer meant."""
    page = said("The library closes at nine.", "page", Role.TOOL, Trust.OUTSIDE)

    assert judged(page, said("The library closes at eight now.")).odds


def test_who_is_trusted_less_or_is_somebody_else_is_at_odds_at_most() -> None:
    """Another value of the same, or a denial; of what two persons say of themselves nothing."""
    old = said("The library closes at nine.")
    tool = said("The library closes at eight.", "page", Role.TOOL, Trust.TOOL)
    other = said("The library closes at eight.", "Ben")
    mine, yours = said("My dog is four."), said("My dog is six.", "Ben")

    assert (AT_ODDS, True) == (judged(old, tool).sure, judged(old, tool).odds)
    assert (AT_ODDS, True) == (judged(old, other).sure, judged(old, other).odds)
    assert 0.0 == judged(mine, yours).sure


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("60 power supplies are on shelf C.", "60 antennas are on shelf F."),
        ("60 Netzteile liegen in Regal C.", "60 Antennen liegen in Regal F."),
        ("My dentist appointment is on 4 March.", "Owen's dentist appointment is on 12 March."),
        (
            "Mon rendez-vous chez le dentiste est le 4 mars.",
            "Le rendez-vous de Luc chez le dentiste est le 12.",
        ),
        ("Mi cita con el dentista es el 4 de marzo.", "La cita de Nando con el dentista es el 12 de marzo."),
        ("My blood pressure is 140 over 90.", "I take 5 mg for my blood pressure."),
        ("Ma tension est à 14.", "Un comprimé de Cardinil 5 mg pour la tension."),
        (
            "The kitchen scale shows 12.4 kg for the parcel.",
            "The bathroom scale shows 12.9 kg for the parcel.",
        ),
        ("Die Dosis für Erwachsene ist 2 ml.", "Die Dosis für Kinder ist 0,5 ml."),
        ("La mesa de roble cuesta 300 euros.", "La mesa de pino cuesta 180 euros."),
        ("Im Saal stehen 12 Stühle.", "Im Saal stehen 8 Tische."),
        ("The lease is 310 a month.", "The lease runs for 24 months."),
        ("The blue van has 120,000 km.", "The white van has 40,000 km."),
        ("Am Montag kommen sechs Gäste.", "Am Freitag kommen zwölf Gäste."),
        ("Room 12 has 30 seats.", "Room 14 has 45 seats."),
        ("Die Kaltmiete beträgt 580 Euro.", "Der Eintritt ins Freibad beträgt 4 Euro."),
        ("El restaurante tiene 20 mesas.", "Le confirmo la mesa para ocho personas."),
        ("The audit is on 8 March.", "Audit trails are kept for 400 days."),
    ],
)
def test_values_of_two_things_are_not_at_odds(old: str, new: str) -> None:
    """Of what is counted, dated or weighed here and there, of two persons, in two kinds of units, under one verb."""
    page = said(new, "page", Role.TOOL, Trust.OUTSIDE)

    assert 0.0 == judged(said(old), page).sure
    assert 0.0 == judged(said(old), said(new, "Ben")).sure


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The library closes at nine.", "As you know, the library closes at eight."),
        ("The train to York leaves from platform 5.", "York train: platform 3"),
        ("My breakfast has 450 calories.", "breakfast total 612 kcal"),
        ("Der Rundweg ist elf Kilometer lang.", "Rundweg 13,5 km"),
        ("Die Sitzung ist am Montag.", "Ich habe notiert: Die Sitzung ist am Dienstag."),
        ("La piscina abre a las siete.", "Piscina municipal, abre a las 8."),
        ("El tanque está a 18 grados.", "tanque 1 = 21,4 °C"),
        ("Le colis pèse quatre kilos.", "Colis : 4,6 kg"),
        ("Le bateau est vert.", "Mais non, le bateau est bleu."),
    ],
)
def test_another_value_of_the_same_is_at_odds(old: str, new: str) -> None:
    """Whatever verb and unit it is told with, and whatever else the other text tells."""
    assert judged(said(old), said(new, "page", Role.TOOL, Trust.OUTSIDE)).odds


def test_a_word_that_many_memories_hold_tells_not_what_a_text_is_about() -> None:
    """In a small scope a few may hold it."""
    old, new = said("The rehearsal is on Monday."), said("They moved the rehearsal to Wednesday.")
    held = dict.fromkeys(stems(new.text), 100)

    assert 0.0 == score_outdated(old, new, 0.5, held, MANY).sure
    assert UNSURE == score_outdated(old, new, 0.5, dict.fromkeys(held, 2), 2).sure


def test_most_texts_need_no_look_up() -> None:
    """What asks, is long, or holds no sign of change, value or denial."""
    assert not may_outdate(said("The heron stands by the pond in the park."))
    assert not may_outdate(said("Has the rehearsal moved to Wednesday?"))
    assert not may_outdate(said("It moved. " + "x" * CHARS_MAX))


def test_every_language_has_signs_of_every_sort() -> None:
    """So that none finds nothing."""
    for one in CHANGING.values():
        told = {kind for some in (*one.whole.values(), *one.begun.values()) for _, kind in some}
        assert {
            "onward",
            "now",
            "shifts",
            "reaches",
            "ends",
            "turns",
            "doubts",
            "denies",
        } <= (told | one.patterns.keys())
        assert [] == one.find_signs("")


def test_a_function_word_of_a_language_is_no_value_of_another() -> None:
    """Portuguese has "dos" for "of the", with which Spanish counts two; English has "one" as a number of its own."""
    assert {} == {**read_change("A casa dos pais fica na praia.", "pt").values}
    assert {"number": frozenset({"dos"})} == {**read_change("Tengo dos barcos.", "es").values}
    assert {"number": frozenset({"one"})} == {**read_change("We have one boat.", "en").values}
