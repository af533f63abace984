/** Views of one live event besides its ordered dispatches: snapshots for newcomers, and ephemeral views at a limited rate. */
import { Effect } from "effect"
import { toTimestamp } from "../../model/timestamp.ts"
import type { Ephemeral } from "../../protocol/contract.ts"
import type { Unreachable } from "../commands.ts"
import type { Committer } from "../commit/committer.ts"
import { publishEphemeral } from "../commit/feed-messages.ts"
import type { LoadedEvent } from "../commit/loaded-event.ts"
import { recallHeads } from "../commit/rehydrate.ts"
import { throttledDispatches } from "../domain/activities/registry.ts"
import { inspected } from "../machine/clock.ts"
import { type ReactionReport, Reactions } from "../presence/reactions.ts"
import type { LiveEventRequests, ReadQuery, RosterPage, RosterQuery, WireReading } from "../protocol.ts"
import type { ActorServices, EventActor } from "../services.ts"
import { contextOf, headsOfReading, rosterOf, Snapshots } from "../views/snapshots.ts"
import { ViewThrottle } from "../views/view-throttle.ts"

type Inspection = Effect.Success<ReturnType<LiveEventRequests["Inspect"]>>

export class EventViews {
  readonly #services: ActorServices
  readonly #committer: Committer
  readonly #actor: EventActor
  readonly #snapshots = new Snapshots()
  /** Created on first use, like `#reactions`: most events have neither. */
  #throttle: ViewThrottle | undefined
  #reactions: Reactions | undefined

  constructor(services: ActorServices, committer: Committer, actor: EventActor) {
    this.#services = services
    this.#committer = committer
    this.#actor = actor
  }

  read(of: LoadedEvent, query: ReadQuery): Effect.Effect<WireReading, Unreachable> {
    return Effect.map(recallHeads(this.#services.database, of, headsOfReading(of, query)), () =>
      this.#snapshots.read(of, this.#committer.presence, this.#services.timers.now(), query),
    )
  }

  roster(of: LoadedEvent, query: RosterQuery): RosterPage {
    return rosterOf(of, this.#committer.presence, query)
  }

  inspect(of: LoadedEvent): Inspection {
    return {
      node: this.#services.ownership.node,
      version: of.version,
      fencingToken: of.fencingToken,
      ownedSince: toTimestamp(this.#committer.claimedAt),
      ...inspected(this.#contextOf(of)),
      transitions: [...this.#committer.chart.transitions],
    }
  }

  /** Publishes the changed views with these keys, each at a limited rate. */
  changed(keys: ReadonlySet<string>): void {
    if (keys.size === 0) return
    this.#throttle ??= new ViewThrottle(this.#services.timers, (due) =>
      this.#run((of) => {
        const context = this.#contextOf(of)
        this.#publish(
          of,
          due.flatMap((key) => throttledDispatches(context, key)),
        )
      }),
    )
    this.#throttle.request(keys)
  }

  react(report: ReactionReport): void {
    this.#reactions ??= new Reactions(this.#services.timers, (tallies) => this.#run((of) => this.#publish(of, tallies)))
    this.#reactions.add(report)
  }

  /** Discards the last snapshot: the next newcomer gets a new one. */
  forget(): void {
    this.#snapshots.forget()
  }

  stop(): void {
    this.#throttle?.stop()
    this.#reactions?.stop()
  }

  #run(body: (of: LoadedEvent) => void): void {
    this.#actor.aside(Effect.map(this.#committer.current, body))
  }

  #contextOf(of: LoadedEvent) {
    return contextOf(of, this.#committer.presence, this.#services.timers.now())
  }

  #publish(of: LoadedEvent, dispatches: ReadonlyArray<Ephemeral>): void {
    if (dispatches.length === 0) return
    this.#snapshots.forget()
    publishEphemeral(this.#services, of, dispatches)
  }
}
