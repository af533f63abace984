/**
 * Session of a person at an event, stored so that a reload and a second tab are the same person. It is never part of an address: the token
 * of an entry link is removed from the address before anything else happens.
 */
const keyOf = (eventId: string): string => `gathercue.session.${eventId}`

export interface EventSession {
  readonly token: string
  readonly name: string | null
}

export const sessionOf = (eventId: string): EventSession | undefined => {
  try {
    return (JSON.parse(localStorage.getItem(keyOf(eventId)) ?? "null") as EventSession | null) ?? undefined
  } catch {
    return undefined
  }
}

/** In a frame of another site a browser may refuse the storage: the session then lasts as long as the page. */
export const keepSession = (eventId: string, session: EventSession): void => {
  try {
    localStorage.setItem(keyOf(eventId), JSON.stringify(session))
  } catch {}
}

export const forgetSession = (eventId: string): void => {
  try {
    localStorage.removeItem(keyOf(eventId))
  } catch {}
}

/** Takes the token of an entry link out of the address and the browser's history. */
export const takeEntryToken = (): string | null => {
  const address = new URL(location.href)
  const behind = new URLSearchParams(address.hash.slice(1))
  // An older link has it in the query.
  const token = behind.get("token") ?? address.searchParams.get("token")
  if (token === null) return null
  address.searchParams.delete("token")
  if (behind.has("token")) address.hash = ""
  history.replaceState(history.state, "", address)
  return token
}
