/**
 * Who is calling, by address, for rate limits: the peer of the connection, or what proxies we trust say of it. An IPv6
 * caller counts as its /64, because a single household has that many addresses.
 */
import ipaddr from "ipaddr.js"

export type TrustedProxies = ReadonlyArray<[ipaddr.IPv4 | ipaddr.IPv6, number]>

/** Addresses as they are usually written; `10.1` and `0x7f.1` are addresses to some parsers, and traps. */
const parse = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  const given = text.trim()
  return ipaddr.IPv4.isValidFourPartDecimal(given) || ipaddr.IPv6.isValid(given) ? ipaddr.process(given) : undefined
}

/** `text`: comma separated addresses and CIDR blocks. Throws for anything else. */
export const parseTrustedProxies = (text: string): TrustedProxies =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      if (part.includes("/")) return ipaddr.parseCIDR(part)
      const address = parse(part)
      if (address === undefined) throw new Error(`"${part}" is no address`)
      return [address, address.kind() === "ipv4" ? 32 : 128]
    })

const isTrusted = (address: ipaddr.IPv4 | ipaddr.IPv6, proxies: TrustedProxies): boolean =>
  proxies.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))

const PREFIX_GROUPS = 4

const counted = (address: ipaddr.IPv4 | ipaddr.IPv6): string => {
  if (address.kind() === "ipv4") return address.toString()
  const groups = (address as ipaddr.IPv6).parts.slice(0, PREFIX_GROUPS)
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`
}

/** From the nearest hop outwards: the first address that is no proxy of ours. A header is believed only behind one. */
export const clientAddress = (peer: string, forwardedFor: string | undefined, proxies: TrustedProxies): string => {
  let address = parse(peer)
  if (address === undefined) return peer
  const hops = (forwardedFor ?? "").split(",").toReversed()
  for (const hop of hops) {
    if (!isTrusted(address, proxies)) break
    const next = parse(hop)
    if (next === undefined) break
    address = next
  }
  return counted(address)
}
