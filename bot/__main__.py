"""Entry point of `atalaia` and `python -m bot`: every failure becomes one line and a proper exit code."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence

import typer

from bot.cli import streams
from bot.cli.root import app_for
from bot.cli.session import Failure, Session, Usage
from bot.guard import AlreadyRunning
from bot.logs import Redactor
from bot.settings import ConfigError
from market.rule import RuleError
from scanners.client import UnusableProxyError
from storage.errors import StoreError

EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    streams.prepare()
    code = call(sys.argv[1:] if arguments is None else list(arguments))
    sys.exit(code if streams.flushed() else code or EXIT_FAILED)


def call(arguments: Sequence[str]) -> int:
    """Run one command; its exit code. Nothing but the answer goes to standard output, no traceback to anybody
    unless `--debug` asks for it."""
    session = Session()
    try:
        words = session.take_options(arguments)
        result = typer.main.get_command(app_for(words)).main(
            words or ["--help"], prog_name="atalaia", standalone_mode=False, obj=session
        )
    except typer.TyperException as error:
        return _report(session, error.format_message(), error.exit_code)
    except ConfigError as error:
        return _report(session, session.placed(str(error)), EXIT_USAGE)
    except (Usage, RuleError, UnusableProxyError) as error:
        return _report(session, str(error), EXIT_USAGE)
    except (Failure, AlreadyRunning, StoreError) as error:
        return _report(session, str(error), EXIT_FAILED)
    except (KeyboardInterrupt, typer.Abort):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        return EXIT_FAILED
    except SystemExit:  # the library's answer to a broken pipe
        return EXIT_FAILED
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        return _report(session, f"{error.strerror or error}{place}", EXIT_FAILED)
    except Exception as error:  # noqa: BLE001 - the last gate: a fault of ours must not end in a traceback
        return _report(session, f"internal fault: {type(error).__name__}: {error} (--debug shows where)", EXIT_FAILED)
    return result if isinstance(result, int) else 0


def _report(session: Session, text: str, code: int) -> int:
    redact = Redactor(session.secrets())
    if session.debug:
        streams.tell(redact(traceback.format_exc()).rstrip())
    streams.tell(redact("atalaia: " + " ".join(text.split())))
    return code


if __name__ == "__main__":
    main()
