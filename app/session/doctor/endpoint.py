"""Whether the model answers: one tiny real request."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from app.config import Settings
from app.errors import HaimaError
from app.paths import Paths
from app.session.doctor.report import Finding
from app.text import Key, Words

if TYPE_CHECKING:
    from app.llm.probe import ProbeResult

Probe = Callable[[Settings, Words], Awaitable["ProbeResult"]]
"""Makes the test request; raises `HaimaError` where it fails."""

_IDLE = 30.0
"""Seconds without a byte, at most: someone waits for the report."""


async def reachable(settings: Settings | None, words: Words, probe: Probe | None) -> list[Finding]:
    """The endpoint, and what it can do."""
    label = words("doctor.endpoint")
    if settings is None:
        value = words("doctor.settings_first")
        return [Finding(check="endpoint", state="unsure", label=label, value=value)]
    from app.llm.place import Place  # noqa: PLC0415 - the model's side is loaded when asked for
    from app.session.endpoint import missing  # noqa: PLC0415

    address = Place(settings.model.base_url).address
    if (lack := missing(settings)) is not None:
        return [
            Finding(
                check="endpoint",
                state="warn",
                label=label,
                value=address or words("doctor.no_endpoint"),
                note=settings.model.name,
                cure=lack.sentence(words),
            )
        ]
    try:
        result = await (probe or real_probe)(settings, words)
    except HaimaError as error:
        return [
            Finding(
                check="endpoint",
                state="fail",
                label=label,
                value=address,
                note=settings.model.name,
                cure=error.sentence(words),
            )
        ]
    answers = words("doctor.answers", seconds=f"{result.seconds:.1f}")
    return [
        Finding(check="endpoint", state="ok", label=label, value=address, note=answers),
        _abilities(result, settings.model.name, words),
    ]


async def auxiliary(settings: Settings | None, words: Words, probe: Probe | None) -> list[Finding]:
    """Whether the model that writes summaries answers, where one is set apart; else nothing."""
    if settings is None or not settings.model.auxiliary.name:
        return []
    from app.llm.place import Place  # noqa: PLC0415
    from app.session.endpoint import auxiliary_settings  # noqa: PLC0415

    label, name = words("doctor.auxiliary"), settings.model.auxiliary.name
    address = Place(settings.model.auxiliary.base_url or settings.model.base_url).address
    try:
        model = auxiliary_settings(settings)
        asked = settings.model_copy(update={"model": model})
        result = await (probe or real_probe)(asked, words)
    except HaimaError as error:
        cure = error.sentence(words)
        value = address or words("doctor.no_endpoint")
        return [
            Finding(check="auxiliary", state="fail", label=label, value=value, note=name, cure=cure)
        ]
    answers = words("doctor.answers", seconds=f"{result.seconds:.1f}")
    note = words("doctor.auxiliary_answers", model=name, answers=answers)
    return [Finding(check="auxiliary", state="ok", label=label, value=address, note=note)]


async def real_probe(settings: Settings, words: Words) -> "ProbeResult":
    """Sends the request to the endpoint the settings name, once, without patience.

    Raises:
        HaimaError: it failed; the sentence says what to do.
    """
    from app.llm.probe import probe  # noqa: PLC0415
    from app.session.clock import SystemClock  # noqa: PLC0415
    from app.session.endpoint import connect  # noqa: PLC0415

    quick = settings.model.model_copy(
        update={"tries": 1, "idle_timeout": min(settings.model.idle_timeout, _IDLE)}
    )
    clock = SystemClock()
    model = connect(settings.model_copy(update={"model": quick}), clock=clock, words=words)
    return await probe(model, clock=clock, words=words)


async def learned(settings: Settings | None, paths: Paths, words: Words) -> list[Finding]:
    """What the endpoint turned out to take, where it ever refused more; else nothing."""
    if settings is None or not settings.model.base_url:
        return []
    from app.llm.connect import normalise_base_url  # noqa: PLC0415
    from app.session.learned import LearnedLimits  # noqa: PLC0415

    label = words("doctor.limit")
    name = settings.model.name
    try:
        address = normalise_base_url(settings.model.base_url)
        known = LearnedLimits(paths.limits_file).find(address, name)
    except HaimaError as error:
        cure = error.sentence(words)
        value = str(paths.limits_file)
        return [Finding(check="limit", state="warn", label=label, value=value, cure=cure)]
    if known is None:
        return []
    said: Key = "doctor.limit_stated" if known.source == "stated" else "doctor.limit_guessed"
    day = known.at.astimezone().date().isoformat()
    return [
        Finding(
            check="limit",
            state="ok",
            label=label,
            value=words(said, limit=f"{known.limit:,}", day=day),
            note=name,
            cure=words("doctor.limit_forget"),
        )
    ]


def _abilities(result: "ProbeResult", model: str, words: Words) -> Finding:
    """What the answer showed: usage, tools, streaming (mock 13)."""
    usage = words("doctor.usage_reported" if result.usage else "doctor.usage_missing")
    tools = words("doctor.tool_called" if result.calls_tools else "doctor.tool_not_called")
    stream = words("doctor.stream_whole" if result.streams else "doctor.stream_missing")
    cure = ""
    if not result.calls_tools:
        cure = words("doctor.tool_cure")
    elif not result.usage:
        cure = words("doctor.usage_cure")
    whole = bool(result.usage and result.calls_tools and result.streams)
    return Finding(
        check="abilities",
        # One answer without a call proves nothing: the model may just not have felt like it.
        state="ok" if whole else "unsure",
        label=words("doctor.abilities"),
        value=words("doctor.joined", first=usage, second=tools, third=stream),
        note=model,
        cure=cure,
    )
