"""What tells a name from a word where no capital does, by language: given names, family names, titles. Data only."""

from remanence.languages.lexicon import words

# Common given names that are no ordinary word of the languages with word lists; in small letters.
GIVEN = words("""
    bob ted mike jake josh luke eli ezra toby mia zara theresa priscilla nigel trevor ivo ronja aylin selma aaron
    abdul abigail adam adrian agnes ahmed aisha alan albert alejandro alessandro alex alexander alexandra alexis
    alfred ali alice alicia alison amanda amelia amina amir amit amy ana anastasia andrea andreas andrew andré ángel
    angela anita anja anjali ann anna anne annette annika anthony antje anton antonia antonio antónio anya arjun
    arthur ashley astrid audrey axel barbara beatriz ben benjamin bernard bernd bettina bianca birgit björn boris
    brenda brian bruno camila carla carlos carmen carol carolina caroline catarina catherine cecilia chantal charles
    charlotte chen chiara chloe christian christina christine christoph christopher ciara claire clara claudia
    claudio claus clémence colin connor cristina cynthia daniel daniela daniele danielle dave david deborah denis
    dennis derek diana diane diego dieter dimitri dmitri dominik donald dorothea dorothy duarte edith eduardo edward
    edwin elena elias elisa elisabeth elise elizabeth elke ella ellen emil emilia emily emma emmanuel enrique eric
    erik erika ernesto esteban esther eugene eva evan eve evelyn fabian fatima federica felipe felix fernanda
    fernando filipe fiona florian francesca francesco francis francisca francisco françois françoise franz frederick
    frederik fritz gabriel gabriela gareth gary geoffrey george gerald gerd gerhard giacomo gina giorgio giovanni
    giulia giuseppe gonzalo graham greta guillermo gustavo hana hanna hannah hannes hans harald harry hassan heather
    hedwig heidi heike heinrich heinz helen helena helene helga henri henrik henry herbert hiroshi holger hugo ian
    ibrahim ignacio igor ilse imogen ines inés inga ingrid irene isaac isabel isabella isabelle ivan jaime jakob
    james jan jana jane janet janine jasmin jason javier jean jeffrey jennifer jens jeremy jerome jessica jim joan
    joana joanna joanne joaquín joe joel johan johanna johannes john jonas jonathan jordi jorge josé josef joseph
    joshua joão juan juana judith julia julian juliana julie julien juliette jutta jürgen kai karen karin karl
    karsten katarina kate katharina kathleen katja katrin kathrin keith kelly kenji kenneth kevin khalid kirsten
    klaus konrad konstantin kristin kurt laila lara larry lars laura laurence laurent lauren lea leila lena leonard
    leonardo leonie liam lily linda linus lisa liz lorenzo louis louise luca lucas lucia lucía lucie luis luisa luís
    luísa lukas lydia maggie manuel manuela marc marcel marco marcos marcus margaret margarita margot maria mariana
    marie marina mario marion marisa markus marlene marta martha martin martina mary mateo mathias mathieu mathilde
    matilda matteo matthew matthias maurice mauricio max maximilian megan mehmet melanie melissa mercedes michael
    michaela michel michelle miguel mikhail mila milan miriam mohamed mohammed monica monika monique moritz nadia
    nadine nancy naomi natalia natalie nathalie nathan nathaniel neil nicholas nick nico nicola nicolas nicole
    nikolai nils nina noah noel nora norbert nuno olaf oleg olga oliver olivia olivier omar oscar oskar otto pablo
    paola paolo pascal patricia patrick paul paula pauline paulo pedro peggy pekka penelope peter petra philip
    philipp philippe pierre pietro pilar priya rachel rafael rahul raimund rainer ralf ralph ramón raoul raquel raúl
    raymond rebecca regina reinhard renate renato ricardo richard rita robert roberta roberto rodrigo roger roland
    rolf roman ronald rosa rosalie rosemary rupert ruth ryan sabine sabrina salma sam samantha samuel sandra sara
    sarah sascha scott sean sebastian sergei sergio sharon sheila silke silvia simon simone sofia sofía sonia sophia
    sophie stefan stefanie stella stephan stephanie stephen steve steven stuart susan susana susanna susanne sven
    svetlana sylvia sylvie tamara tanja tania tatiana teresa terry theo theodor theodore thomas thorsten tiago tim
    timothy tina tobias tom tomás tony torsten tracy ulrich ulrike umar ursula ute uwe valentina valerie vanessa
    vera veronica victoria viktor viktoria vincent vincenzo violeta virginia vivian vladimir walter werner wesley
    wilhelm william wolfgang xavier yasmin yolanda yuki yusuf yves yvonne zoe zoé александр алексей анатолий андрей
    антон аркадий артём борис вадим валерий василий виктор виталий владимир владислав вячеслав геннадий георгий
    григорий даниил денис дмитрий евгений егор иван игорь илья кирилл константин лев леонид максим матвей михаил
    никита николай олег павел пётр роман руслан сергей степан тимофей фёдор юрий ярослав александра алина алла
    анастасия анна валентина валерия варвара василиса вера вероника виктория галина дарья евгения екатерина елена
    елизавета зинаида зоя инна ирина карина кира кристина ксения лариса лидия любовь людмила маргарита марина мария
    надежда наталья нина оксана ольга полина раиса светлана софия софья тамара татьяна ульяна юлия яна тарас остап
    богдан олена наталія ірина андрій олексій сергій дмитро микола михайло катерина юлія αλέξανδρος αλέξης ανδρέας
    αντώνης βασίλης γιάννης γιώργος δημήτρης ευάγγελος ηλίας θανάσης θεόδωρος ιωάννης κωνσταντίνος κώστας λευτέρης
    μανώλης μάριος μιχάλης νίκος νικόλαος παναγιώτης παύλος πέτρος σπύρος σταύρος στέλιος χρήστος αγγελική άννα
    αικατερίνη βασιλική γεωργία δέσποινα ειρήνη ελένη ευαγγελία ιωάννα κατερίνα κωνσταντίνα μαρία παναγιώτα
    παρασκευή σοφία χριστίνα
""")
# What a person is to somebody or does: "my landlord is Marcus Hale", "meine Lehrerin heißt Jutta Behrens".
ROLES = words("""
    accountant architect assistant baker barber butcher carpenter cleaner client coach coworker dentist designer
    developer doctor driver electrician engineer flatmate gardener hairdresser housemate intern landlady landlord
    lawyer manager mechanic mentor nanny nurse physio physiotherapist plumber professor sitter solicitor supervisor
    tailor teacher teammate tenant therapist trainer tutor vet ärztin arzt anwalt anwältin bäcker bäckerin dozent
    dozentin fahrer fahrerin friseur friseurin hausarzt hausärztin kollege kollegin kunde kundin lehrer lehrerin
    mieter mieterin mitbewohner mitbewohnerin nachbar nachbarin professorin steuerberater steuerberaterin tierarzt
    tierärztin trainerin vermieter vermieterin vorgesetzter zahnarzt zahnärztin abogada abogado amiga amigo
    arquitecta arquitecto casera casero compañera compañero dentista directora enfermera enfermero entrenador
    entrenadora jefa jefe maestra maestro médica médico peluquera peluquero profesora vecina vecino avocat avocate
    boucher boulanger chef cheffe coiffeur coiffeuse collègue directeur directrice infirmier infirmière instituteur
    institutrice médecin professeur propriétaire voisin voisine advogada advogado chefe colega diretor diretora
    enfermeira enfermeiro professora vizinha vizinho брат сестра муж жена сын дочь отец мать друг подруга коллега
    начальник начальница сосед соседка врач учитель учительница бухгалтер тётя дядя бабушка дедушка директор доктор
    профессор господин госпожа зовут
""")
# Words after which a name follows: "is called", "heißt".
CALLED = words("""
    named called heißt heisst namens mit llamada llamado llama appelle nommé nommée chama chamada chamado chiama
    зовут имени
""")
# Peoples, languages, feasts and directions: they name nothing alone, and may begin a name.
PEOPLES = words("""
    african american arab arabic argentine argentinian asian australian austrian belgian brazilian british canadian
    catalan chilean chinese christian colombian croatian cuban czech danish dutch egyptian english ethiopian
    european filipino finnish french german greek hawaiian hebrew hindi hispanic hungarian icelandic indian
    indonesian irish islamic israeli italian jamaican japanese jewish kenyan korean latin latino latina lebanese
    lithuanian mandarin mediterranean mexican midwestern mongolian moroccan muslim nigerian norwegian pakistani
    persian peruvian polish portuguese romanian russian scandinavian scottish serbian slovak spanish swahili swedish
    swiss syrian thai tibetan turkish ukrainian urdu vietnamese welsh western eastern northern southern north south
    east west black cyber anglais anglaise français française espagnol espagnole allemand allemande italien
    italienne portugais russe chinois japonais arabe européen américain inglés inglesa francés francesa español
    española alemán alemana italiano italiana portugués ruso chino japonés árabe europeo inglês francês espanhol
    alemão português russo chinês japonês americano americana françaises espagnols allemands americans germans
    italians europeans asians africans brits valentine's valentine mother's father's labor labour xmas hanukkah
    ramadan eid diwali passover lent
""")
# What has a capital and is no name, and no part of one.
NO_NAMES = words("""
    segunda terça quarta quinta sexta internet tv ok pm am dj diy faq pdf usb wifi wi-fi ceo cto hr qa ui ux id ai
    it gps sms dvd cd phd ba ma mba lol omg btw asap fyi imo rsvp eta mon tue tues wed thu thur thurs fri sat sun
    dec nov oct sept sep aug jul jun apr mar feb jan god lord jesus sir madam breakfast lunch dinner supper brunch
    mondays tuesdays wednesdays thursdays fridays saturdays sundays lgbtq lgbt
""")
# Nouns that a number follows where nothing is named: "Room 3", "Kapitel 2".
COUNTED = words("""
    exercise wagen act age article chapter class day episode exhibit exit figure flight floor gate grade group
    highway hour iteration item lane lesson level line lot minute no number option page part phase platform point
    question quarter room round route row rule score season seat section session sprint stage step suite table task
    terminal ticket tier top track type unit version volume week year zone absatz abschnitt abteilung aufgabe band
    bahnsteig bild block buch gleis gruppe halle haus kapitel kilo klasse liter linie meter minuten nummer paragraf
    platz prozent punkt raum regel reihe saal schritt seite spalte stück stufe stunde stunden tabelle tag tage tagen
    teil tisch tor uhr woche wochen zeile zimmer ziffer jahr jahre jahren euro dollar grad capítulo página nivel
    sala grupo chapitre salle niveau groupe étape ligne voie passo
""")
# What a sentence begins with before a name without being a part of it.
OPENING = words("""
    ask tell send call meet give show see thank remind contact mail email text ping invite visit help join follow
    say remember imagine check hang bet congrats got get keep enjoy try let need want love watch read play go come
    dear hey hi hello thanks well besides except poor little old young woah whoa yay sure maybe both just even frag
    sag ruf triff gib zeig schick danke lieber liebe hallo pregunta llama dile gracias querida querido hola demande
    appelle merci cher chère bonjour pergunta liga obrigado obrigada caro cara oi olá
""")
# What a Russian sentence may begin with, and what governs a name in another case.
RUSSIAN_LEADS = words("""
    а в вот все всё вчера где да для если ещё завтра за и из к как когда кто мне мой моя мои моё мы на над наш наша
    наши наше не недавно но ну о об он она они оно от перед по под после потом при про с сегодня скоро со так там то
    тогда тут ты у уже утром днём вечером ночью что это этот эта эти я его её их вы ваш ваша твой твоя может нет
    только также привет спасибо пожалуйста конечно хорошо
""")
RUSSIAN_OBLIQUE = words("""
    в на с со у к ко о об обо от ото для из изо про при над надо под перед передо по через без за между после до
    около мимо против кроме среди вместо благодаря согласно
""")
# Greek articles before a name that is the subject, and before one in another case.
GREEK_ARTICLES = words("ο η οι")
GREEK_OBLIQUE = words("τον την του της στον στην στο τη στη με από για σε και")
# What is a woman's name and another case of a man's.
RUSSIAN_BOTH = words("александра евгения валентина валерия")
# Endings of names in other cases, by gender and case, with what the nominative has in their place.
RUSSIAN_CASES = {
    "f acc": "у:а ю:я ую:ая",
    "f gen": "ы:а и:а и:я ой:а ой:ая",
    "f dat": "е:а е:я и:я ой:а ой:ая",
    "f ins": "ой:а ей:а ей:я ой:ая",
    "m gen": "а: я:й я:ь ого:ий ого:ый ого:ой",
    "m dat": "у: ю:й ю:ь ому:ий ому:ый ому:ой",
    "m ins": "ом: ем:й ем:ь ым: им:ий ым:ый ым:ой",
    "m pre": "е: е:й е:ь ом:ий ом:ый ом:ой",
}
ORGANISED = words("компания фирма банк группа проект издательство завод общество εταιρεία όμιλος")

CHINESE_FAMILIES = (
    "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧许許傅沈曾"
    "彭吕呂苏蘇卢盧蒋蔣蔡贾賈丁魏薛叶葉阎閻余潘杜戴夏钟鍾汪田任姜范方石姚谭譚廖邹鄒熊金陆陸郝孔白崔康毛邱秦江史顾顧"
    "侯邵孟龙龍万萬段雷钱錢汤湯尹黎易常武乔喬贺賀赖賴龚龔"
)


CHINESE_DOUBLE_FAMILIES = (
    "欧阳",
    "歐陽",
    "司马",
    "司馬",
    "上官",
    "诸葛",
    "諸葛",
    "司徒",
    "慕容",
    "皇甫",
    "东方",
    "夏侯",
)
CHINESE_TITLES = """
    先生 女士 小姐 老师 老師 教授 医生 醫生 经理 經理 总监 總監 主任 律师 律師 博士 师傅 師傅 阿姨 叔叔 同学 同學
    工程师 老板 老闆 院长 院長 校长 校長 局长 主编 秘书 护士 教练 大夫 会计
""".split()
# What a name follows, and what follows a name that begins a clause.
CHINESE_BEFORE = """
    叫 名叫 叫做 叫作 我是 同事 朋友 同学 同學 邻居 鄰居 哥哥 姐姐 弟弟 妹妹 爸爸 妈妈 媽媽 父亲 母亲 儿子 女儿 妻子
    丈夫 老公 老婆 老师 老師 老板 经理 經理 室友 房东 客户 客戶 导师 搭档 表哥 表姐 表弟 表妹 叔叔 阿姨 舅舅 姑姑
    律师 医生
""".split()
CHINESE_WITH = (
    "跟",
    "和",
    "与",
    "與",
    "给",
    "給",
    "找",
    "请",
    "請",
    "问",
    "問",
    "见到",
    "遇到",
    "认识",
    "認識",
    "联系",
    "采访",
)
CHINESE_AFTER = """
    是 在 说 說 教 喜欢 喜歡 负责 負責 住 来 來 去 告诉 告訴 刚 昨天 今天 明天 已经 也 和 跟 与 有 会 會 要 想 买 買
    写 寫 做 吃饭 吃飯 聊 见面 開 开 给 給 的 打 带 帮 借 送 一起 搬 当 结婚 毕业 辞职 退休 生病 认为 觉得
""".split()
# Words that begin like a family name and are none.
CHINESE_WORDS = """
    江上 江下
    高兴 高中 高考 高度 高级 高铁 高速 高价 高手 高层 王国 王子 马上 马路 马桶 马克 白天 白色 白菜 白领 黄色 黄金
    黄瓜 黄昏 江南 江湖 江西 江苏 方便 方法 方向 方面 方式 方案 张开 周末 周五 周一 周二 周三 周四 周六 周日 周围
    周年 周期 钱包 金钱 金融 金额 金属 金牌 安全 常常 常见 常用 成功 程度 程序 万一 温度 文化 于是 时候 任何 任务
    任职 何时 何况 何必 孙子 孙女 雷雨 石头 石油 水平 平时 林业 田野 田里 夏天 夏季 叶子 叶片 余额 余下 范围 龙虾
    毛衣 毛巾 毛病 江边 武术 武器 史上 康复 段落 贺卡 汤圆 汤面 易懂 余地 许多 许可 曾经 谢谢 谢绝 胡说 胡子 胡椒
    胡萝卜 朱红 马力 马达 马拉松 罗马 罗列 宋代 宋朝 唐代 唐朝 韩国 韩剧 韩语 董事 曹操 袁世 沈阳 苏州 苏打 杜绝
    戴上 戴着 钟头 钟表 钟点 熊猫 秦代 秦朝 孔子 孔雀 孟子 顾客 顾问 顾虑 万里 乔迁 尹始 黎明 常年 常识 赖床 杨树
    杨梅 柳树 梁子 郑重 郑州 何处 高原 高温 高峰 高大 高端 高尔夫 林子 林区 黄油 黄山 黄河 陈列 陈旧 陈述 陈年 张贴
    张力 李子 吴语 徐徐 徐州 石家庄 白酒 白板 白发 金子 金色 金鱼 方言 方块 夏日 夏威夷 江水 史诗 史料 叶酸 田径
    田园 任意 任性 姜茶 姜汤 康庄 毛笔 毛线 雷达 雷电 钱财 武汉 汪汪 周边 周转 万分 万能 万物 万圣节 贺年 易于 常规
    常客 龙舟 龙头 邮件
""".split()
# What no name ends in, and what may stand right before a name with a title.
CHINESE_NO_END = (
    "们",
    "們",
    "的",
    "了",
    "是",
    "在",
    "我",
    "你",
    "他",
    "她",
    "不",
    "也",
    "都",
    "很",
    "就",
    "去",
    "来",
    "来",
    "会",
    "要",
    "说",
    "吃",
)
CHINESE_LETS = "天晚早午刚今的是叫跟和与與给給找请請问問让讓把被对對向从從由为為，。、了到位名见見"
CHINESE_NOT_LED = (
    "我",
    "你",
    "他",
    "她",
    "这",
    "那",
    "哪",
    "一",
    "某",
    "本",
    "该",
    "每",
    "贵",
    "新",
    "老",
    "大",
    "小公",
    "母公",
    "分公",
    "子公",
    "人民",
    "中心",
    "市",
    "县",
)
CHINESE_COMPANIES = """
    有限责任公司 股份有限公司 有限公司 集团公司 集团 集團 科技公司 公司 大学 大學 银行 銀行 医院 醫院 出版社 研究院
    研究所 基金会 俱乐部 事务所
""".split()

JAPANESE_FAMILIES = frozenset(
    """
    佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 斎藤 斉藤 清水 山崎 池田
    橋本 阿部 石川 山下 中島 石井 小川 前田 岡田 長谷川 藤田 後藤 近藤 村上 遠藤 青木 坂本 福田 太田 西村 藤井 金子
    岡本 藤原 三浦 中野 中川 原田 松田 竹内 小野 田村 中山 和田 石田 森田 上田 内田 柴田 酒井 宮崎 横山 高木 安藤
    宮本 大野 小島 谷口 工藤 今井 高田 増田 丸山 杉山 村田 大塚 新井 小山 平野 河野 藤本 武田 野口 松井 千葉 菅原
    岩崎 木下 久保 佐野 野村 松尾 菊地 市川 杉本 古川 大西 島田 水野 桜井 吉川 山内 西田 飯田 菊池 西川 小松 北村
    安田 五十嵐 川口 平田 関口 中田 服部 東 川崎 岩田 土屋 福島 本田 辻 樋口 秋山 田口 永井 山中 中西 吉村 川上 石原
    大橋 松岡 馬場 浜田 森本 星野 矢野 浅野 大久保 吉岡 小池 野田 荒木 松浦 熊谷 大谷
    """.split()
)
# Whom a word before an honorific stands for, where that is nobody by name.
JAPANESE_NOBODY = frozenset(
    """
    客 医者 皆 母 父 兄 姉 奥 娘 息子 店員 大家 子供 患者 隣 神 王 模 仕 同 多 各 両 彼 華 摂 源 姫 爺 婆 孫 弟 妹
    嫁 婿 旦那 坊 嬢 職人 大工 運転手 看護師 先生 担当者 担当 社長 部長 課長 新人 先輩 後輩 友達 業者 警察 郵便屋
    本屋 花屋 魚屋 肉屋 八百屋 床屋 猫 犬 熊 象 兎 馬 赤 叔父 叔母 伯父 伯母 祖父 祖母 従兄 従姉 従弟 従妹 上司 部下
    同僚 役員 議員 委員 会員 店長 学生 生徒 作者 著者 読者 皆々 何 誰 一人 二人 有 異 貴 奉 若 ママ パパ バス
    スタッフ オーナー パン メーカー ドライバー リーダー ユーザー クライアント
    """.split()
)
JAPANESE_HONORIFICS = (
    "さん",
    "様",
    "氏",
    "くん",
    "君",
    "ちゃん",
    "先生",
    "部長",
    "課長",
    "社長",
    "先輩",
    "教授",
)
JAPANESE_PLACES = "県市区町村駅城川島港橋寺店社課部山園校局線号産製"

KOREAN_FAMILIES = (
    "김이박최정강조윤장임한오서신권황안송류전홍문손양배백허유남심노하곽성차주우구민진나지엄채원천방공현함변염여추도"
    "소석선설마길연위표명기반왕"
)


KOREAN_WORDS = (
    "김치",
    "김밥",
    "김장",
    "박물",
    "박람",
    "박수",
    "최고",
    "최근",
    "최소",
    "최대",
    "최신",
    "최종",
    "최초",
    "최선",
    "최악",
    "최우",
)
KOREAN_HONORED = ("씨", "님", "선생님", "과장님", "부장님", "대리님", "팀장님", "교수님")
