"""Whether a newer text says that something of an older one is otherwise now: by words of change, and in doubt not."""

import pytest

from remanence.languages.changing import CHANGING
from remanence.model import Role, Trust
from remanence.text import stems
from remanence.write.outdating import AT_ODDS, CHANGED, CHARS_MAX, Outdated, Said, may_outdate, outdated

MANY = 1_000


def said(text: str, speaker: str = "Ana", role: Role = Role.USER, trust: Trust = Trust.USER) -> Said:
    """Return a text of a user."""
    return Said(text, speaker, role, trust)


def judged(old: Said, new: Said, near: float | None = 0.5) -> Outdated:
    """Compare two texts among many others that say other things."""
    return outdated(old, new, near, dict.fromkeys(stems(new.text), 2), MANY)


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
    assert CHANGED == judged(said(old), said(new)).sure
    assert may_outdate(said(new))


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


def test_who_is_trusted_less_or_is_somebody_else_is_at_odds_at_most() -> None:
    """Another value of the same, or a denial; of what two persons say of themselves nothing."""
    old = said("The library closes at nine.")
    tool = said("The library closes at eight.", "page", Role.TOOL, Trust.TOOL)
    other = said("The library closes at eight.", "Ben")
    mine, yours = said("My dog is four."), said("My dog is six.", "Ben")

    assert Outdated(AT_ODDS, judged(old, tool).near) == judged(old, tool)
    assert AT_ODDS == judged(old, other).sure
    assert 0.0 == judged(mine, yours).sure


def test_a_word_that_many_memories_hold_tells_not_what_a_text_is_about() -> None:
    """In a small scope a few may hold it."""
    old, new = said("The rehearsal is on Monday."), said("They moved the rehearsal to Wednesday.")
    held = dict.fromkeys(stems(new.text), 100)

    assert 0.0 == outdated(old, new, 0.5, held, MANY).sure
    assert CHANGED == outdated(old, new, 0.5, dict.fromkeys(held, 2), 2).sure


def test_most_texts_need_no_look_up() -> None:
    """What asks, is long, or holds no sign of change, value or denial."""
    assert not may_outdate(said("The heron stands by the pond in the park."))
    assert not may_outdate(said("Has the rehearsal moved to Wednesday?"))
    assert not may_outdate(said("It moved. " + "x" * CHARS_MAX))


def test_every_language_has_signs_of_every_sort() -> None:
    """So that none finds nothing."""
    for one in CHANGING.values():
        for name in ("now", "shifts", "ends", "turns", "news", "doubts", "denies", "mine"):
            assert not getattr(one, name).compiled.fullmatch("")
        assert one.opening
