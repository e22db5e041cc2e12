"""What a rule is about, in whatever order its words stand: "提交信息用中文" is "用中文写提交信息".

For sentences that end a rule in other words than it was told. Two are about the same only if
nothing is left over on either side: a lost rule is worse than one more.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from app.memory.name_tables import words
from app.memory.rules_forms import (
    CATEGORIES,
    CLAUSES,
    DROPPED,
    FILLERS,
    IN_PROJECT,
    TONGUES,
    VERBS,
    WORD,
    compared,
)
from app.memory.rules_lazy import Lazy
from app.memory.rules_simplified import simplified

_MORE_VERBS: Final = {
    word: kind
    for kind, listed in (
        (
            "talk",
            "answer answers answering reply replies replying respond responding responses speak"
            " speaking talk talking communicate 回答 回复 答复 交流 沟通",
        ),
        ("run", "跑一遍 跑一下"),
        ("reformat", "format formatting reformat reformatting 格式化"),
        ("start", "恢复"),
        ("use", "改用 换用 换成用"),
    )
    for word in listed.split()
}
_VERBS: Final = VERBS | _MORE_VERBS

_TONGUES: Final = TONGUES | {
    **{"德文": "german", "德语": "german", "法文": "french", "法语": "french", "韩语": "korean"},
    **{"西班牙语": "spanish", "俄语": "russian", "汉文": "chinese", "mandarin": "chinese"},
}
_LANGUAGES: Final = frozenset(_TONGUES.values())

_GROUPS: Final = (*CATEGORIES, _LANGUAGES, words("驼峰 大驼峰 小驼峰 下划线 蛇形 短横线"))
"""Of each only one is used for a thing."""

_NOUNS_ZH: Final = "变量|提交信息|提交说明|改动|写法|用户|使用者|应用|用例|费用|功能|性能|能力|只读"
"""Words that hold a verb, but aren't one."""

_SMALL_ZH: Final = (
    "从现在起|从今以后|不允许|不需要|不可以|绝对|永远|不要|请勿|切勿|不许|不得|不准|禁止|严禁|不能"
    "|不可|不用|不必|无需|无须|不再|必须|务必|一定|千万|一律|统一|总是|始终|一直|全部|所有|任何|每次"
    "|每个|以后|今后|现在|可以|允许|需要|要求|我们|你们|已经|直接|别|勿|都|要|得|再|先|请|你|我|了"
    "|的|吧|啊|也|就|还|来|去|里|中|个|该|在|把|对|并|不|能"
)
_PIECES_ZH: Final = re.compile(
    f"(?P<noun>{_NOUNS_ZH})|(?P<small>{_SMALL_ZH})|(?P<verb>"
    + "|".join(sorted((one for one in _VERBS if not one.isascii()), key=len, reverse=True))
    + ")"
)

_SMALL_EN: Final = words(
    "dont do not does doesnt maynt isnt is arent are never always no must mustnt should"
    " shouldnt shall can cannot cant could may might will would have has had to you your we i"
    " me us please make sure ensure need needs neednt each times time in of on for with so and"
    " or but by it its ok okay just also avoid without refrain stop keep leave untouched"
    " unchanged alone intact unmodified as-is off-limits off limits forbidden banned"
    " prohibited allowed want if there until anytime"
)
"""Without their apostrophes."""

_WHEN: Final = Lazy(
    r"\b(?:before|after|whenever|when|while|for (?:each|every|any|all)|(?:on|in|with|at)"
    r" (?:each|every))\b(?P<when>.+)$"
)
_WHEN_FIRST: Final = Lazy(r"^(?P<when>(?:before|after|for|on|in|with) (?:each|every|any) \w+),?\s")
_ALWAYS: Final = Lazy(
    r"\b(?:(?:every|each) (?:single )?time|always|all the time|any ?more|any longer|no longer"
    r"|from now on|from here on)\b|每次|以后|今后|往后|再也"
)

_NOT: Final = Lazy(r"\b(do|does|must|should|shall|may|can|is|are)\s+not\b")
_EACH_TIME: Final = Lazy(r"\b(?:every|each) (?:single )?time\b")

_FORBIDS: Final = Lazy(
    r"\b(?:don'?t|do not|never|no|not|avoid|without|mustn't|cannot|can't|shouldn't|refrain"
    r"|off[- ]limits|forbidden|banned|prohibited|stop)\b"
    r"|\b(?:keep|leave)\b.+\b(?:untouched|unchanged|alone|intact|as[- ]is|unmodified)\b"
    r"|不要|别|勿|不许|不得|不准|禁止|严禁|不能|不可|不允许|不用|决不|绝不|永远不"
    r"|不(?=改|动|碰|破坏|引入|写|加|留|收)|(?:保持|维持).+?(?:不变|不动|原样)|原封不动"
)
_KEPT: Final = Lazy(
    r"\b(?:keep|leave)\b.+\b(?:untouched|unchanged|alone|intact|as[- ]is|unmodified)\b"
    r"|(?:保持|维持).+?(?:不变|不动|原样)"
)


@dataclass(frozen=True, slots=True)
class Topic:
    """What one clause is about.

    Attributes:
        verbs: the classes of its verbs.
        things: its other words that say something, as stems.
        when: the words of the occasion: "before you commit".
        always: it says that it is for every time.
        forbids: it says that something isn't to be done.
    """

    verbs: frozenset[str]
    things: frozenset[str]
    when: frozenset[str]
    always: bool
    forbids: bool

    @property
    def says_nothing(self) -> bool:
        """Whether nothing is left to compare."""
        return not self.verbs and not self.things


@lru_cache(2_048)
def topic(text: str) -> Topic:
    """What a clause is about.

    Args:
        text: it, as it was written.
    """
    plain = simplified(text).replace("’", "'").replace("*", " ").lower()
    plain = DROPPED.sub("", _NOT.sub(r"\1n't", plain))
    always = _ALWAYS.search(plain) is not None
    forbids = _FORBIDS.search(plain) is not None
    kept = _KEPT.search(plain) is not None
    plain = _EACH_TIME.sub(" ", IN_PROJECT.sub(" ", plain)).replace("'", "").strip()
    occasion = _WHEN_FIRST.search(plain) or _WHEN.search(plain)
    when: frozenset[str] = frozenset()
    if occasion:
        when = frozenset().union(*_sorted_out(occasion[0]))
        plain = plain[: occasion.start()] + " " + plain[occasion.end() :]
    verbs, things = _sorted_out(plain)
    if kept and not verbs:
        verbs = frozenset({"change"})
    if things & _LANGUAGES:
        verbs -= {"use", "write"}
    return Topic(verbs, things, when, always, forbids)


def _sorted_out(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The verbs and the other words of a text."""
    verbs: set[str] = set()
    things: set[str] = set()
    for word in WORD.compiled.findall(text):
        if word[0] >= "\u3400":
            _sort_chinese(word, verbs, things)
        elif word in _VERBS:
            verbs.add(_VERBS[word])
        elif word not in FILLERS and word not in _SMALL_EN and not word.endswith("ly"):
            things.add(compared(word))
    return frozenset(verbs), frozenset(things)


def _sort_chinese(run: str, verbs: set[str], things: set[str]) -> None:
    for tongue in _TONGUES:
        if not tongue.isascii() and tongue in run:
            run = run.replace(tongue, " ")
            things.add(_TONGUES[tongue])
    place = 0
    for found in _PIECES_ZH.finditer(run):
        if found["noun"]:
            continue
        things.update(run[place : found.start()].split())
        if found["verb"]:
            verbs.add(_VERBS[found["verb"]])
        place = found.end()
    things.update(run[place:].split())


_USUAL: Final = frozenset({"use", "change", "add", "write"})
"""What is done with a thing that is named without a verb."""


def is_same(said: Topic, rule: Topic) -> bool:
    """Whether a sentence is about all that a rule is about, and nothing else.

    Args:
        said: of the sentence; without a verb it is about what is usually done with the thing;
            without an occasion about each, if it says so.
        rule: of the rule.
    """
    if said.says_nothing or said.things != rule.things:
        return False
    if said.verbs != rule.verbs and (said.verbs or not rule.verbs <= _USUAL):
        return False
    return said.when == rule.when or (said.always and not said.when)


def is_any_tongue(said: Topic, rule: Topic) -> bool:
    """Whether a rule says in which language that is written of which a sentence says: in any.

    Args:
        said: of what is before "in any language".
        rule: of the rule.
    """
    tongues = rule.things & _LANGUAGES
    verbs = said.verbs - {"use", "write"}
    return (
        len(tongues) == 1
        and bool(said.things or verbs)
        and said.things == rule.things - tongues
        and verbs == rule.verbs
        and not rule.forbids
    )


def is_switched(said: Topic, rule: Topic) -> bool:
    """Whether a rule is about the same as another one, but for what is used there.

    Args:
        said: of the new rule.
        rule: of the old one.
    """
    gone, come = rule.things - said.things, said.things - rule.things
    return (
        not said.forbids
        and not rule.forbids
        and (said.verbs, said.when) == (rule.verbs, rule.when)
        and len(gone) == len(come) == 1
        and any(gone | come <= group for group in _GROUPS)
        and bool(said.things & rule.things or said.verbs - {"use", "write"})
    )


def holds(rule: Topic, named: Topic) -> bool:
    """Whether a rule is one that was named by some of its words.

    Args:
        rule: of the rule.
        named: of what it was called: "the public API".
    """
    things = rule.things | rule.when
    verbs = named.verbs <= rule.verbs or any(one in things for one in named.verbs)
    return bool(named.things) and named.things <= things and verbs


_LINK: Final = Lazy(
    r"(?:[,;]\s*|\s+)(?:and|but)\s+(?:(?:also|please)\s+)*|\s*[,，；;]\s*(?:而且|并且|同时|但是?|另外"
    r"|也|还)?\s*"
)
_LEANS: Final = Lazy(
    r"\b(?:it|its|them|they|their|this|that|these|those|there|such|other|others|both|either|neither"
    r"|same|one|ones|rest|else|then|instead)\b|[它这那此其]|前者|后者|别的|其他|同样|否则|才"
)
_CONDITION: Final = Lazy(
    r"\s*(?:if|when|whenever|unless|before|after|once|while|for|in|as|except|until)\b"
    r"|如果|要是|只要|除非|凡|.*(?:时|时候|之前|之后|的话)\s*$"
)


@lru_cache(2_048)
def parts(rule: str) -> tuple[str, ...]:
    """The demands that a rule is made of, word for word, each of which can stand alone.

    Args:
        rule: its text.

    Returns:
        The rule alone where one of them would say less, or something else, without the others.
    """
    plain = simplified(rule)
    places = [(0, 0), *(found.span() for found in _LINK.finditer(plain))]
    places.append((len(rule), len(rule)))
    cut = [(one[1], other[0]) for one, other in pairwise(places)]
    pieces = [plain[start:end] for start, end in cut]
    if len(cut) < 2 or any(map(_CONDITION.match, pieces)) or any(map(_LEANS.search, pieces)):
        return (rule,)
    if not all(map(_is_demand, pieces)):
        return (rule,)
    return tuple(rule[start:end].strip() for start, end in cut)


_DEMANDS: Final = Lazy(
    r"\s*(?:please\s+|also\s+)*(?:always|never|don'?t|do not|no|avoid|keep|leave|make sure|ensure"
    r"|must|only|stick|prefer)\b"
    r"|不要|别|勿|不许|不得|不准|禁止|严禁|不能|必须|务必|一定|一律|统一|总是|始终|每次|都要|都得"
)


def _is_demand(piece: str) -> bool:
    found = topic(piece)
    if found.says_nothing or len(CLAUSES.compiled.split(piece)) > 1:
        return False
    if _DEMANDS.match(piece) or (not piece.isascii() and _DEMANDS.search(piece)):
        return True
    first = WORD.compiled.match(piece.lower().strip())
    return bool(first and first[0] in _VERBS and found.things)
