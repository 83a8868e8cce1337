"""The running product: composition root, schedule, delivery, command line, rendering."""
