/** Content of the page's address: `?event=<id>#session=<token>`. */

export const eventInAddress = (): string | null => new URLSearchParams(location.search).get("event")

/** Browsers do not send a fragment to the web server, so no log has the session. */
export const sessionInAddress = (): string | null => new URLSearchParams(location.hash.slice(1)).get("session")

export const showInAddress = (eventId: string): void => {
  history.replaceState(null, "", `?${new URLSearchParams({ event: eventId })}${location.hash}`)
}
