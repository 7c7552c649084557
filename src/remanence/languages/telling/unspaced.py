"""Words of telling of Chinese and Japanese, which are written without blanks. Data only."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnspacedTelling:
    """How one language tells what holds: `claim` has the groups subject, verb and value, others are characters.

    `updates` are left out of a sentence and say that it holds from now on; with one of `doubts` nothing is told.
    `moving` finds a `place` that the speaker moved to, `living` is the verb of living there.
    """

    code: str
    claim: str
    updates: tuple[str, ...]
    doubts: tuple[str, ...]
    nobody: tuple[str, ...]
    i: tuple[str, ...]
    living: str
    moving: str


CHINESE = UnspacedTelling(
    code="zh",
    claim=r"^(?P<subject>.{1,20}?)(?P<verb>用的是|住在|叫做|叫|在|是)(?P<value>.{1,20})$",
    updates=("现在", "現在", "从今天起", "以后", "目前", "已经", "改", "了"),
    doubts=(
        "如果", "要是", "假如", "可能", "也许", "大概", "应该", "想", "希望", "打算", "听说", "据说", "说",
        "以前", "过去", "曾", "也", "还", "不", "没", "吗", "呢", "是不是", "谁", "什么", "哪", "几", "今天", "明天",
        "这周", "或",
    ),
    nobody=("他", "她", "它", "这", "那", "你", "我们", "他们", "这里", "那里"),
    i=("我",),
    living="住在",
    moving=r"(?:搬到|搬去|人在)了?(?P<place>[^，。了]{2,8})",
)  # fmt: skip
JAPANESE = UnspacedTelling(
    code="ja",
    claim=(
        r"^(?P<subject>.{1,20}?)(?P<verb>は)(?P<value>.{1,24}?)"
        r"(?:でやることになりました|になりました|に変わりました|でやります|でやる|に出ます|です|だ|にあります|に住んでいます|と言います)$"
    ),
    updates=("今は", "現在", "今月から", "今日から", "これから", "もう"),
    doubts=(
        "もし", "なら", "たら", "れば", "かも", "でしょう", "だろう", "思い", "たい", "予定", "そうです", "らしい",
        "昔", "以前", "でした", "だった", "も", "ない", "ません", "ですか", "誰", "何", "明日", "今週",
    ),
    nobody=("それ", "これ", "あれ", "彼", "彼女", "あなた", "ここ", "そこ"),
    i=("私", "僕", "俺"),
    living="は",
    moving=r"(?P<place>[^、はがを]{1,8}?)[にへ](?:引っ越しました|引っ越した|移り住みました)",
)  # fmt: skip
