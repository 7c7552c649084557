"""What Portuguese sentences do, by phrases. Data only."""

from remanence.languages.assertions import Assertions, phrases
from remanence.languages.lexicon import words

PORTUGUESE_ASSERTIONS = Assertions(
    code="pt",
    vetoes=phrases(
        asks="""
            ^o que, ^quando, ^onde, ^quem, ^por que, ^por quê, ^qual, ^quais, ^como é, ^como faço, ^como posso,
            ^quanto, ^quantos, ^quantas
        """,
        inverts="""
            ^você pode, ^você sabe, ^pode me, ^poderia, ^será que, ^tem como, ^sabe se, ^posso, ^você tem,
            ^tudo bem
        """,
        requests="""
            ^escreva, ^escreve, ^me dá, ^me dê, ^me diz, ^me diga, ^me mostra, ^me mostre, ^mostre, ^mostra,
            ^me ajuda, ^me ajude, ^explica, ^explique, ^procura, ^procure, ^traduz, ^traduza, ^resuma, ^resume,
            ^imprime, ^imprima, ^crie, ^cria, ^gere, ^corrige, ^corrija, ^confere, ^verifica, ^verifique,
            ^compara, ^compare, ^calcula, ^calcule, ^manda, ^mande, ^envia, ^envie, ^abre, ^abra, ^fecha, ^feche,
            ^apaga, ^apague, ^espera, ^espere, ^olha, ^olhe, ^faça, ^faz um, ^faz uma, ^me lembra, ^deixa eu,
            preciso de uma lista, preciso da lista, preciso de ajuda, preciso que você, queria uma lista,
            ^me explica, ^me explique, ^me faz, ^me faça, ^me sugere, ^sugira, ^prepara, ^prepare, ^adicione,
            ^adiciona, ^converta, ^converte, ^pergunte, ^ordene, ^reescreva, ^invente, ^me pergunta,
            gostaria de uma, quero uma lista, ^vamos ver, ^boa sorte, ^por favor escreva
        """,
        supposes="^se, ^suponha, ^suponhamos, ^imagina, ^imagine, ^caso, ^digamos, teria sido, eu teria",
        wishes="""
            ^tomara, ^espero que, ^quem dera, seria ótimo, seria legal, seria bom, alguém devia, alguém deveria,
            ^talvez eu devesse, oxalá
        """,
        plays="""
            era brincadeira, é brincadeira, estava brincando, tô brincando, no meu conto, no meu romance,
            era uma vez
        """,
        passing="""
            muito obrigado, muito obrigada, obrigado por, obrigada por, até logo, até mais, até amanhã, já volto,
            tenho que ir, bom dia, boa tarde, boa noite, sinto muito, parabéns, não sei, sei lá, nem ideia,
            deixa pra lá, de nada, vou pensar, que nada
        """,
        errors="traceback, error:, erro:, exceção:, falhou, aviso:",
    ),
    categories=phrases(
        correction="""
            está errado, tá errado, ^correção, eu me enganei, me enganei, errei, quis dizer, queria dizer,
            não é mais, já não, ^não é, ^não o, ^não a, ^na verdade é, ^desculpa é, me confundi
        """,
        decision="""
            decidimos, decidi, decidiu, decidido, decisão, combinamos, acertamos, escolhemos, escolhi,
            ficamos com, optamos, a partir de agora, a partir de hoje, de agora em diante, daqui pra frente,
            vamos usar, vamos com, usaremos, mudamos para, ficou decidido
        """,
        commitment="""
            prometo, prometi, me comprometo, eu cuido, deixa comigo, fico responsável, vou entregar, vou mandar,
            vou enviar, vou fazer, vou levar, vou terminar, entregarei, enviarei, vou, vamos, tenho que,
            temos que, preciso entregar, prazo, vence, tenho consulta, consulta marcada
        """,
        principle="""
            sempre, nunca, jamais, deve, devem, é preciso, tem que ser, a regra, nossa regra, por princípio,
            norma, obrigatório, obrigatória, proibido, proibida, de jeito nenhum, em hipótese alguma,
            sem exceção, não se pode
        """,
        preference="""
            prefiro, preferimos, prefere, gosto de, gosto do, gosto da, não gosto, adoro, amo, odeio, detesto,
            não suporto, não como, não bebo, favorito, favorita, favoritos, favoritas, preferido, preferida,
            quero que, quero sempre, vegano, vegana, vegetariano, vegetariana, me chame de, me chama de,
            gostamos, adora, gosta de, fã de, apaixonado por, apaixonada por
        """,
        moment="""
            morreu, faleceu, nasceu, me casei, nos casamos, casou, me formei, passei no, passei na, ganhei,
            ganhamos, perdi, perdemos, me mudei, nos mudamos, pedi demissão, fui demitido, fui demitida, ontem,
            anteontem, semana passada, mês passado, ano passado, comecei, começamos, terminei, comprei,
            compramos, viajei, conheci, fui, fomos
        """,
        relationship="""
            meu irmão, minha irmã, minha mãe, meu pai, meu filho, minha filha, meu marido, minha mulher,
            minha esposa, meu namorado, minha namorada, meu parceiro, minha parceira, meu chefe, minha chefe,
            meu amigo, minha amiga, meu primo, minha prima, meu tio, minha tia, meu avô, minha avó, meu vizinho,
            minha vizinha, meu colega, minha colega, meus filhos, meus pais, meu médico, moro com, casado com,
            casada com, trabalha com, trabalha para, dirige a, chefia
        """,
        skill="""
            eu sei, sei tocar, sei falar, sei nadar, sei cozinhar, falo, toco, domino, conserto, sou bom em,
            sou boa em, não sei nadar, não sei dirigir, estou aprendendo, aprendi a, fala, toca, carteira de,
            anos de experiência, especialista em, formado em, formada em
        """,
        entity="""
            chama-se, se chama, se chamam, é nosso, é nossa, é o nosso, é a nossa, temos dois, temos duas,
            temos um, temos uma, tenho um cachorro, tenho um gato, fica na, fica no, fica em, roda em, roda no,
            mora em, fornecedor, chamado, chamada
        """,
    ),
    weights=phrases(
        rules="^sempre, ^nunca, ^jamais, proibido, obrigatório",
        state="""
            ^sou, eu sou, ^estou, eu estou, ^tenho, eu tenho, ^moro, eu moro, ^trabalho, eu trabalho, ^estudo,
            ^uso, ^ganho, ^nasci, ^como, ^bebo, ^tomo, meu nome é, me chamo, meu aniversário, meu endereço,
            meu telefone, alérgic*, celíac*, diabétic*, grávida, intoleran*, somos, temos, moramos, trabalhamos,
            usamos, desde, anos, faz dois, minha, meu, meus, minhas
        """,
        held="""
            é o, é a, é às, é em, são, está, estão, custa, começa, termina, abre, fecha, trabalha, mora,
            pertence, tem, vem, fica, é de, é no, é na
        """,
        hedges="""
            talvez, quem sabe, pode ser, possivelmente, provavelmente, acho, acho que, suponho, me parece,
            não tenho certeza, mais ou menos, parece que, pelo jeito
        """,
        opinions="^isso, ^isto, ^que, ^você, ^tu, as pessoas, todo mundo, ^acho que, ^a vida, ^parece",
        confirms="""
            ^criado, ^criada, ^reservado, ^reservada, ^confirmado, ^confirmada, ^agendado, ^agendada, ^salvo,
            ^cancelado, ^enviado, está reservado, está confirmado
        """,
        pledges="vou enviar, vou mandar, vou te lembrar, eu cuido, prometo, enviarei, vou reservar, vou escrever",
    ),
    importance=phrases(
        critical="""
            alérgic*, alergia, anafil*, perigo*, mortal, pode matar, emergência, marcapasso, epilep*, diabét*,
            insulina, muito importante, essencial, crítico, crítica, vital, veneno*, overdose,
            em hipótese alguma, de jeito nenhum, tipo sanguíneo, jamais, grave, gravemente
        """,
        high="""
            decidimos, decidi, decidido, decisão, prometo, prometi, me comprometo, prazo, vence, consulta,
            sempre, nunca, deve, importante, prefiro, odeio, adoro, detesto, não suporto, gosto de, não gosto,
            favorito, favorita, a partir de agora, me chamo, meu nome, aniversário, vegano, vegana, vegetariano,
            vegetariana, quero que, lembre, não esqueça, vou entregar, escolhemos, celíac*
        """,
    ),
    kinds=phrases(
        episode="""
            ontem, anteontem, hoje, semana passada, mês passado, ano passado, recentemente, há pouco, na segunda,
            na terça, na quarta, na quinta, na sexta, no sábado, no domingo, esta manhã, hoje cedo, outro dia
        """,
        happened="""
            disse, aconteceu, informou, terminou, falhou, ganhou, perdeu, morreu, passei, fui, fomos, entregue,
            resolvido
        """,
        note="""
            sempre, nunca, deve, devem, prefer*, prefir*, quer*, precis*, objetivo, política, norma, regra, cada,
            toda, todo
        """,
    ),
    mute=words("""
        oi olá bom dia boa tarde noite obrigado obrigada muito valeu abraço abraços beijo beijos ok okay tá bom
        tudo bem sim não claro perfeito ótimo legal beleza joia show kk kkk kkkk kkkkk haha rsrs tchau até logo
        mais amanhã entendi certo desculpa desculpe parabéns nossa puxa ah oh que nada mesmo também todos isso
        exato combinado pronto por favor
    """),
    possessives=words("meu minha meus minhas nosso nossa nossos nossas"),
    copulas=words("""
        é são era eram está estão estava tem têm tinha há foi foram será pode deve mora vive trabalha custa
        começa termina fecha abre vem quer prefere fala toca dirige usa precisa fica chama chama-se
    """),
)
