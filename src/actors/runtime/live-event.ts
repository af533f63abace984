/**
 * The actor of one live event. Commands, deadlines, arrivals and presence flushes are turns of one inbox, one at a time, with the same
 * steps: decide purely, commit under the fencing token, publish, adopt. There is no other way to write.
 */
import { Effect, type Fiber } from "effect"
import { batchSpan } from "../command-traces.ts"
import type { Envelope, Received, Unreachable } from "../commands.ts"
import { Committer, type LoadedEventChange } from "../commit/committer.ts"
import type { LoadedEvent } from "../commit/loaded-event.ts"
import type { LiveEventRequests } from "../protocol.ts"
import type { EventNeeds } from "../services.ts"
import { DeadlineTimer } from "./deadline-timer.ts"
import { EventCalls } from "./event-calls.ts"
import { EventPresence } from "./event-presence.ts"
import { EventViews } from "./event-views.ts"
import { Executor } from "./executor.ts"
import { Inbox } from "./inbox.ts"

interface ActorNeeds extends EventNeeds {
  /** Runs an effect in the background. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** Keeps the entity in memory until the returned function is called. */
  readonly keepAlive: () => () => void
  /** Called when a request ended with a defect: the actor must be rebuilt. */
  readonly broken: () => void
}

export class LiveEvent {
  readonly inbox: Inbox<Unreachable>
  readonly #needs: ActorNeeds
  readonly #committer: Committer
  readonly #presence: EventPresence
  readonly #views: EventViews
  readonly #calls: EventCalls
  readonly #executor: Executor
  readonly #deadlineTimer: DeadlineTimer
  #isStopped = false
  /** Releases the entity; set while the event keeps itself in memory. */
  #stopKeepAlive: (() => void) | undefined

  constructor(needs: ActorNeeds) {
    this.#needs = needs
    const committer = new Committer(needs, (change) => this.#follow(change))
    const aside = (body: Effect.Effect<void, Unreachable>): void =>
      void needs.fork(Effect.ignore(this.inbox.turn(body)))
    this.#committer = committer
    this.#presence = new EventPresence(needs, committer, aside)
    this.#views = new EventViews(needs, committer, (body) =>
      aside(Effect.flatMap(committer.current, (of) => Effect.sync(() => body(of)))),
    )
    this.#calls = new EventCalls(needs)
    this.#deadlineTimer = DeadlineTimer.of(needs, committer, {
      turn: (body) => this.inbox.turn(body),
      // An event that keeps itself in memory has deadlines to handle; any other event is loaded on demand.
      isAwaited: () => this.#stopKeepAlive !== undefined,
    })
    const executor = new Executor(needs, committer)
    this.#executor = executor
    const { eventId, telemetry } = needs
    this.inbox = new Inbox({
      most: needs.mailbox,
      answersWithinMs: needs.answers.attemptMs,
      execute: (envelopes, links) => {
        const received = this.#received(envelopes)
        return batchSpan(telemetry.tracing, eventId, received.length, links, executor.execute(received))
      },
      fork: needs.fork,
      metrics: telemetry.metrics,
      spent: (seconds) => telemetry.metrics.actorBusy.add(seconds),
      broken: needs.broken,
    })
  }

  /** A live event stays in memory, even when it is stopped here: another activation must follow. */
  get staysInMemory(): boolean {
    return this.#stopKeepAlive !== undefined
  }

  stop(): void {
    this.#isStopped = true
    this.#committer.chart.stop()
    this.#deadlineTimer.stop()
    this.#stopKeepAlive?.()
    this.#presence.stop()
    this.#views.stop()
    this.#calls.stop()
  }

  readonly requests: LiveEventRequests = {
    Execute: ({ envelopes }) => this.inbox.execute(envelopes),
    ExecuteTogether: ({ envelopes }) =>
      this.inbox.turn(Effect.suspend(() => this.#executor.executeTogether(this.#received(envelopes)))),
    Rehearse: (envelope) =>
      this.inbox.turn(Effect.suspend(() => this.#executor.rehearse({ ...envelope, at: this.#needs.timers.now() }))),
    ReportPresence: (report) => {
      this.#needs.ownership.heardFrom(report.node)
      return this.#turn((of) => this.#presence.report(of, report))
    },
    ReportReactions: (report) => Effect.sync(() => this.#views.react(report)),
    Read: (query) => this.#turn((of) => this.#views.read(of, query)),
    ReadRoster: (query) => this.#turn((of) => Effect.succeed(this.#views.roster(of, query))),
    Inspect: () => this.#turn((of) => Effect.succeed(this.#views.inspect(of))),
    // Calls are in memory alone, so they wait only for a recovery of the event and for nothing else that the actor does.
    Call: (request) =>
      Effect.suspend(() => {
        this.#needs.ownership.heardFrom(request.node)
        const answer = () => this.#calls.answer(request)
        return this.#committer.loaded === undefined
          ? Effect.flatMap(this.inbox.turn(this.#committer.current), answer)
          : answer()
      }),
  }

  /** Dated by this process's clock: the clocks of the processes that send commands may differ. */
  #received(envelopes: ReadonlyArray<Envelope>): ReadonlyArray<Received> {
    const at = this.#needs.timers.now()
    return envelopes.map((envelope) => ({ ...envelope, at }))
  }

  /** A node is gone, with its participants' connections. An event that is not in memory knows of none. */
  forgetNode(node: string): Effect.Effect<void> {
    return this.inbox.turn(
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

  #follow(change: LoadedEventChange): void {
    // A commit may outlive the wait for it: after a stop, nothing may begin that would have to be stopped.
    if (this.#isStopped) return
    switch (change.type) {
      case "activated":
        this.#calls.activated(change.loaded)
        this.#presence.activated(change.loaded, change.presence)
        break
      case "adopted": {
        const { event, deleted } = change.loaded.state
        this.#presence.adopted(change.isNewPhase)
        this.#deadlineTimer.set()
        this.#stay(event.status === "live" && !deleted)
        break
      }
      case "committed":
        this.#presence.committed(change.batch.participantChanges)
        if (change.batch.reachesMany) this.#views.forget()
        if (change.batch.state.deleted) this.#deadlineTimer.clear()
        break
      case "discarded":
        this.#deadlineTimer.recoverLater()
        break
      case "viewsChanged":
        this.#views.changed(change.keys)
        break
    }
  }

  /** Runs a turn with the event in memory. */
  #turn<A>(body: (of: LoadedEvent) => Effect.Effect<A, Unreachable>): Effect.Effect<A, Unreachable> {
    return this.inbox.turn(Effect.flatMap(this.#committer.current, body))
  }

  /** Keeps a live event in memory without traffic, so that its timers fire. */
  #stay(wanted: boolean): void {
    if (wanted) this.#stopKeepAlive ??= this.#needs.keepAlive()
    else {
      this.#stopKeepAlive?.()
      this.#stopKeepAlive = undefined
    }
  }
}
