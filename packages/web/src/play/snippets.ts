/** Code that does what the playground does, for an integrator's own program. It names the key without containing it. */
import { SERVER } from "../api/rest.ts"

export const typescriptOf = (
  eventId: string,
  command: string,
  data: object,
): string => `import { GatewayClient, makeRestClient } from "@gathercue/client"

const api = makeRestClient({ baseUrl: ${JSON.stringify(SERVER)}, sessionToken: process.env.SESSION_TOKEN })
const client = new GatewayClient({
  token: () => api.createGatewayToken({ payload: { eventId: ${JSON.stringify(eventId)} } }),
})
await client.connect()
console.log(await client.command(${JSON.stringify(command)}, ${JSON.stringify(data)}))
`

/** Requests a gateway token: a command itself goes over the socket. */
export const curlOfToken = (eventId: string): string => `curl -s ${SERVER}/v1/auth/gateway-token \\
  -H "authorization: Bearer $SESSION_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '${JSON.stringify({ eventId })}'
`

export const curlOfRest = (method: string, path: string): string =>
  `curl -s -X ${method} ${SERVER}${path} -H "x-api-key: $KEY"\n`
