"""Spanish words of telling. Data only."""

from remanence.languages.lexicon import words
from remanence.languages.telling.told import Telling, groups, phrases

SPANISH = Telling(
    code="es",
    attributes=groups("""
        be: es soy está están estoy somos
        have: tiene tengo tienen
        live: vivo vive vivimos
        work: trabajo trabaja
        call: llama llamo
        start: empieza empiezo comienza abre
        end: termina acaba cierra
        cost: cuesta cuestan
        run: pasa funciona
        use: uso usamos
        play: toco toca
        lead: dirige lleva
    """),
    others=words("""
        viene dura paga pago vende ofrece cubre sirve enseña enseño estudia estudio lee habla hablo camina guarda
        envía recibe trae compra gestiona pertenece depende cabe entrena entreno duerme duermo gana gano mide marca
        cobra necesita reparte emite llega publica bebe bebo conduce conduzco queda caben pesa
    """),
    changes=words("cambió cambiado pasó pasado movió movido subió subido bajó"),
    into=words("a al para"),
    updates=phrases("""
        a partir de ahora / a partir de hoy / desde ahora / desde hoy / de ahora en adelante / ahora / ya /
        actualmente / hoy en día / de nuevo / otra vez / en cambio
    """),
    doubts=phrases("""
        si / quizá / quizás / tal vez / ojalá / acaso / podría / podríamos / sería / habría / querría / quiero /
        queremos / gustaría / pienso / piensa / creo / cree / espero / planeo / dice / dicen / dijo / según / cuenta
        / oí / antes / era / eran / fue / estaba / tenía / había / hace / antiguamente / pasado / pasada / también /
        tampoco / además / otro / otra / incluso / no / nunca / jamás / sin / salvo / solo / sólo / hoy /
        esta semana / esta noche / mañana / por ahora / casi / unos / aún / todavía / o / pero / porque / cuando /
        que / quien / donde / como / qué / a este paso
    """),
    openers=phrases("""
        como sabes / por cierto / para que conste / buenas noticias
    """),
    labels=words("nota aviso recordatorio actualización corrección estado"),
    offices=words("""
        jefe jefa director directora gerente capitán casero casera responsable entrenador entrenadora alcalde
        alcaldesa contraseña código clave número dirección cumpleaños color dentista proveedor presidente presidenta
        turno
    """),
    any_value=words("contraseña código clave"),
    favourites=words("favorito favorita preferido preferida"),
    liked=words("""
        color comida libro película canción grupo cantante juego deporte equipo animal postre plato bebida
    """),
    definite=words("el la nuestro nuestra mi"),
    bounds=words("sobre bajo superiores"),
    articles=words("el la los las un una nuestro nuestra este esta lo se me"),
    prepositions=words("en a al de del por para con desde bajo sobre tras"),
    i=words("yo"),
    my=words("mi mis"),
    nobody=words("eso esto ello él ella ellos ellas hay aquí allí te nos"),
    own=words(
        """
        soy vivo trabajo empiezo llamo uso toco tengo estoy pago enseño estudio hablo entreno duermo gano bebo conduzco
    """
    ),
    moving=r"(?:^|\s)(?:ya )?me (?:he mudado|mudé) (?:a|para) ([A-ZÁÉÍÓÚÑ]\S{1,40})$",
    weekdays=words("lunes martes miércoles jueves viernes sábado domingo"),
    every_weekday=words("sábados domingos"),
    numbers=words("""
        dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte treinta cuarenta
        cincuenta cien mil media primero segundo tercero primer tercer primera segunda tercera cuarta quinta enero
        febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
        mediodía medianoche
    """),
    colours=words(
        "rojo roja verde azul amarillo amarilla naranja negro negra blanco blanca gris marrón rosa morado"
    ),
)
