"""Marketplaces become snapshots: one module a marketplace, one HTTP client, one poll cycle."""
