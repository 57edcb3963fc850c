"""Times as the ledger writes them: UTC with microseconds, so that texts sort like times."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from prompteval.errors import LedgerError

_FORM = "%Y-%m-%dT%H:%M:%S.%fZ"


def time_of(text: str) -> datetime:
    """Return the UTC time of a text in the ledger. Raises ValueError if it is not a time."""
    time = datetime.strptime(text, _FORM).replace(tzinfo=timezone.utc)
    if time.strftime(_FORM) != text or time.year == 9999:  # nothing could be recorded after the last moment of that
        raise ValueError(f"{text} is written otherwise than a time, or never comes")
    return time


def next_time(newest: str | None) -> str:
    """Return the time now as a text, or just after the newest recording if the clock is behind it.

    Raises LedgerError if there is no time after that.
    """
    now = utc_now()
    if newest is not None:
        try:
            now = max(now, time_of(newest) + timedelta(microseconds=1))
        except (ValueError, OverflowError) as error:
            raise LedgerError(f"the ledger has a recording of {newest}, after which nothing can be recorded") from error
    return now.strftime(_FORM)


def utc_now() -> datetime:
    """Return the time now. Tests replace it."""
    return datetime.now(timezone.utc)
