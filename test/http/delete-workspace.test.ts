/** Deleting a workspace: at once for everybody, and step by step in the tables. */
import { randomUUID } from "node:crypto"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { sweepDeletedWorkspaces } from "../../src/erasure/deleted-workspaces.ts"
import { Client } from "../gateway/client.ts"
import {
  type CallOptions,
  createEvent,
  createLiveEvent,
  createPerson,
  createWorkspace,
  entryLink,
  gatewayToken,
  signup,
  tokenIn,
  type Workspace,
} from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { addMember } from "../support/members.ts"
import { startMediaServer } from "../support/server.ts"
import { apiOf, sharedRows, sharedServer } from "../support/shared.ts"
import { openStore } from "../support/store.ts"
import { eventually } from "../support/wait.ts"
import { wavOf } from "../support/wav.ts"

const server = sharedServer(startMediaServer)
const rows = sharedRows(server)

const api = apiOf(server)
const slugOf = async (id: string) => (await rows.run("select slug from workspaces where id = $1", [id]))[0]?.["slug"]
/** Files of media. */
const storedBytes = async () =>
  (await readdir(join(server.folder, "media"), { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
const remove = async (house: Workspace, options: CallOptions = {}) =>
  api("DELETE", `/v1/workspaces/${house.id}`, {
    cookie: house.owner.cookie,
    body: { slug: await slugOf(house.id) },
    ...options,
  })

/** A sweep as it runs a minute after the deletion: it finds no event any more. */
const sweepLater = async () => {
  const sql = openStore(server.databaseUrl, 1)
  const live = { execute: () => Effect.die(new Error("an event was left")) }
  const later = { database: sql.database, live, now: () => Date.now() + 61_000 }
  await Effect.runPromise(sweepDeletedWorkspaces(later))
  await sql.end()
}

const MEETING = { visibility: "public", phases: [{ modality: "meeting", featureSet: ["qa", "chat"] }] }

describe("a workspace that is deleted", () => {
  test("ends its live event once, closes its sockets, and is found nowhere from the answer on", async () => {
    const house = await createWorkspace(server.url)
    const { cookie } = house.owner
    const slug = await slugOf(house.id)
    const member = await addMember(server.url, rows, house.id, "member")
    const event = await createLiveEvent(server.url, house.key, MEETING)
    const soon = await createEvent(server.url, house.key, { visibility: "public" })
    await api("POST", `/v1/events/${soon.id}/publish`, { key: house.key })
    const { joinCode } = (await api("POST", `/v1/events/${soon.id}/join-code`, { key: house.key })).body
    const invite = await api("POST", `/v1/workspaces/${house.id}/invites`, { key: house.key, body: {} })
    const inviteToken = tokenIn(invite.body.inviteUrl)
    await api("POST", `/v1/public/events/${soon.id}/register`, { body: { name: "Zoe", email: "zoe@example.com" } })
    const entry = tokenIn(await entryLink(server.url, "zoe@example.com", soon.id))
    const person = await createPerson(server.url, house.key, event.id, "participant")
    const { sessionToken } = (await api("POST", `/v1/workspaces/${house.id}/session`, { cookie: member.cookie })).body
    const join = async (eventId: string, session?: string) => {
      const { url, token } = await gatewayToken(server.url, eventId, session)
      const client = new Client(url)
      await client.identify(token)
      return client
    }
    const inside = await join(event.id, person.session)
    const waiting = await join(soon.id)

    expect((await remove(house)).status).toBe(204)
    expect(await inside.closeCode()).toBe(4307)
    expect(inside.received.filter(({ t }) => t === "event.ended")).toHaveLength(1)
    expect([4203, 4307]).toContain(await waiting.closeCode())
    const now: ReadonlyArray<readonly [string, string, CallOptions, number]> = [
      ["GET", `/v1/workspaces/${house.id}/members`, { cookie }, 404],
      ["GET", `/v1/workspaces/${house.id}/members`, { cookie: member.cookie }, 404],
      ["POST", `/v1/workspaces/${house.id}/session`, { cookie }, 404],
      ["GET", "/v1/events", { key: house.key }, 401],
      ["GET", "/v1/events", { bearer: sessionToken }, 401],
      ["GET", `/v1/events/${soon.id}`, { cookie }, 404],
      ["GET", `/v1/public/events/${soon.id}`, {}, 404],
      ["GET", `/v1/public/events/${event.id}/recap`, {}, 404],
      ["POST", `/v1/public/events/${soon.id}/register`, { body: { name: "A", email: "a@example.com" } }, 404],
      ["POST", `/v1/public/events/${soon.id}/enter`, { body: { token: entry } }, 404],
      ["POST", "/v1/auth/gateway-token", { body: { eventId: soon.id } }, 404],
      ["POST", "/v1/auth/gateway-token", { body: { eventId: event.id }, bearer: person.session }, 401],
      ["GET", `/v1/public/join/${joinCode}`, {}, 404],
      ["GET", `/v1/invites/${inviteToken}`, {}, 404],
    ]
    for (const [method, path, options, status] of now) {
      const answer = await api(method, path, options)
      expect([method, path, answer.status]).toEqual([method, path, status])
    }
    const { workspaces } = (await api("GET", "/v1/workspaces", { cookie })).body
    expect(workspaces.map(({ id }: { id: string }) => id)).not.toContain(house.id)
    expect((await api("GET", "/v1/accounts/me", { cookie })).body.workspaces).toHaveLength(1)
    expect((await remove(house, { body: { slug } })).status).toBe(404)
    // The slug is free again.
    const again = await api("POST", "/v1/workspaces", { cookie, body: { name: "Again", slug } })
    expect(again.status).toBe(201)
  })

  test("is told to its webhooks once more, and its bytes and notes are gone", async () => {
    const house = await createWorkspace(server.url)
    const receiver = await startReceiver()
    await api("POST", "/v1/webhooks", { key: house.key, body: { url: receiver.url, eventTypes: ["event.ended"] } })
    const event = await createLiveEvent(server.url, house.key, MEETING)
    const begun = await api("POST", `/v1/events/${event.id}/recordings`, {
      key: house.key,
      body: { filename: "talk.wav", contentType: "audio/wav", sizeBytes: wavOf(1).byteLength },
    })
    const bytes = Buffer.from(wavOf(1))
    expect((await fetch(begun.body.uploadUrl, { method: "PUT", body: bytes })).status).toBe(204)
    expect(await storedBytes()).not.toEqual([])
    const notes = await api("PUT", `/v1/events/${event.id}/tables/red/summary`, {
      key: house.key,
      body: {
        table: { number: 1, label: "Table 1" },
        summary: { tldr: "We agreed", themes: [], ideas: [], questions: [], perQuestion: [] },
        stats: { totalWords: 1, promptsCovered: 0, promptsTotal: 0, lifetimeSeconds: 1, headcount: 1 },
        people: [],
        recipients: [{ userId: "u1", name: "Ada", email: "ada@example.com" }],
      },
    })
    const token = tokenIn(notes.body.recipients[0].url)
    const readNotes = () => api("GET", `/v1/public/events/${event.id}/table-summary?t=${token}`)
    expect((await readNotes()).status).toBe(200)

    expect((await remove(house)).status).toBe(204)
    expect((await readNotes()).status).toBe(404)
    await eventually(async () => receiver.received.length > 0, "the end is told")
    await eventually(async () => (await storedBytes()).length === 0, "the bytes are removed")
    await sweepLater()
    expect(receiver.received.map(({ body }) => JSON.parse(body).eventId)).toEqual([event.id])
  })

  test("is deleted also when somebody has taken a slug that looks like that of a deleted one", async () => {
    const house = await createWorkspace(server.url)
    const { cookie } = await signup(server.url)
    const take = (slug: string) => api("POST", "/v1/workspaces", { cookie, body: { name: "Early", slug } })
    expect((await take(`deleted-${house.id}`.slice(0, 40))).status).toBe(201)
    expect((await take(`deleted:${house.id}`)).status).toBe(400)
    expect((await remove(house)).status).toBe(204)
  })

  test("leaves no row behind, and its neighbour whole", async () => {
    const [house, neighbour] = [await createWorkspace(server.url), await createWorkspace(server.url)]
    for (const { key } of [house, neighbour]) {
      const event = await createLiveEvent(server.url, key, MEETING)
      const user = await createPerson(server.url, key, event.id, "host")
      const { url, token } = await gatewayToken(server.url, event.id, user.session)
      const client = new Client(url)
      await client.identify(token)
      await client.command("chat.send", { to: "event", text: "Hello" })
      const asked = await client.command("question.ask", { text: "Why?" })
      await client.command("question.vote", { id: asked.d.question.id, on: true })
      client.socket.close()
      await rows.run(
        `insert into recordings (id, event_id, workspace_id, kind, status, storage_key)
         select $1, id, workspace_id, 'upload', 'ready', $2 from events where id = $3`,
        [randomUUID(), `media/${event.workspaceId}`, event.id],
      )
      await api("POST", "/v1/webhooks", { key, body: { url: "http://127.0.0.1:9/" } })
      await api("POST", `/v1/events/${event.id}/end`, { key })
    }
    const before = await eventRowsOf(neighbour.id)
    expect((await remove(house)).status).toBe(204)
    await eventually(async () => (await eventRowsOf(house.id)) === 0, "its events are removed")
    // The last webhook events are sent for a minute.
    expect(await rows.run("select 1 from webhook_endpoints where workspace_id = $1", [house.id])).toHaveLength(1)
    await sweepLater()
    expect(await rows.run("select 1 from workspaces where id = $1", [house.id])).toEqual([])
    for (const { table } of await tablesOfWorkspaces()) {
      if (table === "outbox_messages") continue
      expect([table, await rows.run(`select 1 from "${table}" where workspace_id = $1`, [house.id])]).toEqual([
        table,
        [],
      ])
    }
    expect(await eventRowsOf(neighbour.id)).toBe(before)
    expect(await rows.run("select 1 from webhook_endpoints where workspace_id = $1", [neighbour.id])).toHaveLength(1)
  })

  test("needs its own slug", async () => {
    const house = await createWorkspace(server.url)
    const other = await createWorkspace(server.url)
    const wrong = await remove(house, { body: { slug: await slugOf(other.id) } })
    expect([wrong.status, wrong.body.code]).toEqual([409, "conflict"])
    expect((await api("GET", "/v1/events", { key: house.key })).status).toBe(200)
    // Unknown properties are ignored, as everywhere but in the few bodies that the description closes.
    expect((await remove(house, { body: { slug: await slugOf(house.id), sure: true } })).status).toBe(204)
  })

  test("twice at once is deleted once", async () => {
    const house = await createWorkspace(server.url)
    const both = await Promise.all([remove(house), remove(house)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 404])
  })
})

const eventRowsOf = async (workspaceId: string): Promise<number> => {
  const [found] = await rows.run(
    `select (select count(*) from events where workspace_id = $1)
          + (select count(*) from recordings where workspace_id = $1)
          + (select count(*) from users where workspace_id = $1) as n`,
    [workspaceId],
  )
  return Number(found?.["n"])
}

const tablesOfWorkspaces = async (): Promise<ReadonlyArray<{ readonly table: string }>> => {
  const found = await rows.run(
    `select table_name as table from information_schema.columns
      where table_schema = 'public' and column_name = 'workspace_id' order by 1`,
  )
  return found.map(({ table }) => ({ table: String(table) }))
}
