"""Portuguese word lists. Data only."""

from remanence.languages.lexicon import Lexicon, months, opposites, words

PORTUGUESE = Lexicon(
    code="pt",
    stop=words("""
        a à ao aos aquela aquele aqui as às assim até com como cada da das de dela dele deles depois do dos e
        é ela elas ele eles em entre era eram essa esse esta está estamos estão estar estava este estes estou
        eu foi for foram fui há isso isto já lá lhe mais mas me mesmo meu meus minha minhas muito na não nas
        nem no nos nós nossa nosso num numa o os onde ou para pela pelas pelo pelos pois por porque quando que
        quem se sem ser será seu seus só sobre sua suas são também te tem têm tenho ter teu tinha todos tu tua
        um uma umas uns vai você vocês vou
    """),
    negations=words("não nunca jamais nada ninguém nenhum nenhuma nem sem tampouco"),
    weighty=words("""
        até cada com depois entre há já mais muito nem não ou se sem sobre só todos
    """),
    number_words=words("""
        dois duas três quatro cinco seis sete oito nove dez onze doze treze quatorze catorze quinze vinte
        trinta quarenta cinquenta sessenta setenta oitenta noventa cem cento mil milhão dúzia meio meia
        primeiro primeira segundo terceiro
    """),
    months=months("""
        janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
    """),
    time_words=words("""
        ontem anteontem hoje amanhã segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado
        domingo janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro manhã
        tarde noite semana semanas mês meses ano anos dia dias hora horas minuto minutos atrás recentemente
        passado passada próximo próxima breve primavera verão outono inverno aniversário natal páscoa
    """),
    first_person=words("eu me mim meu meus minha minhas comigo nós nos nosso nossa nossos nossas"),
    second_person=words("tu te ti teu tua teus tuas contigo você vocês"),
    past=words("""
        foi foram fui era eram estava estive esteve tinha tive teve fiz fez disse vi viu dei deu fomos fizemos
        comprei comprou conheci conheceu cheguei chegou comecei começou quis pude soube veio vim ido feito
        dito visto sido estado
    """),
    past_endings=("aram", "eram", "iram", "amos", "emos"),
    not_past=words("vamos estamos temos"),
    kin=words("""
        mãe mamãe pai papai pais filho filha filhos filhas criança crianças bebê irmão irmã irmãos marido
        esposa mulher parceiro parceira namorado namorada noivo noiva avô avó avós neto neta tio tia primo
        prima sobrinho sobrinha família gêmeos amigo amiga amigos vizinho vizinha colega chefe cachorro
        cachorra cão cães filhote gato gata gatos gatinho hamster coelho papagaio cavalo
    """),
    reactions=words("""
        uau obrigado obrigada sim não claro legal ótimo bom boa bem perfeito exato olá oi tchau oh ah haha
        parabéns incrível verdade nossa
    """),
    offers=(
        "aqui estão",
        "aqui está",
        "me avise",
        "avise-me",
        "fique à vontade",
        "posso ajudar",
        "você gostaria",
        "quer que eu",
        "espero que isso",
        "se precisar",
    ),
    case_bearing=words("português rosa pilar estado luz sol leão"),
    abbreviations=words("oi ir sus das pis pão tim foz"),
    opposites=opposites("""
        acende aceso acesa liga ligado ligada | apaga apagado apagada desliga desligado desligada
        sobe subiu subir cima | desce desceu descer baixo cai caiu
        antes | depois
        primeiro primeira | último última
        esquerda esquerdo | direita direito
        dentro | fora
        sobre acima | sob abaixo
        desde | até
        com | sem
        mais maior | menos menor
        sempre | nunca jamais
        todos todas tudo alguém algo | ninguém nenhum nenhuma nada
        sim | não
        abre abriu aberto aberta abrir abrem | fecha fechou fechado fechada fechar fecham
        começa começou início | termina terminou acaba acabou fim
        permite permitido permitida | proíbe proibido proibida
        aceita aceitou aceito aprovou | recusa recusou rejeita rejeitou
        ama gosta adora | odeia detesta
        ganha ganhou | perde perdeu
        compra comprou comprador compradora | vende vendeu vendedor vendedora
        empresta emprestou | pede pediu
        dá deu envia enviou | recebe recebeu toma tomou
        ensina ensinou | aprende aprendeu
        aumenta aumentou cresce cresceu | diminui diminuiu reduz
        chega chegou entra entrou vem veio | sai saiu vai foi parte partiu
        precede precedeu | segue seguiu
        verdadeiro certo correto | falso errado incorreto
        bom boa bem melhor | mau má mal pior ruim
        grande | pequeno pequena
        alto alta | baixo baixa
        longo longa comprido | curto curta
        largo larga | estreito estreita
        rápido rápida | lento lenta devagar
        quente | frio fria
        seco seca | molhado molhada úmido
        claro clara | escuro escura
        leve | pesado pesada
        cheio cheia | vazio vazia
        novo nova jovem | velho velha
        cedo | tarde
        rico rica | pobre
        forte | fraco fraca
        fácil | difícil
        barato barata | caro cara
        seguro segura | perigoso perigosa
        vivo viva | morto morta
        perto | longe
        norte | sul
        leste | oeste
        frente | trás
        dia | noite
        verão | inverno
        ontem | amanhã
        homem | mulher
        mãe | pai
        irmão | irmã
        filho | filha
        solteiro solteira | casado casada
        público pública | privado privada
        limpo limpa | sujo suja
        juntos juntas | separados separadas
    """),
    negative_prefixes=(
        "des",
        "in",
        "im",
        "ir",
        "anti",
    ),
)
