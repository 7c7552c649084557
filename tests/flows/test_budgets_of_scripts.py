"""A text that is longer than the budget is cut in every script: never nothing where a passage fits."""

import pytest

import remanence
from remanence.core.text_cuts import cut_graphemes
from remanence.text.tokens import token_counts

# What was decided, and a question whose words stand in the middle of it.
TEXTS = {
    "English": (
        "The ferry now leaves from pier two. The old pier is rotten, and repairs take until May. ",
        "pier",
    ),
    "Chinese": ("渡轮现在从二号码头出发。旧码头已经腐烂，修理要到五月才能完成。", "旧码头"),
    "Japanese": ("フェリーは今、二番埠頭から出る。古い埠頭は腐っていて、修理は五月までかかる。", "古い埠頭"),
    "Thai": ("เรือเฟอร์รี่ออกจากท่าเรือที่สองแล้วตอนนี้ท่าเรือเก่าผุพังการซ่อมแซมใช้เวลาถึงเดือนพฤษภาคม", "ท่าเรือเก่า"),
    "Khmer": ("សាឡាងចេញពីផែទីពីរឥឡូវនេះ។ផែចាស់រលួយហើយការជួសជុលត្រូវការរហូតដល់ខែឧសភា។", "ផែចាស់"),
    "Lao": ("ເຮືອອອກຈາກທ່າເຮືອທີສອງແລ້ວທ່າເຮືອເກົ່າເປື່ອຍການສ້ອມແປງໃຊ້ເວລາຮອດເດືອນພຶດສະພາ", "ທ່າເຮືອເກົ່າ"),
    "Burmese": ("ကူးတို့သင်္ဘောသည်ဆိပ်ကမ်းနှစ်မှထွက်သည်။ဆိပ်ကမ်းဟောင်းသည်ဆွေးမြေ့နေပြီ။", "ဆိပ်ကမ်းဟောင်း"),
    "Arabic": (
        "تغادر العبارة الآن من الرصيف الثاني. الرصيف القديم متعفن والإصلاح يستمر حتى مايو. ",
        "الرصيف القديم",
    ),
    "Hindi": ("नौका अब घाट दो से चलती है। पुराना घाट सड़ गया है और मरम्मत मई तक चलेगी। ", "पुराना घाट"),
    "one word": ("https://harbour.example/" + "pier-two-" * 20, "harbour"),
}
BUDGETS = (20, 22, 25, 30, 40, 57, 80, 130, 200, 400)


@pytest.mark.parametrize("script", TEXTS)
async def test_a_passage_is_shown_in_every_script(memory: remanence.Engine, script: str) -> None:
    """An answer is never larger than its budget, cuts no character, and is empty only where no character fits."""
    text, asked = TEXTS[script]
    texts = [f"{number}. {text * 5}" for number in range(3)]
    for one in texts:
        await memory.learn(one)
    for budget in BUDGETS:
        for limit in (1, 10):
            answer = await memory.recall(asked, budget=budget, limit=limit, count_use=False)
            best = answer.memories[0].memory if answer.memories else await memory.get(1)
            line = f"[#{best.seq} 2026-01-01; cut] {cut_graphemes(best.text)[0]} …"

            assert answer.tokens <= budget
            assert answer.tokens == token_counts([answer.text])[0]
            assert answer.memories or token_counts([line])[0] > budget
            if answer.memories and answer.memories[0].cut:
                shown = answer.text.split("\n")[0].partition("] ")[2].removeprefix("… ").removesuffix(" …")
                assert shown
                assert shown in best.text.strip()
                begin = best.text.index(shown)
                places = {begin, begin + len(shown)}
                ends = {0}
                for piece in cut_graphemes(best.text):
                    ends.add(max(ends) + len(piece))
                assert places <= ends


@pytest.mark.parametrize(
    ("script", "budget"),
    [("English", 60), ("Chinese", 70), ("Japanese", 70), ("Khmer", 240), ("Burmese", 240), ("Hindi", 120)],
)
async def test_a_passage_ends_with_a_sentence_where_most_of_it_stays(
    memory: remanence.Engine, script: str, budget: int
) -> None:
    """The mark of its script closes it, and what was left out is marked."""
    text, asked = TEXTS[script]
    await memory.learn(text * 5)
    (line,) = (await memory.recall(asked, budget=budget, count_use=False)).text.split("\n")

    assert line.removesuffix(" …")[-1] in ".。។။।"
    assert line.endswith(" …")
