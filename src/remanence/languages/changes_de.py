"""German words of change. Data only."""

from remanence.languages.changing_shape import build_changing

GERMAN = build_changing(
    "de",
    onward="""
        ab sofort / von jetzt an / von nun an / ab jetzt / ab heute / ab morgen / ab nächster /
        ab nächstem / ab montag / ab januar / ab februar / ab märz / ab april / ab mai / ab juni / ab juli /
        ab august / ab september / ab oktober / ab november / ab dezember / nunmehr / künftig / fortan /
        stattdessen / seit montag / seit dienstag / seit mittwoch / seit donnerstag / seit freitag /
        seit samstag / seit sonntag / seit januar / seit februar / seit märz / seit april / seit mai /
        seit juni / seit juli / seit august / seit september / seit oktober / seit november /
        seit dezember / seit heute / seit gestern / seit dieser woche / seit diesem monat
    """,
    now="jetzt / nun / inzwischen / mittlerweile / neuerdings / nur noch",
    lately="""
        seit / derzeit / aktuell / diese saison / dieses jahr / dieses semester / endlich / doch noch /
        eigentlich / letzte woche / vorige woche / seitdem / nächste woche
    """,
    shifts="""
        geändert / verschoben / verlegt / gewechselt / umgestellt / umgezogen / umgestiegen / erhöht /
        gesenkt / hochgesetzt / heraufgesetzt / herabgesetzt / angehoben / verdoppelt / halbiert /
        verlängert / verkürzt / aktualisiert / ersetzt / umbenannt / getauscht / übernommen / übernimmt /
        übergeben / abgegeben / rutscht / wechselt / zieht um / migriert / vertauscht / umgebucht /
        neu vergeben / angepasst / planänderung / vorverlegt / ausgetauscht / zurück zu / gezogen
    """,
    reaches="gestiegen / gesunken / steigt auf / sinkt auf / geworden / wurde zu",
    ends="""
        nicht mehr / kein mehr / keine mehr / gekündigt / aufgehört / hört auf / hört hier auf / verkauft /
        verlassen / abgesagt / storniert / gestrichen / abgeschafft / aufgegeben / geschlossen / weg ist /
        ist weg / vorbei / passé / war gestern / gestorben / tot / getrennt / geschieden / schluss mit /
        ade / ausgetreten / abgemeldet / pensioniert / im ruhestand / in rente / entlassen / abgelaufen /
        zu teuer / satt / losgeworden / entsorgt / weggeworfen / verzichtet / verzichte / genug von
    """,
    anymore="",
    turns="""
        wieder / repariert / behoben / geheilt / gesund / erledigt / fertig / angekommen / geliefert /
        abgeschlossen / bestanden / verheiratet / geheiratet / verlobt / geboren / eröffnet / geöffnet /
        wiedereröffnet / kaputt / ausgefallen / defekt / unterschrieben / genehmigt / freigegeben /
        pausiert / gelöst / verheilt
    """,
    news="""
        neu / neue / neuer / neues / neuen / neuem / gekauft / gebucht / angeschafft / entschieden /
        beschlossen / eingestellt / angefangen / begonnen / nachfolger / nachfolgerin / ersatz
    """,
    doubts="""
        wenn / falls / ob / angenommen / vielleicht / wohl / möglicherweise / eventuell / könnte / könnten /
        würde / würden / wäre / wären / wär's / hätte / hätten / sollte / sollten / müsste / dürfte / dürfen /
        will / wollen / möchte / möchten / plane / planen / überlege / überlegen / überlegt / hoffe /
        hoffentlich / glaube / glaubt / denke / denkt / meint / meinte / sagt / sagte / behauptet / laut /
        angeblich / gehört / früher / damals / einst / vor jahren / als kind / letztes jahr / vor der /
        vor mir / auch / außerdem / ebenfalls / zusätzlich / dazu / obendrauf / manchmal / bloß /
        eines tages / irgendwann / nächstes jahr / im winter / wünschte / wünsche / scheint / seien / sei /
        witz / scherz / dreht sich / als wäre / als ich / als er / als sie / als wir / als mein / als meine /
        als unser / als unsere / als das / nachdem
    """,
    denies="nicht / kein / keine / nie / niemals",
    mine="""
        ich / mein / meine / meinem / meinen / meiner / mir / mich / wir / uns / unser / unsere / unserem /
        unseren
    """,
)
