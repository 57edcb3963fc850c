"""Read what people and models wrote, and report everything that is wrong with it."""

CONTRACTS = ("proposal-output", "expected-labels", "session-front-matter", "corpus")  # the shipped ones, by name
