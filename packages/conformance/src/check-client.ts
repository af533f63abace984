/** Checks a client: plays all vectors with programs of it side by side, and tells which promises it keeps. */
import { Adapter } from "./adapter.ts"
import { CLIENT_PROMISES, type ClientPromise } from "./client-promises.ts"
import { play } from "./play.ts"
import { chosenOf, type Outcome, type Report } from "./report.ts"
import { type Vector, vectorsOver } from "./vectors.ts"

export interface ClientOptions {
  /** The adapter: a program and its arguments. */
  readonly command: ReadonlyArray<string>
  /** Milliseconds after which what has not come will not come. */
  readonly patienceMs?: number
  /** Adapters that play side by side. */
  readonly jobs?: number
  /** The promises to check; absent: all. */
  readonly only?: ReadonlyArray<string>
}

interface Played {
  readonly vector: Vector
  /** Absent for a vector that was kept, or not played because another one of its promise had failed. */
  failure?: string | undefined
}

const outcomeOf = (id: ClientPromise, played: ReadonlyArray<Played>): Outcome => {
  const own = played.filter(({ vector }) => vector.promise === id)
  const failed = own.find(({ failure }) => failure !== undefined)
  const promise = { id, ...CLIENT_PROMISES[id] }
  if (own.length === 0) return { ...promise, state: "skipped", detail: "the adapter offers no event stream" }
  if (failed === undefined) return { ...promise, state: "ok", detail: `${own.length} vectors` }
  return { ...promise, state: "failed", detail: `${failed.vector.name}\n${failed.failure}` }
}

/** The first vector of a promise that fails ends the others of that promise: the client would only be waited for again. */
export const checkClient = async (options: ClientOptions): Promise<Report & { readonly errors: string }> => {
  const { command, patienceMs = 60_000, jobs = 4, only } = options
  const ids = chosenOf(Object.keys(CLIENT_PROMISES) as ClientPromise[], only)
  const adapters = Array.from({ length: jobs }, () => new Adapter(command, patienceMs))
  const [first] = adapters as [Adapter]
  try {
    const { name, version, transports = ["websocket"], tells } = await first.start()
    const vectors = transports.flatMap(vectorsOver).filter(({ promise }) => ids.includes(promise))
    const played = vectors.map((vector): Played => ({ vector }))
    const isBroken = (promise: ClientPromise): boolean =>
      played.some(({ vector, failure }) => vector.promise === promise && failure !== undefined)
    const waiting = [...played]
    const work = async (adapter: Adapter): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        if (isBroken(one.vector.promise)) continue
        const settings = { patienceMs, ...(tells && { tells }) }
        one.failure = await play(one.vector, adapter.drive, settings).then(
          () => undefined,
          (cause: Error) => cause.message,
        )
      }
    }
    await Promise.all(adapters.map(work))
    const outcomes = ids.map((id) => outcomeOf(id, played))
    return {
      subject: [name, version].filter(Boolean).join(" "),
      outcomes,
      errors: adapters.map((one) => one.errors).join(""),
    }
  } finally {
    await Promise.all(adapters.map((one) => one.stop()))
  }
}
