/** Broadcast control over REST: the same commands that hosts send over the gateway. */
import { Effect } from "effect"
import type { ActivityCommand } from "../../../actors/commands.ts"
import type { BroadcastState, Broadcasts } from "../../contract/events/broadcasts.ts"
import type { Handlers } from "../../requests/call.ts"
import { ask } from "./live-commands.ts"

interface OfPhase {
  readonly scope: { readonly eventId: string; readonly phaseId: string }
}

const control = ({ scope: { eventId } }: OfPhase, command: ActivityCommand) =>
  Effect.map(ask(eventId, command, null), ({ result }) => {
    const { broadcastId, phaseId, status, playbackUrl } = result["broadcast"] as BroadcastState
    return { broadcastId, phaseId, status, playbackUrl }
  })

const ofPhase = (type: "broadcast.pause" | "broadcast.resume" | "broadcast.stop") => ({
  access: "phase" as const,
  handle: (call: OfPhase) => control(call, { type, d: { phaseId: call.scope.phaseId } }),
})

export const broadcasts: Handlers<typeof Broadcasts> = {
  startBroadcast: {
    access: "phase",
    handle: (call) => control(call, { type: "broadcast.start", d: { phaseId: call.scope.phaseId, ...call.payload } }),
  },
  pauseBroadcast: ofPhase("broadcast.pause"),
  resumeBroadcast: ofPhase("broadcast.resume"),
  stopBroadcast: ofPhase("broadcast.stop"),
}
