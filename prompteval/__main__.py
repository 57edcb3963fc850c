"""The entry point of `prompteval` and `python -m prompteval`."""

import gc
import sys


def run() -> None:
    """Run the command line. Modules are imported here, so that Ctrl-C during the import shows no traceback."""
    gc.set_threshold(50_000)  # importing leaves no garbage; looking for it takes a tenth of a report
    try:
        from prompteval.cli import main
    except KeyboardInterrupt:
        sys.exit(130)
    main()


if __name__ == "__main__":
    run()
