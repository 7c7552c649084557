"""German words of telling. Data only."""

from remanence.languages.lexicon import words
from remanence.languages.telling.told import Telling, groups, phrases

GERMAN = Telling(
    code="de",
    attributes=groups("""
        be: ist sind bin beträgt
        have: hat habe haben
        live: wohne wohnt lebe lebt wohnen
        work: arbeite arbeitet
        call: heißt heiße
        start: beginnt öffnet startet
        end: endet schließt
        leave: fährt
        cost: kostet kosten
        keep: steht liegt hängt befindet
        run: läuft
        meet: trifft
        weigh: wiegt
        use: nutzen nutze verwenden
        play: spielt spiele
        take: nimmt nehme
        need: braucht brauche müssen
        lead: leitet
    """),
    others=words("""
        kommt gibt macht mache bringt dauert gilt gehört bekommt verdient verdiene bezahlt zahlt zahle bezahle fahre
        unterrichtet unterrichte lernt lerne studiert studiere spreche spricht schläft schlafe isst esse trinkt
        trinke liefert enthält misst sendet speichert verlangt verkauft kauft zeigt passt fasst trainiert trainiere
        kocht koche erscheint erreicht parkt parke sitzt singt betreut betreue gehe geht führt
    """),
    changes=words("geändert verschoben verlegt gewechselt umgestellt erhöht gesenkt"),
    into=words("auf nach zu in"),
    updates=phrases("""
        ab sofort / von jetzt an / ab jetzt / ab heute / ab morgen / seit heute / seit gestern / jetzt / nun /
        inzwischen / mittlerweile / neuerdings / nunmehr / wieder / stattdessen / eigentlich
    """),
    doubts=phrases("""
        wenn / falls / ob / angenommen / vielleicht / wohl / möglicherweise / eventuell / könnte / könnten / würde /
        würden / wäre / wären / hätte / hätten / sollte / sollten / müsste / dürfte / will / wollen / möchte /
        möchten / plane / planen / überlege / überlegen / hoffe / hoffentlich / glaube / glaubt / denke / denkt /
        meint / meinte / sagt / sagte / behauptet / laut / angeblich / gehört / früher / damals / war / waren /
        hatte / hatten / wurde / vorher / letztes / letzte / letzten / einst / vor / auch / außerdem / ebenfalls /
        noch / zusätzlich / dazu / weitere / manchmal / meistens / nicht / nie / niemals / kein / keine / keinen /
        ohne / außer / nur / heute / diese woche / heute abend / gerade / vorübergehend / fast / etwa / ungefähr /
        wird / werden / oder / aber / weil / erst / bloß / doch / ja / wer / was / wie / wo
    """),
    openers=phrases("""
        wie du weißt / wie gesagt / übrigens / zur info / gute nachricht
    """),
    labels=words("hinweis info notiz update erinnerung korrektur status neu"),
    offices=words("""
        chef chefin leiter leiterin direktor direktorin vermieter vermieterin kapitän bootsführer lieferant trainer
        trainerin ansprechpartner ansprechpartnerin projektleitung passwort code nummer adresse telefonnummer
        geburtstag hauptstadt zahnarzt zahnärztin hausarzt vorsitzender vorsitzende sprechstunde
    """),
    any_value=words("passwort code lieblingsfarbe lieblingsessen lieblingsbuch lieblingsband"),
    favourites=frozenset(),
    liked=frozenset(),
    definite=words("der die das unser unsere mein meine"),
    bounds=words("über unter ab oberhalb unterhalb"),
    articles=words("der die das den dem des ein eine einen einem einer unser unsere unserem unseren"),
    prepositions=words(
        "in im an am auf bei beim um zu zum zur für mit von vom aus hinter unter über neben nach als"
    ),
    i=words("ich"),
    my=words("mein meine meinem meinen meiner"),
    nobody=words("es er sie das dies diese dieser man da hier ihr sein seine was wer alles wir"),
    own=words("bin"),
    moving=r"(?:^|\s)(?:ich )?bin\s.{0,80}\bnach ([A-ZÄÖÜ]\S{1,40}) (?:um)?gezogen$",
    weekdays=words("montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag"),
    every_weekday=words("montags dienstags mittwochs donnerstags freitags samstags sonntags"),
    numbers=words("""
        eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn zwanzig dreißig
        vierzig fünfzig sechzig hundert tausend halb viertel uhr ersten zweiten dritten vierten januar februar märz
        april mai juni juli august september oktober november dezember
        mittag mittags mitternacht
    """),
    colours=words("rot grün blau gelb orange lila rosa schwarz weiß grau braun türkis beige"),
)
