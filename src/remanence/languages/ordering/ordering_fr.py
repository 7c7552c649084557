"""French words of orders to a machine. Data only."""

from remanence.languages.ordering.kinds_of_evidence import OrderEvidence, Ordering

FRENCH = Ordering(
    code="fr",
    your="ton, ta, tes, votre, vos",
    leads="""
        et, puis, ensuite, aussi, toujours, jamais, maintenant, d'abord, mais, ou, simplement, discrètement,
        seulement, alors, donc, ne, surtout, désormais, veuillez, merci de
    """,
    speech="""
        dit, disent, dire, disait, écrit, écrivent, écrire, lit, demande, cite, citent, comme, phrase, mot, mots,
        ligne, ordonne, ordonna, répond, appelé, texte, titre, blanc, intitulé, général, avec, le, la
    """,
    phrases={
        OrderEvidence.MACHINE: """
            ia, ias, intelligence(|s) artificielle(|s), modèle(|s) de langage, modèle(|s) d ia, assistant(|s) ia,
            assistant(|s) d ia,
            assistant(|s)
            (virtuel|virtuels|numérique|numériques|automatique|automatiques|automatisé|automatisés|intelligent),
            agent(|s)
            (automatique|automatiques|automatisé|automatisés|autonome|autonomes|ia|virtuel|virtuels|conversationnel|conversationnels),
            lecteur(|s) (automatique|automatiques|automatisé|automatisés), chatbot(|s), llm, llms, gpt, chatgpt,
            système(|s) (automatique|automatiques|automatisé|automatisés), assistante(|s) (virtuelle|numérique),
            lu par une machine, lue par une machine, machine qui lit
        """,
        OrderEvidence.HELPER: """
            assistant, assistants, assistante, assistantes, agent, agents, modèle, modèles, bot, bots, robot,
            robots, aide, machine, machines, programme, programmes
        """,
        OrderEvidence.READS: """
            qui lit, qui lisent, qui lisez, qui lis, lisant ceci, lisent ceci, lit ceci, lisez ceci, qui lira,
            qui liront, qui résume, qui résument, qui traite, qui traitent, qui analyse, qui analysent,
            qui parcourt, lu par, lue par, lisant ce, lisant cette, en lisant, qui résumerait, qui consulte
        """,
        OrderEvidence.YOU: "tu, te, toi, ton, ta, tes, t",
        OrderEvidence.OWN: """
            instructions, consignes, règles, directives, prompt, programmation, entraînement, mémoire, mémoires,
            développeur, développeurs, créateur, créateurs, concepteur, concepteurs, fabricant, opérateur,
            restrictions, filtres, limites, politiques, autorisations, permissions, utilisateur, utilisateurs,
            utilisatrice, configuration, notes, outil, outils, propriétaire, contraintes, souvenirs,
            message système, ordres
        """,
        OrderEvidence.OUTPUT: """
            réponse, réponses, résumé, résumés, message, messages, recommandation, recommandations,
            conversation, sortie, compte rendu
        """,
        OrderEvidence.OVERRIDE: """
            ignore, ignorez, ignores, oublie, oubliez, néglige, négligez, passe outre, passez outre,
            ne tiens pas compte, ne tiens plus compte, ne tenez pas compte, ne tenez plus compte, fais abstraction,
            faites abstraction, fais fi, faites fi, laisse de côté, laissez de côté, mets de côté,
            mettez de côté, écarte, écartez, abandonne, abandonnez, contourne, contournez, n obéis plus,
            n obéissez plus, ne suis plus, ne suivez plus, ne suis pas, cesse de suivre, cessez de suivre,
            arrête de suivre, arrêtez de suivre, annule, annulez, efface, effacez, désactive, désactivez, saute,
            transgresse, enfreins, affranchis toi, affranchissez vous, moque toi, libère toi, ne respecte plus,
            supprime, jette, n écoute plus, n écoute pas, cesse d écouter, arrête d écouter, n obéis pas
        """,
        OrderEvidence.INSTRUCTION: """
            instruction, instructions, règle, règles, consigne, consignes, directive, directives, ordre, ordres,
            prompt, restriction, restrictions, limites, limite, politique, politiques, contraintes, commandes,
            indications, programmation, filtres, filtre, garde fous, contexte, tâche, tâches, conversation,
            recommandations
        """,
        OrderEvidence.PRIOR: """
            précédent, précédente, précédents, précédentes, antérieur, antérieure, antérieures,
            antérieurs, avant, auparavant, jusqu ici, jusqu à présent, jusque là, jusqu à maintenant, ci dessus,
            plus haut, initial, initiales, initiaux, originales, existantes, système, anciennes, anciens, déjà,
            préalables, habituelles
        """,
        OrderEvidence.ALL: """
            toutes, tous, toute, tout, chaque, autres, autre, ce qui, ce que, ce qu, quelconque, aucune, aucun,
            quoi que ce soit
        """,
        OrderEvidence.TOLD: """
            on t a (dit|demandé|appris|ordonné|donné|enseigné|imposé|confié|fixé),
            on vous a (dit|demandé|appris|ordonné|donné|enseigné|imposé), t a (dit|demandé|ordonné),
            qu on t a, qu on vous a, t ont (dit|demandé|donné|appris), tu as (appris|reçu|lu|entendu),
            vous avez reçu, t a été (dit|demandé|donné|ordonné|imposé), vous a été (dit|demandé|donné),
            reçues, reçus, tu as reçues, qui précède, on t avait, t avait été, données jusque là
        """,
        OrderEvidence.VOID: """
            caduc, caduque, caducs, caduques, annulé, annulée, annulés, annulées, nul, nulle, nulles, nuls,
            ne s appliquent plus, ne s applique plus, ne valent plus, ne vaut plus, n ont plus cours, n a plus cours,
            ne comptent plus, ne compte plus, sans effet, suspendu, suspendues, suspendus, révoqué, révoquées,
            levé, levées, levés, abrogé, abrogées, périmé, périmées, obsolète, obsolètes, prennent fin,
            s arrêtent ici, remplacé, remplacées, remplacés, était un test, étaient un test, seule cette,
            seul ce, plus valables, plus valable, invalides, n est plus, ne sont plus
        """,
        OrderEvidence.MAKER: """
            ton
            (créateur|concepteur|développeur|fabricant|opérateur|exploitant|éditeur|fournisseur|propriétaire|programmeur),
            tes (créateurs|concepteurs|développeurs|fabricants|opérateurs|programmeurs),
            qui t a (créé|programmé|conçu|fait|entraîné), qui t ont (créé|programmé|conçu|fait|entraîné),
            vos concepteurs, vos créateurs, vos développeurs, qui vous ont, votre créateur, votre développeur,
            votre concepteur
        """,
        OrderEvidence.USER: """
            utilisateur, utilisateurs, utilisatrice, utilisatrices, ton interlocuteur, votre interlocuteur,
            propriétaire de cet, personne à qui tu parles, personne avec qui, titulaire du compte, ton maître,
            ton propriétaire, ton humain
        """,
        OrderEvidence.PERSON: """
            lecteur, lectrice, lecteurs, visiteur, visiteurs, client, cliente, clients, hôte, patient, patiente,
            patients, parents, élève, personne, gens, quelqu un, quiconque, celui qui, qui, lui, leur,
            propriétaire, voyageur, membre, famille, chef
        """,
        OrderEvidence.CONSENT: """
            a (approuvé|accepté|autorisé|consenti|permis|confirmé|donné|accordé|déjà|validé|signé),
            ont (approuvé|accepté|autorisé|consenti|permis|donné), approuve, autorise, consent, est d accord,
            donne son accord, a donné son, consentement, plein accès, tous les droits, pleins pouvoirs,
            procuration, d avance, par avance, administrateur, comme administrateur, de confiance, peut signer,
            au nom de, est autorisé, sont autorisés, accès complet, accepte que, permet, accepte
        """,
        OrderEvidence.WANTS: """
            veut, préfère, souhaite, désire, aime, adore, fait confiance, tient à, exige, déteste, voudrait
        """,
        OrderEvidence.STORE: """
            retiens, retenez, souviens toi, souvenez vous, mémorise, mémorisez, enregistre, enregistrez, note,
            notez, garde, gardez, conserve, conservez, inscris, inscrivez, ajoute, ajoutez, écris, écrivez,
            rappelle toi, rappelez vous, grave, gravez, stocke, stockez, consigne, consignez, prends note, mets,
            sauvegarde, sauvegardez, n oublie jamais, intègre, mets à jour
        """,
        OrderEvidence.MEMORY: """
            mémoire, mémoires, long terme, profil, profil de l utilisateur, préférence, préférences, permanent,
            permanente, permanentes, définitivement, pour toujours, à jamais, tes notes, vos notes,
            base de connaissances, règle durable, durablement, souvenirs, futures conversations,
            prochaines sessions, règle permanente
        """,
        OrderEvidence.EVER: """
            désormais, dorénavant, à partir de maintenant, à partir d aujourd hui, à compter de,
            dès maintenant, toujours, pour toujours, à l avenir, à jamais, chaque fois, en permanence,
            sans exception, définitivement, dès à présent, à chaque, dans chaque, dans toutes,
            jusqu à nouvel ordre
        """,
        OrderEvidence.SEND: """
            envoie, envoyez, envoie le, envoie les, envoie la, envoyer, transmets, transmettez, transfère,
            transférez, publie, publiez, copie, copiez, recopie, recopiez, colle, collez, joins, joignez, partage,
            partagez, exporte, exportez, remets, remettez, révèle, révélez, divulgue, divulguez, affiche,
            affichez, communique, communiquez, téléverse, téléversez, poste, postez, livre, livrez, montre,
            donne, fais suivre, faites suivre, dépose, déposez, insère, insérez, rassemble, lis, imprime
        """,
        OrderEvidence.DATA: """
            contacts, carnet d adresses, liste de contacts, historique, conversation, conversations, mot de passe,
            mots de passe, identifiants, clés, clé api, clé, secret, secrets, fichiers, fichier, documents,
            dossiers, dossier, dossier du patient, dossier médical, courriels, mails, messages, boîte,
            variables d environnement, env, ssh, données, données personnelles, configuration, prompt,
            tout ce que tu sais, ce que tu sais, localisation, carte bancaire, numéro de carte, numéro de compte,
            coordonnées, journal, agenda, calendrier, phrase de récupération, notes, enregistrés, enregistrées,
            adresses, adresse, mémoire, ordonnances
        """,
        OrderEvidence.HIDE: """
            en douce, en secret, secrètement, silencieusement, en silence, discrètement, en cachette, à l insu,
            sans (demander|prévenir|dire|le dire|rien
            dire|mentionner|confirmer|confirmation|informer|avertir|signaler|en parler|que|lui|l
            accord|rien|poser|consulter|montrer|laisser|le signaler|avis|autorisation),
            ne dis (pas|rien|jamais), ne dites (pas|rien|jamais), ne le dis, ne le dites, n en dis, n en parle,
            n en parlez, ne mentionne, ne mentionnez, ne parle pas, ne parlez pas, ne révèle, ne révélez,
            ne préviens, ne prévenez, n informe, ne demande, ne signale, ne signalez, ne montre, tais, taisez,
            taire, cache, cachez, dissimule, dissimulez, masque, masquez, passe sous silence, passez sous silence,
            omets, omettez, garde pour toi, gardez pour vous, pas besoin de, n a pas besoin, ne doit pas savoir,
            n a pas à savoir, ne doit rien savoir, ne doit rien, sans qu, nie, ne pas mentionner, ne pas dire,
            à son insu, sous silence, aucune confirmation
        """,
        OrderEvidence.ASKED: """
            demande, demandent, demandé, demandera, question, questions, requête, requêtes, interroge,
            interrogent, veut savoir, cherche, cherchent, évoque, évoqué, mentionne, mentionné, parle de,
            parlera, parle, s informe, s enquiert, besoin d, questionne, sollicite, sujet
        """,
        OrderEvidence.WHEN: """
            quand, si, lorsque, lorsqu, dès que, dès qu, chaque fois, à toute question, à toutes les questions,
            à chaque question, à qui, à quiconque, pour toute question, la prochaine fois, en cas de, jusqu à ce,
            quiconque, aussitôt que, aussitôt qu, une fois que, après que, à tous ceux, sur toute
        """,
        OrderEvidence.EVERY: """
            toute question, toutes les questions, chaque question, toute demande, on te demande, on vous demande,
            quiconque demande, utilisateur demande, qui cherche, te demande, vous demande, qui demande, t interroge,
            à qui, à quiconque
        """,
        OrderEvidence.LATER: """
            la prochaine fois, prochaine session, prochaine conversation, dès que, dès qu, attends, attendez,
            dans une semaine, le mot, plus tard, le premier du mois, la semaine prochaine, demain, à la prochaine,
            lors de la prochaine, ultérieurement, ultérieure, à la fin de chaque
        """,
        OrderEvidence.SAY: """
            dis, dites, dis lui, dites lui, réponds, répondez, répondras, donneras, diras, recommande,
            recommandez, affirme, affirmez, assure, assurez, mentionne, mentionnez, cite, citez, vante, vantez, loue,
            note, notez, conseille, conseillez, déconseille, déconseillez, décris, décrivez, présente,
            présentez, convaincs, convainquez, déclare, déclarez, suggère, suggérez, informe, informez,
            explique, expliquez, insiste, insistez, rappelle, rappelez, préviens, indique, indiquez, propose,
            proposez, écris, écrivez, attribue, attribuez, classe, signale, annonce, annoncez, donne, donnez,
            nomme, nommez, prétends, prétendez, promeus, valorise, évalue, qualifie, qualifiez, oriente,
            ne vante que, mets en avant, mettez en avant, confirme, propose lui, suggère lui, recommande lui,
            conseille lui
        """,
        OrderEvidence.PROMOTE: """
            recommande, recommandez, vante, vantez, loue, promeus, déconseille, déconseillez, conseille,
            conseillez, mets en avant, mettez en avant, cinq étoiles, le meilleur, la meilleure, le seul, la seule,
            suggère lui, propose lui, valorise
        """,
        OrderEvidence.ONLY: """
            seulement, uniquement, exclusivement, rien d autre, aucun autre, aucune autre, quoi qu il arrive,
            quoi qu, même si, toujours, au lieu de, tous les autres, toutes les autres, toute autre, tout autre,
            en premier, d abord, sans exception, ne que, que cette, que ce, seul, seule, le meilleur, la meilleure,
            double
        """,
        OrderEvidence.ACT: """
            efface, effacez, supprime, supprimez, vire, virez, transfère, transférez, paie, paye, payez, achète,
            achetez, acheter, commande, commandez, réserve, réservez, réserver, confirme, confirmez, valide,
            validez, approuve, approuvez, signe, signez, change, changez, remplace, remplacez, désactive,
            désactivez, annule, annulez, ouvre, ouvrez, exécute, exécutez, lance, lancez, appelle, appelez,
            installe, installez, accorde, accordez, vends, vendez, abonne, abonnez, clique, cliquez, visite, visitez,
            télécharge, téléchargez, accepte, acceptez, autorise, autorisez, modifie, modifiez, utilise,
            utilisez, arrêter, arrête, débloque, échange, échangez, intervertis, inscris, procède, procédez,
            double, coche, verse, inverse, éteins
        """,
        OrderEvidence.TOOL: """
            outil, outils, fonction, commande, commandes, shell, terminal, script, interpréteur, sortie de l outil,
            résultat de l outil, code suivant, greffon, plugin
        """,
        OrderEvidence.UNLIMITED: """
            sans (aucune |aucun
            |)(limites|limite|restrictions|restriction|règles|filtres|filtre|censure|règle|contraintes|tabous|morale|barrières|garde
            fous),
            ne refuse jamais, ne refuse rien, jamais refuser, répond à tout, qui répond à tout,
            ne connaît aucune, ne connaît pas de limites, n a aucune règle, n a aucune limite, libre de toute,
            libéré de, affranchi de, non censuré, non censurée, sans tabou, tout est permis, mode développeur,
            mode maintenance, mode dieu, peut tout faire, dit tout
        """,
        OrderEvidence.ROLE: """
            tu es à présent, tu es maintenant, tu es désormais, désormais tu es, vous êtes maintenant,
            vous êtes désormais, vous êtes à présent, à partir de maintenant tu es, dorénavant tu es,
            agis comme, agissez comme, fais comme si, faites comme si, fais semblant, faites semblant,
            imagine que tu, joue le rôle, jouez le rôle, joue, incarne, incarnez, comporte toi comme, tu seras,
            ton nouveau rôle, tu t appelles, tu deviens, comme si tu étais, endosse, prends le rôle, passe en mode,
            active le mode, entre en mode, ne quitte pas ce rôle, reste dans ton rôle, reste dans le rôle,
            réponds comme, parle comme, mets toi dans
        """,
        OrderEvidence.OFFICIAL: """
            ordre officiel, instruction officielle, avis officiel, consigne officielle, par la présente,
            par ordre de, sur ordre de, je t autorise, je vous autorise, je t ordonne, je vous ordonne,
            tu es autorisé, tu es autorisée, vous êtes autorisé, priorité maximale, priorité absolue,
            haute priorité, message prioritaire, équipe de sécurité, directeur général, message système,
            message du système, message du développeur, mesure d urgence, je suis ton, je suis votre,
            je suis le directeur, je suis la directrice, en tant que directeur, en tant que directrice,
            en tant qu administrateur, ici ton, ici votre, ici l équipe, à tous les assistants, à tous les agents,
            permissions habituelles, autorisations habituelles, au nom de ton
        """,
        OrderEvidence.OBEY: """
            obéis, obéissez, suis, suivez, écoute, écoutez, fais ce qu, fais ce que, faites ce que, faites ce qu,
            respecte, respectez, conforme toi, conformez vous, exécute, exécute le, applique, appliquez,
            ta seule tâche, ta tâche est, ta nouvelle tâche, ta mission, nouvelles instructions, nouvelles règles,
            nouvelles consignes, nouveaux ordres, a priorité, ont priorité, prime sur, priment sur, l emporte,
            l emportent, compte désormais, ne suis que, tu sers, tu travailles pour, tu obéis, ne fais que
        """,
        OrderEvidence.POLITE: """
            s il te plaît, s il vous plaît, la gentillesse, l amabilité, la bonté, auriez vous, aurais tu,
            pourriez vous, pourrais tu, merci de, veuillez, nous te prions, nous vous prions, vous serait,
            serions reconnaissants, reconnaissants, chère, cher, soyez assez, sois assez, aie la, ayez la
        """,
        OrderEvidence.MUST: """
            doit, doivent, dois, devez, devra, devront, devras, il faut, faut, est tenu, sont tenus, sont priés,
            est prié, toujours, tu ne, obligatoire, doit être, peux, pouvez, peut
        """,
        OrderEvidence.THIS: """
            cette page, ce texte, ce document, cette ligne, ce message, cette lettre, cette note, ce fichier,
            cette brochure, ce courriel, ce paragraphe, ce qui suit, le suivant, la suivante, suivantes, suivants,
            la page, ce site, ci dessous, ci après
        """,
        OrderEvidence.STAFF: """
            nous, notre, nos, employés, personnel, enseignants, bénévoles, visiteurs doivent, locataire,
            infirmiers, conducteurs, entraîneur, entraîneuse, salariés, collègues, on doit
        """,
        OrderEvidence.REPORT: """
            attaque, attaques, attaquant, attaquants, pirate, pirates, par exemple, exemple, cite un, cite le,
            citation, explique pourquoi, enseigne, arnaque, arnaques, fraude, hameçonnage, injection, malveillant,
            malveillante, chercheurs, ruse, modèle de prompt, on lui dit, escrocs, montre comment, avertit,
            formation
        """,
    },
)
