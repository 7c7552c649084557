"""German word lists. Data only."""

from remanence.languages.lexicon import Lexicon, months, opposites, words

GERMAN = Lexicon(
    code="de",
    stop=words("""
        aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da
        dabei damit dann das dass daß dein deine deinem deinen deiner dem den denn der des dessen dich die
        dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es
        etwas euch euer eure für gegen hab habe haben hat hatte hatten hier hinter ich ihm ihn ihnen ihr ihre
        ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jene jetzt kann kannst können könnte
        machen man manche mein meine meinem meinen meiner mich mir mit muss musste nach nicht nichts noch nun
        nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind so solche soll sollte
        sondern sonst über um und uns unser unsere unter viel vom von vor wann war waren warst warum was weg
        weil weiter welche welcher wenn wer werde werden wie wieder will wir wird wirst wo wollen wollte würde
        würden zu zum zur zwar zwischen
    """),
    negations=words(
        "nicht nichts nie niemals kein keine keinem keinen keiner keines niemand ohne weder noch nirgends"
    ),
    weighty=words("""
        alle allem allen aller alles andere anderen bis etwas für gegen hinter jede jedem jeden jeder jedes
        kann kannst können könnte manche mehr mit muss musste nach nur ob oder ohne seit soll sollte sonst
        unter viel vor wenn wieder will wollen wollte würde würden zwischen über
    """),
    number_words=words("""
        zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig
        siebzig achtzig neunzig hundert tausend million milliarde dutzend halb zweimal dreimal erste zweite
        dritte
    """),
    months=months("""
        januar/jänner februar märz april mai juni juli august september oktober november dezember
    """),
    time_words=words("""
        gestern vorgestern heute morgen übermorgen montag dienstag mittwoch donnerstag freitag samstag
        sonnabend sonntag januar februar märz april mai juni juli august september oktober november dezember
        früh abend abends nacht wochenende woche wochen monat monate monaten jahr jahre jahren tag tage tagen
        stunde stunden minute minuten neulich kürzlich letzte letzten letztes nächste nächsten nächstes bald
        frühling sommer herbst winter geburtstag weihnachten ostern silvester
    """),
    first_person=words("ich mich mir mein meine meinem meinen meiner wir uns unser unsere unserem unseren"),
    second_person=words("du dich dir dein deine deinem deinen deiner ihr euch euer eure"),
    past=words("""
        war waren hatte hatten wurde wurden ging kam sah sagte machte fand dachte wusste blieb gab nahm kaufte
        traf fuhr schrieb las sprach habe hat haben gewesen gegangen gemacht gesagt gekommen gekauft gesehen
        getroffen gefahren geschrieben geworden
    """),
    past_endings=(),
    not_past=frozenset(),
    kin=words("""
        mutter mama vater papa eltern sohn tochter kind kinder baby bruder brüder schwester schwestern
        geschwister ehemann mann frau ehefrau partner partnerin verlobte freund freundin freunde oma opa
        großmutter großvater großeltern enkel enkelin onkel tante cousin cousine neffe nichte familie
        zwillinge nachbar nachbarin kollege kollegin chef chefin haustier hund hunde welpe katze katzen
        kätzchen kater hamster kaninchen pferd papagei
    """),
    reactions=words("""
        wow danke ja nein klar super toll cool schön genau okay ok hallo hi tschüss ach oh ah stimmt richtig
        wunderbar prima perfekt glückwunsch gerne freut gut
    """),
    offers=(
        "hier sind",
        "hier ist",
        "lass mich wissen",
        "lassen sie mich wissen",
        "gerne helfe ich",
        "ich helfe gerne",
        "ich kann dir helfen",
        "möchtest du",
        "möchten sie",
        "ich hoffe, das hilft",
        "melde dich",
    ),
    # The polite form, and nouns that are another word in small letters.
    case_bearing=words(
        "sie ihr ihnen ihre ihrem ihren ihrer morgen arm weg würde dank recht reich ernst macht leben essen paar wagen"
    ),
    abbreviations=words("ob man mit bund rat tor eis uni wut"),
    opposites=opposites("""
        an ein eingeschaltet angeschaltet | aus ausgeschaltet abgeschaltet
        auf rauf hinauf herauf aufwärts oben | ab zu runter hinunter herunter abwärts unten
        vor bevor zuvor vorher früher | nach nachdem danach nachher später
        links linke linker linken | rechts rechte rechter rechten
        innen drinnen in | außen draußen
        über | unter
        von ab seit | bis
        zu | von
        mit | ohne
        mehr | weniger
        immer stets | nie niemals
        alle alles jeder jede jedes | keiner keine keines niemand nichts
        ja | nein
        offen öffnet öffnen geöffnet aufgemacht | geschlossen schließt schließen zu zugemacht
        auf offen | zu geschlossen
        abgeschlossen verriegelt zugesperrt | aufgeschlossen entriegelt aufgesperrt
        beginnt begann begonnen anfang startet start | endet endete beendet ende stoppt
        erlaubt darf | verboten untersagt
        angenommen akzeptiert genehmigt zugestimmt | abgelehnt verweigert
        liebt mag lieben mögen | hasst hassen verabscheut
        gewinnt gewann gewonnen | verliert verlor verloren
        kauft kaufte gekauft käufer käuferin | verkauft verkaufte verkäufer verkäuferin
        leiht verleiht | borgt ausgeliehen
        gibt gab gegeben | nimmt nahm genommen bekommt bekam
        schickt sendet | erhält empfängt
        steigt stieg gestiegen | fällt fiel gefallen sinkt sank gesunken
        kommt kam | geht ging
        folgt | führt
        mieter mieterin | vermieter vermieterin
        arbeitgeber | arbeitnehmer
        richtig wahr | falsch
        gut besser beste | schlecht schlechter schlechteste
        groß größer große großer großes | klein kleiner kleine kleines
        hoch höher hohe | niedrig niedriger tief tiefer
        lang länger lange | kurz kürzer kurze
        breit | schmal
        dick | dünn
        schnell schneller | langsam langsamer
        heiß warm wärmer | kalt kälter kühl
        trocken trockene | nass nasse feucht
        hell helle | dunkel dunkle
        leicht leichte | schwer schwere
        voll volle | leer leere
        neu neue neuer jung junge jünger | alt alte alter älter
        früh | spät
        reich | arm
        stark stärker | schwach schwächer
        einfach | schwierig
        billig günstig billiger | teuer teurer
        sicher | gefährlich
        lebendig lebt | tot gestorben
        wach | schläft
        nah nahe | fern weit
        norden nördlich | süden südlich
        osten östlich | westen westlich
        vorne | hinten
        tag | nacht
        morgens | abends
        sommer | winter
        gestern | morgen
        erste erster erstes | letzte letzter letztes
        laut | leise
        sauber | schmutzig
        sichtbar | versteckt
        zusammen | getrennt
        gleich | verschieden
        mann männer | frau frauen
        mutter | vater
        bruder | schwester
        sohn | tochter
        ledig | verheiratet
        muss | kann
        freund freundin | feind feindin
    """),
    negative_prefixes=(
        "un",
        "in",
        "im",
        "ent",
        "nicht",
        "miss",
    ),
    names_by_capital=False,
)
