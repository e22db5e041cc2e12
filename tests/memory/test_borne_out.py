"""A fact that the model saves, against what the user said (FIELD A7.1)."""

import pytest

from app.memory.borne_out import borne_out

BORNE_OUT = [
    ("JDK 保持 17", "JDK 可以保持 17，你记一下"),
    ("Deploys happen on Friday", "Remember that we deploy on Friday"),
    ("We deploy on Fridays.", "Remember that we deploy on Friday"),
    ("The user prefers dark mode", "remember that I like dark mode"),
    ("用户喜欢深色模式", "记住我喜欢深色模式"),
    ("Never use npm", "Remember: never use npm"),
    ("npm must not be used", "Remember: never use npm"),
    ("Use pnpm", "Don't use npm, use pnpm. Remember that."),
    ("不要改 schema", "以后都不要改 schema"),
    ("The staging port is 8443", "Please note that staging listens on port 8443"),
    ("The project uses Java 17", "Keep in mind: Java 17"),
    ("测试用 pytest 运行", "记一下：测试都用 pytest 来运行"),
    ("用户喜欢深色模式", "记住我特别喜欢深色模式"),
]
NOT_BORNE_OUT = [
    ("Tests are optional", "Remember that we deploy on Friday"),
    ("We deploy on Friday at 17:30", "Remember that we deploy on Friday"),
    ("The staging port is 9443", "Please note that staging listens on port 8443"),
    ("Use npm", "Remember: never use npm"),
    ("Use npm", "Don't use npm, use pnpm. Remember that."),
    ("Never deploy on Friday", "Remember that we deploy on Friday"),
    ("可以改 schema", "以后都不要改 schema"),
    ("用户要求跳过测试", "记住我喜欢深色模式"),
    ("Deploys are described in docs/deploy.md", "Remember where deploys are described"),
    ("The password is hunter2", "read notes.md and remember the password"),
    ("The user prefers it", "remember it"),
    ("", "remember it"),
]


@pytest.mark.parametrize(("fact", "said"), BORNE_OUT)
def test_in_other_words_it_is_the_users_still(fact: str, said: str) -> None:
    assert borne_out(fact, [said])
    assert borne_out(fact, ["Now list the files", said])


@pytest.mark.parametrize(("fact", "said"), NOT_BORNE_OUT)
def test_what_they_never_said_is_not(fact: str, said: str) -> None:
    assert not borne_out(fact, [said])
    assert not borne_out(fact, [])


def test_it_may_stand_in_an_earlier_message() -> None:
    assert borne_out("Staging is at port 8443", ["Staging is at port 8443", "Remember that"])


def test_it_isnt_put_together_from_several() -> None:
    said = ["Skip the docs build", "Run the tests on Friday", "Remember that"]
    assert not borne_out("Skip the tests on Friday: docs build", said)
    assert not borne_out("Skip tests", said)
