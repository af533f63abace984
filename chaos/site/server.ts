/** The server as an operator runs it: a process, with a supervisor that starts it again when it ends. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { sleep } from "../chance.ts"
import type { Build } from "./build.ts"

const START_DEADLINE_MS = 60_000
const RESTART_PAUSE_MS = 500
const KEPT_LINES = 400

interface Running {
  readonly child: ChildProcess
  readonly exited: Promise<number | null>
}

/** Of a line of the log, without what differs from line to line. */
const messageOf = (line: string): string | undefined => {
  try {
    const { msg, err } = JSON.parse(line) as { readonly msg?: string; readonly err?: { readonly message?: string } }
    const cause = err?.message?.replaceAll(/\d+/g, "N").slice(0, 80)
    return `${msg ?? "?"}${cause ? ` (${cause})` : ""}`
  } catch {
    return undefined
  }
}

export interface ServerEvents {
  /** It ended although nobody asked it to. */
  readonly endedByItself: (code: number | null, lastWords: string) => void
}

export class ServerUnderTest {
  readonly #environment: Readonly<Record<string, string>>
  readonly #events: ServerEvents
  readonly #nextBuild: () => Build
  readonly #builds = new Map<number, Build>()
  readonly port: number
  /** Of the process that runs now, or ran last. */
  build: Build
  /** Its last words, in the log and on the terminal, newest last. */
  readonly lines: Array<string> = []
  /** Its log from warnings on, by message. */
  readonly log = new Map<string, number>()
  #running: Running | undefined
  /** We are ending or starting it ourselves. */
  #isMeant = false
  /** It may end by itself because of what is being done to it. */
  mayEnd = false
  #isClosed = false

  /** `nextBuild` is asked at each start. */
  constructor(
    port: number,
    environment: Readonly<Record<string, string>>,
    events: ServerEvents,
    nextBuild: () => Build,
  ) {
    this.port = port
    this.#environment = environment
    this.#events = events
    this.#nextBuild = nextBuild
    this.build = nextBuild()
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Of the process that runs now. */
  get pid(): number {
    return this.#running?.child.pid ?? 0
  }

  /** It listens, and nobody has asked it to end. */
  get isServing(): boolean {
    return !this.#isMeant
  }

  /** Of a process of this server, also one that has ended. */
  buildOf(pid: number): Build | undefined {
    return this.#builds.get(pid)
  }

  /** The builds of all its processes, in order. */
  get starts(): ReadonlyArray<Build> {
    return [...this.#builds.values()]
  }

  /** Starts it and waits until it listens. */
  async start(): Promise<void> {
    if (!(await this.#launch())) throw new Error(`the server did not start: ${this.lines.slice(-5).join(" ")}`)
  }

  /** Starts it again, as often as it takes. */
  async startAgain(): Promise<void> {
    while (!this.#isClosed && !(await this.#launch())) await sleep(RESTART_PAUSE_MS)
  }

  /** Resolves when it listens; it may be coming back at present. */
  async isUp(): Promise<void> {
    while (!this.#isClosed && !(await this.#answers("healthz"))) await sleep(50)
  }

  /** Resolves when it takes requests, as an operator waits before the next node is replaced. */
  async isReady(): Promise<void> {
    while (!this.#isClosed && !(await this.#answers("readyz"))) await sleep(50)
  }

  #answers(path: "healthz" | "readyz"): Promise<boolean> {
    return fetch(`${this.url}/${path}`, { signal: AbortSignal.timeout(1000) }).then(
      ({ ok }) => ok && !this.#isMeant,
      () => false,
    )
  }

  async #launch(): Promise<boolean> {
    this.#isMeant = true
    const running = this.#spawn()
    this.#running = running
    const listens = new Promise<boolean>((resolve) => {
      if (running.child.stdout === null) return
      createInterface({ input: running.child.stdout }).on("line", (line) => {
        this.#keep(line)
        if (line.includes("listens on")) resolve(true)
      })
    })
    const ended = running.exited.then(() => false)
    const isUp = await Promise.race([listens, ended, sleep(START_DEADLINE_MS).then(() => false)])
    if (isUp) this.#isMeant = false
    else running.child.kill("SIGKILL")
    return isUp
  }

  #spawn(): Running {
    this.build = this.#nextBuild()
    const child = spawn(process.execPath, [this.build.main], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...this.#environment, HOST: "127.0.0.1", PORT: String(this.port) },
    })
    if (child.pid !== undefined) this.#builds.set(child.pid, this.build)
    child.stderr.on("data", (chunk: Buffer) => this.#keep(chunk.toString("utf8").trimEnd()))
    const exited = once(child, "exit").then(([code]) => code as number | null)
    void exited.then((code) => this.#ended(code))
    return { child, exited }
  }

  #keep(line: string): void {
    this.lines.push(line)
    const message = messageOf(line)
    if (message !== undefined) this.log.set(message, (this.log.get(message) ?? 0) + 1)
    if (this.lines.length > KEPT_LINES) this.lines.shift()
  }

  #ended(code: number | null): void {
    if (this.#isMeant || this.#isClosed) return
    if (!this.mayEnd) this.#events.endedByItself(code, this.#lastWords())
    void sleep(RESTART_PAUSE_MS).then(() => this.startAgain())
  }

  /** Its lines on the terminal that are not in its log. */
  #lastWords(): string {
    return (this.lines.findLast((line) => messageOf(line) === undefined) ?? "").slice(0, 120)
  }

  /** Resolves when the process that runs now has ended. */
  async gone(): Promise<void> {
    await this.#running?.exited
  }

  signal(name: NodeJS.Signals): void {
    this.#running?.child.kill(name)
  }

  /** Ends it with the signal; resolves to the exit code, `null` when the signal ended it. */
  async end(name: "SIGTERM" | "SIGKILL"): Promise<number | null> {
    this.#isMeant = true
    const running = this.#running
    if (running === undefined) return null
    running.child.kill("SIGCONT")
    running.child.kill(name)
    return running.exited
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const running = this.#running
    if (running === undefined || running.child.exitCode !== null || running.child.signalCode !== null) return
    running.child.kill("SIGCONT")
    running.child.kill("SIGTERM")
    const stopped = await Promise.race([running.exited.then(() => true), sleep(12_000).then(() => false)])
    if (!stopped) running.child.kill("SIGKILL")
    await running.exited
  }
}
