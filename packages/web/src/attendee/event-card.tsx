/** The event's title, time, description and cast. */
import { useEffect, useState } from "react"
import type { PublicEvent } from "../api/public-event.ts"
import { useFormats, useTexts } from "../texts/language.tsx"

/** Milliseconds until a time, updated each second; 0 from then on. */
const useTimeUntil = (timestamp: string | null): number => {
  const [now, tick] = useState(Date.now)
  useEffect(() => {
    if (timestamp === null) return
    const timer = setInterval(() => tick(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [timestamp])
  return timestamp === null ? 0 : Math.max(0, Date.parse(timestamp) - now)
}

/** The event's time zone, with the time there where it is not the viewer's. */
const ThereToo = ({ scheduledAt, timeZone }: { readonly scheduledAt: string; readonly timeZone: string }) => {
  const { attendee } = useTexts()
  const { moment, momentIn } = useFormats()
  const there = momentIn(scheduledAt, timeZone)
  return (
    <p className="quiet">
      {there === undefined || there === moment(scheduledAt) ? (
        attendee.timeZone(timeZone)
      ) : (
        <time dateTime={scheduledAt}>{attendee.whenThere(there, timeZone)}</time>
      )}
    </p>
  )
}

const When = ({ event }: { readonly event: PublicEvent }) => {
  const { attendee } = useTexts()
  const { moment, until } = useFormats()
  const left = useTimeUntil(event.status === "scheduled" && event.cancelledAt === null ? event.scheduledAt : null)
  if (event.cancelledAt !== null) {
    return (
      <>
        <p className="badge">{attendee.cancelled}</p>
        {event.cancelReason === null ? null : <p>{event.cancelReason}</p>}
      </>
    )
  }
  if (event.status === "live") return <p className="badge">{attendee.liveNow}</p>
  if (event.status === "ended") return <p>{attendee.over}</p>
  if (event.scheduledAt === null) return <p>{attendee.noTime}</p>
  return (
    <>
      <p>
        <time dateTime={event.scheduledAt}>{attendee.when(moment(event.scheduledAt))}</time>
        {left < 60_000 ? null : <span className="quiet"> ({until(left)})</span>}
      </p>
      {event.timeZone === null ? null : <ThereToo scheduledAt={event.scheduledAt} timeZone={event.timeZone} />}
      <p>
        <a href={`/v1/public/events/${event.id}/calendar.ics`}>{attendee.calendar}</a>
      </p>
    </>
  )
}

export const EventCard = ({ event }: { readonly event: PublicEvent }) => {
  const { attendee } = useTexts()
  return (
    <header>
      {event.coverUrl === null ? null : <img className="cover" src={event.coverUrl} alt="" />}
      <h1>{event.title}</h1>
      <When event={event} />
      {event.location === null ? null : (
        <p>
          {attendee.place}: {event.location}
        </p>
      )}
      {event.descriptionHtml === null ? null : (
        // biome-ignore lint/security/noDangerouslySetInnerHtml: the server writes each element of it (src/model/text/markdown.ts).
        <div className="prose" dangerouslySetInnerHTML={{ __html: event.descriptionHtml }} />
      )}
      {event.capacity === null || event.status === "ended" || event.cancelledAt !== null ? null : (
        <p className="quiet">
          {event.capacity.remaining === 0
            ? attendee.full
            : attendee.seats(event.capacity.remaining, event.capacity.total)}
        </p>
      )}
      {event.cast.length === 0 || event.status === "ended" ? null : (
        <p>
          {attendee.cast}: {event.cast.map(({ name }) => name).join(", ")}
        </p>
      )}
    </header>
  )
}
