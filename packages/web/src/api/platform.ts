/** The state of the deployment, read with the operator's key. */
import { makeRestClient } from "@gathercue/client"
import { SERVER } from "./rest.ts"

/** Sends the key in a header of its own, which the integrators' client does not know. */
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

export const inspectEvent = (platformKey: string, id: string, signal: AbortSignal) =>
  restOf(platformKey).inspectEvent({ params: { id } }, { signal })

/** Declares the database the original. `discards` drops what already waited in the original. */
export const promotePlatform = (platformKey: string, discards: boolean) =>
  restOf(platformKey).promotePlatform({ payload: { discardWaiting: discards } })

export const readSettings = (platformKey: string, signal: AbortSignal) =>
  restOf(platformKey).getPlatformSettings({}, { signal })

export type LogLevel = "info" | "warn" | "error"

export const readLog = (platformKey: string, level: LogLevel, signal: AbortSignal) =>
  restOf(platformKey).getPlatformLog({ query: { level } }, { signal })

export const testMail = (platformKey: string, to: string) => restOf(platformKey).testMail({ payload: { to } })

export const testWebhook = (platformKey: string, url: string) => restOf(platformKey).testWebhook({ payload: { url } })
