"""By what a sentence shows whether it stands by itself, and that it states something, by language. Data only.

Lists that no language module has; all lower-case, apostrophes straight.
"""

from dataclasses import dataclass, field

from remanence.languages.lexicon import words


@dataclass(frozen=True, slots=True)
class Stating:
    """Words of one language about the beginning and the verb of a statement.

    `leads` join a sentence to what was said before, `cries` answer or exclaim where a pause follows: a statement is the
    same without them. `dependents` stand for something that was said before, `articles` do so before a verb,
    `backward` within a sentence that names nothing before them, of which `personal` are those of persons. `opening`
    words begin another statement. `persons` say "I" or "we", so do `finite` verbs and `endings` by themselves; `verbs`
    are others. `calling` words follow a name that is called upon, `inverting` ones begin a question. `ifs` with
    `unreal` suppose, `courtesies` begin what tells nothing, `sayings` are phrases of what is only quoted.
    """

    leads: frozenset[str]
    cries: frozenset[str]
    dependents: frozenset[str]
    persons: frozenset[str]
    sayings: tuple[str, ...]
    courtesies: frozenset[str] = frozenset()
    ifs: frozenset[str] = frozenset()
    unreal: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    backward: frozenset[str] = frozenset()
    personal: frozenset[str] = frozenset()
    calling: frozenset[str] = frozenset()
    opening: frozenset[str] = frozenset()
    inverting: frozenset[str] = frozenset()
    finite: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    endings: tuple[str, ...] = field(default_factory=tuple)


STATING: dict[str, Stating] = {
    "en": Stating(
        leads=words("and but so also plus anyway btw besides then or though just guys folks"),
        cries=words("""
            absolutely ah alright aw aww cool correction course dang definitely evening exactly good
            gosh great ha haha hello hey hi honestly huh listen lol look lovely mean morning nah
            news no nope now oh ok okay oof ooh oooh ouch perfect phew right sorry sure thanks
            totally true ugh update wait well whoa woah woo wow yay yeah yep yes yup
        """),
        dependents=words("""
            it it's it'll it'd its they they're they'll they've he he's he'll he'd she she's she'll
            she'd his her their him them that that's that'll this these those it'd which because
            since hers theirs than neither both another same should must would might much ours mine
            they'd turns gotta gonna wanna
        """),
        persons=words("i i'm i've i'll i'd we we're we've we'll im ive"),
        sayings=("as they say", "they say,", "what they say", "as the saying", "they always say", "like they say"),
        courtesies=words("""
            here here's wishing hoping let's appreciate thanks glad sounds excited happy looking
            look congrats congratulations fingers wow
        """),
        ifs=words("if"),
        unreal=words("would could might i'd we'd he'd she'd they'd you'd"),
        backward=words("it it's they they're he he's she she's him her them this these those that there his their one"),
        personal=words("he he's she she's him her"),
        articles=words("one"),
        calling=words("i i'm i've we we're my our let's after it it's that's in on last when"),
        finite=words("can't cannot won't haven't didn't"),
        inverting=words("can could will would does do did is are has have should"),
        opening=words("""
            and but so because when while though although which since until that who who'd where if
            as after before
        """),
    ),
    "de": Stating(
        leads=words("und aber also leute oder übrigens außerdem ansonsten dann jedenfalls nur"),
        cries=words("""
            ja nein nee nö doch ok okay gut ach ach so na naja tja hm oh ah moin hallo hi hey sorry
            super danke klar genau stimmt moment korrektur alles passt
        """),
        dependents=words("""
            er es sie ihn ihm ihr ihnen dies dieser diese dieses diesen dort dafür damit
            davon dazu daran darum deshalb deswegen sondern weil denn nicht selbst
        """),
        articles=words("der die das den dem"),
        persons=words("ich wir bin hab"),
        sayings=("wie man sagt", "wie man so", "sagt man", "heißt es so"),
        ifs=words("wenn falls"),
        unreal=words("würde würden hätte hätten wäre wären könnte könnten"),
        finite=words("""
            bin hab habe hatte komme komm fahre fahr gehe geh nehme nehm brauche brauch mache mach
            arbeite wohne wohn esse trinke kaufe bringe bring hole hol treffe ziehe zieh bleibe
            bleib lerne plane mess messe muss will kann darf mag werde werd
        """),
        verbs=words("""
            ist sind war waren hat haben hatten wird werden kommt kommen bleibt bleiben bestellt
            bestellen steht stehen liegt liegen hängt hängen macht machen gibt gibts gibt's geht
            gehen nimmt nehmen fährt fahren läuft laufen schafft kriegt kriegen gilt gelten bringt
            bringen bekommt bekommen soll sollen wollen müssen zieht ziehen fängt beginnt endet
            findet treffen trifft isst essen trinkt zahlt zahlen braucht brauchen öffnet schließt
        """),
    ),
    "fr": Stating(
        leads=words("et mais donc alors ou puis aussi sinon bref là"),
        cries=words("""
            oui non ouais si ok ah oh bon ben bah alors salut coucou bonjour bonsoir merci tiens
            attends parfait voilà pardon désolé désolée super bref correction fait
        """),
        dependents=words("""
            que il elle ils elles ça cela ce c'est c'était celui celle ceux celles lui leur eux y en
            parce car pas sauf ce n'est ceci
        """),
        persons=words("je j'ai j'avais on nous moi"),
        sayings=("comme on dit", "dit-on", "disait ma", "disait mon", "comme disait", "dit le proverbe"),
        finite=words("suis ai vais"),
        verbs=words("""
            c'est est sont ont va vont font fait prend prends prennent met mets vient viens part pars
            arrive passe coûte coûtent reste faut dort dors mange boit bois travaille habite
            commence finit ferme ouvre doit peut faut tient marche sert s'appelle
        """),
        ifs=words("si s'il s'ils"),
        unreal=words("serait serais aurait aurais ferais ferait ferions irais voudrais pourrais pourrait"),
    ),
    "es": Stating(
        leads=words("y pero o entonces además pues también así"),
        cries=words("""
            sí no bueno vale ok ay ah oh hola perfecto perdón vaya claro mira oye genial gracias
            enhorabuena corrección buenas
        """),
        dependents=words("que él ella ellos ellas eso esto ese esa este esta porque ni allí ahí ello"),
        persons=words("yo nosotros nosotras me nos"),
        sayings=("como dicen", "como se dice", "dice el refrán", "como dice el", "como decía"),
        ifs=words("si"),
        unreal=words("haría tendría sería podría pondría poníamos compraría iría habría"),
        finite=words("""
            soy estoy tengo vivo trabajo voy vengo hago doy llevo uso tomo hay somos estamos tenemos
            vamos llevamos cambio me nos
        """),
        verbs=words("""
            es son está están tiene tienen va van sale salen llega llegan cuesta cuestan empieza
            termina abre cierra vive trabaja quiere quieren necesita necesitan da dan dice pone hace
            hacen queda quedan sirve aguanta lleva llevan viene vienen usa usan
        """),
        endings=("é", "í", "amos", "emos", "imos", "aré", "eré", "iré"),
    ),
    "pt": Stating(
        leads=words("e mas ou então aliás também daí assim"),
        cries=words("""
            sim não ok bom bem ah oh oi olá perfeito desculpa desculpe claro olha valeu obrigado
            obrigada legal correção gente nossa
        """),
        dependents=words("que ele ela eles elas isso isto aquilo esse essa este esta porque lá aí nem"),
        persons=words("eu nós me nos"),
        sayings=("como dizem", "como se diz", "diz o ditado", "dizia minha", "já dizia"),
        ifs=words("se"),
        unreal=words("faria teria seria poderia compraria iria haveria"),
        finite=words("sou estou tenho moro trabalho vou venho faço dou levo uso tomo há somos estamos temos vamos"),
        verbs=words("""
            é são está estão tem têm vai vão sai chega custa custam começa termina abre fecha mora
            trabalha quer querem precisa precisam dá diz faz fazem fica ficam serve aguenta leva
            levam vem vêm usa usam
        """),
        endings=("ei", "amos", "emos", "imos", "arei", "erei", "irei"),
    ),
}  # fmt: skip
# Signs that a Chinese or Japanese sentence begins with where it speaks of what was said before.
UNSPACED_DEPENDENTS = (
    "它",
    "他",
    "她",
    "这个",
    "這個",
    "那个",
    "那個",
    "これ",
    "それ",
    "あれ",
    "彼は",
    "彼女は",
)
UNSPACED_SAYINGS = ("俗话说", "常言道", "ことわざ", "と言います通り")
