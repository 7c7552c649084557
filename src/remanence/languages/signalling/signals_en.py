"""How English says what is to be kept. Data only."""

from remanence.languages.signalling.phrases import Signals, classes, phrases

ENGLISH = Signals(
    code="en",
    high=classes(
        standing_order="""
            from now on, from this point on, from today on, from today onwards, from here on, going forward,
            as of today, as of now, starting today, starting now, starting tomorrow, ^in future, ^in the future,
            in future keep/use/write/send/put, ^whenever you, ^every time you, ^each time you, ^any time you,
            ^before you ~ always, ^when you ~ always, ^always, ^never, please always, please never, and always,
            and never, but never, you should always, you should never, you must always, you must never,
            make sure you/to always/never, be sure to always/never, never ~ again, never ~ without,
            always ~ before/first, don't/dont ever, do not ever, not ever again,
            ^don't/dont use/call/say/make/write/send/touch/push/delete/put/add/mention/start/end/assume,
            ^do not use/call/say/make/write/send/touch/push/delete/put/add/mention/start/end/assume,
            please don't/dont use/call/say/write/send/touch/push/delete/put/add/mention,
            please do not use/call/say/write/send/touch/push/delete/put/add/mention,
            ^stop calling/using/writing/sending/putting/adding/asking/saying/making/deleting/pushing/telling,
            please stop calling/using/writing/sending/putting/adding/asking/saying/making, no more ~ please,
            i want you to always/never, call me, address me, i go by, standing rule, house rule, as a rule,
            the rule is, our rule is, by default use/write/send, until further notice, you may always,
            under no circumstances, every ~ must, all ~ must, each ~ must,
            until i/we say/tell ~ otherwise, unless i/we say/tell ~ otherwise, unless/until told otherwise,
            until i say so,
            ^each/every time i ~ send/convert/write/use/add/put/show/give/remind/check/make/tell/include,
            ^whenever i ~ send/convert/write/use/add/put/show/give/remind/check/make/tell/include,
            make it a rule/habit to, make a rule/habit of, you are/you're not to, you're/you are never to,
            you are/you're to always,
            ^quit using/calling/sending/suggesting/asking/adding/saying/telling/writing/recommending,
            ^stop suggesting/recommending/reminding/correcting/translating/including, ^address me/my/us/our,
            without exceptions
        """,
        correction="""
            ^correction, that's wrong, that is wrong, that's not right/true/correct/it,
            that is not right/true/correct/it, that's incorrect, that is incorrect,
            that isn't right/true/correct, that wasn't right/true/correct, that was wrong/incorrect,
            you're wrong, you got ~ wrong, you have ~ wrong, i got ~ wrong, not what i meant/said/asked,
            i meant, i misspoke, i was wrong, i mixed, i mistyped, my mistake, i made a mistake,
            i stand corrected, let me correct, to correct,
            ^actually i/my/we/our/it's/it/the/she/he/his/her/they,
            ^no it's/i/my/we/our/she/he/the/they/actually, ^no it is, ^no that's, ^scratch ~ i/that,
            forget what i, ignore what i, disregard what i, i never said, i didn't say, i never asked,
            i never agreed/approved/signed, you keep calling, you keep saying, it's not ~ it's, it isn't ~ it's,
            is not ~ but, contrary to what i, not ~ as i said, instead of what i said, used to be ~ now,
            is no longer, are no longer, am no longer, no longer work/live/use, i told you wrong,
            got/have/had that/it/this/them backwards/wrong/reversed, the other way round/around,
            mixed that/it/them up, you/you've confused ~ with, you/you've mistaken, what i should have said,
            i should have said, i gave you the wrong, fix/correct/update what you have/wrote/noted,
            not as you have it, ^nope i/we/it/it's/my/he/she/they/that
        """,
        identity="""
            my/his/her name is, my/his/her name's, i'm called, i am called, i live in/at/near/on/with,
            i moved to/from, i've moved to, i have moved to, i work as/at/for/in/with/on, i'm based in,
            i am based in, i was born, i grew up, i come from, i'm from, i am from, i'm a/an, i am a/an,
            i'm the, i am the, my birthday, my pronouns, my native/first language/tongue, my mother tongue,
            my job/role/title/position is, my company/employer is,
            my ~ address/email/mail/phone/number/account/handle/username/extension is,
            my address/email/mail/phone/number/handle/username is,
            my wife/husband/partner/son/daughter/mother/father/sister/brother ~ is/lives/works, i speak,
            i study, i teach, i run a, i own a, i have two/three/four/five,
            i have a son/daughter/sister/brother/dog/cat/wife/husband, i've been ~ since/for,
            i have been ~ since/for, i retired, i'm married, i am married, i'm years, i'm retired,
            i'm deaf/blind/dyslexic/pregnant/diabetic/colourblind/colorblind/left-handed, i do night/shift,
            i do ~ shifts,
            i am deaf/blind/dyslexic/pregnant/diabetic/colourblind/colorblind/left-handed/right-handed,
            i'm/i am colour-blind/color-blind/hard-of-hearing/short-sighted/near-sighted/autistic,
            i'm/i am epileptic/bilingual/retired/divorced/widowed/single/engaged, i'm/i am hard of hearing,
            i'm/i am in a wheelchair, i use a wheelchair, i wear a hearing/hearing-aid, we live in/at/near/on
        """,
        decision="""
            we've decided, we have decided, we decided, i've decided, i have decided, i decided, they decided,
            it's decided, it is decided, has decided, have decided, we agreed, we've agreed, we have agreed,
            team agreed, board agreed, everyone agreed, all agreed, we chose, we've chosen, we have chosen,
            i chose, i've chosen, we picked, we've picked, i picked, we settled on, we've settled on,
            we have settled on, settled on, the decision is/was, decision:, final decision,
            we're/i'm going with, we are going with, i am going with, we'll go with, we will go with,
            i'll go with, i will go with, we went with, made up my/our mind/minds, signed off on, it's settled,
            we opted, we have opted, i opted, we are switching to, we're switching to, we're moving to,
            we are moving to, we switched to, we're dropping, we are dropping, we will not ~ anymore,
            we won't ~ anymore, is final, we voted,
            it's/it is official, is official now, called off, we've/we have cancelled/canceled,
            we/we've/have picked/elected/appointed/chosen/selected,
            committee/board/team/club/council/parents/family picked/elected/appointed,
            committee/board/team/club/council/parents/family chose/selected/voted/decided, it's/it is final,
            that's/that is final, we have made/we've made a decision
        """,
        preference="""
            i can't/cannot stand, i can't/cannot bear, i can't/cannot eat/drink/have/tolerate/see, i hate,
            i loathe, i despise, i detest, i love, i adore, i prefer, i much prefer, i strongly prefer,
            i always, i never, i will not/never, i won't, i refuse to, i don't/dont eat/drink/do/want ~ ever,
            i don't/dont eat/drink, i do not eat/drink, hands down, allergic, allergy, intolerant, i'm vegan,
            i am vegan, i'm vegetarian, i am vegetarian, i'm a vegan/vegetarian,
            gives/give me migraines/headaches/hives, i absolutely, my favourite/favorite, i insist,
            i need ~ always, i only eat/drink/use/read/wear/take/want/accept, i can only, nothing beats,
            without exception, coeliac, celiac, diabetic, asthma, epilepsy, i avoid
        """,
        remember="""
            ^remember, please remember, remember that, remember:, remember this, always remember, ^note:,
            ^note that, please note that, please note:, ^make a note, ^take a note, ^take note,
            please make a note, keep in mind, bear in mind, for the record, for future reference,
            for your information, ^fyi, ^important, it's/is important that, ^don't/dont forget, ^do not forget,
            please don't/dont forget, never forget, ^write down that, write this down, save this, store this,
            memorise, memorize, you should know, just so you know, so you know, ^heads-up, ^reminder
        """,
    ),
    orders=phrases("""
        can/could/would/will you ~ always, can/could/would/will you ~ from now on,
        can/could/would/will you please always/never, can/could/would/will you ~ remember that,
        can/could/would/will you never, can/could you stop ~ every, can/could you remember,
        would you mind always, can/could you call me, please always/never/remember, and always, and never
    """),
    medium=classes(
        habit="""
            i usually, we usually, usually i/we, i mostly, mostly i/we, i normally, normally i/we, we normally,
            we mostly, i tend to, we tend to, i generally, we generally, i often, we often, i rarely, we rarely,
            i seldom, i hardly ever,
            on mondays/tuesdays/wednesdays/thursdays/fridays/saturdays/sundays/weekends,
            every morning/evening/monday/friday/day/week i/we, i typically, we typically, i start ~ with,
            most days, most of the time, in the mornings/evenings/afternoons
        """,
        preference="""
            i like, i'd rather, i would rather, i'm fond, i am fond, i enjoy, i dislike, i don't like,
            i do not like, i'm not a fan, i'm not keen, i favour, i favor,
            i find ~ easier/better/nicer/harder/pleasant, i'm a fan, i lean towards, i'm more of
        """,
        opinion="""
            personally, in my opinion, in my view, in my experience, i find, i'm convinced, i am convinced,
            if you ask me, i strongly believe, i really think
        """,
        team="""
            my/our team/manager/boss/colleague/colleagues/department/lead/office/company/squad/client/customer,
            of us on/in, on the ~ team, in my team, i report to, i share ~ with
        """,
        stack="""
            my/our project/stack/setup/set-up/repo/repository/codebase/server/servers/database/backend/frontend,
            my/our app/site/website/pipeline/build/laptop/machine/editor/keyboard/staging/production/tests/ci,
            we keep/use/run/deploy/store/host/build/write/ship/test,
            the ~ team keeps/uses/runs/owns/works/deploys, i use, i run, i work on/with, runs on, is written in,
            is built with, hosted on/in/at, we're on, we are on
        """,
    ),
    low=classes(
        view="i think, i feel, i believe, i suppose, i'd say, i would say",
        impression="it seems, seems, looks like, looks a bit, feels, sounds",
        shared="everyone, everybody, people, colleagues, the team, others agree",
        hedge="""
            maybe, perhaps, might be, may be, could be, probably, possibly, i guess, not sure, kind of, sort of,
            would be nicer/better/nice
        """,
        general="typically, usually, normally, often, sometimes, tends to, generally, lately",
        taste="nice, nicer, i like this/that/it",
    ),
    passing=phrases("""
        yet, for now, right now, just now, this time, this one, that one, this once, for the moment,
        at the moment, tonight, for today, today only, only today, just this, until lunch, until tomorrow,
        next file, this file, this function, this paragraph, this line
    """),
    vetoes=phrases("""
        if i were/was/had, if we were/was/had, if she/he/they/it were/was/had, ^suppose, ^supposing, ^imagine,
        ^let's say, ^let's pretend, ^pretend, ^assume, ^hypothetically, ^what if, ^say i/we, if ~ would,
        ^translate, how do you say, ^rephrase, ^proofread, ^quote, the line reads, the song goes, lyrics, ^what,
        ^why, ^how, ^who, ^where, ^which, ^did, ^do i/we/you/they, ^does, ^is it/there/this/that/my,
        ^are there/you/we/they, ^was it
    """),
    empty=phrases("""
        i like this/that/it, i love it, i love this, i love that, i'd love, i would love, i love how,
        i hate it when that, i'm a bit, i am a bit, i'm a little, i am a little, i'm a lot, i am a lot,
        i'm a fan of that, i'm the one, i am the one, i'm a minute, i'm an hour, no the other, no the first,
        no the second, no the last, i'm the only, i'm a few, i am a few, i never know, i always forget how,
        never mind, i'm from the future, as always, whatever you like, i decided to wait
    """),
    jokes=phrases("just kidding, kidding, just joking, i'm joking, only joking, no offence, lol jk, jk"),
)
