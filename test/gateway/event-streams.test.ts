/** The gateway without WebSockets: event streams, and the frames of their clients by requests. */
import { get, type IncomingMessage } from "node:http"
import { describe, expect, onTestFinished, test } from "vitest"
import { GATEWAY_DEFAULTS } from "../../src/gateway/options.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { forgetPublications } from "../../src/store/live/live-history.ts"
import { eventually } from "../support/wait.ts"
import type { Client } from "./client.ts"
import { untilAnnounced } from "./crowd.ts"
import { openHouse, type Stage, sharedHouse } from "./house.ts"
import { type Answer, ask, type StreamClient } from "./stream-client.ts"

const house = sharedHouse({ connectionsPerParticipant: 2, historyEntries: 50, lingerMs: 20 })

const httpUrl = (): string => house.url.replace(/^ws/, "http")

const texts = (client: Client): ReadonlyArray<string> =>
  client.received.flatMap(({ t, d }) => (t === "announcement" ? [d.text] : []))

const announce = (stage: Stage, text: string) => house.actors.execute(stage.eventId, { type: "announce", d: { text } })

test("a client without a WebSocket gets the frames of a socket, and sends commands by requests", async () => {
  const stage = await house.stage()
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const guest = await house.joinStream(stage, "guest")
  expect(guest.received[0]).toMatchObject({ op: 10, d: { heartbeatMs: expect.any(Number) } })
  expect(guest.received.find(({ t }) => t === "ready").d.me).toMatchObject({ participantId: "guest" })
  expect(guest.stream.response?.headers).toMatchObject({
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "access-control-allow-origin": "*",
  })
  expect(await guest.command("hand.raise")).toMatchObject({ ok: true, d: { hand: { participantId: "guest" } } })
  await host.dispatch("hand.queue")
  await host.command("announce", { text: "for everyone" })
  expect((await guest.dispatch("announcement")).d.text).toBe("for everyone")
  guest.send({ op: 1, d: { t0: 7 } })
  expect((await guest.next(({ op }) => op === 11)).d).toMatchObject({ t0: 7, heads: { event: expect.any(Number) } })
  const { headers, status } = await guest.stream.post('{"op":1,"d":{"t0":8}}')
  expect([status, headers["cache-control"]]).toEqual([202, "no-store"])
  expect((await guest.command("leave")).ok).toBe(true)
  expect(await guest.closeCode()).toBe(1000)
})

describe("resuming", () => {
  const cutAfter = async (stage: Stage, ...said: ReadonlyArray<string>): Promise<StreamClient> => {
    const guest = await house.joinStream(stage, "guest")
    for (const text of said) await announce(stage, text)
    await guest.next(({ d }) => d?.text === said.at(-1), "the last announcement")
    await guest.cut()
    return guest
  }

  const back = async (stage: Stage, { stream }: StreamClient): Promise<StreamClient> =>
    house.connectStream({ token: await house.token(stage, "guest"), lastEventId: stream.lastEventId })

  test("continues behind the last event: nothing is lost, and nothing comes twice", async () => {
    const stage = await house.stage()
    const guest = await cutAfter(stage, "one", "two")
    for (const text of ["three", "four", "five"]) await announce(stage, text)
    const again = await back(stage, guest)
    expect((await again.dispatch("ready")).d).toMatchObject({ resumed: true })
    await announce(stage, "six")
    await again.next(({ d }) => d?.text === "six", "what came after the replay")
    expect([texts(guest), texts(again)]).toEqual([
      ["one", "two"],
      ["three", "four", "five", "six"],
    ])
    // The replay has moved the position too.
    await again.cut()
    const third = await back(stage, again)
    expect((await third.dispatch("ready")).d.resumed).toBe(true)
    await third.dispatch("caughtUp")
    expect(texts(third)).toEqual([])
  })

  test("after too long an absence it begins with the whole state, and says why", async () => {
    const stage = await house.stage()
    const guest = await cutAfter(stage, "one")
    for (let n = 0; n < 3; n++) await announce(stage, `missed ${n}`)
    await forgetPublications(house.actors.sql, toTimestamp(Date.now() + 60_000), 10_000)
    for (let n = 0; n < 60; n++) await announce(stage, `later ${n}`)
    const again = await back(stage, guest)
    const { d } = await again.dispatch("ready")
    expect(d).toMatchObject({ resumed: false, reason: "expired", cursors: { event: expect.any(Number) } })
    await eventually(() => again.stream.lastEventId !== guest.stream.lastEventId, "the new position")
    expect(JSON.parse(again.stream.lastEventId ?? "")).toEqual({ epoch: d.epoch, cursors: d.cursors })
  })

  test("a socket continues a stream, and a stream a socket", async () => {
    const stage = await house.stage()
    const guest = await cutAfter(stage, "one")
    await announce(stage, "two")
    const socket = house.connect()
    const position = JSON.parse(guest.stream.lastEventId ?? "")
    expect((await socket.identify(await house.token(stage, "guest"), position)).d.resumed).toBe(true)
    // A dispatch of the present tick comes behind the replay.
    const { s } = await socket.next(({ d }) => d?.text === "two", "what was missed")
    await socket.cut()
    await announce(stage, "three")
    const lastEventId = JSON.stringify({ ...position, cursors: { ...position.cursors, event: s } })
    const stream = house.connectStream({ token: await house.token(stage, "guest"), lastEventId })
    await stream.next(({ d }) => d?.text === "three", "what was missed")
    expect([texts(socket), texts(stream)]).toEqual([["two"], ["three"]])
  })
})

describe("a session", () => {
  const command = (id: string) => JSON.stringify({ op: 3, id, t: "hand.raise", d: {} })

  test("belongs to its stream: no other text sends frames there, and it acts for its owner alone", async () => {
    const stage = await house.stage()
    const host = await house.join(stage, "host", "host", { kind: "user" })
    const [ann, bob] = [await house.joinStream(stage, "ann"), await house.joinStream(stage, "bob")]
    const { connectionId } = ann.received[0].d
    const [place, random, tag] = ann.stream.session.split(".")
    const guessed = `${place}.${random?.split("").reverse().join("")}.${tag}`
    for (const session of [connectionId, "", "x", place, guessed, await house.token(stage, "ann")]) {
      const refused = await bob.stream.post(command("stolen"), session)
      expect([refused.status, JSON.parse(refused.body).code]).toEqual([401, "unauthorized"])
      expect(refused.headers["www-authenticate"]).toContain("Bearer")
    }
    expect((await bob.stream.post(command("own"))).status).toBe(202)
    expect((await bob.next(({ op }) => op === 4)).d.hand.participantId).toBe("bob")
    expect((await host.dispatch("hand.queue")).d.add).toMatchObject([{ participantId: "bob" }])
    expect(ann.received.filter(({ op }) => op === 4)).toEqual([])
  })

  test("ends with its stream, whoever ends it", async () => {
    const stage = await house.stage()
    const host = await house.join(stage, "host", "host", { kind: "user" })
    const [gone, removed] = [await house.joinStream(stage, "gone"), await house.joinStream(stage, "removed")]
    await untilAnnounced(house, stage, ["gone", "removed"])
    await gone.cut()
    await eventually(async () => (await gone.stream.post(command("late"))).status === 401, "the session to end")
    await host.command("participant.remove", { id: "removed", block: false })
    expect(await removed.closeCode()).toBe(4304)
    expect((await removed.stream.post(command("late"))).status).toBe(401)
  })
})

describe("bad input", () => {
  const refused = async (answer: Promise<Answer>): Promise<ReadonlyArray<unknown>> => {
    const { status, body } = await answer
    return [status, JSON.parse(body).code]
  }

  test("a stream that is asked for wrongly is refused", async () => {
    for (const [headers, query, status, code] of [
      [{}, "", 401, "unauthorized"],
      [{ authorization: "Basic eA==" }, "", 401, "unauthorized"],
      [{ authorization: "Bearer x", "last-event-id": "7" }, "", 400, "bad_request"],
      [{ authorization: "Bearer x", "last-event-id": '{"epoch":"e"}' }, "", 400, "bad_request"],
      [{ authorization: "Bearer x" }, "?padding=32769", 400, "bad_request"],
      [{ authorization: "Bearer x" }, "?padding=-1", 400, "bad_request"],
    ] as const) {
      const answer = await refused(ask("GET", `${httpUrl()}/stream${query}`, headers))
      expect([headers, query, ...answer]).toEqual([headers, query, status, code])
    }
  })

  test("other methods are refused, and pages of other sites may ask for both addresses", async () => {
    expect(await refused(ask("POST", `${httpUrl()}/stream`, {}))).toEqual([405, "method_not_allowed"])
    expect(await refused(ask("GET", `${httpUrl()}/commands`, {}))).toEqual([405, "method_not_allowed"])
    for (const path of ["stream", "commands"]) {
      const { status, headers } = await ask("OPTIONS", `${httpUrl()}/${path}`, { origin: "https://other.test" })
      expect([status, headers["access-control-allow-origin"]]).toEqual([204, "*"])
      expect(headers["access-control-allow-headers"]).toContain("last-event-id")
    }
  })

  test("a stream with a bad token, contract or kind to leave out ends as a socket does", async () => {
    const stage = await house.stage()
    for (const [token, query, code] of [
      ["x", "", 4200],
      [undefined, "?contract=999", 4309],
      [undefined, "?contract=x", 4300],
      [undefined, "?mute=everything", 4300],
    ] as const) {
      const client = house.connectStream({ token: token ?? (await house.token(stage, "guest")), query })
      expect([query, await client.closeCode()]).toEqual([query, code])
    }
  })

  test("a frame that breaks the protocol closes the stream as it closes a socket", async () => {
    const stage = await house.stage()
    for (const [frame, code] of [
      ["{", 4300],
      ["", 4300],
      ['{"op":99}', 4300],
      ['{"op":2,"d":{"token":"x"}}', 4300],
      [JSON.stringify(Array(33).fill({ op: 1, d: { t0: 1 } })), 4301],
    ] as const) {
      const [stream, socket] = [await house.joinStream(stage, "ann"), await house.join(stage, "bob")]
      expect((await stream.stream.post(frame)).status, frame).toBe(202)
      socket.sendText(frame)
      const [ofStream, ofSocket] = await Promise.all([stream.closed, socket.closed])
      expect([frame, ofStream]).toEqual([frame, { code, reason: ofSocket.reason }])
      expect(ofSocket.code, frame).toBe(code)
    }
  })

  test("a body that no frame may have is refused, and the stream goes on", async () => {
    const stage = await house.stage()
    const client = await house.joinStream(stage, "ann")
    expect(await refused(client.stream.post("x".repeat(16_385)))).toEqual([413, "payload_too_large"])
    expect((await client.stream.post('{"op":1,"d":{"t0":8}}'.padEnd(16_384))).status).toBe(202)
    const form = { authorization: `Bearer ${client.stream.session}`, "content-type": "text/plain" }
    expect(await refused(ask("POST", `${httpUrl()}/commands`, form, "{}"))).toEqual([415, "unsupported_media_type"])
    // Only the holder of a session learns what else is wrong.
    const stranger = { ...form, authorization: "Bearer x" }
    expect(await refused(ask("POST", `${httpUrl()}/commands`, stranger, "{}"))).toEqual([401, "unauthorized"])
    expect((await client.command("hand.raise")).ok).toBe(true)
  })
})

describe("limits are those of sockets, and shared with them", () => {
  test("budgets of commands", async () => {
    // The budget does not refill during the test, however slow the machine is.
    const roster = { perSecond: 0.001, burst: 5 }
    const own = await openHouse({ budgets: { ...GATEWAY_DEFAULTS.budgets, roster } })
    onTestFinished(() => own.stop())
    const stage = await own.stage()
    const [stream, socket] = [await own.joinStream(stage, "ann"), await own.join(stage, "ann")]
    for (let n = 0; n < roster.burst; n++) expect((await socket.command("roster.list")).ok).toBe(true)
    expect(await stream.command("roster.list")).toMatchObject({
      ok: false,
      e: { code: "rate_limited", retryAfterMs: expect.any(Number) },
    })
  })

  test("connections of one participant: the oldest gives way", async () => {
    const stage = await house.stage()
    const first = await house.joinStream(stage, "ann")
    await house.join(stage, "ann")
    await house.joinStream(stage, "ann")
    expect(await first.closeCode()).toBe(4305)
  })

  test("connections of one address, and they are given back", async () => {
    const own = await openHouse({ socketsPerAddress: 3 })
    onTestFinished(() => own.stop())
    const token = await own.token(await own.stage(), "ann")
    const streams = ["a", "b"].map(() => own.connectStream({ token }))
    for (const stream of streams) await stream.dispatch("ready")
    await own.connect().hello()
    const more = () =>
      new Promise<IncomingMessage>((resolve) => {
        own.connectStream({ token: "x" }).stream.once("response", resolve)
      })
    const { statusCode, headers } = await more()
    expect([statusCode, headers["retry-after"]]).toEqual([429, "5"])
    await streams[0]?.cut()
    // A stream with a wrong token is opened, and ends by itself.
    await eventually(async () => (await more()).statusCode === 200, "a place of the address")
  })
})

test("a stream that ends is a whole response of HTTP", async () => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${httpUrl()}/stream`, { headers: { authorization: "Bearer none" } }, resolve).once("error", reject)
  })
  let text = ""
  for await (const piece of response) text += piece
  expect([text.includes("event: close"), response.complete]).toEqual([true, true])
})
