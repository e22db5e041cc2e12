"""Keeps a worker's fault from vanishing: with `exit_on_error=False` nobody hears of it (TUI 16)."""

import logging

from textual.worker import Worker, WorkerState

_LOG = logging.getLogger("app.screens")


def log_fault(event: Worker.StateChanged) -> None:
    """Writes it to the log."""
    if event.state is WorkerState.ERROR:
        _LOG.error("worker %s failed", event.worker.group, exc_info=event.worker.error)
