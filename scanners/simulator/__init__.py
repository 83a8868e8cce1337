"""A GPU rental market on loopback: invented machines and prices behind the real services' rules and limits.

It serves the demo, the tests and the benchmarks. It is as strict and as odd as the real services are known to be,
moves on virtual time only, and never contacts anybody.
"""
