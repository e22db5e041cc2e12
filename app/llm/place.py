"""Where a model is, for requests and for sentences; addresses as people type them."""

import ipaddress
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Place:
    """Whom requests go to.

    Attributes:
        base_url: without `/chat/completions`.
        model: the model's name.
        key: the key that is sent, "" for none; never shown.
    """

    base_url: str = ""
    model: str = ""
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Name and port, without user and password."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def address(self) -> str:
        """The base URL as it may be shown: without user and password."""
        parts = urlsplit(self.base_url)
        return parts._replace(netloc=self.host, query="", fragment="").geturl()

    @property
    def on_this_machine(self) -> bool:
        """Whether it is this machine: then no proxy stands between."""
        return is_loopback(urlsplit(self.base_url).hostname or "")

    @property
    def in_the_clear(self) -> bool:
        """Whether nothing is encrypted on the way: `http:` to this machine, so by no proxy."""
        return urlsplit(self.base_url).scheme == "http" and self.on_this_machine


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    named = host == "localhost" or host.endswith(".localhost")
    return named or _is(host, "is_loopback") or _is(host, "is_unspecified")


def is_private(host: str) -> bool:
    """Whether a host is this machine or in a private network."""
    return is_loopback(host) or _is(host, "is_private") or ("." not in host and ":" not in host)


@lru_cache(256)  # each look at the window asks
def _is(host: str, quality: str) -> bool:
    try:
        return bool(getattr(ipaddress.ip_address(host), quality))
    except ValueError:
        return False
