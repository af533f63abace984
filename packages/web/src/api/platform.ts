/** The state of the deployment, read with the operator's key. */
import { makeRestClient } from "@gathercue/client"
import { SERVER } from "./rest.ts"

/** The key goes in a header of its own, which the client of integrators does not know. */
const restOf = (platformKey: string) =>
  makeRestClient({
    baseUrl: SERVER,
    fetch: (address, init) => {
      const headers = new Headers(init?.headers)
      headers.set("x-platform-key", platformKey)
      return fetch(address, { ...init, headers })
    },
  })

export const readPlatform = (platformKey: string, signal: AbortSignal) =>
  restOf(platformKey).getPlatformStatus({}, { signal })

export type PlatformStatus = Awaited<ReturnType<typeof readPlatform>>
