"""What `haima run` says of what left the context."""

import pytest

from app.events import Cleared, Guarded, Offloaded, OffloadFailed, PicturesLeft
from app.text import Words
from app.view.plain_lines import Left, left_line

PATH = ".haima/tool-outputs/7f3a9c01d2e4/001-execute_command.txt"
TOKENS = {"tokens_before": 57_000, "tokens_after": 31_200}
MOVED = Offloaded(
    message="m", call="c", tool="execute_command", path=PATH, characters=48_213, lines=900, **TOKENS
)
FAILED = OffloadFailed(message="m", call="c", tool="web_fetch", reason="the disk is full")
ONE = Cleared(messages=("a",), calls=("c",), count=1, **TOKENS)
SIX = Cleared(messages=("a",) * 6, calls=("c",) * 6, count=6, **TOKENS)
GUARDED = Guarded(messages=("a", "b"), count=2, **TOKENS)
CUT = Guarded(messages=("a",), count=1, **TOKENS)
PICTURES = PicturesLeft(messages=("a",), count=2, **TOKENS)


@pytest.mark.parametrize(
    ("event", "english", "chinese"),
    [
        (
            MOVED,
            f"⇲  execute_command  48,213 characters → {PATH}",
            f"⇲  execute_command  48,213 个字符 → {PATH}",
        ),
        (
            FAILED,
            "⇲  web_fetch  no file for it, so it was cut: the disk is full",
            "⇲  web_fetch  没能写成文件，已截短：the disk is full",
        ),
        (
            SIX,
            "∅  6 results cleared, 57.0k → 31.2k tokens",
            "∅  已清理 6 个结果，57.0k → 31.2k tokens",
        ),
        (
            ONE,
            "∅  1 result cleared, 57.0k → 31.2k tokens",
            "∅  已清理 1 个结果，57.0k → 31.2k tokens",
        ),
        (
            PICTURES,
            "∅  2 old pictures gave way to text, 57.0k → 31.2k tokens",
            "∅  2 张旧图片已换成文字，57.0k → 31.2k tokens",
        ),
        (
            GUARDED,
            "∅  2 messages cut short to fit the window, 57.0k → 31.2k tokens",
            "∅  为放进窗口，已截短 2 条消息，57.0k → 31.2k tokens",
        ),
        (
            CUT,
            "∅  1 message cut short to fit the window, 57.0k → 31.2k tokens",
            "∅  为放进窗口，已截短 1 条消息，57.0k → 31.2k tokens",
        ),
    ],
)
def test_each_is_a_line(event: Left, english: str, chinese: str) -> None:
    assert left_line(event, Words("en")) == english
    assert left_line(event, Words("zh")) == chinese
