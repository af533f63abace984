/**
 * The server's side of the media process: starts it when there is work, gives it one task at a time, and kills it when a task takes too
 * much time or memory. It ends after a while without work.
 */
import { type ChildProcess, fork } from "node:child_process"
import { readFileSync } from "node:fs"
import { Context, Data, Effect, Layer, Semaphore } from "effect"
import { type Cancel, currentTimers, type Timers } from "../../clock/timers.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { ReadTranscript } from "../captions/read.ts"
import type {
  CutTask,
  Cutting,
  InspectTask,
  MediaAnswer,
  MediaInspection,
  MediaTask,
  MediaWork,
  ReadTask,
} from "./protocol.ts"

/** The task was not done. `tooMuch` means that it was given up for its time or memory, and would be again. */
export class TaskFailed extends Data.TaggedError("TaskFailed")<{
  readonly tooMuch: boolean
  /** Whether the storage did not answer, which says nothing about the bytes. */
  readonly isAway?: boolean
  readonly detail: string
}> {}

export interface MediaProcessorOptions {
  /** Path of the process's module, and its arguments. */
  readonly entry: { readonly module: string; readonly args: ReadonlyArray<string> }
  /** Time limit of one task on a file of this size; null when the size is unknown or says nothing about the work. */
  readonly withinMs: (sizeBytes: number | null) => number
  readonly maxResidentBytes: number
}

const IDLE_MS = 60_000
const MEMORY_LOOK_MS = 500
const PAGE_BYTES = 4096

/** Resident memory of a process; 0 where the system does not report it. Node's own limits do not include buffers. */
const residentBytes = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * PAGE_BYTES
  } catch {
    return 0
  }
}

type Result = MediaInspection | Cutting | ReadTranscript
type Settle = (outcome: Result | TaskFailed) => void

class Process {
  readonly #options: MediaProcessorOptions
  readonly #timers: Timers
  readonly #log: Telemetry["Service"]["log"]
  #child: ChildProcess | undefined
  #tasks = 0
  #current: { readonly id: number; readonly settle: Settle } | undefined
  #stopIdling: (() => void) | undefined

  constructor(options: MediaProcessorOptions, timers: Timers, log: Telemetry["Service"]["log"]) {
    this.#options = options
    this.#timers = timers
    this.#log = log
  }

  /** Runs one task at a time. `settle` is called once. */
  run(work: MediaWork, sizeBytes: number | null, settle: Settle): void {
    this.#stopIdling?.()
    const child = this.#started()
    const id = ++this.#tasks
    const { withinMs, maxResidentBytes } = this.#options
    const stopTime = this.#timers.after(withinMs(sizeBytes), () =>
      this.kill(new TaskFailed({ tooMuch: true, detail: "time" })),
    )
    let stopLook: Cancel
    const look = (): void => {
      stopLook = this.#timers.after(MEMORY_LOOK_MS, () => {
        if (residentBytes(child.pid ?? 0) <= maxResidentBytes) look()
        else this.kill(new TaskFailed({ tooMuch: true, detail: "memory" }))
      })
    }
    look()
    this.#current = {
      id,
      settle: (outcome) => {
        stopTime()
        stopLook()
        this.#current = undefined
        this.#stopIdling = this.#timers.after(IDLE_MS, () => this.kill())
        settle(outcome)
      },
    }
    child.send({ ...work, id } satisfies MediaTask)
  }

  /** Ends the process; a running task fails with the reason. */
  kill(why = new TaskFailed({ tooMuch: false, detail: "The server stops." })): void {
    this.#stopIdling?.()
    this.#child?.kill("SIGKILL")
    this.#child = undefined
    this.#current?.settle(why)
  }

  #started(): ChildProcess {
    if (this.#child !== undefined) return this.#child
    const { module, args } = this.#options.entry
    // Runs without the server's environment variables, which hold secrets that the process does not need.
    const child = fork(module, [...args], {
      execArgv: [],
      env: {},
      // Transfers bytes as bytes.
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    })
    this.#child = child
    child.on("message", (message) => this.#received(message as MediaAnswer))
    child.once("error", (cause) => this.#ended(child, cause.message))
    child.once("exit", (code, signal) => this.#ended(child, `ended (${signal ?? code})`))
    return child
  }

  #received(answer: MediaAnswer): void {
    if ("said" in answer) {
      this.#log.info({ said: answer.said }, "media: a file could not be read")
      return
    }
    if (answer.id !== this.#current?.id) return
    this.#current.settle(
      "fault" in answer
        ? new TaskFailed({ tooMuch: false, detail: answer.fault, isAway: answer.isAway })
        : answer.result,
    )
  }

  #ended(child: ChildProcess, how: string): void {
    if (this.#child !== child) return
    this.#child = undefined
    this.#current?.settle(new TaskFailed({ tooMuch: false, detail: `The process for media ${how}.` }))
  }
}

/** Failure for an answer of another kind than the task's. */
const OTHER_RESULT = new TaskFailed({ tooMuch: false, detail: "The process for media answered another task." })

export class MediaProcessor extends Context.Service<
  MediaProcessor,
  {
    readonly inspect: (
      task: Omit<InspectTask, "kind"> & { readonly sizeBytes: number | null },
    ) => Effect.Effect<MediaInspection, TaskFailed>
    /** Writes a part of a file to another file. */
    readonly cut: (task: Omit<CutTask, "kind">) => Effect.Effect<Cutting, TaskFailed>
    /** Reads a transcript in a separate process, because its author waits, and must not wait for a cut. */
    readonly read: (task: Omit<ReadTask, "kind">) => Effect.Effect<ReadTranscript, TaskFailed>
  }
>()("gathercue/MediaProcessor") {
  static readonly layer = (options: MediaProcessorOptions): Layer.Layer<MediaProcessor, never, Telemetry> =>
    Layer.effect(
      MediaProcessor,
      Effect.gen(function* () {
        const { log } = yield* Telemetry
        const timers = yield* currentTimers
        const processOf = Effect.gen(function* () {
          const media = yield* Effect.acquireRelease(
            Effect.sync(() => new Process(options, timers, log)),
            (open) => Effect.sync(() => open.kill()),
          )
          const turns = yield* Semaphore.make(1)
          return (work: MediaWork, sizeBytes: number | null = null) =>
            turns.withPermits(1)(
              Effect.callback<Result, TaskFailed>((resume) => {
                media.run(work, sizeBytes, (outcome) =>
                  resume(outcome instanceof TaskFailed ? Effect.fail(outcome) : Effect.succeed(outcome)),
                )
                // An interrupted caller needs no answer, and the process would continue a task that nothing waits for.
                return Effect.sync(() => media.kill())
              }),
            )
        })
        const perform = yield* processOf
        const performRead = yield* processOf
        return {
          inspect: ({ sizeBytes, ...task }) =>
            Effect.flatMap(perform({ kind: "inspect", ...task }, sizeBytes), (result) =>
              result.outcome === "readable" || result.outcome === "refused"
                ? Effect.succeed(result)
                : Effect.fail(OTHER_RESULT),
            ),
          cut: (task) =>
            Effect.flatMap(perform({ kind: "cut", ...task }), (result) =>
              result.outcome === "cut" || result.outcome === "refused"
                ? Effect.succeed(result)
                : Effect.fail(OTHER_RESULT),
            ),
          read: (task) =>
            Effect.flatMap(performRead({ kind: "read", ...task }), (result) =>
              result.outcome === "read" || result.outcome === "unreadable"
                ? Effect.succeed(result)
                : Effect.fail(OTHER_RESULT),
            ),
        }
      }),
    )
}
