"""The card catalogue: one name for a card, whatever a marketplace or a person calls it.

It is open: a card that nobody has entered keeps its market's spelling as its name and works everywhere. It never
guesses by prefix or substring, so "RTX 4090" is not "RTX 4090 D", and it gives an ambiguous short name ("6000") back
as a list instead of choosing.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from market.card import Card, can_be_typed, cleaned, key_of, memory_in, short_names
from market.cards import CARDS, FAMILY_ALIASES
from market.rule import CardChoice

__all__ = ["CATALOGUE", "Card", "Catalogue", "catalogue_of", "default_catalogue"]

COMMON_GB: Final = (1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 16, 20, 24, 32, 40, 48, 64, 72, 80, 94, 96, 128, 141, 144, 180,
                    192, 256, 288)  # fmt: skip
"""Sizes that boards are sold with, for cards whose own sizes are not known."""
SHORT_BY: Final = 0.93
"""Drivers and ECC take up to 7 % of the nominal memory."""
LONG_BY: Final = 1.03
"""RunPod rounds some sizes up (294 for 288)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Catalogue:
    """Every card that has a name. Immutable; `with_seen` gives a larger one."""

    cards: Mapping[str, Card]
    """By canonical name."""
    families: Mapping[str, frozenset[str]]
    """Family name to the canonical names of its cards."""
    typed: Mapping[str, CardChoice]
    """Comparison key of everything that may be typed to what it means. See `market.card.key_of`."""
    ambiguous: Mapping[str, tuple[str, ...]]
    """Comparison key of short names that several cards fit, to those cards."""
    spelled: Mapping[str, str]
    """Comparison key of every full spelling to its card."""
    exact: Mapping[str, Mapping[str, str]]
    """By market: its spellings exactly as it writes them, to their cards."""

    def with_seen(self, names: Iterable[str]) -> Catalogue:
        """This catalogue and the cards of the answers that it does not hold yet, each a card of its own.

        Only a bare family name ("H100") joins that family: its cards are what it can be. A name that reads as rule
        words, a number or a price becomes a card, but one that cannot be typed.
        """
        new = {cleaned(name) for name in names} - self.cards.keys()
        fresh = {
            key_of(name): name for name in sorted(new, reverse=True) if self.card_of("vast", name) not in self.cards
        }
        if not fresh:
            return self
        seen = []
        for key, name in sorted(fresh.items()):
            meant = self.typed.get(key)
            family = meant.name if meant is not None and meant.name in self.families else None
            sizes = self.sizes(self.families[family]) if family else ()
            seen.append(Card(name=name, memory_gb=sizes, family=family, vast=(name,)))
        return catalogue_of((*self.cards.values(), *seen))

    def card_of(self, market: str, spelling: str) -> str:
        """The canonical name of what `market` calls `spelling` (a name or a type id).

        An unknown card keeps its cleaned spelling; a known one followed by one of its sizes is that card.
        """
        found = self.exact.get(market, {}).get(spelling)
        if found is not None:
            return found
        name = cleaned(spelling)
        key = key_of(name)
        found = self._bearer(key)
        if found is not None:
            return found
        gb = memory_in(name)
        if gb is not None:
            found = self._bearer(key.removesuffix(f"{gb}gb"))
            if found is not None and gb in self.cards[found].memory_gb:
                return found
        if market == "runpod":
            # Its ids carry the vendor ("NVIDIA GeForce RTX 4090"), Vast.ai's names do not: a new card is one card.
            name = name.removeprefix("NVIDIA ").removeprefix("AMD ").removeprefix("GeForce ") or name
        return name

    def _bearer(self, key: str) -> str | None:
        """The one card that bears a name in full or in short."""
        found = self.spelled.get(key)
        if found is not None:
            return found
        meant = self.typed.get(key)
        return meant.name if meant is not None and meant.name in meant.cards and len(meant.cards) == 1 else None

    def nominal_gb(self, card: str, reported_mb: float) -> int:
        """Nominal GB of a card whose market reports so many MB (1024 a GB), often some per cent short.

        Raises ValueError when the figure is not a positive, finite number.
        """
        if not math.isfinite(reported_mb) or reported_mb <= 0:
            raise ValueError(f"{reported_mb} MB is not a size of memory")
        reported = reported_mb / 1024
        known = self.cards.get(card)
        near = [gb for gb in known.memory_gb if SHORT_BY <= reported / gb <= LONG_BY] if known else []
        if near:
            return min(near, key=lambda gb: abs(reported / gb - 1))
        for gb in COMMON_GB:
            if SHORT_BY <= reported / gb <= 1.001:
                return gb
        return max(1, round(reported))

    def vast_spellings(self, card: str) -> tuple[str, ...]:
        """What to send to Vast.ai as `gpu_name`: its spellings, and our own name, which it may come to use."""
        known = self.cards.get(card)
        return tuple(dict.fromkeys((*known.vast, card))) if known is not None else (card,)

    def runpod_ids(self, card: str) -> tuple[str, ...]:
        """The RunPod type ids of a card; empty when none is known."""
        known = self.cards.get(card)
        return known.runpod if known is not None else ()

    def sizes(self, names: Iterable[str]) -> tuple[int, ...]:
        """Every nominal GB of these cards in order; empty when the size of one of them is not known."""
        every = [self.cards[name].memory_gb if name in self.cards else () for name in names]
        return tuple(sorted({gb for sizes in every for gb in sizes})) if all(every) else ()

    def nearest(self, text: str, count: int = 3) -> tuple[str, ...]:
        """Names of cards and families that look like `text`, the likeliest first; empty when nothing does."""
        key = key_of(text)[:80]
        if not key:
            return ()
        near = [self.typed[hit].name for hit in difflib.get_close_matches(key, self.typed, n=4 * count, cutoff=0.7)]
        if len(key) >= 3:
            near += sorted(choice.name for typed, choice in self.typed.items() if typed.startswith(key))
        return tuple(dict.fromkeys(near))[:count]


def catalogue_of(cards: Iterable[Card]) -> Catalogue:
    """A catalogue of these cards. Where two claim a name, the family wins, then the earlier card."""
    by_name = {card.name: card for card in cards}
    families = {
        family: frozenset(name for name, card in by_name.items() if card.family == family) for family in FAMILY_ALIASES
    }
    typed: dict[str, CardChoice] = {}
    for family, aliases in FAMILY_ALIASES.items():
        if families[family]:
            for name in (family, *aliases):
                typed[key_of(name)] = CardChoice(name=family, cards=families[family])
    spelled: dict[str, str] = {}
    exact: dict[str, dict[str, str]] = {"vast": {}, "runpod": {}}
    typeable = [card for card in by_name.values() if can_be_typed(card.name)]
    for card in by_name.values():
        for spelling in card.spellings():
            spelled.setdefault(key_of(spelling), card.name)
        exact["vast"].update(dict.fromkeys(card.vast, card.name))
        exact["runpod"].update(dict.fromkeys(card.runpod, card.name))
    for card in typeable:
        typed.setdefault(key_of(card.name), CardChoice(name=card.name, cards=frozenset({card.name})))
    for card in typeable:
        for spelling in card.spellings():
            typed.setdefault(key_of(spelling), _meaning(card, spelling))
    for card in typeable:
        for spelling in card.spellings():
            for short in short_names(spelling):
                typed.setdefault(key_of(short), _meaning(card, spelling))
    ambiguous = _add_numbers(typed, typeable)
    return Catalogue(
        cards=MappingProxyType(by_name),
        families=MappingProxyType(families),
        typed=MappingProxyType(typed),
        ambiguous=MappingProxyType(ambiguous),
        spelled=MappingProxyType(spelled),
        exact=MappingProxyType(exact),
    )


def _meaning(card: Card, spelling: str) -> CardChoice:
    size = memory_in(spelling) if memory_in(card.name) is None else None
    return CardChoice(name=card.name, cards=frozenset({card.name}), vram_gb=size)


def _add_numbers(typed: dict[str, CardChoice], cards: Iterable[Card]) -> dict[str, tuple[str, ...]]:
    """Enter model numbers as names where one plain card bears them, and return those that several cards fit."""
    fitting: dict[str, list[Card]] = {}
    for card in cards:
        number = card.number()
        if number is not None:
            brands = [word for word in ("rtx", "gtx", "rx", "quadro", "tesla") if word in card.name.casefold().split()]
            for key in (number, *(brand + number for brand in brands)):
                fitting.setdefault(key, []).append(card)
    ambiguous: dict[str, tuple[str, ...]] = {}
    for key, fits in sorted(fitting.items()):
        plain = [card for card in fits if card.name.casefold() in (f"rtx {key}", f"gtx {key}", f"rx {key}")]
        if key in typed:
            continue
        if plain or (len(fits) == 1 and len(key) >= 4):
            chosen = plain[0] if plain else fits[0]
            typed[key] = CardChoice(name=chosen.name, cards=frozenset({chosen.name}))
        else:
            ambiguous[key] = tuple(sorted(card.name for card in fits))
    return ambiguous


CATALOGUE: Final = catalogue_of(CARDS)
"""The cards known by heart."""


def default_catalogue() -> Catalogue:
    """The catalogue to start from; names seen in answers are added with `with_seen`."""
    return CATALOGUE
