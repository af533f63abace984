/**
 * One step of a connection: its life and an event give the next life and the effects, all as values. `Connection.apply` performs the
 * effects in order. Subscriptions follow from the two lives; the other effects follow from the event.
 */
import { toTimestamp } from "../../model/timestamp.ts"
import type { ReadyReason } from "../../protocol/ready.ts"
import { CLOSE, type CloseCode } from "../../protocol/wire/close-codes.ts"
import type { Resume } from "../../protocol/wire/frames.ts"
import { OP } from "../../protocol/wire/op.ts"
import { type ConnectionState, changesStreams, type Life, type LifeEvent, lifeAfter } from "./lifecycle.ts"
import { subscriptionChange } from "./subscriptions.ts"

/** The circumstances in which a connection closed. */
export interface ConnectionLeft {
  /** State before the connection closed. */
  readonly from: ConnectionState
  /** Close code from this side; `undefined` when the peer or a network failure closed the socket. */
  readonly why: CloseCode | undefined
}

/** The `ready` that a connection needs: a replay from the cursors if it is exact, else a snapshot for the given reason. */
export interface ReadyNeed {
  readonly reason: ReadyReason
  readonly resume: Resume | undefined
}

export type ConnectionEffect =
  | { readonly type: "subscribe" | "unsubscribe"; readonly topic: string }
  | { readonly type: "send"; readonly frame: string }
  /** The event and the process forget the connection. */
  | ({ readonly type: "leave" } & ConnectionLeft)
  /** Sends a close frame after the buffered data. */
  | { readonly type: "end"; readonly why: CloseCode }
  /** Closes the socket without a close frame. */
  | { readonly type: "terminate" }
  /** Always the last effect of a step, because its answer may cause further steps synchronously. */
  | ({ readonly type: "requestReady" } & ReadyNeed)

const dispatchOf = (t: string, d: object): ConnectionEffect => ({
  type: "send",
  frame: JSON.stringify({ op: OP.dispatch, t, d }),
})

const requestReady = (reason: ReadyReason, resume?: Resume): ConnectionEffect => ({
  type: "requestReady",
  reason,
  resume,
})

/** The socket is closed before others forget the connection, so that a failure there leaves no socket open. */
const leave = (before: Life, why: CloseCode | undefined): ConnectionEffect => ({
  type: "leave",
  from: before.state,
  why,
})

/** The effects of an event besides subscriptions. */
const effectsOf = (before: Life, event: LifeEvent): ReadonlyArray<ConnectionEffect> => {
  switch (event.type) {
    case "entered":
      return event.isReplay ? [] : [requestReady("new", event.resume)]
    case "heldBack":
      return [dispatchOf("lobby.status", { state: "waiting" })]
    case "admitted":
      return [dispatchOf("lobby.status", { state: "admitted" }), requestReady("new")]
    case "became":
      return changesStreams(before, event.identity) ? [requestReady("roleChanged")] : []
    case "restarted":
      return [requestReady(event.reason)]
    case "warned":
      return [dispatchOf("tokenExpiring", { at: toTimestamp(before.sessionExpiresAt) })]
    case "denied": {
      const why = CLOSE.lobbyDenied
      return [dispatchOf("lobby.status", { state: "denied" }), { type: "end", why }, leave(before, why)]
    }
    case "closed":
      return [{ type: "end", why: event.why }, leave(before, event.why)]
    case "cut":
      return [{ type: "terminate" }, leave(before, event.why)]
    case "lost":
      return [leave(before, undefined)]
    case "identified":
    case "granted":
    case "opened":
    case "resumed":
    case "moved":
    case "pollSubscribed":
    case "slowed":
    case "drained":
    case "renewed":
      return []
  }
}

/** The next life and the effects. A closed connection has no more effects. */
export const step = (
  before: Life,
  event: LifeEvent,
): { readonly life: Life; readonly effects: ReadonlyArray<ConnectionEffect> } => {
  if (before.state === "closed") return { life: before, effects: [] }
  const life = lifeAfter(before, event)
  const { left, entered } = subscriptionChange(before, life)
  const effects = [
    ...left.map((topic) => ({ type: "unsubscribe", topic }) as const),
    ...entered.map((topic) => ({ type: "subscribe", topic }) as const),
    ...effectsOf(before, event),
  ]
  return { life, effects }
}
