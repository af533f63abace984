/** The call between browsers, or on a media server, as the present seat is. */
import { activePhase, type GatewayClient } from "@gathercue/client"
import { presentSeat } from "@gathercue/client/media"
import { useEvent } from "@gathercue/client/react"
import { lazy, Suspense, useEffect, useState } from "react"
import { useTexts } from "../../texts/language.tsx"
import { MeshCall } from "./mesh-call.tsx"
import "./call.css"

const ServerCall = lazy(async () => ({ default: (await import("./server-call.tsx")).ServerCall }))

export const CallRoom = ({ client }: { readonly client: GatewayClient }) => {
  const { live, loading } = useTexts()
  const seat = useEvent(client, presentSeat) ?? null
  // Another phase, room or role is another seat; a fresh token for the same one is none.
  const place = useEvent(client, (state) =>
    [activePhase(state)?.id, state.me.roomId, state.me.role].map(String).join(" "),
  )
  const [isMesh, becomeMesh] = useState(false)
  useEffect(() => {
    if (seat !== null) becomeMesh(seat.provider === "mesh")
  }, [seat])
  const isOnServer = seat?.provider === "livekit"
  if (!isOnServer && !isMesh) return null
  return (
    <section className="panel stack" aria-label={live.call}>
      <h2>{live.call}</h2>
      {isOnServer ? (
        <Suspense fallback={<p role="status">{loading}</p>}>
          <ServerCall key={place ?? ""} url={seat.url} token={seat.token} />
        </Suspense>
      ) : (
        <MeshCall client={client} isSeated={seat !== null} />
      )}
    </section>
  )
}
