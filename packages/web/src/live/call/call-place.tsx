/** The call of the room that a person is in, where there is one. Its code is loaded when there is a seat for the first time. */
import type { GatewayClient } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { lazy, Suspense, useEffect, useState } from "react"
import { useTexts } from "../../texts/language.tsx"

const CallRoom = lazy(async () => ({ default: (await import("./call-room.tsx")).CallRoom }))

export const CallPlace = ({ client }: { readonly client: GatewayClient }) => {
  const { loading } = useTexts()
  const hasSeat =
    useEvent(client, ({ media, rooms }) =>
      [media, rooms.assignment?.media, rooms.round?.media].some((seat) => seat !== undefined && seat !== null),
    ) ?? false
  // Between two rooms there is none for a moment, and the call waits for the next one.
  const [hadSeat, remember] = useState(false)
  useEffect(() => {
    if (hasSeat) remember(true)
  }, [hasSeat])
  if (!hasSeat && !hadSeat) return null
  return (
    <Suspense fallback={<p role="status">{loading}</p>}>
      <CallRoom client={client} />
    </Suspense>
  )
}
