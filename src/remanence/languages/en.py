"""English word lists. Data only."""

from remanence.languages.lexicon import Lexicon, months, opposites, words

ENGLISH = Lexicon(
    code="en",
    stop=words("""
        a about above across after again against all almost also although always am among an and another any
        anybody anyone anything are aren't around as at away be because been before being below between both
        but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each either
        else ever every few for from further get gets getting got had hadn't has hasn't have haven't having he
        he'd he'll her here hers herself him himself his how however i i'd i'll i'm i've if in into is isn't
        it it'd it'll its itself just let lets me might more most much must my myself neither no nobody none
        nor not nothing now of off oh on once one only or other our ours ourselves out over own per quite
        rather really same shall shan't she she'd she'll should shouldn't since so some somebody someone
        something such than that that'd that'll the their theirs them themselves then there these they they'd
        they'll they're they've this those though through to too toward under until up upon us very was wasn't
        we we'd we'll we're we've were weren't what whatever when where whether which while who whom whose why
        will with within without won't would wouldn't yet you you'd you'll you're you've your yours yourself
        yourselves dont didnt doesnt isnt im ive cant wont
    """),
    negations=words("""
        no not never none nothing nobody neither nor without cannot can't don't doesn't didn't isn't aren't
        wasn't weren't won't wouldn't shouldn't couldn't haven't hasn't hadn't mustn't shan't ain't hardly
        cant dont doesnt didnt isnt wont unable
    """),
    weighty=words("""
        after against all almost always before between both can cannot could down each either every few if
        less may might more most must off once one only or out over own per same should since some than
        through under until up while will within would
    """),
    number_words=words("""
        two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million
        billion dozen half twice once first second third fourth fifth couple zero
    """),
    months=months("""
        january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sept/sep
        october/oct november/nov december/dec
    """),
    time_words=words("""
        yesterday today tomorrow tonight monday tuesday wednesday thursday friday saturday sunday january
        february april june july august september october november december morning evening afternoon night
        weekend week weeks month months year years day days hour hours minute minutes decade ago recently
        lately last next soon spring summer autumn winter birthday anniversary christmas easter thanksgiving
        halloween
    """),
    first_person=words(
        "i me my mine myself we us our ours ourselves i'm i've i'll i'd we're we've we'll we'd im ive"
    ),
    second_person=words("you your yours yourself yourselves you're you've you'll you'd"),
    past=words("""
        was were had did went made got took came saw said told gave found thought knew felt left kept began
        brought bought built caught chose drank drove ate fell flew forgot grew heard held hid hurt learnt led
        lent lost meant met paid ran rode rose sang sat sent shook slept sold spent spoke stood stole swam
        taught threw understood woke won wore wrote broke became been done gone seen taken given written
    """),
    past_endings=("ed",),
    not_past=words(
        "indeed exceed proceed succeed embed speed breed bleed creed greed hundred sacred naked wicked"
    ),
    kin=words("""
        mother mom mum mommy mama father dad daddy papa parent parents son sons daughter daughters child
        children kid kids baby toddler brother brothers sister sisters sibling siblings husband wife spouse
        partner fiancé fiance fiancée fiancee boyfriend girlfriend grandmother grandma granny grandfather
        grandpa grandparents grandson granddaughter uncle aunt auntie cousin cousins nephew niece family twin
        twins stepmother stepfather stepson stepdaughter friend friends roommate neighbor neighbour colleague
        boss pet pets dog dogs puppy pup cat cats kitten kitty hamster rabbit bunny parrot horse turtle
        tortoise goldfish
    """),
    reactions=words("""
        wow thanks thank yeah yes yep yup no nope ok okay sure great cool awesome nice good amazing absolutely
        exactly totally definitely congrats congratulations haha lol hey hi hello bye goodbye oh ah aw aww
        sounds glad sorry agreed right true indeed interesting wonderful fantastic perfect lovely alright hmm
        well really
    """),
    offers=(
        "here are",
        "here is",
        "here's",
        "let me know",
        "feel free",
        "i can help",
        "i'd be happy",
        "i would be happy",
        "happy to help",
        "would you like",
        "hope this helps",
        "hope that helps",
        "i'm here to",
        "if you need",
        "if you have any",
        "anything else",
        "as an ai",
        "certainly!",
        "of course!",
        "sure!",
        "take care",
        "keep me posted",
    ),
    # A capital makes a name, a country or a product of them.
    case_bearing=words("""
        may march august polish turkey china will mark bill rose jack frank grace hope faith joy dawn sue drew
        rob dean penny robin ivy lily daisy holly carol nick josh pat apple amazon python rust java go swift
        ruby slack windows word excel teams notion spark orange shell target gap chase ford mercury mars earth
        bath reading nice mobile jersey cuba guinea lent catholic liberal conservative democrat republican
        labour god oracle chrome safari edge meta alphabet stripe square discord zoom signal linear kafka
        flask buffalo phoenix
    """),
    abbreviations=words("""
        us it who aids aid ram sat pin cat act ace add aim air ant app arc arm art asp bar base bat bit
        boss cab cad cam camp cap car care case cast chip cod cop cope core crab cream dab dam dare dart dash
        doe dos dot ear echo elf era fact fan fat fed fit flag flop foe fur gas gem goes gore grub ham hat
        head hid hud ice id imp ins jam jar kiss lab lag lamp lap law lead leap led leo lift lime line lit log
        loom mac mad man map mash mat mean met mint mit mom mop nap nat neat net norm nut opal ops orb pad pal
        pan par pass patch path pen pep pet pie ping pip pit plus pod pop pos post pot pro rad rag raid rap
        rat reach rem rest rice rip rod rom rot sad sag sam sap saw scan seal sec sect set shed shop sim sip
        slam slap smart snap soap soar sop span spar spice star start stat stem step sum swap swat swift tab
        tag tan tap tar team ted tips tire top tor tram trim van vat vet vim war wasp web whip win wit won yam
        zip
    """),
    opposites=opposites("""
        on | off
        up upward upwards | down downward downwards
        before earlier | after later afterwards
        first initial | last final
        left | right
        in inside indoors indoor | out outside outdoors outdoor
        above over | below under beneath
        from since | until till to
        with | without
        more most | less least fewer fewest
        always ever | never
        always usually often frequently | rarely seldom never
        taller higher bigger larger longer | shorter lower smaller
        weekday weekdays | weekend weekends
        all everybody everyone everything every | none nobody nothing no
        everyone everybody | nobody none
        yes | no
        open opened | close closed shut
        lock locked | unlock unlocked unlatched
        start begin began begun | stop end finish ended
        enable activate allow permit let allowed | disable deactivate forbid prohibit ban deny block forbidden
        accept approve | reject refuse decline deny
        agree | disagree
        love like enjoy adore | hate dislike loathe detest despise
        win won | lose lost
        buy bought purchase buyer purchaser customer | sell sold seller vendor
        lend lent lender | borrow borrower
        give gave given send sent | receive take took taken get got
        teach taught teacher | learn learned learnt student pupil
        push | pull
        add plus gain | remove subtract minus delete
        insert | delete
        rise rose risen raise grow grew increase gain climb | fall fell fallen drop lower shrink shrank
        rise rose risen raise grow grew increase gain climb | decrease decline sink sank
        ascend ascending | descend descending
        arrive enter entered come came | leave left depart exit
        enter | exit
        lead precede | follow trail
        hire | fire dismiss
        employer | employee
        landlord | tenant
        parent mother father | child son daughter
        mother | father
        son | daughter
        brother | sister
        husband | wife
        doctor | patient
        host | guest
        upload | download
        login | logout
        online | offline
        public | private
        internal | external
        input | output
        read | write
        sender | recipient receiver
        lender creditor | debtor
        true right correct | false wrong incorrect
        good better best | bad worse worst
        big large bigger larger great greater | small little tiny smaller
        tall high higher highest | short low lower lowest
        long longer longest | short shorter shortest brief
        wide broad | narrow
        thick | thin
        fast quick faster | slow slower
        hot warm hotter warmer | cold cool colder cooler
        dry | wet damp
        light bright | dark
        light | heavy
        full | empty
        new young newer younger | old older
        early | late
        rich | poor
        strong stronger | weak weaker
        hard difficult | easy simple
        hard | soft
        cheap cheaper | expensive dear
        safe | dangerous unsafe
        alive live living | dead
        awake | asleep
        present | absent
        near close | far
        north northern | south southern
        east eastern | west western
        front | back rear
        top | bottom
        upper | lower
        day | night
        morning | evening
        summer | winter
        yesterday | tomorrow
        maximum max most | minimum min least
        positive | negative
        pass passed | fail failed
        succeed success | fail failure
        alike same equal identical | different other unequal
        male man men boy | female woman women girl
        single | married
        pro | con
        ally friend | enemy foe
        guilty | innocent
        sober | drunk
        sweet | sour bitter
        sharp | blunt dull
        loud noisy | quiet silent
        clean | dirty
        visible | hidden
        together | apart
        attach attached connect join | detach detached disconnect separate
        freeze froze frozen | melt thaw
        expand | contract
        include | exclude
        encrypt | decrypt
        compress | extract
        allow | forbid
        remember | forget forgot forgotten
        keep kept save | discard
        build built create | destroy demolish
        mandatory required compulsory | optional voluntary
        synchronous sync | asynchronous async
        vegetarian vegan | carnivore
        must | may
        careful | careless
        harmful | harmless
        useful | useless
        precise exact | approximate rough
    """),
    negative_prefixes=(
        "un",
        "in",
        "im",
        "il",
        "ir",
        "dis",
        "non",
        "non-",
        "mis",
        "de",
        "anti",
        "ab",
    ),
)

# What else each of these is written as. Those that stand for several things are left out: he's is he is and he has.
CONTRACTIONS = {
    **{f"{verb}n't": f"{verb} not" for verb in (
        "are could did does do had has have is must need should was were would".split()
    )},
    **{f"{who}'re": f"{who} are" for who in ("you", "we", "they")},
    **{f"{who}'ve": f"{who} have" for who in ("i", "you", "we", "they")},
    **{f"{who}'ll": f"{who} will" for who in ("i", "you", "he", "she", "it", "we", "they")},
    **{f"{what}'s": f"{what} is" for what in ("it", "that", "there")},
    "i'm": "i am", "can't": "can not", "cannot": "can not", "won't": "will not",
}  # fmt: skip
