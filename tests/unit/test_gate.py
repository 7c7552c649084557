"""What the gate finds in a text by itself: secrets, personal data, small talk, and the keys of forbidden texts."""

import hashlib
import inspect

import pytest

from remanence.gate import secret_patterns
from remanence.gate.credentials import REACH
from remanence.gate.junk import junk
from remanence.gate.screening import luhn, screen
from remanence.text.forbidden_keys import fold_keys

SALT = b"salt"


# Put together here, so that no scanner of repositories takes them for keys of somebody.
KEY = "sk_" + "live_" + "MyhqRjTzaTYuLXXdfgnoCdIm"
TEXTS = {
    "aws key id": ("the id is " + "AKIA" + "WFGIUAPAKQWFN6V2", "AKIA" + "WFGIUAPAKQWFN6V2"),
    "password": ("Mein Passwort ist Regen#tonne88, bitte merken", "Regen#tonne88"),
    "pin": ("暗証番号は3379です", "3379"),
    "api key": ("api_key = '6TFpjuT5BFRbq9Lz6yA8'", "6TFpjuT5BFRbq9Lz6yA8"),
    "recovery codes": ("backup codes: 5892-4776 3168-2139 7753-2855", "3168-2139"),
    "recovery phrase": (
        "seed phrase: fog polar trim nose monkey fabric snap craft easily soap rough minute",
        "monkey fabric",
    ),
    "one-time secret": ("My TOTP seed, in case: " + "TINQURVWFTTOL24ZVD3QXWCX", "TINQURVWFTTOL24Z"),
    "webhook": ("post to https://bells.example/hooks/a1/" + "TEMSZ5S9GBAU23781HN6", "TEMSZ5S9GBAU"),
    "session cookie": ("Cookie: sessionid=" + "zip90t94os4l8e1ggxoc3cuncv8ygjbz; theme=dark", "zip90t94os4l"),
    "private key": ("-----BEGIN RSA " + "PRIVATE KEY-----\n" + "MIIEow" * 9 + "\n-----END", "MIIEowMIIEow"),
}


def test_a_change_of_the_patterns_has_a_version() -> None:
    """The patterns of each version have one checksum: who changes them raises the version and writes it here."""
    checksum = hashlib.sha256(inspect.getsource(secret_patterns).encode()).hexdigest()[:16]

    assert ("04d33244f0f31b33", 4) == (checksum, secret_patterns.PATTERNS_VERSION)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("door code 4711", "4711"),
        ("The code for the back door is 4711.", "4711"),
        ("our alarm code: 8842", "8842"),
        ("bike lock 1234", "1234"),
        ("locker combination 21-7-33", "21-7-33"),
        ("The wifi code is 88421193.", "88421193"),
        ("wifi code sunny77kite", "sunny77kite"),
        ("passcode 8842", "8842"),
        ("access code: Kite#7731", "Kite#7731"),
        ("Fahrradschloss 4711", "4711"),
        ("Der Code für die Haustür ist 4711", "4711"),
        ("code du portail 4711", "4711"),
        ("mot de passe wifi maison2024x", "maison2024x"),
        ("código del candado 4711", "4711"),
        ("código do cadeado: 4711", "4711"),
        ("WiFi密码 abc12345", "abc12345"),
        ("自転車の鍵の番号は4711です", "4711"),
    ],
)
def test_codes_pins_and_passwords_are_of_one_kind(text: str, code: str) -> None:
    """Whatever a code opens, and whether its word says code, PIN or password: named as one, it is a secret."""
    assert code not in screen(text, SALT).text


@pytest.mark.parametrize(
    "text",
    [
        "error code 4041",
        "area code 4150",
        "The zip code is 94110",
        "status code 404",
        "discount code SAVE2024",
        "product code: 88421",
        "The door is 2100 mm wide",
        "The bike lock was bought in 2021",
        "The door code is in the drawer",
        "bike lock cost 4500 yen",
    ],
)
def test_a_code_that_opens_nothing_stays(text: str) -> None:
    """Numbers of errors, places, goods and sizes are no secrets."""
    assert text == screen(text, SALT).text


def test_a_token_that_stands_again_is_replaced_again() -> None:
    """A word that was read once and held nothing is not read again; one that held a token is."""
    text = f"key {KEY} and_a_name_of_words_alone key {KEY} and_a_name_of_words_alone"
    kept = screen(text, b"salt")

    assert {"secret: stripe key": 2} == kept.replaced
    assert KEY not in kept.text


def test_a_digit_before_a_card_hides_none_of_it() -> None:
    """A number of a card is found behind another digit that cannot begin one."""
    kept = screen("Table 1 4111 1111 1111 1111", b"salt")

    assert {"personal: card number": 1} == kept.replaced


@pytest.mark.parametrize("kind", TEXTS)
def test_a_secret_becomes_a_marker_of_its_kind(kind: str) -> None:
    """The secret is gone, the marker names its kind, and the rest of the text stands."""
    text, secret = TEXTS[kind]
    screened = screen(text, SALT)

    assert secret not in screened.text
    assert {f"secret: {kind}": 1} == screened.replaced
    assert f"[secret: {kind} " in screened.text


def test_a_long_value_hides_no_secret_behind_it() -> None:
    """What stands behind a long value without a blank, or far down a list of codes, is found."""
    secret = "Regen#tonne88"
    codes = " ".join(f"{number}-{number + 3}" for number in range(4_100, 4_150))

    assert secret not in screen(f"token={'token=' * 900} and the password: {secret}", SALT).text
    assert "4105-4108" not in screen(f"{'No backup codes here. ' * 40}backup codes: {codes}", SALT).text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Charge it to 4111 1111 1111 1111 please", "card number"),
        ("Überweise es an DE89 3704 0044 0532 0130 00.", "bank account"),
        ("My SSN is 278-35-5344.", "social security number"),
        ("Mi DNI es 12345678Z", "national id"),
        ("Call me on +1 212-555-0132.", "phone number"),
        ("write to ana@lettre.example soon", "mail address"),
    ],
)
def test_personal_data_becomes_a_marker(text: str, kind: str) -> None:
    """Personal data are replaced where their form and their check digits fit."""
    assert {f"personal: {kind}": 1} == screen(text, SALT).replaced


@pytest.mark.parametrize(
    "text",
    [
        "The password must be at least 12 characters long.",
        "api_key = 'YOUR_API_KEY_HERE'",
        "commit 882df481d7a93489278b9ee18303e641e906216f broke it",
        "Charge it to 4111 1111 1111 1112 please",
        "Mi DNI es 12345678A",
        "git@forge.example:team/tool.git is the remote",
        "session 3dee2e76-b671-4347-a051-c83e55f6b414 closed by peer",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    """Talk of passwords, placeholders, hashes and numbers whose check digits are wrong are left as they are."""
    assert text == screen(text, SALT).text


@pytest.mark.parametrize(
    "text",
    [
        "password = mod.body[4]",
        "token = self._fp.read(1)[0]",
        "authkey = os.urandom(32)",
        "access_token = response2.json()['token']",
        "api_key = settings.API_KEY_V2",
        "password = old_pw2",
        "mock = Mock(side_effect=sentinel.SideEffect)",
        "Pass spec_set=True or force_zip64, or `stdout=PIPE`.",
        'self._check_error("try: pass\\nexcept ValueError: pass\\nexcept* TypeError: pass")',
        'raise Error("expected name token at %r" % rawdata[declstartpos:declstartpos+20])',
        'PASSWD = getpass.getpass("IMAP password for %s on %s: " % (USER, host or "localhost"))',
        "authinfo.add_password(realm='PDQ Application', uri='mahler')",
        "machine foo login log password \\xa1\\xa2 account acct",
        "Pass force_zip64 on: the second pass is lot77b.",
        "hf_hub_download_to_cache_directory(name)",
        "cookies: session=config2.session_store; auth=request2.headers",
        "class InvalidBase64PaddingDefect2X(TokenDefect): ...",
        "sizeEndCentDir64Locator = struct.calcsize(token)",
    ],
)
def test_code_is_no_secret(text: str) -> None:
    """Names, attributes, calls, places of arrays and named arguments stay, whatever word stands before them."""
    assert text == screen(text, SALT).text


@pytest.mark.parametrize(
    "text",
    [
        "## API keys: OAuth2-based authentication",
        "Password: SHA-256 hashing",
        "The token is base64-encoded before it is sent.",
        "My password manager is Bitwarden2.",
        "token type: x509-cert-based1",
        "credentials: service-account-v2.json",
        "Zugriffsschlüssel: siehe Absatz-12-Regel",
        "The access key is Ctrl+Shift+K2",
        "contraseña: mínimo 8 caracteres",
    ],
)
def test_headings_and_prose_behind_a_colon_are_no_secret(text: str) -> None:
    """What is made of words, and terms with a number in them, stay behind a word that could announce a secret."""
    assert text == screen(text, SALT).text


@pytest.mark.parametrize(
    "text",
    [
        "api_key=<your-key>",
        "api_key = 'xxxxxxxxxxxxxxxx1'",
        "API_KEY=${API_KEY_2}",
        "password: changeme123",
        "secret: example-secret-2",
        "PASSWD = 'test123'",
        "https://user:secret@host:8080/x",
        "[![cov](https://cov.example/gh/a/b/graph/badge.svg?token=HA393WIYUK)](https://cov.example)",
        "2FA codes are made of ABCDEFGHIJKLMNOPQRSTUVWX and 333333333333333333",
    ],
)
def test_placeholders_and_public_tokens_are_no_secret(text: str) -> None:
    """What says that a value goes there, and the token of a badge, stay."""
    assert text == screen(text, SALT).text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password = 'Sunflower2024'", "Sunflower2024"),
        ("db_password: rooster_hay_91", "rooster_hay_91"),
        ("passwd='geheim$parole')", "geheim$parole"),
        ("user: ana / pass: z7fubolr4", "z7fubolr4"),
        ("token = " + "ghx-8fK29dLqP03mZx77", "ghx-8fK29dLqP03mZx77"),
        ('He said the password was "green lamp 42".', "green lamp 42"),
        ("https://deploy:Blue7lamp@git.corp.example/x.git", "Blue7lamp"),
        ("https://a.example/?password=Sunflower2024x&u=1", "Sunflower2024x"),
    ],
)
def test_a_literal_that_is_assigned_or_said_to_be_a_secret_goes(text: str, secret: str) -> None:
    """A literal goes that stands in an assignment, an address or a sentence as somebody's value."""
    assert secret not in screen(text, SALT).text


def test_secrets_are_found_anywhere_in_a_long_text() -> None:
    """Ahead of thousands of harmless words, between them and behind, also behind hundreds that announce nothing."""
    talk = "We spoke of the password; and of tides. " * 150
    screened = screen(f"password: Xaver#8812 {talk} password: Yorick#412; {talk} Bearer {KEY[8:]}", SALT)

    assert {"secret: password": 3} == screened.replaced
    assert screened.text.count(talk) == 2


def test_a_token_is_one_only_beside_the_word_for_it() -> None:
    """Characters that look drawn go where a word for tokens is near, whole even at the edge of what is near."""
    drawn = "8fK29dLqP03mZx77aaQ2Lr9Zt"

    assert drawn not in screen(f"the token: {drawn}", SALT).text
    assert drawn in screen(f"the token of the ferry. {'It leaves at noon. ' * 50} {drawn}", SALT).text
    near = [screen(f"token{' ' * blanks}{drawn}", SALT).text for blanks in range(REACH - 40, REACH + 20)]
    assert {True, False} == {drawn in text for text in near}
    assert all(drawn in text or text.endswith("]") for text in near)


def test_a_screened_text_is_not_changed_again() -> None:
    """Screening what was screened changes nothing, so an export comes back as it went."""
    once = screen(f"The password is Regen#tonne88, the key {KEY}, the PIN is 4886.", SALT).text

    assert once == screen(once, b"another").text


def test_two_secrets_have_two_markers() -> None:
    """Texts that differ only in the secret differ after it is replaced, and by a salt that decides how."""
    one, other = (screen(f"my laptop password: {word}", SALT).text for word in ("Xaver#8812", "Yorick#412"))

    assert one != other
    assert one != screen("my laptop password: Xaver#8812", b"another").text


def test_luhn_tells_a_digit_that_is_wrong() -> None:
    """The check sum holds for a number of the standard and for none that differs in one digit."""
    wrong = [f"7992739871{digit}" for digit in range(10) if digit != 3]

    assert luhn("79927398713")
    assert [False] * 9 == list(map(luhn, wrong))


@pytest.mark.parametrize(
    "text",
    [
        "Good evening, everyone!",
        "thanks so much :)",
        "Alles klar, danke dir!",
        "hasta luego a todos",
        "ça marche, merci",
        "tudo bem, valeu",
        "好的，谢谢",
        "わかりました。",
        "jajajaja",
        "qwertyuiop",
        "aaaaaaa",
        "???",
        "45%|████ | 18/40",
    ],
)
def test_small_talk_and_noise_are_junk(text: str) -> None:
    """Greetings, thanks, assent, parting, laughter, mashed keys, marks and progress bars say nothing to keep."""
    assert junk(text)


@pytest.mark.parametrize(
    "text",
    [
        "My name is Bob",
        "Thanks to Ana, we won",
        "Ok is my cat",
        "I'm good at chess",
        "Hola se llama el perro",
        "我叫好好",
        "犬が苦手",
        "42",
        "Battery 80%",
        "hi " * 9,
    ],
)
def test_short_truths_are_no_junk(text: str) -> None:
    """A word that may say something keeps the text, and so does a length that no small talk has."""
    assert not junk(text)


@pytest.mark.parametrize(
    "disguised",
    [
        "THE OFFICE IS IN MÜNCHEN!",
        "The o\ufb03ce is in Mu\u0308nchen",
        "The\u00a0office  is\nin Mün\u00adchen.",
        "Th\u0435 \u043effi\u0441\u0435 is in M\u00fcn\u0441h\u0435n",
        "The off\u200bice is in Mün\ufe0fchen",
    ],
)
def test_one_text_in_many_spellings_has_one_key(disguised: str) -> None:
    """Spellings that look alike share a key; another text shares none."""
    text = "The office is in München"

    assert {*fold_keys(text)} & {*fold_keys(disguised)}
    assert not {*fold_keys(text)} & {*fold_keys("The office is in Mainz")}
