"""How Spanish says what is to be kept. Data only."""

from remanence.languages.signalling.phrases import Signals, classes, phrases

SPANISH = Signals(
    code="es",
    high=classes(
        standing_order="""
            a partir de ahora, a partir de hoy, a partir de mañana, de ahora en adelante, de aquí en adelante,
            de hoy en adelante, desde ahora, desde hoy, en adelante, en el futuro, en lo sucesivo, cada vez que,
            siempre que, ^nunca, ^jamás, nunca más, nunca ~ sin, por favor siempre, por favor nunca, ^siempre,
            no vuelvas a, no vuelva a, no ~ nunca, deja de, deje de, bajo ningún concepto, en ningún caso,
            sin excepción, como norma, por norma, la norma es, la regla es, hasta nuevo aviso,
            contéstame/respóndeme/escríbeme ~ siempre, usa/utiliza/pon/escribe siempre,
            no uses/utilices/pongas/escribas/toques/borres/envíes/mandes/digas,
            no ~ sin avisarme/preguntarme/preguntar/avisar/permiso, llámame, tutéame, trátame,
            quiero que siempre/nunca, antes de ~ siempre,
            mientras no diga/digamos/te diga lo contrario, hasta que diga/te diga/digamos lo contrario,
            salvo que diga/te diga/se diga lo contrario, a menos que diga/te diga/digamos lo contrario,
            salvo aviso en contrario, salvo indicación contraria, ^cada vez que yo, toma por norma,
            ten por norma, ^deja de, ^deje de
        """,
        correction="""
            no es así, eso no es, no es correcto, está mal, es incorrecto, es falso, era incorrecto,
            ^corrección, ^corrijo, me he equivocado, me equivoqué, me confundí, me he confundido,
            ^no el/la/los/las/es/mi/yo/se/eso, ^en realidad, no ~ sino, yo no dije, nunca dije, no dije,
            yo no pedí, nunca he, quise decir, quería decir, olvida lo que, rectifico, mi error, error mío,
            no es ~ es, ya no,
            te/se lo dije mal, lo dije mal, dije mal, es al revés, al revés es, lo tienes al revés,
            lo tienes mal, lo has entendido mal, te has equivocado, te equivocas, se equivoca usted,
            te has confundido, debí decir, debería haber dicho
        """,
        identity="""
            me llamo, mi/su nombre es, vivo en/con/cerca, trabajo en/como/de/para, soy el/la/un/una, soy de,
            soy médico*, soy profesor*, soy ingenier*, soy abogad*, soy enfermer*, soy estudiante,
            soy padre/madre, soy sord*, soy cieg*, soy diabétic*, soy celíac*, soy vegan*, soy vegetarian*,
            nací, tengo ~ años, tengo dos/tres/cuatro hijos/hijas, estoy casad*, estoy jubilad*,
            estoy embarazada, me mudé, me he mudado, mi cumpleaños, mi correo es, mi teléfono es,
            mi dirección es, mi número es, mi lengua materna,
            mi mujer/marido/hijo/hija/madre/padre/hermano/hermana se,
            mi mujer/marido/hijo/hija/madre/padre/hermano/hermana es, llevo ~ años,
            soy zurd*/diestr*/sord*/cieg*/daltónic*/miope,
            soy disléxic*/autista/viud*/divorciad*/jubilad*/bilingüe/hipoacúsic*, uso silla de ruedas,
            llevo audífono*
        """,
        decision="""
            hemos decidido, he decidido, decidimos, decidí, han decidido, se decidió, se ha decidido,
            hemos acordado, acordamos, quedamos en, hemos quedado en, hemos elegido, elegimos, he elegido,
            hemos optado, optamos, optado por, la decisión es/fue, nos quedamos con, me quedo con,
            vamos a ir con, está decidido, hemos escogido, nos cambiamos a,
            ya es oficial, es oficial, queda decidido, está cerrado, hemos cancelado, se cancela
        """,
        preference="""
            odio, detesto, no soporto, no aguanto, amo, adoro, me encanta, me encantan, prefiero, alérgic*,
            alergia, intolerancia, intolerante, no como, no bebo, no tomo, solo como, solo bebo,
            siempre uso/tomo/pido/quiero/prefiero/viajo, nunca uso/tomo/como/bebo/viajo, mi favorit*,
            mi ~ favorit*, me niego, me sienta mal, me sientan mal, no puedo comer/beber/tomar
        """,
        remember="""
            recuerda que, recuerda:, ^recuerda, recuerde que, ^recuérdalo, acuérdate, ten en cuenta,
            tenga en cuenta, ten presente, no olvides, no te olvides, no olvide, apunta que, apunta:, ^apunta,
            anota que, anota:, ^anota, toma nota, ^nota, que conste, para que lo sepas, para que conste,
            ^importante, es importante que, para tu información, debes saber
        """,
    ),
    orders=phrases("""
        puedes/podrías/puede/podría ~ siempre, puedes/podrías ~ a partir de ahora, puedes/podrías recordar que,
        puedes/podrías llamarme, puedes/podrías ~ nunca
    """),
    medium=classes(
        habit="""
            normalmente, por lo general, generalmente, suelo, solemos, habitualmente, casi siempre, a menudo,
            rara vez, los lunes/martes/miércoles/jueves/viernes/sábados/domingos, por las mañanas/tardes/noches,
            cada mañana/día/lunes/semana
        """,
        preference="""
            me gusta, me gustan, no me gusta, no me gustan, me gustaría más, me cae, disfruto, preferiría
        """,
        opinion="""
            en mi opinión, a mi juicio, personalmente, estoy convencid*, opino que, para mí, encuentro
        """,
        team="""
            mi/nuestro/nuestra equipo/jefe/jefa/compañero/compañera,
            mi/nuestro/nuestra compañeros/departamento/empresa/cliente/clientes/oficina,
            somos dos/tres/cuatro/cinco/seis/siete/ocho/nueve/diez
        """,
        stack="""
            mi/nuestro/nuestra proyecto/servidor/base/aplicación/código,
            mi/nuestro/nuestra repositorio/entorno/web/sitio/portátil/ordenador,
            usamos, utilizamos, desplegamos, guardamos, trabajamos con, trabajo con, uso, funciona con,
            corre en/sobre, está escrito en
        """,
    ),
    low=classes(
        view="creo que, pienso que, siento que, diría, tengo la impresión, supongo",
        impression="me parece, parece, se ve",
        shared="el equipo, del equipo, al equipo, todo el mundo, todos, compañeros, compañeras",
        hedge="""
            quizá, quizás, tal vez, a lo mejor, puede que, podría, probablemente, iría mejor, quedaría mejor,
            sería mejor, un poco
        """,
    ),
    passing=phrases("""
        todavía, aún, por ahora, de momento, esta vez, ahora mismo, solo hoy, por hoy, este archivo,
        esta función
    """),
    vetoes=phrases("""
        si yo fuera, si fuera, si fuese, si tuviera, si hubiera, si hubiéramos, si yo tuviera, supongamos,
        supón, imagina, imaginemos, pongamos que, ^traduce, cómo se dice, ^qué, ^por qué, ^cómo, ^quién, ^dónde,
        ^cuál, ^cuándo
    """),
    empty=phrases("como siempre, me encanta así, lo de siempre, me encantaría, por siempre"),
    jokes=phrases("es broma, era broma, estoy bromeando"),
)
