/**
 * The statechart of a connection as a pure function: the current life and an event give the next life. `step.ts` adds the effects of each
 * event, and nothing else changes a connection (`Connection.apply`). The table of steps is small and complete, and costs a join almost
 * nothing; an XState chart would cost each join a tenth of a millisecond.
 */
import type { Basis } from "../../model/grants.ts"
import type { ParticipantKind } from "../../model/participants.ts"
import type { EventRole } from "../../model/roles.ts"
import type { OptOut } from "../../protocol/dispatch.ts"
import type { CloseCode } from "../../protocol/wire/close-codes.ts"
import type { Resume } from "../../protocol/wire/frames.ts"
import { streamsOf } from "../streams/stream-names.ts"

/** The participant identified by a token. */
export interface Identity {
  readonly participantId: string
  readonly name: string
  readonly kind: ParticipantKind
  readonly userId: string | null
  /** The role stored by the workspace. */
  readonly role: EventRole
  /** The participant is neither a member of the workspace nor in the event's list, and may have to wait in the waiting room. */
  readonly walkIn: boolean
  /** The participant is an owner or admin of the workspace, whatever their role at the event. */
  readonly manages: boolean
}

/**
 * `new`: not identified. `identifying`: the token is being checked. `waiting`: the event is being read. `lobby`: the connection is in the
 * waiting room and receives only the status of its admission. `open`: the connection got `ready` and is subscribed to its streams.
 * `closed`: never used again.
 */
export type ConnectionState = "new" | "identifying" | "waiting" | "lobby" | "open" | "closed"

export interface Life {
  readonly state: ConnectionState
  readonly eventId: string
  readonly identity: Identity
  /** End of the session; Unix milliseconds, as all times here. */
  readonly sessionExpiresAt: number
  /** Basis of the user's grant; `undefined` for participants who are not users of the workspace. */
  readonly basis: Basis | undefined
  /** Dispatches that the client opted out of. */
  readonly mutes: ReadonlySet<OptOut>
  /** Start of the connection's admission: when it opened, or when it was admitted from the waiting room. */
  readonly waitingSince: number
  /** `tokenExpiring` has been sent for this session. */
  readonly isWarned: boolean
  /** The room whose stream is subscribed. */
  readonly roomId: string | null
  /** Polls whose tally is sent because the participant voted. */
  readonly polls: ReadonlySet<string>
  /** The connection is open, and needs a `ready` before it receives anything more of its streams. */
  readonly isPaused: boolean
  /** The socket has too much buffered for ephemeral dispatches. */
  readonly isSlow: boolean
  /** The connection replays an ended event, and receives nothing else. */
  readonly isReplay: boolean
}

export type LifeEvent =
  | { readonly type: "identified"; readonly mutes: ReadonlySet<OptOut> }
  /** The token was accepted. */
  | ({ readonly type: "granted" } & Pick<Life, "eventId" | "identity" | "basis" | "sessionExpiresAt">)
  /** The event is known. All connections of an event share one string for the id. */
  | {
      readonly type: "entered"
      readonly eventId: string
      readonly resume: Resume | undefined
      readonly isReplay?: true
    }
  /** The connection has to wait in the waiting room. */
  | { readonly type: "heldBack" }
  | { readonly type: "admitted"; readonly at: number }
  /** The connection gets `ready` now; `resumed` follows. */
  | { readonly type: "opened" }
  /** The connection got `ready`. `polls`: further polls whose tally it receives. */
  | { readonly type: "resumed"; readonly polls: ReadonlyArray<string> }
  /** The positions in the connection's streams are no longer valid. */
  | { readonly type: "restarted"; readonly reason: "epoch" | "gap" }
  | ({ readonly type: "became" } & Pick<Life, "identity">)
  | ({ readonly type: "moved" } & Pick<Life, "roomId">)
  | { readonly type: "pollSubscribed"; readonly pollId: string; readonly on: boolean }
  /** The socket has too much buffered for ephemeral dispatches. */
  | { readonly type: "slowed" }
  | { readonly type: "drained" }
  | ({ readonly type: "renewed" } & Pick<Life, "basis" | "sessionExpiresAt">)
  /** The session ends soon. */
  | { readonly type: "warned" }
  /** The admission was denied. */
  | { readonly type: "denied" }
  /** The connection is closed from this side. */
  | { readonly type: "closed"; readonly why: CloseCode }
  /** The connection is closed from this side; its socket accepts no more bytes, not even a close frame. */
  | { readonly type: "cut"; readonly why: CloseCode }
  /** The socket was closed by the peer or by a network failure. */
  | { readonly type: "lost" }

/** Identity before a token is accepted. */
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
/** Shared instance, because most participants vote in no poll. */
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
  isReplay: false,
})

const NOT_CLOSED: ReadonlyArray<ConnectionState> = ["new", "identifying", "waiting", "lobby", "open"]

/** The states in which each event may happen, and the state that it leads to. Without `to` the state does not change. */
const CHART: {
  readonly [type in LifeEvent["type"]]: {
    readonly from: ReadonlyArray<ConnectionState>
    readonly to?: ConnectionState
  }
} = {
  identified: { from: ["new"], to: "identifying" },
  granted: { from: ["identifying"] },
  entered: { from: ["identifying"], to: "waiting" },
  // A host may send an open connection back to the waiting room.
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

/** Whether the connection is open or in the waiting room: both last without a time limit, with heartbeats and token renewals. */
export const isSettled = (state: ConnectionState): boolean => state === "open" || state === "lobby"

/** Whether an open connection would receive other streams with the next identity. Their dispatches would follow a gap. */
export const changesStreams = ({ state, identity, roomId }: Life, next: Identity): boolean =>
  state === "open" && streamsOf(identity, roomId).join() !== streamsOf(next, roomId).join()

const withPoll = (polls: ReadonlySet<string>, pollId: string, on: boolean): ReadonlySet<string> => {
  const others = [...polls].filter((id) => id !== pollId)
  return new Set(on ? [...others, pollId] : others)
}

const withPolls = (polls: ReadonlySet<string>, more: ReadonlyArray<string>): ReadonlySet<string> =>
  more.length === 0 ? polls : new Set([...polls, ...more])

/** Throws for an event that the state does not allow, which is a defect. `step.ts` passes no events for a closed connection. */
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
      return { ...life, state, eventId: event.eventId, isReplay: event.isReplay === true }
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
