r"""Tags around foreign text, their neutralising, and control characters made visible.

Foreign text is whatever Haima didn't write: results of tools, files, pages, recalled facts, the
model's own answer. Three rules hold for it (DESIGN 4, "Trust" and "Details"):

- **On its way to the terminal and to the model** it passes `visible` (bytes: `decode`): every
  screen and widget shows foreign text only through it, titles and tool names included. Nothing
  else is needed to keep escape sequences from the terminal.
- **In a request** it stands inside a block (`tool_result`, `block`), where forged tags of ours are
  neutralised, so that it can neither close its block nor open another.
- What is stored (history, ledger, files) is the original; it is rendered anew each time.

Both escapes look alike, `\x1b` and `\x3c/tool_result>`: the character's number in the place of the
character, everything else untouched.
"""

import re
from functools import cache, lru_cache
from typing import Literal, get_args

Tag = Literal["tool_result", "memory", "recovery", "restored", "summary", "earlier_messages"]
"""The blocks a request may hold; the system message says what each is."""

TAGS: tuple[Tag, ...] = get_args(Tag)

USER_TAGS: tuple[Tag, ...] = ("memory", "recovery", "restored", "summary", "earlier_messages")
"""The blocks that stand in user messages; a `tool_result` there is taken for words by nobody."""

# C0 but tab and newline, DEL, C1, surrogates; and the marks that reorder a line on the screen, by
# which a command can be made to look like another one (beyond DESIGN; PROVIDERS 4, row 19).
CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
_CONTROL = re.compile(f"[{CONTROL}]")
_SURROGATE = re.compile("[\ud800-\udfff]")

_INVISIBLE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff"
)
_GAP = rf"[\s{_INVISIBLE}]"
_BRACKET = "[<＜﹤]"
_CLOSING = rf"(?:{_GAP}*+[/／\\])++{_GAP}*+"
# What may follow a name that otherwise could be a comparison: attributes without or with a value.
_BARE = rf"(?:{_GAP}++(?!(?:and|or)\b)[\w-]++)*+{_GAP}*+[/／]?{_GAP}*+[>＞﹥]"
_VALUED = rf"{_GAP}++[\w.:-]++{_GAP}*+="
_OPERAND = r"[A-Za-z0-9_)\]]"
_TYPE_ARGUMENT = rf"(?<={_OPERAND}<)(?-i:Memory|Recovery|Restored|Summary)>"


def visible(text: str) -> str:
    r"""Makes control characters visible; what screens and requests use on every foreign text.

    C0 but tab and newline (a lone carriage return included; who wants CRLF to be a line end turns
    it into one before), DEL, C1, lone surrogates and bidirectional overrides become `\x1b`,
    `\ud83d`. Two surrogates that make a pair are joined into their character, as JSON does, so a
    text reads the same after it has been to the ledger and back.

    Clean text is returned as the very same object; the result is clean, so a second pass changes
    nothing.
    """
    if not _CONTROL.search(text):
        return text
    return _CONTROL.sub(lambda match: escape(match[0]), joined(text))


def one_line(text: str) -> str:
    """Foreign text on one line, visible: every row of white space is one blank."""
    return visible(" ".join(text.split()))


def decode(raw: bytes) -> str:
    r"""Bytes as text: UTF-8, an invalid byte as `\xff`, then `visible`."""
    return visible(raw.decode("utf-8", "backslashreplace"))


def joined(text: str) -> str:
    """Joins surrogates that make a pair (halves that came in two pieces); lone ones stay."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


@cache  # of a few hundred characters
def escape(character: str) -> str:
    r"""The visible escape of one character of the basic plane: `\x1b`, `\u202e`."""
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def neutralise(text: str, *, names: tuple[Tag, ...] = TAGS) -> str:
    r"""Makes forged tags of ours harmless: their opening bracket becomes `\x3c`.

    Opening and closing tags are found in any case, with full-width letters, brackets and slashes,
    spaces, attributes, invisible characters, and without their end. Other HTML, type arguments
    (`List<Summary>`) and comparisons (`a < memory and b > c`) stay, except with `tool_result`,
    which code hardly ever compares. Idempotent, linear in time; text without forged tags is
    returned as the very same object.

    Args:
        text: foreign text; control characters in it should have been made visible before.
        names: the tags to look for.
    """
    return _forged(names).sub(lambda match: escape(match[0]), text)


_ESCAPED = re.compile(r"\\(?:x3c|uff1c)(?=\s*/?\s*(?:" + "|".join(TAGS) + r")\b)", re.IGNORECASE)


def quoted_back(text: str) -> str:
    r"""What a model copied from a result, as it stands in the file: `\x3csummary>` is a tag again.

    The inverse of `neutralise` for tags in plain spelling; other escapes stay.
    """
    return _ESCAPED.sub(lambda match: chr(int(match[0][2:], 16)), text)


def tool_result(tool: str, content: str) -> str:
    """A tool's result as the model gets it: one block, marked as data that isn't trusted.

    Args:
        tool: the tool's name, perhaps invented by the model.
        content: the bare content; may be empty, the block never is (PROVIDERS 1.7).
    """
    return block("tool_result", content, tool=safe_name(tool), trust="untrusted-data")


def block(tag: Tag, text: str, names: tuple[Tag, ...] = TAGS, /, **attributes: str) -> str:
    """Text between one pair of tags on lines of their own, which it can't forge.

    Args:
        tag: which block.
        text: what stands in it; made visible and neutralised here.
        names: the tags that are neutralised in it.
        attributes: written in the order given, as one line, with `"`, `<`, `>`, `&` as entities.
    """
    written = "".join([f' {name}="{_attribute(value)}"' for name, value in attributes.items()])
    clean = _clean if len(text) <= _SHORT else _cleaned
    return f"<{tag}{written}>\n{clean(text, names)}\n</{tag}>"


_SHORT = 8_192
"""Characters of a text that is kept: most results are shorter."""


def _cleaned(text: str, names: tuple[Tag, ...]) -> str:
    """Visible and without forged tags."""
    return neutralise(visible(text), names=names)


# Each request holds the results of the one before, the very same strings, and is also counted.
_clean = lru_cache(512)(_cleaned)


@lru_cache(256)
def safe_name(name: str) -> str:
    """A tool's name with only A-Z a-z 0-9 `_.:-`, others as `_` (FACTS 1.5); never empty."""
    return re.sub(r"[^A-Za-z0-9_.:-]", "_", name) or "unknown"


@lru_cache(1_024)  # short, and the same in each request
def _attribute(value: str) -> str:
    """An attribute's value that can't end its quotes, its tag or its line."""
    value = re.sub(r"[\t\n]", " ", visible(value)).replace("&", "&amp;").replace('"', "&quot;")
    return value.replace("<", "&lt;").replace(">", "&gt;")


@cache
def _forged(names: tuple[Tag, ...]) -> re.Pattern[str]:
    """Finds the opening bracket of forged tags; all else is looked at, not consumed."""
    spelt = {name: f"[{_INVISIBLE}]*+".join(map(_letter, name)) for name in names}
    every = "|".join(spelt.values())
    words = "|".join(spelling for name, spelling in spelt.items() if name != "tool_result")
    end = rf"(?![{_INVISIBLE}]*+[A-Za-z0-9_-])"
    word_end = rf"(?![{_INVISIBLE}]*+[A-Za-z0-9_.:-])"
    forms = [rf"(?={_CLOSING}(?:{every}){end})"]
    if "tool_result" in spelt:
        forms.append(rf"(?={_GAP}*+{spelt['tool_result']}{end})")
    if words:
        name = rf"(?:{words}){word_end}"
        forms += [
            rf"(?<!{_OPERAND}{_BRACKET})(?=[{_INVISIBLE}]*+{name})",
            rf"(?!{_TYPE_ARGUMENT})(?={_GAP}*+{name}(?:{_BARE}|{_VALUED}))",
        ]
    return re.compile(f"{_BRACKET}(?:{'|'.join(forms)})", re.IGNORECASE)


def _letter(letter: str) -> str:
    """Matches a letter and its full-width twin."""
    return f"[{letter}{chr(ord(letter) + 0xFEE0)}]"
