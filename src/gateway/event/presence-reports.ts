/**
 * Reports joins and leaves on this node to the live event: one report per tick, one at a time, in order. An arrival for which a connection
 * waits is reported at once, with all changes before it; during many arrivals reports are `GATHER_MS` apart. A failed report is sent again
 * before anything newer. Reports are idempotent: a second join has no effect.
 */
import { Effect } from "effect"
import type { PresenceReport } from "../../actors/protocol.ts"
import { DueRun } from "../../clock/throttle.ts"
import type { Connection } from "../connection/connection.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { GatewayServices } from "../services.ts"

type Change = PresenceReport["changes"][number]

/** A participant's connections on this node, oldest first. */
interface ConnectionsHere {
  /** Open connections, and those being admitted. */
  readonly inside: (participantId: string) => ReadonlyArray<Connection>
  readonly waiting: (participantId: string) => ReadonlyArray<Connection>
}

interface Entry {
  readonly change: Change
  /** Called once the live event has acknowledged the report, or is gone. */
  readonly acknowledged: (() => void) | undefined
}

const RETRY_MS = 1000
/** Time from the start of one report to the start of the next while arrivals wait: a report costs the same for one as for fifty. */
const GATHER_MS = 10
const BATCH = 2000
/** Above this number only the last change of each participant is kept: earlier ones no longer matter. */
const COMPACT_ABOVE = 20_000

const subject = (change: Change): string =>
  "participant" in change ? change.participant.participantId : change.participantId

/** Keeps the last change of each participant, in the order of those changes. */
export const compact = (entries: ReadonlyArray<Entry>): Entry[] => {
  const last = new Map<string, Entry>()
  for (const { change, acknowledged } of entries) {
    const before = last.get(subject(change))?.acknowledged
    last.delete(subject(change))
    last.set(subject(change), { change, acknowledged: inTurn(before, acknowledged) })
  }
  return [...last.values()]
}

const inTurn = (first: Entry["acknowledged"], second: Entry["acknowledged"]): Entry["acknowledged"] => {
  if (first === undefined || second === undefined) return first ?? second
  return () => {
    first()
    second()
  }
}

const participantOf = ({ participantId, name, role, kind, userId, walkIn, manages }: Identity) => ({
  participantId,
  name,
  role,
  kind,
  userId,
  walkIn,
  manages,
})

export class PresenceReports {
  readonly #services: GatewayServices
  readonly #eventId: string
  readonly #here: ConnectionsHere
  #queue: Entry[] = []
  /**
   * Twice the result of the last compaction: a pass over all entries for each new one would take minutes when tens of thousands leave at
   * once.
   */
  #compactAbove = COMPACT_ABOVE
  readonly #next: DueRun
  /** Time of the last report on the monotonic clock. */
  #sentAt = Number.NEGATIVE_INFINITY
  #isSending = false
  #isStopped = false

  constructor(services: GatewayServices, eventId: string, here: ConnectionsHere) {
    this.#services = services
    this.#eventId = eventId
    this.#here = here
    this.#next = new DueRun(services.timers, () => this.#send())
  }

  get isIdle(): boolean {
    return this.#queue.length === 0
  }

  /** The participant is inside, with their current connections here. */
  joined(identity: Identity): void {
    this.#join("join", identity, this.#here.inside(identity.participantId))
  }

  /** Like `joined`, but reported at once; `acknowledged` is called after the acknowledgement. */
  arrived(identity: Identity, acknowledged: () => void): void {
    this.#join("join", identity, this.#here.inside(identity.participantId), acknowledged)
  }

  /** The participant is in the waiting room, with their current connections there. */
  joinedWaitingRoom(identity: Identity): void {
    this.#join("joinWaitingRoom", identity, this.#here.waiting(identity.participantId))
  }

  /** The participant was admitted from the waiting room. */
  leftWaitingRoom(participantId: string): void {
    this.#add({ type: "leaveWaitingRoom", participantId })
  }

  /** `isForGood`: the participant sent `leave` or lost the right to be here, and is not awaited. */
  left(participantId: string, isForGood = false): void {
    this.#add({ type: "leave", participantId, ...(isForGood && { isForGood }) })
  }

  /** Stops presence reports: this node goes away, not its participants. */
  stop(): void {
    this.#isStopped = true
    this.#next.cancel()
    this.#queue = []
  }

  #join(
    type: "join" | "joinWaitingRoom",
    identity: Identity,
    here: ReadonlyArray<Connection>,
    acknowledged?: () => void,
  ): void {
    // The oldest connections in excess of the limit are closed when they open, so a report stays short, however many are being admitted.
    const [oldest, ...newer] = here.slice(-this.#services.options.connectionsPerParticipant)
    if (oldest === undefined) return
    const connections = [oldest.number, ...newer.map(({ number }) => number)] as const
    this.#add({ type, participant: participantOf(identity), connections }, acknowledged)
  }

  #add(change: Change, acknowledged?: () => void): void {
    if (this.#isStopped) return
    this.#queue.push({ change, acknowledged })
    if (this.#queue.length > this.#compactAbove && !this.#isSending) this.#compact()
    this.#sendWithin(acknowledged === undefined ? this.#services.options.presenceTickMs : this.#soonMs)
  }

  #compact(): void {
    this.#queue = compact(this.#queue)
    this.#compactAbove = Math.max(COMPACT_ABOVE, 2 * this.#queue.length)
  }

  get #soonMs(): number {
    return Math.max(0, this.#sentAt + GATHER_MS - this.#services.timers.elapsed())
  }

  #sendWithin(ms: number): void {
    if (!this.#isSending && !this.#isStopped) this.#next.within(ms)
  }

  #send(): void {
    const changes = this.#queue.slice(0, BATCH).map(({ change }) => change)
    if (changes.length === 0) return
    this.#sentAt = this.#services.timers.elapsed()
    this.#isSending = true
    this.#services.fork(
      this.#services.live.reportPresence(this.#eventId, { node: this.#services.node, changes }).pipe(
        // A defect must not stop the reports; a retry may succeed.
        Effect.sandbox,
        Effect.match({
          onSuccess: () => this.#settle(changes.length, this.#services.options.presenceTickMs),
          onFailure: (cause) => {
            const isGone = cause.reasons.some((reason) => reason._tag === "Fail" && reason.error._tag === "NotFound")
            this.#settle(isGone ? changes.length : 0, RETRY_MS)
          },
        }),
      ),
    )
  }

  #settle(reported: number, nextAfterMs: number): void {
    this.#isSending = false
    const done = this.#queue.slice(0, reported)
    this.#queue = this.#queue.slice(reported)
    if (this.#queue.length <= COMPACT_ABOVE) this.#compactAbove = COMPACT_ABOVE
    const isUrgent = reported > 0 && this.#queue.some(({ acknowledged }) => acknowledged !== undefined)
    if (this.#queue.length > 0) this.#sendWithin(isUrgent ? this.#soonMs : nextAfterMs)
    for (const { acknowledged } of done) acknowledged?.()
  }
}
