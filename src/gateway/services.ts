/** Dependencies of all parts of the gateway: the services behind it, and the one way to start an effect. */
import type { Effect, Fiber } from "effect"
import type { Feed } from "../actors/feed.ts"
import type { LiveEvents } from "../actors/live-events.ts"
import type { Timers } from "../clock/timers.ts"
import type { AnonymousBudgets } from "../identity/callers/anonymous-budgets.ts"
import type { GrantChanges } from "../identity/grant-changes.ts"
import type { Tokens } from "../identity/tokens.ts"
import type { MediaLinks } from "../media/links.ts"
import type { LiveBroadcasts } from "../media/placed/live-broadcasts.ts"
import type { Media } from "../media/seats.ts"
import type { Database } from "../store/database.ts"
import type { Telemetry } from "../telemetry/telemetry.ts"
import type { RoomGuard } from "./expulsion/room-guard.ts"
import type { AbsentParticipants } from "./memory/absent-participants.ts"
import type { GatewaySettings } from "./options.ts"

export interface GatewayServices {
  readonly options: GatewaySettings
  readonly timers: Timers
  readonly live: LiveEvents["Service"]
  readonly feed: Feed["Service"]
  readonly database: Database["Service"]
  readonly tokens: Tokens["Service"]
  readonly grants: GrantChanges["Service"]
  readonly absent: AbsentParticipants
  readonly anonymous: AnonymousBudgets["Service"]
  readonly media: Media["Service"]
  /** Null: there is no media server. */
  readonly roomGuard: RoomGuard | null
  readonly broadcasts: LiveBroadcasts["Service"]
  readonly links: MediaLinks["Service"]
  readonly telemetry: Telemetry["Service"]
  /** Name of this process in presence reports. */
  readonly node: string
  /** Starts an effect that handles its own failures; it is interrupted when the gateway stops. */
  readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  /** Sends one frame to every subscriber of a topic. */
  readonly publish: (topic: string, text: string) => void
}
