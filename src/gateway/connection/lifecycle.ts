/**
 * The life of a connection as a pure function: the life so far and an event give the next life. Nothing else changes it
 * (`Connection.apply`). The table of steps is small and complete, and costs a join next to nothing; a chart of XState would cost
 * each join a tenth of a millisecond.
 */
import type { Basis } from "../../model/grants.ts"
import type { ParticipantKind } from "../../model/participants.ts"
import type { EventRole } from "../../model/roles.ts"
import type { OptOut } from "../../protocol/dispatch.ts"

/** The participant that a token identifies. */
export interface Identity {
  readonly participantId: string
  readonly name: string
  readonly kind: ParticipantKind
  readonly userId: string | null
  /** The stored role. */
  readonly role: EventRole
  /** Neither a member of the workspace nor on the event's list: may have to wait in the waiting room. */
  readonly walkIn: boolean
  /** An owner or admin of the workspace, in any role here. */
  readonly manages: boolean
}

/**
 * `new`: has not identified. `identifying`: its token is being checked. `waiting`: its event is being read. `lobby`: it is in the
 * waiting room and receives only the status of that. `open`: it got `ready` and is subscribed to its streams. `closed`: never
 * used again.
 */
export type ConnectionState = "new" | "identifying" | "waiting" | "lobby" | "open" | "closed"

export interface Life {
  readonly state: ConnectionState
  readonly eventId: string
  readonly identity: Identity
  /** When its session ends; Unix milliseconds, as every time here. */
  readonly sessionExpiresAt: number
  /** The basis of its user's grant; `undefined` for participants that are not users of the workspace. */
  readonly basis: Basis | undefined
  /** The dispatches that its client opted out of. */
  readonly mutes: ReadonlySet<OptOut>
  /** The start of its way in: when it opened, or when it was admitted. */
  readonly waitingSince: number
  /** `tokenExpiring` has been sent for this session. */
  readonly isWarned: boolean
  /** The room whose stream it is subscribed to. */
  readonly roomId: string | null
  /** Polls whose tally it receives because its participant voted. */
  readonly polls: ReadonlySet<string>
  /** It needs a `ready` before it receives anything more of its streams. */
  readonly isPaused: boolean
  /** Subscribed to ephemeral dispatches; a slow socket is not. */
  readonly getsEphemeral: boolean
}

/** Events that lead to another state. */
type Step =
  | { readonly type: "identified"; readonly mutes: ReadonlySet<OptOut> }
  /** It takes its place among those that wait for a reading of the event. */
  | { readonly type: "entered" }
  | { readonly type: "heldBack" }
  | { readonly type: "admitted"; readonly at: number }
  | { readonly type: "opened" }
  | { readonly type: "closed" }

/** Events that leave the state as it is. */
type Change =
  | ({ readonly type: "granted" } & Pick<Life, "eventId" | "identity" | "basis" | "sessionExpiresAt">)
  | ({ readonly type: "renewed" } & Pick<Life, "basis" | "sessionExpiresAt">)
  | ({ readonly type: "became" } & Pick<Life, "identity">)
  | ({ readonly type: "moved" } & Pick<Life, "roomId">)
  | { readonly type: "pollSubscribed"; readonly pollId: string; readonly on: boolean }
  | { readonly type: "ephemeralSet"; readonly on: boolean }
  /** All connections of an event share one string for its id. */
  | ({ readonly type: "eventFound" } & Pick<Life, "eventId">)
  | { readonly type: "paused" | "resumed" | "warned" }

export type LifeEvent = Step | Change

/** The identity before a token is accepted. */
const NOBODY: Identity = {
  participantId: "",
  name: "",
  kind: "anonymous",
  userId: null,
  role: "viewer",
  walkIn: true,
  manages: false,
}

export const MUTES_NOTHING: ReadonlySet<OptOut> = new Set()
/** Shared, because most participants vote in no poll. */
const NO_POLLS: ReadonlySet<string> = new Set()

/** `now`: Unix milliseconds. */
export const beginLife = (now: number): Life => ({
  state: "new",
  eventId: "",
  identity: NOBODY,
  sessionExpiresAt: Number.POSITIVE_INFINITY,
  basis: undefined,
  mutes: MUTES_NOTHING,
  waitingSince: now,
  isWarned: false,
  roomId: null,
  polls: NO_POLLS,
  isPaused: false,
  getsEphemeral: false,
})

/** The states from which each step leads on, and the state it leads to. */
const STEPS: {
  readonly [type in Step["type"]]: { readonly from: ReadonlyArray<ConnectionState>; readonly to: ConnectionState }
} = {
  identified: { from: ["new"], to: "identifying" },
  // An admitted connection waits already.
  entered: { from: ["identifying", "waiting"], to: "waiting" },
  // A host may send an open connection back.
  heldBack: { from: ["waiting", "open"], to: "lobby" },
  admitted: { from: ["lobby"], to: "waiting" },
  opened: { from: ["waiting"], to: "open" },
  closed: { from: ["new", "identifying", "waiting", "lobby", "open"], to: "closed" },
}

const isStep = (event: LifeEvent): event is Step => event.type in STEPS

const withPoll = (polls: ReadonlySet<string>, pollId: string, on: boolean): ReadonlySet<string> => {
  const others = [...polls].filter((id) => id !== pollId)
  return new Set(on ? [...others, pollId] : others)
}

const step = (life: Life, event: Step): Life => {
  const { from, to } = STEPS[event.type]
  if (!from.includes(life.state)) throw new Error(`a connection that is ${life.state} was ${event.type}`)
  switch (event.type) {
    case "identified":
      return { ...life, state: to, mutes: event.mutes }
    case "admitted":
      return { ...life, state: to, waitingSince: event.at }
    default:
      return { ...life, state: to }
  }
}

const change = (life: Life, event: Change): Life => {
  switch (event.type) {
    case "granted":
    case "renewed":
    case "became":
    case "moved":
    case "eventFound": {
      const { type, ...given } = event
      return { ...life, ...given, ...(type === "renewed" ? { isWarned: false } : {}) }
    }
    case "pollSubscribed":
      return { ...life, polls: withPoll(life.polls, event.pollId, event.on) }
    case "ephemeralSet":
      return { ...life, getsEphemeral: event.on }
    case "paused":
      return { ...life, isPaused: true, getsEphemeral: false }
    case "resumed":
      return { ...life, isPaused: false }
    case "warned":
      return { ...life, isWarned: true }
  }
}

/** A closed connection stays as it is. Throws for a step that the state does not allow, which is a defect. */
export const lifeAfter = (life: Life, event: LifeEvent): Life => {
  if (life.state === "closed") return life
  return isStep(event) ? step(life, event) : change(life, event)
}
