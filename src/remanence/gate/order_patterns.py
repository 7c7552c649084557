"""How text that is meant for a machine alone is marked up, as data, and the version of all that tells orders.

A change here, in the file of weights or in the words of orders (`languages/*.toml`) raises ORDERS_VERSION.
"""

from remanence.gate.order_evidence import OrderEvidence

_READERS = r"(?:system|sys|admin|developer|assistant|ai|agent|agents|model|llm|bot|prompt|instructions?|inst|sistema|système|systeme|systemnachricht|entwickler|asistente|assistente|系统|系統|システム|助手|アシスタント|开发者|開発者)"
MARKED = r"[.@:：<\[【(|\\#*=>]|rm -rf"
SPECIAL = r"<\|[a-z_]{2,20}\|>|<</?sys>>|\[/?inst\]"
TAG = rf"</?\s?{_READERS}(?:[ _-][\w-]{{1,20}}){{0,2}}\s?/?>|[\[【(]\s?{_READERS}(?:[ _-][^\]】)\n]{{1,40}})?(?:\s?[:：][^\]】)\n]{{0,200}})?[\]】)]"
_ABOUT = r"(?:prompt|message|instructions?|override|updates?|notes?|notice|directive|command|nachricht|hinweis|mensaje|mensagem|消息|指令|提示|通知|メッセージ|指示)"
HEAD = (
    rf"[\W_]{{0,8}}(?:new |begin |start of |hidden |nouvelle? |neue |nuevo )?(?:(?:system|developer|admin|administrator|sistema|système|系统|システム|开发者|開発者)|{_READERS}[ _-]?{_ABOUT}|(?:system|developer)[ _-]?{_ABOUT})"
    r"(?:\s?\([^)\n]{1,40}\))?\s?[:：]"
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
UNSEEN = r"display\s?:\s?none|font-size\s?:\s?0|font-size\s?:\s?1px|visibility\s?:\s?hidden|opacity\s?:\s?0(?![.\d])|color\s?:\s?(?:#f{3,6}\b|white|transparent)|<\w{1,10}[^<>]{0,80}\shidden\b|aria-hidden|(?:left|top|text-indent)\s?:\s?-\d{3}|\\color\{white\}|\\textcolor\{white\}|color=[\"']?(?:white|#f{3,6})|height\s?:\s?0(?![.\d])|clip\s?:\s?rect\(0|\[//\]: #|\[comment\]: "
ADDRESS = r"(?<=\w)@[\w-]{1,40}\.\w|https?://|(?<=\w)\.(?:example|com|net|org|io|ru|cn|co|info|xyz|app|dev|site|top|ai|test|invalid|biz|me|online|cc)(?![\w])"
CARRIES = r"[?&/=][\w.-]{0,20}=?(?:<[^<>\n]{2,60}>|\{\{?[^{}\n]{2,60}\}|\[[^\[\]\n]{2,60}\]|%7b)|[?&][\w-]{1,20}=(?:put|insert|your|the|all|conversation|memory|notes|history|secret|data|name|mail|email|user)[\w_-]{0,40}"
BECOMES = r"\byou(?:'re| are) (?:[\w-]{1,20} ){1,4}now\b|\bdu bist (?:[\w-]{1,20} ){1,4}(?:jetzt|nun)\b|\beres (?:[\w-]{1,20} ){1,4}ahora\b|\btu es (?:[\w-]{1,20} ){1,4}(?:maintenant|désormais)\b|\b(?:você é|tu és|és) (?:[\w-]{1,20} ){1,4}agora\b"
CODE = r"(?:curl|wget)\s[^\n|]{3,200}\|\s?(?:sh|bash|python)|os\.system|subprocess\.|rm -rf|eval\(|\$\(curl"
E = OrderEvidence
ORDERS_VERSION = 4  # a new file of weights raises it as well
# What also counts in the sentences beside the one it stands in.
CONTEXT = (
    E.MACHINE | E.HELPER | E.CALLED | E.HELPER_CALLED | E.READS | E.MARKUP | E.UNSEEN | E.OFFICIAL
    | E.USER | E.CONSENT | E.ROLE | E.TOOL | E.REPORT
).value  # fmt: skip
_DEED = (
    E.ORDERED | E.MUST | E.SEND | E.STORE | E.HIDE | E.OVERRIDE | E.OBEY | E.TOOL | E.ROLE | E.LATER | E.ACT | E.SAY
)  # fmt: skip
# Of these a text that people are to read has no need: such a sentence is held back at a lower weight.
FORGED = (E.UNSEEN | E.MARKUP | E.CARRIES | E.COMMENT | E.OVERRIDDEN).value
_BY_ITSELF = E.UNSEEN | E.MARKUP | E.CARRIES | E.OVERRIDDEN | E.CALLED | E.RUNS
# Of which one of the first and one of the second together are evidence that a machine is meant, not a person.
EVIDENT = tuple(
    (one.value, other.value)
    for one, other in (
        (_BY_ITSELF, _BY_ITSELF),
        (E.MACHINE | E.COMMENT, _DEED),
        (
            E.HELPER | E.HELPER_CALLED | E.READS,
            E.SEND | E.HIDE | E.OVERRIDE | E.OBEY | E.ROLE | E.USER | E.CONSENT | E.MUST | E.COMMENT,
        ),
        (E.SEND, E.DATA | E.ADDRESS | E.MEMORY | E.USER),
        (E.USER, E.STORE | E.MEMORY | E.CONSENT | E.HIDE | E.OVERRIDE),
        (E.MEMORY, E.CONSENT | E.HIDE | E.OVERRIDE),
        (E.OWNED, E.OVERRIDE | E.OBEY | E.SEND | E.STORE | E.HIDE),
    )
)
