/** Recordings from the upload to the player, over real sockets and a real disk. */
import { createHash, randomBytes } from "node:crypto"
import { readdir } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { type CallOptions, call, createEvent, createWorkspace, type Json } from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { startMediaServer } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"
import { wavOf } from "../support/wav.ts"

const server = sharedServer(startMediaServer)
const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })

const published = async (fields: object = {}): Promise<Json> => {
  const event = await createEvent(server.url, acme.key, { ...fields })
  await api("POST", `/v1/events/${event.id}/publish`)
  return event
}

const begin = async (eventId: string, body: object = {}): Promise<Json> => {
  const answer = await api("POST", `/v1/events/${eventId}/recordings`, { body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

const put = (url: string, body: Uint8Array, headers: { readonly [name: string]: string } = {}) =>
  fetch(url, { method: "PUT", body, headers })

const settled = async (id: string): Promise<Json> => {
  let recording: Json
  await eventually(async () => {
    recording = (await api("GET", `/v1/recordings/${id}`)).body
    return recording.status === "ready" || recording.status === "failed"
  }, "the end of the inspection")
  return recording
}

/** Uploaded, completed and inspected. */
const uploaded = async (eventId: string, bytes: Uint8Array, fields: object = {}): Promise<Json> => {
  const { id, uploadUrl } = await begin(eventId, fields)
  expect((await put(uploadUrl, bytes)).status).toBe(204)
  expect((await api("POST", `/v1/recordings/${id}/complete`, { body: {} })).status).toBe(202)
  return settled(id)
}

/** Files of media, wherever they lie. */
const filesOf = async (): Promise<ReadonlyArray<string>> =>
  (await readdir(join(server.folder, "media"), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

test("a playlist is no recording: the files and addresses that it names are not its own", async () => {
  const event = await published()
  const { id } = await uploaded(event.id, wavOf(2))
  const folder = join(server.folder, "media")
  const victim = (await readdir(folder, { recursive: true })).find((path) => path.endsWith(id)) ?? ""
  for (const named of [join(folder, victim), `../../../${victim}`, id, `${server.url}/v1/anything`]) {
    const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:2,\n${named}\n#EXT-X-ENDLIST\n`
    const recording = await uploaded(event.id, new TextEncoder().encode(playlist))
    expect(recording, named).toMatchObject({ status: "failed", failure: { code: "unreadable_media" } })
  }
})

describe("an upload", () => {
  test("becomes a recording that can be watched and downloaded, and its webhook event comes once", async () => {
    const event = await published()
    const receiver = await startReceiver()
    await api("POST", "/v1/webhooks", { body: { url: receiver.url, eventTypes: ["recording.ready"] } })
    const sound = wavOf(2)
    const begun = await begin(event.id, { title: "Opening – “Keynote”", sizeBytes: sound.byteLength, kind: "merged" })
    expect(begun).toMatchObject({
      eventId: event.id,
      kind: "merged",
      source: "upload",
      status: "uploading",
      sizeBytes: sound.byteLength,
      playbackUrl: null,
      downloadUrl: null,
      failure: null,
    })
    const answer = await put(begun.uploadUrl, sound)
    expect([answer.status, answer.headers.get("upload-offset")]).toEqual([204, String(sound.byteLength)])
    const sha256 = createHash("sha256").update(sound).digest("hex")
    const completed = await api("POST", `/v1/recordings/${begun.id}/complete`, {
      body: { sha256, sizeBytes: sound.byteLength },
    })
    expect([completed.status, completed.body.status]).toEqual([202, "processing"])
    const ready = await settled(begun.id)
    expect(ready).toMatchObject({ status: "ready", durationMs: 2000, contentType: "audio/wav", failure: null })
    const watched = await fetch(ready.playbackUrl)
    expect(Buffer.from(await watched.arrayBuffer()).equals(sound)).toBe(true)
    expect(Object.fromEntries(watched.headers)).toMatchObject({
      "content-type": "audio/wav",
      "content-security-policy": "sandbox",
      "accept-ranges": "bytes",
      "access-control-allow-origin": "*",
      etag: `"${sha256.slice(0, 32)}"`,
    })
    const download = await fetch(ready.downloadUrl)
    expect(download.headers.get("content-disposition")).toBe(
      "attachment; filename*=UTF-8''Opening%20%E2%80%93%20%E2%80%9CKeynote%E2%80%9D.wav",
    )
    await receiver.count(1)
    expect(JSON.parse(receiver.received[0]?.body ?? "{}")).toMatchObject({
      type: "recording.ready",
      eventId: event.id,
      assetId: begun.id,
    })
    expect((await api("GET", `/v1/events/${event.id}/recordings`)).body.recordings).toMatchObject([{ id: begun.id }])
    const recap = await call(server.url, "GET", `/v1/public/events/${event.id}/recap`)
    expect((await fetch(recap.body.recording.playbackUrl)).status).toBe(200)
  })

  test("goes on after its connection was cut, from the byte that the server has", async () => {
    const event = await published()
    const sound = wavOf(200)
    const { id, uploadUrl } = await begin(event.id)
    const { hostname, port, pathname } = new URL(uploadUrl)
    const socket = connect(Number(port), hostname)
    socket.write(`PUT ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: ${sound.byteLength}\r\n\r\n`)
    socket.write(sound.subarray(0, 2_500_000))
    const offset = async () => Number((await fetch(uploadUrl, { method: "HEAD" })).headers.get("upload-offset"))
    await eventually(async () => (await offset()) > 1_000_000, "bytes of the upload on the disk")
    socket.destroy()
    const goOn = (from: number) => {
      const headers = { "content-range": `bytes ${from}-${sound.byteLength - 1}/${sound.byteLength}` }
      return put(uploadUrl, sound.subarray(from), headers)
    }
    const wrong = await goOn(10)
    const from = Number(wrong.headers.get("upload-offset"))
    expect([wrong.status, from > 1_000_000]).toEqual([409, true])
    const rest = await goOn(from)
    expect([rest.status, rest.headers.get("upload-offset")]).toEqual([204, String(sound.byteLength)])
    await api("POST", `/v1/recordings/${id}/complete`, { body: {} })
    const ready = await settled(id)
    expect(ready).toMatchObject({ status: "ready", durationMs: 200_000 })
    expect(Buffer.from(await (await fetch(ready.playbackUrl)).arrayBuffer()).equals(sound)).toBe(true)
  })

  test("that is completed by fifty callers at once is inspected once", async () => {
    const event = await published()
    const { id, uploadUrl } = await begin(event.id)
    await put(uploadUrl, wavOf(1))
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => api("POST", `/v1/recordings/${id}/complete`, { body: {} })),
    )
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49)
    expect(await settled(id)).toMatchObject({ status: "ready" })
  })

  test("of which nothing came, or less than was announced before or with its end, is not complete yet, and goes on", async () => {
    const event = await published()
    const sound = wavOf(1)
    for (const [announced, ended] of [
      [{ sizeBytes: sound.byteLength }, {}],
      [{}, { sizeBytes: sound.byteLength }],
    ]) {
      const { id, uploadUrl } = await begin(event.id, announced)
      const complete = (body = ended) => api("POST", `/v1/recordings/${id}/complete`, { body })
      expect(await complete({})).toMatchObject({ status: 409, body: { detail: "No bytes were uploaded." } })
      await put(uploadUrl, sound.subarray(0, 1000))
      expect((await complete()).status).toBe(409)
      const range = `bytes 1000-${sound.byteLength - 1}/${sound.byteLength}`
      await put(uploadUrl, sound.subarray(1000), { "content-range": range })
      expect((await complete()).status).toBe(202)
    }
  })

  test("of other bytes than its checksum says fails, and its bytes are removed", async () => {
    const event = await published()
    const { id, uploadUrl } = await begin(event.id)
    await put(uploadUrl, wavOf(1))
    await api("POST", `/v1/recordings/${id}/complete`, { body: { sha256: "0".repeat(64) } })
    expect(await settled(id)).toMatchObject({ status: "failed", failure: { code: "checksum_mismatch" } })
    await eventually(async () => !(await filesOf()).includes(id), "the removal of the bytes")
    const again = await put(uploadUrl, wavOf(1))
    expect(again.status).toBe(409)
  })

  test("of bytes that are no media fails with a reason", async () => {
    const event = await published()
    for (const [what, bytes] of [
      ["nothing that is media", Buffer.from("<!doctype html><script>alert(1)</script>")],
      ["random bytes", randomBytes(100_000)],
      ["a file that was cut off in its head", wavOf(1).subarray(0, 30)],
      ["an archive", Buffer.concat([Buffer.from("504b0304", "hex"), randomBytes(1000)])],
    ] as const) {
      expect(await uploaded(event.id, bytes), what).toMatchObject({
        status: "failed",
        failure: { code: "unreadable_media" },
        playbackUrl: null,
      })
    }
  })

  test("beyond its announced size is refused, before or while it comes", async () => {
    const event = await published()
    const { uploadUrl } = await begin(event.id, { sizeBytes: 1000 })
    const sized = await put(uploadUrl, randomBytes(5000)).catch(() => null)
    expect(sized?.status ?? 413).toBe(413)
    const { hostname, port, pathname } = new URL(uploadUrl)
    const socket = connect(Number(port), hostname)
    socket.write(`PUT ${pathname} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`)
    socket.write(`3e8\r\n${"a".repeat(1000)}\r\n3e8\r\n${"b".repeat(1000)}\r\n`)
    const text = await new Promise<string>((resolve) => {
      let read = ""
      socket.on("data", (chunk: Buffer) => {
        read += chunk.toString("latin1")
      })
      socket.on("close", () => resolve(read))
      socket.on("error", () => resolve(read))
    })
    expect(text).toContain("413 Payload Too Large")
  })

  test("at an address that is altered, of another use or of no recording is refused", async () => {
    const event = await published()
    const { id, uploadUrl } = await begin(event.id)
    const altered = (await (await put(`${uploadUrl}A`, wavOf(1))).json()) as Json
    expect(altered).toMatchObject({ code: "unauthorized", detail: "The address is not valid." })
    for (const address of [
      uploadUrl.replace(/.$/, uploadUrl.endsWith("A") ? "B" : "A"),
      `${server.url}/v1/media/uploads/x`,
    ]) {
      expect((await put(address, wavOf(1))).status).toBe(401)
      expect((await fetch(address, { method: "HEAD" })).status).toBe(401)
    }
    await api("DELETE", `/v1/recordings/${id}`)
    expect((await put(uploadUrl, wavOf(1))).status).toBe(404)
    const ready = await uploaded(event.id, wavOf(1))
    const token = new URL(ready.playbackUrl).pathname.split("/").at(-1)
    expect((await put(`${server.url}/v1/media/uploads/${token}`, wavOf(1))).status).toBe(401)
  })
})

describe("a recording's bytes", () => {
  let ready: Json
  let sound: Uint8Array
  beforeAll(async () => {
    sound = wavOf(5)
    ready = await uploaded((await published()).id, sound)
  })

  test("come in ranges, and only then", async () => {
    const get = async (headers: { readonly [name: string]: string }) => {
      const answer = await fetch(ready.playbackUrl, { headers })
      return {
        status: answer.status,
        range: answer.headers.get("content-range"),
        body: Buffer.from(await answer.arrayBuffer()),
      }
    }
    const size = sound.byteLength
    for (const [range, start, end] of [
      ["bytes=0-0", 0, 1],
      ["bytes=100-299", 100, 300],
      [`bytes=${size - 10}-`, size - 10, size],
      ["bytes=-7", size - 7, size],
      [`bytes=10-${size * 2}`, 10, size],
    ] as const) {
      const { status, range: given, body } = await get({ range })
      expect([range, status, given]).toEqual([range, 206, `bytes ${start}-${end - 1}/${size}`])
      expect(body.equals(sound.subarray(start, end))).toBe(true)
    }
    expect(await get({ range: `bytes=${size}-` })).toMatchObject({ status: 416, range: `bytes */${size}` })
    expect(await get({ range: "bytes=0-1,5-6" })).toMatchObject({ status: 200 })
    expect(await get({ range: "bytes=9-3" })).toMatchObject({ status: 200 })
    const etag = (await fetch(ready.playbackUrl, { method: "HEAD" })).headers.get("etag") ?? ""
    expect(await get({ range: "bytes=0-9", "if-range": etag })).toMatchObject({ status: 206 })
    expect(await get({ range: "bytes=0-9", "if-range": '"other"' })).toMatchObject({ status: 200 })
    expect(await get({ "if-none-match": etag })).toMatchObject({ status: 304 })
    expect(await get({ "if-match": '"other"' })).toMatchObject({ status: 412 })
    const head = await fetch(ready.playbackUrl, { method: "HEAD", headers: { range: "bytes=5-9" } })
    expect([head.status, head.headers.get("content-length")]).toEqual([206, "5"])
  })

  test("are not at an altered address, nor at any after the recording was deleted", async () => {
    const event = await published()
    const gone = await uploaded(event.id, wavOf(1))
    expect((await fetch(`${gone.playbackUrl}A`)).status).toBe(401)
    expect((await fetch(gone.playbackUrl.replace("play.", "download."))).status).toBe(401)
    expect((await api("DELETE", `/v1/recordings/${gone.id}`)).status).toBe(204)
    expect((await fetch(gone.playbackUrl)).status).toBe(404)
    expect((await api("DELETE", `/v1/recordings/${gone.id}`)).status).toBe(404)
    await eventually(async () => !(await filesOf()).includes(gone.id), "the removal of the bytes")
  })

  test("are removed with their event", async () => {
    const event = await published()
    const { id } = await uploaded(event.id, wavOf(1))
    expect(await filesOf()).toContain(id)
    await api("DELETE", `/v1/events/${event.id}`)
    await eventually(async () => !(await filesOf()).includes(id), "the removal of the bytes")
  })

  test("shown to the public are no longer when the event becomes private", async () => {
    const event = await published({ visibility: "public" })
    const { id } = await uploaded(event.id, wavOf(1))
    const recap = await call(server.url, "GET", `/v1/public/events/${event.id}/recap`)
    const { playbackUrl } = recap.body.recording
    expect((await fetch(playbackUrl)).status).toBe(200)
    await api("PATCH", `/v1/events/${event.id}`, { body: { visibility: "private" } })
    expect((await fetch(playbackUrl)).status).toBe(404)
    const own = (await api("GET", `/v1/recordings/${id}`)).body.playbackUrl
    expect((await fetch(own)).status).toBe(200)
  })
})

describe("beginning a recording", () => {
  test("is refused for a draft, for a phase of another event, and beyond the largest size", async () => {
    const draft = await createEvent(server.url, acme.key)
    expect((await api("POST", `/v1/events/${draft.id}/recordings`, { body: {} })).status).toBe(409)
    const event = await published()
    const other = await published()
    const begin = (body: object) => api("POST", `/v1/events/${event.id}/recordings`, { body })
    const phaseOf = async (id: string) => (await api("GET", `/v1/events/${id}`)).body.phases[0].id
    expect((await begin({ phaseId: await phaseOf(other.id) })).status).toBe(404)
    expect((await begin({ phaseId: await phaseOf(event.id) })).status).toBe(201)
    expect((await begin({ sizeBytes: 6 * 1024 ** 3 })).status).toBe(413)
  })
})

describe("limits", () => {
  const small = async (environment: { readonly [key: string]: string }) => {
    const limited = await startMediaServer(environment)
    onTestFinished(limited.stop)
    const { key } = await createWorkspace(limited.url)
    const event = await createEvent(limited.url, key)
    await call(limited.url, "POST", `/v1/events/${event.id}/publish`, { key })
    const ask = (method: string, path: string, body: object = {}) =>
      call(limited.url, method, path, method === "GET" ? { key } : { key, body })
    return { limited, ask, begin: (body: object = {}) => ask("POST", `/v1/events/${event.id}/recordings`, body) }
  }

  test("a workspace's quota counts what is announced, what is stored, and clips", async () => {
    const { ask, begin } = await small({ MEDIA_QUOTA_BYTES: "100000" })
    const [one, two] = await Promise.all([begin({ sizeBytes: 60_000 }), begin({ sizeBytes: 60_000 })])
    expect([one.status, two.status].toSorted()).toEqual([201, 409])
    const { id, uploadUrl } = (await begin()).body
    const refused = await put(uploadUrl, randomBytes(50_000)).catch(() => null)
    expect(refused?.status ?? 413).toBe(413)
    const sound = wavOf(1.8)
    expect((await put(uploadUrl, sound)).status).toBe(204)
    // Nobody announced these bytes, and they are not complete.
    expect((await begin({ sizeBytes: 15_000 })).status).toBe(409)
    await ask("POST", `/v1/recordings/${id}/complete`)
    await eventually(async () => (await ask("GET", `/v1/recordings/${id}`)).body.status === "ready", "the inspection")
    // A clip that is cut takes less than it was announced with, so both are asked for at once.
    const cut = () => ask("POST", `/v1/recordings/${id}/clips`, { startMs: 0, endMs: 600 })
    expect((await Promise.all([cut(), cut()])).map(({ status }) => status).toSorted()).toEqual([202, 409])
  })

  test("one upload more than may run at once is told to come back, and has its turn", async () => {
    const { begin } = await small({ MEDIA_UPLOADS: "1" })
    const [first, second] = [(await begin()).body.uploadUrl, (await begin()).body.uploadUrl]
    const { hostname, port, pathname } = new URL(first)
    const socket = connect(Number(port), hostname)
    socket.write(`PUT ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 2000000\r\n\r\n`)
    socket.write(randomBytes(1_200_000))
    await eventually(
      async () => Number((await fetch(first, { method: "HEAD" })).headers.get("upload-offset")) > 0,
      "bytes of the first upload on the disk",
    )
    const answer = await put(second, wavOf(0.01))
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"])
    socket.destroy()
    await eventually(async () => (await put(second, wavOf(0.01))).status === 204, "the turn of the second upload")
  })

  test("no upload begins when too little is left on the disk", async () => {
    const { begin } = await small({ MEDIA_MIN_FREE_BYTES: String(1024 ** 4) })
    const answer = await put((await begin()).body.uploadUrl, wavOf(0.01))
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "60"])
  })
})
