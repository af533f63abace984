/**
 * Whether a broadcast phase is on air. Webhook events of going live and pausing are in the same commit; REST and the gateway send
 * the same commands. The stream itself is not the actor's: it has the address where it can be watched.
 */
import type { Broadcast } from "../../../model/live/live-records.ts"
import { isWatchable } from "../../../model/media/playback-url.ts"
import type { PhaseState } from "../../../model/phase.ts"
import type { BroadcastView } from "../../../protocol/topics/media.ts"
import { type Refused, refusedField } from "../../commands.ts"
import { activePhaseOf, findPhase } from "../state.ts"
import type { Turn } from "../turn.ts"
import { type Activity, isRefused, noSuch, refuse } from "./activity.ts"
import { captureRooms, stopRecording } from "./capture.ts"
import { ownAddresses } from "./playback.ts"

const viewOf = (broadcast: Broadcast): BroadcastView => ({ ...broadcast })

/** The phase that a command applies to: only the active one. */
const phaseOf = (turn: Turn, phaseId: string | undefined): PhaseState | Refused => {
  const active = activePhaseOf(turn.state)
  const phase = phaseId === undefined ? active : findPhase(turn.state, phaseId)
  if (phaseId !== undefined && phase === undefined) return noSuch("phase")
  if (phase === undefined || phase.id !== active?.id || phase.modality !== "broadcast") {
    return refuse("conflict", "Only the active phase can be broadcast, and only a broadcast phase.")
  }
  return phase
}

const fresh = (turn: Turn, phase: PhaseState): Broadcast => ({
  broadcastId: turn.freshId,
  phaseId: phase.id,
  status: "idle",
  playbackUrl: null,
  startedAt: null,
})

/** Dispatch and webhook share their names. */
const DISPATCH = { live: "broadcast.live", paused: "broadcast.paused", ended: "broadcast.ended" } as const

const become = (turn: Turn, broadcast: Broadcast, status: "live" | "paused" | "ended"): Broadcast => {
  const next: Broadcast = { ...broadcast, status, startedAt: broadcast.startedAt ?? turn.at }
  turn.put("broadcast", broadcast.phaseId, next)
  turn.publish(DISPATCH[status], "event", { broadcast: viewOf(next) })
  const { broadcastId, phaseId, playbackUrl: url } = next
  if (status === "live") turn.emitWebhookEvent("broadcast.live", { broadcastId, phaseId, playbackUrl: url })
  if (status === "ended") stopRecording(turn)
  if (turn.hasStageBroadcasts) captureRooms(turn)
  if (status === "paused") turn.emitWebhookEvent("broadcast.paused", { broadcastId, phaseId })
  return next
}

const REFUSALS = {
  start: "The broadcast has ended.",
  pause: "Only a live broadcast can be paused.",
  resume: "Only a paused broadcast can be resumed.",
  stop: "The broadcast has not started.",
} as const

type Verb = keyof typeof REFUSALS

/** The next status for each verb and status. An absent entry is refused; the current status as the next one is no change. */
const NEXT: { readonly [V in Verb]: { readonly [S in Broadcast["status"]]?: "live" | "paused" | "ended" } } = {
  start: { idle: "live", live: "live", paused: "live" },
  pause: { live: "paused", paused: "paused" },
  resume: { paused: "live", live: "live" },
  stop: { live: "ended", paused: "ended", ended: "ended" },
}

interface Asked {
  readonly phaseId?: string
  readonly playbackUrl?: string
}

const control =
  (verb: Verb) =>
  (turn: Turn, { phaseId, playbackUrl: given }: Asked): { readonly broadcast: BroadcastView } | Refused => {
    const phase = phaseOf(turn, phaseId)
    if (isRefused(phase)) return phase
    if (given !== undefined && !isWatchable(given)) {
      return refusedField("playbackUrl", "must be an http or https address")
    }
    const known = turn.get("broadcast", phase.id) ?? fresh(turn, phase)
    const status = NEXT[verb][known.status]
    if (status === undefined) return refuse("conflict", REFUSALS[verb], { broadcast: viewOf(known) })
    const url = given ?? addressOf(turn, known)
    if (status === known.status && url === known.playbackUrl) return { broadcast: viewOf(known) }
    return { broadcast: viewOf(become(turn, { ...known, playbackUrl: url }, status)) }
  }

/** The known address, but for one of the deployment whose event has become private or public: it is another now. */
const addressOf = (turn: Turn, broadcast: Broadcast): string | null => {
  const { playbackUrl: known } = broadcast
  const { open, closed } = ownAddresses(turn, broadcast)
  if (known !== null && known !== open && known !== closed) return known
  return turn.state.event.visibility === "private" ? closed : open
}

export const broadcast = {
  commands: {
    "broadcast.start": control("start"),
    "broadcast.pause": control("pause"),
    "broadcast.resume": control("resume"),
    "broadcast.stop": control("stop"),
  },
  phaseEnded: (turn, phase) => {
    const known = turn.get("broadcast", phase.id)
    if (known !== undefined && (known.status === "live" || known.status === "paused")) become(turn, known, "ended")
  },
  eventUpdated: (turn) => {
    for (const known of [...turn.all("broadcast").values()]) {
      const next = { ...known, playbackUrl: addressOf(turn, known) }
      if (next.playbackUrl === known.playbackUrl) continue
      if (known.status === "live") become(turn, next, "live")
      else turn.put("broadcast", known.phaseId, next)
      if (known.status === "paused") turn.publish("broadcast.paused", "event", { broadcast: viewOf(next) })
    }
  },
  view: ({ records, state }) => {
    const phase = activePhaseOf(state)
    const known = phase === undefined ? undefined : records.get("broadcast", phase.id)
    return { broadcast: known === undefined ? null : viewOf(known) }
  },
} satisfies Activity
