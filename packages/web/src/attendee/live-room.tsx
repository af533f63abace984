/** The event for people who have entered. */
import { useConnection, useDispatch, useEvent, useGateway } from "@gathercue/client/react"
import { LogOut } from "lucide-react"
import { useEffect } from "react"
import type { EventSession } from "../api/event-session.ts"
import { rest, restWith } from "../api/rest.ts"
import { Announcements } from "../live/announcements.tsx"
import { HostAbsenceNotice } from "../live/host-absence.tsx"
import { News } from "../live/news.tsx"
import { PhaseBadge } from "../live/phase-badge.tsx"
import { useTexts } from "../texts/language.tsx"
import { Button } from "../ui/button.tsx"
import { Notice } from "../ui/notice.tsx"
import { ConnectionNotice } from "./connection-notice.tsx"
import { EventFloor } from "./event-floor.tsx"
import { Here } from "./here.tsx"
import { useEmbedding } from "./use-embedding.ts"

interface Props {
  readonly eventId: string
  readonly session: EventSession | undefined
  readonly logo: React.ReactNode
  readonly onLeave: () => void
  /** Called when the session is refused for good. */
  readonly onSignOut: () => void
  /** Called when the event has ended while the person was inside. */
  readonly onEnd: () => void
}

export const LiveRoom = ({ eventId, session, logo, onLeave, onSignOut, onEnd }: Props) => {
  const { attendee, live } = useTexts()
  const api = session === undefined ? rest : restWith(session.token)
  const client = useGateway({
    key: `${eventId} ${session?.token ?? ""}`,
    token: () => api.createGatewayToken({ payload: { eventId } }),
    name: "web",
  })
  const { status } = useConnection(client)
  useDispatch(client, "event.ended", onEnd)
  useEmbedding(client, eventId)
  const title = useEvent(client, ({ event }) => event.title)
  const isMuted = useEvent(client, ({ muted }) => muted !== null) ?? false
  const isBefore = useEvent(client, ({ event }) => event.status === "scheduled") ?? false
  useEffect(() => {
    // Frees the seat at once.
    const leave = () => client.close()
    const comeBack = ({ persisted }: PageTransitionEvent) => {
      if (persisted) void client.connect().catch(() => {})
    }
    addEventListener("pagehide", leave)
    addEventListener("pageshow", comeBack)
    return () => {
      removeEventListener("pagehide", leave)
      removeEventListener("pageshow", comeBack)
    }
  }, [client])
  const leaveForGood = () => {
    // A closed socket alone is a loss, after which a hand and a place in a round are kept.
    void client.command("leave", {}).catch(() => {})
    onLeave()
  }
  const isInside = title !== undefined && status !== "closed" && status !== "lobby"
  return (
    <main className="room">
      <header className="room-head row row-apart">
        <div className="row">
          {logo}
          <h1>{title}</h1>
        </div>
        <div className="row">
          {isInside ? (
            <>
              {isBefore ? null : <PhaseBadge client={client} />}
              <Here client={client} />
            </>
          ) : null}
          <Button look="danger" onPress={leaveForGood}>
            <LogOut /> {attendee.leave}
          </Button>
        </div>
      </header>
      <div className="room-notices stack">
        <ConnectionNotice client={client} onSignOut={onSignOut} />
        {isInside && isBefore ? <Notice>{attendee.notStarted}</Notice> : null}
        <Announcements client={client} />
        <HostAbsenceNotice client={client} />
        <News client={client} />
        {isMuted ? <Notice>{live.muted}</Notice> : null}
      </div>
      {isInside ? <EventFloor client={client} hasName={session !== undefined} /> : null}
    </main>
  )
}
