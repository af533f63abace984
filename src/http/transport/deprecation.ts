/**
 * The deprecation of an endpoint (specification §9 leaves it open): `Deprecation` from the day it is advised against (RFC
 * 9745), `Sunset` for the day it may be gone (RFC 8594), and a link to its replacement. `/v1` is kept for at least a
 * year after both were announced.
 */
import { Context } from "effect"
import type { HttpResponse } from "./message.ts"

interface Retirement {
  /** RFC 3339. */
  readonly since: string
  /** RFC 3339; a year or more later. */
  readonly until: string
  /** The replacement. */
  readonly insteadUrl: string
}

/** On an endpoint that will be removed. */
export class Deprecated extends Context.Service<Deprecated, Retirement>()("gathercue/Deprecated") {}

export const deprecationHeaders = ({ since, until, insteadUrl }: Retirement): HttpResponse["headers"] => [
  ["deprecation", `@${Math.floor(Date.parse(since) / 1000)}`],
  ["sunset", new Date(until).toUTCString()],
  ["link", `<${insteadUrl}>; rel="deprecation"`],
]
