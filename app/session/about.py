"""Which Haima this is."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache  # asked at each call; it looks through all installed packages
def haima_version() -> str:
    """The installed version, or "0" where the package isn't installed."""
    try:
        return version("haima-workbench")
    except PackageNotFoundError:
        return "0"
