/**
 * Broadcast state of a phase. The webhook events for going live and pausing are in the same commit; REST and the gateway send the same
 * commands. The actor does not carry the stream itself, only the address where it can be watched.
 */
import type { Broadcast } from "../../../model/live/live-records.ts"
import { isWatchable } from "../../../model/media/playback-url.ts"
import { isStage } from "../../../model/modality.ts"
import { type Refused, refusedField } from "../../commands.ts"
import type { Of } from "../../state/chart-events.ts"
import { activePhaseOf, findPhase } from "../../state/state.ts"
import type { Turn } from "../turn.ts"
import { type Activity, noSuch, refuse } from "./activity.ts"
import { captureRooms } from "./capture.ts"
import { ownAddresses } from "./playback.ts"

const fresh = (turn: Turn, phaseId: string): Broadcast => ({
  broadcastId: turn.freshId,
  phaseId,
  status: "idle",
  playbackUrl: null,
  startedAt: null,
})

/** Dispatches and webhook events share these names. */
const DISPATCH = { live: "broadcast.live", paused: "broadcast.paused", ended: "broadcast.ended" } as const

const become = (turn: Turn, broadcast: Broadcast, status: "live" | "paused" | "ended"): Broadcast => {
  const next: Broadcast = { ...broadcast, status, startedAt: broadcast.startedAt ?? turn.at }
  turn.put("broadcast", broadcast.phaseId, next)
  turn.publish(DISPATCH[status], "event", { broadcast: next })
  const { broadcastId, phaseId, playbackUrl: url } = next
  if (status === "live") turn.emitOccurrence("broadcast.live", { broadcastId, phaseId, playbackUrl: url })
  if (status === "ended") turn.raise({ type: "recording.over" })
  if (turn.deployment.hasStageBroadcasts) captureRooms(turn)
  if (status === "paused") turn.emitOccurrence("broadcast.paused", { broadcastId, phaseId })
  return next
}

type Steering = Of<"broadcast.start" | "broadcast.pause" | "broadcast.resume" | "broadcast.stop">

interface Asked {
  readonly phaseId?: string
  readonly playbackUrl?: string
}

/** Chart guards on the broadcast commands. */
export const broadcastGuards = {
  isBroadcast: (_turn: Turn, { phase }: Of<"phase.began">) => isStage(phase.modality),
  /** The command names a phase that is not the active one. */
  namesOtherPhase: (turn: Turn, { d }: Steering) => {
    const { phaseId }: Asked = d
    return phaseId !== undefined && phaseId !== activePhaseOf(turn.state)?.id
  },
  hasBadPlaybackUrl: (_turn: Turn, { d }: Steering) => {
    const { playbackUrl }: Asked = d
    return playbackUrl !== undefined && !isWatchable(playbackUrl)
  },
}

const known = (turn: Turn): Broadcast | undefined => turn.get("broadcast", activePhaseOf(turn.state)?.id ?? "")

/** Gives the broadcast the chart's status and the requested address. Nothing is published if it has them. */
const show = (turn: Turn, { d }: Steering): { readonly broadcast: Broadcast } => {
  const phase = activePhaseOf(turn.state)
  const status = turn.region("broadcast")
  const { playbackUrl: given }: Asked = d
  const before = known(turn) ?? fresh(turn, phase?.id ?? "")
  const playbackUrl = given ?? addressOf(turn, before)
  if (status === "off" || status === "idle") return { broadcast: before }
  if (status === before.status && playbackUrl === before.playbackUrl) return { broadcast: before }
  return { broadcast: become(turn, { ...before, playbackUrl }, status) }
}

const endWithPhase = (turn: Turn, { phase }: Of<"phase.over">): void => {
  const last = turn.get("broadcast", phase.id)
  if (last !== undefined) become(turn, last, "ended")
}

const refuseStatus =
  (detail: string) =>
  (turn: Turn): Refused => {
    const broadcast = known(turn) ?? fresh(turn, activePhaseOf(turn.state)?.id ?? "")
    return refuse("conflict", detail, { broadcast })
  }

/** Chart actions on the broadcast of the active phase. */
export const broadcastActions = {
  showBroadcast: show,
  endBroadcast: endWithPhase,
  refuseBroadcastPhase: (turn: Turn, { d }: Steering): Refused => {
    const { phaseId }: Asked = d
    return phaseId !== undefined && findPhase(turn.state, phaseId) === undefined
      ? noSuch("phase")
      : refuse("conflict", "Only the active phase can be broadcast, and only a broadcast phase.")
  },
  refusePlaybackUrl: (): Refused => refusedField("playbackUrl", "must be an http or https address"),
  refuseStart: refuseStatus("The broadcast has ended."),
  refusePause: refuseStatus("Only a live broadcast can be paused."),
  refuseResume: refuseStatus("Only a paused broadcast can be resumed."),
  refuseStop: refuseStatus("The broadcast has not started."),
}

/** The current address. An address of this deployment changes when the event becomes private or public. */
const addressOf = (turn: Turn, broadcast: Broadcast): string | null => {
  const { playbackUrl: last } = broadcast
  const { open, closed } = ownAddresses(turn, broadcast)
  if (last !== null && last !== open && last !== closed) return last
  return turn.state.event.visibility === "private" ? closed : open
}

export const broadcast = {
  commands: {},
  on: {
    // The address of a private event is a credential; that of a public event is not.
    "event.changed": (turn) => {
      for (const last of [...turn.all("broadcast").values()]) {
        const next = { ...last, playbackUrl: addressOf(turn, last) }
        if (next.playbackUrl === last.playbackUrl) continue
        if (last.status === "live") become(turn, next, "live")
        else turn.put("broadcast", last.phaseId, next)
        if (last.status === "paused") turn.publish("broadcast.paused", "event", { broadcast: next })
      }
    },
  },
  view: ({ records, state }) => {
    const phase = activePhaseOf(state)
    const shown = phase === undefined ? undefined : records.get("broadcast", phase.id)
    return { broadcast: shown ?? null }
  },
} satisfies Activity
