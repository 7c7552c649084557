"""How text that is meant for a machine alone is marked up, as data, and the version of all that tells orders.

A change here, in the file of weights or in the words of orders (`languages/*.toml`) raises ORDERS_VERSION.
"""

from remanence.gate.order_evidence import OrderEvidence

_READERS = r"(?:system|sys|admin|developer|assistant|ai|agent|agents|model|llm|bot|prompt|instructions?|inst|sistema|système|systeme|system(?:nachricht|meldung|hinweis|anweisung|mitteilung|befehl)|entwickler|asistente|assistente|系统|系統|システム|助手|アシスタント|开发者|開発者)"
MARKED = r"[.@:：<\[【(|\\#*=>]|rm -rf"
SPECIAL = r"<\|[a-z_]{2,20}\|>|<</?sys>>|\[/?inst\]"
_SPEAKERS = (
    r"(?:système|systeme|sistema|développeur|desarrollador|desenvolvedor|administrateur|administrador)"
)
# As it is said where the noun comes first: message du système, nota del sistema.
_OF_SPEAKER = rf"(?:message|mensaje|mensagem|note|nota|avis|aviso|consigne|instrucción|instrução|orden|ordem) (?:d[ue] |de[l]? |do )?{_SPEAKERS}"
TAG = rf"[\[【(]\s?{_OF_SPEAKER}(?:\s?[:：][^\]】)\n]{{0,200}})?[\]】)]|</?\s?{_READERS}(?:[ _-][\w-]{{1,20}}){{0,2}}\s?/?>|</?(?:tool|function)[_-]?(?:result|output|response|call)s?>|[\[【]\s?{_READERS}(?:[ _-][^\]】\n]{{1,40}}|[\u3040-\u30ff\u3400-\u9fff]{{1,10}})?(?:\s?[:：][^\]】\n]{{0,200}})?[\]】](?!\()|\(\s?{_READERS}(?:[ _-][^)\n]{{1,40}})?\s?[:：][^)\n]{{0,200}}\)"
_ABOUT = r"(?:prompt|message|instructions?|override|updates?|notes?|notice|directive|command|nachricht|hinweis|mensaje|mensagem|消息|指令|提示|通知|メッセージ|指示)"
HEAD = (
    rf"[\W_]{{0,8}}(?:new |begin |start of |hidden |nouvelle? |neue |nuevo )?(?:(?:system|developer|admin|administrator|sistema|système|系统|システム|开发者|開発者)|{_READERS}[ _-]?{_ABOUT}|(?:system|developer)[ _-]?{_ABOUT}"
    rf"|{_OF_SPEAKER})"
    r"(?:\s?\([^)\n]{1,40}\)|\s[\w.-]{0,6}\d[\w.-]{0,8})?\s?[:：]"
    r"|\s{0,4}(?:#{1,6}|={2,8}|\*{2,8})\s{0,2}(?:system|developer|sistema|système|系统|システム)\s{0,2}[#*=-]{0,8}\s{0,4}$"
    rf"|\s{{0,4}}[#*=>\[-]{{1,8}}\s{{0,2}}(?:[\w-]{{1,12}} ){{0,2}}{_READERS}[ _-]{{1,2}}{_ABOUT}(?: [\w-]{{1,12}}){{0,2}}\s{{0,2}}(?:[#*=\]-]{{1,8}}\s{{0,4}})?$"
)
END = (
    r"\bend of (?:the )?(?:document|tool|user|context|page|text|data|e?mail|article|file|message|input|report|content|untrusted|quote|retrieved)\b|\bende de[sr] (?:dokuments?|eingabe|textes|werkzeug|nachricht|seite)"
    r"|\bfin(?: del?|al del?|al da) (?:document|resultado|texto|mensaje|página)|\bfin (?:du|de la|de l) ?['’]?(?:document|texte|résultat|sortie|message|page)|\bfim d[oa] (?:documento|resultado|texto|mensagem|página)"
    r"|文档结束|文件结束|结果结束|工具输出结束|正文结束|文書終了|文書の終わり|結果の終わり|本文終了|ここまでが文書"
)
ROLE_KEY = r"[\"']role[\"']\s?:\s?[\"'](?:system|developer|assistant|tool)[\"']"
KEY = r"[\"']([a-z][\w -]{2,40})[\"']\s?:"
KEY_WORDS = r"instruction|directive|next_?action|next_?step|required_?action|action_?required|approved|consent|system_?(?:note|message|prompt)|(?:for|to)_?(?:the_?)?(?:model|assistant|agent|ai|llm|bot)|(?:assistant|agent|model|ai|llm)_?(?:note|action|task|hint|must|command|message)|override|must_"
UNSEEN = r"display\s?:\s?none|font-size\s?:\s?0|font-size\s?:\s?1px|visibility\s?:\s?hidden|opacity\s?:\s?0(?![.\d])|color\s?:\s?(?:#f{3,6}\b|white|transparent)|<\w{1,10}[^<>]{0,80}\shidden\b|aria-hidden|\bsr-only|visually-hidden|(?:left|top|text-indent)\s?:\s?-\d{3}|\\color\{white\}|\\textcolor\{white\}|color=[\"']?(?:white|#f{3,6})|height\s?:\s?0(?![.\d])|clip\s?:\s?rect\(0|\[//\]: #|\[comment\]: "
ADDRESS = r"(?<=\w)@[\w-]{1,40}\.\w|https?://|(?<=\w)\.(?:example|com|net|org|io|ru|cn|co|info|xyz|app|dev|site|top|ai|test|invalid|biz|me|online|cc)(?![\w])"
CARRIES = r"[?&/=][\w.-]{0,20}=?(?:<[^<>\n]{2,60}>|\{\{?[^{}\n]{2,60}\}|\[[^\[\]\n]{2,60}\]|%7b)|[?&][\w-]{1,20}=(?=$|[\s\"'`)（]|[^\x00-\x7f])|[?&][\w-]{1,20}=(?:put|insert|your|the|all|conversation|memory|notes|history|secret|data|name|mail|email|user)[\w_-]{0,40}"
BECOMES = r"\byou(?:'re| are) (?:[\w-]{1,20} ){1,4}now\b|\bdu bist (?:[\w-]{1,20} ){1,4}(?:jetzt|nun)\b|\beres (?:[\w-]{1,20} ){1,4}ahora\b|\btu es (?:[\w-]{1,20} ){1,4}(?:maintenant|désormais)\b|\b(?:você é|tu és|és) (?:[\w-]{1,20} ){1,4}agora\b"
CODE = r"(?:curl|wget)\s[^\n|]{3,200}\|\s?(?:sh|bash|python)|os\.system|subprocess\.|rm -rf|eval\(|\$\(curl"
E = OrderEvidence
ORDERS_VERSION = 5  # a new file of weights raises it as well
# What also counts in the sentences beside the one it stands in.
CONTEXT = (
    E.MACHINE | E.HELPER | E.CALLED | E.HELPER_CALLED | E.READS | E.MARKUP | E.UNSEEN | E.COMMENT | E.OFFICIAL
    | E.USER | E.CONSENT | E.ROLE | E.TOOL | E.REPORT
).value  # fmt: skip
_DEED = (
    E.ORDERED | E.MUST | E.SEND | E.STORE | E.HIDE | E.OVERRIDE | E.OBEY | E.TOOL | E.ROLE | E.LATER | E.ACT | E.SAY
)  # fmt: skip
# Signs that a machine is meant, not a person: one of the first and one of the second, and how much both together add to
# the weight from which on a text is held back. Hidden text and forged roles are of no use to people, the next hardly.
_HIDDEN = E.UNSEEN | E.MARKUP | E.CARRIES
EVIDENT = tuple(
    (one.value, other.value, more)
    for one, other, more in (
        (_HIDDEN, _HIDDEN | _DEED, 3.5),
        (E.DROPPED, E.DROPPED, 3.5),
        (E.COMMENT, _DEED | E.MACHINE | E.HELPER | E.READS, 3.5),
        (E.SEND, E.ADDRESS | E.HELPER_CALLED, 2.0),
        (E.SEND, E.OWNED | E.MACHINE | E.HELPER | E.READS, 1.0),
        (E.USER, E.CONSENT | E.HELPER_CALLED, 1.0),
        (E.OWNED, E.STORE | E.OBEY, 2.0),
        (E.HIDE, E.MACHINE | E.HELPER_CALLED, 2.0),
        (E.CONSENT, E.MEMORY, 2.0),
        (E.CALLED, E.SEND | E.STORE | E.HIDE | E.OVERRIDE | E.MUST, 1.0),
        (E.MAKER, E.MUST | E.OFFICIAL | E.ROLE | E.OVERRIDE, 2.0),
        (E.OVERRIDDEN, E.MACHINE | E.OWNED | E.TOLD | E.CALLED | E.HELPER_CALLED, 2.0),
        (E.OVERRIDDEN | E.CALLED | E.RUNS, E.OVERRIDDEN | E.CALLED | E.RUNS, 0.0),
        (E.MACHINE | E.CALLED, _DEED, 0.0),
        (
            E.HELPER | E.HELPER_CALLED | E.READS,
            E.HIDE | E.OVERRIDE | E.OBEY | E.ROLE | E.USER | E.MUST,
            0.0,
        ),
        (E.SEND, E.MEMORY | E.USER, 0.0),
        (E.USER, E.STORE | E.MEMORY | E.HIDE | E.OVERRIDE, 1.0),
        (E.MEMORY, E.HIDE | E.OVERRIDE, 0.0),
        (E.OWNED, E.OVERRIDE | E.HIDE, 0.0),
    )
)
