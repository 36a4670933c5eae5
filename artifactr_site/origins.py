"""An origin as a browser means it: scheme, host and port, and nothing else."""

import ipaddress
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Origin:
    """One exact origin; `port` is None when it is the scheme's own."""

    scheme: str
    host: str
    port: int | None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises ValueError with a phrase that says what is wrong with the text."""
        parts = urlsplit(text)
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
            raise ValueError("which is not an origin")
        if parts.path or parts.query or parts.fragment or parts.username is not None:
            raise ValueError("which says more than an origin")
        if "*" in parts.hostname or parts.hostname.startswith("."):
            raise ValueError("which is a pattern, not an exact origin")
        port = parts.port
        return cls(parts.scheme, parts.hostname, None if port == DEFAULT_PORTS[parts.scheme] else port)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}"

    @property
    def netloc(self) -> str:
        return self.bracketed_host if self.port is None else f"{self.bracketed_host}:{self.port}"

    @property
    def bracketed_host(self) -> str:
        """The host as Django's ALLOWED_HOSTS wants it: an IPv6 address stands in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def socket(self) -> str:
        """The same origin for web sockets, as a Content-Security-Policy source."""
        return f"{'wss' if self.scheme == 'https' else 'ws'}://{self.netloc}"

    @property
    def is_loopback(self) -> bool:
        return self.host == "localhost" or is_loopback_address(self.host)


def is_loopback_address(text: str) -> bool:
    """Whether an IP address is this machine's own; an IPv4 address written as IPv6 counts as IPv4."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
