/**
 * The statechart of a connection as a pure function: the life so far and an event give the next life. `step.ts` adds the effects
 * of each event, and nothing else changes a connection (`Connection.apply`). The table of steps is small and complete, and costs a
 * join next to nothing; a chart of XState would cost each join a tenth of a millisecond.
 */
import type { Basis } from "../../model/grants.ts"
import type { ParticipantKind } from "../../model/participants.ts"
import type { EventRole } from "../../model/roles.ts"
import type { OptOut } from "../../protocol/dispatch.ts"
import type { CloseCode } from "../../protocol/wire/close-codes.ts"
import type { Resume } from "../../protocol/wire/frames.ts"
import { streamsOf } from "../streams/stream-names.ts"

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
  /** Open, and it needs a `ready` before it receives anything more of its streams. */
  readonly isPaused: boolean
  /** Its socket has too much buffered for ephemeral dispatches. */
  readonly isSlow: boolean
}

export type LifeEvent =
  | { readonly type: "identified"; readonly mutes: ReadonlySet<OptOut> }
  /** Its token was accepted. */
  | ({ readonly type: "granted" } & Pick<Life, "eventId" | "identity" | "basis" | "sessionExpiresAt">)
  /** Its event is known. All connections of an event share one string for the id. */
  | { readonly type: "entered"; readonly eventId: string; readonly resume: Resume | undefined }
  /** It has to wait in the waiting room. */
  | { readonly type: "heldBack" }
  | { readonly type: "admitted"; readonly at: number }
  /** It gets `ready` now, and `resumed` follows. */
  | { readonly type: "opened" }
  /** It got `ready`. `polls`: more polls whose tally it receives. */
  | { readonly type: "resumed"; readonly polls: ReadonlyArray<string> }
  /** Positions in its streams are not valid any more. */
  | { readonly type: "restarted"; readonly reason: "epoch" | "gap" }
  | ({ readonly type: "became" } & Pick<Life, "identity">)
  | ({ readonly type: "moved" } & Pick<Life, "roomId">)
  | { readonly type: "pollSubscribed"; readonly pollId: string; readonly on: boolean }
  /** Its socket has too much buffered for ephemeral dispatches. */
  | { readonly type: "slowed" }
  | { readonly type: "drained" }
  | ({ readonly type: "renewed" } & Pick<Life, "basis" | "sessionExpiresAt">)
  /** Its session ends soon. */
  | { readonly type: "warned" }
  /** Its admission is denied. */
  | { readonly type: "denied" }
  /** Closed from this side. */
  | { readonly type: "closed"; readonly why: CloseCode }
  /** Closed from this side; its socket accepts no more bytes, not even a close frame. */
  | { readonly type: "cut"; readonly why: CloseCode }
  /** The socket closed by itself, or because the peer closed it. */
  | { readonly type: "lost" }

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
  isSlow: false,
})

const NOT_CLOSED: ReadonlyArray<ConnectionState> = ["new", "identifying", "waiting", "lobby", "open"]

/** The states in which each event may happen, and the state that it leads to. Without `to` the state stays. */
const CHART: {
  readonly [type in LifeEvent["type"]]: {
    readonly from: ReadonlyArray<ConnectionState>
    readonly to?: ConnectionState
  }
} = {
  identified: { from: ["new"], to: "identifying" },
  granted: { from: ["identifying"] },
  entered: { from: ["identifying"], to: "waiting" },
  // A host may send an open connection back.
  heldBack: { from: ["waiting", "open"], to: "lobby" },
  admitted: { from: ["lobby"], to: "waiting" },
  opened: { from: ["waiting"], to: "open" },
  resumed: { from: ["open"] },
  restarted: { from: ["open"] },
  became: { from: ["waiting", "lobby", "open"] },
  moved: { from: ["waiting", "open"] },
  pollSubscribed: { from: ["open"] },
  slowed: { from: ["open"] },
  drained: { from: ["open"] },
  renewed: { from: ["waiting", "lobby", "open"] },
  warned: { from: ["lobby", "open"] },
  denied: { from: ["waiting", "lobby", "open"], to: "closed" },
  closed: { from: NOT_CLOSED, to: "closed" },
  cut: { from: NOT_CLOSED, to: "closed" },
  lost: { from: NOT_CLOSED, to: "closed" },
}

/** Open, or in the waiting room: both last without a time limit, with heartbeats and new tokens. */
export const isSettled = (state: ConnectionState): boolean => state === "open" || state === "lobby"

/** Would an open connection receive other streams as this participant? Dispatches of these would follow a gap. */
export const changesStreams = ({ state, identity, roomId }: Life, next: Identity): boolean =>
  state === "open" && streamsOf(identity, roomId).join() !== streamsOf(next, roomId).join()

const withPoll = (polls: ReadonlySet<string>, pollId: string, on: boolean): ReadonlySet<string> => {
  const others = [...polls].filter((id) => id !== pollId)
  return new Set(on ? [...others, pollId] : others)
}

const withPolls = (polls: ReadonlySet<string>, more: ReadonlyArray<string>): ReadonlySet<string> =>
  more.length === 0 ? polls : new Set([...polls, ...more])

/** Throws for an event that the state does not allow, which is a defect. `step.ts` asks nothing of a closed connection. */
export const lifeAfter = (life: Life, event: LifeEvent): Life => {
  const { from, to: state = life.state } = CHART[event.type]
  if (!from.includes(life.state)) throw new Error(`a connection that is ${life.state} was ${event.type}`)
  switch (event.type) {
    case "identified":
      return { ...life, state, mutes: event.mutes }
    case "granted": {
      const { eventId, identity, basis, sessionExpiresAt } = event
      return { ...life, eventId, identity, basis, sessionExpiresAt }
    }
    case "entered":
      return { ...life, state, eventId: event.eventId }
    case "heldBack":
      return { ...life, state, polls: NO_POLLS }
    case "admitted":
      return { ...life, state, waitingSince: event.at }
    case "opened":
    case "restarted":
      return { ...life, state, isPaused: true }
    case "resumed":
      return { ...life, isPaused: false, isSlow: false, polls: withPolls(life.polls, event.polls) }
    case "became": {
      const { identity } = event
      return { ...life, identity, isPaused: life.isPaused || changesStreams(life, identity) }
    }
    case "moved":
      return { ...life, roomId: event.roomId }
    case "pollSubscribed":
      return { ...life, polls: withPoll(life.polls, event.pollId, event.on) }
    case "slowed":
      return { ...life, isSlow: true }
    case "drained":
      return { ...life, isSlow: false }
    case "renewed":
      return { ...life, basis: event.basis, sessionExpiresAt: event.sessionExpiresAt, isWarned: false }
    case "warned":
      return { ...life, isWarned: true }
    case "denied":
    case "closed":
    case "cut":
    case "lost":
      return { ...life, state }
  }
}
