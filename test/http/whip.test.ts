/** Encoders that send by WebRTC (WHIP, RFC 9725), up to the playlist: a socket, a handshake, and pictures that are written by hand. */
import { once } from "node:events"
import { createConnection } from "node:net"
import { describe, expect, onTestFinished, test } from "vitest"
import { fixture } from "../media/broadcast/support.ts"
import { type Answer, type CallOptions, call } from "../support/api.ts"
import { type OnAir, startBroadcast } from "../support/broadcasts.ts"
import { push } from "../support/encoder.ts"
import { startServerWithWhip, startTestServer } from "../support/server.ts"
import { SfuClient } from "../support/sfu-client.ts"
import { sfuProcesses } from "../support/sfu-processes.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer(() => startServerWithWhip({ BROADCAST_INGESTS: "64" }))
const acme = sharedWorkspace(server)

const PICTURE = 2000
/** A picture of 320x180 with its parameter sets, as an aggregated packet. No decoder sees its slice. */
const KEY_FRAME = Buffer.concat([
  Buffer.from("78", "hex"),
  ...["6742c00cd901419f9f011000000300100000030320f142a480", "68cb83cb20", "65b80004"].map((unit) => {
    const bytes = Buffer.from(unit, "hex")
    return Buffer.concat([Buffer.from([0, bytes.length]), bytes])
  }),
])

const FRAME = Buffer.from("419a02", "hex")

const encoderOf = (options: ConstructorParameters<typeof SfuClient>[0] = {}): SfuClient => {
  const client = new SfuClient({
    sent: [{ kind: "video", ssrc: PICTURE }],
    places: { audio: 0, video: 0 },
    picture: "H264",
    ...options,
  })
  onTestFinished(() => client.close())
  return client
}

const offer = (sdp: string, options: CallOptions = {}, base = server.url): Promise<Answer> =>
  call(base, "POST", "/v1/whip", {
    raw: sdp,
    ...options,
    headers: { "content-type": "application/sdp", ...options.headers },
  })

/** A connected encoder, and the path of its session. */
const connect = async (token: string): Promise<{ readonly client: SfuClient; readonly location: string }> => {
  const client = encoderOf()
  const answer = await offer(client.offer, { bearer: token })
  expect([answer.status, answer.headers.get("content-type")], JSON.stringify(answer.body)).toEqual([
    201,
    "application/sdp",
  ])
  await client.connect(answer.body, Number(/ (\d+) typ host/.exec(answer.body)?.[1]))
  return { client, location: answer.headers.get("location") ?? "" }
}

/** Sends so many key frames of a tenth of a second. */
const send = (client: SfuClient, count: number, from = 0): void => {
  for (let number = from; number < from + count; number++)
    client.send(client.packet(PICTURE, "video", number, number * 9000, KEY_FRAME))
}

const end = (location: string, bearer?: string): Promise<Answer> => call(server.url, "DELETE", location, { bearer })

/** A token of another holder. */
const another = async ({ phaseId }: OnAir): Promise<string> => {
  const { body: made } = await call(server.url, "POST", "/v1/api-keys", { key: acme.key, body: {} })
  return (await call(server.url, "POST", `/v1/phases/${phaseId}/broadcast/ingest`, { key: made.secret })).body.token
}

describe("an encoder that sends by WebRTC", () => {
  test("is in the playlist, and ends by DELETE with its token alone", async () => {
    const onAir = await startBroadcast(server.url, acme.key)
    const { client, location } = await connect(onAir.token)
    send(client, 40)
    await eventually(async () => (await onAir.state()).ingest.durationMs > 3000, "three seconds of the broadcast")
    expect((await onAir.state()).ingest).toMatchObject({ state: "receiving", takes: 1, failure: null })
    expect((await end(location)).status).toBe(401)
    expect((await end(location, await another(onAir))).status).toBe(401)
    expect((await end(location, onAir.token)).status).toBe(200)
    expect((await end(location, onAir.token)).status).toBe(404)
    const playlist = await (await fetch(onAir.playbackUrl)).text()
    expect(playlist.match(/\.m4s\n/g)?.length).toBeGreaterThan(1)
    expect(playlist).toContain("init1.mp4")
  })

  test("that ends by DELETE has stored what had come, however short it was", async () => {
    const onAir = await startBroadcast(server.url, acme.key)
    const { client, location } = await connect(onAir.token)
    // A fifth of a second, which is no fragment yet. The last picture has no length.
    send(client, 1)
    for (const number of [1, 2]) client.send(client.packet(PICTURE, "video", number, number * 9000, FRAME))
    const highest = (report: Buffer): number => (report[1] === 201 && report.length >= 32 ? report.readUInt32BE(16) : 0)
    await eventually(() => client.reports.some((report) => (highest(report) & 0xffff) === 2), "a report of all three")
    expect((await onAir.state()).ingest.durationMs).toBe(0)
    expect((await end(location, onAir.token)).status).toBe(200)
    expect((await onAir.state()).ingest.durationMs).toBe(200)
  })

  test("takes the broadcast over from one that pushes, and that from it", async () => {
    const onAir = await startBroadcast(server.url, acme.key)
    const other = await another(onAir)
    const { location } = await connect(onAir.token)
    const stream = onAir.streamUrl.replace(onAir.token, other)
    const answer = await fetch(`${stream}?seq=0`, { method: "PUT", body: fixture("ffmpeg-stream.mp4") })
    expect(answer.status).toBe(204)
    expect((await end(location, onAir.token)).status).toBe(404)
    const refused = await offer(encoderOf().offer, { bearer: onAir.token })
    expect([refused.status, refused.body.code]).toEqual([409, "encoder_replaced"])
    const again = await connect(other)
    expect((await push(onAir.streamUrl, fixture("ffmpeg-stream.mp4"))).status).toBe(409)
    expect((await end(again.location, other)).status).toBe(200)
  })

  test("is cut when its address is replaced, and when the broadcast stops", async () => {
    const onAir = await startBroadcast(server.url, acme.key)
    const first = await connect(onAir.token)
    const { token } = (await onAir.newIngest()).body
    await eventually(async () => (await end(first.location, onAir.token)).status === 404, "the end of the first")
    expect((await offer(encoderOf().offer, { bearer: onAir.token })).status).toBe(401)
    const second = await connect(token)
    await onAir.control("stop")
    await eventually(async () => (await end(second.location, token)).status === 404, "the end of the second")
    expect((await offer(encoderOf().offer, { bearer: token })).status).toBe(409)
  })
})

describe("an offer", () => {
  test("whose request is aborted before its answer opens no session, and cuts nobody", async () => {
    const onAir = await startBroadcast(server.url, acme.key)
    const { location } = await connect(onAir.token)
    const signal = (name: "SIGSTOP" | "SIGCONT"): void => {
      for (const pid of sfuProcesses()) process.kill(pid, name)
    }
    // No answer comes before the abort.
    signal("SIGSTOP")
    onTestFinished(() => signal("SIGCONT"))
    const sdp = encoderOf().offer
    const head = ["POST /v1/whip HTTP/1.1", "host: localhost", `authorization: Bearer ${onAir.token}`]
    const lines = [...head, "content-type: application/sdp", `content-length: ${sdp.length}`, "", sdp]
    const socket = createConnection(Number(new URL(server.url).port), "127.0.0.1").resume()
    socket.end(lines.join("\r\n"))
    // The server closes its side when it sees the end.
    await once(socket, "close")
    // Another admission, so that the one before is over.
    expect((await call(server.url, "DELETE", `${new URL(onAir.url).pathname}old.m4s`)).status).toBe(204)
    signal("SIGCONT")
    expect((await end(location, onAir.token)).status).toBe(200)
    expect((await onAir.state()).ingest.state).toBe("waiting")
  })

  test("needs a token of an encoder's address", async () => {
    const sdp = encoderOf().offer
    expect((await offer(sdp)).status).toBe(401)
    for (const bearer of ["x", "x".repeat(43), "x".repeat(1000)])
      expect((await offer(sdp, { bearer })).status).toBe(401)
    expect((await offer(sdp, { headers: { authorization: "Basic eDp4" } })).status).toBe(401)
  })

  test.each([
    ["nothing", "", "no section"],
    ["no SDP", "nothing", "no section"],
    ["pictures in VP8", encoderOf.bind(undefined, { picture: "VP8" }), "neither a picture in H.264 nor sound in Opus"],
    ["a page that only watches", encoderOf.bind(undefined, { sent: [], places: { audio: 1, video: 1 } }), "neither"],
  ])("of %s is refused with the reason, and cuts nobody", async (_, made, reason) => {
    const onAir = await startBroadcast(server.url, acme.key)
    const { location } = await connect(onAir.token)
    const refused = await offer(typeof made === "string" ? made : made().offer, { bearer: onAir.token })
    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({ code: "bad_request", detail: expect.stringContaining(reason) })
    expect((await end(location, onAir.token)).status).toBe(200)
  })

  test("of another type, or of a megabyte, is refused before the token is looked at", async () => {
    expect((await offer("{}", { bearer: "x", headers: { "content-type": "application/json" } })).status).toBe(415)
    expect((await offer("v=0\r\n".repeat(200_000), { bearer: "x" })).status).toBe(413)
  })

  test("may come from a page of any origin, and nothing else is answered at its address", async () => {
    const asked = await fetch(`${server.url}/v1/whip`, { method: "OPTIONS" })
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "*"])
    expect(asked.headers.get("access-control-allow-headers")).toContain("authorization")
    const onAir = await startBroadcast(server.url, acme.key)
    const { location } = await connect(onAir.token)
    const trickled = await fetch(server.url + location, { method: "PATCH", body: "a=candidate" })
    expect([trickled.status, trickled.headers.get("allow")]).toEqual([405, "DELETE"])
    expect(trickled.headers.get("access-control-expose-headers")).toContain("location")
    expect((await end(location, onAir.token)).status).toBe(200)
  })

  test("finds no media server where there is no port for it", async () => {
    const plain = await startTestServer()
    onTestFinished(() => plain.stop())
    const refused = await offer(encoderOf().offer, { bearer: "x" }, plain.url)
    expect(refused.status).toBe(409)
    expect(refused.body.detail).toContain("MEDIA_PORT")
  })
})
