/** The call between browsers or on a media server, depending on the last seat. Between two rooms there is briefly no seat. */
import type { GatewayClient } from "@gathercue/client"
import { presentSeat } from "@gathercue/client/media"
import { useEvent } from "@gathercue/client/react"
import { lazy, Suspense, useEffect, useState } from "react"
import { useTexts } from "../../texts/language.tsx"
import { CallPanel } from "./call-controls.tsx"
import { MeshCall } from "./mesh-call.tsx"

const ServerCall = lazy(async () => ({ default: (await import("./server-call.tsx")).ServerCall }))

export const EventCall = ({ client }: { readonly client: GatewayClient }) => {
  const { loading } = useTexts()
  const present = useEvent(client, (state) => presentSeat(state)?.provider ?? null) ?? null
  const [last, remember] = useState(present)
  useEffect(() => {
    if (present !== null) remember(present)
  }, [present])
  const isSeated = present !== null
  switch (present ?? last) {
    case "mesh":
      return <MeshCall client={client} isSeated={isSeated} />
    case "livekit":
      return (
        <Suspense
          fallback={
            <CallPanel>
              <p role="status">{loading}</p>
            </CallPanel>
          }
        >
          <ServerCall client={client} isSeated={isSeated} />
        </Suspense>
      )
    default:
      return null
  }
}
