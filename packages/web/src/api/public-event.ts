/** Public view of an event. */
import type { rest } from "./rest.ts"

export type PublicEvent = Awaited<ReturnType<(typeof rest)["getPublicEvent"]>>

/** A browser that navigates back may show the page from its cache, with the event as it was when the page was sent. */
const isFromHistory = (): boolean =>
  performance
    .getEntriesByType("navigation")
    .some((entry) => (entry as PerformanceNavigationTiming).type === "back_forward")

/** Event embedded in this page by the server, as it was when the page was sent; undefined when there is none, or it is another one. */
export const eventInPage = (eventId: string): PublicEvent | undefined => {
  const text = document.getElementById("public-event")?.textContent
  if (text === undefined || text === null || isFromHistory()) return undefined
  const event = JSON.parse(text) as PublicEvent
  return event.id === eventId ? event : undefined
}
