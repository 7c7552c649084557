"""Portuguese words of telling. Data only."""

from remanence.languages.lexicon import words
from remanence.languages.telling.told import Telling, groups, phrases

PORTUGUESE = Telling(
    code="pt",
    attributes=groups("""
        be: é são sou está estão estou fica
        have: tem tenho
        live: moro mora vivo
        work: trabalho trabalha
        call: chama chamo
        start: começa abre
        end: termina fecha
        leave: sai parte
        cost: custa custam
        run: roda funciona
        use: uso usamos
        play: toco toca
    """),
    others=words("""
        vem dura paga pago vende oferece cobre serve ensina ensino estuda estudo lê fala falo guarda envia recebe
        traz compra cuida pertence depende dorme durmo ganha ganho pesa toma bebe bebo dirige dirijo chega passa
        mede cobra entrega publica
    """),
    changes=words("mudou mudado passou passado subiu desceu mudaram"),
    into=words("para pra a"),
    updates=phrases("""
        a partir de agora / a partir de hoje / de agora em diante / desde agora / agora / já / atualmente /
        hoje em dia / de novo / outra vez
    """),
    doubts=phrases("""
        se / talvez / quem sabe / provavelmente / poderia / seria / teria / queria / quero / queremos / gostaria /
        penso / acha / acho / espero / diz / dizem / disse / segundo / ouvi / antes / era / eram / foi / estava /
        tinha / havia / antigamente / passada / anterior / também / tampouco / além disso / outro / outra / ainda /
        não / nunca / jamais / sem / exceto / só / somente / hoje / esta semana / esta noite / amanhã / por enquanto
        / quase / uns / ou / mas / porque / quando / que / quem / onde / como / oxalá
    """),
    openers=phrases("""
        como você sabe / a propósito / aliás / boa notícia
    """),
    labels=words("nota aviso lembrete atualização correção estado"),
    offices=words("""
        chefe diretor diretora gerente capitão proprietário proprietária responsável treinador treinadora prefeito
        prefeita senha código número endereço aniversário cor dentista fornecedor presidente turno
    """),
    any_value=words("senha código"),
    favourites=words("favorito favorita preferido preferida"),
    liked=words("""
        cor comida livro filme canção música banda jogo esporte time animal sobremesa prato bebida
    """),
    definite=words("o a nosso nossa meu minha"),
    bounds=words("acima abaixo"),
    articles=words("o a os as um uma nosso nossa este esta"),
    prepositions=words("em no na nos nas de do da dos das por para com desde sob sobre"),
    i=words("eu"),
    my=words("meu minha meus minhas"),
    nobody=words("isso isto ele ela eles elas há aqui ali se você vocês"),
    own=words("moro vivo trabalho sou estou uso toco tenho pago ensino estudo falo durmo ganho bebo dirijo"),
    moving=r"(?:^|\s)(?:eu )?(?:me )?mudei(?:-me)? para ([A-ZÁÉÍÓÚÃÕ]\S{1,40})$",
    weekdays=words(
        "segunda segunda-feira terça terça-feira quarta quarta-feira quinta quinta-feira sexta sexta-feira"
    ),
    every_weekday=words("segundas terças quartas quintas sextas"),
    numbers=words("""
        dois duas três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze vinte trinta quarenta
        cinquenta cem mil meia primeiro segundo terceiro noite manhã tarde janeiro fevereiro março abril maio junho
        julho agosto setembro outubro novembro dezembro
        meio-dia meia-noite
    """),
    colours=words(
        "vermelho vermelha verde azul amarelo amarela laranja preto preta branco branca cinza marrom rosa"
    ),
)
