"""A worker tells of each test once: that its setup and teardown passed too says nothing more.

xdist sends three reports a test and that it begins, which only the verbose show; a third of the
cost of a small one is to send and receive.
"""

from collections.abc import Callable
from typing import Any

import pytest


def tell_less(config: pytest.Config) -> None:
    """From now on this worker keeps reports that nobody would show to itself."""
    if config.getoption("durations") is not None or config.getoption("xmlpath", None):
        return  # who shows all of them
    for plugin in config.pluginmanager.get_plugins():
        send = getattr(plugin, "sendevent", None)
        if send is not None:
            vars(plugin)["sendevent"] = _Fewer(send, config.get_verbosity() <= 0)


class _Fewer:
    """What a worker calls to tell its controller something."""

    def __init__(self, send: Callable[..., None], terse: bool) -> None:
        self._send = send
        self._terse = terse

    def __call__(self, name: str, **told: Any) -> None:
        """Tells it, but for a beginning and a setup or a teardown that passed without a word."""
        if name == "logstart" and self._terse:
            return
        report = told["data"] if name == "testreport" else {}
        if report.get("outcome") != "passed" or report["when"] == "call" or report["sections"]:
            self._send(name, **told)
