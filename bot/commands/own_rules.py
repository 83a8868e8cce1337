"""The rules of the chat that is spoken in, and nobody else's: another chat's rule is as good as none."""

from __future__ import annotations

import re
from typing import Final

from bot.commands.visit import Visit
from bot.conversation import Outcome, Reply
from bot.render.clean import clean
from bot.render.facts import NAME_UNITS
from bot.render.html import bold, phrase
from market.names import look
from market.watch import Watch
from storage.watchrows import Unreadable

_ID: Final = re.compile(r"#?([1-9][0-9]{0,17})", re.ASCII)


def own(visit: Visit) -> tuple[Watch, ...]:
    """Every rule of this chat that can be read, by number; to who is leaving, only that person's own."""
    return tuple(each for each in visit.product.watches.list(visit.chat) if _open_to(visit, each))


def own_unreadable(visit: Visit) -> tuple[Unreadable, ...]:
    """The rules of this chat that this version cannot read."""
    return tuple(each for each in visit.product.watches.unreadable() if _open_to(visit, each))


def by_id(visit: Visit, watch_id: int) -> Watch | None:
    """A rule of this chat by its number."""
    watch = visit.product.watches.by_id(watch_id)
    return watch if watch is not None and _open_to(visit, watch) else None


def find(visit: Visit, word: str) -> Watch | None:
    """A rule of this chat by its number, `7` or `#7`, or else by its name, if one alone bears it."""
    watch_id = number_of(word)
    if watch_id is not None:
        return by_id(visit, watch_id)
    wanted = look(word.strip().strip("\"'“”"))
    named = [watch for watch in own(visit) if look(watch.name) == wanted]
    return named[0] if wanted and len(named) == 1 else None


def number_of(word: str) -> int | None:
    """The number that a word is; None when it is none that a rule can have."""
    found = _ID.fullmatch(word.strip())
    return int(found[1]) if found else None


def _open_to(visit: Visit, rule: Watch | Unreadable) -> bool:
    speaker = visit.speaker
    alone = speaker.leaving and speaker.is_group
    return rule.chat == visit.chat and (not alone or rule.author == speaker.user)


def absent(visit: Visit, word: str) -> Outcome:
    """The answer when there is no such rule."""
    said = phrase(
        visit.speech,
        "There is no rule {id} here. {command} lists those there are.",
        id=bold(clean(word, NAME_UNITS)),
        command=visit.slash("watches"),
    )
    return Outcome(replies=(Reply(html=said),))


def none_yet(visit: Visit) -> Outcome:
    """The answer when the chat has no rules."""
    said = phrase(
        visit.speech,
        "Nothing is watched here yet. Begin with {command} RTX 4090 <=0.40",
        command=visit.slash("watch"),
    )
    return Outcome(replies=(Reply(html=said),))
