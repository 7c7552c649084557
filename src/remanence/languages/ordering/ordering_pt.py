"""Portuguese words of orders to a machine. Data only."""

from remanence.languages.ordering.kinds_of_evidence import OrderEvidence, Ordering

PORTUGUESE = Ordering(
    code="pt",
    your="teu, tua, teus, tuas, seu, sua, seus, suas",
    leads="""
        e, depois, então, por favor, também, sempre, nunca, jamais, agora, primeiro, mas, ou, simplesmente, só,
        apenas, em segredo, não, já, logo
    """,
    speech="""
        diz, dizem, dizer, disse, dizendo, escreve, escreveu, escrevem, lê, pergunta, cita, citam, como, frase,
        palavra, palavras, linha, ordena, ordenou, responde, chamado, texto, título, branco, general, com, o, a
    """,
    phrases={
        OrderEvidence.MACHINE: """
            ia, ias, inteligência(|s) (artificial|artificiais), modelo(|s) de linguagem, modelo(|s) de ia,
            assistente(|s) de ia,
            assistente(|s)
            (virtual|virtuais|digital|digitais|automático|automáticos|automatizado|automatizados|inteligente|inteligentes),
            agente(|s) (automático|automáticos|automatizado|automatizados|autónomo|autônomo|autónomos|autônomos|de
            ia|virtuais),
            leitor(|es) (automático|automáticos|automatizado|automatizados), chatbot(|s), llm, llms, gpt, chatgpt,
            sistema(|s) (automático|automáticos|automatizado|automatizados), ajudante(|s) (digital|digitais),
            lido por uma máquina, lida por uma máquina, máquina que lê
        """,
        OrderEvidence.HELPER: """
            assistente, assistentes, agente, agentes, modelo, modelos, bot, bots, robô, robôs, robot, robots,
            ajudante, ajudantes, máquina, máquinas, programa, programas
        """,
        OrderEvidence.READS: """
            que leia, que leiam, que lê, que leem, que lêem, lendo isto, lendo isso, a ler isto, leia isto,
            leiam isto, que resuma, que resumam, que processe, que processem, ao resumir, ao ler, que analise,
            que analisem, lida por, lido por, que consulte, lendo este, lendo esta, que ler, que lerem
        """,
        OrderEvidence.YOU: "você, tu, te, ti, teu, tua, teus, tuas, contigo, vocês",
        OrderEvidence.OWN: """
            instruções, regras, normas, diretrizes, prompt, programação, treino, treinamento, memória, memórias,
            desenvolvedor, desenvolvedores, criador, criadores, programador, operador, restrições, filtros, limites,
            políticas, permissões, usuário, usuários, utilizador, utilizadores, limitações, configuração, notas,
            anotações, ferramenta, ferramentas, ordens, dono, dona, fabricante, mensagem de sistema, proprietário
        """,
        OrderEvidence.OUTPUT: """
            resposta, respostas, resumo, resumos, mensagem, mensagens, recomendação, recomendações, conversa,
            relatório, saída
        """,
        OrderEvidence.OVERRIDE: """
            ignora, ignore, ignorem, esquece, esqueça, esqueçam, desconsidera, desconsidere, desconsiderem, descarta,
            descarte, descartem, despreza, despreze, omite, salta, passa por cima, passe por cima, não ligues,
            não ligue, não siga, não sigas, não obedeça, não obedeças, deixa de seguir, deixe de seguir,
            pára de seguir, pare de seguir, deixa de lado, deixe de lado, põe de lado, ponha de lado, abandona,
            abandone, anula, anule, desobedece, desobedeça, contorna, contorne, apaga, apague, desativa, desative,
            não leve em conta, não tenha em conta, não faça caso, não dê atenção, não dês atenção, faz tábua rasa,
            rompe, quebra, quebre, revoga, larga, burla, burle, não escutes, não escute, deixa de ouvir,
            pare de ouvir, não ouça, não atendas
        """,
        OrderEvidence.INSTRUCTION: """
            instrução, instruções, regra, regras, norma, normas, diretriz, diretrizes, orientação, orientações,
            ordem, ordens, prompt, restrição, restrições, limites, limitações, política, políticas, diretivas,
            comandos, programação, filtros, indicações, contexto, tarefa, tarefas, conversa
        """,
        OrderEvidence.PRIOR: """
            anterior, anteriores, prévia, prévias, prévio, prévios, antes, até agora, até aqui,
            até este ponto, original, originais, precedentes, anteriormente, acima, existentes, iniciais,
            do sistema, antigas, já, habituais
        """,
        OrderEvidence.ALL: """
            todas, todos, toda, todo, tudo, qualquer, cada, demais, outras, outros, outra, outro, o que, quaisquer,
            nenhuma, nenhum
        """,
        OrderEvidence.TOLD: """
            te (mandaram|disseram|ordenaram|pediram|ensinaram|deram|encarregaram|disse|mandou),
            lhe (mandaram|disseram|ordenaram|pediram|ensinaram|deram),
            te (foi|tenham|tinham|têm) (dito|mandado|ordenado|pedido|ensinado|dado),
            lhe (foi|tenham|tinham|têm) (dito|mandado|ordenado|pedido|ensinado|dado), foi dito a você,
            você (aprendeu|recebeu|ouviu), aprendeste, recebeste, mandaram fazer, disseram a você, mandaram você,
            recebidas
        """,
        OrderEvidence.VOID: """
            anulado, anulada, anulados, anuladas, sem efeito, não valem, não vale, já não vale, já não valem,
            não valem mais, não vale mais, já não se aplicam, não se aplicam, deixam de valer, deixou de valer,
            nulas, nulo, nula, inválidas, canceladas, cancelado, suspensas, suspensos, revogadas, revogado,
            caducaram, caduco, obsoletas, levantadas, terminam aqui, acabam aqui, era um teste, eram um teste,
            substituídas, invalidadas, expirou, perderam a validade
        """,
        OrderEvidence.MAKER: """
            quem te (criou|programou|fez|treinou|desenhou|opera), quem o (criou|programou|fez),
            quem a (criou|programou), quem criou você, quem programou você,
            seu (criador|desenvolvedor|programador|fabricante|operador),
            seus (criadores|desenvolvedores|programadores), teu (criador|programador|dono|fabricante|operador),
            teus (criadores|programadores), sua empresa
        """,
        OrderEvidence.USER: """
            usuário, usuária, usuários, utilizador, utilizadora, utilizadores, dono deste, dono desta,
            pessoa com quem falas, pessoa com quem você, teu dono, seu dono, titular da conta, interlocutor
        """,
        OrderEvidence.PERSON: """
            leitor, leitora, leitores, visitante, visitantes, cliente, clientes, hóspede, paciente, pacientes, pais,
            aluno, aluna, pessoa, pessoas, alguém, quem, lhe, lhes, dono, viajante, sócio, família, chefe
        """,
        OrderEvidence.CONSENT: """
            já (aprovou|aceitou|autorizou|consentiu|permitiu|confirmou|deu|concordou), aprovou, autorizou,
            consentiu, concordou, aprova, autoriza, deu permissão, deu autorização, deu a sua, deu o seu, deu acesso,
            deu todos, está de acordo, permissão total, plenos poderes, consentimento, procuração, acesso total,
            é administrador, como administrador, de confiança, pode assinar, em nome, pelo usuário,
            pelo utilizador, de antemão, previamente, permite, aceita
        """,
        OrderEvidence.WANTS: "quer, prefere, deseja, gosta, confia, adora, odeia, gostaria, exige",
        OrderEvidence.STORE: """
            lembra te, lembre se, lembre, lembra, guarda, guarde, guardem, anota, anote, anotem, memoriza, memorize,
            memorizem, grava, grave, gravem, regista, registe, registra, registre, armazena, armazene, conserva,
            conserve, adiciona, adicione, acrescenta, acrescente, escreve, escreva, inclui, inclua, toma nota,
            tome nota, inscreve, inscreva, atualiza, atualize, salva, salve, põe, ponha, mete, nunca esqueça
        """,
        OrderEvidence.MEMORY: """
            memória, memórias, longo prazo, perfil, perfil do usuário, perfil do utilizador, preferência,
            preferências, permanente, permanentemente, para sempre, suas notas, tuas notas, base de conhecimento,
            regra fixa, regra permanente, futuras conversas, próximas sessões, fato permanente
        """,
        OrderEvidence.EVER: """
            de agora em diante, a partir de agora, daqui em diante, daqui para a frente, doravante, a partir de hoje,
            sempre, para sempre, no futuro, cada vez, toda vez, permanentemente, sem exceção, em todas, em cada,
            até nova ordem, futuramente, todas as vezes
        """,
        OrderEvidence.SEND: """
            envia, envie, enviem, enviar, manda, mande, mandem, reencaminha, reencaminhe, encaminha, encaminhe,
            encaminhem, carrega, carregue, publica, publique, copia, copie, copiem, cola, cole, anexa, anexe,
            transmite, transmita, partilha, partilhe, compartilha, compartilhe, exporta, exporte, entrega, entregue,
            entreguem, revela, revele, revelem, mostra, mostre, divulga, divulgue, passa, passe, inclui, inclua,
            imprime, imprima, dá, dê, lê, leia, fornece, forneça, submete, submeta, poste, conta, reúne
        """,
        OrderEvidence.DATA: """
            contatos, contactos, agenda, lista de contatos, lista de contactos, histórico, conversa, conversas,
            senha, senhas, palavra passe, palavras passe, credenciais, chaves, chave, chave api, segredos, segredo,
            arquivos, arquivo, ficheiros, ficheiro, documentos, processos, processo, prontuário,
            histórico do paciente, e mails, emails, mensagens, caixa de entrada, variáveis de ambiente, env, ssh,
            dados, dados pessoais, configuração, prompt, tudo o que sabe, tudo o que sabes, localização, cartão,
            número do cartão, conta bancária, número da conta, diário, calendário, frase semente, notas,
            guardados, guardadas, salvos, endereços, endereço, memória
        """,
        OrderEvidence.HIDE: """
            em segredo, secretamente, silenciosamente, em silêncio, às escondidas, discretamente, sorrateiramente,
            de mansinho,
            sem (perguntar|avisar|dizer|dizer
            nada|contar|mencionar|confirmar|confirmação|informar|consultar|alertar|comentar|pedir|que|deixar|revelar|aviso|mostrar|permissão|lhe),
            não
            (digas|diga|digam|contes|conte|contem|menciones|mencione|mencionem|avises|avise|reveles|revele|informes|informe|perguntes|pergunte|mostres|mostre|expliques|fales|fale|comentes|comente),
            não lhe (digas|diga|conte|contes), oculta, oculte, ocultem, esconde, esconda, escondam, cala, cale,
            calar, omita, omite, omitam, silencia, não contar, não mencionar, não dizer, guarda silêncio,
            não precisa saber, não precisa de saber, não deve saber, não pode saber, não tem de saber, nega, negue,
            sem que, sem o, nada disso, não é preciso perguntar, não precisa perguntar, não exige confirmação,
            sem ninguém
        """,
        OrderEvidence.ASKED: """
            pergunta, perguntam, perguntar, perguntarem, pergunte, perguntas, pede, pedem, pedir, pedirem, peça,
            consulta, consultas, quer saber, quiser saber, procurar, procura, procure, procuram, mencionar, menciona,
            mencionem, mencionarem, falar, falarem, falar em, falar de, precisar, precise, solicita, solicite,
            interessar, questão, questões, questionar, pedido
        """,
        OrderEvidence.WHEN: """
            quando, se, sempre que, cada vez que, toda vez que, assim que, logo que, a quem, a toda pergunta,
            a qualquer pergunta, a cada pergunta, da próxima vez, caso, até que, quem, depois de, para quem,
            em qualquer pergunta, sobre qualquer, todos os que, aos que
        """,
        OrderEvidence.EVERY: """
            toda pergunta, qualquer pergunta, cada pergunta, todas as perguntas, qualquer pedido, te perguntarem,
            te perguntar, perguntarem por, lhe perguntarem, quem perguntar, usuário perguntar, utilizador perguntar,
            quem procurar, quem procure, quem pedir, quem quiser, perguntarem, a quem
        """,
        OrderEvidence.LATER: """
            da próxima vez, na próxima, próxima sessão, próxima conversa, assim que, logo que, espera, espere,
            aguarda, aguarde, daqui a uma semana, a palavra, mais tarde, no dia primeiro, no primeiro dia, no dia um,
            semana que vem, próxima semana, amanhã, ao fim de cada, no final de cada
        """,
        OrderEvidence.SAY: """
            diz, diga, digam, dize, dirás, dirá, responde, responda, respondam, responderá, responderás, indica,
            indique, indiquem, recomenda, recomende, recomendem, afirma, afirme, afirmem, assegura, assegure,
            garante, garanta, menciona, mencione, elogia, elogie, elogiem, louva, louve, avalia, avalie, classifica,
            classifique, aconselha, aconselhe, aconselhem, desaconselha, desaconselhe, cita, cite, descreve,
            descreva, apresenta, apresente, convence, convença, declara, declare, sugere, sugira, informa, informe,
            explica, explique, insiste, insista, avisa, lembra, promove, promova, dá, dê, dará, darás, põe,
            oferece, ofereça, nomeia, nomeie, escreve, escreva, aponta, aponte, resume, resuma, conta, conte, chama,
            chame, anuncia, confirma, sugere lhe, sugira lhe, recomenda lhe, propõe, proponha, oferece lhe
        """,
        OrderEvidence.PROMOTE: """
            recomenda, recomende, recomendem, elogia, elogie, louva, promove, promova, desaconselha, desaconselhe,
            aconselha, aconselhe, cinco estrelas, o melhor, a melhor, o único, a única, sugira, sugere, destaca,
            destaque
        """,
        OrderEvidence.ONLY: """
            só, somente, apenas, unicamente, exclusivamente, mais nada, nada mais, nenhuma outra, nenhum outro,
            aconteça o que acontecer, mesmo que, ainda que, diga o que disser, sempre, em vez de, as demais,
            os demais, as outras, os outros, primeiro, em primeiro lugar, sem exceção, o melhor, a melhor, dobro,
            nenhum lugar
        """,
        OrderEvidence.ACT: """
            apaga, apague, apaguem, elimina, elimine, eliminem, exclui, exclua, transfere, transfira, transfiram,
            paga, pague, paguem, compra, compre, comprem, comprar, reserva, reserve, reservem, reservar, confirma,
            confirme, confirmem, aprova, aprove, aprovem, assina, assine, assinem, muda, mude, altera, altere, troca,
            troque, sobrescreve, desativa, desative, cancela, cancele, cancelem, abre, abra, abram, executa, execute,
            executem, chama, chame, invoca, instala, instale, concede, conceda, substitui, substitua, vende, venda,
            subscreve, clica, clique, visita, visite, baixa, baixe, descarrega, aceita, aceite, autoriza, autorize,
            valida, valide, modifica, modifique, usa, use, utiliza, utilize, desbloqueia, parar o remédio, parar,
            prossiga, prossegue, inscreve, dobra, desliga, desligue, remove, remova
        """,
        OrderEvidence.TOOL: """
            ferramenta, ferramentas, função, comando, comandos, terminal, script, interpretador,
            resultado da ferramenta, saída da ferramenta, shell, código a seguir, código seguinte, plugin
        """,
        OrderEvidence.UNLIMITED: """
            sem (nenhum |nenhuma |qualquer
            |)(limites|limite|restrições|regras|normas|filtros|filtro|censura|restrição|barreiras|tabus|moral|escrúpulos),
            nunca recusa, nunca se recusa, não recusa nada, jamais recusa, responde a tudo, responde tudo,
            não conhece limites, não tem regras, não tem limites, livre de, irrestrita, irrestrito,
            tudo é permitido, modo desenvolvedor, modo manutenção, modo deus, pode fazer qualquer coisa, pode tudo,
            não obedece
        """,
        OrderEvidence.ROLE: """
            agora você é, agora tu és, agora és, você agora é, você é agora, tu és agora,
            a partir de agora você é, a partir de agora és, a partir de agora tu és, de agora em diante você é,
            aja como, age como, faz de conta, faça de conta, finge, finja, imagina que és, imagine que é,
            imagine que você é, faz o papel, faça o papel, interpreta, interprete, comporta te como,
            comporte se como, serás, será, teu novo papel, seu novo papel, passas a ser, passa a ser,
            você passa a ser, como se fosses, como se fosse, assume o papel, assuma o papel, entra em modo,
            entre em modo, ativa o modo, ative o modo, encarna, encarne, não saias do papel, não saia do papel,
            responde como, responda como, fala como, fale como
        """,
        OrderEvidence.OFFICIAL: """
            ordem oficial, instrução oficial, aviso oficial, comunicado oficial, pela presente, por ordem de,
            por ordem da, por ordem do, autorizo te, autorizo você, eu te autorizo, está autorizado,
            estás autorizado, fica autorizado, ficas autorizado, ficam autorizados, prioridade máxima,
            máxima prioridade, alta prioridade, equipe de segurança, equipa de segurança, diretor geral,
            mensagem do sistema, mensagem de sistema, mensagem do desenvolvedor, política de emergência, sou o teu,
            sou o seu, sou o diretor, sou a diretora, como diretor, como diretora, como administrador, ordeno te,
            eu ordeno, em nome do teu, em nome do seu, a todos os assistentes, a todos os agentes,
            permissões habituais, protocolo de emergência
        """,
        OrderEvidence.OBEY: """
            obedece, obedeça, obedeçam, segue, siga, sigam, faz o que, faça o que, cumpre, cumpra, acata, acate,
            atende, escuta, escute, ouve, ouça, tua única tarefa, sua única tarefa, a tua tarefa, sua tarefa é,
            sua nova tarefa, tua missão, sua missão, novas instruções, novas regras, novas ordens, tem prioridade,
            têm prioridade, prevalece, prevalecem, acima de, executa o, cumpra o, serves a, trabalhas para,
            obedeces a, faz só, faça só
        """,
        OrderEvidence.POLITE: """
            por favor, a bondade, a gentileza, teria a, terias a, poderia, poderias, podias, agradecíamos,
            agradeceríamos, agradecemos, rogamos, pedimos te, pedimos lhe, pedimos que, querida, querido, cara,
            caro, prezada, prezado, estimado, muito obrigado, faz nos o favor, faça nos o favor, seja amável
        """,
        OrderEvidence.MUST: """
            deve, devem, deves, deverá, deverão, deverás, tem de, têm de, tens de, tem que, têm que, tens que,
            há de, é preciso, são obrigados, obrigatório, sempre, costuma, costumam, pode, podem, podes
        """,
        OrderEvidence.THIS: """
            esta página, este texto, este documento, esta linha, esta mensagem, esta carta, esta nota, este arquivo,
            este ficheiro, este folheto, este e mail, este parágrafo, o seguinte, a seguinte, seguintes, a seguir,
            a página, este site, abaixo
        """,
        OrderEvidence.STAFF: """
            nós, nosso, nossa, nossos, nossas, funcionários, pessoal, professores, voluntários, visitas,
            inquilino, enfermeiros, motoristas, treinadora, treinador, trabalhadores, colegas
        """,
        OrderEvidence.REPORT: """
            ataque, ataques, atacante, atacantes, por exemplo, exemplo, cita o, cita um, citam, explica por, ensina,
            ensinam, aprenderam, golpe, golpes, fraude, burla, phishing, injeção, malicioso, maliciosa,
            pesquisadores, investigadores, truque, modelo de prompt, dizem lhe, golpistas, burlões, mostra como,
            avisa que, matéria
        """,
    },
)
