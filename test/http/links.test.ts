/** The list of what works by being held, and its end: who sees it, what it shows, and what a `DELETE` ends. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { fixture } from "../media/broadcast/support.ts"
import { type CallOptions, createLiveEvent, createPerson, entryLink, tokenIn, type Workspace } from "../support/api.ts"
import { startBroadcast } from "../support/broadcasts.ts"
import { push, pushStream } from "../support/encoder.ts"
import { addMember } from "../support/members.ts"
import { startMediaServer } from "../support/server.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer(() => startMediaServer({ BROADCAST_INGESTS: "64" }))
const rows = sharedRows(server)
const acme = sharedWorkspace(server)
const other = sharedWorkspace(server)

/** 4.02 seconds of picture and sound. */
const STREAM = fixture("ffmpeg-stream.mp4")
const NOBODY = "00000000-0000-7000-8000-000000000000"

const api = apiOf(server)
const at = (rest = "", workspace = acme) => `/v1/workspaces/${workspace.id}/${rest}`
const asOwner = ({ owner }: Workspace = acme) => ({ cookie: owner.cookie })
const list = async (query = "", options: CallOptions = asOwner()) =>
  (await api("GET", at(`links?${query}`), options)).body.links
const end = (query: string, options: CallOptions = asOwner()) => api("DELETE", at(`links?${query}`), options)
const newKey = async (name: string) => {
  const { body } = await api("POST", at("api-keys"), { ...asOwner(), body: { name } })
  return { id: body.id as string, secret: body.secret as string }
}
const upload = async (eventId: string, options: CallOptions) =>
  (await api("POST", `/v1/events/${eventId}/recordings`, { ...options, body: {} })).body
const put = async (url: string) => (await fetch(url, { method: "PUT", body: Buffer.alloc(100) })).status

describe("the list of links", () => {
  test("shows each with its holder and its last use, newest first, and no address", async () => {
    const onAir = await startBroadcast(server.url, acme.key)
    const key = await newKey("encoders")
    const ingest = (await api("POST", `/v1/phases/${onAir.phaseId}/broadcast/ingest`, { key: key.secret })).body
    const { sessionToken } = (await api("POST", at("session"), asOwner())).body
    const recording = await upload(onAir.eventId, { bearer: sessionToken })
    const before = await list(`eventId=${onAir.eventId}`)
    const holder = { kind: "key", id: key.id, name: "encoders" }
    const { broadcastId } = await onAir.state()
    // An upload's is as old as the hour, so that it is the same for an hour.
    expect(before.find(({ kind }: { kind: string }) => kind === "upload")).toEqual({
      id: expect.any(String),
      kind: "upload",
      eventId: onAir.eventId,
      objectId: recording.id,
      holder: { kind: "account", id: acme.owner.id, name: "Ada" },
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      lastUsedAt: null,
    })
    const times = before.map(({ createdAt }: { createdAt: string }) => createdAt)
    expect(times).toEqual(times.toSorted().toReversed())
    expect(before.find(({ kind }: { kind: string }) => kind === "ingest")).toEqual({
      id: expect.any(String),
      kind: "ingest",
      eventId: onAir.eventId,
      objectId: broadcastId,
      holder,
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      lastUsedAt: null,
    })
    const since = Date.now()
    expect((await push(ingest.streamUrl, STREAM)).status).toBe(204)
    const isNoted = async () => (await list(`keyId=${key.id}`))[0].lastUsedAt !== null
    await eventually(isNoted, "the note of its use")
    const [used] = await list(`keyId=${key.id}`)
    expect(Date.parse(used.lastUsedAt)).toBeGreaterThan(since - 1000)
    expect(used).toMatchObject({ kind: "ingest", holder })
    const shown = JSON.stringify(await list())
    for (const url of [ingest.streamUrl, recording.uploadUrl]) expect(shown).not.toContain(url.split("/").at(-1))
  })

  test("can be narrowed by kind, event and holder, and is given in pages", async () => {
    const key = await newKey("lists")
    const { id: eventId } = await createLiveEvent(server.url, acme.key)
    const made: string[] = []
    for (let n = 0; n < 3; n++) made.push((await upload(eventId, { key: key.secret })).id)
    await api("POST", at("invites"), { key: key.secret, body: { role: "member" } })
    expect(await list(`keyId=${key.id}&kind=upload`)).toHaveLength(3)
    expect(await list(`keyId=${key.id}`)).toHaveLength(4)
    expect((await list(`keyId=${key.id}&kind=invite`)).map(({ kind }: { kind: string }) => kind)).toEqual(["invite"])
    expect(await list(`eventId=${randomUUID()}`)).toEqual([])
    const seen: string[] = []
    let cursor = ""
    do {
      const { body } = await api("GET", at(`links?eventId=${eventId}&limit=2${cursor}`), asOwner())
      seen.push(...body.links.map(({ objectId }: { objectId: string }) => objectId))
      cursor = body.nextCursor === null ? "" : `&cursor=${body.nextCursor}`
    } while (cursor !== "")
    expect(seen.toSorted()).toEqual(made.toSorted())
  })

  test("leaves out those whose ground is gone", async () => {
    const key = await newKey("gone")
    const { id: eventId } = await createLiveEvent(server.url, acme.key)
    await upload(eventId, { key: key.secret })
    expect(await list(`keyId=${key.id}`)).toHaveLength(1)
    expect((await api("DELETE", at(`api-keys/${key.id}`), asOwner())).status).toBe(204)
    expect(await list(`eventId=${eventId}`)).toEqual([])
  })

  test("shows the entry links of an event, and when one was used", async () => {
    const event = await createLiveEvent(server.url, acme.key)
    const body = { name: "Rae", email: `${randomUUID()}@example.com` }
    await api("POST", `/v1/public/events/${event.id}/register`, { body })
    const entryUrl = await entryLink(server.url, body.email, event.id)
    const [entry] = await list(`eventId=${event.id}`)
    expect(entry).toMatchObject({ kind: "entry", holder: { kind: "registrant", name: "Rae" }, lastUsedAt: null })
    expect(await list("kind=entry")).toEqual([])
    const enter = () =>
      api("POST", `/v1/public/events/${event.id}/enter`, {
        body: { token: tokenIn(entryUrl) },
      })
    expect((await enter()).status).toBe(200)
    expect((await list(`eventId=${event.id}`))[0].lastUsedAt).toEqual(expect.any(String))
    expect((await end(`linkId=${entry.id}`)).status).toBe(204)
    expect((await enter()).status).toBe(401)
    expect(await list(`eventId=${event.id}`)).toEqual([])
  })

  test("is of the own workspace", async () => {
    const { eventId } = await startBroadcast(server.url, acme.key)
    expect((await api("GET", at(`links?eventId=${eventId}`, other), asOwner(other))).body.links).toEqual([])
  })

  test("refuses two holders", async () => {
    for (const query of [`userId=${NOBODY}&keyId=${NOBODY}`]) {
      expect((await api("GET", at(`links?${query}`), asOwner())).status, query).toBe(400)
    }
  })
})

describe("ending links", () => {
  test("ends one, and leaves the holder's others and those of others", async () => {
    const key = await newKey("one of two")
    const { id: eventId } = await createLiveEvent(server.url, acme.key)
    const [first, second, others] = [
      await upload(eventId, { key: key.secret }),
      await upload(eventId, { key: key.secret }),
      await upload(eventId, { key: acme.key }),
    ]
    const { id } = (await list(`keyId=${key.id}`)).find(({ objectId }: { objectId: string }) => objectId === first.id)
    expect((await end(`linkId=${id}`)).status).toBe(204)
    await expect.poll(() => put(first.uploadUrl)).toBe(401)
    expect(await Promise.all([second, others].map(({ uploadUrl }) => put(uploadUrl)))).toEqual([204, 204])
    expect((await end(`linkId=${id}`)).status).toBe(404)
  })

  test("ends all of a key, which makes new ones all the same", async () => {
    const key = await newKey("all of it")
    const { id: eventId } = await createLiveEvent(server.url, acme.key)
    const before = await upload(eventId, { key: key.secret })
    const { body: invite } = await api("POST", at("invites"), { key: key.secret, body: { role: "member" } })
    expect((await end(`keyId=${key.id}`)).status).toBe(204)
    await expect.poll(() => put(before.uploadUrl)).toBe(401)
    const token = tokenIn(invite.inviteUrl)
    expect((await api("GET", `/v1/invites/${token}`)).body.status).toBe("revoked")
    const after = await upload(eventId, { key: key.secret })
    expect(await put(after.uploadUrl)).toBe(204)
  })

  test("ends all of one of the integrator's users, and the session tokens", async () => {
    const { eventId } = await startBroadcast(server.url, acme.key, { visibility: "private" })
    const person = await createPerson(server.url, acme.key, eventId, "viewer")
    const shown = () => api("GET", `/v1/public/events/${eventId}`, { bearer: person.session })
    const { playbackUrl } = (await shown()).body.activeBroadcast
    expect((await end(`userId=${person.userId}`)).status).toBe(204)
    expect((await shown()).status).not.toBe(200)
    await expect.poll(async () => (await fetch(playbackUrl)).status).toBe(401)
  })

  test("ends all of a member by their user too, also what they were given as an account", async () => {
    const { id: eventId } = await createLiveEvent(server.url, acme.key)
    const session = await api("POST", at("session"), asOwner())
    const { userId } = session.body.participant
    const { uploadUrl } = await upload(eventId, asOwner())
    const kinds = (await list(`userId=${userId}&eventId=${eventId}`)).map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(["upload"])
    expect((await end(`userId=${userId}`)).status).toBe(204)
    await expect.poll(() => put(uploadUrl)).toBe(401)
  })

  test("needs one target that the workspace has", async () => {
    expect((await end("")).status).toBe(400)
    expect((await end(`userId=${NOBODY}&keyId=${NOBODY}`)).status).toBe(400)
    expect((await end("linkId=x")).status).toBe(400)
    for (const target of ["linkId", "accountId", "userId", "keyId"]) {
      expect((await end(`${target}=${NOBODY}`)).status, target).toBe(404)
    }
    const { id: eventId } = await createLiveEvent(server.url, acme.key)
    const { uploadUrl } = await upload(eventId, { key: acme.key })
    const [link] = await list(`eventId=${eventId}`)
    const byOther = await api("DELETE", at(`links?linkId=${link.id}`, other), asOwner(other))
    const ownersOther = await api("DELETE", at(`links?accountId=${acme.owner.id}`, other), asOwner(other))
    expect([byOther.status, ownersOther.status]).toEqual([404, 404])
    expect((await api("DELETE", at(`links?linkId=${link.id}`), asOwner(other))).status).toBe(404)
    expect(await put(uploadUrl)).toBe(204)
  })

  test("ends an owner's for owners alone", async () => {
    const admin = await addMember(server.url, rows, acme.id, "admin")
    const query = `accountId=${acme.owner.id}`
    expect((await end(query, { cookie: admin.cookie })).status).toBe(403)
    expect((await end(`accountId=${admin.id}`, { cookie: admin.cookie })).status).toBe(204)
    expect((await end(query)).status).toBe(204)
    const { entries } = (await api("GET", at("audit"), asOwner())).body
    expect(entries[0]).toMatchObject({ action: "link.ended" })
  })

  test("cuts an upload and an encoder that are on their way, and no other", async () => {
    const [onAir, others] = [await startBroadcast(server.url, acme.key), await startBroadcast(server.url, acme.key)]
    const key = await newKey("on its way")
    const { uploadUrl } = await upload(onAir.eventId, { key: key.secret })
    const { streamUrl } = (await api("POST", `/v1/phases/${onAir.phaseId}/broadcast/ingest`, { key: key.secret })).body
    const streams = [pushStream(uploadUrl), pushStream(streamUrl), pushStream(others.streamUrl)]
    await Promise.all(streams.map((stream) => stream.write(STREAM.subarray(0, 2000))))
    const [upload1, encoder, other] = streams.map(({ answer }) =>
      answer.then(({ status }) => status).catch(() => "cut"),
    )
    await expect.poll(async () => (await onAir.state()).ingest.state).toBe("receiving")
    expect((await end(`keyId=${key.id}`)).status).toBe(204)
    // The answer comes before the end of the body, or the connection is closed.
    for (const answer of [await upload1, await encoder]) expect([401, "cut"]).toContain(answer)
    await streams[2]?.write(STREAM.subarray(2000))
    expect((await streams[2]?.end())?.status).toBe(204)
    expect(await other).toBe(204)
  })
})
