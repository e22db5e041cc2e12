"""A greeting is no goal: what is asked for after it is (FACTS 4, goal drift)."""

import pytest

from app.compaction.said import goal_of
from app.conversation.messages import Message, Said, TextPart
from app.memory.small_talk import asks_nothing
from app.replay.recording import Recorded, Recording
from tests.memory.work_desk import Session

TALK = (
    *["hi", "Hello!", "hey there, are you there?", "Good morning 🙂", "thanks!"],
    *["Thank you so much", "test", "Testing, testing…", "ok, go on", "yes please"],
    *["What can you do?", "How's it going?", "你好", "您好！", "你好，在吗？", "早上好呀", "嗨~"],
    *["在不在", "测试一下", "谢谢", "好的，继续", "你好，你是谁", "ＨＥＬＬＯ", "???", "👋"],
    " \n",
    "-" * 100,
)
ASKS = (
    *["fix it", "hello world program in C", "Test the parser.", "Hi, fix the login bug"],
    *["testing.md", "there", "AI agent", "you", "Continue with the parser"],
    *["morning report for sales", "y2k", "你好，帮我修一下登录", "测试登录模块"],
    *["早上的构建失败了", "我", "吧", "继续做导出功能", "你好世界程序"],
    *["What does this project do?"],
    "hi " * 40,
    "-" * 100 + "\nFix the parser",
)


@pytest.mark.parametrize("text", TALK)
def test_it_asks_for_nothing_and_the_next_message_is_the_goal(text: str) -> None:
    assert asks_nothing(text)
    session = Session()
    session.user(text)
    assert session.log.goal is None
    session.user("Port the parser to Rust. Never use unsafe.")
    session.user("Hi again")
    session.user("Also mind the logging.")
    goal = session.log.goal
    assert goal is not None and goal.text == "Port the parser to Rust. Never use unsafe."
    assert goal == session.log.first_goal and goal.turn == 2


@pytest.mark.parametrize("text", ASKS)
def test_it_asks_for_something(text: str) -> None:
    assert not asks_nothing(text)
    session = Session()
    session.user(text)
    assert session.log.goal is not None and session.log.goal.text == text.strip()


def test_where_no_worklog_tells_the_goal() -> None:
    said = [Said("a", "Hello"), Said("b", "Fix it"), Said("c", "Go on")]
    assert goal_of(said) == said[1]
    assert goal_of(said[:1]) is None
    users = [Message(one.id, "user", (TextPart(one.text),)) for one in said]
    entries = tuple(Recorded(one, spoken=True) for one in users)
    for found, goal in ((entries, users[1]), (entries[:1], users[0])):
        assert Recording("x", "haima", "x", found).goal == goal
