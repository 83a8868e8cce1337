"""One module (or folder) a marketplace, found by its place here; see `scanners.registry`."""
