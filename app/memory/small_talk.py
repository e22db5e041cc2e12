"""Messages that ask for nothing: a greeting, thanks, a try-out, a word to go on.

Such a first message is no goal: `hi` would stand in every recovery block as what the user asked
for, and the request that comes after it would be a remark (FACTS 4, goal drift).
"""

import re
import unicodedata
from typing import Final

_LONGEST: Final = 80
"""Characters; a longer message says more."""

_SIGNS: Final = re.compile(r"[\W_]+")

_ON: Final = (
    "go on|keep going|carry on|continue|proceed|go ahead|next|next step|resume|ok|okay|yes|yep|yeah"
    "|sure|y|do it|继续|继续吧|继续做|继续干|继续下去|继续执行|继续工作|接着|接着来|接着做|接着干"
    "|往下|往下做|往下走|下一步|好|好的|好吧|行|可以|嗯|是|是的|对|没问题"
)
_BESIDE: Final = (
    "please|now|then|just|so|and|it|with it|thanks|thank you|请|那|就|你|了|吧|谢谢|麻烦"
)
_GREETS: Final = (
    "hi|hello|hey|hiya|howdy|yo|greetings|good morning|good afternoon|good evening|good day|morning"
    "|evening|how are you|how are you doing|how are you today|how is it going|how s it going"
    "|what s up|sup|nice to meet you|are you there|are you here|you there|you here|is anybody there"
    "|is anyone there|anybody there|anyone there|can you hear me|do you hear me|are you ready"
    "|who are you|what are you|what can you do|test|testing|test test|just testing|ping"
    "|thanks a lot|thank you very much|thx|cheers"
    "|你好|您好|大家好|哈喽|哈啰|哈罗|嗨|嘿|喂|早|早安|早上好|上午好|中午好|下午好|晚上好|晚安"
    "|在吗|在么|在不在|在线吗|有人吗|有人在吗|听得到吗|能听到吗|准备好了吗|最近怎么样|你是谁"
    "|你能做什么|你会做什么|你能干什么|你会什么|测试|测试一下|测一下|试试|试一下|试试看"
    "|多谢|感谢|谢谢你|辛苦了|幸会"
)
_WITH_THEM: Final = (
    "there|again|all|everyone|everybody|friend|buddy|haima|assistant|ai|agent|here|today|back|me"
    "|i am|i m|just|only|very|much|so|a|啊|呀|呢|哦|哈|吧|了|海马|助手|朋友|各位|一下|我|只是|就是"
)


def _phrases(*lists: str) -> re.Pattern[str]:
    """Any of these, the longest first; one in Latin letters ends where its word does."""
    found = sorted("|".join(lists).split("|"), key=len, reverse=True)
    return re.compile("|".join(rf"{one}(?![a-z]) ?" for one in found))


_GOING_ON: Final = _phrases(_ON, _BESIDE)
_TALK: Final = _phrases(_ON, _BESIDE, _GREETS, _WITH_THEM)
_SAYS_SO: Final = frozenset(_ON.split("|"))
_SAYS_NOTHING: Final = _SAYS_SO | frozenset(f"{_GREETS}|thanks|thank you|谢谢".split("|"))


def goes_on(text: str) -> bool:
    """Whether a message says no more than to go on: `继续`, `Go on.`, `ok, continue please`."""
    return _only(text, _GOING_ON, _SAYS_SO)


def asks_nothing(text: str) -> bool:
    """Whether it is no request: `hi`, `你好，在吗？`, `Thanks!`, `ok, go on`; nothing but signs."""
    if not text or _SIGNS.fullmatch(text):
        return True
    return _only(text, _TALK, _SAYS_NOTHING)


def _plain(text: str) -> str:
    return _SIGNS.sub(" ", unicodedata.normalize("NFKC", text[: _LONGEST + 1]).casefold()).strip()


def _only(text: str, phrases: re.Pattern[str], telling: frozenset[str]) -> bool:
    """Whether a message is made of such phrases alone, a telling one among them."""
    if len(text) > _LONGEST:
        return False
    plain, place, told = _plain(text), 0, False
    while place < len(plain):
        found = phrases.match(plain, place)
        if found is None:
            return False
        told = told or found[0].strip() in telling
        place = found.end()
    return told
