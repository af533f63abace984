/** Those who manage the workspace are not a host's to turn out, and those who were removed for good may be let back in. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { call, createLiveEvent, createPerson, gatewayToken, type Json, signup } from "../support/api.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"
import { Client } from "./client.ts"

const server = sharedServer()
const rows = sharedRows(server)
const house = sharedWorkspace(server)

const liveMeeting = (): Promise<Json> =>
  createLiveEvent(server.url, house.key, { phases: [{ modality: "meeting", featureSet: ["qa"] }] })

const sessionOf = async (cookie: string): Promise<string> =>
  (await call(server.url, "POST", `/v1/workspaces/${house.id}/session`, { cookie })).body.sessionToken

const enter = async (eventId: string, session: string): Promise<Client> => {
  const { token, url } = await gatewayToken(server.url, eventId, session)
  const client = new Client(url)
  await client.identify(token)
  return client
}

const refusedAtTheDoor = async (eventId: string, session: string): Promise<number> => {
  const { token, url } = await gatewayToken(server.url, eventId, session)
  const client = new Client(url)
  await client.hello()
  client.send({ op: 2, d: { token } })
  return (await client.closed).code
}

describe.each(["owner", "admin"] as const)("an %s of the workspace", (role) => {
  const makeManager = async (): Promise<string> => {
    if (role === "owner") return sessionOf(house.owner.cookie)
    const account = await signup(server.url, "Abe")
    await rows.run("insert into workspace_members (id, workspace_id, account_id, role) values ($1, $2, $3, 'admin')", [
      randomUUID(),
      house.id,
      account.id,
    ])
    return sessionOf(account.cookie)
  }

  test("is not removed, blocked, muted, lowered or sent to the lobby by a host, even where they read as a participant", async () => {
    const { id } = await liveMeeting()
    const session = await makeManager()
    const manager = await enter(id, session)
    const managerId = manager.received.find(({ t }) => t === "ready").d.me.participantId
    await call(server.url, "POST", `/v1/events/${id}/memberships`, {
      key: house.key,
      body: { userId: managerId, role: "participant" },
    })
    await manager.dispatch("ready")
    const { session: hosts } = await createPerson(server.url, house.key, id, "host")
    const host = await enter(id, hosts)
    await eventually(async () => {
      const { d } = await host.command("roster.list")
      return d.participants.some((one: { participantId: string }) => one.participantId === managerId)
    })
    for (const [t, d] of [
      ["participant.remove", { id: managerId, block: true }],
      ["participant.remove", { id: managerId }],
      ["participant.mute", { id: managerId }],
      ["participant.toLobby", { id: managerId }],
      ["role.set", { id: managerId, role: "viewer" }],
    ] as const) {
      expect(await host.command(t, d)).toMatchObject({ ok: false, e: { code: "forbidden" } })
    }
    expect(await manager.command("question.ask", { text: "Still here?" })).toMatchObject({ ok: true })
    for (const client of [manager, host]) await client.cut()
  })

  test("comes in although they were blocked while they were away, and the block is gone for good", async () => {
    const { id } = await liveMeeting()
    const session = await makeManager()
    const { participantId: managerId } = (
      await call(server.url, "POST", "/v1/auth/gateway-token", { bearer: session, body: { eventId: id } })
    ).body
    const { session: hosts } = await createPerson(server.url, house.key, id, "host")
    const host = await enter(id, hosts)
    expect(await host.command("participant.remove", { id: managerId, block: true })).toMatchObject({ ok: true })
    const again = await enter(id, session)
    expect(await again.command("question.ask", { text: "Me?" })).toMatchObject({ ok: true })
    expect((await host.dispatch("participant.unblocked")).d).toEqual({ participantId: managerId })
    expect(await rows.run("select 1 from live_removals where event_id = $1", [id])).toHaveLength(0)
    expect(again.received.find(({ t }) => t === "ready")?.d.blocked).toEqual([])
    // A former manager of the workspace is not blocked either.
    if (role === "admin") {
      await rows.run(
        `update workspace_members m set role = 'member' from users u
          where u.id = $1 and m.account_id = u.account_id and m.workspace_id = u.workspace_id`,
        [managerId],
      )
      await again.cut()
      const demoted = await enter(id, session)
      expect(demoted.received.find(({ t }) => t === "ready")?.d.me.role).toBe("participant")
      await demoted.cut()
    }
    for (const client of [host, again]) await client.cut()
  })
})

describe("a participant who was removed for good", () => {
  test("comes back once they are unblocked", async () => {
    const { id } = await liveMeeting()
    const { session: hosts } = await createPerson(server.url, house.key, id, "host")
    const { session, userId } = await createPerson(server.url, house.key, id, "participant")
    const host = await enter(id, hosts)
    const guest = await enter(id, session)
    await eventually(async () => (await host.command("participant.remove", { id: userId, block: true })).ok === true)
    expect((await guest.closed).code).toBe(4304)
    expect(await refusedAtTheDoor(id, session)).toBe(4304)
    // A host who comes later finds the id, too.
    const other = await enter(id, hosts)
    expect(other.received.find(({ t }) => t === "ready")?.d.blocked).toEqual([userId])
    await other.cut()

    expect(await host.command("participant.unblock", { id: userId })).toMatchObject({
      ok: true,
      d: { participantId: userId },
    })
    expect((await host.dispatch("participant.unblocked")).d).toEqual({ participantId: userId })
    const back = await enter(id, session)
    expect(back.received.find(({ t }) => t === "ready")?.d.blocked).toBeUndefined()
    expect(await back.command("question.ask", { text: "May I?" })).toMatchObject({ ok: true })
    expect(await rows.run("select 1 from live_removals where event_id = $1", [id])).toHaveLength(0)
    expect(await host.command("participant.unblock", { id: userId })).toMatchObject({
      ok: false,
      e: { code: "not_found" },
    })
    expect(await back.command("participant.unblock", { id: userId })).toMatchObject({
      ok: false,
      e: { code: "forbidden" },
    })
    for (const client of [host, back]) await client.cut()
  })

  test("may be blocked and unblocked again and again, and the last word counts", async () => {
    const { id } = await liveMeeting()
    const { session: hosts } = await createPerson(server.url, house.key, id, "host")
    const { session, userId } = await createPerson(server.url, house.key, id, "participant")
    const host = await enter(id, hosts)
    const guest = await enter(id, session)
    await eventually(async () => (await host.command("participant.remove", { id: userId, block: true })).ok === true)
    await guest.closed
    await Promise.all([
      host.command("participant.unblock", { id: userId }),
      host.command("participant.remove", { id: userId, block: true }),
      host.command("participant.unblock", { id: userId }),
      host.command("participant.remove", { id: userId, block: true }),
    ])
    expect(await refusedAtTheDoor(id, session)).toBe(4304)
    expect(await rows.run("select 1 from live_removals where event_id = $1", [id])).toHaveLength(1)
    await host.cut()
  })
})
