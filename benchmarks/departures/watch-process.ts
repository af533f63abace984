/** A host at the event whom nobody cuts off: hears who is present, and goes on announcing meanwhile. In a process of its own. */
import { randomUUID } from "node:crypto"
import { answerParent } from "../support/child.ts"
import { percentile, sleep } from "../support/figures.ts"
import { type GatewayPlace, gatewayToken } from "../support/gateway-tokens.ts"
import { LoadSocket } from "../support/websocket.ts"

export interface WatchOptions {
  readonly port: number
  readonly place: GatewayPlace
}

export interface Announced {
  readonly announcements: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface Awaiting {
  readonly people: number
  /** The number must stay: presence that goes on falling was not exact. */
  readonly staysMs: number
  readonly patienceMs: number
}

export interface Awaited {
  /** Unix milliseconds of the dispatch that said so. */
  readonly at: number
  /** The last number that was said, when patience ended. */
  readonly total: number
}

const HEARTBEAT_MS = 20_000
const LOOK_MS = 10
const TEXT = "Please stay where you are."

interface Person {
  readonly participantId: string
}

interface Dispatch {
  readonly t?: string
  readonly id?: string
  readonly ok?: boolean
  readonly d?: {
    readonly total?: number
    readonly mode?: "list" | "summary"
    readonly presence?: {
      readonly mode: "list" | "summary"
      readonly total: number
      readonly list?: ReadonlyArray<Person>
    }
    readonly reset?: boolean
    readonly join?: ReadonlyArray<Person>
    readonly left?: ReadonlyArray<string>
  }
}

let socket: LoadSocket | undefined
let total = Number.NaN
let saidAt = 0
let isAnnouncing = false
let announcing: Promise<void> = Promise.resolve()
let latencies: number[] = []
const sentAt = new Map<string, number>()

/** Those in the list, while the event shows one; a large audience has only its number. */
let list: Set<string> | undefined

const newList = (people: ReadonlyArray<Person> = []): Set<string> =>
  new Set(people.map(({ participantId }) => participantId))

const change = (people: Set<string>, { reset, join = [], left = [] }: NonNullable<Dispatch["d"]>): void => {
  if (reset === true) people.clear()
  for (const { participantId } of join) people.add(participantId)
  for (const participantId of left) people.delete(participantId)
}

/** What presence says now; undefined: the dispatch says nothing about it. */
const hear = ({ t, d = {} }: Dispatch): number | undefined => {
  switch (t) {
    case "ready":
      list = d.presence?.mode === "list" ? newList(d.presence.list) : undefined
      return d.presence?.total
    case "presence.mode":
      // The people of a new list follow.
      list = d.mode === "list" ? newList() : undefined
      return d.total
    case "presence.count":
      return list === undefined ? d.total : undefined
    case "presence.diff":
      if (list !== undefined) change(list, d)
      return list?.size
    default:
      return undefined
  }
}

const read = (frame: Dispatch): void => {
  const heard = hear(frame)
  if (heard !== undefined && heard !== total) {
    total = heard
    saidAt = Date.now()
  }
  const sent = sentAt.get(frame.id ?? "")
  if (sent === undefined || frame.ok === undefined) return
  if (!frame.ok) throw new Error(`an announcement was refused: ${JSON.stringify(frame)}`)
  latencies.push(performance.now() - sent)
  sentAt.delete(frame.id ?? "")
}

const open = ({ port, place }: WatchOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    socket = new LoadSocket(
      0,
      { port, path: "/v1/gateway" },
      {
        opened: () => {},
        frame: (of, payload) => {
          const text = payload.toString("utf8")
          if (text.startsWith('{"op":10')) {
            void gatewayToken(place, randomUUID(), "host").then((token) =>
              of.send(JSON.stringify({ op: 2, d: { token } })),
            )
            return
          }
          const content = JSON.parse(text) as Dispatch | ReadonlyArray<Dispatch>
          for (const frame of Array.isArray(content) ? content : [content]) {
            read(frame)
            if (frame.t === "ready") resolve()
          }
        },
        closed: (_, code) => reject(new Error(`the host's socket was closed (${code})`)),
      },
    )
    setInterval(() => socket?.send('{"op":1,"d":{"t0":0}}'), HEARTBEAT_MS).unref()
  })

/** Resolves once presence says the number and keeps to it for so long, or to what it says at the end of the patience. */
const until = async ({ people, staysMs, patienceMs }: Awaiting): Promise<Awaited> => {
  const deadline = Date.now() + patienceMs
  while (Date.now() < deadline && !(total === people && Date.now() - saidAt >= staysMs)) await sleep(LOOK_MS)
  return { at: saidAt, total }
}

const announce = async (perSecond: number): Promise<void> => {
  while (isAnnouncing) {
    const id = randomUUID()
    sentAt.set(id, performance.now())
    socket?.send(JSON.stringify({ op: 3, id, t: "announce", d: { text: TEXT } }))
    await sleep(1000 / perSecond)
  }
  while (sentAt.size > 0) await sleep(LOOK_MS)
}

answerParent({
  open,
  until,
  /** Returns at once. */
  announce: (perSecond: number) => {
    latencies = []
    isAnnouncing = true
    announcing = announce(perSecond)
  },
  /** Of those since the last call. */
  announced: () => {
    const taken = latencies
    latencies = []
    return { announcements: taken.length, p50Ms: percentile(taken, 0.5), p99Ms: percentile(taken, 0.99) }
  },
  silence: async () => {
    isAnnouncing = false
    await announcing
  },
})
