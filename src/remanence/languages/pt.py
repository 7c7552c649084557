"""Portuguese word lists. Data only."""

from remanence.languages.lexicon import Lexicon, months, words

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
    case_bearing=words("português"),
)
