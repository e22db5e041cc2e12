"""The real clock."""

import asyncio
import time
from datetime import UTC, datetime


class SystemClock:
    """Time as the machine has it; implements `ports.Clock`."""

    def now(self) -> datetime:
        """The present, UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that only go forward."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Waits."""
        await asyncio.sleep(seconds)
