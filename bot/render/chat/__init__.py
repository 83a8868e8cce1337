"""What the chat shows, as Telegram HTML: alerts, what became of them, and lists of offers. No Telegram types here."""
