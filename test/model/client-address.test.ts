import { expect, test } from "vitest"
import { clientAddress, parseTrustedProxies } from "../../src/model/client-address.ts"

const proxies = parseTrustedProxies("10.0.0.0/8, 2001:db8::/32, 192.0.2.7")

test.each([
  ["no proxy: the header is somebody's claim", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["behind a proxy: what it says", "10.1.2.3", "198.51.100.1", "198.51.100.1"],
  ["a claim before the proxy's own word", "10.1.2.3", "1.2.3.4, 198.51.100.1", "198.51.100.1"],
  ["through two proxies", "10.1.2.3", "198.51.100.1, 192.0.2.7", "198.51.100.1"],
  ["only proxies", "10.1.2.3", "10.9.9.9", "10.9.9.9"],
  ["no header", "10.1.2.3", undefined, "10.1.2.3"],
  ["garbage in the header", "10.1.2.3", "unknown, <script>", "10.1.2.3"],
  ["an IPv6 household", "2001:470:1:2:3:4:5:6", undefined, "2001:470:1:2::/64"],
  ["IPv4 in IPv6 clothes", "::ffff:203.0.113.9", undefined, "203.0.113.9"],
  ["an IPv6 proxy", "2001:db8::1", "198.51.100.1", "198.51.100.1"],
])("%s", (_name, peer, header, expected) => {
  expect(clientAddress(peer, header, proxies)).toBe(expected)
})

test.each(["10.0.0.0/33", "nonsense", "10.0.0"])("%s is no list of proxies", (text) => {
  expect(() => parseTrustedProxies(text)).toThrow()
})
