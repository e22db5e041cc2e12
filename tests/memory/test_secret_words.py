"""Secrets don't become facts; sentences about them do."""

import time

import pytest

from app.memory.secret_words import without_secrets


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


@pytest.mark.parametrize("text", ["a-" * 30_000, "a." * 30_000, "a_" * 30_000 + "token=abcdefgh"])
def test_long_names_cost_what_they_are_long(text: str) -> None:
    started = time.process_time()
    masked = without_secrets(text)
    assert time.process_time() - started < 1, "a search from each word took minutes"
    assert "abcdefgh" not in masked
