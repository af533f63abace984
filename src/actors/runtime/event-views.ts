/** Views of one live event besides its ordered dispatches: snapshots for newcomers, and ephemeral views at a limited rate. */
import { Effect } from "effect"
import { toTimestamp } from "../../model/timestamp.ts"
import type { Ephemeral } from "../../protocol/contract.ts"
import type { Unreachable } from "../commands.ts"
import type { Committer } from "../commit/committer.ts"
import type { LoadedEvent } from "../commit/loaded-event.ts"
import { recallHeads } from "../commit/rehydrate.ts"
import type { ChangedViews } from "../domain/turn.ts"
import { inspected } from "../machine/clock.ts"
import { type ReactionReport, Reactions } from "../presence/reactions.ts"
import type { LiveEventRequests, ReadQuery, RosterPage, RosterQuery, WireReading } from "../protocol.ts"
import { rosterPage } from "../views/presence-view.ts"
import { headsOfReading, Snapshots } from "../views/snapshots.ts"
import { ViewThrottle } from "../views/view-throttle.ts"

type Inspection = Effect.Success<ReturnType<LiveEventRequests["Inspect"]>>

export class EventViews {
  readonly #committer: Committer
  readonly #snapshots = new Snapshots()
  /** Created on first use, like `#reactions`: most events have neither. */
  #throttle: ViewThrottle | undefined
  #reactions: Reactions | undefined

  constructor(committer: Committer) {
    this.#committer = committer
  }

  read(of: LoadedEvent, query: ReadQuery): Effect.Effect<WireReading, Unreachable> {
    const { services, presence } = this.#committer
    return Effect.map(recallHeads(services.database, of, headsOfReading(of, query)), () =>
      this.#snapshots.read(of, presence, this.#committer.now, query),
    )
  }

  roster(of: LoadedEvent, query: RosterQuery): RosterPage {
    return rosterPage(of, this.#committer.presence, query)
  }

  inspect(of: LoadedEvent): Inspection {
    return {
      node: this.#committer.services.ownership.node,
      version: of.version,
      fencingToken: of.fencingToken,
      ownedSince: toTimestamp(this.#committer.claimedAt),
      ...inspected(this.#committer.contextOf(of)),
      transitions: [...this.#committer.chart.transitions],
    }
  }

  /** Publishes the changed views, each at a limited rate. */
  changed(views: ChangedViews): void {
    if (views.size === 0) return
    this.#throttle ??= new ViewThrottle(this.#committer.services.timers, ({ dispatches }, id) =>
      this.#run((of) => this.#publish(of, dispatches(this.#committer.contextOf(of), id))),
    )
    this.#throttle.request(views)
  }

  react(report: ReactionReport): void {
    this.#reactions ??= new Reactions(this.#committer.services.timers, (tallies) =>
      this.#run((of) => this.#publish(of, tallies)),
    )
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
    this.#committer.actor.aside(Effect.map(this.#committer.current, body))
  }

  #publish(of: LoadedEvent, dispatches: ReadonlyArray<Ephemeral>): void {
    if (dispatches.length === 0) return
    this.#snapshots.forget()
    this.#committer.publishEphemeral(of, dispatches)
  }
}
