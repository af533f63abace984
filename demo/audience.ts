/** The people of the demo: real sockets through the reference client, and what each of them saw when. */
import { GatewayClient } from "../packages/client/src/gateway-client.ts"
import type { Dispatch } from "../packages/client/src/wire.ts"
import type { Rest } from "./rest.ts"

export interface Person {
  readonly name: string
  readonly client: GatewayClient
  resumed: number
  closedWith: number | undefined
}

/** When an ordered dispatch reached the last of its sockets. */
interface Reach {
  readonly t: string
  /** The server's commit time, Unix milliseconds. */
  readonly ts: number
  last: number
  count: number
}

export class Audience {
  readonly people: Person[] = []
  dispatches = 0
  #isPaused = false
  readonly #reach = new Map<string, Reach>()
  readonly #rest: Rest
  readonly #eventId: string

  constructor(rest: Rest, eventId: string) {
    this.#rest = rest
    this.#eventId = eventId
  }

  /** Joins with a session, or anonymously without one; `route` may lead the socket elsewhere. */
  async join(name: string, session?: string, route: (url: string) => string = (url) => url): Promise<Person> {
    const caller = session === undefined ? {} : { bearer: session }
    const client = new GatewayClient({
      token: async () => {
        const grant = await this.#rest.call("POST", "/v1/auth/gateway-token", caller, { eventId: this.#eventId })
        return { token: grant["token"], url: route(grant["url"]), expiresAt: grant["expiresAt"] }
      },
    })
    const person: Person = { name, client, resumed: 0, closedWith: undefined }
    this.people.push(person)
    client.on("dispatch", (dispatch) => this.#saw(dispatch))
    client.on("connected", (ready) => {
      if (ready.resumed) person.resumed++
    })
    client.on("closed", ({ code }) => {
      person.closedWith = code
    })
    await client.connect()
    return person
  }

  #saw(dispatch: Dispatch): void {
    this.dispatches++
    if (this.#isPaused || !MOMENTS.has(dispatch.t)) return
    const now = Date.now()
    const key = `${dispatch.t} ${dispatch.v}`
    const reach = this.#reach.get(key) ?? { t: dispatch.t, ts: dispatch.ts, last: now, count: 0 }
    reach.last = now
    reach.count++
    this.#reach.set(key, reach)
  }

  /** Leaves out of the latencies what is said from now on, until the returned function is called: somebody is away. */
  pauseClock(): () => void {
    this.#isPaused = true
    return () => {
      this.#isPaused = false
    }
  }

  /** Milliseconds from commit to the last socket, for every moment that reached everyone while nobody was disconnected. */
  latencies(everyone: number): ReadonlyArray<number> {
    return [...this.#reach.values()].filter(({ count }) => count >= everyone).map(({ ts, last }) => last - ts)
  }
}

/** Dispatches that everyone gets at the same moment. */
const MOMENTS = new Set([
  "phase.started",
  "phase.ended",
  "timer.updated",
  "timer.elapsed",
  "announcement",
  "event.ended",
])

/** The value below which a share `p` of the sorted values lie. */
export const percentile = (values: ReadonlyArray<number>, p: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN
}
