"""A chat in the terminal: the same commands, alerts and buttons as in Telegram, for a demo or a life without it."""
