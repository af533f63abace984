/** The event's title, time, description, agenda and cast. */
import { CalendarDays, CalendarPlus, MapPin, Mic, Users } from "lucide-react"
import { useEffect, useState } from "react"
import { coverPattern } from "../../../../src/model/shades.ts"
import type { PublicEvent } from "../api/public-event.ts"
import { useFormats, useTexts } from "../texts/language.tsx"
import { Logo } from "../ui/branding.tsx"
import { ShareButton } from "./share-button.tsx"

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
  if (event.cancelledAt !== null) return event.cancelReason === null ? null : <p>{event.cancelReason}</p>
  if (event.status === "live") return null
  if (event.status === "ended") return <p>{attendee.over}</p>
  if (event.scheduledAt === null) return <p>{attendee.noTime}</p>
  return (
    <>
      <p>
        <time dateTime={event.scheduledAt}>{attendee.when(moment(event.scheduledAt))}</time>
        {left < 60_000 ? null : <span className="quiet"> ({until(left)})</span>}
      </p>
      {event.timeZone === null ? null : <ThereToo scheduledAt={event.scheduledAt} timeZone={event.timeZone} />}
    </>
  )
}

const Status = ({ event: { cancelledAt, status } }: { readonly event: PublicEvent }) => {
  const { attendee } = useTexts()
  if (cancelledAt !== null) return <p className="badge badge-bad">{attendee.cancelled}</p>
  return status === "live" ? <p className="badge badge-live">{attendee.liveNow}</p> : null
}

const Fact = ({ icon, children }: { readonly icon: React.ReactNode; readonly children: React.ReactNode }) => (
  <li className="fact">
    <span className="fact-icon">{icon}</span>
    <div>{children}</div>
  </li>
)

/** Places and cast are of no use when the event is over, places neither when it is cancelled. */
const Facts = ({ event }: { readonly event: PublicEvent }) => {
  const { attendee, labelled } = useTexts()
  const { capacity, cast, location, status, cancelledAt, cancelReason } = event
  const isOver = status === "ended"
  const hasTime = cancelledAt === null ? status !== "live" : cancelReason !== null
  return (
    <ul className="facts">
      {hasTime ? (
        <Fact icon={<CalendarDays />}>
          <When event={event} />
        </Fact>
      ) : null}
      {location === null ? null : <Fact icon={<MapPin />}>{labelled(attendee.place, location)}</Fact>}
      {cast.length === 0 || isOver ? null : (
        <Fact icon={<Mic />}>{labelled(attendee.cast, cast.map(({ name }) => name).join(", "))}</Fact>
      )}
      {capacity === null || isOver || cancelledAt !== null ? null : (
        <Fact icon={<Users />}>
          <span className="quiet">
            {capacity.remaining === 0 ? attendee.full : attendee.seats(capacity.remaining, capacity.total)}
          </span>
        </Fact>
      )}
    </ul>
  )
}

const Tools = ({ event }: { readonly event: PublicEvent }) => {
  const { attendee } = useTexts()
  const hasTime = event.status === "scheduled" && event.scheduledAt !== null && event.cancelledAt === null
  return (
    <div className="row">
      {hasTime ? (
        <a className="button" href={`/v1/public/events/${event.id}/calendar.ics`}>
          <CalendarPlus /> {attendee.calendar}
        </a>
      ) : null}
      {event.visibility === "private" ? null : <ShareButton title={event.title} path={`/e/${event.id}`} />}
    </div>
  )
}

const Agenda = ({ phases }: Pick<PublicEvent, "phases">) => {
  const { attendee, live } = useTexts()
  if (phases.length < 2) return null
  return (
    <section aria-label={attendee.agenda}>
      <h2>{attendee.agenda}</h2>
      <ol className="agenda">
        {phases.map(({ id, modality, status }) => (
          <li key={id} data-status={status} {...(status === "active" ? { "aria-current": "step" as const } : {})}>
            {live.modality[modality]}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The picture, or else one that is made of the title and the accent. */
const Cover = ({ event: { coverUrl, title } }: { readonly event: PublicEvent }) =>
  coverUrl === null ? (
    <div className="cover cover-made" data-pattern={coverPattern(title)} />
  ) : (
    <img className="cover" src={coverUrl} alt="" />
  )

export const EventHead = ({ event }: { readonly event: PublicEvent }) => (
  <header className="event-head">
    <Logo of={event} />
    <Cover event={event} />
    <Status event={event} />
    <h1>{event.title}</h1>
    <Facts event={event} />
    <Tools event={event} />
  </header>
)

export const EventAbout = ({ event }: { readonly event: PublicEvent }) => {
  const { attendee } = useTexts()
  const { descriptionHtml, phases, status } = event
  return (
    <div className="event-about stack">
      {descriptionHtml === null ? null : (
        <section aria-label={attendee.about}>
          <h2>{attendee.about}</h2>
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the server writes each element of it (src/model/text/markdown.ts). */}
          <div className="prose" dangerouslySetInnerHTML={{ __html: descriptionHtml }} />
        </section>
      )}
      {status === "ended" ? null : <Agenda phases={phases} />}
    </div>
  )
}
