"""English words of change. Data only."""

from remanence.languages.changing_shape import build_changing

ENGLISH = build_changing(
    "en",
    onward="""
        from now on / from here on / from today / from tomorrow / from next / as of now / as of today /
        as of this / as of next / as of monday / as of tomorrow / effective / from monday / from tuesday /
        from wednesday / from thursday / from friday / from saturday / from sunday / from january /
        from february / from march / from april / from may / from june / from july / from august /
        from september / from october / from november / from december / going forward / henceforth /
        for good / correction / make that / since monday / since tuesday / since wednesday /
        since thursday / since friday / since saturday / since sunday / since january / since february /
        since march / since april / since may / since june / since july / since august / since september /
        since october / since november / since december / since today / since yesterday / since this week /
        since this month
    """,
    now="now / nowadays / these days / by now",
    lately="""
        currently / lately / since / starting / this season / this year / this term / this semester /
        at last / finally / meanwhile / in the meantime / at present / at the moment / actually / instead /
        after all / from last / from this
    """,
    shifts="""
        moved / moving to / move to / relocated / changed / changes to / switched / swapped / swap /
        shifted / shift / rescheduled / postponed / delayed / brought forward / raised / lowered /
        increased / decreased / reduced / upgraded / downgraded / replaced / replaces / renamed /
        rebranded / extended / shortened / doubled / halved / tripled / refinanced / renegotiated /
        took over / taken over / takes over / handed / hands over / reset / migrated / migration / ported /
        converted / revised / adjusted / updated / reassigned / transferred / promoted / revamped /
        rearranged / change of plan / change of plans / settled on / went with / passed on to / passes to /
        pushed / put back / bumped / gone back to / went back to / returned to
    """,
    reaches="""
        make it / cut / went up / gone up / going up / goes up / went down / gone down / goes down /
        went to / goes to / up to / down to / dropped to / rose to / fell to / climbed to / grew to /
        turned / went for / back to / broke / beat / hit / reached / is up / is down / reads / has become /
        have become / became
    """,
    ends="""
        no more / no longer / not any more / not anymore / quit / quits / left / leaves us / sold /
        cancelled / canceled / called off / closed / shut down / gave up / given up / stopped / dropped /
        ditched / scrapped / got rid of / threw out / threw away / retired / retires / resigned /
        stepped down / died / is dead / passed away / split up / broke up / divorced / separated /
        said goodbye to / goodbye / farewell / done with / finished with / through with / is out / is gone /
        are gone / is over / bores / bored of / tired of / fed up / had enough of / hands off / abandoned /
        discontinued / expired / ran out / fired / sacked / laid off / let go of / unsubscribed / deleted /
        removed / too expensive / riddance / outgrew / outgrown / retirement / stopped being / swore off
    """,
    anymore="anymore / any more",
    turns="""
        again / back on / is back / are back / fixed / repaired / mended / restored / healed / recovered /
        cured / cleared / solved / resolved / sorted / working again / works again / up and running /
        arrived / delivered / shipped / finished / completed / is done / are done / is ready / signed /
        approved / married / engaged / born / gave birth / pregnant / passed / failed / reopened / opened /
        broke down / broken / out of order / on hold / paused / resumed / lifted / released / launched /
        rebuilt / refurbished / healthy / switched off / switched on
    """,
    news="""
        new / brand-new / bought / got a / got myself / joined / joining / joins / hired / adopted /
        opened / signed up / started / took up / chose / picked / booked / decided / decides / announced /
        unpacked / feels like home / latest / fresh / replacement / successor / instead of
    """,
    doubts="""
        if / unless / suppose / supposing / imagine / whether / what if / in case / might / may be /
        may have / may get / may go / may not / i may / we may / it may / they may / he may / she may /
        that may / maybe / perhaps / probably / possibly / could / would / should / 'd / i'd / we'd / he'd /
        she'd / they'd / wish / wishes / hope / hopes / hoping / plan to / plans to / planning / thinking of /
        thinking about / thinks about / considering / want to / wants to / wanted to / would like / guess /
        seems / seem / apparently / supposedly / rumour* / rumor* / says / say / said / saying / tells /
        claims / claimed / according to / heard / insists / swears / thinks / believes / reckons / used to /
        back in / back then / formerly / previously / as a child / as a kid / as a student / years ago /
        in the old days / when i was / when we were / last winter / last summer / last year / before me /
        before the / until / also / too / as well / another / besides / additionally / both / plus /
        sometimes / occasionally / joke / kidding / dream / dreamed / whoever / whatever / someday / one day /
        some day / next year / next spring / next summer / next autumn / next winter / never mind /
        feel like / by the time / like a / as if / as though / were / wasn't / weren't / isn't it / right? /
        when / whenever / on the left / to the left / left over
    """,
    denies="not / isn't / aren't / doesn't / don't / never / no way",
    mine="i / i'm / i've / i'll / my / mine / me / we / we're / we've / our / us",
)
