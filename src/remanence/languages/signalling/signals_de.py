"""How German says what is to be kept. Data only."""

from remanence.languages.signalling.phrases import Signals, classes, phrases

GERMAN = Signals(
    code="de",
    high=classes(
        standing_order="""
            ab sofort, ab jetzt, ab heute, ab morgen, von nun an, von jetzt an, künftig, in zukunft, zukünftig,
            fortan, von heute an, bis auf weiteres, jedes mal wenn du/sie, immer wenn du/sie, ^nie, ^niemals,
            nie wieder, nie mehr, bitte nie, bitte niemals, bitte immer, ^immer, grundsätzlich, ausnahmslos,
            auf keinen fall, unter keinen umständen, nie ~ ohne, niemals ~ ohne, nicht ~ ohne vorher,
            duze/sieze mich, duz mich, du kannst/darfst mich ~ duzen, nenn/nenne mich, sprich/sprecht mich,
            hör auf, hören sie auf,
            verwende/benutze/nutze/schreib/schreibe/antworte/nimm/setz/setze/leg/lege ~ immer/nie/stets, stets,
            bitte kein/keine/keinen ~ mehr, ^kein/keine/keinen ~ mehr, als regel, die regel ist, bei uns gilt,
            es gilt, wenn du ~ änderst/anfasst/schreibst/machst/schickst/löschst ~ immer/vorher/zuerst,
            ^bevor du, jede/jeder/jedes ~ muss, alle ~ müssen,
            solange ich nichts anderes sage/sagen/schreibe, bis ich etwas/was anderes sage/schreibe,
            wenn ich nichts anderes sage/schreibe, sofern ich nichts anderes sage/schreibe,
            falls nicht anders gesagt/vereinbart, mach es dir zur regel, machen sie es sich zur regel,
            ^jedes mal wenn ich, hör auf mir/mich, hören sie auf mir/mich
        """,
        correction="""
            das stimmt nicht, stimmt nicht, das ist falsch, das war falsch, ist nicht richtig,
            ist nicht korrekt, das war ~ falsch, ^korrektur, ^nein das/der/die/ich/es/wir/mein/meine,
            ich habe mich vertan/geirrt/verschrieben/versprochen/verlesen,
            ich hab mich vertan/geirrt/verschrieben, habe ich verwechselt, hab ich verwechselt,
            da habe ich mich, ich meinte, so war das nicht, das habe ich nie/nicht, ich habe nie/niemals,
            ^eigentlich ist/sind/habe/heiße/wohne/war, ^tatsächlich ist/habe/war, vergiss was, vergiss ~ ich,
            ^doch nicht, nicht ~ sondern, mein fehler, mein irrtum, nicht mehr ~ sondern,
            ich muss mich korrigieren, falsch verstanden, falsch gesagt, es heißt nicht,
            da irrst du dich, du irrst dich, sie irren sich, da irren sie sich, da liegst du falsch,
            da liegen sie falsch, das hast du verwechselt/falsch/vertauscht,
            das haben sie verwechselt/falsch/vertauscht, genau andersherum, andersrum, es ist umgekehrt,
            gerade umgekehrt, ich hätte sagen sollen, ich habe dir/ihnen/euch ~ falsch gesagt,
            ich habe mich versprochen/vertan
        """,
        identity="""
            ich heiße, ich heisse, mein/sein/ihr name ist, ich wohne, ich lebe in/mit/seit,
            ich arbeite als/bei/in/für/seit, ich komme aus, ich stamme aus, ich bin geboren, ich bin ~ jahre,
            ich bin aufgewachsen, ich bin *in von beruf, von beruf, ich bin die/der, ich bin verheiratet,
            ich bin alleinerziehend, ich bin in rente, ich bin rentner*, ich bin schwerhörig, ich bin taub,
            ich bin blind, ich bin schwanger, ich bin seit, ich leite, meine muttersprache, mein geburtstag,
            ich habe am ~ geburtstag, meine adresse, meine telefonnummer, meine mailadresse,
            meine e-mail-adresse, meine nummer, meine frau/tochter/schwester/mutter heißt/ist,
            mein mann/sohn/bruder/vater/hund heißt/ist, ich habe zwei/drei/vier kinder, ich studiere,
            ich unterrichte, ich bin umgezogen, ich ziehe nach, ich bin nach ~ gezogen,
            ich bin farbenblind/linkshänder*/rechtshänder*/schwerhörig/gehörlos/taub,
            ich bin blind/kurzsichtig/legasthenik*/autist*/verwitwet/geschieden/zweisprachig,
            ich sitze im rollstuhl, ich trage ein hörgerät
        """,
        decision="""
            haben uns ~ entschieden, hat sich ~ entschieden, habe mich ~ entschieden, haben entschieden,
            habe entschieden, wir haben ~ beschlossen, haben beschlossen, ist beschlossen, habe beschlossen,
            beschlossen ist, haben uns geeinigt, haben uns ~ geeinigt, wir nehmen, wir bleiben bei,
            es bleibt bei, fiel auf, die entscheidung, steht fest, mein entschluss, wir haben ~ gewählt,
            haben uns festgelegt, wir steigen ~ um, wir wechseln,
            es bleibt dabei, dabei bleibt es, es ist offiziell, ist jetzt offiziell, steht jetzt fest,
            ist abgesagt, haben ~ abgesagt, wurde ~ gewählt
        """,
        preference="""
            ich hasse, ich verabscheue, ich liebe, ich vertrage, vertrage ich, ich bevorzuge, ich ziehe ~ vor,
            ich esse kein/keine/keinen, ich trinke nur/kein/keine/keinen, ich esse nur, allergisch, allergie,
            unverträglichkeit, ich bin vegan, ich bin vegetarier*, ich bin veganer*, ich kann ~ nicht ausstehen,
            ich kann ~ nicht leiden, ich mag überhaupt/gar, ich will nie/immer, ich möchte nie/immer,
            ich nehme immer/nie, ich lehne, ich bestehe, mein lieblings*, meine lieblings*,
            kommt für mich nicht, nichts geht über, ich verzichte, ich meide, zöliakie, diabetiker*
        """,
        remember="""
            merk/merke dir, merken sie sich, bitte merken, denk/denke dran, denk/denke daran, denken sie daran,
            vergiss nicht, vergessen sie nicht, behalte im kopf, behalt im kopf, zur info, ^wichtig,
            notier/notiere, notieren sie, ^notiz, fürs protokoll, zur kenntnis, damit du bescheid weißt,
            nur damit du, du solltest wissen, halte fest, schreib dir auf
        """,
    ),
    orders=phrases("""
        kannst/könntest/könnten/können du/sie ~ immer, kannst/könntest/könnten/können du/sie ~ ab jetzt/sofort,
        kannst/könntest du dir ~ merken, kannst/könntest du mich ~ nennen, kannst/könntest du ~ künftig
    """),
    medium=classes(
        habit="""
            normalerweise, für gewöhnlich, gewöhnlich, meistens, meist, in der regel, ich fange meist,
            üblicherweise, oft, häufig, selten, montags, dienstags, mittwochs, donnerstags, freitags, samstags,
            sonntags, morgens, abends, jeden morgen/abend/tag/montag/freitag, wir pflegen
        """,
        preference="""
            am liebsten, lieber, ich mag, ich bevorzuge eher, gefällt mir, gefallen mir,
            ich finde ~ besser/angenehmer/schöner, ich mag kein/keine/nicht, gern, gerne
        """,
        opinion="""
            ich finde, meiner meinung nach, aus meiner sicht, persönlich, ich bin überzeugt, meines erachtens
        """,
        team="""
            mein/meine/meinem/meiner/unser/unsere/unserem/unserer team/chef/chefin/kollege/kollegin/kollegen,
            mein/meine/meinem/meiner/unser/unsere/unserem/unserer abteilung/firma/kunde/kunden/büro/gruppe/vorgesetzte,
            wir sind zu, sind wir zu
        """,
        stack="""
            mein/meine/meinem/meiner/unser/unsere/unserem/unserer projekt/server/datenbank/system/setup/rechner/code,
            mein/meine/meinem/meiner/unser/unsere/unserem/unserer codebasis/repo/app/seite,
            mein/meine/meinem/meiner/unser/unsere/unserem/unserer laptop/umgebung/pipeline/tests,
            wir nutzen/verwenden/benutzen/setzen/hosten/betreiben, läuft auf/mit/noch, läuft bei uns,
            ich nutze/verwende/benutze, ich arbeite mit
        """,
    ),
    low=classes(
        view="ich glaube, ich denke, ich meine, ich würde sagen, ich hab das gefühl, ich habe das gefühl",
        impression="mir scheint, es scheint, scheint, wirkt, kommt mir",
        shared="die kollegen, das team, alle anderen, die anderen",
        hedge="""
            vielleicht, eventuell, wohl, könnte, wäre schöner/besser, wäre, möglicherweise, vermutlich,
            wahrscheinlich, irgendwie, ein bisschen
        """,
    ),
    passing=phrases("""
        noch nicht, gerade, jetzt gleich, diesmal, dieses mal, für heute, nur heute, heute abend, im moment,
        momentan, erst mal
    """),
    vetoes=phrases("""
        wenn ich ~ wäre, wenn ich ~ hätte, wenn wir ~ hätten, wenn wir ~ wären, angenommen, stell dir vor,
        nehmen wir an, mal angenommen, falls wir ~ hätten, ^übersetze, ^übersetz, wie sagt man, ^was, ^warum,
        ^wieso, ^wie, ^wer, ^wo, ^welche*
    """),
    empty=phrases("""
        ich liebe es, das liebe ich, wie immer, ich bin die nächste, immer noch, ich finde das gut,
        ich bin der einzige, ich heiße das
    """),
    jokes=phrases("kleiner scherz, nur spaß, nur ein scherz, war ein witz, spaß beiseite"),
)
