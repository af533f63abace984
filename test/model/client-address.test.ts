import { expect, test } from "vitest"
import {
  clientOf,
  factorWithin,
  isInside,
  networkOf,
  parseTrustedProxies,
} from "../../src/model/limits/client-address.ts"

const proxies = parseTrustedProxies("10.0.0.0/8, 2001:db8::/32, 192.0.2.7")

test("the address of a client is what a trusted proxy says last", () => {
  for (const [name, peer, header, expected] of [
    ["no proxy: the header is somebody's claim", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["behind a proxy: what it says", "10.1.2.3", "198.51.100.1", "198.51.100.1"],
    ["a claim before the proxy's own word", "10.1.2.3", "1.2.3.4, 198.51.100.1", "198.51.100.1"],
    ["through two proxies", "10.1.2.3", "198.51.100.1, 192.0.2.7", "198.51.100.1"],
    ["only proxies", "10.1.2.3", "10.9.9.9", "10.9.9.9"],
    ["no header", "10.1.2.3", undefined, "10.1.2.3"],
    ["garbage in the header", "10.1.2.3", "unknown, <script>", "10.1.2.3"],
    ["an IPv6 household", "2001:470:1:2:3:4:5:6", undefined, "2001:470:1:2::/64"],
    ["IPv4 in IPv6 clothes", "::ffff:203.0.113.9", undefined, "203.0.113.9"],
    ["an address with its port", "10.1.2.3", "198.51.100.1:4711", "198.51.100.1"],
    ["an IPv6 address in brackets, with its port", "10.1.2.3", "[2001:470:1:2:3:4:5:6]:4711", "2001:470:1:2::/64"],
    ["an IPv6 address in brackets", "10.1.2.3", "[2001:470:1:2:3:4:5:6]", "2001:470:1:2::/64"],
    ["brackets around something else", "10.1.2.3", "[198.51.100.1]x", "10.1.2.3"],
    ["an IPv6 proxy", "2001:db8::1", "198.51.100.1", "198.51.100.1"],
  ] as const) {
    expect(clientOf(peer, header, proxies).address, name).toBe(expected)
  }
})

test("a stranger with a header is an unnamed proxy", () => {
  for (const [name, peer, header, expected] of [
    ["a stranger with a header", "203.0.113.9", "198.51.100.1", true],
    ["a stranger without one", "203.0.113.9", undefined, false],
    ["a stranger with an empty one", "203.0.113.9", "", false],
    ["a trusted proxy", "10.1.2.3", "198.51.100.1", false],
  ] as const) {
    expect(clientOf(peer, header, proxies).isUnnamedProxy, name).toBe(expected)
  }
})

test("an IPv6 address has a network, an IPv4 address has none", () => {
  const { address } = clientOf("2001:470:1:2:3:4:5:6", undefined, proxies)
  expect([networkOf(address), networkOf("203.0.113.9")]).toEqual(["2001:470:1::/48", undefined])
  expect(networkOf(clientOf("2001:470::1", undefined, proxies).address)).toBe("2001:470:0::/48")
})

test("private and local networks are the operator's own", () => {
  for (const [peer, expected] of [
    ["127.0.0.1", true],
    ["10.9.9.9", true],
    ["::ffff:192.168.1.1", true],
    ["fd12::1", true],
    ["100.64.0.1", true],
    ["203.0.114.9", false],
    ["2001:470::1", false],
    ["garbage", false],
  ] as const) {
    expect(isInside(peer), peer).toBe(expected)
  }
})

test("a list of proxies has addresses and networks alone", () => {
  for (const text of ["10.0.0.0/33", "nonsense", "10.0.0"]) expect(() => parseTrustedProxies(text), text).toThrow()
})

test("addresses and networks that are listed may do more, others not", () => {
  for (const [peer, factor] of [
    ["203.0.113.9", 20],
    ["203.0.114.9", 1],
    ["198.51.100.4", 20],
    ["198.51.100.5", 1],
    ["2001:db8:1:2::9", 20],
    ["2001:db8:1:3::9", 1],
    ["2001:db8:99:4::9", 20],
    ["::ffff:203.0.113.9", 20],
  ] as const) {
    const networks = parseTrustedProxies("203.0.113.0/24, 198.51.100.4, 2001:db8:1:2::77, 2001:db8:99::/48")
    const factorOf = factorWithin(networks, 20)
    expect(factorOf(clientOf(peer, undefined, []).address), peer).toBe(factor)
  }
})
