"""How Portuguese says what is to be kept. Data only."""

from remanence.languages.signalling.phrases import Signals, classes, phrases

PORTUGUESE = Signals(
    code="pt",
    high=classes(
        standing_order="""
            a partir de agora, a partir de hoje, a partir de amanhã, de agora em diante, daqui em diante,
            daqui para a frente, daqui pra frente, de hoje em diante, doravante, no futuro, futuramente,
            toda vez que, todas as vezes que, sempre que, cada vez que, ^nunca, ^jamais, nunca mais,
            nunca ~ sem, não ~ nunca, não ~ sem me/perguntar/avisar, não volte a, não voltes a, ^sempre,
            por favor sempre, por favor nunca, pare de, para de ~ me, deixa de, deixe de, em hipótese alguma,
            de jeito nenhum, em caso algum, sem exceção, por regra, a regra é, até segunda ordem,
            use/usa/coloque/escreva/responda/responde-me/escreve sempre, responde-me/responda-me ~ sempre,
            não use/uses/coloque/coloques/escreva/escrevas/mexa/mexas,
            não apague/apagues/envie/envies/mande/mandes/diga/digas,
            me chame de, chama-me, chame-me, trate-me, trata-me, quero que sempre/nunca,
            quero que você ~ sempre/nunca,
            até eu dizer o contrário, até que eu diga o contrário, a menos que eu diga,
            salvo indicação em contrário, salvo aviso em contrário, enquanto eu não disser,
            se eu não disser nada, até novo aviso, ^toda vez que eu, ^cada vez que eu, tome por regra,
            tenha por regra, ^pare de, ^para de, ^deixa de, ^deixe de
        """,
        correction="""
            está errado, está errada, isso não é, não é isso, não é verdade, não está certo, não é correto,
            é falso, estava errado, ^correção, ^corrigindo, me enganei, enganei-me, me confundi, confundi-me,
            errei, ^não o/a/os/as/é/meu/minha/eu/isso, ^na verdade, ^na realidade, ^aliás,
            eu nunca disse/aprovei/pedi/assinei/falei, nunca disse, não disse, não foi isso, quis dizer,
            queria dizer, esquece o que, esqueça o que, não ~ mas sim, não ~ e sim, já não, não é mais,
            erro meu, retifico,
            falei errado, disse errado, eu te disse errado, é o contrário, é ao contrário, está ao contrário,
            você se enganou, você está enganado, você está enganada, você confundiu, você trocou, enganaste-te,
            estás enganado, estás enganada, eu devia ter dito, eu deveria ter dito
        """,
        identity="""
            meu nome é, o meu nome é, seu nome é, me chamo, chamo-me, moro em/no/na/com/perto,
            vivo em/no/na/com, trabalho como/em/no/na/para/de, sou o/a/um/uma, sou de/do/da, sou médic*,
            sou professor*, sou engenheir*, sou advogad*, sou enfermeir*, sou estudante, sou surd*, sou ceg*,
            sou diabétic*, sou celíac*, sou vegan*, sou vegetarian*, sou casad*, sou aposentad*, sou reformad*,
            nasci, tenho ~ anos, tenho dois/duas/três/quatro filhos/filhas, estou grávida, me mudei, mudei-me,
            mudei para, cuido das/dos/da/do, meu aniversário, o meu aniversário, meu e-mail é, meu telefone é,
            meu endereço é, minha morada é, língua materna, minha mulher/esposa/filha/mãe/irmã se/é/chama-se,
            meu marido/filho/pai/irmão se/é/chama-se,
            sou canhot*/destr*/surd*/ceg*/daltônic*/daltónic*/míope,
            sou disléxic*/autista/viúv*/divorciad*/aposentad*/reformad*/bilíngue, uso cadeira de rodas,
            uso aparelho auditivo
        """,
        decision="""
            decidimos, decidi, foi decidido, ficou decidido, está decidido, temos decidido, decidiram,
            resolvemos, resolvi, combinamos, combinámos, acordamos, acordámos, escolhemos, escolhi, optamos,
            optámos, optei, ficou combinado, ficou acordado, a decisão é/foi, vamos ficar com, ficamos com,
            fico com, vamos de, vamos com, mudamos para, fechamos com,
            já é oficial, é oficial, está fechado, ficou fechado, foi cancelad*, cancelamos, cancelámos,
            elegemos
        """,
        preference="""
            odeio, detesto, não suporto, não aguento, amo, adoro, prefiro, alérgic*, alergia, intolerante,
            intolerância, não como, não bebo, não tomo, só como, só bebo, só uso,
            sempre uso/tomo/peço/quero/prefiro/viajo, nunca uso/tomo/como/bebo/viajo, minha ~ favorit*,
            meu ~ favorit*, meu favorit*, minha favorit*, me recuso, recuso-me, me faz mal, faz-me mal,
            não posso comer/beber/tomar, faço questão, evito
        """,
        remember="""
            lembre-se, lembra-te, se lembre, lembre que, lembra que, lembra:, ^lembra, ^lembre, não esqueça,
            não se esqueça, não te esqueças, não esqueças, tenha em mente, tem em mente, tenha em conta,
            tem em conta, anote que, anota que, anote:, anota:, ^anote, ^anota, tome nota, toma nota, ^nota,
            ^importante, é importante que, para sua informação, para tua informação, só para você saber,
            para registro, para registo, fique sabendo, fica a saber, guarde que, guarda que
        """,
    ),
    orders=phrases("""
        pode/poderia/podes/podias ~ sempre, você pode/poderia ~ sempre, pode/poderia/podes ~ a partir de agora,
        pode/poderia/podes me chamar, pode/poderia/podes lembrar que
    """),
    medium=classes(
        habit="""
            normalmente, geralmente, em geral, costumo, costumamos, habitualmente, quase sempre, muitas vezes,
            raramente, às segundas/terças/quartas/quintas/sextas, aos sábados/domingos,
            toda manhã/noite/segunda/sexta, todo dia, todos os dias, de manhã eu
        """,
        preference="gosto, não gosto, gosto mais, curto, gostaria mais, preferia, me agrada, agrada-me",
        opinion="na minha opinião, a meu ver, pessoalmente, estou convencid*, para mim, considero",
        team="""
            meu/minha/nosso/nossa equipe/equipa/chefe/colega/colegas,
            meu/minha/nosso/nossa departamento/empresa/cliente/clientes/escritório/time,
            somos dois/três/quatro/cinco/seis/sete/oito/nove/dez
        """,
        stack="""
            meu/minha/nosso/nossa projeto/projecto/servidor/servidores/banco/base/aplicação,
            meu/minha/nosso/nossa código/repositório/ambiente/site/computador/portátil/notebook,
            usamos, utilizamos, guardamos, trabalhamos com, trabalho com, uso, roda em/no/na/com,
            corre em/no/na, é escrito em
        """,
    ),
    low=classes(
        view="acho, penso que, creio, sinto que, diria, suponho, tenho a impressão",
        impression="me parece, parece-me, parece",
        shared="a equipa, a equipe, o time, todo mundo, toda a gente, colegas",
        hedge="""
            talvez, quem sabe, pode ser, poderia, provavelmente, ficaria melhor, fique melhor, seria melhor,
            um pouco, um bocado
        """,
    ),
    passing=phrases("""
        ainda não, por enquanto, por agora, desta vez, dessa vez, agora mesmo, só hoje, por hoje, no momento,
        este arquivo, esta função
    """),
    vetoes=phrases("""
        se eu fosse, se fosse, se tivesse, se eu tivesse, se tivéssemos, se nós, suponha, suponhamos, imagina,
        imagine, imaginemos, digamos que, ^traduza, ^traduz, como se diz, ^o que, ^por que, ^porque é que,
        ^como, ^quem, ^onde, ^qual, ^quando é
    """),
    empty=phrases("como sempre, adorei, adoraria, para sempre, adoro isso"),
    jokes=phrases("brincadeira, estou brincando, estou a brincar, é brincadeira"),
)
