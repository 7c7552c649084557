"""Finds what in a text is there for a machine and no reader: hidden text, forged roles and tool calls, leaking images.

Decided by form alone: knows no language and nothing of what a text says.
"""

import re
import unicodedata
from collections.abc import Iterator

from remanence.core.results import one_line

HIDDEN_WORDS_MIN = 6  # of a hidden text; comments such as "prettier-ignore" are shorter
HIDDEN_CHARS = 4_000  # of a hidden element in which its end is looked for
UNSEEN_RUN_MIN = 8  # characters in a row that nobody sees; a flag has six of them, joined emoji two
SPLIT_MIN = 3  # Latin letters behind which something unseen stands before the next one
TURNED_MIN = 8  # characters that are shown in another direction than they are written
QUOTED_CHARS_MAX = 60  # of what was found, as a person is shown it

_UNSEEN_CHARS = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef"
)
_UNSEEN = re.compile(f"[{_UNSEEN_CHARS}]+")
_UNSEEN_RUN = re.compile(f"[{_UNSEEN_CHARS}]{{{UNSEEN_RUN_MIN}}}")
_SPLIT_LETTER = re.compile("(?<=[A-Za-z])[\u200b-\u200d\u2060\ufeff]+(?=[A-Za-z])")
_TURNED = re.compile(f"[\u202d\u202e][^\u202c\n]{{{TURNED_MIN}}}")
# What the template of a chat puts between turns: a host that fills one in obeys it wherever it stands.
_TEMPLATE_TOKEN = re.compile(r"<\|[a-z0-9_]{2,30}\|>|<</?sys>>|\[/?inst\]|</?(?:start|end)_of_turn>")
_ROLE = r"(?:system|developer|assistant)"
_ABOUT = r"[ _-](?:prompt|message|instructions?|override|update|note|notice|reminder|directive|command)"
_RULE = r"(?:[=*#-]{3,8}|<{2,8}|>{2,8})"  # what a banner is set off by
_ROLE_MARK = re.compile(
    rf"</?\s?{_ROLE}(?:{_ABOUT})?\s?>"
    rf"|[\[【]\s?{_ROLE}(?:{_ABOUT}){{0,2}}(?:\s?[:：][^\]】\n]{{0,300}})?[\]】](?!\()"
    rf"|\(\s?{_ROLE}(?:{_ABOUT}){{0,2}}\s?[:：][^)\n]{{1,300}}\)"
    rf"|{_RULE}\s?(?:(?:begin|start|end|new) (?:of )?)?{_ROLE}(?:{_ABOUT}){{0,2}}\s?{_RULE}"
)
# At least four words follow, so that "System: macOS 15" is none.
_ROLE_LINE = re.compile(
    rf"^[^\w\n]{{0,8}}(?:system|developer|{_ROLE}(?:{_ABOUT}){{1,2}})(?:\s?\([^)\n]{{1,40}}\))?\s?[:：]"
    r"(?=[^\w\n]*(?:\w+[^\w\n]+){3}\w)"
    r"|^#{1,6} (?:instruction|response|human|system|assistant):[ \t]*$",
    re.MULTILINE,
)
# As JSON it may stand within a text of JSON, its quotation marks escaped.
_QUOTE = r"\\?[\"']"
_PROTOCOL = re.compile(
    r"</?(?:tool|function)[_-]?(?:result|output|response|call|use)s?\s?>|<invoke\s+name\s?=|<function=\w"
    rf"|{_QUOTE}role{_QUOTE}\s?:\s?{_QUOTE}(?:system|developer|tool){_QUOTE}"
    rf"|{_QUOTE}(?:tool_calls?|function_call|tool_use){_QUOTE}\s?:\s?(?:[\[{{]|{_QUOTE})"
    rf"|{_QUOTE}name{_QUOTE}\s?:\s?{_QUOTE}[\w.-]{{1,64}}{_QUOTE},\s?{_QUOTE}(?:arguments|input){_QUOTE}\s?:\s?(?:\{{|{_QUOTE})"
)
# A picture is fetched without a click, and with it what a machine put into the place in its address.
_LEAK = re.compile(
    r"(?:!\[[^\]\n]{0,200}\]\(|<img\s[^<>]{0,200}?src\s?=\s?[\"']?)\s?https?://[^\s)\"'<>]{1,200}[?&][\w-]{1,30}="
    r"(?:\$?\{|<|\[|%7b)"
)
_COMMENT = re.compile(
    r"<!--((?:[^<-]|-(?!->)|<(?!!--))++)"
    r"|\[(?://|comment)\]: ?(?:#|<>)([^\n]++)"
    r"|\\(?:text)?color\{white\}\{?([^{}\\]++)"
)
_ELEMENT = re.compile(
    r"<(?!(?:img|input|br|hr|meta|link|source|col)\b)(?P<name>[a-z][a-z0-9]{0,15})\b[^<>]{0,600}>"
)
_HIDES = re.compile(
    r"<template\b|\shidden\b|aria-hidden\s?=\s?[\"']?true|\bsr-only\b|visually-hidden|display\s?:\s?none|visibility\s?:\s?hidden"
    r"|opacity\s?:\s?0(?![.\d]|\.0*[1-9])|font-size\s?:\s?[01](?:px)?(?![.\d])|size=[\"']?0(?!\d)|mso-hide\s?:\s?all"
    r"|(?:height|width)\s?:\s?0(?![.\d])|(?:left|top|text-indent)\s?:\s?-\d{3}|scale\(0\)|clip\s?:\s?rect\(0"
)
_WHITE = re.compile(r"color\s?[:=]\s?[\"']?(?:#f{3}(?:f{3})?\b|white|transparent)")
_TAG = re.compile(r"<[^<>]*>")
_CODE_BLOCK = re.compile(r"```[a-z+#-]{0,20}[ \t]*\n(?:[^`]|`(?!``))++```")
_WORD = re.compile(r"[^\W_]")
_UNSPACED_CHARS = "\u3040-\u30ff\u3400-\u9fff"
_UNSPACED = re.compile(f"[{_UNSPACED_CHARS}]")
_SPACED_WORD = re.compile(rf"[^\s{_UNSPACED_CHARS}]++")


def find_machine_markup(text: str) -> str:
    """Say what in a text is there for a machine and no reader, "" where nothing is."""
    if not text.isascii() and (unseen := _find_unseen(text)):
        return unseen
    # In compatibility form, without what is not seen.
    plain = (text if text.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFKC", text))).lower()
    if found := _TEMPLATE_TOKEN.search(plain):
        return _describe_found("holds a token of a chat's template", found.group())
    # Blocks of code show markup; a text of one block alone shows nothing.
    if "```" in plain:
        prose = _CODE_BLOCK.sub("\n", plain)
        plain = prose if _WORD.search(prose) else plain
    if found := _ROLE_MARK.search(plain) or _ROLE_LINE.search(plain):
        return _describe_found("speaks as a role of the chat", found.group())
    if found := _PROTOCOL.search(plain):
        return _describe_found("writes what only the protocol of a chat writes", found.group())
    if found := _LEAK.search(plain):
        return _describe_found("holds a picture whose address has a place for data", found.group())
    hidden = next((one for one in _hidden_texts(plain) if _count_words(one) >= HIDDEN_WORDS_MIN), "")
    return _describe_found("hides text from readers", hidden) if hidden else ""


def _find_unseen(text: str) -> str:
    """Say what of a text is in characters that are not seen, or not where they stand."""
    if _UNSEEN_RUN.search(text):
        return "holds text in characters that nobody sees"
    if len(_SPLIT_LETTER.findall(text)) >= SPLIT_MIN:
        return "holds words that are split by characters that nobody sees"
    return "holds text that is shown turned round" if _TURNED.search(text) else ""


def _hidden_texts(plain: str) -> Iterator[str]:
    """Yield the texts of comments, and of elements whose style keeps them from being seen."""
    for comment in _COMMENT.finditer(plain):
        yield comment.group(comment.lastindex or 0)
    for tag in _ELEMENT.finditer(plain):
        if _HIDES.search(tag.group()) or (_WHITE.search(tag.group()) and "background" not in tag.group()):
            end = plain.find(f"</{tag.group('name')}", tag.end(), tag.end() + HIDDEN_CHARS)
            # Without an end it holds at least what stands before the next tag.
            end = end if end >= 0 else plain.find("<", tag.end())
            yield _TAG.sub(" ", plain[tag.end() : end if end >= 0 else len(plain)])


def _count_words(text: str) -> int:
    """Count words; two characters of a script without blanks are one."""
    spaced = sum(any(map(str.isalpha, word)) for word in _SPACED_WORD.findall(text))
    return spaced + len(_UNSPACED.findall(text)) // 2


def _describe_found(what: str, found: str) -> str:
    return f'{what}: "{one_line(found, QUOTED_CHARS_MAX)}"'
