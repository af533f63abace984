/**
 * The actor of one live event. Commands, deadlines, arrivals and presence flushes are turns of one inbox, one at a time, with the same
 * steps: decide purely, commit under the fencing token, publish, adopt. There is no other way to write.
 */
import { Effect, type Fiber } from "effect"
import { toTimestamp } from "../../model/timestamp.ts"
import type { Ephemeral } from "../../protocol/contract.ts"
import { Calls } from "../calls/calls.ts"
import { batchSpan } from "../command-traces.ts"
import { NotOwner, type Unreachable } from "../commands.ts"
import { type Batch, encodeEphemeral } from "../commit/batch.ts"
import { Committer, type LoadedEventChange } from "../commit/committer.ts"
import { publishNote } from "../commit/feed-messages.ts"
import type { LoadedEvent } from "../commit/loaded-event.ts"
import { recallHeads } from "../commit/rehydrate.ts"
import type { ReadContext } from "../domain/activities/activity.ts"
import { holdersIn, throttledDispatches } from "../domain/activities/registry.ts"
import { unblock } from "../domain/activities/removals.ts"
import { inspected, nextDeadline } from "../machine/clock.ts"
import { admissionOf } from "../presence/admission-policy.ts"
import { surplus } from "../presence/open-connections.ts"
import type { Presence } from "../presence/presence.ts"
import { Reactions } from "../presence/reactions.ts"
import { Replacements } from "../presence/replacements.ts"
import type { LiveEventRequests, PresenceReport } from "../protocol.ts"
import type { EventNeeds } from "../services.ts"
import { rosterPage } from "../views/presence-view.ts"
import { contextOf, headsOfReading, Snapshots } from "../views/snapshots.ts"
import { ViewThrottle } from "../views/view-throttle.ts"
import { DeadlineTimer } from "./deadline-timer.ts"
import { Executor } from "./executor.ts"
import { Inbox } from "./inbox.ts"
import { PresenceFlush } from "./presence-flush.ts"

interface ActorNeeds extends EventNeeds {
  /** Runs an effect in the background. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** Keeps the entity in memory until the returned function is called. */
  readonly keepAlive: () => () => void
  /** Called when a request ended with a defect: the actor must be rebuilt. */
  readonly broken: () => void
}

/** Connection number used for a participant on a node that does not number connections. */
const UNNUMBERED = [0] as const
const FIRST_ACTIVATION = 1

export class LiveEvent {
  readonly inbox: Inbox<Unreachable>
  readonly #needs: ActorNeeds
  readonly #committer: Committer
  readonly #flush: PresenceFlush
  readonly #deadlineTimer: DeadlineTimer
  readonly #snapshots = new Snapshots()
  #isStopped = false
  /** The last activation here, to which the calls belong. */
  #activation: { readonly fencingToken: number; readonly at: number } | undefined
  /** Created on first use, as the three fields below: most events need none of them. */
  #calls: Calls | undefined
  #viewThrottle: ViewThrottle | undefined
  #reactions: Reactions | undefined
  #replacements: Replacements | undefined
  /** Releases the entity; set while the event keeps itself in memory. */
  #stopKeepAlive: (() => void) | undefined

  constructor(needs: ActorNeeds) {
    this.#needs = needs
    const committer = new Committer(needs, (change) => this.#follow(change))
    this.#committer = committer
    this.#flush = new PresenceFlush(needs, committer, (body) => void needs.fork(Effect.ignore(this.inbox.turn(body))))
    this.#deadlineTimer = new DeadlineTimer({
      timers: needs.timers,
      fork: needs.fork,
      next: (since) => {
        const { loaded } = committer
        if (loaded === undefined) return undefined
        return nextDeadline(this.#contextOf(loaded), since)
      },
      handle: ({ due }, at) => {
        needs.telemetry.metrics.timersFired.add()
        return this.inbox.turn(Effect.flatMap(committer.current, (of) => committer.act(of, at, due)))
      },
      // An event that keeps itself in memory has deadlines to handle; any other event is loaded on demand.
      recover: Effect.suspend(() =>
        this.#stopKeepAlive === undefined ? Effect.void : Effect.asVoid(this.inbox.turn(committer.current)),
      ),
    })
    const executor = new Executor(needs, committer)
    const { eventId, telemetry, timers } = needs
    this.inbox = new Inbox({
      most: needs.mailbox,
      answersWithinMs: needs.answers.attemptMs,
      execute: (envelopes, links) => {
        // Uses this process's clock: the clocks of the processes that send commands may differ.
        const at = timers.now()
        const received = envelopes.map((envelope) => ({ ...envelope, at }))
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
    this.#flush.stop()
    this.#viewThrottle?.stop()
    this.#reactions?.stop()
    this.#replacements?.stop()
    this.#calls?.stop()
  }

  readonly requests: LiveEventRequests = {
    Execute: ({ envelopes }) => this.inbox.execute(envelopes),
    ReportPresence: (report) => {
      this.#needs.ownership.heardFrom(report.node)
      return this.#turn((of) => {
        this.#applyReport(of, report)
        return this.#unblockManagers(of, report)
      })
    },
    ReportReactions: (report) =>
      Effect.sync(() => {
        this.#reactions ??= new Reactions(this.#needs.timers, (tallies) =>
          this.#run((of) => this.#publishEphemeral(of, tallies)),
        )
        this.#reactions.add(report)
      }),
    Read: (query) =>
      this.#turn((of) =>
        Effect.map(recallHeads(this.#needs.database, of, headsOfReading(of, query)), () =>
          this.#snapshots.read(of, this.#committer.presence, this.#needs.timers.now(), query),
        ),
      ),
    ReadRoster: (query) =>
      this.#turn((of) => {
        const { presence } = this.#committer
        return Effect.succeed(
          presence === undefined ? { participants: [], nextCursor: null } : rosterPage(of, presence, query),
        )
      }),
    Inspect: () =>
      this.#turn((of) =>
        Effect.succeed({
          node: this.#needs.ownership.node,
          version: of.version,
          fencingToken: of.fencingToken,
          ownedSince: toTimestamp(this.#committer.claimedAt),
          ...inspected(this.#contextOf(of)),
          transitions: [...this.#committer.chart.transitions],
        }),
      ),
    // Calls are in memory alone, so they wait only for a recovery of the event and for nothing else that the actor does.
    Call: (request) =>
      Effect.suspend(() => {
        this.#needs.ownership.heardFrom(request.node)
        const answer = () => {
          this.#calls ??= this.#makeCalls()
          return this.#calls === undefined ? new NotOwner() : Effect.succeed(this.#calls.answer(request))
        }
        return this.#committer.loaded === undefined
          ? Effect.flatMap(this.inbox.turn(this.#committer.current), answer)
          : answer()
      }),
  }

  /** A node is gone, with its participants' connections. An event that is not in memory knows of none. */
  forgetNode(node: string): Effect.Effect<void> {
    return this.inbox.turn(
      Effect.sync(() => {
        this.#committer.presence?.forgetNode(node, this.#needs.timers.now())
        this.#flush.schedule()
        this.#calls?.forgetNode(node)
      }),
    )
  }

  /** The link to other nodes was lost, and messages of calls with it. */
  sendCallsAgain(): void {
    this.#calls?.sendListsAgain()
  }

  #follow(change: LoadedEventChange): void {
    // A commit may outlive the wait for it: after a stop, nothing may begin that would have to be stopped.
    if (this.#isStopped) return
    switch (change.type) {
      case "activated":
        this.#endCalls(change.loaded)
        this.#awaitReturns(change.loaded, change.presence)
        break
      case "adopted":
        this.#adopted(change.loaded.state, change.isNewPhase)
        break
      case "committed":
        this.#committed(change.batch)
        break
      case "discarded":
        this.#deadlineTimer.recoverLater()
        break
      case "viewsChanged":
        if (change.keys.size > 0) this.#throttleViews(change.keys)
        break
    }
  }

  /** Runs a turn with the event in memory. */
  #turn<A>(body: (of: LoadedEvent) => Effect.Effect<A, Unreachable>): Effect.Effect<A, Unreachable> {
    return this.inbox.turn(Effect.flatMap(this.#committer.current, body))
  }

  /** Runs a turn in the background, whose outcome nobody awaits. */
  #run(body: (of: LoadedEvent) => void): void {
    this.#needs.fork(Effect.ignore(this.#turn((of) => Effect.sync(() => body(of)))))
  }

  #throttleViews(keys: Iterable<string>): void {
    this.#viewThrottle ??= new ViewThrottle(this.#needs.timers, (due) => this.#run((of) => this.#publishViews(of, due)))
    this.#viewThrottle.request(keys)
  }

  #makeReplacements(): Replacements {
    const committer = this.#committer
    const { timers, replaceAfterMs, connectionsPerParticipant } = this.#needs
    return new Replacements({
      timers,
      afterMs: replaceAfterMs,
      surplusOf: (participantId) =>
        surplus(committer.presence?.connectionsOf(participantId) ?? [], connectionsPerParticipant),
      replace: (connections) => {
        if (committer.loaded !== undefined) publishNote(this.#needs, committer.loaded, { replaced: connections })
      },
    })
  }

  /** Ends the calls: another owner may have had the event meanwhile, and gateways do not know the earlier calls. */
  #endCalls({ fencingToken }: LoadedEvent): void {
    this.#calls?.stop()
    this.#calls = undefined
    this.#activation = { fencingToken, at: this.#needs.timers.elapsed() }
  }

  #makeCalls(): Calls | undefined {
    const { eventId, timers, feed, ownership } = this.#needs
    if (this.#activation === undefined) return undefined
    const { fencingToken, at } = this.#activation
    return new Calls({
      eventId,
      timers,
      tell: feed.tell,
      since: at,
      mayBeRemembered: () => fencingToken > FIRST_ACTIVATION && ownership.hasOthers(),
    })
  }

  #contextOf(of: LoadedEvent): ReadContext {
    return contextOf(of, this.#committer.presence, this.#needs.timers.now())
  }

  #publishViews(of: LoadedEvent, keys: ReadonlyArray<string>): void {
    const context = this.#contextOf(of)
    const dispatches = keys.flatMap((key) => throttledDispatches(context, key))
    this.#publishEphemeral(of, dispatches)
  }

  #publishEphemeral(of: LoadedEvent, dispatches: ReadonlyArray<Ephemeral>): void {
    if (dispatches.length === 0) return
    this.#snapshots.forget()
    const ephemeral = dispatches.map((one) => encodeEphemeral(one, this.#needs.timers.now()))
    publishNote(this.#needs, of, { ephemeral })
  }

  #adopted({ event: { status }, deleted }: LoadedEvent["state"], isNewPhase: boolean): void {
    const { presence } = this.#committer
    if (presence?.hasChanges || presence?.lobby.hasChanges) this.#flush.schedule()
    if (presence !== undefined && presence.size > 0 && isNewPhase) this.#flush.rolesChanged()
    this.#deadlineTimer.set()
    this.#stay(status === "live" && !deleted)
  }

  #committed(batch: Batch): void {
    const { presence } = this.#committer
    if (presence !== undefined) this.#followChanges(batch, presence)
    if (batch.reachesMany) this.#snapshots.forget()
    if (batch.state.deleted) this.#deadlineTimer.clear()
  }

  /** Updates lists with a participant's changed role or room. A host's decision on admission ends their place in the waiting room. */
  #followChanges({ participantChanges }: Batch, presence: Presence): void {
    const at = toTimestamp(this.#needs.timers.now())
    for (const { participantId, admission, pollSubscription } of participantChanges) {
      if (admission !== undefined) presence.lobby.endPlace(participantId)
      else if (pollSubscription === undefined) presence.touch(participantId, at)
    }
    if (presence.hasChanges || presence.lobby.hasChanges) this.#flush.schedule()
  }

  /** Keeps participants who were announced as present or hold something, as after a lost connection. */
  #awaitReturns({ roster, records }: LoadedEvent, presence: Presence): void {
    const { timers, returnWithinMs } = this.#needs
    const until = timers.now() + returnWithinMs
    presence.restore(roster, holdersIn(records), until)
    presence.lobby.restore(records.all("waiting"), until)
    if (presence.nextLapse !== undefined) this.#flush.schedule(returnWithinMs)
  }

  /** Keeps a live event in memory without traffic, so that its timers fire. */
  #stay(wanted: boolean): void {
    if (wanted) this.#stopKeepAlive ??= this.#needs.keepAlive()
    else {
      this.#stopKeepAlive?.()
      this.#stopKeepAlive = undefined
    }
  }

  /** Commits before the report is acknowledged, and so before the manager gets `ready`. */
  #unblockManagers(of: LoadedEvent, { changes }: PresenceReport): Effect.Effect<void, Unreachable> {
    const blocked = changes.flatMap((change) =>
      "participant" in change && change.participant.manages === true ? change.participant.participantId : [],
    )
    if (!blocked.some((id) => of.state.removed.includes(id))) return Effect.void
    return this.#committer.act(of, this.#needs.timers.now(), (turn) => {
      for (const id of blocked) unblock(turn, id)
    })
  }

  #applyReport(of: LoadedEvent, { node, changes }: PresenceReport): void {
    const { presence } = this.#committer
    if (presence === undefined) return
    const { state, records } = of
    const now = this.#needs.timers.now()
    const at = toTimestamp(now)
    for (const change of changes) {
      if ("participantId" in change) {
        presence.leave(node, change.participantId, now, at, change.type === "leave" && change.isForGood === true)
        continue
      }
      const from = { node, connections: change.connections ?? UNNUMBERED }
      if (change.type === "joinWaitingRoom") presence.joinWaitingRoom(from, change.participant, now, at)
      else presence.enter(from, change.participant, admissionOf(state, records, change.participant), at)
    }
    // Only the live event knows a participant's connections on all nodes.
    const reported = new Set(
      changes.map((change) => ("participant" in change ? change.participant.participantId : change.participantId)),
    )
    this.#replacements ??= this.#makeReplacements()
    for (const participantId of reported) this.#replacements.follow(participantId)
    this.#flush.schedule()
  }
}
