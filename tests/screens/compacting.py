"""The preview of a compaction as mock 04 has it, in both languages."""

from collections.abc import Sequence
from typing import Literal

from app.events import KeptBySummary, TurnFinished, TurnStarted
from app.view.compaction import Balance, Carried, Group, Phase, Preview
from app.view.gauge import GaugeModel, GaugeView
from app.view.gauge_bar import GaugeParts
from tests.screens.left import measured

Language = Literal["en", "zh"]

_TITLES = {
    "en": ("javax inventory", "deps tree, Boot 3.3", "Unsafe → VarHandle", "order-core failures"),
    "zh": (
        "盘点 javax 引用",
        "依赖树与 Boot 3.3 说明",
        "Unsafe 改 VarHandle",
        "order-core 测试失败",
    ),
}
_STAYS = {"en": "this turn and its tests", "zh": "当前轮及其测试"}
_PINS = {
    "en": ("Flyway scripts: do not touch", "OrderCodec.java diff"),
    "zh": ("不动 Flyway 脚本", "OrderCodec.java 差异"),
}
BODIES = {
    "en": (
        "Move order-service to Java 21, tests green.",
        "jakarta.* everywhere; VarHandle replaces Unsafe.\nOne commit per module, squash on merge.",
        "pom.xml, build.yml. OrderCodec.java:88 compiles\n(mvn -q compile, exit 0).",
        "2 of 214 tests fail: OrderCodecTest#roundTrip, #legacy.\n"
        "Dockerfile base image; release note.",
    ),
    "zh": (
        "order-service 升到 Java 21，测试保持全绿。",
        "全部改 jakarta.*；用 VarHandle 替换 Unsafe。\n每个模块一个提交，合并时 squash。",
        "pom.xml、build.yml 已改；OrderCodec.java:88 可编译\n（mvn -q compile，退出码 0）。",
        "214 个测试挂 2 个：OrderCodecTest#roundTrip、#legacy。\n"
        "换 Dockerfile 基础镜像；写发布说明。",
    ),
}
"""The four sections of the mock."""


def balance(language: Language = "en", pinned: Sequence[int] = ()) -> Balance:
    """42 messages of 120.5k leave, 6 of 32.1k stay, 6.5k are carried over."""
    numbers = ((1, 9, 21_400), (10, 17, 38_000), (18, 29, 44_700), (30, 42, 16_400))
    groups = tuple(
        Group(first, last, title, tokens, _ids(first, last), pinned=at in pinned)
        for at, ((first, last, tokens), title) in enumerate(
            zip(numbers, _TITLES[language], strict=True)
        )
    )
    first, second = _PINS[language]
    return Balance(
        before=GaugeParts(system=14_200, memory=2_100, history=117_400, results=35_200),
        after=GaugeParts(system=14_200, memory=2_100, history=31_300, results=8_500),
        leaving=groups,
        staying=(Group(43, 48, _STAYS[language], 32_100, _ids(43, 48)),),
        carried=(
            Carried("said", 1_400, 5),
            Carried("pin", 300, 1, first, "m5"),
            Carried("pin", 2_900, 1, second, "m27"),
            Carried("recovery", 1_900),
        ),
        kept=KeptBySummary(rules=2, files=9, recovery_tokens=1_900, said=5, pins=2),
        summary=1_204,
    )


def preview(language: Language = "en", phase: Phase = "ready", **more: object) -> Preview:
    """The mock's preview."""
    return Preview(
        phase=phase,
        balance=balance(language),
        bodies=BODIES[language] if phase in ("ready", "stale") else (),
        model="deepseek-v3.2",
        seconds=6.1,
        **more,  # type: ignore[arg-type]
    )


def gauge() -> GaugeView:
    """The mock's gauge: growth 3.9k a turn, marks 2 and 3 ahead."""
    model = GaugeModel()
    for number in range(8):
        tokens = 117_400 - 3_900 * (8 - number)
        model.apply(TurnStarted(message=f"u{number}", text="go"))
        model.apply(measured(history=tokens))
        model.apply(TurnFinished(ok=True, steps=1, seconds=1.0))
    model.apply(measured())
    return model.view


def _ids(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"m{number}" for number in range(first, last + 1))
