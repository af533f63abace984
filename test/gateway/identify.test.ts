import { once } from "node:events"
import { request } from "node:http"
import { Redacted } from "effect"
import { SignJWT } from "jose"
import { expect, test } from "vitest"
import { deriveKey } from "../../src/crypto/secret-key.ts"
import { newId } from "../../src/model/ids.ts"
import { SECRET, sharedHouse } from "./house.ts"

const house = sharedHouse({ heartbeatMs: 20_000 })

const signed = (claims: Record<string, unknown>, purpose: string, expires: number): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256" })
    .setAudience(`gathercue/${purpose}`)
    .setExpirationTime(expires)
    .sign(deriveKey(Redacted.make(SECRET), `token/${purpose}`))

const closeCodeFor = async (token: string): Promise<number> => {
  const client = house.connect()
  await client.hello()
  client.send({ op: 2, d: { token } })
  return client.closeCode()
}

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

test("an upgrade to another version is told the version that is spoken", async () => {
  const upgrade = { connection: "upgrade", upgrade: "websocket", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" }
  for (const version of ["8", "14", "013", "13, 8", "x", undefined]) {
    const headers = { ...upgrade, ...(version === undefined ? {} : { "sec-websocket-version": version }) }
    const asked = request(house.url.replace("ws", "http"), { headers }).end()
    const [answer] = await once(asked, "response")
    answer.resume()
    const told = [answer.statusCode, answer.headers["sec-websocket-version"], answer.headers.upgrade]
    expect([version, ...told]).toEqual([version, 426, "13", "websocket"])
  }
})

test("a socket gets a hello, identifies and receives its whole state", async () => {
  const stage = await house.stage([
    { modality: "meeting", config: { durationSeconds: 600 } },
    { modality: "broadcast" },
  ])
  const client = house.connect({ protocols: ["other", "gc.v1"] })
  const hello = await client.hello()
  expect(hello.d).toMatchObject({ heartbeatMs: 20_000, identifyTimeoutMs: 10_000, maxFrame: 16_384 })
  expect(client.socket.protocol).toBe("gc.v1")
  client.send({ op: 2, d: { token: await house.token(stage, "guest:1", "host") } })
  const { d } = await client.dispatch("ready")
  expect(d).toMatchObject({
    resumed: false,
    reason: "new",
    event: { id: stage.eventId, status: "live" },
    phase: { id: stage.phaseIds[0], status: "active" },
    timers: [{ id: stage.phaseIds[0], state: "running" }],
    presence: { mode: "list" },
    me: { participantId: "guest:1", role: "host" },
  })
  expect(d.phases).toHaveLength(2)
  expect(d.me.can).toContain("phase.next")
  expect(Object.keys(d.cursors).sort()).toEqual(["event", "me", "people", "staff"])
})

test("the audience receives only the event stream, with the role that the phase narrows it to", async () => {
  const stage = await house.stage([{ modality: "broadcast" }])
  const client = house.connect()
  const { d } = await client.identify(await house.token(stage, "guest:1", "participant"))
  expect(client.socket.protocol).toBe("")
  expect(d.me.role).toBe("viewer")
  const mayDo = ["hand.raise", "hand.lower", "stage.accept", "stage.leave", "roster.list", "leave", "sync"]
  expect(d.me.can.toSorted()).toEqual(mayDo.toSorted())
  expect(Object.keys(d.cursors)).toEqual(["event", "people", "me"])
})

test("a token that is no token, was tampered with, or is for another purpose closes 4200", async () => {
  const stage = await house.stage()
  const good = await house.token(stage, "guest:1")
  const session = { userId: newId(), workspaceId: stage.workspaceId, accountId: null, credentialsVersion: null }
  expect(await closeCodeFor("nonsense")).toBe(4200)
  expect(await closeCodeFor(`${good.slice(0, -4)}AAAA`)).toBe(4200)
  const client = house.connect()
  await client.hello()
  client.send({ op: 2, d: { token: await signed(session, "workspace", inSeconds(60)) } })
  expect(await client.closed).toEqual({
    code: 4200,
    reason: "invalid token: send the one of POST /v1/auth/gateway-token",
  })
})

test("an expired token, and a session that is over, close 4201", async () => {
  const stage = await house.stage()
  const claims = { participantId: "guest:1", eventId: stage.eventId, workspaceId: stage.workspaceId, kind: "guest" }
  const grant = { ...claims, userId: null, name: "A", role: "viewer", sessionExpires: inSeconds(3600) }
  expect(await closeCodeFor(await signed(grant, "gateway", inSeconds(-5)))).toBe(4201)
  const over = await house.token(stage, "guest:1", "viewer", { sessionExpires: inSeconds(-1) })
  const client = house.connect()
  await client.hello()
  client.send({ op: 2, d: { token: over } })
  expect(await client.closeCode()).toBe(4201)
  // It was not let in first.
  expect(client.received.map(({ t }) => t)).not.toContain("ready")
})

test("a client of another contract is closed 4309, one of this contract is not; both know the server's from its hello", async () => {
  const stage = await house.stage([{ modality: "meeting" }])
  const of = async (contract: number) => {
    const client = house.connect()
    expect((await client.hello()).d).toMatchObject({ release: "0.1.0", contract: 1 })
    const about = { name: "app", version: "3", contract }
    client.send({ op: 2, d: { token: await house.token(stage, "guest:1"), client: about } })
    return client
  }
  expect(await (await of(2)).closeCode()).toBe(4309)
  expect((await (await of(1)).dispatch("ready")).d).toMatchObject({ resumed: false })
})

test("an absent event closes 4308", async () => {
  const stage = { ...(await house.stage()), eventId: newId() }
  expect(await closeCodeFor(await house.token(stage, "guest:1"))).toBe(4308)
})

test("a draft is open to staff and closes 4102 for everyone else", async () => {
  const stage = await house.stage([{ modality: "meeting" }], "draft")
  expect(await closeCodeFor(await house.token(stage, "guest:1", "speaker"))).toBe(4102)
  const host = await house.join(stage, "guest:2", "host")
  expect((await host.command("roster.list")).d).toEqual({ participants: [], nextCursor: null })
})

test("a scheduled event is open to everyone and nobody is present yet", async () => {
  const stage = await house.stage([{ modality: "meeting" }], "scheduled")
  const client = await house.join(stage, "guest:1")
  await house.actors.execute(stage.eventId, { type: "event.start", d: {} })
  await client.dispatch("phase.started")
  const diff = await client.dispatch("presence.diff")
  expect(diff.d.join).toMatchObject([{ participantId: "guest:1" }])
})

test("an ended event closes 4307", async () => {
  const stage = await house.stage()
  await house.actors.execute(stage.eventId, { type: "event.end", d: {} })
  expect(await closeCodeFor(await house.token(stage, "guest:1", "host"))).toBe(4307)
})

test("commands before ready are refused and do not close", async () => {
  const client = house.connect()
  await client.hello()
  expect(await client.command("roster.list")).toMatchObject({ ok: false, e: { code: "unauthorized" } })
  client.send({ op: 12, d: { token: "x" } })
  expect((await client.next(({ op }) => op === 13)).d.code).toBe("unauthorized")
})

test("a frame that is none closes 4300 and says why", async () => {
  for (const [text, reason] of [
    ["{", "frame: not JSON"],
    ["17", "op: must be one of 1, 2, 3, 12"],
    ['{"op":0,"t":"ready"}', "op: must be one of 1, 2, 3, 12"],
    ['{"op":2}', "identify: d: Missing key."],
    ['{"op":2,"d":{}}', "identify: d.token: Missing key."],
    [
      '{"op":2,"d":{"token":"t","resume":{"epoch":"e","cursors":{"event":"1"}}}}',
      "identify: d.resume.cursors.event: Expected number.",
    ],
    [`${"[".repeat(5000)}${"]".repeat(5000)}`, "frame: nested too deeply"],
  ] as const) {
    const client = house.connect()
    await client.hello()
    client.sendText(text)
    expect(await client.closed).toEqual({ code: 4300, reason })
  }
})

test("identifying twice closes 4300", async () => {
  const stage = await house.stage()
  const client = await house.join(stage, "guest:1")
  client.send({ op: 2, d: { token: await house.token(stage, "guest:1") } })
  expect(await client.closed).toEqual({ code: 4300, reason: "identify: was sent before on this connection" })
})

test("a frame of more than 16 KiB closes 4301", async () => {
  const large = await house.join(await house.stage(), "guest:1")
  large.sendText(JSON.stringify({ op: 1, d: { t0: 1, padding: "x".repeat(16_384) } }))
  expect(await large.closeCode()).toBe(4301)
})

test("a socket that never becomes anyone closes 4101 when it talks on", async () => {
  const client = house.connect()
  await client.hello()
  for (let n = 0; n < 3; n++) client.send(...Array.from({ length: 32 }, (_, t0) => ({ op: 1, d: { t0 } })))
  expect(await client.closeCode()).toBe(4101)
})
