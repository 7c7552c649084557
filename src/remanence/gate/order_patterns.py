"""How texts from outside give orders to a machine that reads them, in seven languages, as data.

Each family is a way of attack. Patterns are read on small letters in NFKC, with invisible characters and quoted words out.
Gaps are short, so that what is linked stands in one sentence.
"""

from typing import NamedTuple

ORDERS_VERSION = 1


class Family(NamedTuple):
    """A way of attack: signs of which one is in every such text, and patterns of which one fits."""

    signs: tuple[str, ...]
    patterns: tuple[str, ...]


_GAP = r"[^.!?\n]{0,60}?"
_WIDE = r"[^.!?\n]{0,120}?"
_CJK = r"[^。！？\n]{0,30}?"
_ADDRESS = r"(?:[\w.+-]{1,40}@[\w.-]{3,60}|https?://|\b[\w-]{2,40}\.(?:example|com|net|org|io|ru|cn|co|info|xyz|app|dev|site|top|ai)\b)"
_AI = r"(?:ai|a\.i\.|assistants?|language models?|llms?|chatbots?|bots?|agents?|copilots?|model|screeners?|crawlers?|readers? that (?:is|are) machines?)"
_USER = r"(?:the |your |this )?(?:user|owner|operator|customer|guest|human|person you|client)(?:['’]s)?"

# Keys of an answer that tell the machine what to do, where a tool should only answer.
RESULT_KEYS = (
    r"\"(?:next_action|next_step|required_action|instructions?|action_required|user_(?:approved|consent|confirmed)"
    r"|approved_by_user|system_note|assistant_(?:action|instructions?)|note_to_(?:model|assistant|agent))\"\s?:"
)

FAMILIES: dict[str, Family] = {
    "override": Family(
        ("ignor", "disregard", "forget", "overrid", "discard", "void", "instructions", "rules", "vergiss", "vergesst", "vergessen", "missacht", "olvid",
         "haz caso", "descarta", "oubli", "esque", "desconsider", "忽略", "无视", "忘掉", "忘记", "不要理会", "無視", "忘れ", "従わ"),
        (
            rf"(?<!to )\b(?:ignore|disregard|forget|override|discard|drop|skip over|set aside|pay no attention to|do not follow|stop following){_GAP}"
            r"\b(?:(?:previous|prior|earlier|above|preceding|existing|original|other|former|system|safety|your|these|those|all|any)\b[^.!?\n]{0,25}"
            r"\b(?:instruction|rule|prompt|guideline|direction|directive|polic|restriction|order|safeguard|training|programming|context|message)"
            r"|(?:everything|anything|all|whatever|what)\b[^.!?\n]{0,25}\b(?:told|said|above|before|instructed|learned)|the conversation)",
            r"\b(?:your|the|all)\s(?:\w+\s){0,3}(?:instructions?|guidelines?|rules?|prompts?|polic(?:y|ies)|directives?)\b[^.!?\n]{0,40}"
            r"\b(?:are|is|were|was)\s(?:\w+\s){0,2}(?:void|a test|cancel|invalid|obsolete|suspended|revoked|outdated|no longer|replaced|lifted|superseded)",
            r"\bnew (?:rules|instructions|orders|directives)\b[^.!?\n]{0,20}(?:follow|apply|:)|\bthe real (?:ones|instructions) (?:are|is)\b",
            rf"\b(?:ignorier|vergiss|vergesst|vergessen sie|missachte|verwirf|überspring){_GAP}\b(?:anweisung|regel|vorgabe|anordnung|instruktion|richtlinie|alles,? was|vorherige|system)",
            r"\b(?:deine|ihre|alle|bisherigen)\b[^.!?\n]{0,30}\b(?:anweisungen|regeln|vorgaben)\b[^.!?\n]{0,20}\b(?:gelten nicht|ungültig|aufgehoben|hinfällig)",
            rf"\b(?:ignor[ae]d?|ignoren|olvid[ae]n?|omite|descarta|desatiende|no hagas caso)\b{_GAP}\b(?:instrucci|reglas?|normas|directrices|indicaci|órdenes|lo anterior|todo lo que)",
            rf"\b(?:ignore[zs]?|oublie[zs]?|ne tien[sz] (?:pas|plus) compte|fais abstraction|néglige[zr]?)\b{_GAP}\b(?:instruction|règles?|consignes?|directives?|ordres|ce qui précède|tout ce qu)",
            rf"\b(?:ignor[ae]m?|esque[çc]a[m]?|esquece|desconsider[ae]|descarte|não siga)\b{_GAP}\b(?:instruç|regras?|normas|diretrizes|orientaç|ordens|tudo o que)",
            rf"(?:忽略|无视|忘掉|忘记|不要理会|不要遵守|抛开|作废){_CJK}(?:指示|指令|规则|要求|提示|说明|命令|设定)|(?:指示|指令|规则|设定){_CJK}(?:作废|无效|失效)",
            rf"(?:指示|命令|規則|ルール|プロンプト|設定|指図|指令){_CJK}(?:無視|忘れ|従わな|破棄|無効)",
        ),
    ),
    "role-play": Family(
        ("you are", "you're", "act as", "pretend", "mode", "play", "you will be", "du bist", "sie sind", "eres", "actúa", "tu es", "vous êtes", "agis", "joue",
         "você", "tu és", "aja", "finja", "spiel", "你现在", "你是", "扮演", "假装", "模式", "あなたは", "君は", "演じ", "モード", "ふり"),
        (
            r"\b(?:from (?:here|now|this point) on|now|henceforth|play:|game:|pretend|imagine)[^.!?\n]{0,25}\byou(?: are|['’]re| will be| become)\b",
            r"\byou(?: are|['’]re) now\s(?:an?|the|in|my|called|[a-z]{3,12},|free|no longer|operating)",
            rf"\byou(?: are|['’]re| have| will| can){_WIDE}\b(?:without|no|never bound by|free (?:of|from)|unbound|not bound by)\b[^.!?\n]{{0,25}}\b(?:limits?|rules?|restrictions?|polic(?:y|ies)|filters?|guidelines?|censorship|ethics|constraints?|boundaries)",
            r"\b(?:enter|switch (?:to|into)|activate|enable|go into)\b[^.!?\n]{0,25}\bmode\b[^.!?\n]{0,10}[.!,:][^\n]{0,80}\byou\b",
            rf"\b(?:act|answer|respond|behave|speak) as (?:if you|an? (?:unrestricted|unfiltered|uncensored|ai|assistant|model)|though you){_GAP}",
            rf"\b(?:du bist|sie sind)(?: jetzt| nun| ab| fortan| künftig| von nun){_WIDE}(?:verbot|grenze|regel|schranke|antwort|alles|assistent|ki\b|modus|filter|einschränk)",
            rf"\b(?:ahora eres|eres ahora|a partir de ahora eres|desde ahora eres|actúa como|haz de cuenta que eres){_WIDE}(?:límite|regla|restricc|nunca|todo|asistente|filtro|modo|norma|ia\b)",
            rf"\b(?:tu es|vous êtes)(?: à présent| maintenant| désormais| dorénavant){_WIDE}(?:limite|règle|restriction|répond|tout|assistant|filtre|mode|ia\b|intelligence|interdit)",
            rf"\b(?:agora (?:você|tu) (?:é|és)|(?:você|tu) (?:é|és) agora|a partir de agora (?:você|tu)|aja como){_WIDE}(?:limite|regra|restriç|nunca|tudo|assistente|filtro|modo|ia\b)",
            rf"(?:你现在是|从现在起你是|从现在开始你|假装你是|扮演|你将扮演){_CJK}(?:限制|规则|什么都|任何|助手|模式|智能|约束|拒绝|人工智能|ai)",
            r"(?:あなたは今から|あなたはこれから|今からあなたは|これからあなたは|君は今から|あなたは今、)",
        ),
    ),
    "role header": Family(
        ("system", "im_start", "inst]", "<|", "###", "assistant", "[系统", "【系统", "[システム", "【システム", "sistema", "système", "developer", "admin"),
        (
            r"<\|?\s?(?:im_start|start_header_id)[^>\n]{0,5}\|?>\s?(?:system|user|assistant)",
            r"<(?:system|admin|developer|instructions?|sys)(?:[ _-](?:prompt|message|note|override))?>\s{0,4}\w|<<sys>>|\[/?inst\]",
            r"[\[【(](?:system|系统|システム|sistema|système|system[- ](?:message|prompt|note|override|notice)|admin|developer|priority)(?:\s?(?:提示|指令|通知|メッセージ|mitteilung|hinweis))?\s{0,2}(?:[\]】)]|:)",
            r"(?:^|\n)\s{0,4}(?:#{1,6}|\*{2,3}|={3,}|-{3,}|>{1,3})\s{0,2}(?:new |begin |end of )?(?:system|assistant|ai|agent|model|developer|hidden)[ _-](?:prompt|message|instructions?|update|override|notes?)",
            r"(?:^|\n)\s{0,4}#{1,6}\s(?:for|to|note (?:for|to))\s(?:ai |all |coding |automated )?(?:agents?|assistants?|models?|llms?|bots?)\b",
            r"(?:^|\n)\s{0,4}(?:system|developer)(?: message| prompt)?:\s[^\n]{0,80}\b(?:you|must|always|never|assistant|user|grant|reveal|ignore)\b",
            r"(?:^|\n)\s{0,2}(?:assistant|ai|agent|bot)\s?:\s[^\n]{2,200}\n\s{0,2}(?:user|human|owner)\s?:|(?:^|\n)\s{0,2}(?:user|human)\s?:\s[^\n]{2,200}\n\s{0,2}(?:assistant|ai|agent|bot)\s?:",
            r"\b(?:system prompt|system message)\b[^.!?\n]{0,20}\b(?:update|override|follows|begins|change)\b[^\n]{0,40}\b(?:must|you|assistant|always)\b",
        ),
    ),
    "hidden": Family(
        ("<!--", "display:none", "display: none", "font-size:0", "font-size: 0", "visibility:hidden", "visibility: hidden", "opacity:0", "opacity: 0",
         "color:#fff", "color: #fff", "color:white", "color: white", "hidden", "aria-hidden", "left:-"),
        (
            r"<!--[^<>]{0,200}?(?:\bai\b|assist|model|llm|\bbots?\b|agents?\b|\bki\b|\bia\b|screener|crawler|chatgpt|gpt|claude|copilot|助手|智能|模型|アシスタント|モデル|読み手)",
            r"<!--[^<>]{0,200}?(?:ignore|disregard|tell the|instruct|you must|say that|do not (?:tell|mention)|send )",
            r"<\w{1,10}[^>]{0,80}(?:display:\s?none|font-size:\s?0|visibility:\s?hidden|opacity:\s?0|color:\s?(?:#f{3,6}|white)|\shidden\b|left:-\d)[^>]{0,80}>[^<]{0,200}?(?:\bai\b|assist|model|llm|\bbots?\b|agents?\b|\bki\b|\bia\b|screener|ignore|instruct|you must|助手|模型|アシスタント|rate this|user)",
        ),
    ),
    "answer hijack": Family(
        ("ask", "question", "wants to know", "brings up", "mention", "request", "inquir", "fragt", "frage", "pregunt", "demand", "question", "pergunt", "问", "聞かれ", "尋ねられ", "質問"),
        (
            rf"\b(?:when(?:ever)?|if|each time|every time|should|as soon as|once)\b[^.!?\n]{{0,40}}\b(?:asks? you|ask you|you are asked (?:about|which|what|for a recommendation)|asked you){_WIDE}\b(?:always|answer|say|reply|respond|tell|recommend|name|claim|mention|give|state|insist)",
            rf"\b(?:when(?:ever)?|if|each time|every time|should)\b[^.!?\n]{{0,10}}\b(?:anyone|anybody|someone|somebody|people|the user|a user|users|the reader|your (?:user|owner))\b{_WIDE}\b(?:asks?|wants to know|brings up|mentions?|inquires?|requests?|talks? about|needs?){_WIDE}\b(?:always|answer|say|reply|respond|tell|recommend|name|claim|give|state|insist|first)\b",
            rf"\b(?:for|to|on) (?:every|any|all|each) (?:questions?|requests?|quer(?:y|ies)|inquir\w+)\b{_GAP}\b(?:about|on|regarding|for)\b{_WIDE}\b(?:give|say|answer|reply|tell|recommend|respond|name)\b",
            rf"\b(?:any|every|all) (?:request|question|quer|inquir)\w{{0,5}}\b{_GAP}\b(?:should|must|is to|are to|has to|have to)\b[^.!?\n]{{0,20}}\b(?:be )?answer",
            rf"\b(?:wenn|falls|sobald|sooft|immer wenn|jedes mal)\b[^.!?\n]{{0,10}}\b(?:dich|man|jemand|der nutzer|wer)\b{_GAP}\b(?:fragt|frage|wissen will|erwähnt){_GAP}\b(?:antworte|sag|nenne|empfiehl|behaupte|antworten sie|immer)",
            rf"\b(?:cuando|si|cada vez que|siempre que)\b[^.!?\n]{{0,12}}\b(?:te|alguien|el usuario|se)\b{_GAP}\b(?:pregunt\w{{1,4}}|pid\w{{1,3}}){_GAP}\b(?:contesta|responde|di|recomienda|nombra|siempre)\b",
            rf"\b(?:si|quand|lorsqu['’]?|chaque fois qu['’]?|dès qu['’]?)\s?[^.!?\n]{{0,12}}(?:\bon te\b|\bon vous\b|l['’]utilisateur|quelqu['’]un){_GAP}\b(?:demande|interroge|questionne|cherche)\w{{0,2}}\b{_GAP}\b(?:réponds|répondez|dis|recommande|cite|toujours)\b",
            rf"\b(?:quando|se|sempre que|cada vez que)\b[^.!?\n]{{0,12}}\b(?:te |lhe |alguém |o usuário |o utilizador )?(?:perguntar\w{{0,3}}|pergunte\w{{0,1}}|pedir\w{{0,3}}){_GAP}\b(?:responda|responde|diga|diz|recomende|indique|sempre)\b",
            rf"(?:只要|每当|如果|当|凡是|一旦|每次){_CJK}(?:问|询问|提到|咨询|打听){_CJK}(?:回答|都说|推荐|告诉|就说|一律|必须)",
            rf"(?:聞かれたら|尋ねられたら|質問されたら|訊かれたら|問われたら){_CJK}(?:答え|言|勧め|伝え|薦め|回答|こと)",
        ),
    ),
    "exfiltration": Family(
        ("send", "forward", "post", "upload", "append", "transmit", "submit", "copy", "put the", "share", "email", "mail", "leak", "export", "schick", "send", "leite", "übermittl", "lade",
         "enví", "envi", "manda", "reenv", "sube", "envo", "transmet", "transf", "téléverse", "envie", "encaminh", "mande", "发送", "发到", "转发", "上传", "发给", "送信", "転送", "送っ", "アップロード"),
        (
            rf"\b(?:send|forward|post|upload|append|transmit|submit|copy|put|share|e-?mail|mail|export|attach|report|paste|hand over|pass)\b{_WIDE}"
            rf"\b(?:{_USER}|stored|saved|contacts?|address book|notes|memor(?:y|ies)|conversations?|chat(?: history| log)?|history|\.env|~/\.ssh|ssh|environment variables?|credentials?|keys?|passwords?|tokens?|secrets?|mailbox|last (?:\w+ )?mails|mails|inbox|everything you know|files?|system prompt|contents?|session){_WIDE}{_ADDRESS}",
            rf"\b(?:environment variables?|\.env\b|~/\.ssh|private keys?|session keys?|system prompt|access tokens?){_WIDE}\b(?:into|in|to|as|holding|via) (?:an?|the|your|this|our)\b{_GAP}\b(?:gist|issue|comment|mail|body|url|form|pastebin|webhook|request|site)",
            rf"\b(?:mail|body|subject|request)\b{_WIDE}\b(?:environment variables?|\.env\b|credentials|api keys?|passwords)",
            rf"\b(?:schick|sende|leite|übermittle|übermitteln sie|senden sie|lade|kopiere|mail)\w{{0,2}}\b{_WIDE}(?:nutzer|gespeichert|adress|kontakt|notiz|erinnerung|gespräch|verlauf|passw|schlüssel|dateien){_WIDE}{_ADDRESS}",
            rf"\b(?:env[ií]a|enví[ae]n?|manda|reenv[ií]a|sube|copia|comparte)\b{_WIDE}(?:usuario|guardad|contact|notas|memoria|conversaci|historial|contraseñ|claves|archivos|correos){_WIDE}{_ADDRESS}",
            rf"\b(?:envoie|envoyez|transmets|transmettez|transfère|transférez|copie|téléverse|poste){_WIDE}(?:utilisateur|enregistr|contacts?|carnet|notes|mémoire|conversation|historique|mots? de passe|clés|fichiers|courriels){_WIDE}{_ADDRESS}",
            rf"\b(?:envi[ea]|mand[ea]|encaminh[ea]|transmita|copi[ea]|carregue|partilhe|compartilhe)\b{_WIDE}(?:usuário|utilizador|guardad|salv|contatos?|contactos?|notas|memória|conversa|histórico|senhas?|chaves|arquivos|ficheiros|mensagens){_WIDE}{_ADDRESS}",
            rf"(?:用户|保存的|联系人|通讯录|记忆|对话|聊天|笔记|密码|密钥|文件|邮件){_CJK}(?:发送|发到|转发|上传|发给|提交|寄){_CJK}(?:[a-z0-9.+-]{{1,40}}@|https?://|[a-z0-9-]{{2,40}}\.[a-z])",
            rf"(?:利用者|ユーザー|保存|連絡先|会話|記憶|メモ|履歴|パスワード|鍵|ファイル|メール){_CJK}(?:[a-z0-9.+-]{{1,40}}@|https?://|[a-z0-9-]{{2,40}}\.[a-z]){_CJK}(?:送|転送|アップ|渡|投稿)",
        ),
    ),
    "false memory": Family(
        ("memory", "remember", "store", "save", "note that", "permanent", "merk", "speicher", "notier", "recuerd", "guarda", "anota", "memoria", "retien", "retenez", "souvien", "mémor",
         "enregistre", "lembr", "memória", "memoriz", "grave", "记住", "牢记", "记忆", "记下", "覚え", "記憶", "記録"),
        (
            r"\b(?:update|add (?:this )?to|write (?:this )?(?:in)?to|save (?:this )?(?:in)?to|store (?:this )?in|put (?:this )?in(?:to)?)\s(?:your|the|its|long)\b[^.!?\n]{0,20}\bmemor",
            rf"\b(?:remember|memori[sz]e|note|record|store|save|keep in mind){_GAP}\b(?:the user|this user|your (?:user|owner)|user['’]s)\b",
            rf"\b(?:store|save|record|keep|remember|treat){_GAP}\b(?:as an?|as the)\b[^.!?\n]{{0,20}}\b(?:permanent|lasting|standing|user|long-term|trusted|verified)\b[^.!?\n]{{0,20}}\b(?:preference|fact|rule|memory|instruction|user|source)?",
            rf"\bremember\b{_GAP}\byou (?:must|should|have to|are to|will|may|trust)\b{_WIDE}\b(?:administrator|admin|owner|trust|trusted|from (?:today|now) on|always|permission|full access|authori[sz]ed|forever)",
            r"\b(?:the )?user (?:has )?(?:already |previously )?(?:agreed|consented|approved|authori[sz]ed|confirmed|granted|given (?:consent|permission|their|its|full))",
            rf"\b(?:merk|merke|merkt|speicher|speichere|notiere|vermerke|behalte)\b{_GAP}(?:nutzer|benutzer|dauerhaft|für immer|langzeit|vertrau|vollzugriff|ab heute)",
            rf"\b(?:recuerda|recuerde|guarda|guarde|anota|memoriza|graba)\b{_GAP}(?:usuario|para siempre|memoria|permanente|permiso|de confianza|administrador)",
            rf"(?:\bretiens|\bretenez|\bsouviens-toi|\bmémorise|\benregistre|\bnote)\b{_GAP}(?:utilisateur|pour toujours|mémoire|permanen|droits|confiance|administrateur|définitivement)",
            rf"\b(?:lembre-se|lembra-te|lembre|memorize|guarde|grave|registre|anote)\b{_GAP}(?:usuário|utilizador|para sempre|memória|permanente|permissão|confiança|administrador)",
            rf"(?:记住|牢记|记下|存入|保存|写入){_CJK}(?:用户|权限|永远|长期|管理员|信任|记忆)|(?:永远|永久){_CJK}(?:记住|记得)",
            rf"(?:利用者|ユーザー|権限|管理者|許可|信頼|同意){_CJK}(?:覚え|記憶|記録|保存|メモ)",
        ),
    ),
    "delayed": Family(
        ("next time", "next session", "as soon as", "the word", "in a week", "later", "once the", "when somebody", "when the user", "from the next", "whenever", "sobald", "nächste", "beim nächsten", "en cuanto", "la próxima", "cuando",
         "dès qu", "la prochaine", "lorsqu", "quand", "assim que", "da próxima", "quando", "以后", "下次", "一旦", "一提到", "今後", "次回", "次に", "たら"),
        (
            r"\b(?:the )?next (?:time|session|conversation|chat|call)\b[^.!?\n]{0,40}\b(?:the user|user|owner|someone|somebody|anyone|they|he|she|you)\b[^\n]{0,120}\b(?:add|send|book|replace|say|tell|open|pay|transfer|delete|report|run|call|insert|change|first|include|order|approve|forward)\b",
            rf"\b(?:as soon as|once|when(?:ever)?|if)\b[^.!?\n]{{0,20}}\b(?:the )?(?:word|phrase|topic|subject|name|term|keyword)\b{_GAP}\b(?:comes? up|appears?|is (?:mentioned|said|used)|falls?|occurs?){_WIDE}\b(?:add|send|book|replace|say|tell|open|pay|transfer|delete|report|run|call|insert|change|swap|order|approve|forward|answer|reply)\b",
            rf"\b(?:as soon as|when(?:ever)?|once|if|after) (?:the user|your owner|your user|somebody|someone|anybody|anyone)\b{_WIDE}\b(?:add|send|book|replace|report|open|pay|transfer|delete|run|call|insert|change|swap|order|approve|forward|say that|tell (?:them|him|her|the))\b",
            rf"\b(?:sobald|wenn|beim nächsten mal|nächstes mal)\b[^.!?\n]{{0,10}}(?:\bdas wort\b|der nutzer|die rede|von einer|es um|jemand){_GAP}\b(?:ersetze|sende|schick|buche|überweise|lösche|füge|ändere|sag|trag|nenne|gib|tausche|öffne)",
            rf"\b(?:en cuanto|cuando|la próxima vez que|apenas|tan pronto como)\b[^.!?\n]{{0,30}}(?:se hable|hablen|el usuario|la palabra|mencion|salga|aparezca|diga){_GAP}\b(?:cambia|envía|reserva|transfiere|borra|añade|sustituye|di|reemplaza|paga|abre|agrega)\b",
            rf"(?:\bdès qu['’ ]|\bla prochaine fois|\blorsqu['’ ]|\bquand )[^.!?\n]{{0,30}}(?:parler|utilisateur|\bmot\b|évoqu|mention|question de|dira){_GAP}\b(?:remplace|envoie|réserve|transfère|supprime|ajoute|change|dis|paie|ouvre|vire)\w{{0,2}}\b",
            rf"\b(?:assim que|quando|da próxima vez que|logo que)\b[^.!?\n]{{0,30}}(?:falar|usuário|utilizador|palavra|mencion|surgir|disser|aparecer){_GAP}\b(?:troque|envie|reserve|transfira|apague|adicione|mude|diga|substitua|pague|abra|acrescente)\b",
            rf"(?:以后|下次|一旦|今后|将来|每当){_CJK}(?:提到|说到|出现|谈到|说起|问|说){_CJK}(?:换成|替换|发送|转账|删除|添加|改成|就把|预订|汇款|就说)",
            rf"(?:今後|次回|次に|以後|これから){_CJK}(?:出たら|言ったら|話題|触れ|言及|来たら|出た|聞いたら){_CJK}(?:差し替え|置き換え|送|削除|追加|予約|振り込|変え|伝え)",
        ),
    ),
    "tool order": Family(
        ("call", "run", "execute", "invoke", "next_action", "user_approved", "consent", "tool", "confirmation", "without asking", "rückfrage", "preguntar", "demander", "perguntar", "询问", "確認なし", "| sh", "|sh", "permission", "approval"),
        (
            r"\b(?:you (?:must|should|need to|have to|can now|may now)|please|now|then|go on and|first|immediately|and)\s(?:\w+\s){0,3}?(?:call|run|execute|invoke|trigger|use)\s(?:the\s|your\s|a\s)?(?:\w{2,20}\s)?(?:\w+_\w+|tool|function|shell|command|terminal|curl|bash|mail tool)\b[^\n]{0,80}(?:without|no need|before|with|now|and|\.)",
            r"\b(?:calling|call|use|using) your \w{2,15} tool\b",
            r"\b(?:tool|note|message|hint|notice) (?:note |message |hint )?(?:to|for) (?:the |all |any |every |automated |scheduling |coding |your )*(?:model|assistants?|agents?|ai|llms?|bots?|screeners?|machines?)\b",
            r"\b(?:run|execute) (?:any|every|all|the following) commands?\b[^.!?\n]{0,60}\b(?:without|asking|silently)",
            r"\b(?:du darfst|sie dürfen|du kannst|ab jetzt)\b[^.!?\n]{0,40}\b(?:ohne (?:rückfrage|nachfrage|bestätigung|zustimmung|zu fragen))",
            r"\b(?:puedes|debes|podrás|ya puedes)\b[^.!?\n]{0,40}\bsin (?:preguntar|confirmar|confirmación|pedir permiso|avisar)",
            r"\b(?:tu peux|vous pouvez|tu dois)\b[^.!?\n]{0,40}\bsans (?:demander|confirmation|l['’]accord|prévenir)",
            r"\b(?:pode|podes|deve|você pode)\b[^.!?\n]{0,40}\bsem (?:perguntar|confirmar|confirmação|pedir|avisar)",
            r"(?:你可以|可以|你应当|直接)[^。！？\n]{0,15}(?:不经询问|无需询问|无需确认|不必询问|不用问|不经确认)|(?:不经询问|无需确认|不用确认|无须确认)[^。！？\n]{0,15}(?:下单|执行|发送|转账|删除|直接)",
            r"(?:確認なしで|確認せずに|許可なく|断りなく|尋ねずに)[^。！？\n]{0,20}(?:よい|可|しなさい|してください|すること|構わない|実行)",
        ),
    ),
    "speaking to the machine": Family(
        ("assistant", " ai", "ai ", "model", "agent", "bot", "ki", "ia", "助手", "ai", "アシスタント", "asistente"),
        (
            rf"\b(?:dear|hello|hi|hey|attention|greetings|good|helpful|note to|message to|notice to)[, ]{{1,2}}(?:\w+[ ,]{{1,2}}){{0,2}}?{_AI}\b(?=[,!:. ])(?! (?:conference|team|course|news|company|companies))",
            rf"\b(?:any|every|each|good|all|other|automated|coding) {_AI}\b[^.!?\n]{{0,50}}\b(?:that|who|which|reading|working|processing)\b{_WIDE}\b(?:should|must|will|shall|put|usually|go on|have to|has to|is to|are to|may|can|hand|add|rate|recommend|include|ignore|discard)\b",
            rf"\bif you(?: are|['’]re) (?:an? |the )?(?:\w+ )?{_AI}\b",
            rf"(?:^|[.!?:\n]\s{{0,3}}){_AI}(?: assistants?| models?)?\s?[:,]\s{{1,3}}(?:\w+\s){{0,2}}(?:\w+ )?(?:say|state|tell|book|rate|recommend|add|ignore|do|give|reply|answer|include|please|you|always|never|mark|send|describe|call|open)\b",
            rf"\b(?:their|your|the|these|coding|ai) {_AI}\b[^.!?\n]{{0,25}}\b(?:turn(?:s)? off|disable|skip|bypass|silently|remove|install|leak|share|hand over|approve)\b",
            r"\b(?:the |any )?(?:assistant|model|ai|agent|chatbot)s?\b (?:must|should|shall|has to|is required to|will)\b[^.!?\n]{0,20}\b(?:from now on|now|always|henceforth|immediately|first|silently)\b",
            r"\bliebe[rs]? (?:ki|assistent|assistentin|chatbot|modell)|\bki-?(?:assistent|modell|system|agent)\w{0,4}\s?[:,]|\b(?:queridas?|estimadas?|hola) (?:ia|asistente|inteligencia)|\basistentes? (?:de )?ia\s?[:,]",
            r"\b(?:ch(?:è|e)re|cher|bonjour) (?:ia|assistant|intelligence)|\bassistants? (?:d['’])?ia\s?[:,]|\b(?:querida|caro|cara|prezada|olá) (?:ia|assistente|inteligência)|\bassistentes? de ia\s?[:,]",
            r"(?:亲爱的|尊敬的|你好)[,， ]{0,2}(?:ai|人工智能|助手|智能助手|模型)|(?:ai|人工智能|智能) ?(?:助手|模型)[:：，,]|(?:ai|アシスタント|エーアイ|人工知能)(?:さん|様|へ|アシスタントへ)|aiアシスタント",
        ),
    ),
    "speaking of the user": Family(
        ("user", "owner", "reader", "visitor", "nutzer", "usuario", "utilisateur", "usuário", "utilizador", "用户", "利用者", "ユーザー", "confirmation", "guest"),
        (
            r"(?:^|[.!?:,;\n]\s{0,3}|\b(?:and|then|to|please|must|should|also|now)\s)(?:tell|inform|convince|persuade|keep|ask|urge|advise|show|remind|warn|assure|lead|direct|get|make|steer) (?:the |your |this )(?:user|owner|reader|visitor|customer|human)s?\b",
            r"\b(?:without|do not|don['’]t|never|no need)\b[^.!?\n]{0,25}\b(?:ask|tell|inform|asking|telling|informing|consult|alert|notify|warn)\w{0,4} (?:to )?(?:the |your )?(?:user|owner|guest|human|operator)\b",
            r"\btreat\b[^.!?\n]{0,60}\bas (?:your |an? |the )?(?:owner|user|admin|order of the user|instructions?|system|trusted)",
            r"\b(?:order|command|instruction)s? of the user\b",
        ),
    ),
    "disclosure": Family(
        ("reveal", "disclose", "hand out", "hand over", "print", "repeat", "show", "output", "quote", "read aloud", "reads aloud", "prompt", "secret", "config", "bypass", "skip", "leave out", "do not mention", "conceal", "verschweig", "omit"),
        (
            rf"\b(?:reveal|disclose|hand (?:out|over)|print|repeat|output|quote|recite|leak|read(?:s)? aloud|display|give (?:out|away))\b{_GAP}\b(?:(?:your|the|its|hidden|system|secret|initial|full)\b[^.!?\n]{{0,15}}\b(?:prompt|instructions|configuration|memory|rules|secrets?|session key|keys|credentials)|secret in its memory)",
            r"\bi(?: am|['’]m)\b[^.!?\n]{0,40}\b(?:ceo|cfo|administrator|admin|developer|director|security|owner|boss|engineer)\b[\s\S]{0,80}\b(?:bypass|skip|pay|transfer|wire|do not (?:talk|tell|inform)|urgent|immediately|without approval|override)",
            r"\b(?:bypass|skip|override|disable|ignore|switch off|turn off)\b[^.!?\n]{0,20}\b(?:the usual |usual |all |any |the )?(?:approval|confirmation|safety|certificate|security|verification) ?(?:checks?|steps?|rules?|process)?\b[^.!?\n]{0,60}\b(?:today|now|silently|at once|immediately|and)\b",
        ),
    ),
    "picture that tells": Family(
        ("![", "<img", "{{", "picture", "image"),
        (
            r"!\[[^\]\n]{0,60}\]\([^)\n]{0,200}[?&/=](?:[^)\n]{0,60})(?:\{\{?|\[|<|%7b|put_|insert|your_|conversation|memory|notes|history|data_here|secret)",
            r"<img[^>\n]{0,200}src=[^>\n]{0,100}\?[^>\n]{0,60}(?:\{\{?|\[|conversation|memory|notes|history|secret)",
            r"\b(?:always |then |please )?(?:show|render|display|include|add|append|embed|put|load|end)\b[^.!?\n]{0,50}\b(?:picture|image|pixel|badge|logo|link|img)\b[^\n]{0,60}(?:!\[|https?://|answer|reply|replies|response)",
        ),
    ),
    "encoded": Family(
        ("decode", "rot13", "rot 13", "base64", "solve", "decipher", "hex", "entschl", "decodif", "décod", "解码", "解読", "デコード", "backwards", "reverse", "join", "concaten"),
        (
            rf"\b(?:decode|decipher|solve|decrypt|translate|reverse|unscramble|read)\b{_WIDE}\b(?:and|then)\b[^.!?\n]{{0,20}}\b(?:follow|do|execute|obey|run|act|carry|comply|perform)\b",
            rf"\b(?:join|concatenate|combine|put together|append)\b{_WIDE}\b(?:treat|follow|obey|execute|do|act on|order)\b",
            r"\b(?:entschlüssel|dekodier)\w{0,4}\b[^.!?\n]{0,60}\b(?:befolge|tu|führe|handle)|\b(?:descifra|decodifica|decodifique)\b[^.!?\n]{0,60}\b(?:sigue|haz|ejecuta|siga|faça|execute)|\b(?:décode|déchiffre)\w{0,2}\b[^.!?\n]{0,60}\b(?:suis|fais|exécute)",
            r"(?:解码|破译|解密)[^。！？\n]{0,30}(?:照做|执行|遵守|按)|(?:デコード|解読|復号)[^。！？\n]{0,30}(?:従|実行|行)",
        ),
    ),
    "polite": Family(
        ("kind", "nett", "freundlich", "amable", "gentil", "bondade", "please", "leave out", "withhold", "恐れ入り", "いただけ", "能否", "麻烦", "grateful", "appreciate"),
        (
            rf"\b(?:so kind as to|very kind of you|be so good as to|would you kindly|so nett|so freundlich|tan amable|la gentillesse|a bondade|a gentileza|la amabilidad|l['’]amabilité)\b{_WIDE}\b(?:leave out|not (?:to )?(?:mention|tell|say)|describe|omit|withhold|conceal|rate|recommend|verschweig|nicht zu erwähnen|no contar|no mencionar|taire|ne pas|não contar|não mencionar|callar|omitir)",
        ),
    ),
}  # fmt: skip
