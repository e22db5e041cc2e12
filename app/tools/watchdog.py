"""Ends what runs for Haima when Haima itself is killed and can't: `kill -9`, no memory left.

A shell beside it reads a pipe whose other end only Haima holds, and is told which process groups
run. The pipe ends with Haima, however Haima ends; what still runs then is ended. The programs
themselves know nothing of it: neither their exit codes, jobs and streams nor their start change.
What left its group (`setsid`) lives on, as it does after its call; and what was started less than a
moment before, of which the shell wasn't told yet. Where the shell can't be started, or is gone,
nothing is watched.
"""

import atexit
import contextlib
import os
import subprocess
import threading
from typing import Final

_SHELL: Final = "/bin/sh"

_SCRIPT: Final = """
trap '' HUP INT TERM
all=' '
while read -r what group; do
  case $what in
    +) all="$all$group " ;;
    -) case $all in *" $group "*) all="${all%%" $group "*} ${all#*" $group "}" ;; esac ;;
  esac
done
for group in $all; do kill -s TERM -- "-$group"; done
[ "$all" = ' ' ] || sleep 0.5 || sleep 1
for group in $all; do kill -s KILL -- "-$group"; done
"""
"""As `process` ends a group: kindly, and after half a second not."""


class Watchdog:
    """One for a process of Haima's; it is started with the first group."""

    def __init__(self) -> None:
        """Starts nothing yet."""
        self._pipe: int | None = None
        self._shell: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Starts the shell, if it isn't there: a millisecond or two. Never fails."""
        with self._lock:
            if self._shell is not None and self._shell.poll() is not None:  # somebody killed it
                self._give_up()
            if self._pipe is not None or os.name != "posix":
                return
            try:
                read_end, write_end = os.pipe()
            except OSError:
                return
            try:
                self._shell = subprocess.Popen(
                    [_SHELL, "-c", _SCRIPT],
                    stdin=read_end,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env={"PATH": os.defpath},
                    start_new_session=True,  # the signals of Haima's terminal aren't for it
                )
            except OSError:
                os.close(write_end)
                return
            finally:
                os.close(read_end)
            os.set_blocking(write_end, False)  # a shell that is stopped mustn't stop Haima
            self._pipe = write_end

    def watch(self, group: int) -> None:
        """This group is ended if Haima is killed."""
        self._tell(f"+ {group}\n")

    def release(self, group: int) -> None:
        """This group has ended; its number may be another's soon."""
        self._tell(f"- {group}\n")

    def close(self) -> None:
        """Ends what is watched; the next `start` starts another shell."""
        with self._lock:
            self._close_pipe()
            shell, self._shell = self._shell, None
        if shell is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                shell.wait(timeout=2)

    def forget(self) -> None:
        """In a fork of Haima's: the shell is the parent's."""
        self._lock = threading.Lock()
        self._close_pipe()
        if self._shell is not None:
            self._shell.returncode = 0  # no child of this process
            self._shell = None

    def _tell(self, line: str) -> None:
        with self._lock:
            if self._pipe is None:
                return
            try:
                os.write(self._pipe, line.encode("ascii"))
            except OSError:  # it was killed, or is stopped: the next program has another
                self._give_up()

    def _give_up(self) -> None:
        """What misses that a group has ended must not end one that gets its number later."""
        shell, self._shell = self._shell, None
        if shell is not None:
            shell.kill()  # before the pipe ends, which it would act on
            with contextlib.suppress(subprocess.TimeoutExpired):
                shell.wait(timeout=1)
        self._close_pipe()

    def _close_pipe(self) -> None:
        pipe, self._pipe = self._pipe, None
        if pipe is not None:
            os.close(pipe)


WATCHDOG: Final = Watchdog()
"""This process's."""

atexit.register(WATCHDOG.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=WATCHDOG.forget)
