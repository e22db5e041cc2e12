"""Sessions whose ledger is followed by a test's own projection, in the database's place."""

from typing import Any

import pytest

from app.archive.projection import Projection
from app.archive.recorder import Recorder
from app.session import chain


def follows(monkeypatch: pytest.MonkeyPatch, projection: Projection) -> None:
    """Chains opened from now on are followed by it."""

    def recorder(*args: Any, **options: Any) -> Recorder:
        return Recorder(*args, **{**options, "projection": projection})

    monkeypatch.setattr(chain, "Recorder", recorder)
