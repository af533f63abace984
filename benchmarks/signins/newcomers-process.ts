/** People who join an event at an even pace, each over a socket of their own, and leave together once all are in. */
import { answerParent } from "../support/child.ts"
import { percentile, sleep } from "../support/figures.ts"
import { type GatewayPlace, gatewayToken } from "../support/gateway-tokens.ts"
import { LoadSocket } from "../support/websocket.ts"

export interface Joins {
  readonly port: number
  readonly place: GatewayPlace
  readonly perSecond: number
  readonly seconds: number
}

export interface Joined {
  readonly joined: number
  /** Sockets that were closed before they were in. */
  readonly turnedAway: number
  /** From the first socket opened to the last one in. */
  readonly seconds: number
  /** From the opening of a socket to its `ready`. */
  readonly p50Ms: number
  readonly p99Ms: number
}

const sockets: LoadSocket[] = []

const join = ({ port, place }: Joins, participantId: string, index: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    const token = gatewayToken(place, participantId, "viewer")
    const socket = new LoadSocket(
      index,
      { port, path: "/v1/gateway" },
      {
        opened: () => {},
        frame: (of, payload) => {
          const head = payload.toString("latin1", 0, 24)
          if (head.startsWith('{"op":10')) {
            void token.then((text) => of.send(JSON.stringify({ op: 2, d: { token: text } })))
          } else if (head.includes('"t":"ready"')) resolve(performance.now() - startedAt)
        },
        closed: () => resolve(undefined),
      },
    )
    sockets.push(socket)
  })

answerParent({
  /** Those who come are the first users of the place, the same each time. */
  join: async (joins: Joins): Promise<Joined> => {
    const ids = joins.place.users?.ids ?? []
    const wanted = joins.perSecond * joins.seconds
    const startedAt = performance.now()
    const joining: Promise<number | undefined>[] = []
    for (let index = 0; index < wanted; index++) {
      const dueIn = startedAt + (index * 1000) / joins.perSecond - performance.now()
      if (dueIn > 1) await sleep(dueIn)
      joining.push(join(joins, ids[index % ids.length] ?? "", index))
    }
    const took = (await Promise.all(joining)).filter((ms) => ms !== undefined)
    return {
      joined: took.length,
      turnedAway: wanted - took.length,
      seconds: (performance.now() - startedAt) / 1000,
      p50Ms: percentile(took, 0.5),
      p99Ms: percentile(took, 0.99),
    }
  },
  leave: () => {
    for (const socket of sockets.splice(0)) socket.cut()
  },
})
