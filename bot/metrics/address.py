"""Where metrics are served: an address of this machine and a port. Names are not looked up, but for `localhost`."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass

_FORM = re.compile(r"(?:\[(?P<six>[^\[\]]+)\]|(?P<four>[^:\[\]]+)):(?P<port>[0-9]{1,5})")
_EXAMPLE = "write it as 127.0.0.1:9109 or [::1]:9109"
_LARGEST_PORT = 65_535


@dataclass(frozen=True, kw_only=True, slots=True)
class ListenAddress:
    """An IP address and a port; port 0 lets the system choose one that is free."""

    host: str
    port: int

    @property
    def family(self) -> socket.AddressFamily:
        """IPv4 or IPv6."""
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET

    @property
    def is_loopback(self) -> bool:
        """Whether nobody but this machine can reach it."""
        address = ipaddress.ip_address(self.host)
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        return (mapped or address).is_loopback

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def listen_address(text: str) -> ListenAddress:
    """Read `127.0.0.1:9109`, `[::1]:9109` or `localhost:9109`. Raises ValueError with the remedy."""
    form = _FORM.fullmatch(text)
    if form is None:
        raise ValueError(f"not an address with a port; {_EXAMPLE}")
    port = int(form["port"])
    if port > _LARGEST_PORT:
        raise ValueError(f"there is no port {port}; the largest is {_LARGEST_PORT}")
    host = "127.0.0.1" if form["four"] == "localhost" else form["six"] or form["four"]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        raise ValueError(f"{host!r} is not an IP address; {_EXAMPLE}") from None
    if (address.version == 6) != (form["six"] is not None):
        raise ValueError(f"brackets belong around an IPv6 address and around no other; {_EXAMPLE}")
    return ListenAddress(host=host, port=port)
