"""Faults kept as data, run against podium over a fake provider: read, build, run, check."""
