/** Breakout rooms: the person's room, its remaining time, the way back, and the rooms that may be chosen. */
import type { GatewayClient } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useTexts } from "../../texts/language.tsx"
import { clockOf, whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { useSecondsUntil } from "../use-seconds-until.ts"
import { HelpCall } from "./help-call.tsx"
import { RoomChoice } from "./room-choice.tsx"

interface Props {
  readonly client: GatewayClient
}

const TimeLeft = ({ client }: Props) => {
  const { live } = useTexts()
  const closes = useSecondsUntil(client, useEvent(client, ({ rooms }) => rooms.breakout?.closesAt) ?? null)
  const ends = useSecondsUntil(client, useEvent(client, ({ rooms }) => rooms.assignment?.endsAt) ?? null)
  if (closes !== null) return <span className="badge">{live.comesBackIn(clockOf(closes))}</span>
  return ends === null ? null : <span className="badge">{live.left(clockOf(ends))}</span>
}

const OwnRoom = ({ client, name }: Props & { readonly name: string }) => {
  const texts = useTexts()
  const { live } = texts
  const mayReturn = useEvent(client, ({ me }) => me.can.includes("room.return")) ?? false
  const { send, isPending, error } = useCommand(client)
  return (
    <>
      <div className="row row-apart">
        <p role="status">{live.inRoom(name)}</p>
        <TimeLeft client={client} />
      </div>
      {mayReturn ? (
        <div className="row">
          <Button isPending={isPending} onPress={() => void send("room.return", {})}>
            {live.returnToMain}
          </Button>
        </div>
      ) : null}
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
      <HelpCall client={client} />
    </>
  )
}

export const BreakoutPanel = ({ client }: Props) => {
  const { live } = useTexts()
  const isOpen = useEvent(client, ({ rooms }) => rooms.breakout !== null) ?? false
  const name = useEvent(client, ({ rooms }) => rooms.assignment?.name)
  if (!isOpen && name === undefined) return null
  return (
    <section className="panel stack" aria-label={live.rooms}>
      <h2>{live.rooms}</h2>
      {name === undefined ? <p role="status">{live.inMainRoom}</p> : <OwnRoom client={client} name={name} />}
      <RoomChoice client={client} />
    </section>
  )
}
