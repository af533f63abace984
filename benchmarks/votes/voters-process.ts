/**
 * The people of one poll, in a process of their own: each has a socket and votes again and again, every time for something
 * else. Knows what everybody's last accepted vote was, and so what the tally has to be.
 */
import { randomUUID } from "node:crypto"
import { answerParent } from "../support/child.ts"
import { sleep } from "../support/figures.ts"
import { type GatewayPlace, gatewayToken } from "../support/gateway-tokens.ts"
import { LoadSocket } from "../support/websocket.ts"
import { choiceOf, type Offer, OPTION_COUNT, Tally } from "./pace.ts"

export interface VotersOptions {
  readonly port: number
  readonly place: GatewayPlace
  readonly people: number
  readonly joinsPerSecond: number
}

export interface Compared {
  /** By everybody's last accepted vote. */
  readonly cast: ReadonlyArray<number>
  /** In a newcomer's `ready`. */
  readonly kept: ReadonlyArray<number>
  /** In the last tally a socket received. */
  readonly received: ReadonlyArray<number>
}

/** The used parts of a reply or of `ready`. */
interface Said {
  readonly poll?: { readonly id: string }
  readonly polls?: ReadonlyArray<{ readonly counts: ReadonlyArray<number> }>
}

const HEARTBEAT_MS = 10_000
const TALLY_MS = 1500

const people: LoadSocket[] = []
/** The number of each person's last accepted vote. */
let last: Int32Array
let options: VotersOptions
let pollId = ""
let offered = 0
let tally = new Tally()
let received: ReadonlyArray<number> = []

const connect = (index: number, role: "viewer" | "host", onFrame: (text: string) => void): Promise<LoadSocket> =>
  new Promise((resolve, reject) => {
    const socket = new LoadSocket(
      index,
      { port: options.port, path: "/v1/gateway" },
      {
        opened: () => {},
        frame: (of, payload) => {
          const text = payload.toString("utf8")
          if (text.startsWith('{"op":10')) {
            void gatewayToken(options.place, randomUUID(), role).then((token) =>
              of.send(JSON.stringify({ op: 2, d: { token } })),
            )
          }
          onFrame(text)
          if (text.startsWith('{"op":0,"t":"ready"')) resolve(socket)
        },
        closed: (_, code) => reject(new Error(`a socket was closed (${code})`)),
      },
    )
    setInterval(() => socket.send('{"op":1,"d":{"t0":0}}'), HEARTBEAT_MS).unref()
  })

const hear = (index: number, text: string): void => {
  if (text.startsWith('{"op":4')) {
    const n = Number(/"id":"(\d+)"/.exec(text)?.[1])
    const ok = text.includes('"ok":true')
    if (ok) last[index] = Math.max(last[index] ?? -1, n)
    tally.answered(n, ok)
    return
  }
  if (index !== 0 || !text.includes('"poll.tally"')) return
  const frame = JSON.parse(text)
  for (const { t, d } of Array.isArray(frame) ? frame : [frame]) if (t === "poll.tally") received = d.counts
}

/** A host's socket; asks one command after the other. */
const host = async () => {
  let answer: (d: Said) => void = () => {}
  let ready: Said = {}
  const socket = await connect(-1, "host", (text) => {
    if (text.startsWith('{"op":4')) answer(JSON.parse(text).d)
    if (text.startsWith('{"op":0,"t":"ready"')) ready = JSON.parse(text).d
  })
  const ask = (t: string, d: object): Promise<Said> =>
    new Promise((resolve) => {
      answer = resolve
      socket.send(JSON.stringify({ op: 3, id: randomUUID(), t, d }))
    })
  return { ready, ask }
}

const open = async (given: VotersOptions): Promise<void> => {
  options = given
  last = new Int32Array(given.people).fill(-1)
  const { ask } = await host()
  const texts = Array.from({ length: OPTION_COUNT }, (_, index) => `Option ${index + 1}`)
  const { poll } = await ask("poll.create", { question: "Which?", kind: "single", options: texts })
  pollId = poll?.id ?? ""
  await ask("poll.open", { id: pollId })
  const startedAt = performance.now()
  const joining: Promise<LoadSocket>[] = []
  for (let index = 0; index < given.people; index++) {
    const dueIn = startedAt + (index * 1000) / given.joinsPerSecond - performance.now()
    if (dueIn > 1) await sleep(dueIn)
    joining.push(connect(index, "viewer", (text) => hear(index, text)))
  }
  people.push(...(await Promise.all(joining)))
}

const vote = (n: number): void => {
  const optionIds = [String(choiceOf(n, people.length) + 1)]
  people[n % people.length]?.send(
    JSON.stringify({ op: 3, id: String(n), t: "poll.vote", d: { id: pollId, optionIds } }),
  )
}

answerParent({
  open,
  vote: async (offer: Offer) => {
    tally = new Tally()
    const from = offered
    offered += offer.perSecond * offer.seconds
    return tally.run(offer, from, vote)
  },
  compare: async (): Promise<Compared> => {
    await sleep(TALLY_MS)
    const cast = new Array<number>(OPTION_COUNT).fill(0)
    for (const n of last) if (n >= 0) cast[choiceOf(n, people.length)] = (cast[choiceOf(n, people.length)] ?? 0) + 1
    const { ready } = await host()
    return { cast, received, kept: ready.polls?.[0]?.counts ?? [] }
  },
})
