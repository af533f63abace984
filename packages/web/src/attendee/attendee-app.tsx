/** The pages of `/join`, `/e/{id}` and `/enter/{id}`. */
import { EventPage } from "./event-page.tsx"
import { JoinPage } from "./join-page.tsx"

const eventInAddress = (): string | undefined => /^\/(?:e|enter)\/([^/]+)\/?$/.exec(location.pathname)?.[1]

export const AttendeeApp = () => {
  const eventId = eventInAddress()
  return eventId === undefined ? <JoinPage /> : <EventPage eventId={eventId} />
}
