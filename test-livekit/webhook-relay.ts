/** Passes LiveKit's messages on to the server of the test, and notes how they are answered. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { keepAlive } from "../test/support/keep-alive.ts"

export interface Answered {
  readonly event: string
  readonly room: string
  /** Of the person whom it is about. */
  readonly name: string
  readonly status: number
  /** When it came, by the clock of `performance.now`. */
  readonly at: number
}

export interface WebhookRelay {
  readonly url: string
  readonly answered: ReadonlyArray<Answered>
  readonly stop: () => Promise<void>
}

export const startWebhookRelay = async (target: string): Promise<WebhookRelay> => {
  const answered: Answered[] = []
  const server = createServer((request, response) => {
    const relay = async (): Promise<number> => {
      const at = performance.now()
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString("utf8")
      const { "content-type": type = "", authorization = "" } = request.headers
      const { status } = await fetch(target, { method: "POST", headers: { "content-type": type, authorization }, body })
      const { event, room, participant } = JSON.parse(body)
      answered.push({ event, room: room?.name ?? "", name: participant?.name ?? "", status, at })
      return status
    }
    relay().then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(502).end(),
    )
  })
  keepAlive(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    answered,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
