"""Names that rules find, in sentences with a fact and without one, and what they take for none."""

import pytest

from benchmarks.labels import read
from remanence.read.extract import extract_facts
from remanence.read.extraction import CATEGORIES, ExtractTurn


def found(text: str) -> set[tuple[str, str]]:
    """Return the names in a turn, each with its sort."""
    return {(one.name, one.type) for one in extract_facts([ExtractTurn("1", text)], CATEGORIES).entities}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Can you ask Marisa Quell about Postgres 15?",
            {("Marisa Quell", "person"), ("Postgres 15", "other")},
        ),
        ("Is Priya at the University of Leeds?", {("Priya", "person"), ("University of Leeds", "other")}),
        ("My dentist is Otto Kranz.", {("Otto Kranz", "person")}),
        ("Ask Lo (@lquist) about the keys.", {("Lo", "person")}),
        (
            "We run the Northern Maritime Office (NMO).",
            {("Northern Maritime Office", "other"), ("NMO", "other")},
        ),
        ("In the scripts pq stands for Pinequeue.", {("pq", "other"), ("Pinequeue", "other")}),
        ("Hast du mit Sebastian Kroll gesprochen?", {("Sebastian Kroll", "person")}),
        ("Was sagt Frau Sommer zu Windows 11?", {("Sommer", "person"), ("Windows 11", "other")}),
        ("Die Firma Hafer Bau (HB) und das Projekt Falke.", {("Hafer Bau", "company"), ("HB", "other")}),
        ("Вчера звонил Антон Белов.", {("Антон Белов", "person")}),
        ("Наша компания «Вектор» растёт.", {("Вектор", "company")}),
        ("Χθες ήρθε ο Νίκος Βλάχος.", {("Νίκος Βλάχος", "person")}),
        ("王建国老师教我弹琴。", {("王建国", "person")}),
        ("我的同事张伟在华星电子有限公司上班。", {("张伟", "person"), ("华星电子有限公司", "company")}),
        ("隣の席の鈴木さんと田中真一は釣りが好きです。", {("鈴木さん", "person"), ("田中真一", "person")}),
        ("최유진 씨는 언제 와요?", {("최유진", "person")}),
        ("نبيل عيسى الملقب أبو ريم يملك متجرا.", {("نبيل عيسى", "other"), ("أبو ريم", "other")}),
    ],
)
def test_names_are_found_in_many_scripts(text: str, names: set[tuple[str, str]]) -> None:
    """Also in a question or a request, which states no fact."""
    assert names <= found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Вчера я видел Антона Белова.",
        "Χθες είδα τον Νίκο.",
        "Gestern hat der Hund im Garten geschlafen.",
        "周末我想去爬山，高兴得睡不着。",
        "お客さんとお母さんが来ました。",
    ],
)
def test_a_name_in_another_case_and_an_ordinary_word_are_none(text: str) -> None:
    """No entity gets a name as it stands in the accusative."""
    assert set() == found(text)


def test_ordinary_lines_give_no_false_name() -> None:
    """No line of the first set gives a name that it does not have."""
    lines = read("naming", "first")
    false = {
        (line["id"], name)
        for line in lines
        for name, _ in found(line["text"])
        if not any(name in one or one in name for one in line["names"])
    }

    assert set() == false
