"""What English sentences do, by phrases. Data only."""

from remanence.languages.assertions import Assertions, phrases
from remanence.languages.lexicon import words

ENGLISH_ASSERTIONS = Assertions(
    code="en",
    vetoes=phrases(
        asks="^what, ^when, ^where, ^who, ^whom, ^whose, ^why, ^which, ^how, ^is, ^are, ^was, ^were",
        inverts="""
            ^do you, ^does, ^did, ^is it, ^is there, ^are you, ^are there, ^can i, ^can we, ^could i, ^could we,
            ^should i, ^should we, ^shall, ^will you, ^have you, ^has anyone, ^any idea, ^any chance, ^any tips,
            ^any advice, ^i wonder, ^wondering, ^wonder if, ^do i, ^do we, ^did you, ^would you, ^what's, ^who's,
            ^where's, ^how's, ^how about, ^what about, ^how do, ^how can, ^what do, ^what is, ^what are
        """,
        requests="""
            ^write, ^rewrite, ^print, ^summarise, ^summarize, ^translate, ^give me, ^show, ^tell me, ^tell us,
            ^help, ^explain, ^list, ^find, ^make me, ^make it, ^make this, ^create, ^generate, ^draft, ^fix,
            ^check, ^look up, ^search, ^convert, ^compare, ^calculate, ^add, ^remove, ^delete, ^send, ^open,
            ^close, ^run, ^try, ^wait, ^describe, ^suggest, ^recommend, ^let me know, ^have a, ^enjoy,
            ^take care, ^keep it, ^keep up, ^keep me, ^go ahead, ^go on, ^come on, ^hold on, ^look at, ^imagine,
            ^read, ^turn, ^set, ^put, ^sort, ^format, ^review, ^refactor, ^plan, ^play, ^remind me, ^book, ^call,
            ^start, ^stop, ^skip, ^update, ^change, ^could you, ^can you, ^would you, ^please write,
            ^please give, ^please show, ^please tell, ^please help, ^please explain, ^please find, ^please make,
            ^please check, ^please send, ^please fix, ^please create, can you help, could you help,
            i need you to, i want you to, i'd like you to, i need help, i need a hand, i need a list,
            i need the list, i need a summary, i want a list, i'd like a list, i would like a list,
            i need the file, i need an example, i need a quick, i'm looking for, i am looking for, ^just give me,
            ^just tell me, ^good luck, ^feel free, ^let's see, ^let's get, ^let's start, ^let's talk,
            ^let's do this, ^let me, ^don't worry, ^don't forget to have, ^say hi, ^send me, ^call me back,
            tell him, tell her, tell them, ^come up with, ^quiz, ^ask me, ^teach me, ^walk me, ^brainstorm,
            ^propose, ^invent, ^compose, ^outline, ^rank, ^proofread, ^edit, ^shorten, ^expand, ^rephrase,
            ^paraphrase, ^scale, ^estimate, ^analyse, ^analyze, ^define, ^solve, ^recap, ^get me, ^bring me,
            ^order me, ^name three, ^name five, ^name ten, ^please add, ^please write, ^please remove,
            ^please translate
        """,
        supposes="""
            ^if, ^suppose, ^supposing, ^assuming, ^assume, ^what if, ^had i, ^had we, ^were i, ^unless, ^say i,
            would have been, i would have, we would have, hypothetically, ^even if, ^in theory, ^in case
        """,
        wishes="""
            i wish, we wish, ^hopefully, ^hope, ^i hope, ^we hope, if only, someday i might, would be nice,
            would be great, would be cool, would be fun, would be awesome, ^somebody should, ^someone should,
            ^maybe i should, ^maybe we should, ^maybe i'll, ^perhaps i should, i should really, ^wish me,
            i'd be so, i would be so, i'd love it if, once in my life, before i die, bucket list
        """,
        plays="""
            just kidding, was a joke, were joking, i'm joking, was joking, kidding about, in my story,
            in my novel, once upon a time, in the story, in my dream, ^pretend, the hero is, the character
        """,
        passing="""
            i'm at the, talk later, talk soon, talk to you, be right back, brb, gotta go, have to go, see you,
            catch you, on my way, give me a second, i'm back, still there, let me think, i'm here, good night,
            good morning, good evening, good afternoon, thank you, thanks for, thanks so much, thanks again,
            means a lot, you're welcome, you're a, you got this, i'm so sorry, sorry to hear, sorry for your,
            i'm sorry, proud of you, happy for you, glad you, good for you, i agree, i understand, i see,
            i don't remember, i'm not sure, i don't know, no idea, long day
        """,
        errors="""
            traceback, error:, exception:, failed to, stack trace, keyerror, typeerror, valueerror,
            segmentation fault, undefined, not found:, no such file, permission denied, warning:
        """,
    ),
    categories=phrases(
        correction="""
            ^correction, that's wrong, that's not right, that's not correct, that's incorrect, i was wrong,
            i meant, i misspoke, i made a mistake, ^no it's, ^no it is, ^no the, ^no my, ^actually the,
            ^actually it's, ^actually it is, ^actually no, ^actually my, not anymore, is wrong the,
            was wrong the, i said, let me correct, scratch that, is no longer, isn't any more,
            instead of what i said, ^sorry it's
        """,
        decision="""
            we decided, i decided, we've decided, i've decided, we have decided, i have decided, have decided to,
            we agreed, we've agreed, we chose, i chose, we picked, i picked, we settled on, i settled on,
            we opted, decision is, decision was, final decision, final answer, ^let's go with, ^let's use,
            ^let's stick, we'll go with, we will go with, i'll go with, we're going with, we are going with,
            going forward, from now on, as of today, as of now, we'll use, we will use, we're switching,
            we are switching, we switched to, i switched to, we're moving to, we're dropping, we dropped,
            we're hiring, we are hiring, agreed to, signed off on, made up my mind, was decided, been decided,
            has decided, decided on, decided against
        """,
        commitment="""
            i promise, i promised, we promised, i'll take, i'll have, i'll do, i'll send, i'll finish,
            i'll bring, i'll make, i'll write, i'll call, i'll get, i'll pick, i'll book, i'll draft,
            i'll deliver, i'll submit, i'll handle, i'll cover, i'll prepare, i'll organise, i'll organize,
            i'll pay, i'll be there, i will, we'll have, we'll send, we'll finish, we'll deliver, i commit,
            i committed, i guarantee, i swear, i owe, i'm responsible for, i am responsible for, my deadline,
            is due, are due, due by, due on, i volunteered, i signed up, i have to, we have to, i've agreed to,
            i agreed to, will be the one who, counting on me, i'm going to, i am going to, we're going to,
            we are going to, i'm planning, i plan to, we plan to, we're planning, i'm meeting, we're meeting,
            i have an appointment, appointment
        """,
        principle="""
            always, never, must, must not, mustn't, hard rule, the rule, our rule, house rule, rule of thumb,
            our policy, the policy, in principle, as a rule, under no circumstances, no exceptions, ^only use,
            ^don't ever, ^never ever, not allowed, is forbidden, is prohibited, is mandatory, is required,
            are required, have to be, has to be, needs to be, ^don't use, ^do not use, ^don't call, ^do not call,
            ^please don't, ^remember to, ^make sure, make sure that, by convention, standard practice
        """,
        preference="""
            i prefer, i'd prefer, i would prefer, we prefer, prefers, preferred, i'd rather, i would rather,
            i like, i love, i enjoy, i adore, i hate, i dislike, i loathe, i can't stand, i cannot stand,
            i don't like, i don't eat, i do not like, i do not eat, i don't drink, we like, we love, we hate,
            we don't like, likes, loves, hates, dislikes, enjoys, favourite, favorite, favourites, favorites,
            i'm into, i am into, i'm a fan, big fan of, fond of, fan of, not a fan, no patience for,
            i only drink, i only eat, i'm keen, passionate about, i want, we want, wants, i'd like, i would like,
            ^call me, ^please call me, ^please always, answer me in, ^answer in, reply in, ^always answer,
            ^always use, my preference, i actually prefer, i can't do without, ^whenever i, i crave, my go-to,
            vegan, vegetarian, teetotal, i don't want, really into, obsessed with
        """,
        moment="""
            passed away, died, we lost, i lost, was born, were born, gave birth, got married, got engaged,
            got divorced, broke up, graduated, i defended, i passed, we won, i won, i started, we started,
            i finished, we finished, i moved, we moved, i got, we got, i had, we had, i went, we went, i met,
            we met, i saw, we saw, i visited, we visited, i bought, we bought, i quit, i was fired, was laid off,
            got promoted, i was promoted, last night, i attended, we attended, i joined, we joined, i ran,
            i took, we took, i made, we made, i tried, we tried, i hosted, we hosted, i received, we celebrated,
            i celebrated, i found, we found, i signed, i adopted, we adopted, i broke, i fell, i realised,
            i realized, i learned, i learnt, i discovered
        """,
        relationship="""
            reports to, my boss, my manager, my landlord, my teacher, my doctor, my dentist, my lawyer,
            my colleague, my coworker, my co-worker, my roommate, my flatmate, my neighbour, my neighbor, my ex,
            my fiancé, my fiancée, my partner, my husband, my wife, my mentor, my assistant, my client,
            my customer, married to, engaged to, dating, divorced from, works for, works with, lives with,
            lived together, live together, related to, 's boss, 's manager, 's teacher, is the mother of,
            is the father of, friends with, best friend, my friend, my best, runs the, leads the, heads the,
            in charge of, i have two, i have three, i have a son, i have a daughter, i have a brother,
            i have a sister, my team, getting married
        """,
        skill="""
            i can, i know how to, i speak, i'm fluent, i am fluent, fluent in, i play, i've played, i'm good at,
            i am good at, i'm experienced, years of experience, i'm certified, i am certified, i know python,
            i code, i program, i'm learning, i am learning, i've been learning, i learned to, i learned how,
            i taught myself, i'm able to, i can't swim, i can't drive, i never learned, can speak, can read,
            can play, speaks, plays the, trained as, licence, licensed, qualified, expert in, skilled at,
            self-taught
        """,
        entity="""
            is called, are called, named, is our main, is our, stands for, is a company, is a project, is a tool,
            is hosted, runs on, is located, is based, lives in, we have two, we have three, i have a dog,
            i have a cat, we have a, i own, we own, is the name of, its address, main customer, our customer,
            our supplier, our provider, our vendor, known as, also known
        """,
    ),
    weights=phrases(
        rules="^never, ^always, ^from now on, ^only ever, ^do not, hard rule, is forbidden, is mandatory",
        state="""
            i am, i'm, i was, i've been, i have been, i live, i work, i study, i teach, i run, i manage, i lead,
            i own, i drive, i use, i have, i've got, i have got, i've, i get, i make, i earn, i grew up,
            i come from, i weigh, i take, i suffer, i belong, i keep, i go to, i do, i did, i used to,
            my name is, my birthday, my address, my number, my email, allergic, intolerant, diabetic, asthma*,
            pregnant, celiac, coeliac, we are, we're, we have, we've, we use, we live, we work, we run, we keep,
            we never, we always, we used to, since, years old, i volunteer, i've always, i've never, is mine now,
            been working on
        """,
        held="""
            is in, is at, is on, are in, is closed, is open, is due, is for, costs, takes place, starts at,
            ends at, begins at, comes on, lives at, stands in, works at, works as, works in, moved to,
            belongs to, consists of, was serviced, will be, is the, are the, was the, has a, have a, has been,
            is scheduled, is booked
        """,
        hedges="""
            maybe, perhaps, possibly, might, could be, i guess, not sure, uncertain, probably, likely, seems,
            seem, kind of, sort of, somewhat, i suppose, i think, i believe, i reckon, apparently, supposedly,
            presumably, roughly, as far as i know, afaik, if i remember
        """,
        opinions="""
            people, everyone, everybody, ^life, ^it's important, ^it's so, ^it's such, ^it's great,
            ^it's amazing, ^it's good, ^it's always, ^it's nice, ^it's really, ^that's, ^that is, ^that must,
            ^that sounds, ^this is, ^sounds, ^looks like, ^there's nothing, ^nothing beats, ^you're, ^you, ^your,
            reckons, this weather, so true, can't wait, ^i'm so, ^i'm glad, ^i'm happy, ^so glad, ^so happy,
            ^i bet, ^i feel, ^i think, ^i guess
        """,
        confirms="""
            ^created, ^booked, ^confirmed, ^scheduled, ^reserved, ^registered, ^saved, ^added, ^moved,
            ^cancelled, ^canceled, ^deployed, ^merged, ^paid, ^ordered, ^shipped, ^delivered, ^updated,
            i've booked, i have booked, i've scheduled, i've ordered, i've reserved, is booked, is confirmed,
            is scheduled, has been booked, has been moved, has been cancelled, has been scheduled,
            booking confirmed, order confirmed
        """,
        pledges="""
            i'll draft, i'll send, i'll have, i'll finish, i'll write, i'll book, i'll prepare, i'll deliver,
            i'll remind, i'll call, i'll always, i'll never, i will always, i will never, i promise, i'll keep,
            i'll use, i'll answer, i'll reply, i will send, i will have, i will write, i will remind,
            from now on i, i'll order, i'll schedule
        """,
    ),
    importance=phrases(
        critical="""
            allerg*, anaphyla*, epipen, adrenaline, epilep*, diabet*, insulin, pacemaker, overdose, poison*,
            lethal, deadly, fatal, can kill, could kill, life-threatening, danger*, emergency, critical, crucial,
            essential, vital, under no circumstances, very important, this is important, extremely important,
            never ever, suicid*, blood type, never run, never give, never open, never touch, never share,
            never delete, must never
        """,
        high="""
            decided, decision, chose, agreed, promise*, deadline, due, appointment, must, always, never,
            important, prefer*, hate, hates, love, loves, can't stand, really don't like, don't like, don't ever,
            remember this, don't forget, make sure, my name is, my birthday, from now on, going forward,
            by monday, by tuesday, by wednesday, by thursday, by friday, by saturday, by sunday, by tomorrow,
            favourite, favorite, i want, i need, intolerant, vegan, vegetarian, i'll have, i'll take, i'll send,
            i will
        """,
    ),
    kinds=phrases(
        episode="""
            yesterday, today, last week, last month, last year, last night, last monday, last tuesday,
            last wednesday, last thursday, last friday, last saturday, last sunday, last weekend, on monday,
            on tuesday, on wednesday, on thursday, on friday, on saturday, on sunday, recently, earlier today,
            earlier this week, this morning, this afternoon, this evening, ago, just now, the other day
        """,
        happened="""
            deployed, pushed, fixed, merged, reported, mentioned, said, happened, failed, completed, shipped,
            released, crashed, met, went, moved, won, lost, died, visited, attended, passed, defended, married
        """,
        note="""
            prefer*, want*, need*, always, never, must, should, goal*, decid*, policy, policies, requir*,
            constraint*, standard*, convention*, every, usually
        """,
    ),
    mute=words("""
        hi hey hello yo morning evening afternoon night good day bye goodbye later soon cheers thanks thank ty
        thx ok okay k kk yes yeah yep yup no nope nah sure fine cool great nice awesome perfect exactly right
        correct agreed absolutely definitely totally indeed lol haha hahaha lmao wow oh ah ugh hmm hm huh oops
        sorry please welcome got gotcha understood noted done alright well congrats congratulations same too
        much lot lots really very so everyone everybody all guys folks there again then now just final answer
        dear amazing wonderful fantastic lovely brilliant excellent funny true interesting sounds
        sound glad happy anyway quick thing things one two before forget long short story wait hold moment
        second minute course problem worries mind kidding joke treasure mean means sense question obviously
        honestly seriously literally basically
    """),
    possessives=words("my our"),
    copulas=words("""
        is are was were has have had isn't aren't wasn't weren't hasn't haven't will won't can can't must should
        does doesn't did didn't comes lives works runs costs starts ends begins stands belongs takes goes means
        needs wants prefers likes loves hates speaks plays reports owns uses keeps sits opens closes
    """),
)
