"""What German sentences do, by phrases. Data only."""

from remanence.languages.assertions import Assertions, phrases
from remanence.languages.lexicon import words

GERMAN_ASSERTIONS = Assertions(
    code="de",
    vetoes=phrases(
        asks="""
            ^was, ^wann, ^wo, ^wer, ^wem, ^wen, ^wessen, ^warum, ^wieso, ^weshalb, ^welche*, ^wie, ^woher,
            ^wohin, ^ist, ^sind, ^ob
        """,
        inverts="""
            ^hast du, ^haben sie, ^kannst du, ^können sie, ^könntest du, ^könnten sie, ^weißt du, ^wissen sie,
            ^soll ich, ^sollen wir, ^darf ich, ^bist du, ^willst du, ^möchtest du, ^gibt es, ^wie geht, ^was ist,
            ^kann ich
        """,
        requests="""
            ^schreib, ^schreibe, ^gib mir, ^zeig*, ^sag mir, ^hilf, ^erklär*, ^such, ^suche, ^finde, ^mach,
            ^erstell*, ^übersetz*, ^fass, ^fasse, ^druck*, ^lies, ^prüf*, ^berechne, ^vergleich*, ^liste, ^nenn*,
            ^korrigier*, ^schick*, ^öffne, ^schließ*, ^lösch*, ^starte, ^stopp*, ^warte, ^schau, ^guck,
            ^lass uns, ^lass mich, ^bitte schreib, ^bitte gib, ^bitte zeig, ^bitte such, ^bitte mach,
            ^bitte hilf, ^bitte erstell*, ich bräuchte, ich brauche eine liste, ich brauche die liste,
            ich brauche hilfe, ich hätte gern, ich suche gerade, kannst du mir, könntest du mir, ^erinner* mich,
            ^viel spaß, ^viel glück, ^frag mich, ^frage mich, ^rechne, ^sortier*, ^formulier*, ^schlag mir, ^stell mir,
            ^denk dir, ^bring mir, ^kürz*, ^erfinde, ^ergänz*
        """,
        supposes="""
            ^wenn, ^falls, ^angenommen, ^sofern, ^hätte ich, ^hätten wir, ^wäre ich, ^stell dir vor, hätte ich,
            wäre ich, würde ich, ^gesetzt den fall
        """,
        wishes="""
            ich wünschte, ^hoffentlich, ich hoffe, wir hoffen, wäre schön, wäre toll, ^vielleicht sollte ich,
            jemand sollte, man müsste, man sollte mal
        """,
        plays="""
            war ein witz, war ein scherz, nur spaß, war nur spaß, in meiner geschichte, in meinem roman,
            es war einmal
        """,
        passing="""
            vielen dank, danke dir, danke für, bis später, bis gleich, bis morgen dann, bin gleich zurück,
            muss los, guten morgen, guten abend, gute nacht, guten tag, tut mir leid, herzlichen glückwunsch,
            mal sehen, keine ahnung, ich überlege, der war gut, was für ein, ich weiß nicht
        """,
        errors="traceback, error:, exception:, fehler:, fehlgeschlagen, warnung:",
    ),
    categories=phrases(
        correction="""
            das stimmt nicht, stimmt nicht, das ist falsch, ist falsch, ^korrektur, ich habe mich geirrt,
            ich meinte, mein fehler, ^nein es ist, ^nein der, ^nein die, ^nein das, nicht mehr,
            ich hatte mich vertan, hab mich vertan, ^eigentlich ist, verwechselt
        """,
        decision="""
            beschlossen, entschieden, entscheidung, wir nehmen, wir bleiben bei, ab sofort, ab jetzt, von nun an,
            in zukunft, wir haben uns geeinigt, geeinigt auf, wir haben gewählt, wir wechseln, festgelegt,
            künftig, wir steigen um
        """,
        commitment="""
            versprochen, ich verspreche, ich kümmere mich, ich übernehme, ich mache das, mache ich, erledige ich,
            ich erledige, ich liefere, ich schicke, ich bringe, ich werde, ich sorge dafür, muss ich, ich muss,
            ist fällig, frist, termin, zugesagt, ich sage zu, ich verpflichte
        """,
        principle="""
            grundsätzlich, prinzipiell, regel, immer, niemals, nie, muss, müssen, darf nicht, dürfen nicht,
            darf nie, verboten, pflicht, ausnahmslos, auf keinen fall, gilt bei uns, nur noch, vorschrift
        """,
        preference="""
            ich mag, ich bevorzuge, lieber, am liebsten, ich liebe, ich hasse, ich esse kein, ich esse keine,
            ich trinke kein, ich trinke keinen, ich will, ich möchte, wir mögen, gefällt mir, gefallen mir,
            schmeckt mir, lieblings*, vegan, vegetarisch, vegetarier, vegetarierin, veganer, veganerin,
            kann ich nicht ausstehen, nicht leiden, bitte duz*, bitte siez*, nenn mich, bitte immer, bevorzugt,
            hätte lieber, stehe auf
        """,
        moment="""
            gestorben, verstorben, geboren, geheiratet, verlobt, getrennt, umgezogen, bestanden, gewonnen,
            verloren, gekündigt, befördert, verteidigt, abgeschlossen, gestern, vorgestern, letzte woche,
            letzten monat, letztes jahr, begonnen, angefangen
        """,
        relationship="""
            meine frau, mein mann, meine schwester, mein bruder, meine mutter, mein vater, meine tochter,
            mein sohn, meine freundin, mein freund, meine chefin, mein chef, meine kollegin, mein kollege,
            mein partner, meine partnerin, meine oma, mein opa, meine tante, mein onkel, mein nachbar,
            meine nachbarin, mein vermieter, mein arzt, meine ärztin, meine kinder, meine eltern, verheiratet,
            leitet, wohnt mit, wohne mit, lebe mit, zusammen mit, berichtet an
        """,
        skill="""
            ich kann, ich spreche, ich spiele, ich beherrsche, kenne mich, fließend, ich lerne, gelernt,
            habe ich keine ahnung, ausgebildet, führerschein, ich programmiere, spricht, beherrscht,
            ich weiß wie
        """,
        entity="""
            heißt, heißen, nennt sich, unser server, unsere firma, wir haben zwei, wir haben drei,
            wir haben einen, wir haben eine, läuft auf, liegt in, sitzt in, namens, unser kunde, unser lieferant,
            gehört uns
        """,
    ),
    weights=phrases(
        rules="^immer, ^nie, ^niemals, ^grundsätzlich, verboten, pflicht",
        state="""
            ich bin, ich habe, ich wohne, ich arbeite, ich lebe, ich studiere, ich komme aus, ich fahre,
            ich benutze, ich nutze, ich war, ich esse, ich trinke, ich nehme, ich leide, mein name ist,
            meine adresse, mein geburtstag, allergi*, unverträglich*, schwanger, wir sind, wir haben, wir wohnen,
            wir arbeiten, wir nutzen, jahre alt, seit, bin ich, habe ich, ich verdiene, ich heiße, ich wiege
        """,
        held="""
            ist am, ist im, ist in, sind im, steht in, liegt, kostet, beginnt, endet, öffnet, schließt,
            findet statt, arbeitet, wohnt, gehört, kommt am, hat einen, hat eine, hat zwei, ist die, ist der,
            ist das, ist um, gilt
        """,
        hedges="""
            vielleicht, möglicherweise, eventuell, wahrscheinlich, vermutlich, wohl, ich glaube, ich denke,
            ich meine, irgendwie, ich vermute, nicht sicher, weiß nicht genau, könnte sein, anscheinend,
            scheinbar, ungefähr, kann sein
        """,
        opinions="""
            ^das ist, ^das klingt, ^klingt, ^du, ^ihr, ^ich finde, ^ich glaube, ^man, ^es ist so, die leute,
            jeder
        """,
        confirms="""
            ^erstellt, ^gebucht, ^bestätigt, ^reserviert, ^termin, ^gespeichert, ^verschoben, ^storniert,
            ist gebucht, wurde gebucht
        """,
        pledges="""
            ich schicke, ich werde dir, ich erinnere, ich erledige, ich kümmere mich, ich verspreche, ich buche,
            ich schreibe dir
        """,
    ),
    importance=phrases(
        critical="""
            allergi*, lebensgefähr*, tödlich, gefährlich, gefahr, notfall, herzschrittmacher, epilep*, diabet*,
            insulin, unbedingt, auf keinen fall, überdosis, giftig, vergiftet, sehr wichtig, extrem wichtig,
            blutgruppe, niemals darf, darf niemals, darf nie, sterben, kritisch, lebenswichtig
        """,
        high="""
            entschieden, beschlossen, entscheidung, versprochen, verspreche, frist, fällig, termin, muss, müssen,
            immer, nie, niemals, wichtig, bevorzuge, lieber, am liebsten, hasse, liebe, lieblings*, ab sofort,
            von nun an, ich heiße, mein name, geburtstag, vegan, vegetarier, vegetarierin, ich will, ich mag,
            nicht ausstehen, ich übernehme, wir nehmen, merk dir, vergiss nicht, bis freitag, bis montag,
            bis mittwoch, bis donnerstag, bis dienstag
        """,
    ),
    kinds=phrases(
        episode="""
            gestern, vorgestern, heute, heute morgen, letzte woche, letzten monat, letztes jahr, neulich,
            kürzlich, am montag, am dienstag, am mittwoch, am donnerstag, am freitag, am samstag, am sonntag,
            eben, vorhin, vor kurzem
        """,
        happened="""
            passiert, geschehen, gesagt, gemeldet, fertig, gescheitert, bestanden, verloren, gewonnen, gestorben,
            behoben, verteidigt
        """,
        note="""
            immer, nie, niemals, muss, müssen, soll, sollen, regel, ziel, grundsätzlich, jeden, jede, lieber,
            bevorzug*
        """,
    ),
    mute=words("""
        hallo hi hey moin servus tag guten morgen abend nacht danke dank vielen bitte okay ok klar alles ja nein
        doch genau stimmt super toll prima perfekt cool schön wunderbar gut sehr gerne gern na puh ach oh ah hm
        ha haha lol tschüss ciao bis später bald gleich dann mal eben halt ebenso auch dir dich euch allen
        zusammen verstanden verstehe ach so sorry entschuldigung glückwunsch quatsch spaß witz krass echt
        wirklich ehrlich heute tage
    """),
    possessives=words("mein meine meinem meinen meiner unser unsere unserem unseren unserer"),
    copulas=words("""
        ist sind war waren hat haben hatte hatten wird werden kann können muss müssen soll darf heißt kommt
        wohnt lebt arbeitet läuft liegt steht kostet beginnt endet mag liebt hasst spricht spielt leitet gehört
        braucht nutzt
    """),
)
