"""Words that say why, by language: which part of a sentence is the cause and which the effect. Data only."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Causal:
    """The phrases of one language, all lower-case, apostrophes straight.

    After one of `hence` stands the effect of what came before it, after one of `because` the cause; `leads` stands
    between a cause and its effect in one sentence; `explains` begins a sentence that gives the cause of the one before
    it. `spaced` is false where words are written without blanks.
    """

    code: str
    hence: tuple[str, ...]
    because: tuple[str, ...]
    leads: tuple[str, ...]
    explains: tuple[str, ...]
    spaced: bool


def causal(code: str, *, hence: str, because: str, leads: str, explains: str, spaced: bool = True) -> Causal:
    """Read the phrases from lists with slashes between them; a list may be empty."""
    return Causal(
        code,
        _split_phrases(hence),
        _split_phrases(because),
        _split_phrases(leads),
        _split_phrases(explains),
        spaced,
    )


def _split_phrases(text: str) -> tuple[str, ...]:
    return tuple(phrase for part in text.split("/") if (phrase := " ".join(part.split())))


CAUSAL: dict[str, Causal] = {
    one.code: one
    for one in (
        causal(
            "en",
            hence="""
                therefore / as a result / as a consequence / consequently / that's why / that is why
                / this is why / because of that / because of this / for that reason / for this
                reason / hence / which is why / due to this
            """,
            because="""
                because of / because / due to / owing to / as a result of / as a consequence of /
                thanks to / on account of / caused by / triggered by
            """,
            leads="""
                led to / leads to / has led to / resulted in / results in / caused / causes /
                brought about / triggered
            """,
            explains="""
                that's because / that is because / this is because / it's because / it is because /
                the reason is / the reason was / the cause is / the cause was
            """,
        ),
        causal(
            "de",
            hence="""
                deshalb / deswegen / daher / darum / folglich / infolgedessen / aus diesem grund /
                demzufolge / somit
            """,
            because="""
                weil / wegen / aufgrund / da ja / infolge / dank / verursacht durch / ausgelöst
                durch
            """,
            leads="""
                führte zu / führte dazu / führt zu / führt dazu / hat dazu geführt / verursachte /
                verursacht / bewirkte / löste aus
            """,
            explains="""
                das liegt daran / das lag daran / der grund ist / der grund war / die ursache ist /
                die ursache war / grund dafür
            """,
        ),
        causal(
            "es",
            hence="""
                por lo tanto / por tanto / por eso / por ello / como resultado / en consecuencia /
                por consiguiente / por esa razón / por esta razón / a raíz de eso
            """,
            because="""
                porque / debido a / a causa de / ya que / puesto que / gracias a / por culpa de / a
                raíz de
            """,
            leads="""
                llevó a / condujo a / provocó / causó / resultó en / ocasionó / dio lugar a /
                provoca / causa que
            """,
            explains="""
                eso es porque / es porque / fue porque / la razón es / la razón fue / la causa es /
                la causa fue
            """,
        ),
        causal(
            "fr",
            hence="""
                par conséquent / en conséquence / c'est pourquoi / c'est pour cela / c'est pour ça /
                pour cette raison / de ce fait / du coup / à cause de cela / à cause de ça
            """,
            because="""
                parce que / parce qu'il / parce qu'elle / parce qu'on / à cause de / à cause du / à
                cause des / en raison de / en raison du / grâce à / puisque / dû à
            """,
            leads="""
                a conduit à / a mené à / a provoqué / a causé / a entraîné / provoque / entraîne / a
                abouti à
            """,
            explains="""
                c'est parce que / c'est parce qu'il / la raison est / la raison était / la cause est
                / la cause était
            """,
        ),
        causal(
            "pt",
            hence="""
                portanto / por isso / como resultado / em consequência / por conseguinte / por essa
                razão / por esta razão / consequentemente
            """,
            because="""
                porque / devido a / devido ao / devido à / por causa de / por causa do / por causa
                da / já que / uma vez que / graças a / graças ao
            """,
            leads="""
                levou a / levou ao / levou à / conduziu a / provocou / causou / resultou em /
                ocasionou / deu origem a
            """,
            explains="""
                isso é porque / é porque / foi porque / a razão é / a razão foi / a causa é / a
                causa foi
            """,
        ),
        causal(
            "zh",
            spaced=False,
            hence="因此 / 所以 / 因而 / 结果是 / 为此 / 于是",
            because="因为 / 由于 / 多亏",
            leads="导致了 / 导致 / 造成了 / 造成 / 引起了 / 引发了 / 使得",
            explains="这是因为 / 那是因为 / 原因是",
        ),
        causal(
            "ja",
            spaced=False,
            hence="そのため / だから / したがって / その結果 / それで / ゆえに / このため",
            because="ため、 / せいで / おかげで / ので、 / から、",
            leads="",  # the verb comes last: nothing stands between a cause and its effect
            explains="なぜなら / というのも / 理由は / 原因は",
        ),
    )
}
