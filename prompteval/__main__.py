"""Run the command line with `python -m prompteval`."""

from prompteval.cli import main

if __name__ == "__main__":
    main()
