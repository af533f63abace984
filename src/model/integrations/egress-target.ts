/**
 * Which addresses given by users may be called. Pure: the same rules apply at creation, when only the URL is known, and at send time, when
 * its addresses are. `URL` has already folded decimal, octal, hexadecimal, short and full-width forms of an IPv4 address into dotted form
 * (WHATWG URL §3.5), so only canonical text is judged here.
 */
import { isIP } from "node:net"
import { Data } from "effect"
import ipaddr from "ipaddr.js"

/** The target may not be called. `detail` may be shown to the author of the URL. */
export class EgressRefused extends Data.TaggedError("EgressRefused")<{ readonly detail: string }> {}

export interface EgressPolicy {
  /** A development switch: loopback may be called, there also by plain http. */
  readonly allowLoopback: boolean
}

const MAX_URL_LENGTH = 2048

/** IANA has assigned global unicast IPv6 only in this range; ipaddr.js calls the unassigned rest unicast too. */
const GLOBAL_UNICAST_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * Azure's wire server, which gives a machine its settings and secrets: public by its range, yet internal to the host. The corresponding
 * addresses of other clouds are link-local (169.254.0.0/16, fe80::/10), private (fd00:ec2::254) or shared (100.64.0.0/10).
 */
const WIRE_SERVER = "168.63.129.16"

/** Host names of such services, including all names below them. Their addresses differ between clouds and networks. */
const METADATA_NAMES = ["metadata.azure.com", "metadata.goog", "metadata.packet.net", "metadata.tencentyun.com"]
/** Suffixes reserved for private networks (ICANN 2024, RFC 6762): `metadata.google.internal`, `instance-data.ec2.internal`. */
const PRIVATE_SUFFIXES = [".internal", ".local"]

/**
 * Whether the name belongs to a private network; single-label names (`metadata`, `instance-data`) are resolved by a network's search list.
 */
const isPrivateName = (host: string): boolean =>
  !host.includes(".") ||
  PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix)) ||
  METADATA_NAMES.some((name) => host === name || host.endsWith(`.${name}`))

type Reach = "public" | "loopback" | "internal"

const reachOf = (address: string): Reach => {
  if (isIP(address) === 0) return "internal"
  // An IPv4 address in an IPv6 form (RFC 4291 §2.5.5.2) is judged as IPv4.
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (range === "loopback") return "loopback"
  if (range !== "unicast" || parsed.toString() === WIRE_SERVER) return "internal"
  return parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST_IPV6) ? "internal" : "public"
}

/** The literal address in a URL, without brackets; `undefined` for a name. */
export const literalAddress = (url: URL): string | undefined => {
  const host = url.hostname.replace(/^\[|\]$/g, "")
  return isIP(host) === 0 ? undefined : host
}

/** Whether the name means this machine by definition and is never looked up (RFC 6761 §6.3). */
export const isLoopbackName = (host: string): boolean => host === "localhost" || host.endsWith(".localhost")

const refuse = (detail: string): never => {
  throw new EgressRefused({ detail })
}

/** Checks the address itself, and that plain http stays on this machine. Throws `EgressRefused`. */
export const checkAddress = (url: URL, address: string, policy: EgressPolicy): void => {
  const reach = reachOf(address)
  if (reach === "loopback" && policy.allowLoopback) return
  if (reach !== "public") refuse("The URL must lead to a public address.")
  if (url.protocol !== "https:") refuse("The URL must start with https://.")
}

/** Runs all checks of a URL that need no look-up of its host. Throws `EgressRefused`. */
export const checkTarget = (text: string, policy: EgressPolicy): URL => {
  if (text.length > MAX_URL_LENGTH) refuse(`The URL may have at most ${MAX_URL_LENGTH} characters.`)
  // `URL` would silently drop tabs and line breaks, and the called URL would differ from the stored one.
  if (/\s/.test(text) || !URL.canParse(text)) refuse("The URL is not well-formed.")
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") refuse("The URL must start with https://.")
  if (url.username !== "" || url.password !== "") refuse("The URL must not carry a user name or password.")
  if (url.hostname.endsWith(".")) refuse("The host of the URL must not end with a dot.")
  const literal = literalAddress(url)
  if (literal !== undefined) checkAddress(url, literal, policy)
  else if (isLoopbackName(url.hostname)) checkAddress(url, "127.0.0.1", policy)
  else if (isPrivateName(url.hostname)) refuse("The URL must lead to a public address.")
  else if (url.protocol !== "https:") refuse("The URL must start with https://.")
  return url
}
