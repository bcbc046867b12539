"""The command line."""

from __future__ import annotations

import sys

try:  # importing takes a second, in which nobody else catches Ctrl-C
    try:
        import pandas as _pandas  # noqa: F401
        import typer as _typer  # noqa: F401
    except ImportError:  # the command exists in every installation, its libraries in the extra
        sys.exit("The rowtrust command needs its extra: pip install 'rowtrust[cli]'")
    from rowtrust.cli.app import app, main
except KeyboardInterrupt:
    sys.exit(130)

__all__ = ["app", "main"]
