/** The event from inside. */
import { activePhase, type GatewayClient as Client, type GatewayClient, RestProblem } from "@gathercue/client"
import { useConnection, useCountdown, useEvent, useGateway } from "@gathercue/client/react"
import type { EventSession } from "../api/event-session.ts"
import { rest, restWith } from "../api/rest.ts"
import { Chat } from "../live/chat.tsx"
import { useTexts } from "../texts/language.tsx"
import { clockOf, whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { Notice } from "../ui/notice.tsx"

interface Props {
  readonly eventId: string
  readonly session: EventSession | undefined
  readonly onLeave: () => void
  /** The session is refused for good. */
  readonly onSignOut: () => void
}

const Connection = ({ client, onSignOut }: { readonly client: GatewayClient } & Pick<Props, "onSignOut">) => {
  const texts = useTexts()
  const { status, error } = useConnection(client)
  if (status === "ready") return null
  if (status === "lobby") return <Notice>{texts.attendee.lobby}</Notice>
  if (status !== "closed")
    return <Notice>{error === null ? texts.attendee.connecting : texts.attendee.reconnecting}</Notice>
  const isSessionOver = error instanceof RestProblem && error.status === 401
  return (
    <div role="alert" className="notice notice-bad">
      <p>{whyFailed(texts, error) ?? texts.attendee.left}</p>
      <Button onPress={() => (isSessionOver ? onSignOut() : void client.connect().catch(() => {}))}>
        {error === null ? texts.attendee.comeBack : texts.retry}
      </Button>
    </div>
  )
}

const Phase = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const phase = useEvent(client, activePhase)
  const timer = useEvent(client, ({ timers }) => timers.find(({ scope }) => scope === "phase"))
  const seconds = useCountdown(client, timer)
  return (
    <span className="badge">
      {phase === undefined ? live.between : live.modality[phase.modality]}
      {seconds === null ? null : `, ${live.left(clockOf(seconds))}`}
    </span>
  )
}

export const LiveRoom = ({ eventId, session, onLeave, onSignOut }: Props) => {
  const { attendee, live } = useTexts()
  const api = session === undefined ? rest : restWith(session.token)
  const client: Client = useGateway({
    key: `${eventId} ${session?.token ?? ""}`,
    token: () => api.createGatewayToken({ payload: { eventId } }),
    name: "web",
  })
  const title = useEvent(client, ({ event }) => event.title)
  const people = useEvent(client, ({ presence }) => presence.total) ?? 0
  return (
    <main className="page stack">
      <header className="row row-apart">
        <h1>{title}</h1>
        <div className="row">
          <Phase client={client} />
          <span className="quiet">{live.here(people)}</span>
          <Button onPress={onLeave}>{attendee.leave}</Button>
        </div>
      </header>
      <Connection client={client} onSignOut={onSignOut} />
      <Chat client={client} />
    </main>
  )
}
