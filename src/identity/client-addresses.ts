/**
 * The addresses that limits count, for REST and the gateway alike. A proxy that nobody named makes every client look like one. The
 * log says so, because it is a mistake of the configuration that only shows under load: once for peers of private networks, where
 * the proxy usually is, and once for others, because any client on the internet can send the header.
 */
import { Context, Effect, Layer } from "effect"
import { clientOf, isInside, type TrustedProxies } from "../model/client-address.ts"
import { Telemetry } from "../telemetry.ts"

const UNNAMED_PROXY =
  "a peer that TRUSTED_PROXIES does not name sends X-Forwarded-For: every limit by address counts this peer and not its clients"

export interface Client {
  /** The address that limits count. */
  readonly address: string
  /** It is a proxy's of the operator's own network, which nobody named: anybody may stand behind it. */
  readonly isShared: boolean
}

export class ClientAddresses extends Context.Service<
  ClientAddresses,
  {
    /** `peer`: the address the connection comes from; `forwardedFor`: its `x-forwarded-for`. */
    readonly of: (peer: string, forwardedFor: string | undefined) => Client
  }
>()("gathercue/ClientAddresses") {
  /** `proxies`: those whose `x-forwarded-for` is believed. */
  static readonly layer = (proxies: TrustedProxies): Layer.Layer<ClientAddresses, never, Telemetry> =>
    Layer.effect(
      ClientAddresses,
      Effect.gen(function* () {
        const { log } = yield* Telemetry
        const said = { inside: false, outside: false }
        return {
          of: (peer, forwardedFor) => {
            const { address, isUnnamedProxy } = clientOf(peer, forwardedFor, proxies)
            if (!isUnnamedProxy) return { address, isShared: false }
            const place = isInside(peer) ? "inside" : "outside"
            if (!said[place]) {
              said[place] = true
              log.warn({ peer }, UNNAMED_PROXY)
            }
            // On the internet anybody can send the header, so it must not lift a limit there.
            return { address, isShared: place === "inside" }
          },
        }
      }),
    )
}
