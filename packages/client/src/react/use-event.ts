/** State of the event, or a part of it. */
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react"
import type { EventState, GatewayClient } from "../entry.ts"
import { isAlike } from "./is-alike.ts"

const whole = (state: EventState): EventState => state
const nothing = (): undefined => undefined

export interface UseEvent {
  /** State of the event; undefined until the client is connected for the first time. */
  (client: GatewayClient): EventState | undefined
  /**
   * A part of the state. The component renders only when that part changes, so a selector may create a new array or object. Without
   * `isEqual`, two arrays or plain objects with the same items are equal.
   */
  <A>(client: GatewayClient, select: (state: EventState) => A, isEqual?: (a: A, b: A) => boolean): A | undefined
}

export const useEvent: UseEvent = <A>(
  client: GatewayClient,
  select: (state: EventState) => A = whole as (state: EventState) => A,
  isEqual: (a: A, b: A) => boolean = isAlike,
): A | undefined => {
  const shown = useRef<{ readonly selected: A } | undefined>(undefined)
  const subscribe = useCallback((changed: () => void) => client.on("state", changed), [client])
  // Most selectors are written inline and differ at each render: the selected part outlives them.
  const read = useMemo(() => {
    let last: { readonly state: EventState; readonly selected: A } | undefined
    return (): A | undefined => {
      const { state } = client
      if (state === undefined) return undefined
      if (last?.state === state) return last.selected
      const selected = select(state)
      const before = last ?? shown.current
      last = {
        state,
        selected: before !== undefined && isEqual(before.selected, selected) ? before.selected : selected,
      }
      return last.selected
    }
  }, [client, select, isEqual])
  const selected = useSyncExternalStore(subscribe, read, nothing)
  useEffect(() => {
    shown.current = selected === undefined ? undefined : { selected }
  }, [selected])
  return selected
}
