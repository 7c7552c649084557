"""Portuguese words of change. Data only."""

from remanence.languages.changing_shape import build_changing

PORTUGUESE = build_changing(
    "pt",
    onward="""
        a partir de / de agora em diante / daqui para frente / desde segunda / desde terça / desde quarta /
        desde quinta / desde sexta / desde sábado / desde domingo / desde janeiro / desde fevereiro /
        desde março / desde abril / desde maio / desde junho / desde julho / desde agosto / desde setembro /
        desde outubro / desde novembro / desde dezembro / desde hoje / desde ontem
    """,
    now="agora / hoje em dia",
    lately="""
        desde / já / atualmente / ultimamente / finalmente / enfim / nesta temporada / este ano / este mês /
        na verdade / aliás / em vez de / no fim
    """,
    shifts="""
        mud* / troc* / baix* / aument* / reajust* / reduz* / diminu* / adi* / atras* / adiant* /
        anteciparam / remarc* / substitu* / atualiz* / ampli* / estend* / dobr* / renegoci* / transfer* /
        assumiu / assumi / migr* / renome* / converti / cortaram / cortou / passei a / virei / virou /
        viramos / voltei a / voltou a / ficou com
    """,
    reaches="passou / passaram / subiu / subiram / desceu / ficou em",
    ends="""
        não mais / já não / nunca mais / larguei / deixei / deixou / deixamos / vendi / vendemos / vendeu /
        cancel* / fech* / parei / parou / acab* / adeus / demit* / pedi demissão / aposent* / morreu /
        separ* / divorci* / terminamos / terminei com / abandon* / desist* / saiu / saí / chega de /
        cansei / caro demais / joguei fora / tchau / expirou / venceu / cortei
    """,
    anymore="",
    turns="""
        de novo / outra vez / consert* / arrum* / curad* / sarou / recuper* / funciona de novo / voltou /
        chegou / chegaram / entreg* / pronto / pronta / terminado / casei / casamos / casou / noiv* /
        nasceu / abriu / reabr* / aprov* / assin* / resolv* / quebr* / normal
    """,
    news="""
        novo / nova / novos / novas / comprei / compramos / adot* / reserv* / comecei / escolh* / decid* /
        contrat* / inscrevi / abri
    """,
    doubts="""
        se / talvez / quem sabe / provavelmente / poderia / seria / teria / queria / quero / queremos /
        gostaria / penso / acha / acho / espero / diz / dizem / disse / segundo / ouvi / jura / antes / era /
        eram / estava / tinha / havia / antigamente / quando criança / ano passado / ano retrasado /
        anterior / também / tampouco / além disso / um dia / oxalá / tomara / quem dera / quando / será que /
        como se / ano que vem / pensando em / planej* / ficaria
    """,
    denies="não / nunca / jamais",
    mine="eu / meu / minha / meus / minhas / me / mim / nós / nosso / nossa / nossos / nossas / a gente",
)
