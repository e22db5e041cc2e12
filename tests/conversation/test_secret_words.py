"""Secrets become no facts, titles or exports; sentences about them do."""

import pytest

from app.conversation.secret_words import without_secrets
from tests.growth import GENEROUS, growth, on_texts


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("the key is sk-proj-abcdefghij0123456789", "the key is ‹secret›"),
        ("令牌是ghp_abcdefghijklmnopqrstuvwxyz0123，别提交", "令牌是‹secret›，别提交"),
        ("use AKIAIOSFODNN7EXAMPLE here", "use ‹secret› here"),
        ("db: postgres://app:hunter22@db:5432/x", "db: postgres://app:‹secret›@db:5432/x"),
        ("DB_PASSWORD=hunter22 for tests", "DB_PASSWORD=‹secret› for tests"),
        ('"api_key": "abcdef123456"', '"api_key": "‹secret›"'),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest",
            "‹secret›\nrest",
        ),
    ],
)
def test_a_secret_is_masked(text: str, left: str) -> None:
    assert without_secrets(text) == left
    assert without_secrets(left) == left


@pytest.mark.parametrize(
    "text",
    [
        "Passwords are kept in Vault",
        "密码放在 Vault 里，不写进配置",
        "token: short-lived, renewed by the gateway",
        "max_token=4096 is too small",
        "API keys begin with sk-",
        "DB_PASSWORD=$DB_PASSWORD in compose.yml",
        "see https://example.org:8080/a@b",
        "git@github.com:haima/haima.git",
        "the task-12345678901234567890 branch",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert without_secrets(text) == text


@pytest.mark.parametrize("piece", ["a-", "a.", "a_"])
def test_long_names_cost_what_they_are_long(piece: str) -> None:
    """A search from each word took minutes."""

    def named(length: int) -> str:
        return piece * length + "token=abcdefgh"

    assert "abcdefgh" not in without_secrets(named(1_000))
    assert growth(on_texts(without_secrets, named), 2_000, 20_000) < GENEROUS
