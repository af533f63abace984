/** The call of the person's room, if it has one. Its code is loaded at the first seat. */
import type { GatewayClient } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { lazy, Suspense, useEffect, useState } from "react"
import { useTexts } from "../../texts/language.tsx"

const EventCall = lazy(async () => ({ default: (await import("./call-room.tsx")).EventCall }))

export const CallPlace = ({ client }: { readonly client: GatewayClient }) => {
  const { loading } = useTexts()
  const hasSeat =
    useEvent(client, ({ media, rooms }) =>
      [media, rooms.assignment?.media, rooms.round?.media].some((seat) => seat !== undefined && seat !== null),
    ) ?? false
  // Between two rooms there is briefly no seat, and the call waits for the next one.
  const [hadSeat, remember] = useState(false)
  useEffect(() => {
    if (hasSeat) remember(true)
  }, [hasSeat])
  if (!hasSeat && !hadSeat) return null
  return (
    <Suspense fallback={<p role="status">{loading}</p>}>
      <EventCall client={client} />
    </Suspense>
  )
}
