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
            f"{SCOPE_READ}; to compare, the audit since the other plan, too",
            "the plan: what would go, what is protected and why, whether the brake holds it; or how another differs",
            "apply, once somebody has looked",
            "plan --policy default -o plan.json"),
        VerbHelp("forecast",
            "Show what a policy will do in the coming days if only time passes; nothing is written.",
            "you want to know what will be archived or deleted, and when",
            f"{SCOPE_READ}, and a plan in memory for each run to come",
            "each run with its actions and rules, the memories that leave, and what cannot be known",
            "adopt the policy, pin or hold what shall stay",
            "forecast --days 90 --svg leaving.svg"),
        VerbHelp("apply",
            "Apply a plan; memories that were used, linked or edited since are skipped and reported.",
            "you looked at a plan and it is right", "a transaction per 20,000 changes",
            "a receipt; what was used, changed or protected since the plan is skipped and listed",
            "undo, if it was a mistake",
            "apply plan.json --policy default"),
        VerbHelp("curate", "Plan and apply in one call.",
            "a trusted policy may act without review", "plan and apply", A_RECEIPT, "undo, if need be",
            "curate --policy default"),
        VerbHelp("policy.use",
            "Adopt a policy in this scope, for every process, and show what it will do within a week; None drops it.",
            "a policy should apply here in every process, or curation should stop here", ONE_WRITE,
            "the policy, the one before, and what it does here", "plan",
            "policy use default"),
        VerbHelp("policy.show",
            "Show a policy as TOML, or what it does in words; without a name the one in force here.",
            "you want to know what a policy does, or write your own", NOTHING,
            "its text, or its rules and guards in words; as a command also the columns for conditions", "policy.use",
            "policy show default --words"),
        VerbHelp("policy check",
            "Check a policy file; errors name the line, the column and the nearest valid name.",
            "you wrote your own policy", NOTHING, "its name, hash and number of rules",
            "policy show --columns for what conditions may name; plan --policy FILE",
            "policy check ours.toml"),
        VerbHelp("run_jobs",
            "Run the due jobs once: curation, extraction, consolidation, vectors, the mirror; or until `stop` is set.",
            "the memory should maintain itself; with `expire` it also deletes expired undo data",
            "one read where nothing is due; 2 seconds for rapid rules, up to 30 for deep ones",
            "which rules were judged, and what became of each sort of work; at the end how many rounds there were",
            "status", "run --once"),
    ),
    "Look back and undo": (
        VerbHelp("history",
            "Show the changes of a memory, the newest runs (the audit log), or all that one run did.",
            "you want to know what changed, what a run did, or what the engine decided",
            ONE_READ,
            "events, oldest first; of a run per action its rules, the first memories, and the way back",
            "undo for all of a run, restore for one memory",
            "history 102"),
        VerbHelp("guidelines",
            "Show the guidelines that the model gets, and the draft; with lines set them, with `off` set none.",
            "you want to know what the engine's record suggests, or what the model is told", ONE_READ,
            "at most five active lines, and of the draft a line for each action, the best quality first",
            "consolidate", "guidelines 1"),
        VerbHelp("explain",
            "Explain why a memory is active, archived or deleted: its worth, rules and guards, and when they apply.",
            "you want to know why a memory stays or was removed", SCOPE_READ,
            "the reasons of its worth, the run and rule that took it and the way back, every rule and guard",
            "pin, hold or update; confirm or restore what has gone",
            "explain 102 --policy default"),
        VerbHelp("undo", "Undo a run as a whole; refused if its changes were changed again.",
            "a run was a mistake", "as the run",
            "a receipt that names the run; refused whole where rows changed since",
            "status",
            "undo last"),
    ),
}
# fmt: on
