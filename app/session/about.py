"""Which Haima this is."""

from importlib.metadata import PackageNotFoundError, version


def haima_version() -> str:
    """The installed version, or "0" where the package isn't installed."""
    try:
        return version("haima-workbench")
    except PackageNotFoundError:
        return "0"
