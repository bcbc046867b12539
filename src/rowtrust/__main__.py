"""``python -m rowtrust``."""

from rowtrust.cli import main

if __name__ == "__main__":
    main()
