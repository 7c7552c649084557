"""Words of small talk in seven languages: greetings, thanks, assent, parting, hesitation. Data only.

A text is empty where one of `CORE` is in it and all else is of `CORE` or `BESIDE` of one language; words of `BESIDE`
alone may say something.
"""

CORE: dict[str, str] = {
    "en": """
        hi hello hey heya hiya howdy yo sup greetings welcome goodday gday thanks thank thx ty tysm thankyou cheers
        ta appreciated appreciate ok okay k kk okey okie okidoki okeydoke alright alrighty sure yes yep yeah yeh yup
        ya yea aye no nope nah nay fine great cool nice awesome perfect excellent wonderful super brilliant amazing
        lovely sweet fantastic good neat superb splendid fab understood gotcha got see right exactly indeed
        absolutely definitely certainly totally precisely course agreed deal roger copy noted ack acknowledged lol
        lmao rofl haha hehe xd lmfao bye goodbye byebye later laters ciao cya farewell night goodnight gn gm brb
        ttyl continue proceed next go keep carry hmm hm mhm mm mmm uh um umm er erm eh oh ah aha wow oops huh well
        whoa yikes ugh meh phew ooh test testing ping np worries problem prob yw anytime whatever nevermind nvm done
        ready waiting hold wait sec moment sorry pardon please pls plz bravo congrats congratulations yay hooray
        woohoo funny hilarious interesting true same ditto sounds
    """,
    "de": """
        hallo hi hey hallöchen moin moinmoin servus grüezi grüß griaß guten gute morgen abend nacht danke
        dankeschön dankesehr merci vielen dank ok okay oki okidoki ja nein jap jo joa jep jawohl jawoll nee nö doch
        gut super prima toll klasse perfekt genau klar klaro passt stimmt richtig verstanden kapiert einverstanden
        wunderbar spitze top geil cool hervorragend ausgezeichnet großartig gerne gern bitte bittesehr bitteschön
        tschüss tschüß tschau ciao tschö bis auf wiedersehen mahlzeit weiter weitermachen mach haha hihi hehe lol
        öhm ähm äh hm hmm mhm aha ach achso oh naja tja uff hä test alles geht wie schönen schönes feierabend sorry
        entschuldigung bravo glückwunsch lustig witzig moment sekunde fertig
    """,
    "es": """
        hola buenas buenos buen qué que tal gracias agradezco agradecido agradecida ok okay vale sí si no claro
        bien perfecto genial estupendo excelente bueno acuerdo entendido comprendido exacto correcto adiós adios
        chao chau hasta nos vemos jaja jajaja jeje jejeje jijiji lol sigue sigamos continúa continua continuar
        adelante eh em este hum mmm mm ah ajá oh uy ups listo dale venga guay igualmente fenomenal fantástico
        maravilloso súper super bravo enhorabuena felicidades perdón disculpa prueba cómo como cierto
        efectivamente desde por
    """,
    "fr": """
        bonjour bonsoir salut coucou bonne bon hello merci ok okay oui non ouais ouaip nan si d'accord dac daccord
        parfait super génial nickel entendu compris reçu exact exactement voilà impeccable excellent formidable
        chouette au revoir à bientôt bye ciao tchao mdr ptdr lol haha hihi hihihi hehe continue continuez poursuis
        vas-y vas allez suite euh hum heu hein bah ben ah oh mmh hmm oups test rien prie pas cool tout carrément
        absolument bravo félicitations marche va ça noté désolé pardon attends bien certes tiens
    """,
    "pt": """
        olá ola oi oie alô boa bom boas obrigado obrigada obrigadão obrigadinho brigado brigada valeu vlw agradeço
        agradecido ok okay sim não beleza blz claro perfeito ótimo ótima legal show certo entendi entendido
        percebi compreendi exato exatamente isso tchau adeus até kkk kkkk kkkkk rsrs rsrsrs haha hahaha hehe pode
        podes continuar continua continue siga segue prossiga vamos hum hã ãhn hmm é ah oh uau então combinado fixe
        força teste tudo bem massa maravilha bacana joia jóia fechado tranquilo parabéns bravo desculpa desculpe
        opa eita como tá está
    """,
}
BESIDE: dict[str, str] = {
    "en": """
        there everyone everybody all guys folks team mate man dude buddy friend sir madam dear morning afternoon
        evening day weekend you so very much a lot many million again really ever for now then it that that's thats
        this is i i'm im we the of and or on to my me how how's hows are u r what what's whats up up? been doing
        things life good well make makes sense it's its going see back be just one minute minutes second seconds
        more with in kind pleasure mine big too oh am glad works work me? meet have has had soon tomorrow tonight
        around take care easy do did did? not at bad here there's re s problem no was sound way on? happy hear
    """,
    "de": """
        zusammen alle leute freunde dir dich ihnen euch uns sehr lieben liebe besten schön so viel mal ganz
        herzlichen herzlich tag tage morgen abend wochenende noch und auch dann bald später wiedersehen wiederhören
        gott aus nichts nicht kein keine problem sorge in ordnung das ist es war mir ich bin hab habe freut mich
        geht's gehts dir's läuft nochmal schon da ja wieder der die einen eine ne nem mit auf zu für gleich eben
        aber bitte weiter
    """,
    "es": """
        días dias tardes noches día a todos todas gente equipo amigo amiga muchas mil muchísimas un millón te lo
        le ti vosotros ustedes tú muy mucho por favor eso es así está estás están todo de luego pronto mañana
        después más tarde nada problema sin la y con gusto ya pues ahora otra vez siguiente puedes hay va ver
        mismo igual
    """,
    "fr": """
        tout le monde à tous toutes vous toi beaucoup infiniment bien très mille fois nuit journée soirée matin
        plus tard demain la prochaine c'est est ce fait ça comment va vas tu te t'en je j'ai ai compris moi aussi
        stp svp s'il plaît plait de d'avance l'ami les gens amis problème souci donc et encore alors y un une
        minute instant là pour grave ok
    """,
    "pt": """
        dia tarde noite noites dias a todos todas pessoal gente galera amigo amiga muito muita mesmo bem mil tudo
        logo mais amanhã breve depois já aí lá ai então você vocês vai vão te contigo por favor em frente de
        nada problema sem e com o que é está tá estás assim isso próximo outra vez agora da
    """,
}
# Scripts without blanks: what may make up a whole text.
UNSPACED = frozenset(
    """
    你好 您好 大家好 早上好 上午好 中午好 下午好 晚上好 早安 午安 晚安 早 嗨 哈喽 哈啰 喂 谢谢 谢谢你 谢谢您
    谢谢大家 谢了 多谢 感谢 非常感谢 十分感谢 太感谢 万分感谢 感恩 辛苦 辛苦了 麻烦你了 好的 好吧 好呀 好啊 好哒
    好嘞 好滴 行吧 可以 可以的 没问题 没事 没关系 不客气 不用谢 不谢 收到 明白 明白了 知道了 知道啦 了解 了解了 懂了
    晓得了 是的 是啊 对的 对啊 没错 当然 当然可以 确实 同意 嗯嗯 嗯 哦 噢 喔 啊 呃 额 唉 哎 呀 哇 嘿 咦 哈 呵 嘻
    嘿嘿 笑死 再见 拜拜 回见 回头见 回聊 明天见 下次见 待会见 待会儿见 一会儿见 先这样 继续 请继续 接着说 接着来
    往下说 然后呢 下一个 下一步 请 吧 呢 了 的 啦 嘛 哟 咯 测试 在吗 在不在 真好 太好了 太棒了 棒 真棒 不错 厉害
    完美 赞 好 行 对 是 好好 稍等 等一下 抱歉 不好意思 吃了吗 你呢 最近怎么样 怎么样 怎样 加油 恭喜 很好 非常好 挺好
    真的 您 你 非常 太 很 都 也 こんにちは こんばんは おはよう おはようございます おやすみ おやすみなさい
    はじめまして やあ もしもし ただいま ありがとう ありがとうございます ありがとうございました 本当に 誠に どうも
    サンキュー 感謝 助かりました 助かります すみません ごめん ごめんなさい 失礼します はい ええ うん うんうん いいえ
    いえ いや ううん 了解です 了解しました りょうかい 承知 承知です 承知しました 承知いたしました かしこまりました
    分かりました わかりました 分かった わかった わかる なるほど そうですね そうです そうか そっか そう だね ですね
    ですよね たしかに 確かに もちろん オッケー オーケー オーケーです ok おk いいです いいね いいよ いいですね 大丈夫
    大丈夫です 結構です 素晴らしい すごい すばらしい 最高 完璧 さようなら さよなら またね また また明日 また後で
    またあとで じゃあね じゃあ じゃ では バイバイ 続けて 続けてください 続き 続きを 続きをお願いします 次 次へ
    どうぞ お願い お願いします お願いいたします よろしく よろしくお願いします どういたしまして お疲れ お疲れ様
    お疲れ様です お疲れさま お疲れさまです お疲れ様でした テスト えーと えっと ええと うーん ううむ んー あの あのー
    まあ へえ へー ふーん ほう おお わあ 笑 笑い 草 ははは はは ふふ ね よ な です ます ください ー 〜 っ あ う え
    ん お w ｗ お元気ですか 元気ですか 元気 ちょっと待って 少々お待ちください おめでとう おめでとうございます
""".split()
)
LAUGHS = frozenset("ha he hi ho ja je ji ah eh rs lo xa kk k w 哈 呵 嘻 笑 h j l o x d".split())
PROGRESS = frozenset(
    """
    b baixando batch build building cargando carregando chargement compiling complete completed copying descargando
    done download downloaded downloading epoch eta fetching file files fortschritt gb geladen gib in install
    installing it kb kbps kib left loaded loading lädt mb mbps mib min ms of processing progreso progress remaining
    s sec step syncing total téléchargement upload uploaded uploading ダウンロード中 下载中 加载中 読み込み中 进度
""".split()
)
KEYBOARD_ROWS = (
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "qsdfghjklm",
    "wxcvbn",
)
