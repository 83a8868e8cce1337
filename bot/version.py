"""The version of the installed product."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def product_version() -> str:
    """Such as `0.1.0`; `0` when it runs from a folder without being installed."""
    try:
        return version("atalaia")
    except PackageNotFoundError:
        return "0"
