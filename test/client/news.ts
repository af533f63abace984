/** An event as a client has received it, and later messages: dispatches, and replies to the client's own commands. */

import { applyDispatch, applyReply, type EventState, stateOf } from "../../packages/client/src/state/event-state.ts"
import type { AnsweredCommand, Dispatch, Snapshot } from "../../packages/client/src/wire.ts"
import { QUIET } from "../../packages/conformance/src/scripted-server.ts"

export const AT = "2027-01-01T00:00:00.000Z"

export const phase = (
  id: string,
  modality: "broadcast" | "meeting",
  status: "pending" | "active" | "ended",
  config = {},
) =>
  ({
    id,
    eventId: "e",
    position: 0,
    modality,
    config,
    featureSet: [],
    status,
    startedAt: null,
    endedAt: null,
    timerEndsAt: null,
    extendedSeconds: 0,
    rev: 1,
  }) as const

export const ready = (role: "host" | "participant", parts: Partial<Snapshot> = {}): EventState =>
  stateOf({
    ...QUIET,
    resumed: false,
    reason: "new",
    epoch: "epoch",
    v: 10,
    cursors: {},
    serverTime: 0,
    tokenExpiresAt: AT,
    me: { participantId: "p", name: "P", role, can: [], chatTo: [], roomId: null },
    event: { id: "e", title: "E", status: "live", visibility: "public", startedAt: null, endedAt: null },
    phase: phase("a", "meeting", "active"),
    phases: [phase("a", "meeting", "active")],
    timers: [],
    presence: { mode: "list", total: 0, list: [] },
    ...parts,
  })

export const told = (t: string, d: unknown, more: { readonly v?: number; readonly st?: string } = {}): Dispatch =>
  ({ t, d, v: 20, ts: 0, ...more }) as Dispatch

export const answered = (t: string, d: unknown, v = 20): AnsweredCommand => ({ t, v, d }) as AnsweredCommand

export const given = (state: EventState, ...news: ReadonlyArray<Dispatch | AnsweredCommand>): EventState =>
  news.reduce((now, one) => ("ts" in one ? applyDispatch(now, one) : applyReply(now, one)), state)

export const question = (id: string, rev: number, more: object = {}) => ({
  id,
  rev,
  phaseId: null,
  roomId: null,
  text: "Why?",
  status: "approved" as const,
  authorId: null,
  authorName: null,
  anonymous: true,
  pinned: false,
  votes: 0,
  createdAt: AT,
  answer: null,
  answerMode: null,
  answeredAt: null,
  ...more,
})
