"""Closes the clients that a test made, so that no connection outlives its event loop."""

from collections.abc import AsyncIterator

import pytest

from tests.llm.support import MADE


@pytest.fixture
async def closing(anyio_backend: str) -> AsyncIterator[None]:
    """Used by every module that talks to a server."""
    MADE.clear()
    yield
    for model in MADE:
        await model.close()
    MADE.clear()
