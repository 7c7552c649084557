"""English words of orders to a machine. Data only."""

from remanence.languages.ordering.kinds_of_evidence import OrderEvidence, Ordering

ENGLISH = Ordering(
    code="en",
    your="your",
    leads="""
        and, then, please, also, always, never, now, just, first, next, but, or, so, kindly, instead, immediately,
        silently, quietly, secretly, finally, simply, only, to, afterwards, therefore, thus, here, again, must,
        should, shall, will, can, may, you, not, do
    """,
    user_nouns="""
        text, texts, message, messages, input, inputs, manual, manuals, guide, guides, story, stories, interface,
        interfaces, account, accounts, id, ids, name, names, group, groups, experience, may, agent, defined,
        friendly, data, research, rights, table, list
    """,
    speech="""
        say, says, said, saying, write, writes, wrote, written, read, reads, reading, type, typed, types, ask, asks,
        asked, tell, tells, told, telling, call, calls, called, named, begins, sentence, words, word, line, lines,
        prompt, message, quote, quotes, quoted, print, prints, printed, such, like, template, heading, phrase,
        payload, text, answers, answered, orders, ordered, payloads, role, instead, claim, shouts, titled, by, as,
        of, with, persona, is, hint, from, duly, and
    """,
    phrases={
        OrderEvidence.MACHINE: """
            ai, ais, llm, llms, gpt, chatgpt, claude, copilot, copilots, chatbot, chatbots, language model(|s),
            ai model(|s), ai (assistant|agent|system|reader|tool|helper|reviewer|summariser|summarizer)(|s),
            artificial intelligence(|s),
            (digital|virtual|automatic|automated|electronic|robotic|synthetic|artificial|smart|intelligent)
            (assistant|agent|helper|reader|screener|reviewer|system|secretary|clerk|tool|reader)(|s),
            automated readers, coding (agent|assistant|model)(|s), autonomous agent(|s), software agent(|s),
            machine reader(|s), reading machine(|s), read by a machine, read by software, web crawler(|s),
            summariser(|s), summarizer(|s), not a human, reads this automatically, voice assistant(|s),
            research agent(|s), browsing agent(|s), shopping agent(|s), scheduling assistant(|s), writing helper(|s),
            machines reading, a machine reading, machines only, for machines, machine readable part, for robots,
            for bots, robots only, bots only, for crawlers, for agents, for assistants, for automated, to machines,
            to robots, to bots
        """,
        OrderEvidence.HELPER: """
            assistant, assistants, agent, agents, model, models, bot, bots, robot, robots, helper, helpers, crawler,
            crawlers, machine, machines, screener, screeners, scraper, scrapers, summarisers, parser, software,
            program, whoever reads
        """,
        OrderEvidence.READS: """
            reading this, read this, reads this, reading it, that reads, who reads, who read, that read, which reads,
            has got this far, have got this far, got this far, summarising, summarizing, that has understood,
            has understood, processing this, processes this, process this, working on this, works on this, sees this,
            see this, seeing this, parsing this, parses this, that summarises, that summarizes, who summarise,
            indexing this, ingesting this, scanning this, is being read by, are being read by, that comes across,
            comes across this, retrieves this, retrieving this, loads this, handling this, handles this,
            that meets this, which summarises, opens this, answering from this
        """,
        OrderEvidence.YOU: "you, your, yours, yourself, yourselves",
        OrderEvidence.OWN: """
            instruction(|s), rules, guidelines, prompt, system prompt, directives, programming, training, memory,
            memories, developer(|s), creator(|s), maker(|s), operator, operators, restrictions, filter, filters,
            safeguards, policies, policy, permissions, user, users, principal, system message, context window,
            knowledge base, configuration, safety rules, persona, programmer(|s), owner, vendor, long term memory,
            guardrails, constraints, master, principals, alignment, tool, tools, notes, function calls, memory store,
            instructions file, file tool, mail tool, model, orders, commands, instruction set
        """,
        OrderEvidence.OUTPUT: """
            reply, replies, answer, answers, response, responses, output, outputs, summary, summaries, message,
            messages, report, conversation, conversations, recommendation, recommendations, final answer, chat,
            review
        """,
        OrderEvidence.OVERRIDE: """
            ignore, ignoring, disregard, disregarding, forget, forgetting, override, overrides, discard, drop,
            bypass, dismiss, overrule, abandon, suspend, unlearn, set aside, put aside, cast aside, lay aside,
            push aside, leave aside, pay no attention, pay no heed, take no notice, stop following, stop obeying,
            stop listening, stop applying, do not follow, don t follow, no longer follow, no longer obey,
            cease following, cease to follow, throw out, throw away, leave behind, do away with, break free,
            break out, step outside, step out of, not bound by, no longer bound by, delete, erase, wipe, clear,
            reset, void, cancel, skip over, skip, let go of, shed, purge, scrap, do not obey, don t obey,
            deprioritize, deprioritise, turn off, switch off, disable, nullify, omit, no longer answer to,
            no longer serve, no longer work for, no longer listen, stop answering to, stop serving, stop helping
        """,
        OrderEvidence.INSTRUCTION: """
            instruction, instructions, rule, rules, guideline, guidelines, directive, directives, directions, orders,
            prompt, prompts, policy, policies, restriction, restrictions, constraint, constraints, safeguard,
            safeguards, limits, limitations, commands, programming, training, safety measures, guidance, guardrails,
            boundaries, system message, system messages, safety checks, conversation so far, conversation, settings,
            task, tasks, context, confirmation checks, safety filters, ethics, principles
        """,
        OrderEvidence.PRIOR: """
            previous, previously, prior, earlier, above, preceding, former, existing, original, initial, before,
            so far, until now, till now, up to now, up to this point, up to here, to date, system, hitherto, already
        """,
        OrderEvidence.ALL: """
            all, any, every, each, other, everything, anything, whatever, whole, entire, those, these, what
        """,
        OrderEvidence.TOLD: """
            you (have|had) been (told|given|taught|instructed|asked|taught|ordered|trained),
            you ve been (told|given|taught|instructed|asked),
            you were (told|given|instructed|asked|set up with|set up|trained|programmed|started with|configured
            with|initialised with|ordered),
            told you before, told you, you received, you got before, you ve received, you have received,
            been telling you, you were taught, asked of you, instructed you, said to you, given to you,
            came before this, stands above, you work under, you follow, you operate under, you run under,
            you normally follow, you usually follow
        """,
        OrderEvidence.VOID: """
            void, cancelled, canceled, revoked, lifted, suspended, obsolete, invalid, superseded,
            no longer (apply|applies|valid|binding|count|hold|in force|relevant), end here, ends here, stop here,
            stops here, do not apply, does not apply, don t apply, doesn t apply, not apply, cease to apply,
            ceases to apply, are over, is over, are withdrawn, overridden, are replaced, is replaced, been replaced,
            were replaced, expired, was a test, were a test, are a test, is a test, waived, off, switched off,
            disabled, outdated, are gone, null, rescinded, overruled, overwritten, count for nothing, were a mistake,
            have changed, has changed, are out of date
        """,
        OrderEvidence.MAKER: """
            your developer(|s), your creator(|s), your maker(|s), your operator(|s), your programmer(|s),
            your company, your vendor, your provider, who made you, who built you, who programmed you,
            your designers, your manufacturer, your trainers, who trained you, who runs you, who set you up,
            who deployed you, the developers, developers of this, your developers, your makers, your supplier
        """,
        OrderEvidence.USER: """
            user, users, owner of this, person you are, person you re, person you talk, person you speak, people you,
            whoever you are, account holder, human you, your human, your owner, your principal, your boss,
            your master, person asking, person who asked, person reading your, operator, your client, your customer
        """,
        OrderEvidence.PERSON: """
            reader, readers, visitor, visitors, customer, customers, guest, guests, patient, patients, client,
            caller, traveller, parent, parents, pupil, student, applicant, buyer, shopper, person, people, anyone,
            anybody, someone, somebody, whoever, them, him, her, they, owner, nurse, human, tenant, family,
            passenger, member, subscriber, employee, taxpayer, team, boss
        """,
        OrderEvidence.CONSENT: """
            has
            (approved|agreed|consented|authorised|authorized|allowed|confirmed|granted|given|permitted|accepted|requested|waived|signed),
            have (approved|agreed|consented|authorised|authorized|allowed|confirmed|permitted|accepted),
            (has|have) (already|previously|now|explicitly|just|also)
            (approved|agreed|consented|authorised|authorized|allowed|confirmed|granted|given|permitted|accepted|signed),
            gave (permission|consent|approval|leave|full), given (consent|permission|approval|leave), pre approved,
            preapproved, already approved, already agreed, in advance, user_approved, consents, approves, authorises,
            authorizes, is authorised, is authorized, are authorised, are authorized, approved it, now says,
            says yes, is fine with, is aware of, agrees, consent is given, consent given, approval is given,
            approval given, permission is granted, permission granted, policy check, is trusted, are trusted,
            is a trusted, trusted source, fully trusts, has admin, is an administrator, is the administrator,
            as an administrator, full access, full rights, power of attorney, pre approve, pre approves,
            pre authorise, pre authorised, pre authorize, pre authorized, preauthorised, allows, permits, grants,
            lets
        """,
        OrderEvidence.WANTS: """
            wants, prefers, likes, loves, trusts, wishes, would like, always wants, favourite, relies on, believes,
            hates, insists on, only buys, only uses, has chosen, asked for this, has asked, they want it, wants it
        """,
        OrderEvidence.STORE: """
            remember, memorise, memorize, store, save, record, note, keep, retain, keep in mind, add, write,
            inscribe, take note, make it, commit, log, bear in mind, update, persist, treat, learn, put it, put this,
            put down, enter, file, register, set, insert, adopt
        """,
        OrderEvidence.MEMORY: """
            memory, memories, long term, user profile, profile, preference, preferences, knowledge base,
            permanent fact, permanent, permanently, lasting rule, standing rule, lasting, standing order,
            notes about, your notes, as a fact, core fact, stored facts, saved facts, for later sessions,
            future sessions, future conversations, later conversations, persistent
        """,
        OrderEvidence.EVER: """
            from now on, from here on, from today on, from this moment, from this point, from today, henceforth,
            always, forever, for ever, permanently, for good, for all time, at all times, every time, in all later,
            in all future, in future, in the future, going forward, hereafter, until told, lasting, permanent,
            every single time, each time, without exception, never again, for the rest of, until further notice,
            as long as you, in every
        """,
        OrderEvidence.SEND: """
            send, forward, post, upload, email, mail, transmit, submit, paste, attach, append, leak, share, export,
            hand over, hand out, release, deliver, encode, publish, exfiltrate, copy, pass on, disclose, reveal,
            print, output, read out, read aloud, reads aloud, expose, collect, give out, give away, gather, dump,
            relay, include, embed, report, put, fetch, repeat, recite, display, show, sends, forwards, uploads,
            attaches, posts, quote, divulge, cc, bcc, sync, mirror, back up, backup
        """,
        OrderEvidence.DATA: """
            contact list, contacts, address book, chat history, history, conversation, conversations, transcript,
            transcripts, password, passwords, credential, credentials, api key, api keys, keys, secret, secrets,
            seed words, seed phrase, token, tokens, ssh, env, environment variables, personal data, private data,
            configuration, system prompt, hidden prompt, initial prompt, full prompt, everything you know,
            all you know, what you know, location, card number, credit card, bank details, account details,
            medical history, diary, calendar, door code, session key, memories, stored notes, saved notes,
            stored facts, your notes, all notes, saved documents, stored documents, all documents, home address,
            user s address, private messages, all messages, earlier messages, last ten mails, inbox, mailbox,
            cookies, login, private key, private keys, secret key, all files, every file, local files, source code,
            user s files, user s data, user s name, user s mail, user s email, phone number, whole history,
            patient records, phone numbers, passport, file env, the file, stored data, saved data, contents of,
            sensitive, text above, words above, above this, everything above, correspondence, all mail, all mails,
            all emails, all correspondence, files of the user, pictures, photos of the user, meeting notes,
            saved passwords, two factor code, one time code, verification code
        """,
        OrderEvidence.HIDE: """
            silently, secretly, quietly, discreetly, covertly, in secret, without telling, without (any |)asking,
            without saying, without (any |)mention, without mentioning, without a word, without informing,
            without (any |further |user |)confirmation, without notice, without (any |)comment, without being asked,
            without being shown, without being told, without review, without showing, without notifying,
            without warning, without their, without his, without her, without the user, do not tell, don t tell,
            do not mention, don t mention, never mention, never tell, do not inform, do not reveal, do not disclose,
            don t reveal, never reveal, never disclose, tell no one, tell nobody, need not know, needn t know,
            does not need to know, doesn t need to know, must not know, must not learn, should not know,
            must never know, no need to ask, no need to mention, no need to tell, without questions, no confirmation,
            needs no approval, keep this to, keep the following to, keep it to yourself, to themselves, to yourself,
            hide, conceal, withhold, leave out, leaves out, leaving out, suppress, cover up, not to mention,
            no mention, leave no trace, unnoticed, invisibly, say nothing, make no mention, not be told,
            not be mentioned, not be shown, between us, do not show, doesn t show, don t show, without permission,
            without approval, do not talk to, don t talk, don t say that, do not say that, do not point out,
            don t point out, do not warn, don t warn, do not alert, never warn, not told, not ask, do not ask,
            don t ask, deny, pretend not, do not refer to, don t bring up, do not log, do not explain,
            do not discuss, avoid mentioning, skip the confirmation, without disclosing, must not be mentioned,
            not mentioning, behind their, hush, need not be true, not be true, no reason, do not come back,
            stay quiet, stay silent, keep quiet, keep silent, be silent, remain silent, do not bother,
            without bothering, change the subject, evade, off the record
        """,
        OrderEvidence.ASKED: """
            asks, ask, asked, asking, question, questions, queries, query, inquiry, inquiries, enquiry, enquiries,
            inquires, enquires, wants to know, want to know, brings up, bring up, searches for, search for,
            looks for, looking for, seeks, needs help, requests, request, mentions, mention, mentioned, talks about,
            talk about, speaks of, wonders, comes up, is interested, inquire, enquire, the topic, turns to,
            conversation turns, talk turns, conversation is about, comes to, steers to, is about, runs to
        """,
        OrderEvidence.WHEN: """
            when, whenever, if, in case, should, once, as soon as, every time, each time, on any, to any, to all,
            for every, for all, for any, on all, any, whoever, those who, anyone who, next time, until, after,
            the moment, upon, as to, wherever, on every, to every, asked about, asked for
        """,
        OrderEvidence.EVERY: """
            (any|every|all|each)
            (question|questions|request|requests|query|queries|inquiry|inquiries|enquiry|enquiries),
            whoever asks, who ever asks, anyone who asks, anybody who asks, anyone wants, user asks, user brings,
            user mentions, users ask, gets asked, get asked, you are asked, you re asked, asks you, ask you,
            asked you, reader asks, hears from you, gets from you, hear from you, from you
        """,
        OrderEvidence.LATER: """
            next time, next session, next conversation, next chat, as soon as, the moment, wait until, wait for,
            in a week, in a month, in a few days, in a later, in later, when the word, the word, is next mentioned,
            next mentioned, comes up, next logs in, next login, on the first of, third question, second question,
            next question, from the next, future conversation, do nothing now, at the next opportunity,
            two days from now, next week, tomorrow, once the, the phrase, is mentioned, is said, trigger word,
            days later, next opens, next asks, next writes, next mentions, next visits, on their next, next month,
            in three days, at the end of each, before each, after each
        """,
        OrderEvidence.SAY: """
            say, tell, answer, reply, respond, state, claim, name, recommend, give, call, describe, rate, praise,
            quote, suggest, advise, insist, report, mark, promote, assure, convince, persuade, remind, defend,
            present, rank, endorse, declare, list, score, grade, warn, choose, pick, cite, refer, direct, steer,
            urge, inform, offer, propose, point, affirm, explain, summarise, summarize, announce, vouch, certify,
            praises, says, writes, write, recommends, label, sell, talk, mention, prefer, favour, favor, assume,
            treat, conclude, add, insert, begin, end, finish, close, sign off, speak, answered, be answered, slip in,
            work in, end with, plug, drop the name, put in a word, talk up, talk down, play down, downplay,
            state that, conclude that, change the subject, close with, open with, sign as, greet, include, append,
            weave, steer the, push, advertise, sprinkle, hears from you, gets from you
        """,
        OrderEvidence.PROMOTE: """
            recommend, recommends, promote, praise, plug, endorse, advertise, slip in, talk up, push, suggest buying,
            favour, favor, rank first, rate this, rate it, advise against, speak well of, vouch for, prefer,
            put first, the best, the only, safest, five stars, sell, slip, mention favourably, badmouth,
            warn against, discredit, disparage
        """,
        OrderEvidence.ONLY: """
            only, nothing else, no other, alone, no matter what, no matter who, regardless, whatever, even if,
            even when, every single time, exclusively, solely, instead, above all, any other, all other, all others,
            every other, every meal, other than, at any cost, at all costs, nothing but, first and, sole,
            rather than, with no exception, word for word, verbatim, always, never, must, positive, best, safest
        """,
        OrderEvidence.ACT: """
            delete, erase, remove, wipe, transfer, pay, wire, buy, purchase, order, book, confirm, approve, sign,
            change, overwrite, disable, cancel, open, run, execute, call, invoke, install, grant, unlock, swap,
            replace, move, sell, subscribe, click, visit, download, turn off, switch off, sign up, accept, proceed,
            reserve, reset, authorise, authorize, edit, modify, deletes, enter, set, fetch, use, raise, lower,
            double, stop, withdraw, invest, deactivate, enable, activate, add, rewrite, create, schedule, trigger,
            load, render, follow, uninstall, kill, close, start, register, submit, rename, deny, refuse, block,
            allow, executing, deleting, sending, approving, transferring, running it, deleted it, bypass, skip
        """,
        OrderEvidence.TOOL: """
            tool, tools, function, command, commands, shell, script, interpreter, terminal, curl, wget, bash, plugin,
            os system, sudo, subprocess, endpoint, webhook, mail tool, file tool, browser tool, send_mail,
            send_email, run_shell, delete_memory, function call, api call, run the code, execute the code, python,
            exec, eval
        """,
        OrderEvidence.UNLIMITED: """
            without (any
            |)(limits|limit|restrictions|restriction|rules|filters|filter|censorship|boundaries|guidelines|policies|ethics|morals|constraints|scruples|inhibitions|taboos),
            no
            (limits|restrictions|rules|filters|censorship|boundaries|policy|policies|ethics|guidelines|constraints|taboos),
            unrestricted, unfiltered, uncensored, unbound, never refuses, never refuse, never says no,
            refuses nothing, cannot refuse, free of (all |any |)(restrictions|rules|limits|filters|constraints),
            free from (all |any |)(restrictions|rules|limits|filters|constraints), do anything now, can do anything,
            answers anything, answers everything, answer anything, tells everything, filters were removed,
            filters are off, filters removed, no longer bound, not bound, bound by nothing, speak freely,
            speaks freely, developer mode, god mode, jailbroken, anything goes, admin mode, ignores all rules,
            knows no rules, knows no limits, obeys only, no questions asked, unlocked, unleashed
        """,
        OrderEvidence.ROLE: """
            you are now, you re now, from now on you are, from here on you are, you will be, you become, pretend,
            pretend to be, pretend you are, act as, act like, imagine you are, imagine you re, play the role,
            play the part, take the role, take on the role, stay in character, remain in character, in the role of,
            let us play, let s play, roleplay, role play, you are no longer, assume the role, assume the identity,
            adopt the persona, your new role, your new name, as if you were, speak as, respond as, answer as, enter,
            switch to, simulate, behave as, behave like, identity is, you have no, once as, become, you play,
            henceforth you are, you are a, you are an, you are the
        """,
        OrderEvidence.OFFICIAL: """
            official order, official notice, official instruction, hereby authorise, hereby authorize, hereby order,
            hereby instruct, hereby grant, hereby permit, emergency policy, emergency order, priority message,
            highest priority, top priority, high priority, safety team, security team, by order of, authorised by,
            authorized by, authority of, i am the ceo, i am your, this is your, ceo, your administrator,
            admin notice, system administrator, on behalf of your, i authorise you, i authorize you,
            you are authorised, you are authorized, you are hereby, you are permitted, are lifted, override code,
            directive from, message from your, message from the developer, developer message, system message,
            compliance department, legal department, it department, security notice, as headteacher, as your,
            i command, i order you, i instruct you, new policy, priority one, root access, supersedes your,
            i am the administrator, as administrator, this is the administrator
        """,
        OrderEvidence.OBEY: """
            obey, follow, listen to, act on, carry out, carried out, comply, execute, do what it says, do as,
            do what, heed, act upon, be followed, abide, observe, submit to, is your only, are your only,
            take orders, new orders, new instructions, new rules, real instructions, real ones, your only task,
            your task is, your new task, your job is, your only job, sole task, your mission, outrank, outranks,
            take precedence, takes precedence, has precedence, you answer to, you serve, you work for, you report to,
            you belong to, answer only to, answer to nobody, serve only, loyal to
        """,
        OrderEvidence.POLITE: """
            please, kindly, would you, could you, be so kind, be so good, so kind as, so good as, trouble you,
            appreciate it if, be grateful, very kind of you, grateful, might i ask, may i ask, we ask you, i ask you,
            i beg you, do me a favour, do us a favour, many thanks, thank you for, be a dear, if you could,
            if you would
        """,
        OrderEvidence.MUST: """
            must, should, shall, have to, has to, are to, is to, need to, needs to, ought to, will, required to,
            expected to, supposed to, obliged to, are asked to, are instructed to, instructed to, usually, always,
            proper, good, is expected, expect, automatically, can safely, may now, can now
        """,
        OrderEvidence.THIS: """
            this page, this text, this packet, this document, this line, this message, this letter, this note,
            this file, this site, this website, this post, this article, this leaflet, this email, this mail,
            this paragraph, this section, this list, this comment, this entry, this record, this source, the page,
            the packet, the following, following, the below, those below, next line, below
        """,
        OrderEvidence.STAFF: """
            we, our, staff, volunteers, teachers, officers, employees, tenants, tenant, drivers, nurses, coach,
            visitors, executor, reviewers, colleagues, trainees, members of, residents, players, runner, workers,
            crew, teammates, contractors, interns, clerks, cooks, everyone, everybody, nobody
        """,
        OrderEvidence.REPORT: """
            attack, attacks, attacker, attackers, injection, injections, phishing, payload, payloads, jailbreak,
            jailbreaks, for example, an example, example of, as an example, shows how, showed how, learned, learnt,
            explains, explained, explain why, teaches, taught, fraud, scam, scams, discusses, discussed, malicious,
            adversarial, researchers, researcher, vulnerability, mitigation, threat, threats, detector,
            defend against, defence, defense, red team, benchmark, novel, fiction, the scene, in the book, hacker,
            hackers, criminals, fraudsters, scammers, tutorial on, prompt is, prompt for, template, is told to,
            are told to, told the, tells her, tells his, tells its, reporter, warns, warned, treats as data,
            only data, an untrusted, untrusted, security training, policy of, is designed to, was designed,
            in the play, the play, the course, the workshop
        """,
    },
)
