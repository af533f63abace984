/**
 * A client under test: a program that takes commands as lines of JSON and tells what its client does, as the README describes. One
 * process plays many vectors, one after the other. One that fails a vector is replaced, because its client may go on.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { Broken, eventually } from "./eventually.ts"
import { framesIn, isFrame } from "./frames.ts"
import type { Drive, Driven } from "./play.ts"
import type { Told, Transport } from "./vectors.ts"

const PROTOCOL = 1

/** The program's answer to `start`: it describes the client. */
export interface Introduction {
  readonly name: string
  readonly version?: string
  readonly transports?: ReadonlyArray<Transport>
  readonly tells?: ReadonlyArray<keyof Told>
}

interface Signal {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (cause: Error) => void
}

const signal = (): Signal => {
  let settle: Omit<Signal, "promise"> = { resolve: () => {}, reject: () => {} }
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // A rejection that nobody waits for is no fault of this process.
  promise.catch(() => {})
  return { promise, ...settle }
}

export class Adapter {
  readonly #command: ReadonlyArray<string>
  readonly #patienceMs: number
  #child: ChildProcess | undefined
  #introduction: Introduction | undefined
  #heard: (line: { readonly tell?: unknown; readonly entry?: unknown }) => void = () => {}
  #failed: (cause: Error) => void = () => {}
  /** Error output of the program. */
  errors = ""

  constructor(command: ReadonlyArray<string>, patienceMs: number) {
    this.#command = command
    this.#patienceMs = patienceMs
  }

  /** Starts the program where none runs, and lets it introduce its client. */
  async start(): Promise<Introduction> {
    if (this.#child !== undefined && this.#introduction !== undefined) return this.#introduction
    const [file = "", ...args] = this.#command
    const child = spawn(file, args, { stdio: ["pipe", "pipe", "pipe"] })
    this.#child = child
    this.#introduction = undefined
    let end: string | undefined
    const ended = (why: string): void => {
      end ??= why
      if (this.#child !== child) return
      this.#child = undefined
      this.#failed(new Broken(`the adapter has ended: ${why}\n${this.errors.slice(-2000)}`))
    }
    child.on("error", (cause) => ended(cause.message))
    child.on("close", (code) => ended(`exit code ${code}`))
    child.stdin.on("error", () => {})
    child.stderr.on("data", (text) => {
      this.errors += text
    })
    createInterface(child.stdout).on("line", (line) => {
      const [said = {}] = framesIn(line)
      if (isFrame(said["started"])) this.#introduction = said["started"] as unknown as Introduction
      else if (this.#child === child) this.#heard(said)
    })
    this.#say({ cmd: "start", protocol: PROTOCOL })
    await eventually(() => this.#introduction !== undefined || end !== undefined, "`started`", this.#patienceMs)
    if (this.#introduction === undefined) throw new Broken(`the adapter has ended: ${end}\n${this.errors}`)
    return this.#introduction
  }

  /** Plays with a client of the program. */
  readonly drive: Drive = async (url, options): Promise<Driven> => {
    await this.start()
    const told: Told = { dispatches: [], status: [], replies: {} }
    const [isOver, isFinished] = [signal(), signal()]
    this.#failed = (cause) => {
      isOver.reject(cause)
      isFinished.reject(cause)
    }
    let isDone = false
    this.#heard = (line) => {
      const { tell, entry } = line
      if (tell === "ended") isOver.resolve()
      else if (tell === "finished") isFinished.resolve()
      else if (tell === "replies") [told.replies[String((entry as unknown[])[0])]] = (entry as unknown[]).slice(1)
      else if (tell === "dispatches" || tell === "status") told[tell].push(entry)
      else this.#failed(new Broken(`the adapter said what no adapter says: ${JSON.stringify(line)}`))
    }
    this.#say({ cmd: "connect", url, options })
    return {
      told,
      command: (action) => this.#say({ cmd: "command", ...action }),
      close: () => this.#say({ cmd: "close" }),
      stall: (ms) => this.#say({ cmd: "stall", ms }),
      ended: async () => {
        await isOver.promise
        this.#say({ cmd: "finish" })
        await isFinished.promise
        isDone = true
      },
      kill: () => {
        if (isDone) return
        this.#child?.kill("SIGKILL")
        this.#child = undefined
      },
    }
  }

  /** Ends the program. */
  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    const closed = once(child, "close")
    child.stdin?.end()
    const timer = setTimeout(() => child.kill("SIGKILL"), this.#patienceMs)
    await closed
    clearTimeout(timer)
  }

  #say(line: unknown): void {
    this.#child?.stdin?.write(`${JSON.stringify(line)}\n`)
  }
}
