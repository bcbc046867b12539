"""``python -m rowtrust.cli``."""

from rowtrust.cli.app import main

if __name__ == "__main__":
    main()
