/** What the address of the page says: `?event=<id>#session=<token>`. */

export const eventInAddress = (): string | null => new URLSearchParams(location.search).get("event")

/** A fragment is not sent to the web server of the page, so that no log has the session. */
export const sessionInAddress = (): string | null => new URLSearchParams(location.hash.slice(1)).get("session")

export const showInAddress = (eventId: string): void => {
  history.replaceState(null, "", `?${new URLSearchParams({ event: eventId })}${location.hash}`)
}
