/** One worker process, restarted whenever it ends by itself. */
import { type ChildProcess, fork } from "node:child_process"
import type { SupervisorMessage, WorkerMessage } from "../cluster/link/worker-messages.ts"
import type { LinkHub, Receiver } from "./link-hub.ts"

interface WorkerOptions {
  /** The command's module, which a worker runs with `WORKER_FLAG`. */
  readonly module: string
  readonly environment: NodeJS.ProcessEnv
  readonly hub: LinkHub
  /** Called when a worker ended by itself and is restarted after this delay. */
  readonly ended: (code: number | null, againInMs: number) => void
}

/** The argument that makes the command a worker. */
const WORKER_FLAG = "--worker"

const AGAIN_AFTER_MS = 200
const AGAIN_AT_MOST_MS = 5000
/** A worker that ran for this long did not end because of how it was started. */
const SOUND_AFTER_MS = 30_000

interface Running {
  readonly child: ChildProcess
  readonly exited: Promise<number | null>
  /** Resolves to the database's description, or to null if the worker ended before it was ready. */
  readonly ready: Promise<string | null>
}

export class Worker {
  readonly #options: WorkerOptions
  #running: Running | undefined
  #again: NodeJS.Timeout | undefined
  #pauseMs = AGAIN_AFTER_MS
  #startedAt = 0
  /** True while the supervisor is ending the worker. */
  #isMeant = false

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  /** Resolves to the database's description when the worker answers requests, or to null if it ended before. */
  start(): Promise<string | null> {
    this.#isMeant = false
    this.#startedAt = performance.now()
    const running = this.#launch()
    this.#running = running
    void running.exited.then((code) => {
      if (this.#running === running && !this.#isMeant) this.#startAgain(code)
    })
    return running.ready
  }

  /** Stops the worker gracefully and for good; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isMeant = true
    clearTimeout(this.#again)
    this.#running?.child.kill("SIGTERM")
    await this.#running?.exited
  }

  /** Kills the worker, as a last resort. */
  kill(): void {
    this.#isMeant = true
    clearTimeout(this.#again)
    this.#running?.child.kill("SIGKILL")
  }

  #startAgain(code: number | null): void {
    if (performance.now() - this.#startedAt > SOUND_AFTER_MS) this.#pauseMs = AGAIN_AFTER_MS
    const pauseMs = this.#pauseMs
    this.#pauseMs = Math.min(AGAIN_AT_MOST_MS, 2 * pauseMs)
    this.#options.ended(code, pauseMs)
    this.#again = setTimeout(() => void this.start(), pauseMs)
  }

  #launch(): Running {
    const { module, environment, hub } = this.#options
    const child = fork(module, [WORKER_FLAG], { env: environment, serialization: "advanced", stdio: "inherit" })
    const receiver: Receiver = {
      send: (message: SupervisorMessage, taken) => {
        if (child.connected) child.send(message, () => taken())
      },
    }
    hub.joined(receiver)
    const exited = new Promise<number | null>((resolve) => {
      const end = (code: number | null): void => {
        hub.left(receiver)
        resolve(code)
      }
      child.once("exit", end)
      // A process that could not be started emits no exit.
      child.on("error", () => {
        if (child.pid === undefined) end(null)
      })
    })
    const ready = new Promise<string | null>((resolve) => {
      child.on("message", (message: WorkerMessage) => {
        if (message.type === "ready") resolve(message.database)
        else hub.received(receiver, message)
      })
      void exited.then(() => resolve(null))
    })
    return { child, exited, ready }
  }
}
