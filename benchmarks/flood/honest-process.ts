/** People who have done nothing wrong: some sign in, others are at an event and hear its heartbeat. */
import { randomUUID } from "node:crypto"
import { answerParent } from "../support/child.ts"
import { percentile, sleep } from "../support/figures.ts"
import { type GatewayPlace, gatewayToken } from "../support/gateway-tokens.ts"
import { LoadSocket } from "../support/websocket.ts"
import { Line, loginRequest } from "./line.ts"

export interface Honest {
  readonly port: number
  readonly place: GatewayPlace
  readonly sockets: number
}

export interface SignIns {
  readonly port: number
  readonly seconds: number
  readonly people: ReadonlyArray<{
    readonly email: string
    readonly password: string
    readonly address: string
    /** Comes from there for the first time. */
    readonly isNew: boolean
  }>
}

export interface Served {
  readonly loginP50Ms: number
  readonly loginP99Ms: number
  /** Sign-ins that were not answered 200, from known addresses and from new ones. */
  readonly loginsRefused: number
  readonly newcomersRefused: number
  readonly beatP50Ms: number
  readonly beatP99Ms: number
  readonly beats: number
  readonly socketsLost: number
}

const BEAT_MS = 500

const beats: number[] = []
let lost = 0
const sockets: LoadSocket[] = []

const join = ({ port, place }: Honest, index: number): Promise<void> =>
  new Promise((resolve) => {
    const socket = new LoadSocket(
      index,
      { port, path: "/v1/gateway" },
      {
        opened: () => {},
        frame: (of, payload) => {
          const text = payload.toString("utf8")
          if (text.startsWith('{"op":10')) {
            void gatewayToken(place, randomUUID(), "viewer").then((token) =>
              of.send(JSON.stringify({ op: 2, d: { token } })),
            )
          } else if (text.startsWith('{"op":11'))
            beats.push(performance.now() - Number(/"t0":([\d.]+)/.exec(text)?.[1]))
          else if (text.includes('"t":"ready"')) resolve()
        },
        closed: () => {
          lost++
        },
      },
    )
    sockets.push(socket)
  })

const signIn = async ({ port, seconds, people }: SignIns): Promise<Served> => {
  beats.length = 0
  lost = 0
  let turn = 0
  const timer = setInterval(() => {
    // A part of the sockets at a time, so that all beat twice a second and never at once.
    const part = turn++ % 10
    for (const [index, socket] of sockets.entries()) {
      if (index % 10 === part) socket.send(`{"op":1,"d":{"t0":${performance.now()}}}`)
    }
  }, BEAT_MS / 10)
  const startedAt = performance.now()
  const logins = people.map(async ({ email, password, address, isNew }, index) => {
    await sleep((index * seconds * 1000) / people.length)
    const line = await Line.open(port)
    const answer = await line.ask(loginRequest(address, email, password))
    line.close()
    return { ...answer, isNew }
  })
  const answers = await Promise.all(logins)
  await sleep(Math.max(0, seconds * 1000 - (performance.now() - startedAt)))
  clearInterval(timer)
  const took = answers.filter(({ status, isNew }) => status === 200 && !isNew).map(({ ms }) => ms)
  const refused = answers.filter(({ status }) => status !== 200)
  return {
    loginP50Ms: percentile(took, 0.5),
    loginP99Ms: percentile(took, 0.99),
    loginsRefused: refused.filter(({ isNew }) => !isNew).length,
    newcomersRefused: refused.filter(({ isNew }) => isNew).length,
    beatP50Ms: percentile(beats, 0.5),
    beatP99Ms: percentile(beats, 0.99),
    beats: beats.length,
    socketsLost: lost,
  }
}

answerParent({
  join: async (options: Honest) => {
    await Promise.all(Array.from({ length: options.sockets }, (_, index) => join(options, index)))
  },
  signIn,
})
