"""``python -m papers``."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    try:
        from papers.command import main
    except ModuleNotFoundError as error:
        sys.exit(f"{error}. Reproductions need their libraries: pip install -e . --group papers")
    main()
