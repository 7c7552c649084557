"""Asks for what a world's labels name, in words that no statement of the world uses."""

QUESTIONS = {
    "dentist": "Who looks after the teeth of {person} in {place}?",
    "landlord": "To whom does {person} pay the rent for the flat in {place}?",
    "cafe": "Where does {person} like to eat in {place}?",
    "boat": "What is {person}'s boat in {place} called?",
    "cello school": "At which school in {place} does {person} learn the cello?",
    "garage": "Where does {person} take the car for repair in {place}?",
    "choir": "With which choir does {person} sing in {place}?",
    "project": "Which project does {person} lead at the office in {place}?",
    "bakery": "Where does {person} get bread in {place}?",
    "vet": "Who treats the dog of {person} in {place}?",
}


def ask(key: tuple[str, str, str]) -> str:
    """Return the question for one fact: of a person, an attribute, in a place."""
    person, attribute, place = key
    return QUESTIONS[attribute].format(person=person, place=place)


def ask_all(person: str) -> str:
    """Return the question for everything that is known of a person."""
    return f"What is known about {person}?"
