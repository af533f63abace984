/** A part of the live event that may change with every message of a full chat. */
import type { EventState, GatewayClient } from "@gathercue/client"
import { useCallback, useSyncExternalStore } from "react"

/** A person reads no faster, and the page has the rest of the time for the person who types. */
const PACE_MS = 250

const nothing = (): undefined => undefined

/**
 * The part, rendered at once when it changes after a pause, and otherwise at most every `PACE_MS`. `select` is the same function while
 * it selects the same part, and returns an object of the state, not a new one.
 */
export const usePacedEvent = <A>(client: GatewayClient, select: (state: EventState) => A): A | undefined => {
  const read = useCallback(() => (client.state === undefined ? undefined : select(client.state)), [client, select])
  const subscribe = useCallback(
    (changed: () => void) => {
      let told = read()
      let toldAt = Number.NEGATIVE_INFINITY
      let timer: ReturnType<typeof setTimeout> | undefined
      const tell = (): void => {
        timer = undefined
        told = read()
        toldAt = performance.now()
        changed()
      }
      const stop = client.on("state", () => {
        if (timer !== undefined || read() === told) return
        const wait = toldAt + PACE_MS - performance.now()
        if (wait <= 0) tell()
        else timer = setTimeout(tell, wait)
      })
      return () => {
        stop()
        clearTimeout(timer)
      }
    },
    [client, read],
  )
  return useSyncExternalStore(subscribe, read, nothing)
}
