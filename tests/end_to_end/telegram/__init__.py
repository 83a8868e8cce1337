"""The whole product between a simulated market and a fake Telegram."""
