"""Words of time and number that are said in passing: a shorter text may leave them out. By language."""

# They name no day and count nothing that somebody would look up.
IN_PASSING: dict[str, frozenset[str]] = {
    "en": frozenset(
        """
        afternoon ago autumn couple day days decade dozen evening fifth first fourth half hour hours
        last lately minute minutes month months morning next night once recently second soon spring
        summer third today tonight twice week weekend weeks winter year years yesterday zero
    """.split()
    ),
    "de": frozenset(
        """
        abend abends bald dreimal dritte dutzend erste früh frühling gestern halb herbst heute jahr
        jahre jahren kürzlich letzte letzten letztes minute minuten monat monate monaten morgen
        nacht neulich nächste nächsten nächstes sommer stunde stunden tag tage tagen vorgestern
        winter woche wochen wochenende zweimal zweite
    """.split()
    ),
    "es": frozenset(
        """
        anoche anteayer ayer año años docena día días hace hora horas hoy invierno mañana media
        medio mes meses minuto minutos noche otoño pasada pasado primavera primera primero pronto
        próxima próximo segundo semana semanas tarde tercero verano
    """.split()
    ),
    "fr": frozenset(
        """
        an année années ans après-midi aujourd'hui automne avant-hier bientôt demi dernier dernière
        deuxième douzaine heure heures hier hiver jour jours matin minute minutes mois nuit premier
        première printemps prochain prochaine récemment semaine semaines soir troisième été
    """.split()
    ),
    "pt": frozenset(
        """
        ano anos anteontem atrás breve dia dias dúzia hoje hora horas inverno manhã meia meio meses
        minuto minutos mês noite ontem outono passada passado primavera primeira primeiro próxima
        próximo recentemente segundo semana semanas tarde terceiro verão
    """.split()
    ),
}
# A pair of things is named in passing; of days or hours it is how long something takes.
PAIRS: dict[str, frozenset[str]] = {
    "en": frozenset(
        """
        two
    """.split()
    ),
    "de": frozenset(
        """
        zwei
    """.split()
    ),
    "fr": frozenset(
        """
        deux
    """.split()
    ),
    "es": frozenset(
        """
        dos
    """.split()
    ),
    "pt": frozenset(
        """
        dois duas
    """.split()
    ),
}
# Between two numbers it says that neither is meant: "two or three".
OR: dict[str, frozenset[str]] = {
    "en": frozenset(
        """
        or
    """.split()
    ),
    "de": frozenset(
        """
        oder
    """.split()
    ),
    "fr": frozenset(
        """
        ou
    """.split()
    ),
    "es": frozenset(
        """
        o u
    """.split()
    ),
    "pt": frozenset(
        """
        ou
    """.split()
    ),
}
