"""Chinese opposites and negations, by character. Data only."""

from remanence.languages.lexicon import Contrasts, opposites

CHINESE = Contrasts(
    code="zh",
    opposites=opposites("""
        前 先 | 后 後
        上 升 | 下 降
        左 | 右
        开 開 | 关 關 闭 閉 合
        内 內 里 裡 | 外
        进 進 入 | 出 退
        买 買 | 卖 賣
        借 | 还 還
        来 來 | 去
        大 | 小
        多 | 少
        高 | 低 矮
        长 長 | 短
        早 | 晚 迟 遲
        快 | 慢
        冷 寒 凉 | 热 熱 暖
        好 | 坏 壞 差
        新 | 旧 舊 老
        真 | 假
        对 對 | 错 錯
        有 | 无 無 没 沒
        是 | 否 非
        黑 暗 | 白 亮
        干 乾 | 湿 濕
        满 滿 | 空
        轻 輕 | 重
        强 強 | 弱
        远 遠 | 近
        东 東 | 西
        南 | 北
        男 | 女
        生 活 | 死
        胜 勝 赢 贏 | 败 敗 输 輸
        增 加 | 减 減
        始 | 终 終 止
        爱 愛 喜 | 恨 厌 厭
        贵 貴 | 便
        收 | 发 發 送
        教 | 学 學
        日 昼 晝 | 夜
        夏 | 冬
        昨 | 明
    """),
    negations=("不", "没", "沒", "未", "无", "無", "别", "別", "非", "勿"),
)
