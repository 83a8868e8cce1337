"""Bring the catalogues in step with the code: `python -m bot.locale.update`, or with `--check` only look.

New messages are added empty, to be translated by hand; what is no longer spoken is dropped. Nothing is guessed, so no
entry is ever fuzzy. Exit code 1 with `--check` when a file would change or a translation is wanting.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from bot.locale.extraction import problems, template_of

PACKAGE = Path(__file__).resolve().parents[1]


def updated(current: bytes, language: str, template: Catalog) -> tuple[bytes, Catalog]:
    """The catalogue file with exactly the messages of the template, and the catalogue itself."""
    catalogue = read_po(io.BytesIO(current), locale=language)
    created = catalogue.creation_date
    catalogue.update(template, no_fuzzy_matching=True, update_creation_date=False)
    catalogue.creation_date = created
    catalogue.obsolete.clear()
    target = io.BytesIO()
    write_po(target, catalogue, width=110, sort_output=True, include_lineno=False, ignore_obsolete=True)
    return target.getvalue(), catalogue


def main(arguments: list[str], *, package: Path = PACKAGE) -> int:
    """Update every language of the package, or check it; the exit code."""
    template = template_of(package)
    wanting = 0
    for file in sorted((package / "locale").glob("*/LC_MESSAGES/*.po")):
        language = file.parents[1].name
        before = file.read_bytes()
        after, catalogue = updated(before, language, template)
        found = problems(catalogue, template)
        if "--check" not in arguments:
            file.write_bytes(after)
        elif before != after:
            found.append("the file is not in step with the code")
        sys.stdout.writelines(f"{language}: {problem}\n" for problem in found)
        wanting += len(found)
    return 1 if wanting and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
