"""French word lists. Data only."""

from remanence.languages.lexicon import Lexicon, months, opposites, words

FRENCH = Lexicon(
    code="fr",
    stop=words("""
        à ai aie ainsi alors après as au aucun aussi autre autres aux avais avait avant avec avoir avons c'est
        car ce cela celle celui ces cet cette ceux chaque chez comme comment d'un d'une dans de des depuis
        deux dont du elle elles en encore entre es est et étaient étais était été êtes être eu eux fait faire
        faut fois fut ici il ils j'ai je jusque l'on la le les leur leurs lui ma mais me même mes moi mon ne
        ni nos notre nous on ont ou où par parce pas pendant peu peut plus pour pourquoi près puis qu'il
        qu'elle quand que quel quelle quelque qui quoi sa sans se sera ses si son sont sous suis sur ta te tes
        toi ton toujours tous tout toute toutes très tu un une va vers voici voilà vos votre vous y
    """),
    negations=words("ne n'est n'ai n'a pas jamais rien personne aucun aucune ni non sans guère"),
    weighty=words("""
        après aucun autre autres avant avec chaque chez depuis deux entre faut fois jamais jusque même mêmes
        ne ni ou pas pendant peu peut plus près puis quelqu'un quelque sans si sous sur toujours tous tout
        toute toutes vers
    """),
    number_words=words("""
        deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt trente
        quarante cinquante soixante cent mille million milliard douzaine demi premier première deuxième
        troisième
    """),
    months=months("""
        janvier février mars avril mai juin juillet août septembre octobre novembre décembre
    """),
    time_words=words("""
        hier avant-hier aujourd'hui demain lundi mardi mercredi jeudi vendredi samedi dimanche janvier février
        mars avril mai juin juillet août septembre octobre novembre décembre matin soir nuit après-midi
        semaine semaines mois an ans année années jour jours heure heures minute minutes récemment dernier
        dernière prochain prochaine bientôt printemps été automne hiver anniversaire noël pâques
    """),
    first_person=words("je j'ai me moi mon ma mes mien mienne nous notre nos j'étais j'avais j'aime"),
    second_person=words("tu te toi ton ta tes vous votre vos tien tienne"),
    past=words("""
        était étais étaient avait avais ai eu été fait allé allée dit vu pris venu venue parti partie acheté
        trouvé rencontré mangé visité commencé fini perdu reçu appris fut fit
    """),
    past_endings=(),
    not_past=frozenset(),
    kin=words("""
        mère maman père papa parents fils fille enfant enfants bébé frère frères sœur sœurs soeur mari femme
        époux épouse compagnon compagne fiancé fiancée copain copine grand-mère grand-père mamie papi oncle
        tante cousin cousine neveu nièce famille jumeaux ami amie amis voisin voisine collègue chef animal
        chien chienne chiot chat chatte chaton hamster lapin perroquet cheval
    """),
    reactions=words("""
        waouh wow merci oui non ouais super génial cool bien bon bonne d'accord exactement salut bonjour
        coucou oh ah haha félicitations parfait bravo vraiment
    """),
    offers=(
        "voici",
        "n'hésitez pas",
        "n'hésite pas",
        "je peux vous aider",
        "je peux t'aider",
        "voulez-vous",
        "souhaitez-vous",
        "veux-tu que",
        "j'espère que cela",
        "si vous avez besoin",
    ),
    case_bearing=words("français mars pierre rose claire état église"),
    abbreviations=words("ras sas cap ter tac are dom ours sol bac aie"),
    opposites=opposites("""
        allumé allumée allume | éteint éteinte
        monte monté montée haut augmente augmenté | descend descendu baisse baissé bas diminue diminué
        avant | après
        premier première | dernier dernière
        gauche | droite droit
        dedans intérieur | dehors extérieur
        dessus sur | dessous sous
        depuis dès | jusque jusqu'à jusqu
        avec | sans
        plus | moins
        toujours | jamais
        tous toutes tout chacun quelqu'un | personne aucun aucune rien
        oui | non
        ouvert ouverte ouverts ouvertes ouvre ouvrent ouvrir | fermé fermée fermés fermées ferme ferment fermer
        commence commencé début | finit fini termine terminé fin
        permis permise autorisé autorisée | interdit interdite défendu
        accepte accepté acceptée approuvé | refuse refusé refusée rejeté rejetée
        aime adore | déteste hait
        gagne gagné | perd perdu
        achète acheté acheteur acheteuse | vend vendu vendeur vendeuse
        prête prêté | emprunte emprunté
        donne donné envoie envoyé | reçoit reçu prend pris
        enseigne | apprend
        arrive arrivé entre entré vient venu | part parti sort sorti
        précède précédé | suit suivi
        vrai vraie juste | faux fausse
        bon bonne bien meilleur mieux | mauvais mauvaise mal pire
        grand grande | petit petite
        haut haute | bas basse
        long longue | court courte
        large | étroit étroite
        rapide vite | lent lente lentement
        chaud chaude | froid froide
        sec sèche | mouillé mouillée humide
        clair claire | sombre obscur
        léger légère | lourd lourde
        plein pleine | vide
        nouveau nouvelle neuf jeune | vieux vieille ancien ancienne
        tôt | tard
        riche | pauvre
        fort forte | faible
        facile | difficile
        cher chère | gratuit gratuite
        sûr sûre | dangereux dangereuse
        vivant vivante | mort morte
        près proche | loin
        nord | sud
        est | ouest
        devant | derrière
        jour | nuit
        été | hiver
        hier | demain
        homme | femme
        mère | père
        frère | sœur
        fils | fille
        public publique | privé privée
        propre | sale
        ensemble | séparés séparément
    """),
    negative_prefixes=(
        "dé",
        "dés",
        "des",
        "in",
        "im",
        "il",
        "ir",
        "non",
        "mal",
        "anti",
    ),
)
