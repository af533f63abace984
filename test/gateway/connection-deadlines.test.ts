/** The deadlines of a connection: what a sweep does with it, and when. */
import { expect, test } from "vitest"
import { dueEvent } from "../../src/gateway/connection/deadlines.ts"
import { beginLife, type Life } from "../../src/gateway/connection/lifecycle.ts"
import { CLOSE } from "../../src/protocol/wire/close-codes.ts"

const LIMITS = { heartbeatMs: 20_000, identifyTimeoutMs: 10_000, tokenNoticeMs: 60_000 }
const dueAt = (now: number, life: Partial<Life>, lastSeenAt = now): ReturnType<typeof dueEvent> =>
  dueEvent({ life: { ...beginLife(0), ...life }, openedAt: 0, lastSeenAt }, now, LIMITS)

const closed = (why: (typeof CLOSE)[keyof typeof CLOSE]) => ({ type: "closed", why })
const warned = { type: "warned" }
const IN_AN_HOUR = { sessionExpiresAt: 3_600_000 }

test("a sweep closes, warns or leaves a connection by its state and its times", () => {
  for (const [name, now, life, lastSeenAt, due] of [
    ["a new connection may identify", 10_000, { state: "new" }, undefined, undefined],
    ["a new connection did not identify", 10_001, { state: "new" }, undefined, closed(CLOSE.identifyTimeout)],
    ["its event may be read", 40_000, { state: "waiting" }, undefined, undefined],
    ["its event could not be read", 40_001, { state: "waiting" }, undefined, closed(CLOSE.overloaded)],
    ["its token could not be read", 40_001, { state: "identifying" }, undefined, closed(CLOSE.overloaded)],
    [
      "admitted later, it has the same time again",
      50_000,
      { state: "waiting", waitingSince: 10_000 },
      undefined,
      undefined,
    ],
    ["the lobby has no deadline", 3_000_000, { state: "lobby", ...IN_AN_HOUR }, undefined, undefined],
    ["two heartbeats may be missed", 100_000, { state: "open" }, 55_000, undefined],
    ["more heartbeats were missed", 100_000, { state: "open" }, 54_999, closed(CLOSE.heartbeatTimeout)],
    ["the session ends in more than a minute", 3_539_999, { state: "open", ...IN_AN_HOUR }, undefined, undefined],
    ["the session ends in a minute", 3_540_000, { state: "open", ...IN_AN_HOUR }, undefined, warned],
    ["the session of one in the lobby, too", 3_540_000, { state: "lobby", ...IN_AN_HOUR }, undefined, warned],
    ["it was warned", 3_599_999, { state: "open", isWarned: true, ...IN_AN_HOUR }, undefined, undefined],
    [
      "one on its way in is not warned",
      3_540_000,
      { state: "waiting", waitingSince: 3_540_000, ...IN_AN_HOUR },
      undefined,
      undefined,
    ],
    ["the session has ended", 3_600_000, { state: "open", ...IN_AN_HOUR }, undefined, closed(CLOSE.tokenExpired)],
  ] as const) {
    expect(dueAt(now, life, lastSeenAt), name).toEqual(due)
  }
})
