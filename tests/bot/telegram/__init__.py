"""Tests of the Telegram edge: the real client library against the Bot API on loopback."""
