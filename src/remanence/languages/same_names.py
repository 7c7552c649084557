"""Which words between two names say that both are one, or that they are two, by language. Knows words only.

Each pattern is what stands between the first name and the second, blanks and commas off; a line that begins with `~`
goes on with the one above.
"""


def _patterns(lines: str) -> tuple[str, ...]:
    """Return the patterns of a list, one a line."""
    text = lines.replace("\n    ~", "")
    return tuple(line.strip() for line in text.splitlines() if line.strip())


# Whatever the two are names of, in fourteen languages; in Arabic the second name may be joined to its preposition.
STATED = _patterns(r"""
    a\.?k\.?a\.?
    alias
    (?:(?:is|was|were|are|has been) )?(?:(?:also|better|commonly|formerly|previously|otherwise|originally|once|n
    ~ow|often|usually|officially|generally|widely) )*known(?: simply)? (?:as|by)
    (?:is|was|has been) (?:(?:also|now|formerly|previously|originally|once|often|usually|officially) )*(?:called
    ~|abbreviated|shortened|nicknamed|dubbed|renamed)(?: simply)?(?: as| to)?
    (?:also|now|formerly|previously|originally|once|often|usually|officially) (?:called|named|nicknamed|dubbed|a
    ~bbreviated)(?: as)?
    (?:is|was) (?:short|an abbreviation|an acronym|a nickname|the nickname|another name|the old name|the new nam
    ~e|the code name|a code name|the full name|the former name) (?:for|of)
    stands for
    (?:also )?goes by(?: the name)?(?: of)?
    (?:'s|whose) (?:full|real|legal|old|former|new|proper|code) name (?:is|was)
    (?:but |and )?(?:everyone|everybody|we all|we|people|friends|they|most people|colleagues|the team) (?:just )
    ~?(?:calls?|knows?) (?:him|her|them|it)(?: as| just| by)?
    (?:whom|who|that|which) (?:everyone|everybody|we|people|friends|they|most people) (?:just )?(?:calls?|knows? as)
    (?:is|are) the same (?:person|thing|project|company|tool|place) as
    used to be (?:called|known as|named)
    changed (?:its|her|his) name to
    (?:(?:ist|war|wird|wurde) )?(?:(?:auch|besser|früher|ehemals|vormals|jetzt|allgemein|oft|einfach) )*(?:bekan
    ~nt als|bekannt unter dem namen|genannt|gerufen)
    (?:hei(?:ß|ss)t|hie(?:ß|ss)) (?:eigentlich|früher|jetzt|nun|vorher|offiziell|richtig|mit vollem namen|bei uns)
    mit spitznamen
    (?:ist|war) (?:die abkürzung|die kurzform|kurz|der spitzname|ein anderer name|der frühere name) (?:für|von)
    (?:den|die|das) (?:alle|wir|viele)(?: nur)?
    (?:nennen|rufen) (?:alle|viele)(?: nur)?
    (?:también |mejor |más |antes |ahora )*(?:conocid[oa]|apodad[oa]|denominad[oa])(?: también)?(?: como| por)?(
    ~?: el| la)?
    (?:también |antes |ahora )+llamad[oa]
    (?:a quien|al que|a la que) (?:todos|todo el mundo|la gente)?(?: le| lo| la)? ?(?:llaman?|llamamos|dicen|con
    ~ocen como)
    es (?:la abreviatura|el apodo|la sigla) de
    cuyo nombre (?:completo|real) es
    abreviad[oa](?: como)?
    se llama en realidad
    (?:aussi |mieux |plus |alors |souvent )*(?:connue?|surnommée?|dénommée?|rebaptisée?)(?: aussi| également)?(?
    ~: comme| sous le nom de| sous le nom d')?(?: le| la)?
    (?:aussi |également |autrefois )+appelée?
    (?:que tout le monde|qu'on|que tous) (?:appelle|appellent)
    est (?:l'abréviation|le surnom|le diminutif|le sigle) (?:de|d')
    s'appelle en (?:fait|réalité)
    de son vrai nom
    s'appelait (?:avant|autrefois)
    (?:também |mais |antes |agora )*(?:conhecid[oa]|apelidad[oa]|denominad[oa])(?: também)?(?: como| por| de)?(?
    ~: o| a)?
    (?:também |antes |agora )+chamad[oa](?: de)?
    a quem (?:todos|a gente) chamam?(?: de)?
    é (?:a abreviatura|a sigla|o apelido) de
    cujo nome completo é
    (?:anche |meglio )?(?:not[oa]|soprannominat[oa])(?: anche)?(?: come)?(?: il| la)?
    (?:также |более |ранее |прежде )*известн(?:ый|ая|ое|ые)(?: также)?(?: как| под именем)
    по прозвищу
    прозванн(?:ый|ая)
    он же
    она же
    сокращ[её]нно
    это сокращение от
    котор(?:ого|ую) все зовут
    (?:ο |η |το )?γνωστ(?:ός|ή|ό)(?: και)?(?: ως| σαν)?
    με το παρατσούκλι
    ה?מכונ(?:ה|ים)
    הידוע(?:ה)?(?: גם)?(?: בשם| כ)?
    उर्फ़?
    जिसे सब
    (?:و)?(?:ال)?معروفة?(?: أيضا| أيضًا)?(?: باسم| ب)?
    (?:ال)?ملقبة?(?: أيضا)?(?: باسم| ب)?
    (?:ال)?مشهورة?(?: باسم| ب)?
    (?:ال)?مكنى(?: ب)?
    (?:又名|又叫|也叫|也叫做|也稱|也称|亦称|亦稱|简称|簡稱|原名|别名|別名|昵称|暱稱|外号|外號|绰号|綽號|小名|乳
    ~名|本名|真名|人称|人稱|全称|全稱|以前叫|曾用名)(?:是|为|為|叫)?
    (?:大家|我们|我們|人们|人們|同事|朋友|同事们)(?:都|们都)?(?:叫|称|稱|管)(?:他|她|它)?(?:叫|为|為|作|做)?
    (?:の|は)?(?:通称|別名|略称|愛称|本名|旧称|旧名|正式名称|あだ名|ニックネーム)(?:は|が|を|の|で|:)?
    (?:またの名を?|改め|こと)
    (?:은|는|이|가)?,? ?(?:줄여서|일명|다른 이름은|별명은|별명이|본명은|본명이|옛 이름은|약칭)
""")
# Only after a comma or a bracket: without one the words say that somebody does something.
STATED_APART = _patterns(r"""
    called
    nicknamed
    dubbed
    kurz:?
    spitzname
    llamad[oa]
    appelée?
    chamad[oa]
    vulgo
    dett[oa]
    chiamat[oa]
    en abrégé
    abgekürzt
""")
# Not of places, where the second is as often what the first is part of.
RESTATED = _patterns(r"""
    (?:that|which) is(?: to say)?
    that's
    i\. ?e\.?
    das ist
    das hei(?:ß|ss)t
    d\. ?h\.
    o sea
    es decir
    c'est-à-dire
    c'est à dire
    ou seja
    isto é
    cioè
    то есть
    т\. ?е\.
    δηλαδή
    כלומר
    यानी
    أي
    即
    也就是
    就是
    つまり
    すなわち
    즉
""")
# Of what can be renamed and is in no place.
RENAMED = _patterns(r"""
    formerly
    previously
    ehemals
    vormals
    anciennement
    anteriormente
    ранее
""")
# Of a full name and a short one.
BYNAME = _patterns(r"""
    dite?
""")
# What must stand right before the first name for what stands between to count, and what after the second.
FRAMED = (
    (r"(?:by|with|when i say|under)", r"(?:i|we) mean(?:t)?", r""),
    (r"(?:renamed|rebranded|re-named)", r"(?:to|as|into)", r""),
    (r"(?:we|they|friends|people|everyone|everybody) (?:just )?calls?", r"", r""),
    (r"", r"or", r"for short"),
    (r"", r"(?:den|die|das) (?:alle|wir|viele)(?: nur)?", r"nennen"),
)
# What says that the first and the second are two.
DIFFERENT = _patterns(r"""
    (?:is|are|was|were)(?: definitely| really| of course)? ?(?:not|n't)(?: the same as| related to| to be confus
    ~ed with)?
    isn't(?: the same as| related to)?
    (?:who is |which is )?not to be (?:confused|mixed up) with
    (?:is |are )?no(?:t| relation)? (?:related )?to
    (?:has|have|had) nothing to do with
    (?:is|are) (?:different|someone else|somebody else|another person|another one|unrelated)(?: from| than| to)?
    (?:is|and) (?:a )?(?:different|other) (?:person|thing|project|company) (?:from|than)
    ist nicht(?: dasselbe wie| derselbe wie| dieselbe wie)?
    nicht zu verwechseln mit
    hat nichts zu tun mit
    no es(?: lo mismo que)?
    no confundir con
    no tiene nada que ver con
    n'est pas
    à ne pas confondre avec
    n'a rien à voir avec
    não é(?: o mesmo que| a mesma que)?
    não confundir com
    não tem nada a ver com
    не
    это не
    не путать с
    不是
    じゃない
    とは別の?
    ليس
    ليست
""")
# Words right before a name that say that there are two who bear it.
ANOTHER = frozenset(
    """
    altra altro andere anderem anderen anderer another autre deuxième different other otra otro outra outro
    second seconde segunda segundo third zweite zweiten zweiter άλλη άλλος вторая второй другая другого другой
    آخر दूसरा दूसरी もう一人の 別の 另一个 另一位 另外一个 다른
""".split()
)
# What makes a statement none: a question is told by its mark.
DOUBT = frozenset(
    """
    falls forse guess if maybe might ob perhaps peut-être possibly probably quizá quizás talvez unsure
    vermutlich vielleicht womöglich wonder ίσως возможно может наверное אולי ربما शायद
""".split()
)
DOUBT_UNSPACED = ("也许", "也許", "可能", "かもしれない", "たぶん", "혹시", "아마")
# What tells those of one name and family apart, and never stands in both names of one.
GENERATIONS = frozenset(
    """
    d.j d.ä elder filho fils hijo ii iii iv jr junior neto père senior sr younger младший старший
""".split()
)
TITLES = frozenset(
    """
    dom don dona doña dr frau herr lady m madame miss mlle mme monsieur mr mrs ms prof professor senhor senhora
    señor señora sir sr sra господин госпожа
""".split()
)
# What may follow a name at once, or stand joined before it: words of grammar, not of names.
JOINED_ZH = (
    "是在的有和与與跟把被说說叫去来來要会會住也就都给給对對想喜爱愛用为為从從向了吗嗎呢等这這那"
    "将將曾已又还還最很因所让讓请請做开開负負管告"
)
JOINED_KO = tuple(
    """
    이에요 예요 입니다 에게 에서 께서 이라고 라고 으로 씨 님 은 는 이
    가 을 를 의 에 와 과 도 로 만
    """.split()
)
JOINED_HE = "בלהומשכ"
JOINED_AR = ("وبال", "بال", "وال", "لل", "و", "ب", "ل", "ف", "ك")
