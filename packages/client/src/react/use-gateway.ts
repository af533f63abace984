/** A client that lives as long as the component which uses it. */
import { useEffect, useLayoutEffect, useState } from "react"
import { GatewayClient, type GatewayClientOptions } from "../entry.ts"

export interface GatewayOptions extends GatewayClientOptions {
  /** Names the client's event, such as by its id. Another key makes another client. */
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

/** Connects until the function that it returns is called. */
const stayConnected = (client: GatewayClient): (() => void) => {
  let isLeft = false
  let isBegun = false
  // In StrictMode a component is mounted, unmounted and mounted again at once: the first time must not ask for a token.
  queueMicrotask(() => {
    if (isLeft) return
    isBegun = true
    // The reason is in `useConnection`.
    client.connect().catch(() => {})
  })
  return () => {
    isLeft = true
    if (isBegun) client.close()
  }
}

/**
 * A client that connects when the component is mounted and leaves the event when it is unmounted. The options of the first render with a
 * key hold, but for `token`: its newest function is called.
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
