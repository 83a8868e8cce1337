"""The page where a person finds an offer: Vast.ai documents no link to a single ask, only to a filtered search."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from market.money import dollars
from market.offer import Offer

CREATE: Final = "https://cloud.vast.ai/create/"
PRICE_MARGIN_USD: Final = 0.01


def link(offer: Offer) -> str:
    """A search narrowed to the card, the GPU count and the price of `offer`, a cent up and down."""
    price = dollars(offer.price)
    wanted = {
        "gpuModelNames": model_name(offer.gpu),
        "offerGpuNumMin": offer.gpu_count,
        "offerGpuNumMax": offer.gpu_count,
        "priceInstanceHourlyMin": f"{max(0.0, price - PRICE_MARGIN_USD):.4f}",
        "priceInstanceHourlyMax": f"{price + PRICE_MARGIN_USD:.4f}",
        "instanceDiskSizeMin": offer.disk_gb,
        "instanceType": "onDemand",
        "isOfferAvailable": "true",
        "sorts": "priceInstanceHourly-asc",
    }
    if offer.verified:
        wanted["isOfferVerified"] = "true"
    if offer.tier == "datacenter":
        wanted["isHostSecure"] = "true"
    if offer.reliability_ppm is not None:
        wanted["machineReliabilityMin"] = f"{offer.reliability_ppm // 10_000 / 100:.2f}"
    return f"{CREATE}?{urlencode(wanted)}"


def model_name(card: str) -> str:
    """The card as the page's address names it: "RTX 4080 Super" is `rtx4080Super`, "H100 SXM" `h100Sxm`."""
    words = "".join(char if char.isalnum() else " " for char in card).split()
    return "".join(word.lower() if first == 0 else word.capitalize() for first, word in enumerate(words))
