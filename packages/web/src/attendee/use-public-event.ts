/** The event as visible to this person: a private one needs their session. An expired session is no reason to hide a public one. */
import { RestProblem } from "@gathercue/client"
import { eventInPage, type PublicEvent } from "../api/public-event.ts"
import { rest, restWith } from "../api/rest.ts"
import { type Loaded, useLoaded } from "../api/use-loaded.ts"

const UNAUTHORIZED = 401

export const usePublicEvent = (eventId: string, sessionToken: string | undefined): Loaded<PublicEvent> => {
  const request = { params: { id: eventId } }
  const read = async (signal: AbortSignal): Promise<PublicEvent> => {
    if (sessionToken === undefined) return rest.getPublicEvent(request, { signal })
    try {
      return await restWith(sessionToken).getPublicEvent(request, { signal })
    } catch (refused) {
      if (!(refused instanceof RestProblem) || refused.status !== UNAUTHORIZED) throw refused
      return rest.getPublicEvent(request, { signal })
    }
  }
  return useLoaded(`${eventId} ${sessionToken ?? ""}`, read, () => eventInPage(eventId))
}
