/** REST calls to the server that these pages come from. */
import { makeRestClient } from "@gathercue/client"
import { sendProved } from "./fresh-sign-in.ts"

export const SERVER = location.origin

/** Without a session, and with the cookie of an account where there is one. */
export const rest = makeRestClient({ baseUrl: SERVER, fetch: sendProved })

export const restWith = (sessionToken: string) => makeRestClient({ baseUrl: SERVER, sessionToken })
