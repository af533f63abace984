/** Checks a running server: each promise with an event of its own. */
import { exec } from "node:child_process"
import { promisify } from "node:util"
import { House, type ServerPromise } from "./house.ts"
import { chosenOf, type Outcome, type Report } from "./report.ts"
import { SERVER_PROMISES } from "./server-promises.ts"

export interface ServerOptions {
  readonly url: string
  /** An API key of a workspace, with all scopes. */
  readonly key: string
  /** Stops the server in order; a text is a command of the shell. Without it that promise is skipped. */
  readonly drain?: string | (() => Promise<unknown>)
  /** Milliseconds after which what has not come will not come. */
  readonly patienceMs?: number
  /** Checks that run side by side. */
  readonly jobs?: number
  /** The promises to check; absent: all. */
  readonly only?: ReadonlyArray<string>
}

const run = promisify(exec)
const NO_DRAIN = "the server is stopped for it: --drain names the command"

/** The checks side by side; that of the server's end comes last, and alone. */
export const checkServer = async (options: ServerOptions): Promise<Report> => {
  const { url, key, drain, only, patienceMs = 60_000, jobs = 4 } = options
  const stop = async (): Promise<void> => {
    await (typeof drain === "string" ? run(drain) : drain?.())
  }
  const chosen = chosenOf(
    SERVER_PROMISES.map(({ id }) => id),
    only,
  )
  // A key that is wrong breaks no promise of the gateway.
  await new House(url, key, patienceMs).api("GET", "/events?limit=1")
  const outcome = async ({ check, ...promise }: ServerPromise): Promise<Outcome> => {
    if (promise.id === "drain" && drain === undefined) return { ...promise, state: "skipped", detail: NO_DRAIN }
    const house = new House(url, key, patienceMs)
    try {
      await check(house, stop)
      return { ...promise, state: "ok", detail: "" }
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      return { ...promise, state: "failed", detail: [message, ...house.shown].join("\n") }
    } finally {
      await house.end()
    }
  }
  const outcomes = new Map<string, Outcome>()
  const asked = SERVER_PROMISES.filter(({ id }) => chosen.includes(id))
  const waiting = asked.filter(({ id }) => id !== "drain")
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) outcomes.set(one.id, await outcome(one))
  }
  await Promise.all(Array.from({ length: jobs }, work))
  for (const one of asked) if (!outcomes.has(one.id)) outcomes.set(one.id, await outcome(one))
  return { subject: url, outcomes: asked.flatMap(({ id }) => outcomes.get(id) ?? []) }
}
