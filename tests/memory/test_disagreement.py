"""What two facts disagree on, in the words that stand there."""

import pytest

from app.memory.disagreement import disagreement


@pytest.mark.parametrize(
    ("existing", "incoming", "subject"),
    [
        ("Service builds on Java 17 (Temurin)", "Service builds on Java 21 (Temurin)", "Java"),
        ("The default port is 8080", "The default port is 9090", "default port"),
        ("JDK 可以保持 17", "JDK 升到 21", "JDK"),
        ("数据库用 MySQL", "数据库用 PostgreSQL", "数据库"),
        ("We use MySQL", "We use PostgreSQL", ""),
        ("Use npm to install", "Never use npm", "npm"),
        ("", "anything", ""),
    ],
)
def test_subject(existing: str, incoming: str, subject: str) -> None:
    assert disagreement(existing, incoming) == subject


def test_it_is_a_piece_of_the_incoming_text_and_short() -> None:
    word = "x" * 80
    assert disagreement(f"{word} 1", f"{word} 2") == ""
    assert disagreement("java 17", "Java: 21") == "Java"
    assert disagreement("PORT default 1", "port\ndefault 2") == "default"
