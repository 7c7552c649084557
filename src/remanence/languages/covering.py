"""What parts a sentence into statements, says that something is so of all, or only holds words together. Data only."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from remanence.languages.lexicon import words

# What denies something before them denies nothing after them.
TURNS_AWAY: Mapping[str, AbstractSet[str]] = {
    "en": words("but because so although though whereas"),
    "de": words("aber sondern weil denn obwohl"),
    "fr": words("mais car parce"),
    "es": words("pero sino porque pues aunque"),
    "pt": words("mas porque pois embora"),
}
# What denies something before them may deny what follows, too: who tells of it in two statements says so in both.
JOINS: Mapping[str, AbstractSet[str]] = {
    "en": words("and who which while"),
    "de": words("und wobei während"),
    "fr": words("et qui dont pendant"),
    "es": words("y e quien mientras"),
    "pt": words("e quem enquanto"),
}
UNIVERSAL = words("""
    always every everyone everybody everything all any anyone anybody whoever immer jeder jede jedes jedem jeden alle
    alles allen sämtliche sofort toujours tout toute tous toutes chaque immédiatement siempre todo toda todos todas cada
    cualquier cualquiera sempre qualquer
""")
DENIES_NOTHING = words("noch")  # counted as a negation elsewhere: "nur noch"
# What somebody does no more is denied, too, and what somebody doubts, refuses, only pretends or failed to do.
ENDED = words("""
    quit stopped ceased aufgehört arrêté dejé dejó dejado dejamos parei parou parámos deixei deixou deixámos
    doubt doubts doubted false untrue refuse refuses refused fail fails failed pretend pretends pretended almost unlike
    deny denies denied avoid avoids avoided
    bezweifle bezweifelt bezweifeln weigere weigert weigerte verweigere verweigert beinahe gescheitert
    doute doutes refuse refusé faux presque dudo dudas niego niega falso falsa casi evito evita
    duvido duvida recuso recusa recusou quase
""")
# Of languages without lists that are written in the same letters.
UNLISTED_NEGATIONS = words("""
    niet nooit geen niets non niente nessuno inte ikke aldrig aldri ingen nie nigdy değil yok tidak bukan không nem
""")
ELIDED_NEGATION = "n'"

# Signs of Chinese and of Japanese that hold words together and name nobody, and words in which a sign denies nothing.
SMALL_CHINESE = frozenset(
    "的了是在把被给給他她它们們其和与與跟也都就还還住家有个個这這那于於为為从從到会會对對上里裡用人所内中"
)
SMALL_JAPANESE = frozenset("用人方者事時彼自分所内中様")
DENYING_NOTHING_UNSPACED = (
    "非常", "特别", "特別", "别人", "別人", "不错", "不錯", "不仅", "不但", "差别", "差別",
)  # fmt: skip

# What a fact may call the speaker of a turn that names none.
SPEAKERS = words("""
    user nutzer nutzerin benutzer benutzerin utilisateur utilisatrice usuario usuaria usuário usuária ユーザー 利用者
    用户 用戶
""")
# How many days after the day of a turn the one lies that it names so.
DAYS_AWAY: Mapping[str, int] = {
    **dict.fromkeys("today tonight heute aujourd'hui hoy hoje 今日 今天".split(), 0),
    **dict.fromkeys("yesterday gestern hier ayer ontem 昨日 昨天".split(), -1),
    **dict.fromkeys("tomorrow morgen demain mañana amanhã 明日 明天".split(), 1),
}
