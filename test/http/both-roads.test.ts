/**
 * Every command by a socket and by HTTP requests to one server, against the hand-written table of permissions: the same sender gets the
 * same code on both roads.
 */
import { describe, expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { COMMANDS as SERVED } from "../../src/protocol/contract.ts"
import { Client } from "../gateway/client.ts"
import { type Probe, probeOf } from "../gateway/command-probes.ts"
import { COMMANDS, FEATURES, type Role, type Setting, type Situation, verdict } from "../gateway/permission-reader.ts"
import { type CallOptions, call, createEvent, createPerson, gatewayToken } from "../support/api.ts"
import { startTestServer } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const free = { perSecond: 1e6, burst: 1e6 }
const budgets = { commands: free, chat: free, questions: free, votes: free, reactions: free, roster: free }

const server = sharedServer(() => startTestServer({}, { gateway: { budgets, commandsInFlight: 1e6 } }))
const acme = sharedWorkspace(server)

/** Written by hand: commands that are about the socket which sends them. */
const OF_SOCKETS = ["leave", "sync", "rtc.join", "rtc.leave", "rtc.mute", "rtc.signal"]
/** Written by hand: commands about a person, which an API key is not. */
const OF_PEOPLE = [
  "question.vote",
  "poll.vote",
  "hand.raise",
  "hand.lower",
  "stage.accept",
  "stage.leave",
  "room.choose",
  "room.return",
  "room.help",
  "rotation.opt",
]
/** A permitted sender ends the event, or its own connection, with these. */
const FINAL = ["event.end", "leave"]

/** Written by hand: a body that each command refuses, whoever sends it. */
const BAD: { readonly [T in keyof typeof SERVED]: unknown } = {
  "phase.next": { phaseId: 5 },
  "phase.update": {},
  "event.end": 5,
  "timer.extend": { timerId: newId(), seconds: "60" },
  announce: { text: "" },
  "announcement.prepare": { text: "x", targets: [] },
  "announcement.discard": {},
  "announcement.send": { id: 7 },
  "participant.remove": { id: null },
  "participant.mute": { id: "somebody", until: "tomorrow" },
  "participant.toLobby": {},
  "participant.unblock": {},
  "role.set": { id: "somebody", role: "king" },
  "broadcast.start": { playbackUrl: 1 },
  "broadcast.pause": { phaseId: "x" },
  "broadcast.resume": { phaseId: "x" },
  "broadcast.stop": { phaseId: "x" },
  "lobby.admit": { all: false },
  "lobby.deny": { ids: "all" },
  "lobby.policy": { mode: "ajar" },
  "question.ask": { text: "   " },
  "question.withdraw": { id: "x" },
  "question.vote": { id: newId() },
  "question.approve": { id: "x" },
  "question.hide": {},
  "question.restore": {},
  "question.pin": { id: newId(), on: "yes" },
  "question.answer": { id: newId(), mode: "song" },
  "qa.settings": { open: 1 },
  "chat.send": { to: "everybody", text: "x" },
  "chat.delete": {},
  "chat.slow": { perMs: -1 },
  "poll.create": { question: "Which?", kind: "single", options: ["a"] },
  "poll.open": { id: newId(), durationMs: 1 },
  "poll.close": {},
  "poll.publish": { id: newId(), on: 1 },
  "poll.hide": { id: newId() },
  "poll.delete": {},
  "poll.vote": { id: newId() },
  "reaction.send": { kind: "sneeze" },
  "hand.raise": { note: 5 },
  "hand.lower": [],
  "hand.lowerFor": {},
  "stage.invite": {},
  "stage.accept": 5,
  "stage.leave": "x",
  "breakout.plan": { strategy: "random" },
  "breakout.open": {},
  "breakout.move": { id: "somebody" },
  "breakout.close": { graceMs: -1 },
  "room.choose": {},
  "room.return": 5,
  "room.help": { text: 5 },
  "rotation.start": { roundSeconds: 1, rounds: 1 },
  "rotation.skip": 5,
  "rotation.pause": 5,
  "rotation.resume": 5,
  "rotation.stop": 5,
  "rotation.opt": {},
  "broadcast.ingest": 5,
  "rtc.join": {},
  "rtc.leave": 5,
  "rtc.mute": { source: "trumpet" },
  "rtc.signal": {},
  "capture.start": { kinds: ["smell"] },
  "capture.stop": 5,
  "transcript.push": { segments: [] },
  "roster.list": { limit: 0 },
  leave: 5,
  sync: {},
}

const ROLES = ["workspace_admin", "host", "speaker", "participant", "viewer"] as const satisfies ReadonlyArray<Role>

interface Sender {
  readonly client: Client
  readonly options: CallOptions
}

/** The tested phase comes first; the two after it have no features, and let the event take every role. */
const openEvent = async ({ setting, featureSet }: Pick<Situation, "setting" | "featureSet">): Promise<string> => {
  const tested = { modality: setting === "none" ? "meeting" : setting, featureSet }
  const phases = [tested, { modality: "broadcast" }, { modality: "meeting" }]
  const { id } = await createEvent(server.url, acme.key, { phases })
  await call(server.url, "POST", `/v1/events/${id}/publish`, { key: acme.key })
  if (setting !== "none") await call(server.url, "POST", `/v1/events/${id}/start`, { key: acme.key })
  return id
}

const enter = async (eventId: string, role: Role): Promise<Sender> => {
  const { session } = await createPerson(server.url, acme.key, eventId, role)
  const { token, url } = await gatewayToken(server.url, eventId, session)
  const client = new Client(url)
  await client.identify(token)
  return { client, options: { bearer: session } }
}

const given = (code: string | undefined, [, ...answers]: Probe): string => {
  const one = code ?? "ok"
  return answers.includes(one as "ok") ? "allowed" : one
}

const bySocket = async ({ client }: Sender, command: string, d: unknown): Promise<string | undefined> => {
  const { ok, e } = await client.command(command, d as object)
  return ok ? undefined : e.code
}

const byRequest = async (eventId: string, options: CallOptions, command: string, d: unknown) => {
  const { status, body } = await call(server.url, "POST", `/v1/events/${eventId}/commands`, {
    ...options,
    body: { t: command, d },
  })
  return status === 200 ? undefined : (body.code as string)
}

/** The codes of all commands, sent in as few batches as possible. */
const byBatches = async (eventId: string, options: CallOptions, commands: ReadonlyArray<{ t: string; d: unknown }>) => {
  const codes: Array<string | undefined> = []
  for (let from = 0; from < commands.length; from += 50) {
    const body = { commands: commands.slice(from, from + 50) }
    const answer = await call(server.url, "POST", `/v1/events/${eventId}/commands/batch`, { ...options, body })
    codes.push(
      ...answer.body.outcomes.map(({ ok, e }: { ok: boolean; e?: { code: string } }) => (ok ? undefined : e?.code)),
    )
  }
  return codes
}

/** What the hand-written tables say of a request: a socket's verdict, but for what is about a socket, or about a person. */
const expectedOf = (role: Role | "key", situation: Situation, command: string): string => {
  if (role === "key" && OF_PEOPLE.includes(command)) return "forbidden"
  if (OF_SOCKETS.includes(command)) return "bad_request"
  return verdict(role === "key" ? "workspace_admin" : role, situation, command)
}

/** Unlike in the probes' own test, a broadcast has begun when the second road starts a recording of it. */
const OWN: { readonly [command: string]: Probe } = {
  "chat.send": [{ to: "event", text: "x" }, "ok"],
  "capture.start": [{ kinds: ["recording"] }, "ok", "conflict"],
}
const probe = (command: string): Probe => OWN[command] ?? probeOf(command)

const repeatable = COMMANDS.filter((command) => !FINAL.includes(command))

test("the tables of this file name every command", () => {
  expect(Object.keys(BAD).toSorted()).toEqual(Object.keys(SERVED).toSorted())
})

test("bad input of every command has the same code on both roads", async () => {
  const eventId = await openEvent({ setting: "meeting", featureSet: FEATURES })
  const host = await enter(eventId, "host")
  for (const [command, d] of Object.entries(BAD)) {
    const codes = [await bySocket(host, command, d), await byRequest(eventId, host.options, command, d)]
    expect([command, ...codes]).toEqual([command, "bad_request", "bad_request"])
  }
  const sent = async (t: string, more: object) => [
    (await host.client.command(t, {}, more)).e.code,
    (await call(server.url, "POST", `/v1/events/${eventId}/commands`, { ...host.options, body: { t, ...more } })).body
      .code,
  ]
  expect(await sent("phase.back", {})).toEqual(["unknown_command", "unknown_command"])
  expect(await sent("hand.lower", { rev: 3 })).toEqual(["bad_request", "bad_request"])
  await host.client.cut()
})

const SITUATIONS: ReadonlyArray<readonly [Setting, Situation["featureSet"]]> = [
  ["broadcast", FEATURES],
  ["meeting", FEATURES],
  ["breakout", FEATURES],
  ["rotation", FEATURES],
  ["none", FEATURES],
  ["meeting", []],
  ["broadcast", []],
]

describe.each(SITUATIONS)("in a phase %s with %s", (setting, featureSet) => {
  const situation: Situation = { setting, featureSet, anonymous: { questions: true, voting: true } }

  test.each(ROLES)("a %s may do by requests what the table gives to sockets", async (role) => {
    const eventId = await openEvent(situation)
    const sender = await enter(eventId, role)
    const codes = await byBatches(
      eventId,
      sender.options,
      repeatable.map((t) => ({ t, d: probe(t)[0] })),
    )
    // Nobody has a room here, so that the chat of a breakout and a rotation is for staff alone.
    const isInRooms = setting === "breakout" || setting === "rotation"
    const isBarred = (t: string): boolean =>
      t === "chat.send" && isInRooms && (role === "speaker" || role === "participant")
    const found = repeatable.map((t, index) => [t, given(codes[index], probe(t))])
    const wanted = repeatable.map((t) => [t, expectedOf(role, situation, t)])
    expect(found.filter(([t = ""]) => !isBarred(t))).toEqual(wanted.filter(([t = ""]) => !isBarred(t)))
    const ended = given(await byRequest(eventId, sender.options, "event.end", {}), probe("event.end"))
    expect(ended).toBe(verdict(role, situation, "event.end"))
    await sender.client.cut()
  })

  test("an API key may do what an administrator may, and nothing that is about a person", async () => {
    const eventId = await openEvent(situation)
    const commands = [...repeatable, "leave"]
    const sent = commands.map((t) => ({ t, d: probe(t)[0] }))
    const codes = await byBatches(eventId, { key: acme.key }, sent)
    expect(commands.map((t, n) => [t, given(codes[n], probe(t))])).toEqual(
      commands.map((t) => [t, expectedOf("key", situation, t)]),
    )
    const ended = given(await byRequest(eventId, { key: acme.key }, "event.end", {}), probe("event.end"))
    expect(ended).toBe(expectedOf("key", situation, "event.end"))
  })
})
