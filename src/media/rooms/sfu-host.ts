/**
 * The server's side of the forwarding unit: starts its process when somebody joins a call, passes signals on, and starts it again when it
 * ends. The next one is another session: it knows nobody, and browsers connect to it again.
 */
import { type ChildProcess, fork } from "node:child_process"
import type { Cancel, Timers } from "../../clock/timers.ts"
import { newId } from "../../model/ids.ts"
import type { SfuNews, SfuTask } from "../../sfu/process-protocol.ts"
import type { Telemetry } from "../../telemetry/telemetry.ts"
import { type EncoderServer, EncoderSessions } from "./encoder-sessions.ts"

interface SfuHostOptions {
  /** Most of one encoder of a broadcast, in kilobits a second. */
  readonly encoderKbps: number
  /** Path of the process's module, and its arguments. */
  readonly entry: { readonly module: string; readonly args: ReadonlyArray<string> }
  readonly port: number
  /** Addresses that browsers are told; without any, those of the machine. */
  readonly addresses: ReadonlyArray<string>
  readonly timers: Timers
  readonly log: Telemetry["Service"]["log"]
}

type Served = { readonly room: string; readonly peer: string }
type Muted = Extract<SfuTask, { readonly type: "mute" }>["muted"]
type Signal =
  | { readonly kind: "offer" | "answer"; readonly gen: number; readonly data: string }
  | { readonly kind: "candidates"; readonly gen: number; readonly data: ReadonlyArray<string> }
  | {
      readonly kind: "views"
      readonly gen: number
      readonly data: Extract<SfuTask, { readonly type: "look" }>["views"]
    }
type Reply =
  | { readonly kind: "answer"; readonly gen: number; readonly data: string }
  | {
      readonly kind: "slots"
      readonly gen: number
      readonly data: Extract<SfuNews, { readonly type: "slots" }>["slots"]
    }

interface Listener {
  readonly signal: (peer: Served, signal: Reply) => void
  readonly begunAnew: () => void
}

/** As many processes may share the machine, with a port each. */
const PORTS = 64
const FIRST_RESTART_MS = 100
const LONGEST_RESTART_MS = 5000
/** A process that ran so long did not fail at its start. */
const SETTLED_MS = 10_000
const SAY_EVERY_MS = 60_000

/** A process that has just ended reports so by its own events. */
const send = (child: ChildProcess, task: SfuTask): void => void child.send(task, () => undefined)

/** A room's name in the process. Ids have no spaces. */
const roomOf = (eventId: string, room: string): string => `${eventId} ${room}`

export class SfuHost {
  readonly #options: SfuHostOptions
  readonly #encoders: EncoderSessions
  readonly #listeners = new Map<string, Listener>()
  #child: ChildProcess | undefined
  #session = newId()
  #opened = 0
  #startedAt = 0
  #failures = 0
  #restart: Cancel | undefined
  #saidAt = Number.NEGATIVE_INFINITY
  #isStopped = false

  constructor(options: SfuHostOptions) {
    this.#options = options
    this.#encoders = new EncoderSessions((task) => this.#send(task), options.timers)
  }

  openEncoder(...[sdp, listener]: Parameters<NonNullable<typeof EncoderServer.Service>["openEncoder"]>) {
    return this.#encoders.open(sdp, this.#options.encoderKbps, listener)
  }

  /** Each activation of an event is a session of its own: an earlier one has left its rooms. */
  open(eventId: string, listener: Listener) {
    this.#listeners.set(eventId, listener)
    const opened = ++this.#opened
    const told = new Map<string, Served>()
    return {
      session: () => `${this.#session}-${opened}`,
      signal: ({ room, peer }: Served, { kind, gen, data }: Signal, muted: Muted): void => {
        const at = { room: roomOf(eventId, room), peer }
        told.set(`${at.room} ${peer}`, at)
        if (kind === "offer") this.#send({ type: "offer", ...at, gen, sdp: data, muted })
        else if (kind === "views") this.#send({ type: "look", ...at, views: data })
      },
      mute: ({ room, peer }: Served, muted: Muted): void => {
        const at = { room: roomOf(eventId, room), peer }
        if (told.has(`${at.room} ${peer}`)) this.#send({ type: "mute", ...at, muted })
      },
      leave: ({ room, peer }: Served): void => {
        const at = { room: roomOf(eventId, room), peer }
        if (told.delete(`${at.room} ${peer}`)) this.#send({ type: "leave", ...at })
      },
      close: (): void => {
        for (const at of told.values()) this.#send({ type: "leave", ...at })
        if (this.#listeners.get(eventId) === listener) this.#listeners.delete(eventId)
      },
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#restart?.()
    this.#child?.kill("SIGKILL")
    this.#child = undefined
  }

  #send(task: SfuTask): void {
    // A process that ended knows nobody: there is nothing to leave.
    const isBeginning = task.type === "offer" || task.type === "openEncoder"
    if (this.#child === undefined && (this.#restart !== undefined || !isBeginning)) return
    const child = this.#started()
    if (child !== undefined) send(child, task)
  }

  #started(): ChildProcess | undefined {
    if (this.#child !== undefined || this.#isStopped) return this.#child
    const { entry, port, addresses, timers } = this.#options
    // Runs without the server's environment variables, which hold secrets that the process does not need.
    const child = fork(entry.module, [...entry.args], {
      execArgv: [],
      env: {},
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      // Media of encoders are bytes.
      serialization: "advanced",
    })
    this.#child = child
    this.#startedAt = timers.elapsed()
    child.on("message", (news) => this.#hear(news as SfuNews))
    child.on("error", (cause) => this.#ended(child, cause.message))
    child.once("exit", (code, signal) => this.#ended(child, String(signal ?? code)))
    send(child, { type: "listen", port, ports: PORTS, addresses })
    return child
  }

  #hear(news: SfuNews): void {
    const { log } = this.#options
    if (news.type === "listening") log.info({ port: news.port }, "calls: the media server listens")
    else if (news.type === "said") this.#say(news.text)
    else if ("session" in news) this.#encoders.hear(news)
    else {
      const [eventId = "", room = ""] = news.room.split(" ")
      const signal: Reply =
        news.type === "answer"
          ? { kind: "answer", gen: news.gen, data: news.sdp }
          : { kind: "slots", gen: news.gen, data: news.slots }
      this.#listeners.get(eventId)?.signal({ room, peer: news.peer }, signal)
    }
  }

  /** Anybody with a seat may make it say something. */
  #say(said: string): void {
    const now = this.#options.timers.elapsed()
    if (now - this.#saidAt < SAY_EVERY_MS) return
    this.#saidAt = now
    this.#options.log.info({ said }, "calls: the media server refused something")
  }

  #ended(child: ChildProcess, how: string): void {
    if (this.#child !== child || this.#isStopped) return
    const { timers, log } = this.#options
    // After an error the process may still be there.
    child.kill("SIGKILL")
    this.#child = undefined
    this.#encoders.endAll()
    this.#failures = timers.elapsed() - this.#startedAt > SETTLED_MS ? 0 : this.#failures + 1
    log.warn({ how }, "calls: the media server ended")
    this.#restart = timers.after(Math.min(LONGEST_RESTART_MS, FIRST_RESTART_MS * 2 ** this.#failures), () => {
      this.#restart = undefined
      this.#session = newId()
      this.#started()
      for (const listener of this.#listeners.values()) listener.begunAnew()
    })
  }
}
