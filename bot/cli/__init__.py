"""The command line: one module a group of commands. It reads arguments, asks, and prints; it decides nothing."""
