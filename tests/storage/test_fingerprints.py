"""The book's fingerprints are those of its offers, whatever has happened to it."""

from __future__ import annotations

from pathlib import Path

from storage.book import Book
from tests.storage.stage import Stage, vast


def test_the_book_knows_the_fingerprint_of_every_open_offer_and_of_no_other(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "a.db")
    try:
        stage.scan(vast(1), vast(2), vast(3))
        stage.scan(vast(1, price=0.5), vast(2, offer_id="9"), vast(4))
        kept = stage.recorder._mirror.book
        with stage.store.read() as connection:
            loaded = Book.load(connection)
        for book in (kept, loaded):
            known = book.open_in("vast")
            assert known.keys() == {"vast:1:1", "vast:2:1", "vast:4:1"}
            assert book.prints == {hash(offer) for offer in known.values()}
    finally:
        stage.store.close()
