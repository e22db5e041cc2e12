"""Subjects that are told apart by a number of their own: `a1.py` and `a2.py`, module 3 and 4."""

import re

from app.memory.claim_tables import SYNONYMS, words
from app.memory.claims import Claim, Token
from app.memory.stem import stem

_NUMBERED = frozenset(
    stem(SYNONYMS.get(word, word))
    for word in words(
        "file module server node service host machine worker shard replica cluster stage step "
        "phase task job chapter part section page table team group room rule test case ticket "
        "文件 模块 服务器 服务 节点 主机 机器 分片 副本 集群 阶段 步骤 任务 作业 章节 部分 页 表 "
        "团队 小组 组 房间 规则 用例 工单"
    )
)
"""What is counted through; the number of anything else (a limit, a port) may be what is said."""

_DIGITS = re.compile(r"[0-9]+")


def numbered_apart(one: Claim, other: Claim) -> bool:
    """Whether two texts that differ in numbers alone are about two things.

    "File a1.py uses lib1" says nothing of a2.py. A version is no number of its own
    (java8), nor is one that is what is said (we use lib1); and where only the name differs
    before "is", both name one role: db1 is the primary.
    """
    if len(one.tokens) != len(other.tokens):
        return False
    differ = [
        place
        for place, (first, second) in enumerate(zip(one.tokens, other.tokens, strict=True))
        if first.text != second.text
    ]
    if not differ or any(
        _masked(one.tokens[place]) != _masked(other.tokens[place]) for place in differ
    ):
        return False
    verb = next(
        (place for place, token in enumerate(one.tokens) if token.role in ("use", "is")), None
    )
    first, several = differ[0], len(differ) > 1
    before = [token for token in one.tokens[:first] if token.role == "word"]
    if one.tokens[first].role == "word":  # the number is part of a name
        if verb is None:
            return several or not before
        return first < verb and (several or one.tokens[verb].role == "use")
    if not before or one.tokens[first - 1] is not before[-1]:
        return False
    return before[-1].word in _NUMBERED and several and first < (verb or 0)


def _masked(token: Token) -> str:
    return _DIGITS.sub("0", token.text)
