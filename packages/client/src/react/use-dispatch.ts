/** Dispatches outside the state, such as announcements. */
import { useEffect } from "react"
import type { DispatchData, DispatchName, GatewayClient } from "../entry.ts"
import { useLatest } from "./use-latest.ts"

/** Calls `listener` with each dispatch of the name. The listener may change at each render. */
export const useDispatch = <T extends DispatchName>(
  client: GatewayClient,
  name: T,
  listener: (data: DispatchData<T>) => void,
): void => {
  const latest = useLatest(listener)
  useEffect(() => {
    const on = client.on as (name: DispatchName, listener: (data: never) => void) => () => void
    return on(name, (data: DispatchData<T>) => latest.current(data))
  }, [client, name, latest])
}
