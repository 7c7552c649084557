"""Spanish word lists. Data only."""

from remanence.languages.lexicon import Lexicon, months, opposites, words

SPANISH = Lexicon(
    code="es",
    stop=words("""
        a al algo algunas algunos ante antes aquel aquella aquí así aunque cada como cómo con contra cual cuál
        cuando cuándo de del desde donde dónde durante e el él ella ellas ellos en entre era eran eres es esa
        esas ese eso esos esta está están estaba estado estamos estar estas este esto estos estoy fue fueron
        fui ha había han has hasta hay he hemos la las le les lo los más me mi mí mis mientras muy nada ni no
        nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque pues que qué quien
        quién se ser será si sí sido sin sobre sois somos son soy su sus también tan tanto te tengo ti tiene
        tienen todo todos tu tú tus un una unas uno unos usted ustedes va vamos voy y ya yo
    """),
    negations=words("no nunca jamás nada nadie ningún ninguna ninguno ni tampoco sin"),
    weighty=words("""
        algo algunas algunos ante antes aunque cada con contra desde hasta mientras más nada ni no nunca o
        otra otras otro otros poco si sin sobre sí tanto todo todos u
    """),
    number_words=words("""
        dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte treinta
        cuarenta cincuenta sesenta setenta ochenta noventa cien ciento mil millón docena medio media primero
        primera segundo tercero
    """),
    months=months("""
        enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre
    """),
    time_words=words("""
        ayer anteayer hoy mañana anoche lunes martes miércoles jueves viernes sábado domingo enero febrero
        marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre tarde noche semana semanas
        mes meses año años día días hora horas minuto minutos hace pasado pasada próximo próxima pronto
        primavera verano otoño invierno cumpleaños aniversario navidad
    """),
    first_person=words(
        "yo me mí mi mis mío mía conmigo nosotros nosotras nos nuestro nuestra nuestros nuestras"
    ),
    second_person=words("tú tu tus te ti contigo tuyo tuya usted ustedes vos vosotros os"),
    past=words("""
        fue fueron fui era eran estaba estuve estuvo había hice hizo tuve tuvo dije dijo vi vio di dio fuimos
        hicimos compré compró conocí conoció llegué llegó empecé empezó quise quiso pude pudo supe supo vino
        vine ido hecho dicho visto sido estado
    """),
    past_endings=("aron", "ieron", "amos", "imos"),
    not_past=words("vamos estamos somos"),
    kin=words("""
        madre mamá padre papá padres hijo hija hijos hijas niño niña niños bebé hermano hermana hermanos
        esposo esposa marido mujer pareja novio novia prometido prometida abuelo abuela abuelos nieto nieta
        tío tía primo prima sobrino sobrina familia gemelos amigo amiga amigos vecino vecina colega jefe jefa
        mascota perro perra perros cachorro gato gata gatos gatito hámster conejo loro caballo
    """),
    reactions=words("""
        guau gracias sí no claro vale genial qué bueno bien estupendo perfecto exacto hola adiós oh ah jaja
        felicidades enhorabuena increíble cierto
    """),
    offers=(
        "aquí tienes",
        "aquí están",
        "aquí está",
        "avísame",
        "no dudes en",
        "puedo ayudarte",
        "te gustaría",
        "quieres que",
        "espero que esto",
        "si necesitas",
    ),
    case_bearing=words("español paz luz sol dolores mercedes pilar rosa blanca ángel león"),
    abbreviations=words("ave once ser pan pie sin une van sur renta cesar dado"),
    opposites=opposites("""
        enciende encendido encendida prende | apaga apagado apagada
        sube subió subir arriba subido | baja bajó bajar abajo bajado
        antes | después luego
        primero primera | último última
        izquierda izquierdo | derecha derecho
        dentro adentro | fuera afuera
        encima sobre | debajo bajo
        desde | hasta
        con | sin
        más mayor | menos menor
        siempre | nunca jamás
        todos todas todo alguien algo | nadie ninguno ninguna nada
        sí también | no tampoco
        abre abrió abierto abierta abrir abren | cierra cerró cerrado cerrada cerrar cierran
        empieza empezó comienza comenzó inicio | termina terminó acaba acabó fin
        permite permitido permitida | prohíbe prohibido prohibida
        acepta aceptó aceptado aprobó aprobado | rechaza rechazó rechazado
        ama gusta adora | odia detesta
        gana ganó | pierde perdió
        compra compró comprador compradora | vende vendió vendedor vendedora
        presta prestó | pide pidió
        da dio envía envió | recibe recibió toma tomó
        enseña enseñó | aprende aprendió
        aumenta aumentó crece creció | disminuye disminuyó reduce
        llega llegó entra entró viene vino | sale salió va fue
        sigue siguió | precede precedió
        verdadero cierto correcto | falso incorrecto
        bueno buena buen bien mejor | malo mala mal peor
        grande | pequeño pequeña
        alto alta | bajo baja
        largo larga | corto corta
        ancho ancha | estrecho estrecha
        rápido rápida | lento lenta
        caliente cálido | frío fría
        seco seca | mojado mojada húmedo húmeda
        claro clara | oscuro oscura
        ligero ligera | pesado pesada
        lleno llena | vacío vacía
        nuevo nueva joven | viejo vieja
        temprano | tarde
        rico rica | pobre
        fuerte | débil
        fácil | difícil
        barato barata | caro cara
        seguro segura | peligroso peligrosa
        vivo viva | muerto muerta
        despierto despierta | dormido dormida
        cerca | lejos
        norte | sur
        este | oeste
        delante | detrás
        día | noche
        verano | invierno
        ayer | mañana
        hombre | mujer
        madre | padre
        hermano | hermana
        hijo | hija
        soltero soltera | casado casada
        público pública | privado privada
        limpio limpia | sucio sucia
        juntos juntas | separados separadas
    """),
    negative_prefixes=(
        "des",
        "in",
        "im",
        "ir",
        "i",
        "anti",
    ),
)
