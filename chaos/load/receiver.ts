/** A webhook receiver that fails every fifth time and is slow every tenth. It keeps the deliveries, by endpoint. */
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type Chance, sleep } from "../chance.ts"

const FAILS = 0.2
const IS_SLOW = 0.1
const SLOW_MS = 1500

export interface Told {
  readonly id: string
  readonly eventId: string | null
  readonly type: string
  /** Of the first try; a later one with another hash is in `changed`. */
  readonly hash: string
  accepted: number
  changed: boolean
}

export interface Receiver {
  readonly urlOf: (endpoint: string) => string
  /** By endpoint, in the order of the first tries. */
  readonly told: ReadonlyMap<string, ReadonlyMap<string, Told>>
  /** No failures and no delays from now on. */
  readonly behave: () => void
  readonly close: () => Promise<void>
}

export const hashOf = (body: string): string => createHash("sha1").update(body).digest("base64")

export const startReceiver = async (chance: Chance): Promise<Receiver> => {
  const told = new Map<string, Map<string, Told>>()
  let misbehaves = true

  const note = (endpoint: string, body: string): Told => {
    const byId = told.get(endpoint) ?? new Map<string, Told>()
    told.set(endpoint, byId)
    const { id, eventId, type } = JSON.parse(body) as Told
    const hash = hashOf(body)
    const known = byId.get(id)
    if (known === undefined) {
      const first: Told = { id, eventId, type, hash, accepted: 0, changed: false }
      byId.set(id, first)
      return first
    }
    if (known.hash !== hash) known.changed = true
    return known
  }

  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.once("end", () => {
      const one = note((request.url ?? "").slice(1), Buffer.concat(chunks).toString("utf8"))
      const fails = misbehaves && chance.is(FAILS)
      const waitMs = misbehaves && chance.is(IS_SLOW) ? SLOW_MS : 0
      void sleep(waitMs).then(() => {
        // Counted before it is said: a sender that dies meanwhile has delivered.
        if (!fails) one.accepted++
        response.writeHead(fails ? 503 : 204).end()
      })
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    urlOf: (endpoint) => `http://127.0.0.1:${port}/${endpoint}`,
    told,
    behave: () => {
      misbehaves = false
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      if (server.listening) await once(server, "close")
    },
  }
}
