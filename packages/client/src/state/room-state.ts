/**
 * Breakout rooms and rotations: the state for everyone, and this participant's assignment. The two arrive in different streams without a
 * common order: the event version decides whether a message for everyone still concerns this participant's assignment.
 */

import { put } from "../connection/revisions.ts"
import type { AssignmentView, BreakoutView, RoomView, RotationRoundView, RotationView } from "../contract/types.ts"
import type { AnsweredCommand, Snapshot } from "../wire.ts"
import type { NewsOf } from "./news.ts"

export interface RoomState {
  readonly breakout: BreakoutView | null
  readonly rooms: ReadonlyArray<RoomView>
  /** Room of this participant. */
  readonly assignment: AssignmentView | null
  readonly rotation: RotationView | null
  /** The round as it concerns this participant. */
  readonly round: RotationRoundView | null
  /** Whether the participant sits rotations out. */
  readonly optedOut: boolean
  /** Version of the last message about `optedOut`. */
  readonly optedAsOf: number
  /** Version of the last message about this participant's assignment. */
  readonly asOf: number
}

export const roomsIn = ({ breakout, rooms, assignment, rotation, round, optedOut, v }: Snapshot): RoomState => ({
  breakout: breakout ?? null,
  rooms: rooms ?? [],
  assignment: assignment ?? null,
  rotation: rotation ?? null,
  round: round ?? null,
  optedOut: optedOut ?? false,
  optedAsOf: v,
  asOf: v,
})

/** An extended breakout keeps its people for longer. */
const withBreakout = (state: RoomState, breakout: BreakoutView, v: number): RoomState => {
  const { breakout: known, assignment } = state
  if (known?.id === breakout.id && known.rev >= breakout.rev) return state
  const { endsAt } = breakout
  const isProlonged = assignment !== null && endsAt !== null && endsAt !== known?.endsAt && v >= state.asOf
  return { ...state, breakout, assignment: isProlonged ? { ...assignment, endsAt } : assignment }
}

export const breakoutAfter = (state: RoomState, dispatch: NewsOf<"breakout">): RoomState => {
  switch (dispatch.t) {
    case "breakout.opened":
      return { ...state, breakout: dispatch.d.breakout, rooms: dispatch.d.rooms }
    case "breakout.updated":
    case "breakout.closing":
      return withBreakout(state, dispatch.d.breakout, dispatch.v)
    case "breakout.closed":
      return state.breakout?.id === dispatch.d.id ? { ...state, breakout: null, rooms: [] } : state
    case "room.updated":
      return { ...state, rooms: put(state.rooms, dispatch.d.room) }
    case "assignment.updated":
      return { ...state, assignment: dispatch.d, asOf: dispatch.v }
    case "assignment.ended":
      return state.assignment?.roomId === dispatch.d.roomId
        ? { ...state, assignment: null, asOf: dispatch.v }
        : { ...state, asOf: dispatch.v }
  }
}

/** A round ends with the rotation's message, unless this participant has received a later round. */
const withRotation = (state: RoomState, rotation: RotationView, v: number): RoomState => {
  const known = state.rotation
  if (known?.id === rotation.id && known.rev >= rotation.rev) return state
  const isOver = rotation.status === "break" || rotation.status === "ended"
  const { round } = state
  if (round === null || v < state.asOf) return { ...state, rotation }
  if (isOver) return { ...state, rotation, round: null }
  const { startsAt, endsAt } = rotation
  const isSame = round.n === rotation.n && startsAt !== null && endsAt !== null
  return { ...state, rotation, round: isSame ? { ...round, startsAt, endsAt } : round }
}

const withoutPartner = (round: RotationRoundView | null, participantId: string, n: number): RotationRoundView | null =>
  round === null || round.n !== n
    ? round
    : { ...round, partners: round.partners.filter((partner) => partner.participantId !== participantId) }

/** A participant who opts out is in no round from then on. */
const opted = (state: RoomState, isIn: boolean, v: number): RoomState => {
  if (v < state.optedAsOf) return state
  const isOutOfRound = !isIn && v >= state.asOf
  return { ...state, optedOut: !isIn, optedAsOf: v, ...(isOutOfRound ? { round: null, asOf: v } : {}) }
}

export const rotationAfter = (state: RoomState, dispatch: NewsOf<"rotation">): RoomState => {
  switch (dispatch.t) {
    case "rotation.round":
      return { ...state, round: dispatch.d, asOf: dispatch.v }
    case "rotation.partnerLeft":
      return { ...state, round: withoutPartner(state.round, dispatch.d.participantId, dispatch.d.n) }
    case "me.opted":
      return opted(state, dispatch.d.in, dispatch.v)
    case "rotation.state":
      return withRotation(state, dispatch.d.rotation, dispatch.v)
  }
}

export const roomsAnswered = (state: RoomState, { t, d, v }: AnsweredCommand): RoomState =>
  t === "rotation.opt" ? opted(state, d.in, v) : state
