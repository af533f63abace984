/** Whole seconds until a time, by the server's clock; null without a time. */
import type { GatewayClient, TimerView } from "@gathercue/client"
import { useCountdown } from "@gathercue/client/react"
import { useMemo } from "react"

export const useSecondsUntil = (client: GatewayClient, timestamp: string | null | undefined): number | null => {
  const timer = useMemo(
    (): TimerView | null =>
      timestamp == null
        ? null
        : {
            id: timestamp,
            scope: "room",
            ref: timestamp,
            state: "running",
            startedAt: timestamp,
            endsAt: timestamp,
            extendedMs: 0,
            rev: 0,
          },
    [timestamp],
  )
  return useCountdown(client, timer)
}
