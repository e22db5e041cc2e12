"""Work of a worker that is dropped before it began."""

import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from textual.app import App

from tests.screens.remembered import MemoryApp
from tests.screens.test_sessions_screen import SessionsApp
from widgets.dialogs.fact_text import FactDialog
from widgets.dialogs.title import TitleDialog
from widgets.unbegun import unbegun


@contextmanager
def without_a_warning() -> Iterator[None]:
    """Nothing is left behind that was never awaited."""
    gc.freeze()  # what is older needs no look: half a second
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield
        gc.collect()
    assert not [one for one in said if issubclass(one.category, RuntimeWarning)]


async def test_what_is_dropped_before_it_began_leaves_no_warning() -> None:
    done: list[int] = []

    async def work(number: int, *, more: int) -> None:
        done.append(number + more)

    app: App[None] = App()
    with without_a_warning():
        async with app.run_test() as pilot:
            for number in range(3):
                app.run_worker(unbegun(work, number, more=10), group="one", exclusive=True)
            await pilot.pause()
            await app.workers.wait_for_complete()
    assert done == [12]


async def test_two_questions_at_once_leave_none() -> None:
    """Two keys in one go: only the last of them asks."""
    facts, sessions = MemoryApp(), SessionsApp()
    with without_a_warning():
        async with facts.run_test(size=(120, 36)) as pilot:
            await pilot.pause()
            for _ in range(2):
                facts.memory.action_rewrite_fact(edits=True)
            facts.memory.action_add_fact()
            await pilot.pause()
            assert isinstance(facts.screen, FactDialog) and len(facts.screen_stack) == 3
        async with sessions.run_test(size=(120, 36)) as pilot:
            await pilot.pause()
            for _ in range(2):
                sessions.sessions.action_retitle()
            await pilot.pause()
            assert isinstance(sessions.screen, TitleDialog) and len(sessions.screen_stack) == 3
