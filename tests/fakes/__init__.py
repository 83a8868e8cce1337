"""Stand-ins for the services that the product talks to, kept close enough to the real ones to be believed."""
