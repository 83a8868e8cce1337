"""Wrong one-time codes: counted by person, told in steps that grow, and never without end."""

from __future__ import annotations

import logging

import pytest

from bot.guesses import GUESSERS, GUESSES, SHUT_OUTS_TOLD, Guesses


def test_each_person_has_a_few() -> None:
    guesses = Guesses()
    for _ in range(GUESSES):
        assert guesses.may(7)
        guesses.wrong(7)
    assert not guesses.may(7)
    assert guesses.may(8)


def test_how_many_there_were_is_told_in_steps_that_grow(caplog: pytest.LogCaptureFixture) -> None:
    guesses = Guesses()
    told = [count for user in range(2000) if (count := guesses.wrong(user)) is not None]
    assert told == [10, 100, 1000]
    assert len([record for record in caplog.records if "wrong one-time codes so far" in record.getMessage()]) == 3


def test_who_is_shut_out_is_named_and_a_crowd_does_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    guesses = Guesses()
    for user in range(500):
        for _ in range(GUESSES + 3):
            guesses.wrong(user)
    lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert lines[0] == f"{GUESSES} wrong one-time codes from 0: none is taken from there until the next start"
    assert len(lines) <= SHUT_OUTS_TOLD + 4


def test_who_guessed_longest_ago_is_forgotten_first() -> None:
    guesses = Guesses()
    for user in range(GUESSERS + 1):
        for _ in range(GUESSES):
            guesses.wrong(user)
    assert guesses.may(0)
    assert not guesses.may(1)
    assert not guesses.may(GUESSERS)
