/** A public event as search engines read it (schema.org `Event` as JSON-LD). */

interface Described {
  readonly title: string
  readonly scheduledAt: string | null
  readonly scheduledEndAt: string | null
  readonly location: string | null
  readonly coverUrl: string | null
  readonly visibility: string
  readonly cancelledAt: string | null
  readonly cast: ReadonlyArray<{ readonly name: string }>
}

/**
 * The element for the page's head; empty for an event that has no time, or that is not for everybody. `description` is plain text.
 * The element is a data block, to which the page's policy for scripts does not apply.
 */
export const structuredDataOf = (event: Described, description: string): string => {
  const { title, scheduledAt, scheduledEndAt, location, coverUrl, visibility, cancelledAt, cast } = event
  if (visibility !== "public" || scheduledAt === null) return ""
  const mode = location === null ? "OnlineEventAttendanceMode" : "MixedEventAttendanceMode"
  const data = {
    "@context": "https://schema.org",
    "@type": "Event",
    name: title,
    startDate: scheduledAt,
    ...(scheduledEndAt === null ? {} : { endDate: scheduledEndAt }),
    eventStatus: `https://schema.org/${cancelledAt === null ? "EventScheduled" : "EventCancelled"}`,
    eventAttendanceMode: `https://schema.org/${mode}`,
    ...(location === null ? {} : { location: { "@type": "Place", name: location } }),
    ...(description === "" ? {} : { description }),
    ...(coverUrl === null ? {} : { image: coverUrl }),
    ...(cast.length === 0 ? {} : { performer: cast.map(({ name }) => ({ "@type": "Person", name })) }),
  }
  // A `<` in a text must not end the element.
  return `<script type="application/ld+json">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>`
}
