from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given, strategies as st

from anamorph.http.addresses import parse_networks, why_refused

PRIVATE = [ipaddress.ip_network(net) for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8")]


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("127.0.0.1", "a loopback address"),
        ("127.8.9.10", "a loopback address"),
        ("::1", "a loopback address"),
        ("10.1.2.3", "a private address"),
        ("172.31.255.255", "a private address"),
        ("192.168.0.1", "a private address"),
        ("169.254.169.254", "a link-local address"),
        ("fe80::1", "a link-local address"),
        ("fe80::1%eth0", "a link-local address"),
        ("fd00::1", "a private address"),
        ("fec0::1", "a private address"),
        ("224.0.0.1", "a multicast address"),
        ("ff02::1", "a multicast address"),
        ("0.0.0.0", "an unspecified address"),
        ("::", "an unspecified address"),
        ("255.255.255.255", "a private address"),
        ("240.0.0.1", "a private address"),
        ("100.64.0.1", "not an address of the public internet"),
        ("192.0.2.1", "a private address"),
        ("::ffff:8.8.8.8", "an IPv4-mapped address"),
        ("::ffff:127.0.0.1", "an IPv4-mapped address"),
        ("::7f00:1", "an address that embeds an IPv4 address"),
        ("64:ff9b::7f00:1", "an address that embeds an IPv4 address"),
        ("2002:7f00:1::", "an address that embeds an IPv4 address"),
        ("2001:0:7f00:1::", "an address that embeds an IPv4 address"),
        ("not.an.address", "not an address"),
        ("2130706433", "not an address"),
    ],
)
def test_what_is_not_the_public_internet_is_refused(address: str, why: str) -> None:
    assert why_refused(address) == why


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"])
def test_the_public_internet_may_be_reached(address: str) -> None:
    assert why_refused(address) is None


@given(st.sampled_from(PRIVATE), st.integers(min_value=0), st.booleans())
def test_no_private_address_gets_through_plain_or_mapped(
    network: ipaddress.IPv4Network, offset: int, mapped: bool
) -> None:
    address = network[offset % network.num_addresses]
    assert why_refused(f"::ffff:{address}" if mapped else str(address)) is not None


@given(st.ip_addresses())
def test_whatever_is_let_through_is_global_and_for_one(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if why_refused(str(address)) is None:
        assert address.is_global and not address.is_multicast and not address.is_loopback


def test_networks_can_be_allowed_and_nothing_beyond_them() -> None:
    allowed = parse_networks(["127.0.0.1", "fd00::/8"])
    assert why_refused("127.0.0.1", allowed) is None and why_refused("fd12::1", allowed) is None
    assert why_refused("127.0.0.2", allowed) is not None and why_refused("::ffff:127.0.0.1", allowed) is not None


def test_what_is_no_network_is_named() -> None:
    with pytest.raises(ValueError, match="'localhost' is not a network address such as"):
        parse_networks(["localhost"])
