/** Deadlines of a connection. One sweep over all connections checks them, so that a connection owns no timer. */
import { CLOSE, type CloseCode } from "../../protocol/wire/close-codes.ts"
import type { GatewaySettings } from "../options.ts"
import { isSettled, type Life, type LifeEvent } from "./lifecycle.ts"

/** A connection is closed after this many heartbeat intervals without any input. */
const MISSED_HEARTBEATS = 2.25
/** Time after the identify deadline within which an event must become readable. */
const ADMISSION_MS = 30_000

interface Times {
  readonly life: Life
  /** Unix milliseconds, as all times here. */
  readonly openedAt: number
  readonly lastSeenAt: number
}

type Limits = Pick<GatewaySettings, "heartbeatMs" | "identifyTimeoutMs" | "tokenNoticeMs">

const overdue = (
  { life, openedAt, lastSeenAt }: Times,
  now: number,
  { heartbeatMs, identifyTimeoutMs }: Limits,
): CloseCode | undefined => {
  if (life.state === "new" && now - openedAt > identifyTimeoutMs) return CLOSE.identifyTimeout
  if (now >= life.sessionExpiresAt) return CLOSE.tokenExpired
  if (now - lastSeenAt > heartbeatMs * MISSED_HEARTBEATS) return CLOSE.heartbeatTimeout
  const isStuck = !isSettled(life.state) && now - life.waitingSince > identifyTimeoutMs + ADMISSION_MS
  return isStuck ? CLOSE.overloaded : undefined
}

/** The lifecycle event that is due for the connection now. */
export const dueEvent = (connection: Times, now: number, limits: Limits): LifeEvent | undefined => {
  const why = overdue(connection, now, limits)
  if (why !== undefined) return { type: "closed", why }
  const { state, isWarned, sessionExpiresAt } = connection.life
  const isNoticeDue = isSettled(state) && !isWarned && now >= sessionExpiresAt - limits.tokenNoticeMs
  return isNoticeDue ? { type: "warned" } : undefined
}
