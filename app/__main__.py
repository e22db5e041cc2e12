"""`python -m app`: the same as `haima`."""

import sys

from app.cli import main

if __name__ == "__main__":
    sys.exit(main())
