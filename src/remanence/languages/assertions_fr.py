"""What French sentences do, by phrases. Data only."""

from remanence.languages.assertions import Assertions, phrases
from remanence.languages.lexicon import words

FRENCH_ASSERTIONS = Assertions(
    code="fr",
    vetoes=phrases(
        asks="""
            ^que, ^quoi, ^quand, ^où, ^qui est, ^qui sont, ^pourquoi, ^quel, ^quelle, ^quels, ^quelles, ^comment,
            ^combien
        """,
        inverts="""
            ^est-ce*, ^tu peux, ^vous pouvez, ^peux-tu, ^pouvez-vous, ^pourrais-tu, ^pourriez-vous, ^sais-tu,
            ^tu sais, ^as-tu, ^avez-vous, ^qu'est-ce*, ^je me demande, ^puis-je, ^y a-t-il, ^veux-tu,
            ^voulez-vous
        """,
        requests="""
            ^écris*, ^donne-moi, ^donne, ^donnez-moi, ^montre*, ^dis-moi, ^aide-moi, ^explique*, ^cherche,
            ^trouve, ^traduis, ^résume, ^imprime, ^crée, ^génère, ^corrige, ^vérifie, ^compare, ^calcule,
            ^envoie, ^envoie-moi, ^ouvre, ^ferme, ^supprime, ^mets, ^attends, ^regarde, ^lis, ^fais-moi, ^fais,
            ^raconte*, ^rappelle-moi, ^laisse-moi, il me faudrait, j'aurais besoin, j'ai besoin d'une liste,
            j'ai besoin d'aide, j'ai besoin de la liste, je voudrais une liste, je cherche, tu pourrais,
            ^propose*, ^interroge-moi, ^compare-moi, ^résume-moi, ^traduis-moi, ^prépare*, ^reformule*, ^convertis,
            ^ajoute*, ^suggère*, ^recommande*, ^invente*, ^pose-moi,
            ^allons-y, ^bonne chance, ^bon courage, ^s'il te plaît écris
        """,
        supposes="^si, ^s'il, ^s'ils, ^supposons, ^imagine, ^imaginons, ^au cas où, j'aurais, ^à supposer",
        wishes="""
            ^j'espère, ^espérons, ^pourvu que, ce serait bien, ce serait génial, j'aimerais bien,
            quelqu'un devrait, ^si seulement
        """,
        plays="""
            je plaisante, je plaisantais, c'était une blague, dans mon histoire, dans mon roman,
            il était une fois
        """,
        passing="""
            merci beaucoup, merci pour, à bientôt, à plus tard, à tout à l'heure, à demain, bonne nuit,
            bonne soirée, bonne journée, bonjour, je reviens, je dois y aller, désolé, désolée, félicitations,
            je ne sais pas, aucune idée, c'est parfait, de rien, laisse-moi réfléchir
        """,
        errors="traceback, error:, erreur:, erreur :, exception:, échec, avertissement:",
    ),
    categories=phrases(
        correction="""
            c'est faux, ce n'est pas ça, ce n'est pas exact, ^correction, je me suis trompé, je me suis trompée,
            je voulais dire, ^non c'est, ^non le, ^non la, n'est plus, ^en fait c'est, erreur de ma part,
            ^pardon c'est
        """,
        decision="""
            décidé, décidons, décision, on a choisi, nous avons choisi, j'ai choisi, on part sur, on garde,
            désormais, à partir de maintenant, dorénavant, à partir d'aujourd'hui, convenu, on va utiliser,
            nous utiliserons, on passe à, adopté, tranché
        """,
        commitment="""
            promis, je promets, je m'occupe, je m'en occupe, je m'engage, je m'en charge, je me charge,
            j'enverrai, je finirai, je ferai, je livrerai, j'apporterai, j'appellerai, je vais, nous allons,
            on va, je dois, nous devons, échéance, date limite, rendez-vous, à rendre
        """,
        principle="""
            toujours, jamais, doit, doivent, il faut, la règle, notre règle, par principe, en règle générale,
            obligatoire, interdit, interdite, en aucun cas, sans exception, il est interdit, ne doit pas, on ne
        """,
        preference="""
            je préfère, nous préférons, on préfère, préfère, j'aime, je n'aime pas, j'adore, je déteste,
            je ne supporte pas, je ne mange pas, je ne bois pas, préféré, préférée, préférés, préférées, favori,
            favorite, je veux, nous voulons, végane, végétarien, végétarienne, appelle-moi, nous aimons, on aime,
            aime, adore, passionné, passionnée, fan de
        """,
        moment="""
            est mort, est morte, est décédé, est décédée, est né, est née, nous nous sommes mariés,
            on s'est mariés, diplômé, diplômée, j'ai réussi, j'ai gagné, nous avons gagné, on a gagné,
            j'ai perdu, nous avons perdu, on a perdu, j'ai déménagé, nous avons déménagé, j'ai démissionné, hier,
            avant-hier, la semaine dernière, le mois dernier, l'année dernière, j'ai commencé, j'ai terminé,
            j'ai acheté, je suis allé, je suis allée, j'ai rencontré
        """,
        relationship="""
            mon frère, ma sœur, ma soeur, ma mère, mon père, mon fils, ma fille, mon mari, ma femme,
            mon compagnon, ma compagne, mon copain, ma copine, mon chef, ma chef, ma cheffe, mon ami, mon amie,
            mon cousin, ma cousine, mon oncle, ma tante, mon grand-père, ma grand-mère, mon voisin, ma voisine,
            mon collègue, ma collègue, mon propriétaire, mon médecin, mes enfants, mes parents, je vis avec,
            en colocation, marié à, mariée à, travaille avec, travaille pour, dirige
        """,
        skill="""
            je sais, je parle, je joue du, je joue de, je maîtrise, je suis doué, je suis douée,
            je ne sais pas nager, je ne sais pas conduire, j'apprends, j'ai appris à, parle couramment,
            couramment, permis, formé, formée, ans d'expérience, expert en, experte en
        """,
        entity="""
            s'appelle, s'appellent, se nomme, est notre, c'est notre, nous avons deux, on a deux, nous avons un,
            nous avons une, j'ai un chien, j'ai un chat, se trouve, est situé, est située, tourne sous, habite à,
            fournisseur, nommé, nommée
        """,
    ),
    weights=phrases(
        rules="^toujours, ^jamais, interdit, obligatoire, c'est la règle",
        state="""
            je suis, j'ai, je vis, j'habite, je travaille, j'étudie, j'utilise, je gagne, je viens de, je mange,
            je bois, je prends, je fais, je dirige, j'étais, j'avais, mon nom est, je m'appelle,
            mon anniversaire, mon adresse, mon numéro, allergi*, intoléran*, cœliaque, coeliaque, diabétique,
            enceinte, nous sommes, nous avons, on a, on est, depuis, ans
        """,
        held="""
            est le, est la, est à, est au, est en, sont, coûte, commence, finit, ouvre, ferme, travaille, habite,
            vit, appartient, vient, a un, a une, a deux, a lieu, tient, se trouve, est dans
        """,
        hedges="""
            peut-être, sans doute, probablement, possible que, je crois, je pense, il me semble, j'imagine,
            je suppose, pas sûr, pas sûre, à peu près, apparemment, on dirait, quelque part
        """,
        opinions="^c'est, ^ça, ^tu, ^vous, les gens, tout le monde, ^je trouve, ^je crois, ^la vie",
        confirms="""
            ^créé, ^créée, ^réservé, ^réservée, ^confirmé, ^confirmée, ^planifié, ^enregistré, ^annulé, ^envoyé,
            est réservé, est confirmé
        """,
        pledges="""
            je vous enverrai, je t'enverrai, je te rappellerai, je m'en occupe, je m'occupe, je promets,
            je réserve, j'enverrai
        """,
    ),
    importance=phrases(
        critical="""
            allergi*, anaphyla*, danger*, mortel, mortelle, peut tuer, urgence, pacemaker, épilep*, diabét*,
            insuline, très important, essentiel, essentielle, critique, vital, vitale, poison, surdose,
            en aucun cas, groupe sanguin, ne doit jamais, ne doivent jamais
        """,
        high="""
            décidé, décision, promis, promets, échéance, rendez-vous, toujours, jamais, doit, important,
            importante, préfère, déteste, j'adore, j'aime, je n'aime pas, préféré, préférée, favori, désormais,
            dorénavant, je m'appelle, anniversaire, végane, végétarien, végétarienne, je veux, rappelle-toi,
            n'oublie pas, je m'engage, je m'occupe
        """,
    ),
    kinds=phrases(
        episode="""
            hier, avant-hier, aujourd'hui, la semaine dernière, le mois dernier, l'année dernière, récemment,
            ce matin, cet après-midi, ce soir, lundi dernier, samedi dernier, dimanche dernier, il y a
        """,
        happened="""
            dit, passé, arrivé, signalé, terminé, échoué, gagné, perdu, mort, morte, réussi, livré, déployé,
            rencontré
        """,
        note="""
            toujours, jamais, doit, doivent, préfèr*, veut, veux, besoin, objectif, politique, norme, règle,
            chaque, le lundi, le samedi, le dimanche
        """,
    ),
    mute=words("""
        bonjour salut coucou bonsoir bonne soirée journée nuit merci beaucoup mille ok okay d'accord oui non si
        ouais parfait super génial bien très c'est ça top cool haha mdr ptdr au revoir à bientôt plus tard
        demain compris désolé désolée pardon félicitations ah oh bof hein mais sérieusement vraiment tout tous
        toutes le la bon bah voilà exactement entendu noté
    """),
    possessives=words("mon ma mes notre nos"),
    copulas=words("""
        est sont était étaient a ont avait avaient sera seront va vont peut peuvent doit doivent vit habite
        travaille coûte commence finit ferme ouvre vient veut préfère parle joue dirige utilise appartient
        s'appelle tourne tient
    """),
)
