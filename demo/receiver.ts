/** An integrator's webhook receiver: checks every signature on the raw body, dedupes by id, and fails once to see a retry. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { verifySignature } from "../src/webhooks/signature.ts"

interface Told {
  readonly id: string
  readonly type: string
  readonly occurredAt: string
  readonly participantId?: string
  readonly userId?: string
  readonly anonymous?: boolean
  readonly reason?: string
}

interface Receiver {
  readonly url: string
  /** Set once the endpoint is registered; nothing is trusted before. */
  secret: string
  /** Deliveries accepted, each id once, in order of receipt. */
  readonly told: Told[]
  requests: number
  refused: number
  retries: number
  readonly close: () => Promise<void>
}

export const startReceiver = async (): Promise<Receiver> => {
  const seen = new Set<string>()
  const attempted = new Set<string>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks)
      receiver.requests++
      const signature = String(request.headers["x-gc-signature"] ?? "")
      if (!verifySignature(signature, body, receiver.secret, Date.now() / 1000)) {
        receiver.refused++
        response.writeHead(400).end()
        return
      }
      const told = JSON.parse(body.toString()) as Told
      if (attempted.has(told.id)) receiver.retries++
      attempted.add(told.id)
      // The very first delivery fails, as a receiver in the middle of a deploy would.
      if (receiver.requests === 1) {
        response.writeHead(503).end()
        return
      }
      if (!seen.has(told.id)) receiver.told.push(told)
      seen.add(told.id)
      response.writeHead(204).end()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    secret: "",
    told: [],
    requests: 0,
    refused: 0,
    retries: 0,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
  return receiver
}
