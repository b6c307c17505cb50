"""Which machines a link from the web may lead to: public ones, by their address and nothing else.

A name says nothing about where it leads, so every address that it resolves to is checked, and the
connection goes to the very address that was checked (`connecting.py`).
"""

from __future__ import annotations

from functools import cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
)
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

# RFC 6890 and its registry: this network, private, carrier-grade NAT, loopback, link-local (clouds
# tell their secrets at 169.254.169.254), protocol assignments, documentation, the 6to4 relay,
# benchmarks, multicast, reserved. And the public address at which one cloud (Azure) tells its own.
_NOT_PUBLIC_4 = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
    192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
    224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
"""
# Of IPv6 only this is handed out, and these parts of it are not: protocol assignments with Teredo,
# documentation, 6to4 (both carry an IPv4 address that a relay would use).
_PUBLIC_6 = "2000::/3"
_NOT_PUBLIC_6 = "2001::/23 2001:db8::/32 2002::/16 3fff::/20"
_TRANSLATED = "64:ff9b::/96"  # NAT64: how an IPv4 address is written where there is only IPv6


def is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _networks_4())
    if address.scope_id is not None:
        return False
    inside = address.ipv4_mapped
    if inside is None and address in _network_6(_TRANSLATED):
        inside = IPv4Address(int(address) & 0xFFFF_FFFF)
    if inside is not None:
        return is_public(inside)
    if address not in _network_6(_PUBLIC_6):
        return False
    return not any(address in _network_6(one) for one in _NOT_PUBLIC_6.split())


def literal(host: str) -> Address | None:
    """The address that a host is, written the one usual way; None for a name.

    ValueError for other ways to write one (0x7f.1, 017700000001, 2130706433), which programs read
    differently from one another.
    """
    if ":" in host:
        return ip_address(host)
    last = host.rstrip(".").rpartition(".")[2]
    if last.isdecimal() or last[:2].lower() == "0x":
        return IPv4Address(host)  # refuses leading zeros, hexadecimals and fewer than four parts
    return None


@cache
def _networks_4() -> tuple[IPv4Network, ...]:
    return tuple(map(IPv4Network, _NOT_PUBLIC_4.split()))


@cache
def _network_6(written: str) -> IPv6Network:
    return IPv6Network(written)
