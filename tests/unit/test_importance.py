"""How important a text is, and whether it is a note or an episode."""

import pytest

from remanence.core.model import Kind
from remanence.read.importance import importance, kind_of, level


@pytest.mark.parametrize(
    ("expected", "category", "texts"),
    [
        (
            "critical",
            "fact",
            [
                "Wasp stings can kill my aunt, she carries adrenaline.",
                "Mein Vater hat eine lebensgefährliche Allergie.",
                "Es muy peligroso para ella, es alérgica.",
                "Attention, danger mortel sous la trappe.",
                "Ele é gravemente alérgico a amendoim.",
                "我对海鲜严重过敏。",
                "エビは絶対に危険です。",
            ],
        ),
        (
            "high",
            "decision",
            [
                "We chose the oak table.",
                "Wir nehmen den Tisch aus Eiche.",
                "Elegimos la mesa de roble.",
                "On garde la table en chêne.",
                "Ficamos com a mesa de carvalho.",
                "我们选了橡木桌子。",
                "机は樫に決めました。",
            ],
        ),
        (
            "normal",
            "fact",
            [
                "My name is Bob",
                "The ladder stands behind the barn.",
                "Die Leiter steht hinter der Scheune.",
                "La escalera está detrás del granero.",
                "L'échelle se trouve derrière la grange.",
                "A escada fica atrás do celeiro.",
                "梯子在谷仓后面。",
                "梯子は納屋の裏にあります。",
            ],
        ),
        (
            "low",
            "fact",
            [
                "Maybe there was a well somewhere.",
                "Vielleicht war dort ein Brunnen.",
                "Quizá había un pozo por ahí.",
                "Il y avait peut-être un puits.",
                "Talvez havia um poço por ali.",
                "那边可能有一口井。",
                "井戸があったかもしれません。",
            ],
        ),
        (
            "trivial",
            "fact",
            ["ok thanks", "Alles klar, danke!", "Vale, gracias", "Merci !", "Tá bom", "好的", "はい"],
        ),
    ],
)
def test_every_level_is_reached_in_seven_languages(expected: str, category: str, texts: list[str]) -> None:
    """Harm is critical, decisions are high, plain facts normal, hedged ones low, and talk is trivial."""
    assert [(text, expected) for text in texts] == [
        (text, level(importance(text, category))) for text in texts
    ]


def test_a_short_text_is_not_trivial_for_being_short() -> None:
    """A preference of seven characters is worth keeping."""
    assert "high" == level(importance("我喜欢喝绿茶。", "preference"))


@pytest.mark.parametrize(
    ("text", "category", "kind"),
    [
        ("On Monday standup is at 9", "commitment", Kind.SEMANTIC),
        ("On Monday standup is at 9", "fact", Kind.SEMANTIC),
        ("Today the user prefers tea", "preference", Kind.SEMANTIC),
        ("Earlier versions must use TLS", "principle", Kind.SEMANTIC),
        ("The API runs on port 8080", "fact", Kind.SEMANTIC),
        ("Yesterday the pump failed", "fact", Kind.EPISODIC),
        ("Gestern ist die Pumpe ausgefallen, das wurde gemeldet", "fact", Kind.EPISODIC),
        ("Ada got married", "moment", Kind.EPISODIC),
        ("Pour first, then stir", "procedure", Kind.PROCEDURAL),
    ],
)
def test_a_time_alone_makes_no_episode(text: str, category: str, kind: Kind) -> None:
    """A category says what it is; a fact is an episode only where something happened."""
    assert kind is kind_of(text, category)
