"""French words of telling. Data only."""

from remanence.languages.lexicon import words
from remanence.languages.telling.told import Telling, groups, phrases

FRENCH = Telling(
    code="fr",
    attributes=groups("""
        be: est sont suis
        have: ont
        live: habite j'habite vis vit
        work: travaille
        call: appelle s'appelle m'appelle
        start: commence débute ouvre lieu tombe
        end: finit termine ferme
        cost: coûte coûtent
        run: tourne
        use: utilise utilisons
        play: joue
        lead: dirige
    """),
    others=words("""
        vient dure paie vend offre couvre sert enseigne étudie mange lit parle tient contient mesure envoie reçoit
        apporte achète gère appartient dépend dort gagne pèse prend prends bois boit conduis conduit range arrive
        reste accueille publie facture démarre
    """),
    changes=words("passé passée changé changée déplacé déplacée décalé décalée augmenté augmentée"),
    into=words("à au aux en"),
    updates=phrases("""
        à partir de maintenant / à partir d'aujourd'hui / dès maintenant / dès aujourd'hui / dorénavant / désormais
        / maintenant / à présent / actuellement / de nouveau / à nouveau / plutôt
    """),
    doubts=phrases("""
        si / peut-être / sans doute / probablement / pourrait / pourrions / serait / serais / aurait / aimerait /
        aimerais / voudrais / veux / veut / espère / pense / pensent / crois / croit / compte / prévoit / dit /
        disent / raconte / selon / paraît / avant / était / étaient / avait / autrefois / à l'époque / ancien /
        ancienne / dernier / dernière / il y a / aussi / également / encore / autre / non plus / en plus / ne /
        n'est / n'a / pas / jamais / sans / sauf / seulement / aujourd'hui / ce soir / cette semaine / demain /
        pour l'instant / presque / environ / ou / mais / parce que / quand / qui / que / où / comme / comment / sera
        / passera
    """),
    openers=phrases("""
        comme tu sais / au fait / pour info / bonne nouvelle / mais non
    """),
    labels=words("note info rappel jour correction statut"),
    offices=words("""
        chef directeur directrice patron patronne propriétaire responsable capitaine gérant gérante entraîneur maire
        stagiaire code numéro adresse anniversaire couleur dentiste fournisseur président présidente
    """),
    any_value=words("code"),
    favourites=words("préféré préférée"),
    liked=words("""
        couleur plat livre film chanson groupe jeu sport équipe animal dessert boisson
    """),
    definite=words("le la notre mon ma"),
    bounds=words("dessus dessous supérieures"),
    articles=words("le la les un une l' notre nos ce cette a"),
    prepositions=words("à au aux en dans sur sous chez de du des par pour avec derrière devant"),
    i=words("je j'"),
    my=words("mon ma mes"),
    nobody=words("il elle ils elles ce c'est c' on ça cela y ceci tu vous"),
    own=words("j'habite"),
    moving=r"(?:^|\s)(?:j'ai|je viens d')\s?(?:emménagé|déménagé|emménager|déménager) à ([A-ZÀÉÈ]\S{1,40})$",
    weekdays=words("lundi mardi mercredi jeudi vendredi samedi dimanche"),
    every_weekday=words("lundis mardis mercredis jeudis vendredis samedis dimanches"),
    numbers=words("""
        deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze vingt trente quarante
        cinquante cent mille demi demie premier deuxième troisième quatrième cinquième heures heure h midi minuit
        janvier février mars avril mai juin juillet août septembre octobre novembre décembre
    """),
    colours=words(
        "rouge vert verte bleu bleue jaune orange noir noire blanc blanche gris grise brun brune rose violet"
    ),
)
