"""The reference page of the vocabulary, in Markdown. Knows words; adds nothing to what they say of themselves."""

from remanence.core.model import COLUMNS, Relation
from remanence.curate.language.expression import Over
from remanence.curate.language.meanings import MEANINGS
from remanence.curate.language.view import OF_LINKS, Node
from remanence.curate.language.vocabulary import BOTH, FUNCTIONS, LINK, MEMORIES, VOCABULARY


def reference() -> str:
    """Return the reference page of the vocabulary, in Markdown."""
    columns = [column for column in COLUMNS if column.name in MEANINGS and column.labels is not None]
    rows = [
        f"| `{column.name}` | {', '.join(label.label for label in column.labels or ())} |"
        for column in columns
    ]
    rows.append(f"| `relation` | {', '.join(label.label for label in Relation)} |")
    return "\n".join(
        [
            "# The words of a policy",
            "",
            "Generated from the vocabulary itself; `remanence policy show --columns` prints the same.",
            "",
            "Unknown is neither true nor false: a rule does not match on it, a guard does.",
            "",
            *_render_words_table("Columns of a memory", "memories"),
            *_render_words_table("Columns of a link", "links"),
            *_render_functions(),
            "## Labels",
            "",
            "| column | may be |",
            "|---|---|",
            *rows,
            "",
        ]
    )


def _render_words_table(title: str, over: Over) -> list[str]:
    words = [word for word in VOCABULARY[over].columns.values() if word.over != BOTH or over == "memories"]
    rows = [
        f"| `{word.name}` | {word.node.type} | {word.doc} | {_list_needed_columns(word.node)} |"
        for word in words
    ]
    return [f"## {title}", "", "| column | type | meaning | reads |", "|---|---|---|---|", *rows, ""]


def _list_needed_columns(node: Node) -> str:
    return ", ".join(sorted(name for name in node.reads if not name.startswith(OF_LINKS))) or "nothing"


def _render_functions() -> list[str]:
    where = {MEMORIES: "memories", LINK: "links", BOTH: "both"}
    rows = [
        f"| `{function.signature}` | {function.answers} | {where[function.over]} | {function.doc} |"
        for function in FUNCTIONS
    ]
    return [
        "## Functions",
        "",
        "| function | answers | for rules over | meaning |",
        "|---|---|---|---|",
        *rows,
        "",
    ]
