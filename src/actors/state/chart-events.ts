/** Events of the chart: commands, events that a turn raises about its own effects, and events of the clock. */
import type { Rotation } from "../../model/live/live-records.ts"
import type { PhaseState } from "../../model/phase.ts"
import type { nextRound } from "../../model/rotation/rotation-pairing.ts"
import type { Command } from "../commands.ts"

/** Raised events are handled after the actions of the event that raised them, in order and within the same turn. */
export type Raised =
  | { readonly type: "phase.over"; readonly phase: PhaseState }
  | { readonly type: "phase.began"; readonly phase: PhaseState }
  /** The timer of the active phase has elapsed, and the phase continues. */
  | { readonly type: "phase.timeUp" }
  | { readonly type: "phase.changed"; readonly phase: PhaseState }
  /** Fields of the event changed, such as its visibility or status. */
  | { readonly type: "event.changed" }
  /** The agenda is over; the event has ended when this is handled. */
  | { readonly type: "event.over" }
  | { readonly type: "event.gone" }
  /** The waiting-room policy may have changed. */
  | { readonly type: "door.moved" }
  | { readonly type: "pairing.found"; readonly rotation: Rotation; readonly pairing: ReturnType<typeof nextRound> }
  /** Fewer than two participants can be paired. */
  | { readonly type: "pairing.lacks"; readonly rotation: Rotation }
  /** All pairs have met. */
  | { readonly type: "pairing.done"; readonly rotation: Rotation }
  /** The broadcast that was recorded has ended. */
  | { readonly type: "recording.over" }
  /** Participants became present, departed or changed their role. */
  | { readonly type: "people.changed" }
  | { readonly type: "audience.grew" }
  | { readonly type: "audience.shrank" }

/** Sent by the clock for a delayed transition when its deadline is due. */
export interface Due {
  readonly type: `xstate.after.${string}`
}

export type Happening = Command | Raised | Due

export type Of<T extends Happening["type"]> = Extract<Happening, { readonly type: T }>
