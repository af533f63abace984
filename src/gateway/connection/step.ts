/**
 * One step of a connection: its life and an event give the next life and the effects, all as values. `Connection.apply` performs
 * them in their order. Subscriptions follow from the two lives; the other effects follow from the event.
 */
import { toTimestamp } from "../../model/timestamp.ts"
import type { ReadyReason } from "../../protocol/ready.ts"
import { CLOSE, type CloseCode } from "../../protocol/wire/close-codes.ts"
import type { Resume } from "../../protocol/wire/frames.ts"
import { OP } from "../../protocol/wire/op.ts"
import { type ConnectionState, changesStreams, type Life, type LifeEvent, lifeAfter } from "./lifecycle.ts"
import { subscriptionChange } from "./subscriptions.ts"

/** How a connection left. */
export interface ConnectionLeft {
  /** The state that it left. */
  readonly from: ConnectionState
  /** The close code from this side; `undefined` when the socket closed by itself or by the peer. */
  readonly why: CloseCode | undefined
}

/** The `ready` that a connection needs: a replay from the cursors if that is exact, else a snapshot for the reason. */
export interface ReadyNeed {
  readonly reason: ReadyReason
  readonly resume: Resume | undefined
}

export type ConnectionEffect =
  | { readonly type: "subscribe" | "unsubscribe"; readonly topic: string }
  | { readonly type: "send"; readonly frame: string }
  /** Its event and the process forget it. */
  | ({ readonly type: "leave" } & ConnectionLeft)
  /** A close frame after what is buffered. */
  | { readonly type: "end"; readonly why: CloseCode }
  /** No close frame. */
  | { readonly type: "terminate" }
  /** Always the last effect of a step, because the answer may be further steps at once. */
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
      return [requestReady("new", event.resume)]
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

/** A closed connection has no effects any more. */
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
