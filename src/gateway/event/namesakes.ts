/**
 * Participants connected under another id with the same email address as somebody whom a host has just blocked, muted or sent to the
 * waiting room. New arrivals with that address are refused (`store/sql/functions/blocks.sql`), so open connections are closed too.
 */
import { Effect } from "effect"
import type { ParticipantChange } from "../../actors/state/state.ts"
import { Throttle } from "../../clock/throttle.ts"
import type { Cancel } from "../../clock/timers.ts"
import { findBlockedNamesakes, findDecided } from "../../store/live/live-events.ts"
import { RETRY_FOR_MINUTES } from "../expulsion/retry.ts"
import type { GatewayServices } from "../services.ts"

type Services = Pick<GatewayServices, "database" | "timers" | "telemetry" | "fork">

/** A gateway token issued just before the decision admits its holder for 120 s. The second check finds those who used one. */
const AGAIN_MS = 130_000
/** Hosts decide on many participants at once; one read serves all decisions within this time. */
const GATHER_MS = 25

export class Namesakes {
  readonly #services: Services
  readonly #eventId: string
  readonly #close: (participantId: string) => void
  readonly #decided = new Set<string>()
  /** Decisions may have been missed: the next check is of all decisions of the event. */
  #isBlind = false
  readonly #soon: Throttle
  readonly #again = new Set<Cancel>()

  constructor(services: Services, eventId: string, close: (participantId: string) => void) {
    this.#services = services
    this.#eventId = eventId
    this.#close = close
    this.#soon = new Throttle(
      services.timers,
      () => GATHER_MS,
      () => this.#look(),
    )
  }

  follow({ participantId, isDecision }: ParticipantChange): void {
    if (isDecision !== true) return
    this.#twice(() => this.#decided.add(participantId))
  }

  /** Checks all decisions after a gap of the feed, which does not say who was just decided on. */
  followAll(): void {
    this.#twice(() => {
      this.#isBlind = true
    })
  }

  #twice(note: () => void): void {
    const look = (): void => {
      note()
      this.#soon.request()
    }
    look()
    const cancel = this.#services.timers.after(AGAIN_MS, () => {
      this.#again.delete(cancel)
      look()
    })
    this.#again.add(cancel)
  }

  stop(): void {
    this.#soon.cancel()
    for (const cancel of this.#again) cancel()
  }

  #look(): void {
    const { database, telemetry, fork } = this.#services
    const [ids, isBlind] = [[...this.#decided], this.#isBlind]
    this.#decided.clear()
    this.#isBlind = false
    const found = database.run(async (sql) =>
      findBlockedNamesakes(sql, this.#eventId, isBlind ? await findDecided(sql, this.#eventId) : ids),
    )
    fork(
      found.pipe(
        Effect.retry(RETRY_FOR_MINUTES),
        Effect.tap((namesakes) => Effect.sync(() => namesakes.forEach(this.#close))),
        Effect.catch((failure) =>
          Effect.sync(() =>
            telemetry.log.warn(
              { err: failure, eventId: this.#eventId },
              "people of a blocked address could not be read",
            ),
          ),
        ),
        Effect.asVoid,
      ),
    )
  }
}
