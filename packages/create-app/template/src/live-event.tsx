import { activePhase, type GatewayClient, type GatewayToken } from "@gathercue/client"
import { useConnection, useCountdown, useDispatch, useEvent, useGateway } from "@gathercue/client/react"
import { useState } from "react"
import { Chat } from "./chat.tsx"
import { Questions } from "./questions.tsx"
import { minutesAndSeconds, whyNoConnection } from "./words.ts"

interface Props {
  readonly eventId: string
  readonly token: () => Promise<GatewayToken>
}

interface OfClient {
  readonly client: GatewayClient
}

const Connection = ({ client }: OfClient) => {
  const { status, error } = useConnection(client)
  if (status === "ready") return null
  if (status === "lobby") return <p role="status">A host will let you in.</p>
  // `error` also has the reason of a refusal.
  const again = () => void client.connect().catch(() => {})
  if (status === "closed") {
    return (
      <p role="alert">
        {whyNoConnection(error)}{" "}
        <button type="button" onClick={again}>
          Try again
        </button>
      </p>
    )
  }
  return <p role="status">{error === null ? "Connecting …" : `${whyNoConnection(error)} Trying again …`}</p>
}

const Phase = ({ client }: OfClient) => {
  const phase = useEvent(client, activePhase)
  const timer = useEvent(client, ({ timers }) => timers.find(({ scope }) => scope === "phase"))
  const seconds = useCountdown(client, timer)
  if (phase === undefined) return <p>Between two phases.</p>
  return (
    <p>
      Now: <strong data-testid="phase">{phase.modality}</strong>
      {seconds === null ? null : <time>, {minutesAndSeconds(seconds)} left</time>}
    </p>
  )
}

const Announcement = ({ client }: OfClient) => {
  const [text, show] = useState("")
  useDispatch(client, "announcement", (announcement) => show(announcement.text))
  return (
    <p className="announcement" role="status">
      {text}
    </p>
  )
}

export const LiveEvent = ({ eventId, token }: Props) => {
  const client = useGateway({ key: eventId, token, mute: ["transcript"] })
  const event = useEvent(client, (state) => state.event)
  const people = useEvent(client, ({ presence }) => presence.total)
  return (
    <main>
      <Connection client={client} />
      {event === undefined ? null : (
        <>
          <h1>{event.title}</h1>
          <p>{people} here</p>
          <Phase client={client} />
          <Announcement client={client} />
          <Questions client={client} />
          <Chat client={client} />
        </>
      )}
    </main>
  )
}
