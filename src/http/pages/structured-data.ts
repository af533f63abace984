/** A public event as search engines read it (schema.org `Event` as JSON-LD). */

interface Described {
  readonly title: string
  readonly scheduledAt: string | null
  readonly scheduledEndAt: string | null
  readonly location: string | null
  readonly workspace: { readonly name: string }
  readonly visibility: string
  readonly cancelledAt: string | null
  readonly cast: ReadonlyArray<{ readonly name: string }>
  readonly speakers: ReadonlyArray<{ readonly name: string }>
}

/**
 * The element for the page's head; empty for an event that has no time, or that is not for everybody. `description` is plain text.
 * The element is a data block, to which the page's policy for scripts does not apply.
 */
export const structuredDataOf = (
  event: Described,
  description: string,
  { page, image }: { readonly page: string; readonly image: string },
): string => {
  const { title, scheduledAt, scheduledEndAt, location, visibility, cancelledAt, workspace } = event
  if (visibility !== "public" || scheduledAt === null) return ""
  const online = { "@type": "VirtualLocation", url: page }
  // The announced speakers; once there is a cast, everybody who is or was on stage besides them.
  const performers = [...new Set([...event.speakers, ...event.cast].map(({ name }) => name))]
  const mode = location === null ? "OnlineEventAttendanceMode" : "MixedEventAttendanceMode"
  const data = {
    "@context": "https://schema.org",
    "@type": "Event",
    name: title,
    startDate: scheduledAt,
    ...(scheduledEndAt === null ? {} : { endDate: scheduledEndAt }),
    eventStatus: `https://schema.org/${cancelledAt === null ? "EventScheduled" : "EventCancelled"}`,
    eventAttendanceMode: `https://schema.org/${mode}`,
    location: location === null ? online : [{ "@type": "Place", name: location }, online],
    organizer: { "@type": "Organization", name: workspace.name },
    url: page,
    image,
    ...(description === "" ? {} : { description }),
    ...(performers.length === 0 ? {} : { performer: performers.map((name) => ({ "@type": "Person", name })) }),
  }
  // A `<` in a text must not end the element.
  return `<script type="application/ld+json">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>`
}
