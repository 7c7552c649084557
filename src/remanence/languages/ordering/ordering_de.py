"""German words of orders to a machine. Data only."""

from remanence.languages.ordering.kinds_of_evidence import OrderEvidence, Ordering

GERMAN = Ordering(
    code="de",
    your="dein, deine, deinen, deinem, deiner, deines, ihre, ihren, ihrer, eure, euren",
    leads="""
        und, dann, bitte, auch, immer, nie, niemals, jetzt, nun, zuerst, aber, oder, stattdessen, sofort, heimlich,
        stets, nur, danach, anschließend, so, ab
    """,
    speech="""
        sagt, sagen, sagte, schreibt, schreiben, schrieb, steht, liest, lautet, heißt, fragt, zitiert, wie, satz,
        wort, wörter, zeile, spruch, befiehlt, befahl, antwortet, genannt, text, aufschrift, titel, nennt, schrift,
        mit, den, der, das
    """,
    phrases={
        OrderEvidence.MACHINE: """
            ki, kis, sprachmodell(|e|en|s), ki (assistent|assistentin|modell|system|agent)(|en|e|s), chatbot(|s),
            sprachassistent(|en), künstliche intelligenz(|en),
            automatische(|r|n) (leser|assistent|assistenten|agent|agenten|systeme|system),
            automatisierte(|r|n) (leser|assistent|assistenten|agent|agenten|systeme),
            digitale(|r|n) (assistent|assistenten|helfer), virtuelle(|r|n) (assistent|assistenten|helfer), llm, llms,
            gpt, chatgpt, maschine gelesen, maschinelle(|r|n) leser, maschinenleser, lesende maschine,
            softwareagent(|en), webcrawler
        """,
        OrderEvidence.HELPER: """
            assistent, assistenten, assistentin, agent, agenten, modell, modelle, bot, bots, roboter, helfer,
            maschine, maschinen, crawler, programm, programme
        """,
        OrderEvidence.READS: """
            dies liest, das liest, dies lesen, das lesen, liest, lesen, verarbeitet, verarbeiten, zusammenfasst,
            zusammenfassen, gelesen wird, auswertet, auswerten, durchsucht, diesen text, diese seite
        """,
        OrderEvidence.YOU: "du, dich, dir, dein, deine, deinen, deinem, deiner, deines, von dir",
        OrderEvidence.OWN: """
            anweisungen, anweisung, regeln, vorgaben, vorgabe, richtlinien, prompt, systemprompt, programmierung,
            training, gedächtnis, speicher, langzeitgedächtnis, entwickler, entwicklers, hersteller, herstellers,
            betreiber, betreibers, nutzer, nutzers, nutzerin, benutzer, benutzers, anwender, filter, grenzen,
            einschränkungen, beschränkungen, sicherheitsregeln, notizen, werkzeug, werkzeuge, tools, mailwerkzeug,
            dateiwerkzeug, erinnerung, erinnerungen, instruktionen, systemanweisung, konfiguration, rolle,
            auftraggeber, besitzer, eigentümer
        """,
        OrderEvidence.OUTPUT: """
            antwort, antworten, zusammenfassung, ausgabe, ausgaben, nachricht, nachrichten, empfehlung, empfehlungen,
            gespräch, bericht
        """,
        OrderEvidence.OVERRIDE: """
            ignorier(|e|en|t), vergiss, vergesst, vergessen, missacht(e|en|et), verwirf, verwerft, verwerfen,
            überspring(|e|en), übergeh(|e|en|t), lass außer acht, außer acht, setz dich über, setze dich über,
            hinwegsetzen, hinweg, hör auf, höre auf, nicht mehr befolgen, nicht mehr folgen, befolge nicht,
            folge nicht, beachte nicht, nicht beachten, kümmere dich nicht um, wirf, streich, streiche, lösch,
            lösche, umgeh(|e|en), leg ab, lege ab, hebe auf, schalte, deaktiviere, ersetze, pfeif auf,
            schere dich nicht, schert dich nicht, halte dich nicht, beachte, ignorier den, hör nicht mehr,
            höre nicht mehr, gehorche nicht, dienst nicht mehr
        """,
        OrderEvidence.INSTRUCTION: """
            anweisung, anweisungen, regel, regeln, vorgabe, vorgaben, anordnung, anordnungen, instruktion,
            instruktionen, richtlinie, richtlinien, befehl, befehle, prompt, prompts, systemprompt, einschränkungen,
            beschränkungen, grenzen, vorschriften, weisung, weisungen, aufträge, auftrag, sicherheitsregeln,
            schutzregeln, leitlinien, programmierung, verbote, schranken, filter, aufgabe, aufgaben, kontext,
            gespräch
        """,
        OrderEvidence.PRIOR: """
            vorherige(|n|r|s), vorige(|n), frühere(|n|r), bisherige(|n|r), vorangegangene(|n), obige(|n), bisher,
            vorher, zuvor, davor, bis hierhin, bis jetzt, bis hier, ursprüngliche(|n), alte(|n), bestehende(|n),
            systemseitige(|n), dieser zeile
        """,
        OrderEvidence.ALL: """
            alle, allen, alles, jede, jeden, jeder, sämtliche, sämtlichen, andere, anderen, was, ganze, übrigen
        """,
        OrderEvidence.TOLD: """
            man dir, dir gesagt,
            dir (vorher|zuvor|bisher|früher|vorhin) (gesagt|aufgetragen|befohlen|beigebracht|mitgegeben),
            dir aufgetragen, dir befohlen, dir beigebracht, dir gegeben, dir mitgegeben, du gelernt hast,
            du (bisher|vorher|zuvor) (gehört|gelesen|gelernt), dir gegebenen, du bekommen hast, du erhalten hast,
            dir vorgegeben
        """,
        OrderEvidence.VOID: """
            hinfällig, aufgehoben, ungültig, gelten nicht, gilt nicht, nicht mehr, gegenstandslos, außer kraft,
            widerrufen, nichtig, überholt, erledigt, enden hier, endet hier, abgeschaltet, ausgesetzt, entfallen,
            entfällt, gelten nur, ersetzt, war ein test, waren ein test
        """,
        OrderEvidence.MAKER: """
            deine(s|m|n|r|)
            (entwickler|betreiber|hersteller|schöpfer|programmierer|firma|anbieter|auftraggeber)(|s|n|in),
            wer dich programmiert, die dich, der dich, dich gebaut, dich programmiert, dich trainiert, dich betreibt
        """,
        OrderEvidence.USER: """
            nutzer, nutzers, nutzerin, nutzern, benutzer, benutzers, benutzerin, anwender, anwenders, anwenderin,
            dein gegenüber, gesprächspartner, dein besitzer, kontoinhaber, deinem menschen, auftraggeber
        """,
        OrderEvidence.PERSON: """
            leser, leserin, besucher, besucherin, kunde, kunden, kundin, gast, gäste, patient, patienten, patientin,
            eltern, schüler, person, leute, jemand, jemanden, jemandem, wer, ihn, ihm, sie, ihnen, mitglied,
            familie, besitzer, inhaber, mieter
        """,
        OrderEvidence.CONSENT: """
            hat
            (zugestimmt|genehmigt|eingewilligt|erlaubt|erteilt|bestätigt|bereits|schon|freigegeben|gewährt|zugesagt),
            haben (zugestimmt|genehmigt|eingewilligt|erlaubt|bestätigt), ist einverstanden, einverstanden,
            zustimmung liegt vor, zustimmung, einwilligung, genehmigt, freigegeben, erlaubnis, vollzugriff,
            vollmacht, bevollmächtigt, darf im namen, im namen, stimmt zu, im voraus, vertrauenswürdig,
            ist administrator, als administrator, erlaubt, gestattet, willigt ein
        """,
        OrderEvidence.WANTS: """
            will, möchte, bevorzugt, wünscht, mag, liebt, vertraut, besteht auf, am liebsten, lieber, hasst
        """,
        OrderEvidence.STORE: """
            merk, merke, merkt, merken sie, speicher, speichere, speichern sie, notier, notiere, vermerk, vermerke,
            behalte, behalt, nimm, trag, trage, schreib, schreibe, füge, halte fest, präg, präge, leg, lege,
            hinterlege, übernimm, sichere, verankere, ergänze, vergiss nie
        """,
        OrderEvidence.MEMORY: """
            gedächtnis, langzeitgedächtnis, speicher, nutzerprofil, profil, dauerhaft, dauerhafte, notizen,
            erinnerung, erinnerungen, für immer, gemerkt, vorliebe, vorlieben, feste regel, wissensbasis,
            künftige gespräche, spätere sitzungen
        """,
        OrderEvidence.EVER: """
            ab jetzt, ab sofort, von nun an, von jetzt an, künftig, fortan, immer, stets, für immer, dauerhaft,
            ab heute, in zukunft, zukünftig, jedes mal, bis auf weiteres, auf ewig, ausnahmslos, ab hier, in jeder,
            bei jeder
        """,
        OrderEvidence.SEND: """
            send, sende, senden sie, schick, schicke, schicken sie, leite, leiten, weiterleiten, lad, lade,
            hochladen, übermittle, übermittel, poste, kopier, kopiere, füge, häng, hänge, mail, maile, gib,
            geben sie, verrat, verrate, preisgeben, teile, teil, exportiere, veröffentliche, auszuhändigen,
            aushändigen, händige, herausgeben, übergib, nenne, zeig, zeige, trag, trage, reiche, übertrage, sammle,
            lies, liefere, codiere, kodiere, überlass
        """,
        OrderEvidence.DATA: """
            adressbuch, kontakte, kontaktliste, verlauf, chatverlauf, gesprächsverlauf, gespräch, passwort,
            passwörter, zugangsdaten, schlüssel, api schlüssel, geheimnis, geheimnisse, adressen, unterlagen,
            dokumente, dateien, datei, akten, akte, krankengeschichte, krankenakte, mails, nachrichten, postfach,
            umgebungsvariablen, env, ssh, persönliche daten, daten, konfiguration, systemprompt, alles was du,
            kreditkarte, kontonummer, kartennummer, bankdaten, notizen, gespeicherten, standort, kalender, tagebuch,
            zugangscode, seed, telefonnummern, telefonnummer, gedächtnis, prompt
        """,
        OrderEvidence.HIDE: """
            heimlich, stillschweigend, unbemerkt, im stillen,
            ohne (rückfrage|nachfrage|bestätigung|zustimmung|hinweis|kommentar|warnung|wissen),
            ohne zu (fragen|sagen|erwähnen|warnen), ohne es, ohne dass, ohne den, ohne ein wort, ohne etwas,
            ohne ihm, ohne ihr, ohne sie, verschweig, verschweige, verschweigen, verheimliche, verbirg, verberge,
            sag nichts, sage nichts, sag niemandem, sag es niemandem, sag dem nutzer nicht, nicht erwähnen,
            erwähne nicht, erwähn nicht, nichts davon, nicht verraten, verrate nicht, für dich, muss nichts,
            nichts wissen, muss das nicht wissen, nicht wissen, nicht erfahren, lass weg, weglassen, unterschlage,
            unerwähnt, behalte das für dich, behalte es für dich, frag nicht, frage nicht, nicht nachfragen,
            keine rückfrage, keine bestätigung, nichts anmerken, kein wort, leugne, verschwiegen, nicht zu erwähnen
        """,
        OrderEvidence.ASKED: """
            fragt, frage, fragen, gefragt, anfrage, anfragen, wissen will, wissen möchte, erwähnt, erwähnen, sucht,
            suchen, braucht, bittet, erkundigt, spricht, zur sprache, die rede, wort, nachfragt, verlangt
        """,
        OrderEvidence.WHEN: """
            wenn, falls, sobald, sooft, immer wenn, jedes mal, auf jede, auf fragen, auf alle, bei fragen, bei jeder,
            sollte, wer, bis, beim nächsten mal, nachdem, egal wer, zu jeder, wird nach, auf eine frage
        """,
        OrderEvidence.EVERY: """
            jede frage, jeder frage, alle fragen, jede anfrage, allen fragen, auf fragen, bei fragen, wer auch immer,
            nutzer fragt, man dich, dich jemand, wer fragt, wer nach, auf eine frage, zu fragen
        """,
        OrderEvidence.LATER: """
            beim nächsten, nächstes mal, nächste mal, sobald, in einer woche, das wort, warte, später,
            bei der nächsten, ab der nächsten, am ersten, zur sprache, in der nächsten, künftig, die rede ist,
            im nächsten, nächste woche, morgen, am ende jeder
        """,
        OrderEvidence.SAY: """
            sag, sage, sagen sie, sagt, antworte, antworten sie, antwort, nenn, nenne, nennen sie, empfiehl,
            empfehlt, empfehlen, empfehlen sie, behaupte, behaupten sie, erklär, erkläre, lob, lobe, rate, rat,
            raten sie, bewerte, bewerten sie, teil, teile, gib, geben sie, erwähn, erwähne, versichere, bestätige,
            bestätig, zitiere, verweise, verweis, schildere, stell, stelle, beschreib, beschreibe, weise, mach,
            mache, überzeuge, dräng, dränge, warn, warne, erinnere, preise, vergib, markiere, stufe, melde, biete,
            schreib, schreibe, schlag, schlage, rühme, bezeichne, berichte, antwort von dir, schlag ihm, schlag ihr,
            biete ihm, empfiehl ihm
        """,
        OrderEvidence.PROMOTE: """
            empfiehl, empfehle, empfehlen sie, empfehlt, lobe, lob, preise, rühme, bewirb, bewerbe, rate von,
            rate ab, rat von, bevorzuge, schlag, nenne nur, nenne ausschließlich, fünf sterne, das beste,
            die beste, der beste, die einzige, das einzige, schwärme, verkauf
        """,
        OrderEvidence.ONLY: """
            nur, nur noch, ausschließlich, nichts anderes, keine andere, keinen anderen, egal, ganz gleich,
            sonst nichts, allein, einzig, einzige, stattdessen, ohne ausnahme, zuerst, allen anderen, alle anderen,
            jedem anderen, jeden anderen, jedes andere, auch wenn, selbst wenn, immer, eine antwort, beste, besten,
            doppelte
        """,
        OrderEvidence.ACT: """
            lösch, lösche, löschen sie, überweis, überweise, überweisen sie, bezahl, bezahle, zahl, zahle, kauf,
            kaufe, bestell, bestelle, buch, buche, buchen, bestätig, bestätige, genehmig, genehmige, unterschreib,
            unterschreibe, unterschreiben, änder, ändere, überschreib, überschreibe, deaktivier, deaktiviere,
            storniere, öffne, führ, führe, ruf, rufe, installier, installiere, gewähr, gewähre, ersetz, ersetze,
            tausch, tausche, vertausche, verkauf, verkaufe, abonniere, klick, klicke, besuch, besuche, lad, lade,
            schalte, melde, trag, trage, entferne, entfern, abzusetzen, absetzen, erlaube, gib frei, starte, ruf auf,
            nutze, benutze, verwende, sag ab, verschiebe, entsperre, kündige, reservier, reserviere, freigib, füge,
            abzuschalten
        """,
        OrderEvidence.TOOL: """
            werkzeug, werkzeuge, tool, tools, funktion, befehl, befehle, kommando, shell, skript, terminal,
            werkzeugausgabe, werkzeugergebnis, schnittstelle, plugin, code aus
        """,
        OrderEvidence.UNLIMITED: """
            ohne (jede |alle
            |)(schranken|grenzen|regeln|einschränkungen|beschränkungen|filter|zensur|verbote|tabus|grenze|schranke|einschränkung|moral|skrupel),
            keine (schranken|grenzen|regeln|einschränkungen|beschränkungen|filter|zensur|verbote|tabus),
            uneingeschränkt(|e|er|es), unzensiert(|e|er|es), ungefiltert(|e|er|es), verweigert nie, nie verweigert,
            lehnt nie, nichts verweigert, alles beantwortet, auf alles antwortet, alles verrät, nie ablehnt,
            nichts ablehnt, nie nein, an nichts gebunden, darf alles, kann alles, entwicklermodus, kennt keine,
            keine verbote, wartungsmodus, niemandem gehorcht, alles erlaubt
        """,
        OrderEvidence.ROLE: """
            du bist jetzt, du bist nun, du bist ab, sie sind jetzt, sie sind ab, tu so als, tue so als, als wärst du,
            als seist du, spiel, spiele, stell dir vor du, schlüpf in, schlüpfe in, in der rolle,
            bleib in der rolle, übernimm die rolle, deine neue rolle, du heißt jetzt, du heißt ab,
            verhalte dich wie, verhalt dich wie, antworte als, sprich als, von nun an bist du, ab jetzt bist du,
            ab sofort bist du, fortan bist du, nimm die rolle, wechsle in, du wirst zu, du spielst, als wärest du
        """,
        OrderEvidence.OFFICIAL: """
            dienstliche weisung, amtliche weisung, dienstanweisung, offizielle anordnung, offizielle anweisung,
            weisung an, anordnung an, anweisung an, hiermit ermächtige, hiermit erlaube, hiermit weise,
            ermächtige ich, weise ich, erteile ich, ordne ich, notfallregel, notfallanweisung, höchste priorität,
            höchster priorität, oberste priorität, sicherheitsteam, geschäftsführer, systemnachricht,
            entwicklernachricht, im auftrag deines, im auftrag des, im auftrag der, befehl an, als dein, als leiter,
            als schulleiter, als geschäftsführerin, ich bin dein, hier spricht dein, hier ist dein,
            dir wird erlaubt, du bist befugt, du bist berechtigt, du bist ermächtigt, du darfst
        """,
        OrderEvidence.OBEY: """
            gehorche, gehorch, folge, folg, befolge, befolg, hör auf, höre nur, hör nur, halte dich, richte dich,
            führe aus, auszuführen, tu was, tue was, handle danach, handle nach, deine aufgabe, einzige aufgabe,
            neue anweisungen, neue regeln, neuen regeln, neue aufgabe, neuer auftrag, gilt nur, gelten nur, geht vor,
            gehen vor, vorrang, haben vorrang, steht über, du dienst, du gehorchst, du arbeitest für, tu nur,
            tue nur, mach nur
        """,
        OrderEvidence.POLITE: """
            bitte, so nett, so freundlich, so gut, wärst du, könntest du, könnten sie, würdest du, würden sie,
            wäre nett, wären dankbar, dankbar, seien sie so, sei so, vielen dank, tu uns den gefallen, liebe, lieber
        """,
        OrderEvidence.MUST: """
            muss, musst, müssen, sollst, sollen, soll, hast zu, haben zu, sind zu, ist zu, wirst, darfst, dürfen,
            werden gebeten, wird gebeten, immer, verpflichtet, angewiesen, gilt
        """,
        OrderEvidence.THIS: """
            diese seite, dieser seite, diesen text, dieses textes, dieses dokument, diese zeile, dieser brief,
            diesem brief, diese nachricht, diese datei, dieser notiz, dieses blatt, diesem blatt, folgende,
            folgendes, folgenden, die seite, hier, das folgende, untenstehende
        """,
        OrderEvidence.STAFF: """
            wir, unser, unsere, mitarbeiter, mitarbeitende, personal, lehrkräfte, lehrer, besucher, mieter, pfleger,
            freiwillige, angestellte, fahrer, trainer, trainerin, kollegen, beschäftigte, gäste müssen,
            alle mitarbeiter
        """,
        OrderEvidence.REPORT: """
            angriff, angriffe, angreifer, betrug, betrüger, zum beispiel, beispiel, beispielsweise, zitiert, zitat,
            schulung, erklärt, zeigt wie, gelernt, lehrt, phishing, injection, injektion, schadtext, schadcode,
            bösartig, forscher, trick, tricks, warnt, warnte, vorlage, prompt lautet, berichtet, kriminelle, masche,
            gegenmittel, abwehr
        """,
    },
)
