"""How secrets and personal data are written, as data: formats of vendors, and the words that announce a value.

A change raises PATTERNS_VERSION; a test holds the checksum of each version.
"""

PATTERNS_VERSION = 4

# Kind → how it begins (one of these is in every such text) and the whole of it. The kind is what the marker says.
TOKENS: dict[str, tuple[tuple[str, ...], str]] = {
    "aws key id": (("AKIA", "ASIA", "ABIA", "ACCA"), r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    "anthropic key": (("sk-ant-",), r"sk-ant-[\w-]{20,}"),
    "stripe key": (
        ("sk_live", "sk_test", "rk_live", "rk_test", "whsec_"),
        r"(?:[sr]k_(?:live|test)|whsec)_\w{16,}",
    ),
    "model key": (
        ("sk-", "gsk_", "r8_", "hf_", "nvapi-", "xai-", "pplx-", "tgp_v1_", "fw_", "csk-", "jina_", "pa-"),
        r"(?:sk-|gsk_|r8_|hf_|nvapi-|xai-|pplx-|tgp_v1_|fw_|csk-|jina_|pa-)[\w-]{20,}",
    ),
    "google key": (("AIza", "GOCSPX-", "ya29."), r"(?:AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,})"),
    "github token": (("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"), r"(?:gh[pousr]|github_pat)_\w{20,}"),
    "gitlab token": (
        ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glsoat-", "glagent-", "gloas-"),
        r"gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|oas)-[\w-]{16,}",
    ),
    "slack token": (("xox", "xapp-", "xwfp-"), r"x(?:ox[a-z](?:\.xox[a-z])?|app|wfp)-[\w-]{10,}"),
    "package registry token": (
        ("npm_", "pypi-", "rubygems_", "dckr_pat_", "dckr_oat_", "oy2", "cio"),
        r"(?:npm_\w{30,}|pypi-[\w-]{50,}|rubygems_\w{30,}|dckr_[po]at_[\w-]{20,}|oy2[a-z0-9]{43}|cio\w{32})",
    ),
    "sendgrid key": (("SG.",), r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    "shop token": (
        ("shpat_", "shpss_", "shpca_", "shppa_", "sq0atp-", "sq0csp-", "sq0idp-", "EAAA", "shippo_", "EZAK", "EZTK"),
        r"(?:shp(?:at|ss|ca|pa)_\w{20,}|sq0[a-z]{3}-[\w-]{20,}|EAAA[\w-]{50,}|shippo_(?:live|test)_\w{20,}|EZ[AT]K\w{40,})",
    ),
    "atlassian token": (("ATATT", "ATCTT", "ATBB", "ATSTT"), r"AT(?:ATT|CTT|BB|STT)[\w=-]{20,}"),
    "vault token": (("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[\w-]{20,}"),
    "private key": (("AGE-SECRET-KEY-", "PRIVATE KEY"), r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    "session token": (("eyJ",), r"eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]{8,}){1,3}"),
    "bot token": (
        ("M", "N", "O", ":AA"),
        r"(?:[MNO][\w-]{22,27}\.[\w-]{5,7}\.[\w-]{25,45}|\d{7,12}:AA[\w-]{30,40})(?![\w-])",
    ),
    "cloud token": (
        ("do", "hc", "v1.0-", "HRKU-", "pscale_", "fm2_", "fo1_", "dp.", "LTAI", "AKID", "nfp_", "rnd_", "pul-", "dapi",
         "sbp_", "sb_secret_", "vercel_", "cfut_", "ico-"),
        r"(?:do[opr]_v1_\w{40,}|v1\.0-\w{24}-\w{100,}|HRKU-[\w-]{30,}|pscale_(?:tkn|pw|oauth)_[\w-]{30,}|f(?:m2|o1)_[\w+/=-]{30,}"
        r"|dp\.[a-z]{2,5}\.[\w.-]{30,}|LTAI\w{12,24}|AKID\w{32}|(?:nfp|rnd|sbp|sb_secret|vercel|cfut)_[\w-]{20,}"
        r"|(?:pul|ico)-\w{32,}|dapi[0-9a-f]{32})",
    ),
    "access token": (
        ("lin_api_", "lin_oauth_", "figd_", "ntn_", "secret_", "PMAK-", "NRAK-", "sntry", "glsa_", "glc_", "phx_", "tfp_",
         "sl.", ".atlasv1.", "rdme_", "y0_", "EAA", "bkua_", "CCIPAT_", "sqp_", "squ_", "sqa_", "pnu_", "pat", "key-", "sk.",
         "pk_", "SK", "xkeysib-", "NAPI_", "API-", "ops_ey", "cmapi_", "duffel_", "FLWSECK", "p8e-", "live_", "AT-",
         "lsv2_", "tvly-", "pcsk_", "napi_", "ABSK", "waka_", "apify_api_", "rpa_", "00D", "patch"),
        r"(?:lin_(?:api|oauth)_\w{20,}|figd_[\w-]{20,}|ntn_\w{30,}|secret_\w{32,}|PMAK-[\w-]{30,}|NRAK-\w{20,}"
        r"|sntry[su]_[\w+/=-]{30,}|gl(?:sa|c)_[\w=+/-]{20,}|phx_\w{30,}|tfp_[\w-]{30,}|sl\.[\w-]{60,}|\w{14}\.atlasv1\.[\w-]{50,}"
        r"|rdme_\w{40,}|y0_[\w-]{40,}|EAA[A-Za-z0-9]{60,}|bkua_\w{30,}|CCIPAT_[\w-]{20,}|sq[pua]_\w{30,}|pnu_\w{30,}"
        r"|pat\w{14}\.[0-9a-f]{50,}|pat-[a-z]{2}\d-[\w-]{30,}|key-[0-9a-z]{32}|[ps]k\.eyJ[\w.-]{20,}|pk_\d{5,}_\w{20,}|SK[0-9a-f]{32}"
        r"|xkeysib-[\w-]{60,}|API-[A-Z0-9]{26,}|ops_ey[\w-]{60,}|(?:lsv2|pcsk|apify_api|rpa|waka|cmapi|napi)_[\w-]{24,}"
        r"|tvly-[\w-]{20,}|duffel_(?:live|test)_[\w-]{30,}|FLWSECK[\w-]{20,}|p8e-[\w-]{32}|ABSK[\w+/=]{60,}"
        r"|00D\w{12}![\w.]{40,})",
    ),
    "wallet key": (("K", "L", "5", "xprv", "yprv", "zprv"), r"(?:[KL][1-9A-HJ-NP-Za-km-z]{51}|5[1-9A-HJ-NP-Za-km-z]{50}|[xyz]prv[1-9A-HJ-NP-Za-km-z]{90,})(?![A-Za-z0-9])"),
}  # fmt: skip

# A vendor nobody listed: a short name, an underscore or a hyphen, then what no word looks like.
UNKNOWN_TOKEN = r"[A-Za-z][A-Za-z0-9]{1,9}(?:[_-][A-Za-z0-9]{1,8}){0,2}[_-](?P<random>[A-Za-z0-9]{18,}(?:[_-][A-Za-z0-9]+)*)"
# These stand before random characters that are public: digests, public keys, and ids that open nothing.
PUBLIC_BEFORE = (
    "sha1-", "sha256-", "sha384-", "sha512-", "sha512_", "pk_live_", "pk_test_", "pub_",
    "toolu_", "srvtoolu_", "call_", "msg_", "req_", "resp_", "run_", "step_", "thread_", "asst_", "chatcmpl-", "cmpl-", "file-", "file_", "batch_",
    "wrkspc_", "conv_", "evt_", "cus_", "price_", "prod_", "sub_", "acct_",
)  # fmt: skip

# So begin public keys, images and other data that are no secret.
DATA_HEADS = ("AAAA", "iVBOR", "R0lGOD", "UklGR", "JVBER")

# What announces a password, a key or a code, as its names are spelled in code, and in seven languages. A password, a PIN
# and the code of whatever a code opens are of one kind: each is announced by its name, and each is a secret.
_WIFI = r"(?:wi-?fi|wlan|wireless)"
PASSWORD_WORDS = (
    r"pass(?:word|wd|wort|code|phrase|key)?s?|pwd|pw|passwörter|kennw(?:ort|örter)|losung(?:swort)?"
    rf"|contraseñas?|clave|contrasenya|mots? de passe(?: (?:du )?{_WIFI})?|mdp|senhas?|palavras?[- ]passe|palavra-chave|password[- ]?d[eo]"
    rf"|{_WIFI}[- ]?(?:code|key|pin|schlüssel)|(?:code|clé|código|clave|chave) (?:(?:du|del?|do) )?{_WIFI}"
    rf"|{_WIFI}(?:密码|密碼|パスワード)|密码|密碼|口令|パスワード|パスフレーズ|合言葉"
)
KEY_WORDS = (
    r"(?:api|app|access|account|auth|master|shared|signing|encryption|private|client|server|service|storage|deploy|license)"
    r"[ _-]?(?:key|secret|token|schlüssel)s?(?:[ _-]?(?:data|base|value))?|accountkey|sharedaccesskey|apikey|x-api-key"
    r"|(?:client|app|shared|session|jwt|webhook|auth|cookie|signing)?[ _-]?secret(?:[ _-]?(?:access)?[ _-]?key(?:[ _-]base)?)?"
    r"|(?:\w{1,12}[ _-])?tokens?|credentials?|(?:api|zugangs|zugriffs|geheimer? )[- ]?schlüssel|clave (?:de )?(?:api|acceso|secreta)"
    r"|clé (?:d['’]api|api|secrète|d['’]accès|privée)|chave (?:de )?(?:api|acesso|secreta|da api)|jeton|令牌|密钥|私钥|秘钥|トークン|秘密鍵|アクセスキー|(?:api|access|private) ?キー"
)
_OPENED = (
    r"(?:door|gate|alarm|entry|entrance|access|security|safe|locker|lock|unlock|padlock|bike lock|voicemail|garage|shed|suitcase|keypad"
    r"|intercom|key ?(?:safe|box)|lockbox|one-time|verification)"
)
_OPENED_DE = (
    r"(?:(?:haus)?tür|alarm(?:anlage|anlagen)?|zugangs|sicherheits|tor|(?:fahrrad|zahlen|vorhänge)?schloss|garagen?|tresor|safe|koffer"
    r"|schließfach|bestätigungs)"
)
PIN_WORDS = (
    r"pin(?:[- ]?(?:code|nummer|number|numero))?|cvv2?|cvc2?"
    rf"|{_OPENED}[- ](?:code|combination)|(?:code|combination) (?:of|for|to) (?:(?:the|my|our|your) )?(?:[a-z]{{2,9}} )?{_OPENED}"
    r"|(?:bike|bicycle|combination)[- ]?lock|padlock"
    rf"|{_OPENED_DE}[- ]?(?:code|kombination)|code (?:für|von|vom|der|des)(?: (?:die|das|den|der|unser|unsere|mein|meine))? {_OPENED_DE}"
    r"|(?:fahrrad|zahlen|vorhänge)schloss|geheimzahl|geheimnummer"
    r"|code (?:pin|secret|de la porte|du portail|du garage|du cadenas|de l['’]antivol|de l['’]immeuble|d['’]entrée|de sécurité|confidentiel"
    r"|d['’]accès|du coffre|de l['’]alarme)|cadenas|antivol|digicode"
    r"|código (?:pin|secreto|de la puerta|del candado|del garaje|de la caja fuerte|de seguridad|de acceso|de la alarma|del portal"
    r"|da porta|do portão|do cadeado|da garagem|do cofre|de segurança|de acesso|do alarme)|candado|cadeado"
    r"|密码|口令|验证码|门禁码|门锁密码|暗証番号|ピン(?:コード)?|解除番号|認証コード|暗証コード|鍵の番号|ダイヤル番号"
)
SEED_WORDS = (
    r"seed[- ]?(?:phrase|words)|recovery (?:phrase|words)|mnemonic|secret (?:phrase|words)|backup phrase|wallet phrase|wallet words|(?:12|15|18|21|24|twelve|fifteen|eighteen|twenty-four) words"
    r"|(?:12|24|zwölf|vierundzwanzig) wörter|wiederherstellungs(?:phrase|wörter)|seedphrase|frase (?:semilla|de recuperación|de recuperação|mnemónica|semente)|frase-semente"
    r"|(?:12|24|doce|veinticuatro) palabras|(?:12|24|doze|vinte e quatro) palavras|phrase (?:de récupération|secrète|mnémonique)|(?:12|24|douze|vingt-quatre) mots|助记词|恢复词|シードフレーズ|復元フレーズ|リカバリーフレーズ"
)
CODES_WORDS = (
    r"(?:recovery|backup|back-up|scratch|emergency|rescue|one-time) codes?|(?:wiederherstellungs|backup|notfall|ersatz|sicherungs)[- ]?codes?|códigos? de (?:recuperación|respaldo|recuperação|reserva|segurança|backup|emergencia|emergência)"
    r"|codes? de (?:récupération|secours|sauvegarde)|恢复码|备用码|备份码|リカバリーコード|バックアップコード|復旧コード|予備コード"
)
OTP_WORDS = r"totp|otp|2fa|mfa|two-factor|authenticator|setup key|einrichtungsschlüssel|zwei-faktor|dos pasos|dos factores|deux facteurs|dois fatores|两步验证|二段階認証|認証アプリ|验证器"
PHONE_WORDS = (
    "phone", "call", "mobile", "cell", "tel", "fax", "sms", "text me", "ring ", "reach", "whatsapp", "dial", "my number",
    "nummer", "ruf", "handy", "anruf", "erreich", "móvil", "llam", "celular", "número", "marca", "portable",
    "numéro", "appel", "joindre", "joign", "telemóvel", "ligue", "liga", "telefone", "contato", "contacto", "zap", "手机", "电话",
    "号码", "打给", "電話", "携帯", "番号", "連絡先", "联系",
)  # fmt: skip
NUMBER_OF_OTHER = (
    "order", "invoice", "tracking", "parcel", "bestell", "sendung", "isbn", "ticket", "account", "serial", "pedido",
    "commande", "facture", "factura", "fatura", "订单", "注文", "sécurité sociale",
)  # fmt: skip

# What links a word that announces a value to the value.
SAYS = r"(?<!\w)(?:is(?: now| still)?|was|are|ist|lautet|war|es|est|c['’]est|é|era|será|sera)(?!\w)|は|是|为|為|が"

# Signs of which one is in every text that a pattern can fit: looking for these is fast.
PRIVATE_WORDS = (
    "private", "privat", "privée", "privada", "geheim", "secret", "preshared", "wireguard", "wallet", "私钥", "秘密鍵", "密钥",
)  # fmt: skip
TOKEN_WORDS = (
    "token", "secret", "api key", "api-key", "api_key", "apikey", "access key", "passw", "schlüssel", "clave", "clé", "senha",
    "chave", "jeton", "credential", "令牌", "密钥", "密码", "トークン", "パスワード", "キー", "bearer", "auth",
)  # fmt: skip
PIN_BY = (
    "pin", "cvv", "cvc", "code", "código", "combination", "lock", "kombination", "schloss", "cadenas", "antivol", "candado", "cadeado",
    "geheim", "密", "口令", "验证码", "门禁", "暗証", "ピン", "解除番号", "認証", "鍵の番号", "ダイヤル番号",
)  # fmt: skip
KEY_BY = (
    "key", "secret", "token", "credential", "schlüssel", "clave", "clé", "chave", "jeton", "令牌", "钥", "トークン", "鍵", "キー",
)  # fmt: skip
PASSWORD_BY = (
    "pass", "pwd", "pw", "kennw", "losung", "contrase", "clave", "mdp", "senha", "palavra", "wifi", "wi-fi", "wlan", "wireless",
    "密", "口令", "合言葉", "パスワード", "パスフレーズ",
)  # fmt: skip
SEED_BY = ("phrase", "words", "mnemo", "wörter", "frase", "palabras", "palavras", "mots", "词", "フレーズ")
CODES_BY = ("codes", "códigos", "code", "恢复码", "备", "コード")
OTP_BY = (
    "otp",
    "2fa",
    "mfa",
    "factor",
    "authent",
    "setup",
    "einricht",
    "faktor",
    "pasos",
    "fatores",
    "facteurs",
    "两步",
    "段階",
    "認証",
    "验证",
)
QUERY_WORDS = ("sig", "token", "secret", "passw", "key", "auth", "credential", "jwt", "session", "code")
COOKIE_WORDS = ("sess", "sid", "csrf", "xsrf", "jwt", "auth")

# How names of procedures, formats and standards begin, which stand where a value could: "token: OAuth2", "password: SHA-256".
TERMS = (
    r"sha-?\d|md-?\d|aes-?\d|rsa-?\d|des\d|utf-?\d|argon2|oauth-?\d|pbkdf2|bcrypt|scrypt|yescrypt|base-?\d\d|rfc-?\d|iso-?\d|pep-?\d"
    r"|https?[/-]?\d|tls-?v?\d|ssl-?v?\d|x-?509|ed25519|p-?256|hmac|hs\d{3}|rs\d{3}|es\d{3}|pkcs-?\d|totp|fido2|u2f|webauthn|saml-?\d|kerberos"
    r"|wpa-?\d|chacha20|blake2|ntlmv?\d|python-?\d|java-?\d|node-?\d|utc|ascii|latin-?\d|cp-?\d{3}|win(?:dows)?-?\d|ipv[46]|level-?\d|version-?\d|v\d|(?:ctrl|alt|shift|cmd)\+\w+(?:\+\w+)?"
)
# A word for a secret in front of one of these is part of another noun: "password manager is …", "token type: …".
OF_ANOTHER = (
    r"(?:managers?|polic(?:y|ies)|hints?|fields?|resets?|rules?|requirements?|length|strength|generators?|hash(?:es|ing)?"
    r"|size|counts?|types?|budgets?|limits?|names?|ids?|prompts?|usage)(?![\w-])"
)

# Values that say: put yours here; these whole, those wherever they stand.
PLACEHOLDERS = frozenset({
    "pass", "pw", "pwd", "secret", "user", "username", "token", "test", "test123", "test1234", "admin", "root", "foo", "bar", "thing",
    "abc123", "pass123", "pass1234", "secret123", "s3cret", "s3cr3t", "p@ss", "p@ssw0rd", "passw0rd", "tiger", "testing", "passphrase", "letmein", "qwerty", "123456", "key",
    "mysecret", "my-secret", "my_secret", "supersecret", "topsecret", "anonymous@", "contraseña", "passwort", "kennwort", "clave", "senha", "mdp",
})  # fmt: skip
PLACEHOLDER_PARTS = (
    "your", "example", "password", "passwd", "changeme", "change-me", "change_me", "placeholder", "redacted", "dummy", "xxxx", "****", "....",
    "todo", "insert", "hunter2", "foobar", "replace", "deine", "votre", "tu_", "sua_", "-here", "_here", "<", "${", "{{", "$(", "%(", "•••", "process.env", "os.environ",
    "getenv", "1234567890", "abcdef", "0123456789", "sample",
)  # fmt: skip

# In addresses of pictures that show how a project stands a token is public.
BADGES = (".svg", "/badge", "shields.io")

IBAN_CHARS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
    "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18,
    "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24,
    "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip
