/**
 * Raised hands, the stage and mutes, as they concern this client. What has no revision is settled by the version it was told
 * at: what is older than the last word changes nothing.
 */
import type { HandView } from "../gateway/protocol/activity-views.ts"
import type { Me } from "../gateway/protocol/dispatches.ts"
import type { AnsweredCommand } from "./replies.ts"
import type { Snapshot } from "./snapshot.ts"
import type { Dispatch, DispatchData } from "./wire.ts"

export interface HandState {
  readonly count: number
  /** This participant's own, while it is up. */
  readonly mine: HandView | null
  /** For staff, the longest up first. */
  readonly queue: ReadonlyArray<HandView>
  readonly queueRev: number
  /** Version of the last word on `mine`. */
  readonly asOf: number
}

export type StagePlace = NonNullable<Snapshot["stage"]>

export const handsIn = ({ hands, hand, handQueue, v }: Snapshot): HandState => ({
  count: hands?.count ?? 0,
  mine: hand ?? null,
  queue: handQueue?.items ?? [],
  queueRev: handQueue?.rev ?? 0,
  asOf: v,
})

const setMine = (state: HandState, mine: HandView | null, asOf: number): HandState =>
  asOf < state.asOf || (mine === null && state.mine === null) ? state : { ...state, mine, asOf }

/** Others learn of a hand by how the person is listed; so does its owner when staff lowered it. */
const isListedWithout = ({ join, update }: DispatchData<"presence.diff">, me: Me): boolean =>
  [...join, ...update].some(({ participantId, hand }) => participantId === me.participantId && !hand)

export const handsAfter = (state: HandState, dispatch: Dispatch, me: Me): HandState => {
  switch (dispatch.t) {
    case "hand.count":
      return { ...state, count: dispatch.d.n }
    case "hand.queue": {
      const { items: queue, rev: queueRev } = dispatch.d
      return queueRev < state.queueRev ? state : { ...state, queue, queueRev }
    }
    case "phase.ended":
    case "hand.lowered":
      return setMine(state, null, dispatch.v)
    case "presence.diff":
      return isListedWithout(dispatch.d, me) ? setMine(state, null, dispatch.v) : state
    default:
      return state
  }
}

export const handsAnswered = (state: HandState, { t, d, v }: AnsweredCommand): HandState => {
  if (t === "hand.raise" || t === "hand.lower") return setMine(state, d.hand, v)
  return t === "stage.accept" ? setMine(state, null, v) : state
}

export const stageAfter = (stage: StagePlace | null, dispatch: Dispatch): StagePlace | null => {
  switch (dispatch.t) {
    case "stage.invited":
      return { state: "invited", expiresAt: dispatch.d.expiresAt }
    case "phase.ended":
      return null
    case "me.updated":
      return stageIn(stage, dispatch.d)
    default:
      return stage
  }
}

/** Another tab went onto the stage or left it; a host who gives somebody a role takes them off it. */
const stageIn = (stage: StagePlace | null, { reason, role }: DispatchData<"me.updated">): StagePlace | null => {
  if (reason === "role") return null
  if (reason !== "stage") return stage
  if (role === "speaker") return { state: "on", expiresAt: null }
  return role === "viewer" ? null : stage
}

export const stageAnswered = (stage: StagePlace | null, { t, d }: AnsweredCommand): StagePlace | null => {
  if (t === "stage.leave") return null
  return t === "stage.accept" ? { state: d.stage.state, expiresAt: d.stage.expiresAt } : stage
}
