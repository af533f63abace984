/** Rooms that a person may enter by themselves. */
import type { GatewayClient, RoomState, RoomView } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useEffect, useState } from "react"
import { useTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"

const NONE: ReadonlyArray<RoomView> = []

/** `own` is the person's assigned room, to which they may always return. */
const openTo = ({ breakout, rooms, assignment }: RoomState, own: string | undefined): ReadonlyArray<RoomView> => {
  const isFree = breakout?.strategy === "self" || (breakout?.late === "ask" && own === undefined)
  return rooms.filter(({ id, open }) => open && id !== assignment?.roomId && (isFree || id === own))
}

export const RoomChoice = ({ client }: { readonly client: GatewayClient }) => {
  const texts = useTexts()
  const { live } = texts
  const roomId = useEvent(client, ({ rooms }) => rooms.assignment?.roomId)
  const [own, remember] = useState<string | undefined>(roomId)
  useEffect(() => {
    if (roomId !== undefined) remember(roomId)
  }, [roomId])
  const mayChoose = useEvent(client, ({ me }) => me.can.includes("room.choose")) ?? false
  const rooms = useEvent(client, (state) => openTo(state.rooms, own)) ?? NONE
  const { send, isPending, error } = useCommand(client)
  if (!mayChoose || rooms.length === 0) return <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
  return (
    <div>
      <ul className="row" aria-label={live.chooseRoom}>
        {rooms.map(({ id, name, count }) => (
          <li key={id}>
            <Button isPending={isPending} onPress={() => void send("room.choose", { roomId: id })}>
              {live.goTo(name, count)}
            </Button>
          </li>
        ))}
      </ul>
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
    </div>
  )
}
