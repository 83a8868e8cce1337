"""One model of GPU, and how its names are compared.

Case, spaces, `_` and `-` do not matter inside a name. Nothing here knows which cards exist: that is `market.cards`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

NAME_LIMIT = 64
"""Longest name kept from a marketplace, in characters."""

_SKIPPED = str.maketrans("", "", "_-‐‑‒–—−")
_VENDORS = ("nvidia", "amd", "geforce")
_BRAND = re.compile(r"^(?:NVIDIA|AMD|GeForce|RTX|GTX|RX|Quadro|Q|Tesla|Instinct|Radeon)[ _-]+(?=.)", re.IGNORECASE)
_NUMBER_ONLY = re.compile(r"^(?:rtx|gtx|rx|quadro|q|tesla|instinct|radeon)*[0-9]+$")
_MEMORY = re.compile(r"(?:^|(?<=[ _-]))([0-9]{1,3}) ?GB(?![a-z0-9])", re.IGNORECASE)

_FORBIDDEN = re.compile(r"[<>=≤≥⩽⩾‹›:\"“”]")
_RESERVED = re.compile(
    r"any|all|tiers?|vast|runpod|secure|community|data-?centers?|on-?demand|demand|spot|unverified|once|shortage"
    r"|total|max|usd|us|rel|reliability|disk|down|ram|cuda|vram|dur|drop|low|until|name|in|not|dc"
    r"|[x×][0-9].*|[0-9][0-9+-]*[x×]|.*\$.*|.*[€£].*"
    r"|[+-].*|[0-9]*[.,][0-9.,]*(?:%|/h|usd)?|[0-9]+(?:%|/h|usd)|nan|inf",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """A card by its canonical name, with every memory size it is sold with and every spelling known for it."""

    name: str
    memory_gb: tuple[int, ...] = ()
    """Nominal sizes; empty: not known."""
    family: str | None = None
    vast: tuple[str, ...] = ()
    """Vast.ai spellings of `gpu_name`, exactly."""
    runpod: tuple[str, ...] = ()
    """RunPod type ids, exactly."""
    aliases: tuple[str, ...] = ()

    def spellings(self) -> tuple[str, ...]:
        """Every full spelling, the canonical name first; drivers say "Laptop GPU"."""
        laptop = (f"{self.name} GPU",) if self.name.endswith(" Laptop") else ()
        return (self.name, *self.vast, *self.runpod, *self.aliases, *laptop)

    def number(self) -> str | None:
        """The model number: the first run of three or more digits ("6000" of "RTX A6000")."""
        found = re.search(r"[0-9]{3,}", self.name)
        return found.group() if found else None


def key_of(text: str) -> str:
    """What is compared of a name: folded case, without spaces, `_` and dashes, without a leading vendor's name."""
    key = "".join(text.casefold().translate(_SKIPPED).split())
    for vendor in _VENDORS:
        key = key.removeprefix(vendor)
    return key


def short_names(spelling: str) -> Iterator[str]:
    """The spelling without its brand words, as people type it ("4090 D"); never one that is only a number."""
    rest = spelling
    while (shorter := _BRAND.sub("", rest)) != rest:
        rest = shorter
        if not _NUMBER_ONLY.match(key_of(rest)):
            yield rest


def memory_in(spelling: str) -> int | None:
    """The memory size in GB that stands in a spelling ("NVIDIA A100 80GB PCIe"), if any."""
    found = _MEMORY.search(spelling)
    return int(found.group(1)) if found else None


def cleaned(spelling: str) -> str:
    """A market's spelling made safe to keep: one line, single spaces, no invisible characters, at most 64 long."""
    visible = "".join(char if char.isprintable() else " " if char.isspace() else "" for char in spelling)
    return " ".join(visible.split())[:NAME_LIMIT].rstrip() or "unknown"


def can_be_typed(name: str) -> bool:
    """Whether a name seen in an answer may be typed in a rule: one that reads as rule words would hijack rules."""
    words = [word.strip(",") for word in name.split()]
    return (
        not _FORBIDDEN.search(name)
        and not any(_RESERVED.fullmatch(word) for word in words)
        and not re.fullmatch(r"[\W_]*(?:[0-9]+\s*(?:g|gb|gib)?|[x×])[\W_]*", name, re.IGNORECASE)
        and any(char.isalnum() for char in key_of(name))
    )
