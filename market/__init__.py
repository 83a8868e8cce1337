"""The pure core: what an offer, a card, a rule and a price are.

Standard library only. Nothing here reads a clock, a file, a network or chance: `now` and everything else that
varies is an argument, so that every decision can be replayed and explained.
"""
