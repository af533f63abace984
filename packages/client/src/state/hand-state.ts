/**
 * Raised hands, the stage and mutes of this client. Values without a revision are ordered by the event version of their message: an older
 * message changes nothing.
 */

import type { HandView, Me } from "../contract/types.ts"
import type { AnsweredCommand, DispatchData, Snapshot } from "../wire.ts"
import type { NewsOf } from "./news.ts"

export interface HandState {
  readonly count: number
  /** This participant's own hand, while it is up. */
  readonly mine: HandView | null
  /** Raised hands for staff, longest up first; 200 at most. */
  readonly queue: ReadonlyArray<HandView>
  readonly queueRev: number
  /** Version of the last message about `mine`. */
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

const isBefore = (a: HandView, b: HandView): boolean =>
  a.at < b.at || (a.at === b.at && a.participantId < b.participantId)

const withNews = (state: HandState, { add, remove, rev }: DispatchData<"hand.queue">): HandState => {
  if (rev <= state.queueRev) return state
  const gone = new Set([...remove, ...add.map(({ participantId }) => participantId)])
  const queue = [...state.queue.filter(({ participantId }) => !gone.has(participantId)), ...add]
  return { ...state, queue: queue.sort((a, b) => (isBefore(a, b) ? -1 : 1)), queueRev: rev }
}

/** Other participants learn of a hand from the person's presence entry; so does its owner when staff lowered it. */
const isListedWithout = ({ join, update }: DispatchData<"presence.diff">, me: Me): boolean =>
  [...join, ...update].some(({ participantId, hand }) => participantId === me.participantId && !hand)

export const handsAfter = (state: HandState, dispatch: NewsOf<"hands">, me: Me): HandState => {
  switch (dispatch.t) {
    case "hand.count":
      return { ...state, count: dispatch.d.n }
    case "hand.queue":
      return withNews(state, dispatch.d)
    case "me.hand":
      return setMine(state, dispatch.d.hand, dispatch.v)
    case "phase.ended":
    case "hand.lowered":
      return setMine(state, null, dispatch.v)
    case "presence.diff":
      return isListedWithout(dispatch.d, me) ? setMine(state, null, dispatch.v) : state
  }
}

export const handsAnswered = (state: HandState, { t, d, v }: AnsweredCommand): HandState => {
  if (t === "hand.raise" || t === "hand.lower") return setMine(state, d.hand, v)
  return t === "stage.accept" ? setMine(state, null, v) : state
}

export interface StageState {
  /** Invitation to the stage and its time limit, or the place on it. */
  readonly stage: StagePlace | null
  /** Version of the last message about `stage`. */
  readonly stageAsOf: number
}

const setStage = (state: StageState, stage: StagePlace | null, asOf: number): StageState =>
  asOf < state.stageAsOf ? state : { stage, stageAsOf: asOf }

export const stageAfter = ({ stage, stageAsOf }: StageState, dispatch: NewsOf<"stage">): StageState => {
  const state = { stage, stageAsOf }
  switch (dispatch.t) {
    case "stage.invited":
      return setStage(state, { state: "invited", expiresAt: dispatch.d.expiresAt }, dispatch.v)
    case "me.stage":
      return setStage(state, dispatch.d.stage, dispatch.v)
    case "phase.ended":
      return setStage(state, null, dispatch.v)
    case "me.updated":
      return { ...state, stage: stageIn(stage, dispatch.d) }
  }
}

/** A role change through the stage determines the stage place; a role given by a host takes the participant off the stage. */
const stageIn = (stage: StagePlace | null, { reason, role }: DispatchData<"me.updated">): StagePlace | null => {
  if (reason === "role") return null
  if (reason !== "stage") return stage
  if (role === "speaker") return { state: "on", expiresAt: null }
  return role === "viewer" ? null : stage
}

export const stageAnswered = ({ stage, stageAsOf }: StageState, { t, d, v }: AnsweredCommand): StageState => {
  const state = { stage, stageAsOf }
  if (t === "stage.leave") return setStage(state, null, v)
  return t === "stage.accept" ? setStage(state, { state: d.stage.state, expiresAt: d.stage.expiresAt }, v) : state
}
