/** A client with the lifetime of the component that uses it. */
import { useEffect, useLayoutEffect, useState } from "react"
import { GatewayClient, type GatewayClientOptions } from "../entry.ts"

export interface GatewayOptions extends GatewayClientOptions {
  /** Identifies the client's event, for example by its id. Another key creates another client. */
  readonly key: string
}

interface Held {
  readonly key: string
  readonly client: GatewayClient
  token: GatewayClientOptions["token"]
}

const holdOne = ({ key, ...options }: GatewayOptions): Held => {
  const held: Held = {
    key,
    token: options.token,
    client: new GatewayClient({ ...options, token: () => held.token() }),
  }
  return held
}

/** Stays connected until the returned function is called. */
const stayConnected = (client: GatewayClient): (() => void) => {
  let isLeft = false
  let isBegun = false
  // In StrictMode a component is mounted, unmounted and mounted again at once: the first mount must not request a token.
  queueMicrotask(() => {
    if (isLeft) return
    isBegun = true
    // `useConnection` shows the reason.
    client.connect().catch(() => {})
  })
  return () => {
    isLeft = true
    if (isBegun) client.close()
  }
}

/**
 * A client that connects when the component is mounted and leaves the event when it is unmounted. The options of the first render with a
 * key apply, except for `token`, whose newest function is called.
 */
export const useGateway = (options: GatewayOptions): GatewayClient => {
  const [last, hold] = useState(() => holdOne(options))
  const held = last.key === options.key ? last : holdOne(options)
  if (held !== last) hold(held)
  useLayoutEffect(() => {
    held.token = options.token
  })
  useEffect(() => stayConnected(held.client), [held])
  return held.client
}
