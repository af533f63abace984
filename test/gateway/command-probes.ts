/** A body for each command, for tests that send all of them. */
import { expect } from "vitest"
import { newId } from "../../src/model/ids.ts"
import type { COMMANDS as SERVED } from "../../src/protocol/contract.ts"

const NOWHERE = newId()
const SEGMENT = { segment: "s", final: true, speaker: "A", lang: "en", t0: 0, t1: 1, text: "x" }

type Answer = "ok" | "not_found" | "conflict"
export type Probe = readonly [d: object, ...answers: ReadonlyArray<Answer>]

/**
 * A valid body of each command, and the answers that a permitted sender may get. Most bodies name things that do not exist,
 * so that one event takes a great many commands. Any answer that is not listed fails the test. Three steering commands get
 * a `conflict` where no phase is active, and a reaction gets one from people without a room in a breakout or rotation.
 */
const PROBES: { readonly [T in Exclude<keyof typeof SERVED, "chat.send">]: Probe } = {
  "phase.next": [{ phaseId: NOWHERE }, "ok", "conflict"],
  "phase.update": [{ phaseId: NOWHERE }, "not_found"],
  "event.end": [{}, "ok", "conflict"],
  "timer.extend": [{ timerId: NOWHERE, seconds: 60 }, "not_found", "conflict"],
  announce: [{ text: "x" }, "ok"],
  "announcement.prepare": [{ text: "x" }, "ok"],
  "announcement.discard": [{ id: NOWHERE }, "not_found"],
  "announcement.send": [{ id: NOWHERE }, "not_found"],
  "participant.remove": [{ id: "nobody" }, "not_found"],
  "participant.mute": [{ id: "nobody" }, "not_found"],
  "participant.toLobby": [{ id: "nobody" }, "not_found"],
  "participant.unblock": [{ id: "nobody" }, "not_found"],
  "role.set": [{ id: "nobody", role: "host" }, "not_found"],
  "broadcast.start": [{}, "ok"],
  "broadcast.pause": [{}, "ok"],
  "broadcast.resume": [{}, "ok"],
  "broadcast.stop": [{ phaseId: NOWHERE }, "not_found"],
  "lobby.admit": [{ all: true }, "ok"],
  "lobby.deny": [{ ids: ["nobody"] }, "not_found"],
  "lobby.policy": [{ mode: "open" }, "ok"],
  "question.ask": [{ text: "Why?" }, "ok"],
  "question.withdraw": [{ id: NOWHERE }, "not_found"],
  "question.vote": [{ id: NOWHERE, on: true }, "not_found"],
  "question.approve": [{ id: NOWHERE }, "not_found"],
  "question.hide": [{ id: NOWHERE }, "not_found"],
  "question.restore": [{ id: NOWHERE }, "not_found"],
  "question.pin": [{ id: NOWHERE }, "not_found"],
  "question.answer": [{ id: NOWHERE, mode: "live" }, "not_found"],
  "qa.settings": [{ open: true }, "ok"],
  "chat.delete": [{ id: NOWHERE }, "not_found"],
  "chat.slow": [{ perMs: 0 }, "ok"],
  "poll.create": [{ question: "Which?", kind: "single", options: ["a", "b"] }, "ok"],
  "poll.open": [{ id: NOWHERE }, "not_found"],
  "poll.close": [{ id: NOWHERE }, "not_found"],
  "poll.publish": [{ id: NOWHERE }, "not_found"],
  "poll.hide": [{ id: NOWHERE, optionId: "1" }, "not_found"],
  "poll.delete": [{ id: NOWHERE }, "not_found"],
  "poll.vote": [{ id: NOWHERE, optionIds: [] }, "not_found"],
  "reaction.send": [{ kind: "clap" }, "ok", "conflict"],
  "hand.raise": [{}, "ok"],
  "hand.lower": [{}, "ok"],
  "hand.lowerFor": [{ all: true }, "ok"],
  "stage.invite": [{ id: "nobody" }, "not_found"],
  "stage.accept": [{}, "conflict"],
  "stage.leave": [{}, "ok"],
  "breakout.plan": [{ size: 2, strategy: "balanced" }, "ok"],
  "breakout.open": [{ planId: NOWHERE }, "not_found"],
  "breakout.move": [{ id: "nobody", roomId: null }, "conflict"],
  "breakout.close": [{}, "conflict"],
  "room.choose": [{ roomId: NOWHERE }, "conflict"],
  "room.return": [{}, "conflict"],
  "room.help": [{}, "conflict"],
  "rotation.start": [{ roundSeconds: 600, rounds: 1 }, "ok"],
  "rotation.skip": [{}, "ok"],
  "rotation.pause": [{}, "ok"],
  "rotation.resume": [{}, "ok"],
  "rotation.stop": [{}, "ok"],
  "rotation.opt": [{ in: true }, "ok"],
  "broadcast.ingest": [{}, "ok", "conflict"],
  "rtc.join": [{ roomId: NOWHERE, have: { audio: true, video: false } }, "not_found"],
  "rtc.leave": [{}, "ok"],
  "rtc.mute": [{ participantId: "nobody", source: "microphone" }, "not_found"],
  "rtc.signal": [{ to: NOWHERE, kind: "offer", data: "v=0", gen: 0 }, "not_found"],
  "capture.start": [{ kinds: ["recording"] }, "conflict"],
  "capture.stop": [{}, "ok"],
  "transcript.push": [{ segments: [SEGMENT] }, "ok"],
  "roster.list": [{}, "ok"],
  leave: [{}, "ok"],
  sync: [{ cursors: {} }, "ok"],
}

/** A sender writes to its room with `chat.send`, and here nobody is in one. */
export const chatProbe = (to: string): Probe => [{ to, text: "x" }, to === "room" ? "conflict" : "ok"]

export const probeOf = (command: string): Probe =>
  new Map<string, Probe>(Object.entries(PROBES)).get(command) ?? expect.fail(`no probe for ${command}`)
