/** An event as anyone may read it. */
import type { rest } from "./rest.ts"

export type PublicEvent = Awaited<ReturnType<(typeof rest)["getPublicEvent"]>>

/** A browser that goes back may show the page from its cache, with the event as it was when that page was sent. */
const isFromHistory = (): boolean =>
  performance
    .getEntriesByType("navigation")
    .some((entry) => (entry as PerformanceNavigationTiming).type === "back_forward")

/** The event that the server put into this page, as it was when the page was sent; undefined: there is none, or it is another one. */
export const eventInPage = (eventId: string): PublicEvent | undefined => {
  const text = document.getElementById("public-event")?.textContent
  if (text === undefined || text === null || isFromHistory()) return undefined
  const event = JSON.parse(text) as PublicEvent
  return event.id === eventId ? event : undefined
}
