"""Where the command starts: `prompteval`, or `python -m prompteval`."""

import sys


def run() -> None:
    """Run the command line. Its modules are imported here, so that Ctrl-C meanwhile is no traceback."""
    try:
        from prompteval.cli import main
    except KeyboardInterrupt:
        sys.exit(130)
    main()


if __name__ == "__main__":
    run()
