/** Entering with a session or anonymously, or registering. */
import type { EventSession } from "../api/event-session.ts"
import type { PublicEvent } from "../api/public-event.ts"
import { useTexts } from "../texts/language.tsx"
import { Button } from "../ui/button.tsx"
import { Notice } from "../ui/notice.tsx"
import { Registration } from "./registration.tsx"

interface Props {
  readonly event: PublicEvent
  readonly session: EventSession | undefined
  readonly onEnter: () => void
  readonly onSignOut: () => void
}

/** Without a session the server admits people only to a public event that has a broadcast. */
const mayWatch = ({ visibility, phases }: PublicEvent): boolean =>
  visibility === "public" && phases.some(({ modality }) => modality === "broadcast")

export const WayIn = ({ event, session, onEnter, onSignOut }: Props) => {
  const { attendee, refusals } = useTexts()
  if (event.status === "ended" || event.cancelledAt !== null) return null
  const name = session?.name ?? null
  if (session !== undefined) {
    return (
      <div className="panel">
        <p>{name === null ? null : attendee.welcome(name)}</p>
        {event.status === "live" ? null : <p>{attendee.notStarted}</p>}
        <div className="row">
          <Button look="main" onPress={onEnter}>
            {attendee.enterNow}
          </Button>
          {/* On a computer that several people use. */}
          {name === null ? null : <Button onPress={onSignOut}>{attendee.notYou(name)}</Button>}
        </div>
      </div>
    )
  }
  // A private event has no registration: its sessions come with an invitation.
  if (event.visibility === "private") return <Notice>{refusals["sign_in_required"]}</Notice>
  return (
    <>
      {mayWatch(event) ? (
        <div className="row">
          <Button look={event.status === "live" ? "main" : "plain"} onPress={onEnter}>
            {attendee.asGuest}
          </Button>
        </div>
      ) : null}
      <Registration event={event} />
    </>
  )
}
