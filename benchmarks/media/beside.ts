/** The gateway beside an upload: the time from a command to the sockets of an audience. */
import { GatewayClient } from "../../packages/client/src/entry.ts"
import { sleep } from "../support/figures.ts"
import { call } from "../support/rest-calls.ts"
import type { House } from "./house.ts"

const EVERY_MS = 200

/** Times from a pushed caption to each of the sockets in milliseconds, while `work` lasts. */
export const toldWhile = async (
  house: House,
  viewers: number,
  work: () => Promise<unknown>,
): Promise<ReadonlyArray<number>> => {
  const { server, key, eventId } = house
  const token = async () =>
    (await call(server.url, "POST", "/v1/auth/gateway-token", { body: { eventId } })) as {
      readonly token: string
      readonly url: string
      readonly expiresAt: string
    }
  const clients = Array.from({ length: viewers }, () => new GatewayClient({ token }))
  await Promise.all(clients.map((client) => client.connect()))
  const times: number[] = []
  let askedAt = 0
  for (const client of clients) {
    client.on("dispatch", ({ t }) => {
      if (t === "transcript.segment") times.push(performance.now() - askedAt)
    })
  }
  let isOver = false
  let n = 0
  const asking = (async () => {
    while (!isOver) {
      const segment = { segment: String(n++), final: true, speaker: "", lang: "en", t0: 0, t1: 1, text: "hello" }
      askedAt = performance.now()
      await call(server.url, "POST", `/v1/events/${eventId}/transcript-segments`, {
        key,
        body: { segments: [segment] },
      })
      await sleep(EVERY_MS)
    }
  })()
  await work()
  isOver = true
  await asking
  for (const client of clients) client.close()
  return times
}
