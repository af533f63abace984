/**
 * Address of a caller, for rate limits: the peer of the connection, or the address given by trusted proxies. An IPv6 caller counts as its
 * /64, because a single household has that many addresses, and as its /48, because anyone can get one.
 */
import ipaddr from "ipaddr.js"

export type TrustedProxies = ReadonlyArray<[ipaddr.IPv4 | ipaddr.IPv6, number]>

/** Some proxies write the port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[([^\]]*)\](?::\d+)?)$/

/** Parses addresses in their usual notation; some parsers also accept `10.1` and `0x7f.1`, which are traps. */
const parse = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  const given = text.trim().replace(WITH_PORT, "$1$2")
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

const SITE_BITS = 64

/** The factor on a client's limits: `factor` for clients in the networks, 1 for others. Clients are given in the form that limits count. */
export const factorWithin = (networks: TrustedProxies, factor: number): ((client: string) => number) => {
  const sites = networks.map(([base, bits]): TrustedProxies[number] => [
    base,
    base.kind() === "ipv6" ? Math.min(bits, SITE_BITS) : bits,
  ])
  return (client) => {
    if (sites.length === 0) return 1
    const address = parse(client.replace(/\/\d+$/, ""))
    return address !== undefined && isTrusted(address, sites) ? factor : 1
  }
}

const SITE_SUFFIX = "::/64"
const NETWORK_SUFFIX = "::/48"
const SITE_GROUPS = 4
const NETWORK_GROUPS = 3

const counted = (address: ipaddr.IPv4 | ipaddr.IPv6): string => {
  if (address.kind() === "ipv4") return address.toString()
  const groups = (address as ipaddr.IPv6).parts.slice(0, SITE_GROUPS)
  return `${groups.map((group) => group.toString(16)).join(":")}${SITE_SUFFIX}`
}

/** Factor by which a /48 may do more than one of its /64s. */
export const NETWORK_FACTOR = 16

/** The /48 of a counted address; `undefined` for IPv4. */
export const networkOf = (counted: string): string | undefined =>
  counted.endsWith(SITE_SUFFIX)
    ? `${counted.slice(0, -SITE_SUFFIX.length).split(":").slice(0, NETWORK_GROUPS).join(":")}${NETWORK_SUFFIX}`
    : undefined

interface Found {
  /** The address that limits count. */
  readonly address: string
  /** The peer sends a forwarding header and is not a trusted proxy: `address` is the peer's. */
  readonly isUnnamedProxy: boolean
}

/** The first address, from the nearest hop outwards, that is not a trusted proxy. A header is believed only from a trusted proxy. */
export const clientOf = (peer: string, forwardedFor: string | undefined, proxies: TrustedProxies): Found => {
  let address = parse(peer)
  if (address === undefined) return { address: peer, isUnnamedProxy: false }
  if (forwardedFor === undefined || forwardedFor === "") return { address: counted(address), isUnnamedProxy: false }
  if (!isTrusted(address, proxies)) return { address: counted(address), isUnnamedProxy: true }
  for (const hop of forwardedFor.split(",").toReversed()) {
    if (!isTrusted(address, proxies)) break
    const next = parse(hop)
    if (next === undefined) break
    address = next
  }
  return { address: counted(address), isUnnamedProxy: false }
}

const INSIDE = new Set(["loopback", "private", "linkLocal", "uniqueLocal", "carrierGradeNat"])

/** Whether the peer is in a private network, as nearly every proxy is. */
export const isInside = (peer: string): boolean => {
  const address = parse(peer)
  return address !== undefined && INSIDE.has(address.range())
}
