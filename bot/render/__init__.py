"""Answers and alerts put into words, tables and JSON. Nothing here decides anything."""
