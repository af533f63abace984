/** REST calls with the account's cookie: an account with several workspaces names the one whose collections it means. */
import { makeRestClient, type RestClient } from "@gathercue/client"
import { sendProved } from "./fresh-sign-in.ts"
import { SERVER } from "./rest.ts"

const clients = new Map<string, RestClient>()

export const restOf = (workspaceId: string): RestClient => {
  const known = clients.get(workspaceId) ?? makeRestClient({ baseUrl: SERVER, workspaceId, fetch: sendProved })
  clients.set(workspaceId, known)
  return known
}
