/** The services that live events work with. */
import type { Timers } from "../clock/timers.ts"
import type { Database } from "../store/database.ts"
import type { LiveCommits } from "../store/live/live-commits.ts"
import type { MediaSignal } from "../store/media/media-signal.ts"
import type { OutboxSignal } from "../store/webhooks/outbox.ts"
import type { Telemetry } from "../telemetry/telemetry.ts"
import type { Feed } from "./feed.ts"
import type { EventSystem } from "./machine/machine-actor.ts"
import type { EventOwnership } from "./runtime/ownership.ts"

export interface ActorServices {
  readonly timers: Timers
  readonly database: Database["Service"]
  readonly commits: LiveCommits["Service"]
  readonly feed: Feed["Service"]
  readonly outbox: OutboxSignal["Service"]
  readonly media: MediaSignal["Service"]
  readonly telemetry: Telemetry["Service"]
  readonly ownership: EventOwnership
  readonly system: EventSystem
}
