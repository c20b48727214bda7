"""Fetching from the web: only public addresses, only so much, only so long."""
