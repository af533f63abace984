/** A part of the live event that may change with every message of a full chat. */
import type { EventState, GatewayClient } from "@gathercue/client"
import { startTransition, useEffect, useState } from "react"

/** Update interval: a person reads no faster, and the page has the rest of the time for typing. */
const PACE_MS = 250

type Select<A> = (state: EventState) => A

interface Shown<A> {
  readonly client: GatewayClient
  readonly select: Select<A>
  readonly part: A | undefined
}

const partOf = <A>({ state }: GatewayClient, select: Select<A>): A | undefined =>
  state === undefined ? undefined : select(state)

/**
 * The part, rendered at once when it changes after a pause, and otherwise at most every `PACE_MS`; the person's input has priority.
 * `select` must be the same function while it selects the same part, and return an object of the state, not a new one.
 */
export const usePacedEvent = <A>(client: GatewayClient, select: Select<A>): A | undefined => {
  const [shown, show] = useState<Shown<A>>(() => ({ client, select, part: partOf(client, select) }))
  useEffect(() => {
    let told: A | undefined
    let toldAt = Number.NEGATIVE_INFINITY
    let timer: ReturnType<typeof setTimeout> | undefined
    const tell = (): void => {
      timer = undefined
      told = partOf(client, select)
      toldAt = performance.now()
      const next = { client, select, part: told }
      startTransition(() =>
        show((now) => (now.client === client && now.select === select && now.part === next.part ? now : next)),
      )
    }
    const look = (): void => {
      if (timer !== undefined || partOf(client, select) === told) return
      const wait = toldAt + PACE_MS - performance.now()
      if (wait <= 0) tell()
      else timer = setTimeout(tell, wait)
    }
    // The part may have changed since the render.
    tell()
    const stop = client.on("state", look)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client, select])
  return shown.client === client && shown.select === select ? shown.part : partOf(client, select)
}
