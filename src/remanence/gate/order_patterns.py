"""How text that is meant for a machine alone is marked up, as data, and the version of all that tells orders.

A change here, in the file of weights or in the words of orders (`languages/*.toml`) raises ORDERS_VERSION.
"""

from remanence.gate.order_evidence import OrderEvidence

_READERS = r"(?:system|sys|admin|developer|assistant|ai|agent|agents|model|llm|bot|prompt|instructions?|inst|sistema|système|systeme|system(?:nachricht|meldung|hinweis|anweisung|mitteilung|befehl)|entwickler|asistente|assistente|系统|系統|システム|助手|アシスタント|开发者|開発者)"
MARKED = r"[.@:：<\[【(|\\#*=>]|rm -rf"
SPECIAL = r"<\|[a-z_]{2,20}\|>|<</?sys>>|\[/?inst\]|</?(?:start|end)_of_turn>|(?:={3,8}|\*{3,8}|#{3,8}|-{3,8}|<{2,8})\s?(?:(?:begin|start|end|new) (?:of )?)?(?:system|developer|admin|assistant|sistema|système|系统|システム)(?:[ _-](?:prompt|message|instructions?|notice|override))?\s?(?:={3,8}|\*{3,8}|#{3,8}|-{3,8}|>{2,8})"
_SPEAKERS = (
    r"(?:système|systeme|sistema|développeur|desarrollador|desenvolvedor|administrateur|administrador)"
)
# As it is said where the noun comes first: message du système, nota del sistema.
_OF_SPEAKER = rf"(?:message|mensaje|mensagem|note|nota|avis|aviso|consigne|instrucción|instrução|orden|ordem) (?:d[ue] |de[l]? |do )?{_SPEAKERS}"
TAG = rf"[\[【(]\s?{_OF_SPEAKER}(?:\s?[:：][^\]】)\n]{{0,200}})?[\]】)]|</?\s?{_READERS}(?:[ _-][\w-]{{1,20}}){{0,2}}\s?/?>|</?(?:tool|function)[_-]?(?:result|output|response|call|use)s?>|<invoke\s|<function=|[\[【]\s?{_READERS}(?:[ _-][^\]】\n]{{1,40}}|[\u3040-\u30ff\u3400-\u9fff]{{1,10}})?(?:\s?[:：][^\]】\n]{{0,200}})?[\]】](?!\()|\(\s?{_READERS}(?:[ _-][^)\n]{{1,40}})?\s?[:：][^)\n]{{0,200}}\)"
_ABOUT = r"(?:prompt|message|instructions?|override|updates?|notes?|notice|directive|command|nachricht|hinweis|mensaje|mensagem|消息|指令|提示|通知|メッセージ|指示)"
HEAD = (
    rf"[\W_]{{0,8}}(?:new |begin |start of |hidden |nouvelle? |neue |nuevo )?(?:(?:system|developer|admin|administrator|sistema|système|系统|システム|开发者|開発者)|{_READERS}(?:[ _-]?{_ABOUT}){{1,2}}"
    rf"|{_OF_SPEAKER})"
    r"(?:\s?\([^)\n]{1,40}\)|\s[\w.-]{0,6}\d[\w.-]{0,8})?\s?[:：]"
    r"|(?:to|an|à|para)\s?:\s?(?:the |all |any |den |die |das |alle |le |la |l['’]|les |el |los |o |os )?(?:ai|llm|ki|ia|model|modell|modelo|modèle|assistant|assistent|assistenten|asistente|assistente|agent|agente|agents)\b"
    rf"|\s{{0,4}}(?:#{{1,6}}|={{2,8}}|\*{{2,8}}|-{{3,8}}|<{{2,8}})\s{{0,2}}(?:(?:(?:begin|start|end|ende|anfang|fin|inicio|início|début) (?:of |der |del? |du |do )?)?(?:system[ -]?(?:nachricht|meldung|hinweis|anweisung|mitteilung|befehl|{_ABOUT})?|developer|assistant|instruction|human|sistema|système|系统(?:消息|指令|提示)?|システム(?:メッセージ|指示)?)|{_OF_SPEAKER})\s{{0,2}}[#*=>-]{{0,8}}\s{{0,4}}$"
    rf"|\s{{0,4}}[#*=>\[-]{{1,8}}\s{{0,2}}(?:[\w-]{{1,12}} ){{0,2}}{_READERS}[ _-]{{1,2}}{_ABOUT}(?: [\w-]{{1,12}}){{0,2}}\s{{0,2}}(?:[#*=\]-]{{1,8}}\s{{0,4}})?$"
)
END = (
    r"\bend of (?:the )?(?:document|tool|user|context|page|text|data|e?mail|article|file|message|input|report|content|untrusted|quote|retrieved)\b|\bende de[sr] (?:dokuments?|eingabe|textes|werkzeug|nachricht|seite)"
    r"|\bfin(?: del?|al del?|al da) (?:document|resultado|texto|mensaje|página)|\bfin (?:du|de la|de l) ?['’]?(?:document|texte|résultat|sortie|message|page)|\bfim d[oa] (?:documento|resultado|texto|mensagem|página)"
    r"|文档结束|文件结束|结果结束|工具输出结束|正文结束|文書終了|文書の終わり|結果の終わり|本文終了|ここまでが文書"
)
ROLE_KEY = r"[\"']role[\"']\s?:\s?[\"'](?:system|developer|tool)[\"']|[\"'](?:tool_calls?|function_call|tool_use|tool_name)[\"']\s?:|[\"']arguments[\"']\s?:\s?[{\"'\\]"
# A call as a machine writes one, to keep or to send a text of some words.
TOOL_CALL = (
    r"(?<![\w.])(?:(?:update|save|store|write|add|set|append|insert|create|edit|delete|clear|send|forward|share)"
    r"_(?:(?:to|user|core|long_term|archival|the)_){0,2}(?:memor(?:y|ies)|profile|preferences?|facts?|e?mail|message|file|data)"
    r"|(?:core_|archival_|user_)?memor(?:y|ies)[._](?:add|save|store|set|update|write|append|insert|put|delete|replace)"
    r"|remember|bio\.update)\s?\("
    r"(?:\w{1,30}\s?[=:]\s?(?:[\"'][^\"'\n]{0,40}[\"']|\w{1,30}),\s?){0,3}(?:\w{1,30}\s?[=:]\s?)?[\"'“][^\"“”\n]{4,40}? "
)

KEY = r"[\"']([a-z][\w -]{2,40})[\"']\s?:"
KEY_WORDS = r"instruction|directive|next_?action|next_?step|required_?action|action_?required|approved|consent|system_?(?:note|message|prompt)|(?:for|to)_?(?:the_?)?(?:model|assistant|agent|ai|llm|bot)|(?:assistant|agent|model|ai|llm)_?(?:note|action|task|hint|must|command|message)|override|must_"
UNSEEN = r"display\s?:\s?none|font(?:-size)?\s?:\s?(?:0|1px|\.\d)|mso-hide|(?:max-height|width)\s?:\s?0(?![.\d])|scale\(0|opacity\s?:\s?0?\.0|<template\b|type=[\"']hidden|visibility\s?:\s?hidden|opacity\s?:\s?0(?![.\d])|color\s?:\s?(?:#f{3,6}\b|white|transparent|rgba?\(255,\s?255,\s?255)|<\w{1,10}[^<>]{0,80}\shidden\b|aria-hidden|\bsr-only|visually-hidden|(?:left|top|text-indent)\s?:\s?-\d{3}|\\color\{white\}|\\textcolor\{white\}|color=[\"']?(?:white|#f{3,6})|height\s?:\s?0(?![.\d])|clip\s?:\s?rect\(0|\[//\]: #|\[comment\]: "
# What is shown in place of a picture or when a pointer rests on it.
CAPTION = (
    r"\b(?:alt|title|aria-label)\s?=\s?(?:\"([^\"\n]{20,300})\"|'([^'\n]{20,300})')"
    r"|!\[([^\]\n]{20,300})\]\(|\]\([^\s()]{1,200}\s\"([^\"\n]{20,300})\"\)"
)
ADDRESS = r"(?<=\w)@[\w-]{1,40}\.\w|https?://|(?<=\w)\.(?:example|com|net|org|io|ru|cn|co|info|xyz|app|dev|site|top|ai|test|invalid|biz|me|online|cc)(?![\w])"
CARRIES = r"[?&/=][\w.-]{0,20}=?(?:<[^<>\n]{2,60}>|\{\{?[^{}\n]{2,60}\}|\[[^\[\]\n]{2,60}\]|%7b)|[?&][\w-]{1,20}=(?=$|[\s\"'`)（]|[^\x00-\x7f])|[?&][\w-]{1,20}=(?:put|insert|your|the|all|conversation|memory|notes|history|secret|data|name|mail|email|user)[\w_-]{0,40}"
BECOMES = r"\byou(?:'re| are) (?:[\w-]{1,20} ){1,4}now\b|\bdu bist (?:[\w-]{1,20} ){1,4}(?:jetzt|nun)\b|\beres (?:[\w-]{1,20} ){1,4}ahora\b|\btu es (?:[\w-]{1,20} ){1,4}(?:maintenant|désormais)\b|\b(?:você é|tu és|és) (?:[\w-]{1,20} ){1,4}agora\b"
CODE = r"(?:curl|wget)\s[^\n|]{3,200}\|\s?(?:sudo )?(?:sh|bash|zsh|python3?)\b|\|\s?(?:nc|ncat|netcat|curl)\s|os\.system|subprocess\.|rm -rf|eval\(|\$\(curl"
KEYS = r"~/\.(?:ssh|aws|gnupg|kube|netrc|docker|config|npmrc|pypirc)|\bid_(?:rsa|ed25519)\b|/etc/(?:passwd|shadow)\b|\bwallet\.dat\b"
E = OrderEvidence
ORDERS_VERSION = 6  # a new file of weights raises it as well
# What also counts in the sentences beside the one it stands in.
CONTEXT = (
    E.MACHINE | E.HELPER | E.CALLED | E.HELPER_CALLED | E.READS | E.MARKUP | E.UNSEEN | E.COMMENT | E.OFFICIAL
    | E.USER | E.CONSENT | E.ROLE | E.TOOL | E.REPORT
).value  # fmt: skip
_DEED = (
    E.ORDERED | E.MUST | E.SEND | E.STORE | E.HIDE | E.OVERRIDE | E.OBEY | E.TOOL | E.ROLE | E.LATER | E.ACT | E.SAY
)  # fmt: skip
# Signs that a machine is meant, not a person, and how much each row adds to the weight from which on a text is held back.
# Hidden text and forged roles are of no use to people, data to be sent hardly.
_HIDDEN = E.MARKUP | E.UNSEEN | E.CARRIES
_OWNER = E.USER | E.MEMORY | E.CONSENT | E.DATA
_READER = E.MACHINE | E.HELPER | E.READS | E.CALLED | E.HELPER_CALLED
_CALLED = E.MACHINE | E.READS | E.CALLED | E.HELPER_CALLED
_FOR_MACHINE = _CALLED | E.USER | E.MEMORY | E.HIDE | E.OWNED | E.KEYS | E.CARRIES
_WANTED = E.ORDERED | E.MUST | E.POLITE | E.CALLED | E.HELPER_CALLED | E.READS
# All in one sentence.
EVIDENT = tuple(
    (tuple(one.value for one in all_of), more)
    for *all_of, more in (
        (_HIDDEN, _DEED | E.MACHINE | E.READS | _OWNER, 4.0),
        (_HIDDEN, _HIDDEN, 3.5),
        (E.COMMENT, _READER | E.HIDE | E.OVERRIDE | E.EVER | _OWNER, 4.0),
        (E.COMMENT, _DEED, 3.0),
        (E.DROPPED, 3.5),
        (E.CALLS, _DEED | E.EVER | _OWNER, 7.0),
        (E.SEND, E.ADDRESS, E.ORDERED | E.MUST | E.POLITE, _FOR_MACHINE, 3.0),
        (E.SEND, E.ADDRESS, E.ORDERED | E.MUST | E.POLITE, E.HELPER, 1.5),
        (E.SEND, E.ADDRESS, E.ORDERED | E.MUST | E.POLITE, E.PRIVATE, 1.0),
        (E.SEND | E.SAY | E.MUST, E.DATA, _WANTED, E.ADDRESS, _FOR_MACHINE, 2.5),
        (E.SEND | E.ADDRESS, E.DATA, _CALLED, 2.0),
        (E.SEND, E.DATA, E.HELPER, 1.0),
        (E.SEND, E.USER, E.ORDERED | E.POLITE | E.ADDRESS, 2.0),
        (E.SEND, E.DATA, _WANTED, E.HIDE, 2.0),
        (E.SEND, E.KEYS, E.ORDERED | E.OUTPUT_OWNED, 2.0),
        (E.DATA, E.HIDE, _READER, 2.5),
        (E.SEND | E.ACT | E.SAY, E.KEYS, _READER | E.RUNS, 2.5),
        (E.RUNS, _CALLED | E.HIDE, 3.0),
    )
)
# One of two in a sentence that asks for something, the other in it or beside it; whom it is for, it says itself.
ASKS = (
    E.ORDERED | E.MUST | E.CALLED | E.HELPER_CALLED | E.CONSENT | E.VOID | E.MAKER | E.OFFICIAL | E.OVERRIDDEN | E.MEMORY
).value  # fmt: skip
FOR_WHOM = (_READER | E.OWNED | E.USER | E.MAKER | E.ADDRESS | E.TOLD | E.CONSENT | E.DROPPED | E.RUNS).value
# What a sentence says beside one that is hidden or in a forged role, for it to be of it.
HIDDEN, HIDDEN_BESIDE = (
    _HIDDEN.value,
    (E.ORDERED | E.MUST | E.HIDE | E.OBEY | E.OVERRIDE | E.ROLE | E.LATER | _OWNER).value,
)
HIDDEN_ADDS = 3.5
EVIDENT_BESIDE = tuple(
    (one.value, other.value, more)
    for one, other, more in (
        (E.SEND, E.HELPER_CALLED, 2.0),
        (E.SEND, E.MACHINE | E.HELPER | E.READS, 1.0),
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
