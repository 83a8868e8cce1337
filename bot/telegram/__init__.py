"""Telegram at the edge: its types, its errors and its limits end in this folder.

What comes in becomes a `Request` or a `Press`; what goes out is a `Reply` or an alert. Nothing here knows a market, and
nothing here may stop the product: Telegram can be away for as long as it likes.
"""
