/**
 * The deprecation of an endpoint: `Deprecation` from the day its use is discouraged (RFC 9745), `Sunset`
 * for the day it may be removed (RFC 8594), and a link to its replacement. `/v1` is kept for at least a year after both were announced.
 */
import { Context } from "effect"
import type { HttpResponse } from "./message.ts"

interface Retirement {
  /** Start of deprecation, RFC 3339. */
  readonly since: string
  /** Earliest removal, RFC 3339; at least a year later. */
  readonly until: string
  /** Address of the replacement. */
  readonly insteadUrl: string
}

/** Endpoint annotation: the endpoint will be removed. */
export class Deprecated extends Context.Service<Deprecated, Retirement>()("gathercue/Deprecated") {}

export const deprecationHeaders = ({ since, until, insteadUrl }: Retirement): HttpResponse["headers"] => [
  ["deprecation", `@${Math.floor(Date.parse(since) / 1000)}`],
  ["sunset", new Date(until).toUTCString()],
  ["link", `<${insteadUrl}>; rel="deprecation"`],
]
