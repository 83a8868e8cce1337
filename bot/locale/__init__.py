"""The translations: one folder a language with its `.po` file, and what keeps them complete.

A language is added by its folder, its name in `bot.language.Language`, and a run of `python -m bot.locale.update`.
"""
