"""English words of telling. Data only."""

from remanence.languages.lexicon import words
from remanence.languages.telling.told import Telling, groups, phrases

ENGLISH = Telling(
    code="en",
    attributes=groups("""
        be: is are i'm we're
        have: has have
        live: live lives
        work: work works
        call: called named
        start: starts start begins begin opens
        end: ends end closes finishes
        leave: leaves departs sails
        cost: costs cost
        keep: stands stand lies hangs sits kept located stored
        sleep: sleeps
        run: runs run
        meet: meets meet
        listen: listens listen answers
        weigh: weighs weigh
        report: report reports
        lead: led owned managed headed
        use: use uses
        play: plays play
        take: takes
        need: need needs
        allow: allows allow
        wear: wears wear
        ship: ships
        drink: drink drinks
        drive: drive drives
    """),
    others=words("""
        closes pays pay charges sells sell makes make offers covers lasts serves hosts teaches teach studies study
        eats eat reads speaks speak rides ride walks flies parks park holds carries contains measures sends gets get
        receives brings buys buy handles manages owns own supports supplies delivers shows prints stays stay remains
        counts ranks fits belongs depends comes come arrives feeds waters trains train swims swim practises
        practices attends attend visits watches grows produces earns earn spends saves owes accepts requires expects
        processes stores syncs exports imports retries polls refreshes expires renews repeats cooks cook bakes
        orders prefers prefer publishes releases deploys deploy builds build tests reviews approves signs seats
        wakes smokes
    """),
    changes=words(
        "changed moved shifted switched rescheduled postponed raised lowered increased bumped went goes"
    ),
    into=words("to into"),
    updates=phrases("""
        from now on / from today on / from today / from tomorrow on / from tomorrow / as of now / as of today /
        as of this week / as of tomorrow / these days / nowadays / now / currently / actually /
        effective immediately / since yesterday / since last week / since monday / instead / again / correction /
        change of plan / starting today / starting now / starting tomorrow
    """),
    doubts=phrases("""
        if / unless / suppose / supposing / imagine / whether / what if / in case / might / may / maybe / perhaps /
        probably / possibly / could / would / should / 'd / i'd / we'd / he'd / she'd / they'd / will / 'll / i'll /
        we'll / going to / gonna / want / wants / wanted / wish / wishes / hope / hopes / hoping / plan / plans /
        planning / thinking / considering / think / thinks / guess / believe / seems / seem / apparently /
        supposedly / rumour / rumor / says / say / said / told / tells / claims / claimed / according to / heard /
        keeps saying / insists / used to / was / were / had / did / before / ago / formerly / previously / back in /
        back then / last / once / former / also / too / as well / either / another / besides / additionally / other
        / both / mostly / sometimes / usually / not / never / no / none / nothing / nobody / cannot / without /
        except / only / unlike / like / today / tonight / this week / this morning / this afternoon / this evening /
        this weekend / this time / this month / this year / next / right now / at the moment / for now / so far /
        temporarily / still / almost / nearly / about / around / joke / kidding / supposed / dream / dreamed / ever
        / always / just / so / such / whoever / whatever / someone / something / anyone / everything / everyone /
        anything / or / but / because / when / while / which / how / why / what / who / where
    """),
    openers=phrases("""
        as you know / as i said / as noted / remember that / note that / by the way / just so you know / fyi /
        for the record / good news / i've put down that
    """),
    labels=words("note update reminder remember correction fyi info status news"),
    offices=words("""
        boss manager landlord landlady director ceo cto cfo captain president chair chairman chairwoman chief head
        lead leader mayor principal headteacher supervisor owner maintainer contact dentist vet supplier accountant
        goalkeeper coach treasurer password passcode code number phone email address port branch version deadline
        due birthday name username nickname colour color size language editor budget rent price fee salary hometown
        city employer school insurer framework database timezone currency
    """),
    any_value=words("colour color password passcode code name username nickname branch framework database"),
    favourites=words("favourite favorite"),
    liked=words("""
        colour color food book movie film song band singer artist author game sport team animal season drink dish
        dessert editor language restaurant cafe snack fruit
    """),
    definite=words("the our my"),
    bounds=words("above over below under beyond exceeding"),
    articles=words("the a an our this that"),
    prepositions=words(
        "in on at to by for with from under behind near above below as of beside inside outside over"
    ),
    i=words("i i'm"),
    my=words("my"),
    nobody=words("""
        it it's this that these those he he's she she's they they're there there's here here's you you're your his
        her their its one ones thing things everything something all most many some someone nobody lol life who what
        that's what's where how which another and
    """),
    own=words("i'm"),
    moving=(
        r"^(?:i|i've|i have|we|we've|we have)(?: just| finally| recently)? moved (?:back |over |out )?to "
        r"([A-Z][\w.'-]*(?: [A-Z][\w.'-]*){0,3})"
        r"(?: (?:last|this) (?:week|month|weekend)| yesterday| today)?$"
    ),
    weekdays=words("monday tuesday wednesday thursday friday saturday sunday"),
    every_weekday=words("mondays tuesdays wednesdays thursdays fridays saturdays sundays"),
    numbers=words("""
        one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million half
        quarter first second third fourth fifth sixth seventh eighth ninth tenth noon midnight am pm o'clock once
        twice past january february march april may june july august september october november december
    """),
    colours=words("""
        red green blue yellow orange purple pink black white grey gray brown teal burgundy beige turquoise violet
        gold silver
    """),
)
