/** The open breakout rooms: their people, calls for help, and closing them with a time to finish. */
import { useCommand, useCountdown, useDispatch, useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { useAudience } from "../../live/use-people.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { clockOf } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { NumberField } from "../parts/number-field.tsx"
import type { ClientProps } from "./live-props.ts"
import { type Board, RoomBoards } from "./room-boards.tsx"

const MAIN = "main"
const MS = 1000
const DEFAULT_GRACE_SECONDS = 10

interface Call {
  readonly roomId: string
  readonly name: string
  readonly text: string | null
  readonly at: string
}

const Calls = ({ client }: ClientProps) => {
  const { host } = useConsoleTexts()
  const { time } = useFormats()
  const rooms = useEvent(client, (state) => state.rooms.rooms) ?? []
  const [calls, take] = useState<ReadonlyArray<Call>>([])
  useDispatch(client, "room.help", ({ roomId, by, text, at }) =>
    take((now) => [...now, { roomId, name: by.name ?? "", text, at }]),
  )
  return (
    <div role="status">
      <ul aria-label={host.callsForHelp}>
        {calls.map(({ roomId, name, text, at }) => (
          <li key={`${roomId} ${at}`}>
            {host.helpWanted(rooms.find(({ id }) => id === roomId)?.name ?? "", name, time(at))} {text}
          </li>
        ))}
      </ul>
    </div>
  )
}

const Closing = ({ client }: ClientProps) => {
  const { host, live } = useConsoleTexts()
  const breakout = useEvent(client, ({ rooms }) => rooms.breakout) ?? null
  const timer = useEvent(client, ({ timers }) => timers.find(({ ref }) => ref === breakout?.id))
  const seconds = useCountdown(client, timer)
  const [grace, give] = useState<number | undefined>(DEFAULT_GRACE_SECONDS)
  const { send, isPending, error } = useCommand(client)
  if (breakout === null) return null
  const close = () => void send("breakout.close", { graceMs: (grace ?? 0) * MS }, { rev: breakout.rev })
  return (
    <>
      <p role="status">{breakout.closesAt === null ? host.roomsOpen : host.roomsClosing}</p>
      {seconds === null ? null : <p role="timer">{live.left(clockOf(seconds))}</p>}
      <div className="row text-form">
        <NumberField label={host.graceSeconds} minimum={0} maximum={600} value={grace} onChange={give} />
        <Button look="danger" isPending={isPending} onPress={close}>
          {host.closeRooms}
        </Button>
      </div>
      <FailureNotice error={error} />
    </>
  )
}

export const BreakoutRooms = ({ client }: ClientProps) => {
  const { host } = useConsoleTexts()
  const audience = useAudience(client)
  const rooms = useEvent(client, (state) => state.rooms.rooms) ?? []
  const rev = useEvent(client, (state) => state.rooms.breakout?.rev)
  const { send, error } = useCommand(client)
  const inRoom = (roomId: string | null) =>
    (audience ?? []).filter((one) => one.roomId === roomId).map((one) => ({ id: one.participantId, name: one.name }))
  const boards: ReadonlyArray<Board> = [
    ...rooms.map(({ id, name }) => ({ id, name, people: inRoom(id) })),
    { id: MAIN, name: host.mainRoom, people: inRoom(null) },
  ]
  const move = (personId: string, boardId: string) =>
    void send(
      "breakout.move",
      { id: personId, roomId: boardId === MAIN ? null : boardId },
      rev === undefined ? {} : { rev },
    )
  return (
    <section className="stack" aria-label={host.breakouts}>
      <h2>{host.breakouts}</h2>
      <Closing client={client} />
      <Calls client={client} />
      <FailureNotice error={error} />
      {audience === undefined ? (
        <>
          <ul className="rows" aria-label={host.breakouts}>
            {rooms.map(({ id, name, count }) => (
              <li key={id}>
                {name}: {count}
              </li>
            ))}
          </ul>
          <p className="quiet">{host.moveFromPeople}</p>
        </>
      ) : (
        <RoomBoards boards={boards} onMove={move} />
      )}
    </section>
  )
}
