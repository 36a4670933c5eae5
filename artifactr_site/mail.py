"""The server that e-mail goes out through, and whom it comes from: `smtp://name:password@host:587/sender@example.org`.

`smtp` turns to TLS before it says anything, but for a server on this machine; `smtps` begins with it. The password is
percent-encoded, as in any address.
"""

from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from artifactr_site.origins import is_loopback_address

PORTS = {"smtp": 587, "smtps": 465}
SECONDS = 10
"""How long a page waits for the mail server."""


@dataclass(frozen=True)
class Mail:
    """A mail server, and the address that mail is from."""

    scheme: str
    host: str
    port: int
    username: str
    password: str
    sender: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises ValueError, whose message goes on after the variable's name."""
        url = urlsplit(text)
        sender = unquote(url.path.removeprefix("/"))
        if url.scheme not in PORTS or not url.hostname:
            raise ValueError("is no mail server's address")
        if sender.count("@") != 1 or sender.strip("@") != sender:
            raise ValueError("does not say whom mail is from")
        port = url.port or PORTS[url.scheme]
        name, password = (unquote(part or "") for part in (url.username, url.password))
        return cls(url.scheme, url.hostname, port, name, password, sender)

    def mailer(self) -> dict[str, Any]:
        """The server as an entry of Django's `MAILERS`."""
        is_here = self.host == "localhost" or is_loopback_address(self.host)
        options = {
            "host": self.host,
            "port": self.port,
            "username": self.username,
            "password": self.password,
            "use_ssl": self.scheme == "smtps",
            "use_tls": self.scheme == "smtp" and not is_here,
            "timeout": SECONDS,
        }
        return {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": options}
