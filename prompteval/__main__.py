"""Where the command starts: `prompteval`, or `python -m prompteval`."""

import gc
import sys


def run() -> None:
    """Run the command line. Its modules are imported here, so that Ctrl-C meanwhile is no traceback."""
    gc.set_threshold(50_000)  # importing leaves no garbage, and to look for it every 700 objects costs a report a tenth
    try:
        from prompteval.cli import main
    except KeyboardInterrupt:
        sys.exit(130)
    main()


if __name__ == "__main__":
    run()
