"""Who may do what: closed by default, decided for every command, every button and every bit of free text.

The written table is docs/access.md. A combination that is not in it has no right. Nothing here speaks to anybody:
`Access` answers what somebody may do, and how often a stranger is told so.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from enum import IntEnum
from typing import Final, Protocol

from bot.buttons import decode
from bot.guesses import GUESSES_FACT, Guesses

OWNER_FACT: Final = "telegram.owner"
LISTED_FACT: Final = "telegram.listed"
"""The groups that were listed at the last start."""
MOVED_FACT: Final = "telegram.moved."
"""With the old id of a group: the id that it has now."""

READING: Final = frozenset(
    {
        "start",
        "help",
        "watches",
        "now",
        "history",
        "why",
        "status",
    }
)
"""Commands that change nothing. What is not named here or below needs the right to change."""
READING_BUTTONS: Final = frozenset({"history", "more", "page", "why"})
LEAVING: Final = frozenset({"watches", "pause", "delete"})
"""Commands that everybody may use on rules of their own, on the lists or not: who wants no alerts can always say so."""
LEAVING_BUTTONS: Final = frozenset({"pause", "delete", "confirm", "cancel"})

CODE_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
CODE_LENGTH: Final = 12
SILENCE_S: Final = 86_400.0
STRANGERS: Final = 1000
"""Strangers remembered as told; while so many are, a new one is not told."""


class Right(IntEnum):
    """What somebody may do; each includes those before."""

    NONE = 0
    READ = 1
    CHANGE = 2
    OWN = 3


class Facts(Protocol):
    """Single stored facts. Calls block."""

    def fact(self, key: str) -> str | None:
        """The fact, None if there is none."""

    def put_fact(self, key: str, value: str | None) -> None:
        """Store it; None deletes it."""


def new_code() -> str:
    """A code that nobody guesses, in groups of four: `K7QM-2XWD-H9TB`."""
    letters = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    return "-".join(letters[start : start + 4] for start in range(0, CODE_LENGTH, 4))


def needed_for_command(name: str) -> Right:
    """The right that a command needs, by its English name; free text is `""`."""
    return Right.READ if name in READING else Right.CHANGE


def needed_for_button(data: str) -> Right:
    """The right that a press needs; data that cannot be read needs the right to change."""
    button = decode(data)
    return Right.READ if button is not None and button.action in READING_BUTTONS else Right.CHANGE


def leaving_command(name: str) -> bool:
    """Whether a command is for those too who are not listed any more but have rules of their own."""
    return name in LEAVING


def leaving_button(data: str) -> bool:
    """The same of a press. The pages of the list of rules belong to it, those of offers do not."""
    button = decode(data)
    return button is not None and (button.action in LEAVING_BUTTONS or (button.action == "page" and button.id == 0))


def _nothing() -> None:
    """Nobody needs to know."""


class Access:
    """The lists of the configuration, the stored owner, and groups that changed their id. Ids are numbers."""

    def __init__(
        self,
        facts: Facts,
        *,
        owners: Iterable[int] = (),
        users: Iterable[int] = (),
        chats: Iterable[int] = (),
        code: Callable[[], str] = new_code,
        claimed: Callable[[], None] = _nothing,
    ) -> None:
        """Reads the stored facts, which blocks. Without any owner a one-time code is made for this run.

        `claimed` is called, and may block, when it has made somebody the owner.
        """
        self._facts = facts
        self._owners = set(owners)
        self._users = frozenset(users)
        self._chats = {moved for chat in chats for moved in _with_later_ids(chat, facts)}
        stored = facts.fact(OWNER_FACT)
        if not self._owners and stored is not None and stored.isdecimal():
            self._owners.add(int(stored))
        self._code = None if self._owners else code()
        self._guesses = Guesses()
        self._told: OrderedDict[Hashable, float] = OrderedDict()
        self._claimed = claimed
        self._authors: set[tuple[int, int]] = set()
        self._taken_off = _numbers(facts.fact(LISTED_FACT)) - self._chats

    @property
    def code(self) -> str | None:
        """The one-time code that makes who sends it the owner; None when there is an owner."""
        return self._code

    @property
    def owners(self) -> frozenset[int]:
        """Everybody with every right."""
        return frozenset(self._owners)

    def right(self, user: int | None, chat: int, *, is_group: bool) -> Right:
        """What this person may do in this chat; `user` None is somebody who does not show who it is."""
        if user is not None and user in self._owners:
            return Right.OWN
        if is_group:
            if chat not in self._chats:
                return Right.NONE
            return Right.CHANGE if user is not None and user in self._users else Right.READ
        # a private chat has the id of its one person: naming either lets that person in
        if user is not None and user == chat and (user in self._users or chat in self._chats):
            return Right.CHANGE
        return Right.NONE

    def serves(self, chat: str, author: str | None) -> bool | None:
        """Whether a chat may be told of a rule that this person made there: what the lists allow now counts.

        A listed group is served whoever made the rule, and so is the terminal. What an owner made in another group is
        served (None) unless it was made to rest when that group was taken off the list.
        """
        if not chat.removeprefix("-").isdecimal():
            return True
        number, user = int(chat), int(author) if author is not None and author.isdecimal() else None
        if number > 0:
            return self.right(number, number, is_group=False) >= Right.CHANGE
        if number in self._chats:
            return True
        return False if number in self._taken_off or user not in self._owners else None

    def note_lists(self) -> None:
        """Remember which groups are listed, for the next start. Blocks."""
        groups = sorted(chat for chat in self._chats if chat < 0)
        self._facts.put_fact(LISTED_FACT, ",".join(map(str, groups)))

    def remember(self, authors: Iterable[tuple[str, str | None]]) -> None:
        """Note who has rules, as (chat, who made it): these persons may always pause and delete them."""
        for chat, author in authors:
            if chat.removeprefix("-").isdecimal():
                number = int(chat)
                user = number if number > 0 else int(author) if author is not None and author.isdecimal() else None
                if user is not None:
                    self._authors.add((user, number))

    def has_rules(self, user: int, chat: int) -> bool:
        """Whether rules of this person were in this chat at the start of the run."""
        return (user, chat) in self._authors

    def refusal_due(self, user: int | None, chat: int, *, now_s: float) -> bool:
        """Whether a refusal may be said aloud: once a day to a person, and once a day in a group that is not listed.

        `now_s` is monotonic. Asking counts as saying. The memory is bounded: when it is full, nobody new is told.
        """
        while self._told and next(iter(self._told.values())) <= now_s - SILENCE_S:
            self._told.popitem(last=False)
        keys: set[Hashable] = {("user", user)} if user is not None else {("chat", chat)}
        if chat != user and chat not in self._chats:
            keys.add(("chat", chat))
        if any(key in self._told for key in keys) or len(self._told) + len(keys) > STRANGERS:
            return False
        self._told.update(dict.fromkeys(keys, now_s))
        return True

    def is_guess(self, text: str) -> bool:
        """Whether a text has the form of a code while one is wanted."""
        return self._code is not None and len(_bare(text)) == CODE_LENGTH

    async def claim(self, user: int, text: str) -> bool:
        """Make the first who sends the code the owner, for good; whether it was so. Wrong guesses are counted."""
        if self._code is None or not self._guesses.may(user):
            return False
        if not secrets.compare_digest(_bare(text).encode(), _bare(self._code).encode()):
            told = self._guesses.wrong(user)
            if told is not None:
                await asyncio.to_thread(self._facts.put_fact, GUESSES_FACT, str(told))
            return False
        self._code = None  # before anything is waited for: there is one owner
        self._owners.add(user)
        await asyncio.to_thread(self._facts.put_fact, OWNER_FACT, str(user))
        await asyncio.to_thread(self._facts.put_fact, GUESSES_FACT, None)
        await asyncio.to_thread(self._claimed)
        return True

    async def moved(self, old: int, new: int) -> None:
        """A group has a new id: it stays as listed as it was, after a restart too."""
        self._authors |= {(user, new) for user, chat in self._authors if chat == old}
        if old not in self._chats or new in self._chats:
            return
        self._chats.add(new)
        await asyncio.to_thread(self._facts.put_fact, f"{MOVED_FACT}{old}", str(new))


def _bare(text: str) -> str:
    """A code as it is compared: its letters and digits, upper case."""
    word = text.strip().removeprefix("/start").strip()
    if not word.isascii() or len(word) > 2 * CODE_LENGTH:
        return ""
    return "".join(letter for letter in word.upper() if letter.isalnum())


def _numbers(text: str | None) -> set[int]:
    return {int(word) for word in (text or "").split(",") if word.removeprefix("-").isdecimal()}


def _with_later_ids(chat: int, facts: Facts) -> list[int]:
    ids = [chat]
    while (later := facts.fact(f"{MOVED_FACT}{ids[-1]}")) is not None:
        if not later.lstrip("-").isdecimal() or int(later) in ids:
            break
        ids.append(int(later))
    return ids
