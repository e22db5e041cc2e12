"""Whether the user's words ask to remember: both languages, questions and refusals apart."""

import pytest

from app.memory.asked import asking_words, asks_to_remember


@pytest.mark.parametrize(
    "text",
    [
        "JDK 可以保持 17，你记一下",
        "升到 21 了，记一下",
        "请记住：测试都用 pytest",
        "记得以后提交前跑 lint",
        "以后都用中文回答",
        "别忘了部署在 8080 端口",
        "把这个存到记忆里",
        "不要忘记用 pnpm",
        "Remember that we deploy on Fridays.",
        "please REMEMBER: tabs, not spaces",
        "Don't forget we're on Postgres 16",
        "Don’t forget the port is 8080",
        "Keep this in mind: no lodash",
        "From now on use uv",
        "Save that to your memory",
        "make a note: CI runs on arm64",
        "I don't remember the port, but remember that it's 8080 now",
    ],
)
def test_asks(text: str) -> None:
    assert asks_to_remember(text)


@pytest.mark.parametrize(
    "text",
    [
        "帮我创建 myapp",
        "你还记得我们用什么数据库吗",
        "你记得端口是多少吗？",
        "这个不用记",
        "别记这个",
        "我记得是 8080",
        "读一下日记本.txt",
        "Upgrade the build to Java 21",
        "Do you remember which port we use?",
        "I remember it was 8080",
        "no need to remember this",
        "Don't save this, it changes daily",
        "Fix the memory leak in cache.py",
        "",
    ],
)
def test_asks_nothing(text: str) -> None:
    assert not asks_to_remember(text)


def test_short_words_are_quoted_whole_and_long_ones_by_the_line_that_asks() -> None:
    assert asking_words(" 升到 21 了，记一下\n", 100) == "升到 21 了，记一下"
    long = "Here is the log:\n" + "x" * 400 + "\n  remember: port 8080  \nthanks"
    assert asking_words(long, 100) == "remember: port 8080"
    assert asking_words("y" * 400, 100) == "y" * 100
    assert asking_words("  ", 100) == ""
