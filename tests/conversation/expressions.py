"""The classes as they are meant: an expression each, slow and plain."""

import re

from app.conversation.classes import Counts

_HEX = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
    r"|(?=[a-fA-F]*+[0-9])(?=[0-9]*+[a-fA-F])[0-9a-fA-F]{8,}+)(?![0-9A-Za-z])"
)
_FOREIGN = re.compile(
    "(?P<han>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)"
    "|(?P<cjkp>[\u2010-\u2027\u3000-\u303f！（），．／：；？～￥]+)"
    "|(?P<kana>[\u3041-\u30ff\u31f0-\u31ff]+)"
    "|(?P<cyr>[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u052f\u0600-\u06ff\u0e00-\u0e7f\u1e00-\u1fff]+)"
    "|(?P<hangul>[\u0530-\u05ff\u0700-\u0dff\u0e80-\u1dff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]+)"
    "|(?P<sym>[\u00a0-\u00bf\u00d7\u00f7\u2000-\u200f\u2028-\u2bff\u3200-\u33ff\ufe00-\ufe0f]+)"
    "|(?P<full>[\uff00-\uffef]+)"
    "|(?P<astralhan>[\U00020000-\U0003ffff]+)"
    "|(?P<astral>[\U00010000-\U0010ffff]+)"
    "|(?P<other>[^\x00-\x9f])"
)


def counted(text: str) -> Counts:
    """The classes of a text."""
    hexid = sum(map(len, _HEX.findall(text)))
    dense = 0

    def take(run: re.Match[str]) -> str:
        nonlocal dense
        sample = run[0][:2_000]
        pieces = len(re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", sample))
        if pieces < 6 or len(sample) > 3 * pieces:
            return run[0]
        dense += len(run[0])
        return "\0"

    rest = re.sub(r"[A-Za-z0-9+/=_-]{20,}+", take, _HEX.sub("\0", text))
    rest = re.sub(r"([!-/:-@\[-`{-~─━═])\1{4,}", lambda run: run[1] * (4 + len(run[0]) // 32), rest)
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", rest)
    digits = re.findall(r"[0-9]+", rest)
    signs = re.findall(r"[!-/:-@\[-`{-~]+", rest)
    foreign: dict[str, int] = {}
    for run in _FOREIGN.finditer("".join(re.findall("[^\x00-\x7f]+", rest))):
        name = str(run.lastgroup)
        foreign[name] = foreign.get(name, 0) + len(run[0])
    return Counts(
        word=len(words),
        wlong=sum(max(0, len(word) - 6) for word in words),
        dig3=sum(-(-len(group) // 3) for group in digits),
        digL=sum(map(len, digits)),
        prun=len(signs),
        pchar=sum(map(len, signs)),
        nl=len(re.findall(r"[\r\n]+", rest)),
        ws=len(re.findall(r"[ \t]+(?![^\W\d_])", rest)),
        dense=dense,
        hexid=hexid,
        ctrl=len(re.findall("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", text)),
        **foreign,
    )
