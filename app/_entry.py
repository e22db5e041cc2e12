"""Where the command `haima` starts; installed as the module `haima_entry`.

`app` and `widgets` are common names: another package of that name, found earlier on the path (the
user's own project through PYTHONPATH, say), must not be taken for ours.
"""

import sys
from importlib.metadata import PathDistribution, distribution
from pathlib import Path


def _ours(folder: Path) -> bool:
    return (folder / "app" / "_entry.py").is_file() and (folder / "widgets").is_dir()


def _root() -> Path | None:
    """The folder that holds our `app`: beside this file, or where an editable install points."""
    here = Path(__file__).resolve().parent
    candidates = [here, here.parent]
    try:
        found = distribution("haima-workbench")
    except ImportError:
        pass
    else:
        if isinstance(found, PathDistribution):
            candidates.append(Path(str(found.locate_file(""))))
    candidates += [Path(entry) for entry in sys.path if entry]
    return next((folder for folder in candidates if _ours(folder)), None)


def main() -> int:
    """Puts our own folder first on the path and hands over to the command line."""
    if root := _root():
        for name in [n for n in sys.modules if n.partition(".")[0] in {"app", "widgets"}]:
            del sys.modules[name]
        sys.path.insert(0, str(root))
    from app.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
