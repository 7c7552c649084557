"""Phrases by language that open another matter, and that say how one ended. Data only.

Spaced languages in small letters, apostrophes out, each as whole words; Chinese and Japanese wherever they stand.
"""

from collections.abc import Mapping

OPENS: Mapping[str, tuple[str, ...]] = {
    "en": (
        "by the way", "btw", "anyway", "anyways", "guess what", "speaking of", "on that note", "on another note",
        "almost forgot", "remember when", "whats new", "anything new", "change of subject", "changing the subject",
        "unrelated", "one more thing", "another thing", "next topic", "moving on", "have you ever", "lately",
        "last week", "last weekend", "last night", "last month", "yesterday", "recently", "i just", "we just",
        "take a look", "check this out",
    ),
    "de": (
        "übrigens", "apropos", "nebenbei", "jedenfalls", "rate mal", "was neues", "etwas anderes", "andere frage",
        "noch etwas", "noch was", "fast vergessen", "themenwechsel", "nächstes thema", "hast du schon mal",
        "letzte woche", "letztes wochenende", "gestern", "neulich", "kürzlich", "schau mal",
    ),
    "es": (
        "por cierto", "a propósito", "hablando de", "en fin", "adivina", "cambiando de tema", "otra cosa",
        "otra pregunta", "casi me olvido", "casi lo olvido", "alguna novedad", "alguna vez", "la semana pasada",
        "el fin de semana pasado", "ayer", "hace poco", "últimamente", "recientemente", "mira esto",
    ),
    "fr": (
        "au fait", "à propos", "dailleurs", "en parlant de", "devine", "autre chose", "autre question",
        "jallais oublier", "quoi de neuf", "changeons de sujet", "la semaine dernière",
        "le week end dernier", "hier", "récemment", "dernièrement", "regarde ça",
    ),
    "pt": (
        "a propósito", "por falar em", "falando em", "aliás", "enfim", "adivinha", "mudando de assunto", "outra coisa",
        "outra pergunta", "quase esqueci", "alguma novidade", "alguma vez", "na semana passada", "semana passada",
        "ontem", "recentemente", "ultimamente", "olha só",
    ),
}  # fmt: skip
OPENS_UNSPACED: tuple[str, ...] = (
    "对了", "對了", "顺便", "順便", "话说", "話說", "说起", "說起", "另外", "换个话题", "換個話題", "你猜", "上周",
    "上週", "昨天", "最近",
    "ところで", "そういえば", "話は変わ", "ちなみに", "別の話", "先週", "昨日", "この前", "この間",
)  # fmt: skip

SUCCEEDED: Mapping[str, tuple[str, ...]] = {
    "en": (
        "it works", "works now", "that worked", "it worked", "is fixed", "fixed it", "got it working", "solved",
        "resolved", "all done", "is done", "we did it", "made it", "tests pass", "passed", "merged", "shipped",
        "deployed", "booked", "sorted", "succeeded", "problem solved", "that did it", "finished it",
    ),
    "de": (
        "es funktioniert", "funktioniert jetzt", "hat funktioniert", "es geht jetzt", "hat geklappt", "geklappt",
        "ist behoben", "behoben", "gelöst", "erledigt", "fertig geworden", "geschafft", "bestanden", "gebucht",
        "ausgeliefert",
    ),
    "es": (
        "funciona", "ya funciona", "funcionó", "está arreglado", "arreglado", "resuelto", "solucionado", "terminado",
        "lo logramos", "lo logré", "aprobado", "reservado", "desplegado",
    ),
    "fr": (
        "ça marche", "ça fonctionne", "ça a marché", "cest réparé", "corrigé", "résolu", "cest fait", "terminé",
        "on a réussi", "jai réussi", "réussi", "réservé", "déployé",
    ),
    "pt": (
        "funciona", "já funciona", "funcionou", "deu certo", "está consertado", "corrigido", "resolvido", "concluído",
        "terminado", "conseguimos", "consegui", "aprovado", "reservado",
    ),
}  # fmt: skip
SUCCEEDED_UNSPACED: tuple[str, ...] = (
    "成功了", "搞定", "解决了", "解決了", "修好了", "完成了", "通过了", "通過了", "可以了",
    "できました", "うまくいっ", "解決しました", "直りました", "完了しました", "動きました", "成功しました",
)  # fmt: skip
FAILED: Mapping[str, tuple[str, ...]] = {
    "en": (
        "doesnt work", "does not work", "didnt work", "did not work", "not working", "isnt working", "still broken",
        "still fails", "failed", "fails", "not fixed", "not solved", "not resolved", "unsolved", "gave up",
        "giving up", "couldnt figure", "could not figure", "no luck", "wont work", "cancelled", "canceled",
        "gone wrong", "not done",
    ),
    "de": (
        "funktioniert nicht", "geht nicht", "geht immer noch nicht", "nicht geklappt", "hat nicht funktioniert",
        "fehlgeschlagen", "gescheitert", "nicht behoben", "nicht gelöst", "nicht geschafft", "aufgegeben", "abgesagt",
    ),
    "es": (
        "no funciona", "no funcionó", "sigue fallando", "falló", "fallido", "no está resuelto", "no está arreglado",
        "me rindo", "sin suerte", "cancelado", "no lo logramos",
    ),
    "fr": (
        "ne marche pas", "marche pas", "ne fonctionne pas", "na pas marché", "a échoué", "échoué", "échec",
        "pas résolu", "pas réparé", "jabandonne", "annulé",
    ),
    "pt": (
        "não funciona", "não funcionou", "não deu certo", "falhou", "ainda falha", "não está resolvido", "desisto",
        "desisti", "sem sorte", "cancelado", "não conseguimos", "não consegui",
    ),
}  # fmt: skip
FAILED_UNSPACED: tuple[str, ...] = (
    "失败了", "失敗了", "不行", "没成功", "沒成功", "没解决", "沒解決", "放弃了", "放棄了", "取消了",
    "失敗しました", "うまくいかな", "できませんでした", "動きません", "直りません", "諦めました", "解決していません",
)  # fmt: skip
PARTLY: Mapping[str, tuple[str, ...]] = {
    "en": (
        "partly",
        "partially",
        "half done",
        "almost works",
        "almost done",
        "works mostly",
        "mostly works",
        "some of it",
        "the rest later",
        "to be continued",
        "not quite",
        "works but",
    ),
    "de": ("teilweise", "zum teil", "halb fertig", "fast fertig", "der rest später", "noch nicht ganz"),
    "es": ("parcialmente", "en parte", "a medias", "casi listo", "el resto después", "todavía no del todo"),
    "fr": ("en partie", "partiellement", "à moitié", "presque fini", "le reste plus tard", "pas tout à fait"),
    "pt": (
        "parcialmente",
        "em parte",
        "pela metade",
        "quase pronto",
        "o resto depois",
        "ainda não totalmente",
    ),
}
PARTLY_UNSPACED: tuple[str, ...] = (
    "部分",
    "一半",
    "还差一点",
    "還差一點",
    "一部",
    "途中まで",
    "半分",
    "もう少しで",
)
