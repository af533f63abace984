/** REST calls to the server of these pages. */
import { makeRestClient } from "@gathercue/client"
import { sendProved } from "./fresh-sign-in.ts"

export const SERVER = location.origin

/** Calls without a session, and with the cookie of an account if there is one. */
export const rest = makeRestClient({ baseUrl: SERVER, fetch: sendProved })

export const restWith = (sessionToken: string) => makeRestClient({ baseUrl: SERVER, sessionToken })
