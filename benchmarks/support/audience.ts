/**
 * Thousands of sockets on one server, in a process of their own: they join at a pace, count what they receive, and
 * reconnect as the protocol asks when they are cut off. One socket in `SAMPLE_EVERY` reads every dispatch: its time, and
 * that no place in the stream is missing.
 */
import { performance } from "node:perf_hooks"
import type { Dialect } from "./dialect.ts"
import { percentile, sleep } from "./figures.ts"
import { LoadStream } from "./load-stream.ts"
import { type LoadConnection, LoadSocket } from "./websocket.ts"

const SAMPLE_EVERY = 50
const HEARTBEAT_MS = 20_000
const HEARTBEAT_STEP_MS = 100
/** A client's first try after a cut is within 2 s, later ones back off with full jitter to 30 s. */
const FIRST_RETRY_MS = 2000
const LONGEST_RETRY_MS = 30_000

export interface Received {
  /** Dispatches times sockets. */
  readonly deliveries: number
  /** Frames with dispatches, times sockets. */
  readonly frames: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

export interface Joined {
  readonly seconds: number
  /** Sockets the server turned away, which then tried again. */
  readonly turnedAway: number
}

export class Audience {
  readonly #ports: ReadonlyArray<number>
  readonly #dialect: Dialect
  readonly #sockets: Array<LoadConnection | undefined> = []
  readonly #isIn: Uint8Array
  readonly #tries: Uint8Array
  readonly #positions: Int32Array
  #from: Int32Array
  #singles = 0
  #frames = 0
  #latencies: number[] = []
  #epoch = ""
  #in = 0
  #turnedAway = 0
  #isLeaving = false
  #beat = 0
  #news: (() => void) | undefined

  /** `ports`: of the processes that serve the audience; its sockets are spread over them in turn. */
  constructor(ports: ReadonlyArray<number>, dialect: Dialect, size: number) {
    this.#ports = ports
    this.#dialect = dialect
    this.#isIn = new Uint8Array(size)
    this.#tries = new Uint8Array(size)
    this.#positions = new Int32Array(size)
    this.#from = new Int32Array(size)
    if (dialect.heartbeat !== undefined) setInterval(() => this.#heartbeats(), HEARTBEAT_STEP_MS).unref()
  }

  get size(): number {
    return this.#isIn.length
  }

  /** Opens all sockets at an even pace; done when the last one is in. */
  async join(perSecond: number): Promise<Joined> {
    const startedAt = performance.now()
    for (let index = 0; index < this.size; index++) {
      const dueIn = startedAt + (index * 1000) / perSecond - performance.now()
      if (dueIn > 1) await sleep(dueIn)
      this.#open(index)
    }
    await this.#everyoneIn()
    return { seconds: (performance.now() - startedAt) / 1000, turnedAway: this.#turnedAway }
  }

  /** Counts from here on. */
  listen(): void {
    this.#from = this.#positions.slice()
    this.#singles = 0
    this.#frames = 0
    this.#latencies = []
  }

  /** The dispatches since then, once nothing has come for a while. */
  async received(): Promise<Received> {
    for (let before = -1; before !== this.#deliveries(); ) {
      before = this.#deliveries()
      await sleep(500)
    }
    return {
      deliveries: this.#deliveries(),
      frames: this.#frames,
      p50Ms: percentile(this.#latencies, 0.5),
      p99Ms: percentile(this.#latencies, 0.99),
      maxMs: percentile(this.#latencies, 1),
    }
  }

  /** Cuts every link at once; each comes back as the protocol says. Done when all have caught up. */
  async storm(): Promise<Joined> {
    const startedAt = performance.now()
    this.#turnedAway = 0
    this.#tries.fill(0)
    for (const socket of this.#sockets) socket?.cut()
    await sleep(1)
    await this.#everyoneIn()
    return { seconds: (performance.now() - startedAt) / 1000, turnedAway: this.#turnedAway }
  }

  leave(): void {
    this.#isLeaving = true
    for (const socket of this.#sockets) socket?.cut()
  }

  #deliveries(): number {
    return this.#positions.reduce((sum, place, index) => sum + place - (this.#from[index] ?? 0), this.#singles)
  }

  async #everyoneIn(): Promise<void> {
    while (this.#in < this.size) {
      await new Promise<void>((resolve) => {
        this.#news = resolve
      })
    }
  }

  #open(index: number): void {
    if (this.#isLeaving) return
    const port = this.#ports[index % this.#ports.length] ?? 0
    const { path, opened, streamToken } = this.#dialect
    const handlers = {
      frame: (socket: LoadConnection, payload: Buffer) => this.#read(socket, payload),
      closed: (socket: LoadConnection) => this.#closed(socket),
    }
    const onOpened = (socket: LoadConnection): void => {
      if (opened(socket)) this.#enter(index)
    }
    this.#sockets[index] =
      streamToken === undefined
        ? new LoadSocket(index, { port, path }, { ...handlers, opened: onOpened })
        : new LoadStream(index, port, streamToken(index), handlers)
  }

  #enter(index: number): void {
    if (this.#isIn[index] === 1) return
    this.#isIn[index] = 1
    this.#tries[index] = 0
    this.#in += 1
    if (this.#in === this.size) this.#news?.()
  }

  #closed(socket: LoadConnection): void {
    const { index } = socket
    if (this.#sockets[index] !== socket) return
    this.#sockets[index] = undefined
    if (this.#isIn[index] === 1) {
      this.#isIn[index] = 0
      this.#in -= 1
    } else this.#turnedAway += 1
    if (this.#isLeaving) return
    const tries = this.#tries[index] ?? 0
    this.#tries[index] = tries + 1
    setTimeout(() => this.#open(index), Math.random() * Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** tries))
  }

  #read(socket: LoadConnection, payload: Buffer): void {
    const { index } = socket
    const meaning = this.#dialect.read(socket, payload, this.#resume(index))
    switch (meaning.kind) {
      case "joined":
        // A socket that resumes is in once it has caught up; its place goes on from where it was.
        if (meaning.epoch !== undefined) this.#epoch = meaning.epoch
        if (meaning.s !== undefined && this.#positions[index] === 0) this.#positions[index] = meaning.s
        if (!payload.includes('"resumed":true')) this.#enter(index)
        return
      case "caughtUp":
        this.#enter(index)
        return
      case "dispatch":
        this.#singles += 1
        this.#frames += 1
        this.#sample(index, payload)
        return
      case "dispatches":
        this.#frames += 1
        this.#sample(index, payload)
        this.#positions[index] = Math.max(this.#positions[index] ?? 0, meaning.last)
        // The missed dispatches may come together with `caughtUp`.
        if (this.#isIn[index] === 0 && payload.includes('"t":"caughtUp"')) this.#enter(index)
        return
      default:
    }
  }

  #resume(index: number) {
    const event = this.#positions[index] ?? 0
    return this.#epoch === "" || event === 0 ? undefined : { epoch: this.#epoch, cursors: { event } }
  }

  #sample(index: number, payload: Buffer): void {
    if (index % SAMPLE_EVERY !== 0) return
    const now = Date.now()
    let place = this.#positions[index] ?? 0
    for (const { ts, s } of this.#dialect.details(payload)) {
      this.#latencies.push(now - ts)
      if (s === undefined) continue
      if (place !== 0 && s !== place + 1) throw new Error(`socket ${index} got ${s} after ${place}`)
      place = s
    }
    this.#positions[index] = place
  }

  /** A part of the sockets at a time, so that each has its turn every `HEARTBEAT_MS`. */
  #heartbeats(): void {
    const steps = HEARTBEAT_MS / HEARTBEAT_STEP_MS
    for (let index = this.#beat % steps; index < this.size; index += steps) {
      if (this.#isIn[index] === 1) this.#sockets[index]?.send(this.#dialect.heartbeat ?? "")
    }
    this.#beat += 1
  }
}
