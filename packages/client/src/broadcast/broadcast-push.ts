/**
 * Pushes a browser recorder's picture to a broadcast: its pieces are sent one after the other, each until it is accepted. After a restart
 * of the server, or another encoder in between, the stream starts over with another recorder.
 */
import { Backoff } from "../connection/backoff.ts"

/** The used part of the browser's `MediaRecorder`. */
export interface PieceRecorder {
  addEventListener(type: "dataavailable", listener: (event: { readonly data: Blob }) => void): void
  addEventListener(type: "stop" | "error", listener: () => void): void
  start(timesliceMs: number): void
  stop(): void
  readonly state: string
}

/** `waiting` means that the server is unreachable or overloaded and pieces are retried; `refused` that no more pieces are sent. */
export type PushState = "pushing" | "waiting" | "stopped" | "refused"

export interface BroadcastPushOptions {
  /** Address from `broadcast.ingest`, or from `POST /v1/phases/{id}/broadcast/ingest`. */
  readonly streamUrl: string
  /** Creates a recorder that has not started; its first piece must begin a file of fragmented MP4. Called for each run. */
  readonly makeRecorder: () => PieceRecorder
  /** Length of a piece in milliseconds; defaults to 500. */
  readonly pieceMs?: number
  /**
   * Called for each state; `refused` has the server's reason in `detail` and `code`: `unauthorized` when the address ended,
   * `encoder_replaced` when another encoder took over.
   */
  readonly onState?: (state: PushState, detail?: string, code?: string) => void
}

const PIECE_MS = 500
/** Half a minute at 4 Mbit/s; later pieces would be too late for a live picture. */
const MOST_QUEUED_BYTES = 16 * 1024 * 1024
const BACKOFF = { firstMs: 250, longestMs: 5000 }

/** One recorder and its pieces; the first unaccepted piece has the number `next`. */
interface Run {
  readonly recorder: PieceRecorder
  readonly pieces: Blob[]
  next: number
  bytes: number
  hasStopped: boolean
}

/** `laterMs` is the minimum wait that the server asks for. */
type Sent = "taken" | "anew" | { readonly laterMs: number } | Refusal

interface Refusal {
  readonly detail: string
  readonly code: string
}

const MS_PER_SECOND = 1000

export class BroadcastPush {
  readonly #options: BroadcastPushOptions
  #run: Run | undefined
  #state: PushState = "stopped"
  #isStopping = false
  #wake: () => void = () => {}
  #done: Promise<void> | undefined

  constructor(options: BroadcastPushOptions) {
    this.#options = options
  }

  get state(): PushState {
    return this.#state
  }

  /** Number of recorded pieces not yet accepted by the server. */
  get pending(): number {
    return this.#run?.pieces.length ?? 0
  }

  start(): void {
    if (this.#done !== undefined) return
    this.#begin()
    this.#done = this.#work()
  }

  /** Resolves when the last piece is accepted, or no more are sent. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const recorder = this.#run?.recorder
    if (recorder !== undefined && recorder.state !== "inactive") recorder.stop()
    this.#wake()
    await this.#done
  }

  #begin(): void {
    const before = this.#run?.recorder
    const recorder = this.#options.makeRecorder()
    const run: Run = { recorder, pieces: [], next: 0, bytes: 0, hasStopped: false }
    this.#run = run
    if (before !== undefined && before.state !== "inactive") before.stop()
    recorder.addEventListener("dataavailable", ({ data }) => {
      if (this.#run !== run || data.size === 0) return
      run.pieces.push(data)
      run.bytes += data.size
      this.#wake()
    })
    for (const end of ["stop", "error"] as const) {
      recorder.addEventListener(end, () => {
        run.hasStopped = true
        this.#wake()
      })
    }
    recorder.start(this.#options.pieceMs ?? PIECE_MS)
  }

  /** Sends pieces until the recorder has stopped and its last piece is accepted, or the server refuses one. */
  async #work(): Promise<void> {
    this.#become("pushing")
    const backoff = new Backoff(BACKOFF)
    for (let run = this.#run; run !== undefined; run = this.#run) {
      const piece = run.pieces[0]
      if (piece !== undefined) await this.#settle(run, piece, await this.#send(run, piece), backoff)
      else if (run.hasStopped) return this.#become("stopped")
      else await this.#somethingNew()
    }
  }

  async #settle(run: Run, piece: Blob, sent: Sent, backoff: Backoff): Promise<void> {
    if (this.#run !== run) return
    if (typeof sent === "object" && "code" in sent) return this.#refused(sent)
    if (sent === "taken") {
      backoff.reset()
      return this.#taken(run, piece)
    }
    if (sent === "anew" || run.bytes > MOST_QUEUED_BYTES) return this.#beginAgain()
    this.#become("waiting")
    await new Promise((resolve) => setTimeout(resolve, Math.max(sent.laterMs, backoff.next(false))))
  }

  /** While it stops, the remaining pieces are dropped, because another recorder would only record the end. */
  #beginAgain(): void {
    if (!this.#isStopping) {
      this.#begin()
      return
    }
    this.#run = undefined
    this.#become("stopped")
  }

  #taken(run: Run, piece: Blob): void {
    run.pieces.shift()
    run.next += 1
    run.bytes -= piece.size
    this.#become("pushing")
  }

  #refused({ detail, code }: Refusal): void {
    const recorder = this.#run?.recorder
    this.#run = undefined
    if (recorder !== undefined && recorder.state !== "inactive") recorder.stop()
    this.#become("refused", detail, code)
  }

  async #send(run: Run, piece: Blob): Promise<Sent> {
    const answer = await fetch(`${this.#options.streamUrl}?seq=${run.next}`, { method: "PUT", body: piece }).catch(
      () => undefined,
    )
    if (answer === undefined || answer.status >= 500) return { laterMs: 0 }
    if (answer.status === 429) return { laterMs: Number(answer.headers.get("retry-after")) * MS_PER_SECOND }
    if (answer.ok) return "taken"
    const { code = String(answer.status), detail = code } = (await answer.json().catch(() => ({}))) as {
      readonly code?: string
      readonly detail?: string
    }
    const isOutOfOrder = answer.status === 409 && answer.headers.get("next-seq") !== null
    return isOutOfOrder ? "anew" : { detail, code }
  }

  #somethingNew(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #become(state: PushState, detail?: string, code?: string): void {
    if (this.#state === state) return
    this.#state = state
    this.#options.onState?.(state, detail, code)
  }
}
