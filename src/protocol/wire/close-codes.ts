/**
 * Close codes of the gateway. The range is the instruction: 40xx resume now with jitter, 41xx back off, 42xx get a new token first, 43xx
 * stop. Two codes of RFC 6455 have their usual meaning: 1000 (the client requested it) and 1012 (restart).
 */

type CloseAdvice = "resume" | "backOff" | "newToken" | "stop"

/** The client's reaction to a close, in words. */
export const ADVICE: Readonly<Record<CloseAdvice, string>> = {
  resume: "resume now, after a short random wait",
  backOff: "wait longer, then resume",
  newToken: "get a new token first",
  stop: "stop",
}

export interface CloseCode {
  readonly code: number
  readonly advice: CloseAdvice
  /** The reason text in the close frame. It may be more specific than the one in the table. */
  readonly reason: string
}

export const CLOSE = {
  left: { code: 1000, advice: "stop", reason: "left" },
  drain: { code: 1012, advice: "resume", reason: "drain" },
  internal: { code: 4000, advice: "resume", reason: "internal error" },
  heartbeatTimeout: { code: 4001, advice: "resume", reason: "heartbeat timeout" },
  slowConsumer: { code: 4002, advice: "resume", reason: "slow consumer" },
  moved: { code: 4003, advice: "resume", reason: "moved" },
  overloaded: { code: 4100, advice: "backOff", reason: "overloaded" },
  abuse: { code: 4101, advice: "backOff", reason: "too many frames" },
  eventNotOpen: { code: 4102, advice: "backOff", reason: "event not open" },
  invalidToken: { code: 4200, advice: "newToken", reason: "invalid token" },
  tokenExpired: { code: 4201, advice: "newToken", reason: "token expired" },
  identifyTimeout: { code: 4202, advice: "newToken", reason: "identify timeout" },
  revoked: { code: 4203, advice: "newToken", reason: "revoked" },
  protocolError: { code: 4300, advice: "stop", reason: "protocol error" },
  frameTooLarge: { code: 4301, advice: "stop", reason: "frame too large" },
  forbidden: { code: 4303, advice: "stop", reason: "forbidden" },
  removed: { code: 4304, advice: "stop", reason: "removed" },
  replaced: { code: 4305, advice: "stop", reason: "replaced by a newer connection" },
  lobbyDenied: { code: 4306, advice: "stop", reason: "lobby denied" },
  eventEnded: { code: 4307, advice: "stop", reason: "event ended" },
  notFound: { code: 4308, advice: "stop", reason: "no such event" },
  otherContract: { code: 4309, advice: "stop", reason: "client of another contract" },
} as const satisfies Record<string, CloseCode>

/** Close codes after which the participant is not awaited: they announced that they leave, or may no longer be there. */
const FOR_GOOD: ReadonlySet<number> = new Set([CLOSE.left.code, CLOSE.revoked.code, CLOSE.removed.code])
export const isForGood = (why: CloseCode | undefined): boolean => why !== undefined && FOR_GOOD.has(why.code)

/** Bytes available for the reason in a close frame (RFC 6455, section 5.5). */
const REASON_BYTES = 123

/** The code with a sentence for the client's developer; the client's reaction stays the same. */
export const because = (code: CloseCode, reason: string): CloseCode => ({
  ...code,
  reason: Buffer.byteLength(reason) <= REASON_BYTES ? reason : code.reason,
})
