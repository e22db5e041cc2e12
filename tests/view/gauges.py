"""Gauges with the example figures of the style guide, built from events as in a session."""

from app.conversation.window import thresholds
from app.events import ContextMeasured, ContextParts, TurnFinished, TurnStarted
from app.view.gauge import GaugeModel

TURN = TurnStarted(message="m1", text="x")
DONE = TurnFinished(ok=True, steps=1, seconds=1.0)
EXAMPLE = (14_200, 2_100, 117_400, 35_200)
"""System and tools, memory, history, results: 168.9k together (STYLE, Read first)."""


def measured(
    parts: tuple[int, int, int, int] = EXAMPLE,
    window: int = 256_000,
    *,
    estimated: bool = False,
    certain: bool = True,
    background: bool = False,
    tokens: int | None = None,
) -> ContextMeasured:
    """One measurement; `background`: summaries are prepared."""
    marks = thresholds(window)
    system, memory, history, results = parts
    return ContextMeasured(
        tokens=sum(parts) if tokens is None else tokens,
        source="estimated" if estimated else "anchored",
        window=window,
        certain=certain,
        clear=marks.clear,
        precompute=marks.precompute if background else None,
        warn=marks.warn,
        summary=marks.summary,
        reserve=marks.reserve,
        parts=ContextParts(
            system=system // 2,
            tools=system - system // 2,
            memory=memory,
            history=history,
            results=results,
        ),
    )


def gauge(
    parts: tuple[int, int, int, int] = EXAMPLE,
    window: int = 256_000,
    growth: int = 0,
    *,
    estimated: bool = False,
    certain: bool = True,
    background: bool = False,
    clearable: int = 0,
    summarises: bool = True,
) -> GaugeModel:
    """A gauge that stands at these figures after turns that each grew by `growth`."""
    model = GaugeModel(summarises=summarises)
    total = sum(parts)
    for turns in (2, 1, 0) if growth else (0,):
        model.apply(
            measured(
                parts,
                window,
                estimated=estimated,
                certain=certain,
                background=background,
                tokens=total - turns * growth,
            )
        )
        if growth and turns < 2:
            model.apply(DONE)
    model.clearable(clearable)
    return model
