/**
 * The live event as a client knows it: a snapshot from `ready`, moved on by dispatches. Pure; applying the same or an older
 * revision changes nothing, so a reply and its dispatch may come in either order.
 */
import type {
  EventView,
  Me,
  ParticipantView,
  PhaseView,
  PresenceView,
  Ready,
  TimerView,
} from "../gateway/protocol/dispatches.ts"
import type { Dispatch } from "./wire.ts"

export interface EventState {
  readonly me: Me
  readonly event: EventView
  readonly phases: ReadonlyArray<PhaseView>
  readonly timers: ReadonlyArray<TimerView>
  readonly presence: PresenceView
}

/** What a full `ready` says replaces everything. */
export const stateOf = (ready: Extract<Ready, { readonly resumed: false }>): EventState => ({
  me: ready.me,
  event: ready.event,
  phases: ready.phases,
  timers: ready.timers,
  presence: ready.presence,
})

export const activePhase = (state: EventState): PhaseView | undefined =>
  state.phases.find(({ status }) => status === "active")

/** Replaces the entity with its newer revision, or adds it. */
const put = <Entity extends { readonly id: string; readonly rev: number }>(
  entities: ReadonlyArray<Entity>,
  entity: Entity,
): ReadonlyArray<Entity> => {
  const known = entities.find(({ id }) => id === entity.id)
  if (known === undefined) return [...entities, entity]
  return known.rev >= entity.rev ? entities : entities.map((other) => (other.id === entity.id ? entity : other))
}

const withDiff = (
  presence: PresenceView,
  diff: Extract<Dispatch, { readonly t: "presence.diff" }>["d"],
): PresenceView => {
  const people = new Map<string, ParticipantView>()
  if (presence.mode === "list" && diff.reset !== true) {
    for (const person of presence.list) people.set(person.participantId, person)
  }
  for (const participantId of diff.left) people.delete(participantId)
  for (const person of [...diff.join, ...diff.update]) people.set(person.participantId, person)
  return { mode: "list", total: people.size, list: [...people.values()] }
}

const withMode = (presence: PresenceView, mode: "list" | "summary", total: number): PresenceView => {
  if (mode === presence.mode) return presence
  if (mode === "list") return { mode, total: 0, list: [] }
  const people = presence.mode === "list" ? presence.list : []
  const staff = people.filter(({ role }) => role !== "viewer" && role !== "participant")
  return { mode, total, byRole: {}, byRoom: {}, staff }
}

const withCount = (
  presence: PresenceView,
  count: Extract<Dispatch, { readonly t: "presence.count" }>["d"],
): PresenceView =>
  presence.mode === "summary"
    ? { ...presence, total: count.total, byRole: count.byRole, byRoom: count.byRoom }
    : presence

export const applyDispatch = (state: EventState, dispatch: Dispatch): EventState => {
  switch (dispatch.t) {
    case "event.started":
    case "event.updated":
      return { ...state, event: dispatch.d.event }
    case "event.ended":
      return { ...state, event: dispatch.d.event, timers: [], phases: dispatch.d.phases.reduce(put, state.phases) }
    case "phase.started":
      return { ...state, phases: put(state.phases, dispatch.d.phase), timers: dispatch.d.timers }
    case "phase.ended": {
      const { phase } = dispatch.d
      return { ...state, phases: put(state.phases, phase), timers: state.timers.filter(({ ref }) => ref !== phase.id) }
    }
    case "phase.updated":
    case "phase.appended":
      return { ...state, phases: put(state.phases, dispatch.d.phase) }
    case "timer.updated":
    case "timer.elapsed": {
      const { phase, timer } = dispatch.d
      const phases = phase === undefined ? state.phases : put(state.phases, phase)
      return { ...state, phases, timers: put(state.timers, timer) }
    }
    case "presence.diff":
      return { ...state, presence: withDiff(state.presence, dispatch.d) }
    case "presence.mode":
      return { ...state, presence: withMode(state.presence, dispatch.d.mode, dispatch.d.total) }
    case "presence.count":
      return { ...state, presence: withCount(state.presence, dispatch.d) }
    case "me.updated":
      return { ...state, me: { ...state.me, role: dispatch.d.role, can: dispatch.d.can } }
    default:
      return state
  }
}
