"""A person's browser without a screen: signs in by a link, reads pages, sends forms, tries again."""

import re
import time
import urllib.error
import urllib.parse
import urllib.request
from copy import copy
from http.cookiejar import CookieJar

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
AWAY = (urllib.error.URLError, ConnectionError, TimeoutError, OSError)


class Visitor:
    """One person at one server. Forms carry the token of the last page that was read."""

    def __init__(self, link: str) -> None:
        self.url = "/".join(link.split("/")[:3])
        self._jar = CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._jar))
        self._token = ""
        self.get(link.removeprefix(self.url))

    def at(self, url: str) -> "Visitor":
        """The same person in the same browser, at another process."""
        other = copy(self)
        other.url = url
        return other

    @property
    def cookies(self) -> str:
        """What a socket's handshake sends."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self._jar)

    def get(self, path: str) -> str:
        """A page. Raises `urllib.error.HTTPError` if it is refused."""
        with self._opener.open(self.url + path, timeout=10) as response:
            page = str(response.read().decode())
        if found := TOKEN.search(page):
            self._token = found[1]
        return page

    def post(self, path: str, **fields: str) -> str:
        """Send a form and give the address where that leads."""
        data = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": self._token}).encode()
        request = urllib.request.Request(self.url + path, data, {"Origin": self.url})
        with self._opener.open(request, timeout=10) as response:
            return str(response.url).removeprefix(self.url)

    def post_until_taken(self, path: str, seconds: float = 60, **fields: str) -> str:
        """Send a form again and again, as it is, until the server takes it."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return self.post(path, **fields)
            except urllib.error.HTTPError:
                raise
            except AWAY:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
