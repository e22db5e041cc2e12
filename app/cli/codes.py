"""The exit codes (DESIGN 5), and which error ends in which."""

from app.errors import HaimaError

OK, FAILED, USAGE, CONFLICT, NOT_FOUND, CANCELLED = 0, 1, 2, 3, 4, 130

_BY_CODE = {
    "usage": USAGE,
    "config": USAGE,
    "paths": USAGE,
    "not_connected": USAGE,
    "ambiguous": USAGE,
    "bad_age": USAGE,
    "not_found": NOT_FOUND,
    "other_project": NOT_FOUND,
}


def exit_code(error: HaimaError) -> int:
    """The exit code of an error that ended a command."""
    from app.project import ProjectError

    if isinstance(error, ProjectError):  # its subclasses have codes of their own
        return USAGE
    return _BY_CODE.get(error.code, FAILED)
