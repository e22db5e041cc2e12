"""What a copy of the stem shall be."""

import json
from dataclasses import asdict, dataclass
from typing import Self

PACKET = 128 * 1024
"""Bytes of the longest order."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a copy shall be.

    Attributes:
        module: as after `python -m`.
        arguments: what follows it.
        folder: where it runs.
        environ: all of its environment.
        terminal: its standard input is a terminal that it is to own.
        whole: at its end it frees all it has, as the interpreter does: half of a short one's work.
    """

    module: str
    arguments: tuple[str, ...]
    folder: str
    environ: dict[str, str]
    terminal: bool = False
    whole: bool = False

    def encode(self) -> bytes:
        """As one packet."""
        return json.dumps(asdict(self)).encode("utf-8", "surrogatepass")

    @classmethod
    def decode(cls, packet: bytes) -> Self:
        """What `encode` made."""
        fields = json.loads(packet.decode("utf-8", "surrogatepass"))
        return cls(**{**fields, "arguments": tuple(fields["arguments"])})
