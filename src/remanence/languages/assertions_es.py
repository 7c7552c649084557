"""What Spanish sentences do, by phrases. Data only."""

from remanence.languages.assertions import Assertions, phrases
from remanence.languages.lexicon import words

SPANISH_ASSERTIONS = Assertions(
    code="es",
    vetoes=phrases(
        asks="""
            ^qué, ^cuándo, ^dónde, ^quién, ^quiénes, ^por qué, ^cuál, ^cuáles, ^cómo, ^cuánto, ^cuánta, ^cuántos,
            ^cuántas
        """,
        inverts="""
            ^me puedes, ^puedes, ^podrías, ^sabes, ^me recomiendas, ^hay alguna, ^puedo, ^tienes, ^quieres,
            ^qué tal
        """,
        requests="""
            ^escribe, ^escríbeme, ^hazme, ^haz, ^dame, ^dime, ^muéstrame, ^enséñame, ^ayúdame, ^explícame,
            ^explica, ^busca, ^búscame, ^traduce, ^resume, ^resúmeme, ^imprime, ^crea, ^genera, ^corrige,
            ^revisa, ^compara, ^calcula, ^envía, ^envíame, ^mándame, ^abre, ^cierra, ^borra, ^pon, ^ponme,
            ^espera, ^mira, ^léeme, ^cuéntame, ^recuérdame, ^compárame, ^tradúceme, ^prepárame, ^pásame,
            ^recomiéndame, ^sugiéreme, ^proponme, ^corrígeme, ^revísame, ^calcúlame, ^ordéname, ^inventa,
            ^invéntame, ^pregúntame, ^añade, ^convierte, ^por favor escribe, ^por favor haz,
            necesito una lista, necesito la lista, necesito ayuda, necesito que me, necesitaría,
            me gustaría una lista, quisiera una, quiero una lista, busco una, ^vamos a ver, ^buena suerte
        """,
        supposes="^si, ^supón, ^supongamos, ^imagina, ^imagínate, ^en caso de, hubiera, habría, ^suponiendo",
        wishes="""
            ^ojalá, ^espero que, ^esperemos, sería genial, sería bonito, me encantaría que, ^a ver si,
            alguien debería, ^quizá debería
        """,
        plays="era broma, es broma, estaba bromeando, en mi cuento, en mi novela, érase una vez",
        passing="""
            muchas gracias, gracias por, hasta luego, hasta mañana, hasta pronto, buenos días, buenas tardes,
            buenas noches, me voy, ahora vuelvo, lo siento, felicidades, no sé, ni idea, qué va, eres un sol,
            estoy en la parada, déjame pensar, de nada, nos vemos
        """,
        errors="traceback, error:, excepción:, falló, advertencia:",
    ),
    categories=phrases(
        correction="""
            me equivoqué, me he equivocado, ^corrección, eso no es correcto, no es correcto, está mal,
            quise decir, quería decir, ^no es, ^no el, ^no la, ya no, en realidad es, ^perdón es, me confundí
        """,
        decision="""
            decidido, decidimos, decidí, decidió, decisión, hemos acordado, acordamos, elegimos, elegí,
            nos quedamos con, optamos, hemos elegido, a partir de ahora, a partir de hoy, de ahora en adelante,
            desde ahora, vamos con, vamos a usar, usaremos, cambiamos a, pasamos a usar
        """,
        commitment="""
            me comprometo, prometo, prometí, te prometo, me encargo, me ocupo, yo me encargo, entregaré, enviaré,
            mandaré, terminaré, haré, llevaré, llamaré, voy a, vamos a, tengo que, tenemos que, vence, plazo,
            fecha límite, tengo cita, traeré, quedé en
        """,
        principle="""
            siempre, nunca, jamás, debe, deben, hay que, la regla, nuestra regla, por norma, norma, obligatorio,
            prohibido, bajo ningún concepto, no se puede, no se debe, por principio, sin excepción, solo se
        """,
        preference="""
            prefiero, preferimos, prefiere, me gusta, me gustan, no me gusta, no me gustan, me encanta,
            me encantan, odio, detesto, no soporto, no como, no bebo, favorito, favorita, favoritos, favoritas,
            quiero que, quiero siempre, me apasiona, vegano, vegana, vegetariano, vegetariana, llámame,
            nos gusta, nos encanta, le gusta, le encanta
        """,
        moment="""
            murió, falleció, nació, me casé, nos casamos, se casó, me gradué, aprobé, gané, ganamos, perdí,
            perdimos, me mudé, nos mudamos, dejé, me despidieron, ayer, anoche, la semana pasada, el mes pasado,
            el año pasado, empecé, empezamos, terminé, compré, compramos, viajé, conocí, fui, fuimos
        """,
        relationship="""
            mi hermano, mi hermana, mi madre, mi padre, mi hijo, mi hija, mi marido, mi mujer, mi esposo,
            mi esposa, mi novio, mi novia, mi pareja, mi jefe, mi jefa, mi amigo, mi amiga, mi primo, mi prima,
            mi tío, mi tía, mi abuelo, mi abuela, mi vecino, mi vecina, mi casero, mi médico, mi compañera,
            mi compañero, mis hijos, mis padres, compartimos piso, vivo con, casado con, casada con, trabaja con,
            trabaja para, dirige, a cargo de
        """,
        skill="""
            sé programar, sé hablar, sé tocar, sé cocinar, sé nadar, hablo, toco, domino, se me da bien,
            se me da mal, no sé nadar, no sé conducir, estoy aprendiendo, aprendí a, habla, licencia de,
            carné de, experto en, experta en, años de experiencia
        """,
        entity="""
            se llama, se llaman, es nuestro, es nuestra, tenemos dos, tenemos tres, tenemos un, tenemos una,
            tengo un perro, tengo un gato, proveedor, está en, se encuentra en, corre en, vive en, llamado,
            llamada
        """,
    ),
    weights=phrases(
        rules="^siempre, ^nunca, ^jamás, prohibido, obligatorio",
        state="""
            ^soy, yo soy, ^estoy, ^tengo, ^vivo, ^trabajo, ^estudio, ^uso, ^llevo, ^gano, ^nací, ^como, ^bebo,
            ^tomo, mi nombre es, me llamo, mi cumpleaños, mi dirección, mi teléfono, alérgic*, celíac*,
            diabétic*, embarazada, intoleran*, somos, tenemos, vivimos, trabajamos, usamos, desde, años, yo, mi,
            mis, nuestro, nuestra
        """,
        held="""
            es el, es la, es a, son, está, están, cuesta, empieza, termina, abre, cierra, trabaja, vive,
            pertenece, tiene, viene, queda, se encuentra, es de
        """,
        hedges="""
            quizá, quizás, tal vez, a lo mejor, puede que, posiblemente, probablemente, creo, creo que, supongo,
            me parece, no estoy seguro, no estoy segura, más o menos, al parecer, igual
        """,
        opinions="^eso, ^esto es, ^qué, ^tú, ^eres, la gente, todo el mundo, ^creo que, ^suena, ^la vida",
        confirms="""
            ^creado, ^creada, ^reservado, ^reservada, ^confirmado, ^confirmada, ^programado, ^guardado,
            ^cancelado, ^enviado, está reservado, está confirmado
        """,
        pledges="te enviaré, te mandaré, te recordaré, me encargo, prometo, lo tendré, escribiré, reservaré",
    ),
    importance=phrases(
        critical="""
            alérgic*, alergia, anafil*, peligro*, mortal, puede matar, emergencia, marcapasos, epilep*, diabét*,
            insulina, muy importante, esencial, crítico, crítica, vital, veneno*, sobredosis,
            bajo ningún concepto, grupo sanguíneo, nunca le des, nunca le deis, jamás
        """,
        high="""
            decidido, decidimos, decisión, prometo, prometí, me comprometo, plazo, vence, cita, siempre, nunca,
            debe, importante, prefiero, odio, me encanta, detesto, no soporto, me gusta, favorito, favorita,
            a partir de ahora, me llamo, mi cumpleaños, vegano, vegana, vegetariano, vegetariana, quiero que,
            recuerda, no olvides, entregaré, elegimos, celíac*
        """,
    ),
    kinds=phrases(
        episode="""
            ayer, anteayer, hoy, anoche, la semana pasada, el mes pasado, el año pasado, hace poco,
            recientemente, el lunes, el martes, el miércoles, el jueves, el viernes, el sábado, el domingo,
            esta mañana, esta tarde
        """,
        happened="""
            dijo, pasó, ocurrió, informó, terminó, falló, ganó, perdió, murió, aprobé, aprobó, fui, fuimos,
            desplegado
        """,
        note="""
            siempre, nunca, debe, deben, prefier*, quier*, necesit*, objetivo, política, norma, regla, cada,
            los lunes, los martes, los viernes, los domingos
        """,
    ),
    mute=words("""
        hola buenas buenos días tardes noches gracias muchas vale ok okay sí no claro perfecto genial bien bueno
        muy estupendo guay jaja jajaja jajajaja adiós hasta luego mañana pronto entendido de acuerdo perdón lo
        siento felicidades qué va ya ah oh uf ay venga nada todo todos eres un sol por favor igualmente exacto
        cierto
    """),
    possessives=words("mi mis nuestro nuestra nuestros nuestras"),
    copulas=words("""
        es son era eran está están estaba tiene tienen tenía hay fue fueron será puede debe vive trabaja cuesta
        empieza termina cierra abre viene quiere prefiere habla toca dirige usa necesita queda llama
    """),
)
