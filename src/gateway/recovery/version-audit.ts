/**
 * Compares the versions of the followed events with the store. The feed may lose a message, and a lost last message of an event leaves no
 * gap to notice. One statement reads all versions, every few seconds, and soon after the feed's link was lost.
 */
import { Effect } from "effect"
import { DueRun } from "../../clock/throttle.ts"
import { type Cancel, every } from "../../clock/timers.ts"
import { findVersions, type StoredVersion } from "../../store/live/live-events.ts"
import type { GatewayServices } from "../services.ts"

/** A followed event. */
interface Followed {
  readonly eventId: string
  /** Whether messages have been missed. `undefined`: the event is not in the store. */
  readonly isBehind: (stored: StoredVersion | undefined) => boolean
  readonly reload: () => void
}

/** A message that was committed when the store was read may still be in flight. */
const ON_ITS_WAY_MS = 500
/** Random delay after a reset, without which all nodes would read the store at once. */
const RESET_WITHIN_MS = 1000

export class VersionAudit {
  readonly #services: GatewayServices
  readonly #followed: () => ReadonlyArray<Followed>
  readonly #afterReset: DueRun
  readonly #stop: ReadonlyArray<Cancel>
  #isLooking = false

  constructor(services: GatewayServices, followed: () => ReadonlyArray<Followed>) {
    const { timers, feed, options } = services
    this.#services = services
    this.#followed = followed
    this.#afterReset = new DueRun(timers, () => this.#look())
    this.#stop = [
      every(timers, options.auditMs, () => this.#look()),
      feed.onReset(() => this.#afterReset.within(Math.random() * RESET_WITHIN_MS)),
      () => this.#afterReset.cancel(),
    ]
  }

  stop(): void {
    for (const stop of this.#stop) stop()
  }

  /** Compares the versions, one comparison at a time. */
  #look(): void {
    const followed = this.#followed()
    if (this.#isLooking || followed.length === 0) return
    this.#isLooking = true
    const ids = followed.map(({ eventId }) => eventId)
    this.#services.fork(
      this.#services.database
        .run((sql) => findVersions(sql, ids))
        .pipe(
          Effect.match({
            onSuccess: (rows) => this.#compare(followed, new Map(rows.map((row) => [row.eventId, row]))),
            // The database is unreachable: the next comparison will find the same.
            onFailure: () => undefined,
          }),
          Effect.ensuring(
            Effect.sync(() => {
              this.#isLooking = false
            }),
          ),
        ),
    )
  }

  #compare(followed: ReadonlyArray<Followed>, stored: ReadonlyMap<string, StoredVersion>): void {
    const behind = followed.filter((one) => one.isBehind(stored.get(one.eventId)))
    if (behind.length === 0) return
    this.#services.timers.after(ON_ITS_WAY_MS, () => {
      for (const one of behind) if (one.isBehind(stored.get(one.eventId))) one.reload()
    })
  }
}
