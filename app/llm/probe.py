"""One tiny real request, to see what an endpoint can do. For `haima doctor`."""

from dataclasses import dataclass

from app.llm.client import OpenAIModel
from app.ports import Clock, ModelRequest, Reply, ToolSchema, Usage
from app.text import Words


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What a test request showed.

    Attributes:
        seconds: until the whole answer was there.
        streams: the answer came as a stream.
        usage: what it cost, None where the endpoint doesn't say.
        calls_tools: the model called the tool it was asked to call.
    """

    seconds: float
    streams: bool
    usage: Usage | None
    calls_tools: bool


async def probe(model: OpenAIModel, *, clock: Clock, words: Words) -> ProbeResult:
    """Asks the model to call one trivial tool.

    The model's own tries and timeouts hold: make it with `tries=1` to learn of the first failure.

    Raises:
        CallError: the request failed.
    """
    tool = ToolSchema(
        name="ready",
        description=words("probe.tool"),
        parameters={"type": "object", "properties": {}},
    )
    request = ModelRequest(
        messages=({"role": "user", "content": words("probe.request")},), tools=(tool,)
    )
    begun = clock.monotonic()
    reply = Reply("")
    async for chunk in model.stream(request):
        if isinstance(chunk, Reply):
            reply = chunk
    return ProbeResult(
        seconds=clock.monotonic() - begun,
        streams=model.streamed is True,
        usage=reply.usage,
        calls_tools=any(call.name == tool.name for call in reply.calls),
    )
