"""Words of greetings, thanks, assent, parting, laughter and hesitation, as data, in seven languages.

A text of these words only says nothing that is worth keeping.
"""

FILLER_VERSION = 1

# Language → words that may make up a whole text without saying anything.
WORDS: dict[str, str] = {
    "en": """hi hello hey hiya howdy yo there good morning afternoon evening night day greetings thanks thank you thx ty tysm cheers
        much so very a lot many ok okay k kk okey sure yes yep yeah yup ya aye no nope nah fine great cool nice awesome perfect excellent
        wonderful super brilliant amazing sounds sound got it understood i see right alright all lol lmao rofl haha hahaha hehe xd bye goodbye
        later see ya cu cya take care for now go on continue next proceed keep going please pls hmm hm mhm uh um er erm eh oh ah wow oops huh
        well test testing ping welcome you're youre how are are u what's up sup gotcha noted roger copy makes sense exactly indeed absolutely
        definitely certainly of course no problem np worries yw never mind nevermind anyway whatever and that that's thats works done again
        just my pleasure anytime again same here ready waiting one moment sec second minute brb ttyl gn gm""",
    "de": """hallo hi hey guten morgen tag abend nacht gute moin servus grüß gott danke dankeschön vielen dank dir ihnen euch sehr schön lieben
        besten ok okay ja nein jap jo joa nee doch gut super prima toll klasse perfekt genau klar alles passt stimmt richtig verstanden alles
        klaro sicher gerne bitte bittesehr tschüss tschüß ciao bis bald dann später morgen auf wiedersehen mach weiter weitermachen und nochmal
        haha hihi hehe lol öhm ähm äh hm hmm mhm aha ach so naja oh test mal kein problem schon in ordnung einverstanden wunderbar geht's gehts
        wie dir's freut mich servus einen schönen tag noch""",
    "es": """hola buenas buenos días dias tardes noches qué que tal cómo como estás estas gracias muchas mil muchísimas te lo agradezco ok okay vale
        sí si no claro bien muy perfecto genial estupendo excelente bueno de acuerdo entendido exacto adiós adios chao hasta luego pronto mañana
        nos vemos jaja jajaja jeje sigue continúa continua adelante por favor eh em este hum ah oh ya listo nada prueba dale venga ok guay
        igualmente a ti""",
    "fr": """bonjour bonsoir salut coucou bonne nuit journée soirée ça va comment merci beaucoup bien mille à toi vous ok okay oui non ouais si
        d'accord dac parfait super génial très bien nickel entendu compris exact exactement voilà au revoir à bientôt plus tard demain bye
        mdr lol haha hihi continue continuez stp svp s'il te plaît vas y vas-y euh hum heu hein bah ben ah oh test rien de je t'en prie
        prie cool tout a plus tchao ça marche""",
    "pt": """olá ola oi bom boa dia tarde noite tudo bem obrigado obrigada obrigadão muito valeu brigado brigada ok okay sim não beleza blz claro
        perfeito ótimo ótima legal show certo entendi entendido exato isso tchau até logo mais amanhã adeus kkk kkkk kkkkk rsrs haha pode
        continuar continua continue siga em frente por favor hum hã é ah oh então tá bom combinado de nada fixe força teste como vai você
        está joia massa""",
}  # fmt: skip

# Scripts without blanks: what may make up a whole text, longest first.
UNSPACED: tuple[str, ...] = (
    "你好", "您好", "早上好", "早安", "下午好", "晚上好", "晚安", "大家好", "谢谢你", "谢谢您", "谢谢", "多谢", "非常感谢", "感谢", "好的", "好吧", "好呀",
    "好哒", "行", "可以", "没问题", "收到", "明白了", "明白", "知道了", "了解", "懂了", "是的", "对的", "对", "是", "嗯", "哦", "啊", "呃", "额", "哈", "呵",
    "嘻", "嘿", "再见", "拜拜", "回头见", "明天见", "继续", "接着说", "请继续", "不客气", "没事", "好", "吧", "呢", "了", "呀", "喔", "唉", "测试", "在吗",
    "こんにちは", "こんばんは", "おはようございます", "おはよう", "おやすみなさい", "おやすみ", "はじめまして", "ありがとうございます", "ありがとうございました", "ありがとう",
    "どうも", "すみません", "はい", "ええ", "うん", "いいえ", "いえ", "了解しました", "了解です", "了解", "承知しました", "承知です", "分かりました", "わかりました",
    "分かった", "わかった", "なるほど", "そうですね", "そうです", "そうか", "そう", "オッケー", "オーケー", "いいですね", "いいね", "さようなら", "さよなら", "またね", "また明日",
    "じゃあね", "じゃあ", "では", "続けて", "続けてください", "続き", "お願いします", "お願い", "どういたしまして", "お疲れ様です", "お疲れ様", "お疲れさま", "テスト", "えーと", "えっと",
    "うーん", "うん", "あの", "まあ", "へえ", "ふーん", "ほう", "笑", "草", "ね", "よ", "です", "ください", "ー", "あ", "う", "え", "ん", "っ",
)  # fmt: skip

KEYBOARD_ROWS = (
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "qsdfghjklm",
    "wxcvbn",
    "1234567890",
)
