/** One person of the trial: their connection, frames and commands. */
import { useConnection, useEvent, useGateway } from "@gathercue/client/react"
import { useState } from "react"
import { restWith } from "../api/rest.ts"
import { useConsoleTexts } from "../texts/language.tsx"
import { Button } from "../ui/button.tsx"
import { CommandForm } from "./command-form.tsx"
import type { GatewayCommands } from "./command-schemas.ts"
import { Frames } from "./frames.tsx"
import { FrameLog, recordedSocket } from "./recorded-socket.ts"
import type { PlayerSession, TrialEvent } from "./trial-event.ts"

interface Props {
  readonly trial: TrialEvent
  readonly seat: PlayerSession
  readonly commands: GatewayCommands
}

export const SeatPanel = ({ trial: { eventId }, seat, commands }: Props) => {
  const { play } = useConsoleTexts()
  const [{ log, socket }] = useState(() => {
    const made = new FrameLog()
    return { log: made, socket: recordedSocket(made) }
  })
  const api = restWith(seat.sessionToken)
  const client = useGateway({
    key: seat.sessionToken,
    token: () => api.createGatewayToken({ payload: { eventId } }),
    WebSocket: socket,
    name: "playground",
  })
  const { status } = useConnection(client)
  const role = useEvent(client, ({ me }) => me.role)
  const people = useEvent(client, ({ presence }) => presence.total)
  return (
    <section className="panel stack seat" aria-label={seat.name}>
      <h2>{seat.name}</h2>
      <p>
        <span className="badge">{play.statuses[status]}</span> {role} {people === undefined ? null : play.here(people)}
      </p>
      <div className="row">
        <Button onPress={log.cut}>{play.cut}</Button>
      </div>
      <CommandForm client={client} commands={commands} eventId={eventId} />
      <h3>{play.frames}</h3>
      <Frames log={log} />
    </section>
  )
}
