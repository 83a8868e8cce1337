"""The whole product against the built-in market simulator, for those who want to see it first. Nothing here is real."""
