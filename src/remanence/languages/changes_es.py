"""Spanish words of change. Data only."""

from remanence.languages.changing_shape import build_changing

SPANISH = build_changing(
    "es",
    onward="""
        a partir de / desde ahora / desde hoy / de ahora en adelante / mejor dicho / desde enero /
        desde febrero / desde marzo / desde abril / desde mayo / desde junio / desde julio / desde agosto /
        desde septiembre / desde octubre / desde noviembre / desde diciembre / desde el lunes
    """,
    now="ahora / hoy en día",
    lately="""
        desde la semana / ya / actualmente / en cambio / últimamente / por fin / esta temporada / este año /
        este curso / este mes / por ahora no / al final / finalmente / en realidad / desde hace poco
    """,
    shifts="""
        cambi* / hemos cambiado / han cambiado / mudé / mudado / mudamos / mudó / trasladé / trasladado /
        trasladaron / trasladó / movió / movido / movieron / aumentó / aumentaron / redujo / redujeron /
        rebaj* / revisaron / reprogram* / aplaz* / retras* / adelant* / reemplaz* / sustituy* / actualiz* /
        ampliaron / amplió / recort* / dobl* / renov* / se encarga / heredó / tomó el relevo / cedí /
        entregué / traspas* / migr* / convertí / se convirtió / pasado a / pasamos / pasé / se queda en /
        quedó en
    """,
    reaches="pasó / subió / subieron / subido / bajó / bajaron / bajado / marcó",
    ends="""
        ya no / ya nunca / dejé / he dejado / dejamos / dejó / hemos dejado / vendí / he vendido /
        vendimos / cancel* / anul* / cerré / cerraron / cerró / se acabó / adiós / terminé con / renuncié /
        despid* / echaron / jubil* / murió / separ* / divorci* / rompimos / abandon* / se fue / no más /
        harto / harta / demasiado caro / quité / quitaron / me quitaron / nos quitaron / di de baja /
        caducó / retir*
    """,
    anymore="",
    turns="""
        otra vez / de nuevo / de vuelta / arregl* / repar* / cur* / recuper* / funciona otra / llegó /
        llegaron / entreg* / terminado / listo / lista / casé / casamos / casado / casada / nació / abrió /
        reabr* / aprob* / firm* / resuelto / resolv* / estrope* / averi* / roto / rota / sanó
    """,
    news="""
        nuevo / nueva / nuevos / nuevas / compré / hemos comprado / he comprado / compramos / he abierto /
        abrí / reservé / empecé / elegimos / elegí / decid* / contrat* / fichamos / me apunté / estrené /
        estren*
    """,
    doubts="""
        si / quizá / quizás / tal vez / ojalá / acaso / podría / podríamos / sería / habría / querría /
        quiero / queremos / gustaría / pienso / piensa / pensamos / creo / cree / espero / planeo /
        planeamos / dice / dicen / dijo / según / cuenta / oí / jura / asegura / antes / era / eran /
        antiguamente / de niño / de niña / de joven / el año pasado / al principio / también / tampoco /
        además / incluso / algún día / a lo mejor / puede que / cuando / a este paso / si acaso / como si /
        el curso que viene / el año que viene / soñar
    """,
    denies="no / nunca / jamás / tampoco",
    mine="""
        yo / mi / mis / me / mí / nos / nuestro / nuestra / nuestros / nuestras / soy / tengo / vivo / estoy
    """,
)
