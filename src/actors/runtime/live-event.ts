/**
 * The actor of one live event. Commands, deadlines, arrivals and presence flushes are turns of one inbox, one at a time, with the same
 * steps: decide purely, commit under the fencing token, publish, adopt. There is no other way to write.
 */
import { Effect, type Tracer } from "effect"
import type { ShardId } from "effect/cluster"
import { batchSpan } from "../command-traces.ts"
import type { Envelope, Received, Unreachable } from "../commands.ts"
import { Committer, type LoadedEventChange } from "../commit/committer.ts"
import type { LoadedEvent } from "../commit/loaded-event.ts"
import type { LiveEventRequests, Payload } from "../protocol.ts"
import type { EventAddress, EventServices } from "../services.ts"
import { type AwaitedEvent, DeadlineTimer } from "./deadline-timer.ts"
import { EventCalls } from "./event-calls.ts"
import { EventPresence } from "./event-presence.ts"
import { EventViews } from "./event-views.ts"
import { Executor } from "./executor.ts"
import { Inbox, type InboxNeeds } from "./inbox.ts"

/** Several touches per idle time, so that a late one does not evict a live event. */
const TOUCHES_PER_IDLE = 3

/** Services of all actors in this process, and the engine that hosts them. */
export interface ActorNeeds extends EventServices {
  readonly inboxes: InboxNeeds
  /** Whether this process has the shard. */
  readonly serves: (shardId: ShardId.ShardId) => boolean
  /** Counts as traffic of the event. An actor that is broken is rebuilt. */
  readonly touch: (eventId: string) => void
  /** Called when a request ended with a defect: the actor gets no more requests, and must be rebuilt. */
  readonly broken: (actor: LiveEvent) => void
}

export class LiveEvent implements LiveEventRequests, AwaitedEvent {
  readonly eventId: string
  readonly shardId: ShardId.ShardId
  readonly inbox: Inbox<Unreachable>
  isBroken = false
  readonly #needs: ActorNeeds
  readonly #committer: Committer
  readonly #presence: EventPresence
  readonly #views: EventViews
  readonly #calls: EventCalls
  readonly #executor: Executor
  readonly #deadlineTimer: DeadlineTimer
  #isStopped = false
  /** Set while the event keeps itself in memory. An open request would too, but holds twelve kilobytes of fibers. */
  #touches: NodeJS.Timeout | undefined

  constructor(needs: ActorNeeds, { eventId, shardId }: EventAddress) {
    this.eventId = eventId
    this.shardId = shardId
    this.#needs = needs
    const committer = new Committer(needs, this)
    this.#committer = committer
    this.#presence = new EventPresence(committer)
    this.#views = new EventViews(committer)
    this.#calls = new EventCalls(committer)
    this.#executor = new Executor(committer)
    this.#deadlineTimer = new DeadlineTimer(needs, this)
    this.inbox = new Inbox(needs.inboxes, this)
  }

  get isHere(): boolean {
    return this.#needs.serves(this.shardId)
  }

  /** A live event stays in memory, even when it is stopped here: another activation must follow. */
  get staysInMemory(): boolean {
    return this.#touches !== undefined
  }

  stop(): void {
    this.#isStopped = true
    this.#committer.chart.stop()
    this.#deadlineTimer.stop()
    clearInterval(this.#touches)
    this.#presence.stop()
    this.#views.stop()
    this.#calls.stop()
  }

  Execute({ envelopes }: Payload<"Execute">) {
    return this.inbox.execute(envelopes)
  }

  ExecuteTogether({ envelopes }: Payload<"ExecuteTogether">) {
    return this.turn(Effect.suspend(() => this.#executor.executeTogether(this.#received(envelopes))))
  }

  Rehearse(envelope: Payload<"Rehearse">) {
    return this.turn(Effect.suspend(() => this.#executor.rehearse({ ...envelope, at: this.#needs.timers.now() })))
  }

  ReportPresence(report: Payload<"ReportPresence">) {
    this.#needs.ownership.heardFrom(report.node)
    return this.#loadedTurn((of) => this.#presence.report(of, report))
  }

  ReportReactions(report: Payload<"ReportReactions">) {
    return Effect.sync(() => this.#views.react(report))
  }

  Read(query: Payload<"Read">) {
    return this.#loadedTurn((of) => this.#views.read(of, query))
  }

  ReadRoster(query: Payload<"ReadRoster">) {
    return this.#loadedTurn((of) => Effect.succeed(this.#views.roster(of, query)))
  }

  Inspect() {
    return this.#loadedTurn((of) => Effect.succeed(this.#views.inspect(of)))
  }

  /** Calls are in memory alone, so they wait only for a recovery of the event and for nothing else that the actor does. */
  Call(request: Payload<"Call">) {
    return Effect.suspend(() => {
      this.#needs.ownership.heardFrom(request.node)
      const answer = () => this.#calls.answer(request)
      return this.#committer.loaded === undefined
        ? Effect.flatMap(this.turn(this.#committer.current), answer)
        : answer()
    })
  }

  turn<A, E>(body: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return this.inbox.turn(body)
  }

  aside(body: Effect.Effect<void, Unreachable>): void {
    this.#needs.fork(Effect.ignore(this.turn(body)))
  }

  /** Performs the commands that the inbox has gathered. */
  perform(envelopes: ReadonlyArray<Envelope>, links: ReadonlyArray<Tracer.AnySpan>) {
    const received = this.#received(envelopes)
    const { tracing } = this.#needs.telemetry
    return batchSpan(tracing, this.eventId, received.length, links, this.#executor.execute(received))
  }

  nextDeadline(since: number): ReturnType<AwaitedEvent["nextDeadline"]> {
    return this.#committer.nextDeadline(since)
  }

  meet({ due }: Parameters<AwaitedEvent["meet"]>[0], at: number): Effect.Effect<unknown, Unreachable> {
    this.#needs.telemetry.metrics.timersFired.add()
    return this.#loadedTurn((of) => this.#committer.act(of, at, due))
  }

  /** An event that keeps itself in memory has deadlines to meet; any other event is loaded on demand. */
  recover(): Effect.Effect<unknown, Unreachable> {
    return this.staysInMemory ? this.turn(this.#committer.current) : Effect.void
  }

  spent(seconds: number): void {
    this.#needs.telemetry.metrics.actorBusy.add(seconds)
  }

  broken(): void {
    this.isBroken = true
    this.#needs.broken(this)
  }

  /** A node is gone, with its participants' connections. An event that is not in memory knows of none. */
  forgetNode(node: string): Effect.Effect<void> {
    return this.turn(
      Effect.sync(() => {
        this.#presence.forgetNode(node)
        this.#calls.forgetNode(node)
      }),
    )
  }

  /** The link to other nodes was lost, and messages of calls with it. */
  sendCallsAgain(): void {
    this.#calls.sendAgain()
  }

  follow(change: LoadedEventChange): void {
    // A commit may outlive the wait for it: after a stop, nothing may begin that would have to be stopped.
    if (this.#isStopped) return
    switch (change.type) {
      case "activated":
        this.#calls.activated(change.loaded)
        this.#presence.activated(change.loaded, change.presence)
        // The engine has just passed on a request, which is traffic enough.
        if (change.loaded.state.event.status === "live") this.#touchAgain()
        break
      case "adopted":
        this.#presence.adopted(change.isNewPhase)
        this.#deadlineTimer.set()
        this.#stay(change.loaded.state.event.status === "live")
        break
      case "committed":
        this.#presence.committed(change.batch.participantChanges)
        if (change.batch.reachesMany) this.#views.forget()
        break
      case "discarded":
        this.#deadlineTimer.recoverLater()
        break
      case "viewsChanged":
        this.#views.changed(change.views)
        break
    }
  }

  /** Dated by this process's clock: the clocks of the processes that send commands may differ. */
  #received(envelopes: ReadonlyArray<Envelope>): ReadonlyArray<Received> {
    const at = this.#needs.timers.now()
    return envelopes.map((envelope) => ({ ...envelope, at }))
  }

  /** Runs a turn with the event in memory. */
  #loadedTurn<A>(body: (of: LoadedEvent) => Effect.Effect<A, Unreachable>): Effect.Effect<A, Unreachable> {
    return this.turn(Effect.flatMap(this.#committer.current, body))
  }

  /** Keeps a live event in memory without traffic, so that its timers fire. */
  #stay(wanted: boolean): void {
    if (wanted === this.staysInMemory) return
    if (wanted) {
      // Touch at once: direct requests are not traffic to the engine, so its idle time may be nearly over.
      this.#needs.touch(this.eventId)
      this.#touchAgain()
      return
    }
    clearInterval(this.#touches)
    this.#touches = undefined
  }

  #touchAgain(): void {
    const { touch, idleMs } = this.#needs
    this.#touches ??= setInterval(touch, idleMs / TOUCHES_PER_IDLE, this.eventId)
  }
}
