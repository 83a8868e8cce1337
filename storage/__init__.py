"""SQLite behind a few verbs; rows never leave this package."""
