"""The `atalaia` command: its options and its commands, each loaded only when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Final

import typer

from bot.version import product_version

COMMANDS: Final = {
    "run": "bot.cli.run:run",
    "demo": "bot.cli.demo:demo",
    "scan": "bot.cli.scan:scan",
    "now": "bot.cli.now:now",
    "history": "bot.cli.history:history",
    "watch": "bot.cli.watch:app",
    "alerts": "bot.cli.alerts:alerts",
    "status": "bot.cli.check:status",
    "health": "bot.cli.check:health",
    "doctor": "bot.cli.check:doctor",
}
"""Name to where it is: a module takes up to half a second to load, and a call needs one of them."""
_FREE_WORDS: Final = {"now"}
"""Commands whose words may look like options, such as `-rtx`."""


def app_for(words: Sequence[str]) -> typer.Typer:
    """The application as far as these words need it: the command they name, or all of them for the help."""
    app = typer.Typer(
        name="atalaia",
        help="Watches the GPU rental marketplaces Vast.ai and RunPod and tells when the card you need is there.",
        epilog="Everywhere: --config FILE chooses the configuration, --json prints one document, --debug shows faults.",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    first = next((word for word in words if not word.startswith("-")), None)
    for name in (first,) if first in COMMANDS else COMMANDS:
        module, _, function = COMMANDS[str(name)].partition(":")
        found = getattr(importlib.import_module(module), function)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name, context_settings={"ignore_unknown_options": name in _FREE_WORDS})(found)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"atalaia {product_version()}")
        raise typer.Exit


def root(
    version: bool = typer.Option(False, "--version", help="Show the version.", callback=_version, is_eager=True),
) -> None:
    """Watch the GPU rental marketplaces."""
