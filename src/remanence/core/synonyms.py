"""Words that people bring from elsewhere for a verb, an argument or an option, and what each is called here.

Data alone: `errors.suggest` offers of them what is known in the place where the word was written.
"""

from collections.abc import Mapping

# Most of them are verbs of other memories (mem0, LangGraph, elfmem), of shells, of version control and of SQL.
VERBS: Mapping[str, tuple[str, ...]] = {
    name: verbs
    for names, verbs in (
        ("delete remove rm del drop discard", ("forget", "erase")),
        ("purge wipe destroy shred redact finish", ("erase",)),
        ("dismiss", ("erase settle", "settle")),
        ("remember add store save write insert create memorize memorise learn-many put upsert", ("learn",)),
        ("begin-session end-session start-session", ("begin_session", "session")),
        ("say hear log-turn message", ("note",)),
        ("boot start-context context begin profile persona whoami", ("frame",)),
        ("search query find ask lookup retrieve match fetch", ("recall",)),
        ("show view cat read inspect display open", ("get",)),
        ("edit change modify set amend", ("update", "correct")),
        ("fix rectify replace supersede", ("correct",)),
        ("ls all get-all browse list-memories memories", ("list",)),
        ("log changes events runs actions decisions", ("history",)),
        ("revert rollback", ("undo",)),
        ("undelete recover unforget unarchive", ("restore",)),
        ("check fsck integrity diagnose validate", ("doctor",)),
        ("stats stat info summary due timetable should-curate", ("status",)),
        ("topics keywords facets aggregate group-by groupby distinct values", ("count",)),
        ("clean cleanup gc prune vacuum tidy archive compact compact-episodic", ("plan", "curate")),
        ("diff compare", ("plan",)),
        ("preview simulate", ("plan", "forecast")),
        ("dream reflect process", ("consolidate",)),
        ("load", ("ingest", "import")),
        ("adopt", ("policy use", "use")),
        ("describe columns presets", ("policy show", "show")),
        ("dump", ("export",)),
        ("config configure set-setting options", ("settings",)),
        ("server http rest api listen", ("serve", "mcp")),
        ("tokens key keys apikey login", ("token add", "token list")),
        ("why reason", ("explain",)),
        ("label unlabel untag", ("tag",)),
        ("frames-put frames-list frames-reset", ("frames set", "frames get")),
        ("lock protect keep", ("pin", "hold")),
        ("unlock release", ("pin", "hold")),
        ("unpin", ("pin",)),
        ("ban block lift", ("forbid",)),
        ("relate connect unlink", ("link",)),
        ("related find-related neighbours neighbors graph", ("links",)),
        ("vote feedback score outcome confirm dispute", ("rate",)),
        ("dedupe deduplicate link-duplicates", ("consolidate", "merge")),
        ("join unify", ("merge",)),
        ("contradictions conflicts quarantine quarantined proposals", ("review list",)),
        ("resolve accept approve accept-clock decline reject", ("review settle", "settle")),
        ("daemon cron schedule tick schedule-run schedule-tick", ("run_jobs", "run")),
        ("workers queue procrastinate", ("worker", "run")),
        ("namespaces users tenants collections databases", ("scopes list", "list")),
        ("share publish", ("promote",)),
        ("clone duplicate cp", ("scopes copy", "copy")),
        ("people persons", ("entities list",)),
        (
            "boxes traces box trace segments threads segment thread",
            ("conversations list", "conversations get"),
        ),
    )
    for name in names.split()
}
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    name: arguments
    for names, arguments in (
        ("top-k topk k n top count max max-results num-results size num first head", ("limit",)),
        ("max-tokens tokens token-budget", ("budget",)),
        ("user user-id namespace tenant collection project owner", ("scope",)),
        ("who author by name", ("speaker", "asker", "agent")),
        ("type", ("kind", "category")),
        ("labels label tags", ("tag", "tags")),
        ("tag", ("tags",)),
        ("date time when timestamp created-at at", ("said-at", "since")),
        ("from start min-date after-date", ("since", "between")),
        ("to end before max-date", ("until", "between")),
        ("since until", ("between",)),
        ("filter filters metadata", ("where", "filters", "attribute", "attributes")),
        ("offset skip page cursor start-after", ("after",)),
        ("revision version etag", ("if-revision",)),
        ("database file path", ("db",)),
        ("content body message memory", ("text",)),
        ("id ids memory-id", ("name", "names", "id", "ids")),
        ("question q search", ("query",)),
        ("hops distance", ("depth",)),
        ("force confirm y", ("yes",)),
        ("output out format", ("json",)),
        ("session-id run-id", ("session",)),
        ("weight priority", ("importance",)),
    )
    for name in names.split()
}
OPERATORS: Mapping[str, tuple[str, ...]] = {
    name: operators
    for names, operators in (
        ("> $gt after", ("gt",)),
        (">= $gte ge min from", ("gte",)),
        ("< $lt before", ("lt",)),
        ("<= $lte le max to until", ("lte",)),
        ("!= <> ne $ne $nin nin not_in except", ("not",)),
        ("startswith starts_with begins_with begins startsWith like ^=", ("prefix",)),
    )
    for name in names.split()
}
