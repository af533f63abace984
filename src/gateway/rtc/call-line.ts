/**
 * The channel from this node to the calls of one event: steps in order, one request at a time, and the numbered messages that come back. A
 * reply is passed on after all messages before it. When messages or requests were lost, or another activation owns the event, the next
 * request begins with everything that this node remembers, under a new sequence.
 */
import { type Cause, Effect } from "effect"
import type { CallReply, CallRequest, CallStep, StepAnswer } from "../../actors/calls/call-request.ts"
import type { CallNews, NodeMessage } from "../../actors/calls/node-messages.ts"
import { DueRun } from "../../clock/throttle.ts"
import type { NotFound, Unavailable } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { refusalOf, refuseForNow } from "../connection/refusal.ts"
import type { GatewayServices } from "../services.ts"

export interface LineServices extends Pick<GatewayServices, "timers" | "node" | "fork"> {
  readonly live: Pick<GatewayServices["live"], "call">
  readonly feed: Pick<GatewayServices["feed"], "listen" | "onReset">
  readonly telemetry: { readonly log: Pick<GatewayServices["telemetry"]["log"], "error"> }
}

interface LineNeeds {
  readonly remembered: () => NonNullable<CallRequest["remembered"]>
  /** Receives a message for sockets of this node. */
  readonly hear: (news: CallNews) => void
}

/** `isHeard`: all messages before the reply were received. */
type Settle = (answer: StepAnswer, isHeard: boolean) => void

interface Waiting {
  readonly step: CallStep
  readonly bytes: number
  readonly settle: Settle
}

const STEPS_PER_REQUEST = 128
/** Most bytes of waiting steps per event on this node. A signal has at most 12 KiB. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024
/** Approximate size of a step without a signal. */
const STEP_BYTES = 256
/** A message this much later than its reply counts as lost. */
const BEHIND_MS = 1000
/** First pause after a failed request. */
const RETRY_MS = 1000
/** Longest pause. */
const RETRY_AT_MOST_MS = 10_000

const BUSY: StepAnswer = {
  refusal: refuseForNow("unavailable", "The event has too much to do right now.", RETRY_MS),
}
const FAILED: StepAnswer = {
  refusal: refuseForNow("unavailable", "Calls are not available for the moment.", RETRY_MS),
}

const bytesOf = (step: CallStep): number => {
  if (step.type !== "signal") return STEP_BYTES
  const { data } = step.signal
  return STEP_BYTES + (typeof data === "string" ? data : JSON.stringify(data)).length
}

export class CallLine {
  readonly #services: LineServices
  readonly #eventId: string
  readonly #needs: LineNeeds
  #waiting: Waiting[] = []
  #waitingBytes = 0
  #isSending = false
  #isStopped = false
  /** The next request begins a new sequence. Messages of the current one are accepted until then. */
  #begins = true
  #sequence = ""
  /** The previous sequence, in which the owner numbers messages until it receives the request that begins the current one. */
  #before = ""
  /** Number of the last message in the current sequence. */
  #heard = 0
  /** Whether an earlier message is missing. */
  #hasGap = false
  /** The owner may have processed a request whose reply was lost. */
  #isUncertain = false
  #pauseMs = RETRY_MS
  /** Replies that wait for the message with this number. */
  #held: { readonly sent: number; readonly pass: () => void } | undefined
  readonly #behind: DueRun
  readonly #again: DueRun
  readonly #silence: () => void

  constructor(services: LineServices, eventId: string, needs: LineNeeds) {
    this.#services = services
    this.#eventId = eventId
    this.#needs = needs
    this.#behind = new DueRun(services.timers, () => this.#missed())
    this.#again = new DueRun(services.timers, () => this.#send(true))
    this.#silence = services.feed.listen(services.node, eventId, (message) => this.#receive(message))
  }

  /** Nothing waits, and the owner knows the peers of this node. */
  get isIdle(): boolean {
    return !this.#isSending && this.#waiting.length === 0 && !this.#isUncertain
  }

  /** Queues a step of a client; refused when too much is waiting. */
  ask(step: CallStep, settle: Settle): void {
    if (this.#waitingBytes >= MOST_WAITING_BYTES) settle(BUSY, true)
    else this.tell(step, settle)
  }

  /** Queues a step that must be accepted: at most a few for each socket. */
  tell(step: CallStep, settle: Settle = () => {}): void {
    if (this.#isStopped) {
      settle(FAILED, true)
      return
    }
    const bytes = bytesOf(step)
    this.#waiting.push({ step, bytes, settle })
    this.#waitingBytes += bytes
    this.#send(false)
  }

  /** Starts a new sequence: the owner may not know the peers of this node, or this node may have missed messages. */
  sayAgain(): void {
    this.#begins = true
    this.#send(true)
  }

  stop(): void {
    this.#isStopped = true
    this.#silence()
    this.#behind.cancel()
    this.#again.cancel()
    this.#waiting = []
    this.#held = undefined
  }

  /** `isWanted`: sends a request even without a step. */
  #send(isWanted: boolean): void {
    if (this.#isSending || this.#isStopped || (this.#waiting.length === 0 && !isWanted)) return
    this.#isSending = true
    const batch = this.#waiting.splice(0, STEPS_PER_REQUEST)
    for (const { bytes } of batch) this.#waitingBytes -= bytes
    const begins = this.#begins
    if (begins) this.#begin()
    const request: CallRequest = {
      id: newId(),
      node: this.#services.node,
      sequence: this.#sequence,
      ...(begins && { remembered: this.#needs.remembered() }),
      steps: batch.map(({ step }) => step),
    }
    this.#services.fork(
      this.#services.live.call(this.#eventId, request).pipe(
        Effect.matchCause({
          onSuccess: (reply) => this.#replied(batch, reply),
          onFailure: (cause) => this.#failed(batch, cause),
        }),
      ),
    )
  }

  #begin(): void {
    this.#begins = false
    this.#before = this.#sequence
    this.#sequence = newId()
    this.#heard = 0
    this.#hasGap = false
  }

  #replied(batch: ReadonlyArray<Waiting>, { isKnown, sent, answers }: CallReply): void {
    if (this.#isStopped) return
    if (!isKnown) {
      // The same steps are sent again, after the peers that this node remembers.
      this.#waiting.unshift(...batch)
      for (const { bytes } of batch) this.#waitingBytes += bytes
      this.#isSending = false
      this.sayAgain()
      return
    }
    this.#isUncertain = false
    this.#pauseMs = RETRY_MS
    this.#before = ""
    const pass = (): void => {
      this.#held = undefined
      this.#behind.cancel()
      const isHeard = !this.#hasGap
      for (const [index, { settle }] of batch.entries()) this.#guard(() => settle(answers[index] ?? FAILED, isHeard))
      this.#isSending = false
      this.#send(this.#begins)
    }
    if (this.#heard >= sent) {
      pass()
      return
    }
    this.#held = { sent, pass }
    this.#behind.within(BEHIND_MS)
  }

  #missed(): void {
    this.#hasGap = true
    this.#begins = true
    this.#held?.pass()
  }

  #failed(batch: ReadonlyArray<Waiting>, cause: Cause.Cause<NotFound | Unavailable>): void {
    if (this.#isStopped) return
    const failure = cause.reasons.find((reason) => reason._tag === "Fail")?.error
    const answer = failure === undefined ? FAILED : { refusal: refusalOf(failure) }
    this.#begins = true
    // An event that is gone has no calls left.
    this.#isUncertain = failure?._tag !== "NotFound"
    this.#isSending = false
    for (const { settle } of batch) this.#guard(() => settle(answer, true))
    if (this.#isUncertain) {
      this.#again.within(this.#pauseMs)
      this.#pauseMs = Math.min(RETRY_AT_MOST_MS, 2 * this.#pauseMs)
    }
    this.#send(false)
  }

  #receive({ sequence, n, news }: NodeMessage): void {
    if (sequence === this.#before) this.#guard(() => this.#needs.hear(news))
    if (sequence !== this.#sequence || n <= this.#heard) return
    this.#before = ""
    const isGap = n !== this.#heard + 1
    this.#heard = n
    if (isGap) this.#hasGap = this.#begins = true
    this.#guard(() => this.#needs.hear(news))
    if (this.#held !== undefined && n >= this.#held.sent) this.#held.pass()
    else if (isGap) this.#send(true)
  }

  /** Runs a listener, which must not throw into the actor that calls it. Errors of these parts contain no text of clients. */
  #guard(call: () => void): void {
    try {
      call()
    } catch (err) {
      this.#services.telemetry.log.error({ err, eventId: this.#eventId }, "a message of a call could not be followed")
    }
  }
}
