/** Controls an event over the gateway: every part of the console shares one connection. */
import type { EventWithPhases } from "@gathercue/client"
import { useEvent, useGateway } from "@gathercue/client/react"
import { Users } from "lucide-react"
import { useLocation } from "wouter"
import { rest, restWith } from "../../api/rest.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { CallPlace } from "../../live/call/call-place.tsx"
import { HostAbsenceNotice } from "../../live/host-absence.tsx"
import { Stage } from "../../live/stage/stage.tsx"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { useActs } from "../palette/acts.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { PageLink } from "../parts/page-link.tsx"
import { PageTitle } from "../parts/page-title.tsx"
import { PartLinks, PartSection } from "../parts/part-links.tsx"
import { AnnouncementForm } from "./announcements.tsx"
import { BroadcastPart } from "./broadcast-part.tsx"
import { CameraProvider } from "./camera-context.tsx"
import { ChatPart } from "./chat-part.tsx"
import { LiveConnection } from "./live-connection.tsx"
import type { LiveProps } from "./live-props.ts"
import { LobbyPart } from "./lobby-part.tsx"
import { PeoplePart } from "./people-part.tsx"
import { PollsPart } from "./polls-part.tsx"
import { QuestionsPart } from "./questions-part.tsx"
import { RoomsPart } from "./rooms-part.tsx"
import { StagePart } from "./stage-part.tsx"
import { Steering } from "./steering.tsx"

const PEOPLE = "people"
const PARTS: { readonly [part: string]: React.ComponentType<LiveProps> } = {
  [PEOPLE]: PeoplePart,
  lobby: LobbyPart,
  questions: QuestionsPart,
  chat: ChatPart,
  polls: PollsPart,
  stage: StagePart,
  rooms: RoomsPart,
  broadcast: BroadcastPart,
}

const Parts = ({ client, event, tab }: LiveProps & { readonly tab: string }) => {
  const { host } = useConsoleTexts()
  const waiting = useEvent(client, ({ lobby }) => lobby.total) ?? 0
  const pending =
    useEvent(client, ({ questions }) => questions.all.filter(({ status }) => status === "pending").length) ?? 0
  const hands = useEvent(client, (state) => state.hands.count) ?? 0
  const counts: { readonly [part: string]: number } = { lobby: waiting, questions: pending, stage: hands }
  const now = tab in PARTS ? tab : PEOPLE
  const Part = PARTS[now] ?? PeoplePart
  const titles = host.liveParts.map(([part, name]) => {
    const count = counts[part] ?? 0
    return [part, count === 0 ? name : `${name} (${count})`] as const
  })
  const [, navigate] = useLocation()
  useActs(titles.map(([part, label]) => ({ id: part, label, run: () => navigate(`/live/${event.id}/${part}`) })))
  const wanting = titles.filter(([part]) => (counts[part] ?? 0) > 0)
  return (
    <>
      <PartLinks label={host.liveConsole} base={`/live/${event.id}`} parts={titles} now={now} />
      {/* For screen readers: that somebody waits, asks or raises a hand. */}
      <p role="status" className="visually-hidden">
        {wanting.map(([, name]) => name).join(", ")}
      </p>
      <PartSection parts={host.liveParts} now={now}>
        <Part client={client} event={event} />
      </PartSection>
    </>
  )
}

/** An event can be controlled neither before it is published nor after its end. */
const Closed = ({ event, why }: Pick<LiveProps, "event"> & { readonly why: string }) => {
  const { host } = useConsoleTexts()
  return (
    <>
      <PageTitle>{event.title}</PageTitle>
      <p role="status">{why}</p>
      <p>
        <PageLink to={`/event/${event.id}`}>{host.toEvent}</PageLink>
      </p>
    </>
  )
}

const Live = ({ event, tab }: { readonly event: EventWithPhases; readonly tab: string }) => {
  const { host, live } = useConsoleTexts()
  const client = useGateway({
    key: event.id,
    name: "host",
    token: async () => {
      // Session of the account in the workspace, which has the account's role at the event.
      const { sessionToken } = await rest.createWorkspaceSession({ params: { id: event.workspaceId } })
      return restWith(sessionToken).createGatewayToken({ payload: { eventId: event.id } })
    },
  })
  const title = useEvent(client, (state) => state.event.title) ?? event.title
  const people = useEvent(client, ({ presence }) => presence.total) ?? 0
  const isOver = useEvent(client, (state) => state.event.status === "ended") ?? false
  if (isOver) return <Closed event={event} why={host.isOver} />
  return (
    <CameraProvider client={client}>
      <div className="row row-apart studio-head">
        <div className="row">
          <PageTitle>{title}</PageTitle>
          <span className="badge">
            <Users /> {live.here(people)}
          </span>
        </div>
        <PageLink to={`/event/${event.id}`}>{host.toEvent}</PageLink>
      </div>
      <LiveConnection client={client} />
      <HostAbsenceNotice client={client} />
      <div className="studio">
        <div className="studio-rail stack">
          <Steering client={client} event={event} />
          <AnnouncementForm client={client} />
        </div>
        <div className="studio-main stack">
          {/* The microphone of the host would send the sound of the stage again. */}
          <Stage client={client} isMuted />
          <CallPlace client={client} />
        </div>
        <div className="studio-side stack">
          <Parts client={client} event={event} tab={tab} />
        </div>
      </div>
    </CameraProvider>
  )
}

export const LiveConsole = ({ eventId, tab }: { readonly eventId: string; readonly tab: string }) => {
  const texts = useConsoleTexts()
  const { value, error, reload } = useLoaded(eventId, () => rest.getEvent({ params: { id: eventId } }))
  if (value === undefined) {
    return (
      <>
        {error === null ? <p role="status">{texts.loading}</p> : <Button onPress={reload}>{texts.retry}</Button>}
        <FailureNotice error={error} />
      </>
    )
  }
  if (value.status === "draft") return <Closed event={value} why={texts.host.publishFirst} />
  if (value.status === "ended") return <Closed event={value} why={texts.host.isOver} />
  return <Live event={value} tab={tab} />
}
