"""Marks of citations are taken off and counted; what only looks a little like one stays."""

import json
import time

import pytest

from remanence.write.transcripts.citation_marks import TAKEN_OFF
from remanence.write.transcripts.formats import Transcript, parse

CITE = "\ue200cite\ue202turn3search2\ue202turn3view0\ue201"


def read(text: str) -> Transcript:
    """Read a message that says this, behind one that says something else."""
    return parse(json.dumps([{"role": "user", "content": "Aye."}, {"role": "assistant", "content": text}]))


@pytest.mark.parametrize(
    ("text", "expected", "marks"),
    [
        (f"Glaze at nine. {CITE} Then wait.", "Glaze at nine. Then wait.", 1),
        (f"Glaze{CITE}{CITE} at nine {CITE}.", "Glaze at nine.", 3),
        (f"Glaze.\n{CITE}\nWait.", "Glaze.\n\nWait.", 1),
        ("Cut off \ue200cite\ue202turn3search2", "Cut off", 1),
        ("By \ue200url\ue202The kiln page\ue202turn0search1\ue201.", "By The kiln page.", 1),
        ('In \ue200entity\ue202["city","Delft","a town"]\ue201 now', "In Delft now", 1),
        ("\ue203Glaze at nine\ue204\ue206.", "Glaze at nine.", 1),
        ("A copy citeturn5search9turn5news1 without signs fileciteturn0file1.", "A copy without signs.", 2),
        ("Of a file【12†source】, of another 【4:0†kiln plan.pdf】.", "Of a file, of another.", 2),
        ("Older :contentReference[oaicite:3]{index=3} ones【oaicite:0】", "Older ones", 2),
        ("[cite_start]Of another program[cite: 1, 12].", "Of another program.", 2),
        ('Of <cite index="0-1,2">the words</cite> around', "Of the words around", 1),
        ('A <grok:render card_id="1"><argument name="n">4</argument></grok:render> card', "A card", 1),
    ],
)
def test_marks_are_taken_off_and_counted(text: str, expected: str, marks: int) -> None:
    """Of several programs, whole, in a row, or cut; a link or a name that is shown stays."""
    found = read(text)

    assert ["Aye.", expected] == [turn.text for turn in found.turns]
    assert {TAKEN_OFF: marks} == found.skipped
    assert found.examples[TAKEN_OFF] in text


@pytest.mark.parametrize(
    "text",
    [
        "They cite turn 5.",
        "【注意】 [cite me]",
        "<cite>A title</cite>",
        "index †",
        "recite turn5search9",
        "a  b †",
    ],
)
def test_what_is_no_mark_stays(text: str) -> None:
    """To the letter."""
    found = read(text)

    assert (["Aye.", text], {}) == ([turn.text for turn in found.turns], found.skipped)


def test_a_text_of_marks_alone_is_counted() -> None:
    """It says nothing; a text of a hundred thousand signs that begin a mark takes no time."""
    began = time.process_time()
    hurtful = read("".join(one * 9_000 for one in ("\ue200", "【", "cite", '<cite index="0">', "[cite: ")))

    assert {TAKEN_OFF: 1, "text of nothing but marks of citations": 1} == read(CITE).skipped
    assert len(hurtful.turns) > 1
    assert time.process_time() - began < 5
