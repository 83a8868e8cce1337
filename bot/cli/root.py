"""The `atalaia` command: its options and its commands."""

from __future__ import annotations

import typer

from bot.cli import alerts, check, demo, history, now, run, scan, watch
from bot.version import product_version

app = typer.Typer(
    name="atalaia",
    help="Watches the GPU rental marketplaces Vast.ai and RunPod and tells you the moment the card you need is there.",
    epilog="Everywhere: --config FILE chooses the configuration, --json prints one document, --debug shows faults.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"atalaia {product_version()}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", help="Show the version.", callback=_version, is_eager=True),
) -> None:
    """Watch the GPU rental marketplaces."""


app.command("run")(run.run)
app.command("demo")(demo.demo)
app.command("scan")(scan.scan)
app.command("now", context_settings={"ignore_unknown_options": True})(now.now)
app.command("history")(history.history)
app.add_typer(watch.app, name="watch")
app.command("alerts")(alerts.alerts)
app.command("status")(check.status)
app.command("health")(check.health)
app.command("doctor")(check.doctor)
