"""How French says what is to be kept. Data only."""

from remanence.languages.signalling.phrases import Signals, classes, phrases

FRENCH = Signals(
    code="fr",
    high=classes(
        standing_order="""
            désormais, dorénavant, à partir de maintenant, à partir d'aujourd'hui, à partir de demain,
            à partir de, à compter d'aujourd'hui, à compter de, à l'avenir, dès maintenant, dès aujourd'hui,
            chaque fois que tu/vous, à chaque fois que, quand tu ~ toujours, ^jamais, plus jamais,
            ne ~ jamais ~ sans, ne/n'* ~ plus ~ sans, ne/n'* ~ pas ~ sans, ^toujours, s'il te plaît toujours,
            réponds/répondez/écris/écrivez/mets/mettez/utilise/utilisez ~ toujours, une fois pour toutes,
            arrête de, arrêtez de, cesse de, cessez de, sans exception, en aucun cas, sous aucun prétexte,
            en règle générale, la règle est, jusqu'à nouvel ordre, tu peux me tutoyer, tutoie-moi, tutoyez-moi,
            vouvoie-moi, vouvoyez-moi, appelle-moi, appelez-moi,
            ^n'utilise/n'utilisez/n'écris/n'envoie/n'envoyez pas/plus/jamais,
            ^ne mets/mettez/touche/touchez/supprime/supprimez/modifie/modifiez pas/plus/jamais,
            je veux que tu ~ toujours/jamais,
            sauf contrordre, sauf avis contraire, sauf indication contraire, sauf si je dis/te dis/vous dis,
            jusqu'à ce que je dise/te dise/vous dise, tant que je ne dis/te dis/vous dis,
            ^chaque fois que j'*/je, ^à chaque fois que j'*/je, fais-en une règle, prends l'habitude de,
            prenez l'habitude de
        """,
        correction="""
            ce n'est pas ça, c'est pas ça, ce n'est pas vrai, ce n'est pas exact, ce n'est pas correct,
            c'est faux, c'est inexact, c'est pas vrai, c'était faux, ^correction, ^rectification, je rectifie,
            je corrige, je me suis trompé*, je me trompais, j'ai confondu, j'ai mélangé, je voulais dire,
            ^non le/la/les/l'*/c'est/mon/ma/je/il/elle, ^en fait, ^en réalité, je n'ai jamais, je n'ai pas dit,
            ce n'est pas ~ c'est, ce n'est pas ~ mais, oublie ce que, mon erreur, erreur de ma part,
            ne ~ plus ~ mais, pas ~ mais,
            je t'ai/je vous ai dit une bêtise, j'ai dit une bêtise, tu te trompes, vous vous trompez,
            tu as inversé, vous avez inversé, tu as confondu, vous avez confondu, c'est l'inverse,
            c'est le contraire, à l'envers, j'aurais dû dire, je t'ai mal dit, j'ai mal dit
        """,
        identity="""
            je m'appelle, mon/son nom est, mon prénom est, j'habite, je vis à/en/avec/au,
            je travaille comme/chez/à/dans/pour/en, je suis le/la/un/une, je suis médecin, je suis infirmi*,
            je suis professeur*, je suis ingénieur*, je suis avocat*, je suis étudiant*, je suis né*,
            je suis marié*, je suis retraité*, je suis enceinte, je suis sourd*, je suis aveugle,
            je suis diabétique, je suis végétarien*, je suis végane, je suis daltonien*, je viens de/du/d'*,
            je dirige, j'ai ~ ans, j'ai deux/trois/quatre enfants/fils/filles, j'ai déménagé, mon anniversaire,
            mon adresse est, mon mail est, mon numéro est, ma langue maternelle,
            ma femme/fille/sœur/mère s'appelle/est, mon mari/fils/frère/père s'appelle/est,
            mon prénom c'est, mon nom c'est,
            je suis malentendant*/gaucher*/gauchère*/droitier*/myope/dyslexique,
            je suis autiste/bilingue/veuf/veuve/divorcé*/célibataire, je suis en fauteuil, je porte un appareil
        """,
        decision="""
            a décidé, avons décidé, ai décidé, j'ai décidé, ont décidé, est décidé, c'est décidé, avons choisi,
            a choisi, j'ai choisi, avons convenu, a convenu, sommes convenus, s'est mis d'accord,
            nous sommes mis d'accord, avons opté, a opté, j'ai opté, avons tranché, a tranché, la décision est,
            décision:, on part sur, on reste sur, on garde, nous gardons, on passe à, nous passons à,
            nous restons, on abandonne,
            c'est arrêté, c'est acté, c'est officiel, est officiel, c'est tranché, est annulé*, avons annulé,
            avons élu
        """,
        preference="""
            je déteste, je hais, je ne supporte, je supporte pas, j'adore, j'aime beaucoup, je préfère,
            je préfèrerais ~ toujours, allergique, allergie, intolérant*, intolérance, je ne mange, je ne bois,
            je mange jamais, je bois jamais, je suis végan*, cœliaque, ma préférence, mon ~ préféré,
            ma ~ préférée, je refuse, je veux toujours, je prends toujours, je ne prends jamais,
            je ne veux jamais, je tiens à, j'exige, j'évite, me donne la migraine
        """,
        remember="""
            retiens que, retenez que, ^retiens, ^retenez, souviens-toi, souvenez-vous, rappelle-toi,
            rappelez-vous, n'oublie pas, n'oubliez pas, garde en tête, gardez en tête, garde à l'esprit,
            note que, notez que, ^note:, ^notez:, ^note bien, prends note, ^important, c'est important,
            il est important, pour info, pour information, pour mémoire, sache que, sachez que, à savoir,
            pour que tu saches
        """,
    ),
    orders=phrases("""
        peux-tu/pourrais-tu/pouvez-vous/pourriez-vous ~ toujours, tu peux/pourrais ~ toujours,
        peux-tu/pourrais-tu ~ désormais, peux-tu/pourrais-tu m'appeler, peux-tu/pourrais-tu retenir que,
        peux-tu/pourrais-tu te souvenir que
    """),
    medium=classes(
        habit="""
            d'habitude, habituellement, normalement, en général, généralement, la plupart du temps, souvent,
            rarement, le lundi/mardi/mercredi/jeudi/vendredi/samedi/dimanche,
            chaque matin/soir/jour/lundi/semaine, tous les matins/soirs/jours/lundis/vendredis, j'ai tendance,
            on a tendance
        """,
        preference="""
            j'aime, je n'aime pas, j'aime pas, j'aime bien, j'aime mieux, je préférerais, plutôt que,
            ça me plaît, me plaît, me plaisent, j'apprécie
        """,
        opinion="""
            je trouve, à mon avis, selon moi, personnellement, je suis convaincu*, pour moi, d'après moi,
            j'estime
        """,
        team="""
            mon/ma/notre/nos équipe/chef/cheffe/collègue/collègues/service,
            mon/ma/notre/nos entreprise/boîte/client/clients/bureau/patron/patronne,
            on est deux/trois/quatre/cinq/six/sept/huit/neuf/dix,
            nous sommes deux/trois/quatre/cinq/six/sept/huit/neuf/dix
        """,
        stack="""
            mon/ma/notre/nos projet/serveur/serveurs/base/application,
            mon/ma/notre/nos code/dépôt/environnement/site/ordinateur/portable,
            on utilise, nous utilisons, j'utilise, on déploie, nous déployons, on stocke, tourne avec/sur/sous,
            est écrit en, je travaille avec, on travaille avec
        """,
    ),
    low=classes(
        view="je crois, je pense, j'ai l'impression, je dirais, je suppose",
        impression="il me semble, il semble, on dirait, ça a l'air, semble, paraît",
        shared="tout le monde, l'équipe, les collègues",
        hedge="""
            peut-être, sans doute, probablement, il se peut, pourrait, irait mieux, serait mieux, un peu,
            plus ou moins
        """,
    ),
    passing=phrases("""
        pas encore, pour l'instant, pour le moment, cette fois, cette fois-ci, tout de suite, ce soir,
        aujourd'hui seulement, en ce moment, ce fichier, cette fonction
    """),
    vetoes=phrases("""
        si j'étais, si j'avais, si on avait, si nous avions, si nous étions, si c'était, supposons, suppose que,
        imagine, imaginons, admettons, disons que, ^traduis, ^traduisez, comment dit-on, ^pourquoi, ^comment,
        ^qui, ^où, ^quel*, ^quand est-ce, ^est-ce, ^qu'est-ce, ^faut-il
    """),
    empty=phrases("""
        j'adore ça, j'aime ça, comme toujours, comme d'habitude, j'aimerais, je suis chez, je suis la suite,
        pour toujours
    """),
    jokes=phrases("je plaisante, je rigole, c'est une blague, c'était une blague"),
)
