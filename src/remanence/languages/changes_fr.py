"""French words of change. Data only."""

from remanence.languages.changing_shape import build_changing

FRENCH = build_changing(
    "fr",
    onward="""
        à partir de / dès maintenant / dès aujourd'hui / dorénavant / désormais / dès lundi / pour de bon /
        depuis lundi / depuis mardi / depuis mercredi / depuis jeudi / depuis vendredi / depuis samedi /
        depuis dimanche / depuis janvier / depuis février / depuis mars / depuis avril / depuis mai /
        depuis juin / depuis juillet / depuis août / depuis septembre / depuis octobre / depuis novembre /
        depuis décembre / depuis hier / depuis cette semaine / depuis ce mois
    """,
    now="maintenant",
    lately="""
        à présent / actuellement / depuis / ça y est / cette saison / cette année / ces temps-ci /
        ces jours-ci / en ce moment / enfin / finalement / plutôt / en fait / au lieu de / ce trimestre
    """,
    shifts="""
        chang* / déplac* / décal* / report* / repouss* / augment* / baiss* / diminu* / réduit / rédui* /
        doubl* / prolong* / raccourci* / remplac* / déménag* / emménag* / renomm* / mis à jour / migré /
        repris / reprend / confié / entre les mains / nouveau tarif / bascul* / transfér* / revu / révis* /
        échang* / troqu* / passé à / passés à / passée à / passe à / avanc*
    """,
    reaches="monte à / descend à / tombe à / tombe le / est devenu / est devenue / devenu / devenue",
    ends="""
        ne plus / n'est plus / n'ai plus / n'a plus / quitt* / vendu / vendue / annul* / arrêt* / abandonn* /
        fini / finie / finis / terminé avec / adieu / au revoir / fermé / supprim* / démissionn* / licenci* /
        à la retraite / en retraite / parti / partie / mort / morte / sépar* / divorc* / rompu / résili* /
        jeté / trop cher / trop chère / marre / assez de / interdit / renonc* / expir*
    """,
    anymore="plus de / plus jamais",
    turns="""
        de nouveau / à nouveau / répar* / guéri* / remarche* / refonctionn* / revenu / revenue / arrivé /
        arrivée / livr* / terminé / prêt / prête / marié / mariée / mariés / fiancé* / né / née / rouvert /
        rouverte / ouvert / réussi / échou* / cassé / cassée / en panne / signé / approuv* / résolu /
        remis / rétabli*
    """,
    news="""
        nouveau / nouvelle / nouvel / nouveaux / nouvelles / acheté / adopté / réservé / choisi / commenc* /
        décidé / engag* / embauch* / inscrit / inscrite / ouvert
    """,
    doubts="""
        si / peut-être / sans doute / probablement / pourrait / pourrions / serait / serais / aurait /
        aimerait / aimerais / voudrais / veux / veut / espère / pense / pensent / crois / croit / compte /
        prévoit / envisage / dit / disent / raconte / selon / d'après / paraît / avant / était / étaient /
        avait / faisait / autrefois / à l'époque / il y a / quand j'étais / aussi / également / non plus /
        en plus / un jour / l'an prochain / l'année prochaine / l'an dernier / l'année dernière / quand /
        comme si / dommage / rêve / blague / jure / prétend / premier chat / éventuellement / faudrait /
        lorsque / lorsqu'il / lorsqu'elle / lorsqu'on
    """,
    denies="pas / n'est / ne / jamais / non",
    mine="je / j' / moi / mon / ma / mes / me / m' / nous / notre / nos / on / j'ai / j'habite / c'est moi",
)
