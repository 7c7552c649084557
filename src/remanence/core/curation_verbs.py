"""Rows of the table of verbs: curation is planned, applied, looked back at and undone.

Knows verbs and commands by name and calls none.
"""

from collections.abc import Mapping

from remanence.core.verb_help import A_RECEIPT, NOTHING, ONE_READ, ONE_WRITE, SCOPE_READ, VerbHelp

# fmt: off
# One row is name, summary / use when, cost, returns, next / example.
CURATION_VERBS: Mapping[str, tuple[VerbHelp, ...]] = {
    "Curate": (
        VerbHelp("plan", "Show what a policy would do now; nothing is written.",
            "you want to see what a policy would do, or whether a saved plan is out of date",
            f"{SCOPE_READ}; with `compare` also the audit since the other plan",
            "the plan: its actions, what is protected and why, whether the deletion limit holds it; or the differences",
            "apply, after review",
            "plan --policy default -o plan.json"),
        VerbHelp("forecast",
            "Show what a policy will do in the coming days if only time passes; nothing is written.",
            "you want to know what will be archived or deleted, and when",
            f"{SCOPE_READ}, and one plan in memory per future run",
            "each run with its actions and rules, the memories that leave, and what cannot be predicted",
            "adopt the policy; pin or hold memories that must stay",
            "forecast --days 90 --svg leaving.svg"),
        VerbHelp("apply",
            "Apply a plan; memories that were used, linked or edited since are skipped and reported.",
            "you looked at a plan and it is right", "a transaction per 20,000 changes",
            "a receipt; memories used, changed or protected since the plan are skipped and listed",
            "undo, if it was a mistake",
            "apply plan.json --policy default"),
        VerbHelp("curate", "Plan and apply in one call.",
            "a trusted policy may act without review", "plan and apply", A_RECEIPT, "undo, if it was a mistake",
            "curate --policy default"),
        VerbHelp("policy.use",
            "Adopt a policy in this scope, for every process, and show what it will do within a week; or drop it.",
            "a policy should apply here in every process, or curation should stop here", ONE_WRITE,
            "the policy, the previous one, and what it will do here", "plan",
            "policy use default"),
        VerbHelp("policy.show",
            "Show a policy as TOML, or what it does in words; without a name the one in force here.",
            "you want to know what a policy does, or write your own", NOTHING,
            "its text, or its rules and guards in words; the command also lists the columns", "policy.use",
            "policy show default --words"),
        VerbHelp("policy check",
            "Check a policy file; errors name the line, the column and the nearest valid name.",
            "you wrote your own policy", NOTHING, "its name, hash and number of rules",
            "policy show --columns, for conditions; plan --policy FILE",
            "policy check ours.toml"),
        VerbHelp("run_jobs",
            "Run the due jobs once: curation, extraction, consolidation, vectors, the mirror; or until `stop` is set.",
            "the memory should maintain itself; with `expire` it also deletes expired undo data",
            "one read if nothing is due; 2 seconds for rapid rules, up to 30 for deep ones",
            "the rules that ran, and the result of each kind of job; at the end the number of rounds",
            "status", "run --once"),
    ),
    "Look back and undo": (
        VerbHelp("history",
            "Show the changes of a memory, the newest runs (the audit log), or all that one run did.",
            "you want to know what changed, what a run did, or what the engine decided",
            ONE_READ,
            "events, oldest first; for a run each action with its rules, the first memories, and how to undo it",
            "undo for a whole run, restore for one memory",
            "history 102"),
        VerbHelp("guidelines",
            "Show the guidelines that the model gets, and the draft; with lines set them, with `off` set none.",
            "you want to see what the engine suggests, or what the model is told", ONE_READ,
            "at most five active lines, and a draft with one line per action, best quality first",
            "consolidate", "guidelines 1"),
        VerbHelp("explain",
            "Explain why a memory is active, archived or deleted: its worth, rules and guards, and when they apply.",
            "you want to know why a memory stays or was removed", SCOPE_READ,
            "the reasons for its worth, the run and rule that removed it and how to undo that, every rule and guard",
            "pin, hold or update it; restore it if it was removed",
            "explain 102 --policy default"),
        VerbHelp("undo", "Undo a run as a whole; refused if its changes were changed again.",
            "a run was a mistake", "as the run",
            "a receipt that names the run; refused as a whole if its rows changed since",
            "status",
            "undo last"),
    ),
}
# fmt: on
