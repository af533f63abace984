/**
 * Client addresses for limits, for REST and the gateway alike. An unconfigured proxy makes all its clients look like one. The log reports
 * it, because the mistake shows only under load: once for peers of private networks, where the proxy usually is, and once for others,
 * because any client on the internet can send the header.
 */
import { Context, Effect, Layer } from "effect"
import { clientOf, isInside, type TrustedProxies } from "../../model/limits/client-address.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"

const UNNAMED_PROXY =
  "a peer that TRUSTED_PROXIES does not name sends X-Forwarded-For: every limit by address counts this peer and not its clients"

export interface Client {
  /** Address used for limits. */
  readonly address: string
  /** Whether it is the address of an unconfigured proxy in the operator's own network, shared by its clients. */
  readonly isShared: boolean
}

/** Number of cached clients, so that the addresses of a frequent one are parsed once. */
const REMEMBERED = 5_000
/** Header length above which a client is not cached: anybody may send long ones. */
const LONG = 100

export class ClientAddresses extends Context.Service<
  ClientAddresses,
  {
    /** `peer` is the address of the connection; `forwardedFor` is its `x-forwarded-for`. */
    readonly of: (peer: string, forwardedFor: string | undefined) => Client
  }
>()("gathercue/ClientAddresses") {
  /** `proxies` are those whose `x-forwarded-for` is trusted. */
  static readonly layer = (proxies: TrustedProxies): Layer.Layer<ClientAddresses, never, Telemetry> =>
    Layer.effect(
      ClientAddresses,
      Effect.gen(function* () {
        const { log } = yield* Telemetry
        const isLogged = { inside: false, outside: false }
        const read = (peer: string, forwardedFor: string | undefined): Client => {
          const { address, isUnnamedProxy } = clientOf(peer, forwardedFor, proxies)
          if (!isUnnamedProxy) return { address, isShared: false }
          const place = isInside(peer) ? "inside" : "outside"
          if (!isLogged[place]) {
            isLogged[place] = true
            log.warn({ peer }, UNNAMED_PROXY)
          }
          // On the internet any client can send the header, so it must not lift a limit there.
          return { address, isShared: place === "inside" }
        }
        const known = new Map<string, Client>()
        return {
          of: (peer, forwardedFor = "") => {
            if (peer.length + forwardedFor.length > LONG) return read(peer, forwardedFor)
            const given = `${peer} ${forwardedFor}`
            const before = known.get(given)
            if (before !== undefined) return before
            const client = read(peer, forwardedFor)
            if (known.size >= REMEMBERED) known.clear()
            known.set(given, client)
            return client
          },
        }
      }),
    )
}
