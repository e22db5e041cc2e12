"""Asks a program something; it may be missing, broken or silent."""

import asyncio
import contextlib
from collections.abc import Mapping

_PATIENCE = 2.0
"""Seconds for an answer."""


async def ask(environ: Mapping[str, str], *command: str) -> str:
    """What a program prints, "" where it fails or takes too long."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(environ),
        )
    except OSError:
        return ""
    try:
        async with asyncio.timeout(_PATIENCE):
            output, _ = await process.communicate()
    except TimeoutError:
        return ""
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return output.decode("utf-8", "replace").strip() if process.returncode == 0 else ""
