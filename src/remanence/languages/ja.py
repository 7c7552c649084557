"""Japanese opposites and negations, by character. Data only."""

from remanence.languages.lexicon import Contrasts, opposites

JAPANESE = Contrasts(
    code="ja",
    opposites=opposites("""
        前 先 | 後
        上 昇 | 下 降
        左 | 右
        開 | 閉
        内 中 | 外
        入 | 出
        買 | 売
        貸 | 借
        来 | 去 帰
        行 | 帰
        大 | 小
        多 | 少
        高 | 低 安
        長 | 短
        早 速 | 遅
        寒 冷 | 暑 熱 暖
        好 | 嫌
        良 | 悪
        新 若 | 古 老
        正 | 誤
        有 | 無
        黒 暗 | 白 明
        乾 | 湿 濡
        軽 | 重
        強 | 弱
        遠 | 近
        東 | 西
        南 | 北
        男 | 女
        生 | 死
        勝 | 負 敗
        増 | 減
        始 | 終
        点 | 消
        教 | 習
        昼 朝 | 夜 晩
        夏 | 冬
        昨 | 明
        押 | 引
        起 | 寝
    """),
    negations=("ない", "なかっ", "ません", "なく", "ぬ", "不", "無", "未", "非"),
)
