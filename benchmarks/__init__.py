"""Measured claims: each script prints a table and can write it into docs/benchmarks.md."""
