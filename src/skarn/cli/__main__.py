"""``python -m skarn.cli``."""

from skarn.cli.app import main

if __name__ == "__main__":
    main()
