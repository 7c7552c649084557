"""What texts claim, and when one claim takes the place of another: decided by rules, in doubt nothing is replaced."""

import pytest

from benchmarks.labels import scenes
from remanence.read.claims import TEXT_CHARS_MAX, ClaimFound, claims_of, compare_claims


def replaces(old: str, new: str, speaker: str = "Dana") -> bool:
    """Tell whether a claim of the newer text takes the place of one of the older text."""
    return any(
        compare_claims(one, other).is_other
        for one in claims_of(old, speaker)
        for other in claims_of(new, speaker)
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The open day starts at two.", "The open day starts at four."),
        ("I live in Kiel.", "I've just moved to Rostock."),
        ("Our landlord is Mr. Quigley.", "Our landlord is Mrs. Adeyemi, she bought the house."),
        ("The piano stands in the living room.", "The piano stands in the hall now."),
        (
            "Our customer number at the water works is 20418.",
            "Our customer number at the water works changed to 77120.",
        ),
        ("The standup is at nine.", "We moved the standup to ten."),
        ("The shop closes at six.", "The shop closes at eight."),
        ("The shop closes at six.", "Update: the shop closes at eight."),
        ("My office is in Tartu.", "Actually, my office is in Riga."),
        ("Der Laden schließt um sechs.", "Hinweis: Der Laden schließt um acht."),
        ("Invoices above 500 need my approval.", "Invoices above 800 need my approval."),
        ("I live in Graz, right by the river.", "I moved to Linz."),
        ("The pump is switched off.", "The pump is switched on again."),
        ("Der Parkplatz hat die Nummer 18.", "Der Parkplatz hat die Nummer 33."),
        ("El menú cuesta 12 euros.", "El menú cuesta ya 13,50 euros."),
        ("Le code du portail est 1207.", "Le code du portail est maintenant 4466."),
        ("A reunião é na sala 3.", "A reunião agora é na sala 7."),
        ("网站用的是第二版接口。", "网站用的是第三版接口了。"),
        ("会議は三階でやります。", "会議は五階でやることになりました。"),
    ],
)
def test_another_value_of_what_has_one_at_a_time_is_an_update(old: str, new: str) -> None:
    """Of the same subject and attribute, told in the present; and not where nothing is said that is otherwise."""
    assert replaces(old, new)
    assert not replaces(old, old)
    assert not replaces(new, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The shop closes at six.", "Bob: The shop closes at eight."),
        ("My office is in Tartu.", "My office is in Riga."),
        ("Our shops are in Tartu.", "Our shops are now in Riga too."),
        ("The shop closes at six.", "Example: the shop closes at eight."),
        ("API v1 allows 100 requests.", "API v2 allows 300 requests."),
        ("John Kim sits in room 3.", "John Lim sits in room 5."),
        ("The staging server has 16 GB of memory.", "The production server has 64 GB of memory."),
        ("The open day starts at two.", "The open day starts on Sunday."),
        ("The open day starts at two.", "Does the open day start at four?"),
        ("The open day starts at two.", "If it rains, the open day starts at four."),
        ("The open day starts at two.", "Ben says the open day starts at four."),
        ("The open day starts at two.", "The open day starts at four today."),
        ("The open day starts at two.", "The open day might start at four."),
        ("My boss is Carmen.", "My boss was Anders."),
        ("Mia is allergic to peanuts.", "Mia is also allergic to cats."),
        ("My boss is Carmen.", "My boss is happy."),
        ("My boss is Carmen.", "My boss is Carmen Diaz."),
        ("I have a dog.", "I have a cat now."),
        ("I speak French.", "I speak Spanish now."),
        ("Bus 14 comes every ten minutes.", "Bus 15 comes every twenty minutes."),
        ("She lives in Kiel.", "She lives in Rostock now."),
        ('"The code is 12" is on the door.', "The code is 34."),
        ("The shop opens at nine.", "> The shop opens at seven."),
        ("Rosa moved to quay 3 in 2001.", "Rosa moved to quay 4 in 2002."),
    ],
)
def test_in_doubt_nothing_is_replaced(old: str, new: str) -> None:
    """Another subject, kind of value or time; what is asked, supposed, quoted, added or past; who is not named."""
    assert not replaces(old, new)


def test_the_speaker_is_the_subject_of_the_first_person() -> None:
    """What "I" and "my" name depends on who speaks, what is named does not."""
    (mine,) = claims_of("My boss is Carmen.", "Tilda")
    (hers,) = claims_of("My boss is Carmen.", "Ana")
    (named,) = claims_of("Tilda lives in Graz.", "Ana")
    (own,) = claims_of("I live in Graz", "Tilda")

    assert ClaimFound("tilda boss", "be", "Carmen") == mine
    assert "ana boss" == hers.subject
    assert (named.subject, named.attribute, named.value) == (own.subject, own.attribute, own.value)


def test_long_texts_claim_nothing() -> None:
    """They are documents; and no text takes long to read."""
    assert () == claims_of("The door code is 12. " * (TEXT_CHARS_MAX // 20), "Ana")
    assert () == claims_of("is " * 600 + "?" * 200, "Ana")


def test_labelled_scenes_that_are_no_updates_replace_nothing() -> None:
    """In the set for development nothing is replaced that stands, and of close updates at least seven in ten are."""
    labelled = scenes("first")
    wrong = [
        one.id
        for one in labelled
        if one.kind == "none" and replaces(one.old.text, one.new.text, one.old.speaker)
    ]
    close = [one for one in labelled if one.kind == "update" and not one.few_shared]
    found = [one for one in close if replaces(one.old.text, one.new.text, one.old.speaker)]

    assert [] == wrong
    assert len(found) >= 0.7 * len(close)
