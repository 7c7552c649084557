"""French word lists. Data only."""

from remanence.languages.lexicon import Lexicon, months, words

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
    case_bearing=words("français mars"),
)
