/**
 * Sockets whose sessions lost their basis, without an announcement in this process: the watch over open sockets
 * finds out. It checks every 50 ms here; `revocation.test.ts` has the announced changes.
 */
import { expect, onTestFinished, test } from "vitest"
import type { Basis } from "../../src/model/grants.ts"
import { newId } from "../../src/model/ids.ts"
import type { WorkspaceRole } from "../../src/model/roles.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import type { Client, Frame } from "./client.ts"
import { received, untilGone } from "./crowd.ts"
import { openHouse, type Stage, sharedHouse } from "./house.ts"

// It awaits the absent for longer than any test takes.
const house = sharedHouse({ recheckMs: 50 }, { returnWithinMs: 3_600_000 })

interface Member {
  readonly accountId: string
  readonly userId: string
  readonly basis: Basis
}

const logIn = async (accountId: string): Promise<string> => {
  const id = newId()
  await house.actors.sql`insert into account_sessions (id, token_hash, account_id, idle_expires_at, expires_at)
    values (${id}, ${Buffer.from(id)}, ${accountId}, now() + interval '1 hour', now() + interval '1 hour')`
  return id
}

/** An account with a login, which belongs to the workspace or does not. */
const makeMember = async ({ workspaceId }: Stage, role: WorkspaceRole | null): Promise<Member> => {
  const [accountId, userId] = [newId(), newId()]
  const { sql } = house.actors
  await sql`insert into accounts (id, name) values (${accountId}, 'Somebody')`
  await sql`insert into users (id, workspace_id, external_sub, account_id, name)
    values (${userId}, ${workspaceId}, ${accountId}, ${accountId}, 'Somebody')`
  if (role !== null) {
    await sql`insert into workspace_members (id, workspace_id, account_id, role)
      values (${newId()}, ${workspaceId}, ${accountId}, ${role})`
  }
  const login = { accountId, sessionId: await logIn(accountId), credentialsVersion: 1 }
  return { accountId, userId, basis: { userId, workspaceId, sessionVersion: 0, login, keyId: null } }
}

/** The token says viewer; the role is looked up. */
const grantOf = ({ userId, basis }: Member) => ({ kind: "user", userId, basis }) as const
const joinAs = (stage: Stage, member: Member): Promise<Client> =>
  house.join(stage, member.userId, "viewer", grantOf(member))

const resetPassword = ({ accountId }: Member): PromiseLike<unknown> =>
  house.actors.sql`update accounts set credentials_version = credentials_version + 1 where id = ${accountId}`

const privateStage = async (): Promise<Stage> => {
  const stage = await house.stage()
  await house.actors.sql`update events set visibility = 'private' where id = ${stage.eventId}`
  return stage
}

test("a new password closes the sockets of before, in all their tabs, and those of nobody else", async () => {
  const stage = await house.stage()
  const [one, other] = [await makeMember(stage, "admin"), await makeMember(stage, "admin")]
  const [first, second] = [await joinAs(stage, one), await joinAs(stage, one)]
  const guest = await house.join(stage, "guest")
  const stays = await joinAs(stage, other)
  await resetPassword(one)
  expect(await first.closeCode()).toBe(4203)
  expect(await second.closeCode()).toBe(4203)
  const login = { accountId: one.accountId, sessionId: await logIn(one.accountId), credentialsVersion: 2 }
  const again = await joinAs(stage, { ...one, basis: { ...one.basis, login } })
  for (const client of [guest, stays, again]) expect(await client.command("roster.list")).toMatchObject({ ok: true })
})

const logOut = ({ accountId }: Member): PromiseLike<unknown> =>
  house.actors.sql`delete from account_sessions where account_id = ${accountId}`

/** What ends the session of a member of a private event, each without an announcement. */
const ENDS: ReadonlyArray<readonly [how: string, end: (member: Member) => PromiseLike<unknown>]> = [
  ["the login ends", logOut],
  [
    "the login has been idle for too long",
    ({ accountId }) =>
      house.actors.sql`update account_sessions set idle_expires_at = now() where account_id = ${accountId}`,
  ],
  [
    "the sessions are ended",
    ({ userId }) => house.actors.sql`update users set session_version = 1 where id = ${userId}`,
  ],
  ["the password is another one since", resetPassword],
  ["the account is gone", ({ accountId }) => house.actors.sql`delete from accounts where id = ${accountId}`],
  [
    "they no longer belong to the workspace of the private event",
    ({ accountId }) => house.actors.sql`delete from workspace_members where account_id = ${accountId}`,
  ],
]

test("a member is closed however their session ends, and refused when they come back with the same token", async () => {
  const stage = await privateStage()
  for (const [how, end] of ENDS) {
    const member = await makeMember(stage, "admin")
    const host = await joinAs(stage, member)
    await end(member)
    expect([how, await host.closeCode()]).toEqual([how, 4203])
    const late = house.connect()
    await late.hello()
    late.send({ op: 2, d: { token: await house.token(stage, member.userId, "host", grantOf(member)) } })
    expect([how, await late.closeCode()]).toEqual([how, 4203])
  }
})

test("a member who is given another role in the workspace has the role at the event that goes with it", async () => {
  const stage = await privateStage()
  const member = await makeMember(stage, "admin")
  const client = await joinAs(stage, member)
  expect(await client.command("lobby.policy", { mode: "open" })).toMatchObject({ ok: true })
  await house.actors.sql`update workspace_members set role = 'member' where account_id = ${member.accountId}`
  expect((await client.dispatch("ready")).d.me.role).toBe("participant")
  expect(await client.command("lobby.policy", { mode: "open" })).toMatchObject({ e: { code: "forbidden" } })
})

test("who logs out is not awaited: their hand falls at once, and not before their last tab is closed", async () => {
  const stage = await house.stage([{ modality: "meeting" }])
  const member = await makeMember(stage, "admin")
  const host = await house.join(stage, "host", "host")
  const lost = await house.join(stage, "lost", "participant")
  const [first, second] = [await joinAs(stage, member), await joinAs(stage, member)]
  for (const client of [lost, first]) expect(await client.command("hand.raise")).toMatchObject({ ok: true })
  await lost.cut()
  await logOut(member)
  expect([await first.closeCode(), await second.closeCode()]).toEqual([4203, 4203])
  await received(host, "hand.queue", ({ remove }) => remove.includes(member.userId))
  const { handQueue } = (await house.join(stage, "another host", "host")).received.find(({ t }) => t === "ready").d
  expect(handQueue.items.map(({ participantId }: Frame) => participantId)).toEqual(["lost"])
})

test("who logs out while they wait loses the place in the waiting room", async () => {
  const stage = await house.stage([{ modality: "meeting", config: { lobby: "ask" } }])
  const member = await makeMember(stage, null)
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const wait = async (basis: Basis): Promise<Client> => {
    const client = house.connect()
    await client.hello()
    client.send({
      op: 2,
      d: { token: await house.token(stage, member.userId, "participant", { ...grantOf(member), basis }) },
    })
    await client.dispatch("lobby.status")
    return client
  }
  const isHere = ({ participantId }: Frame) => participantId === member.userId
  const first = await wait(member.basis)
  const before = (await received(host, "lobby.waiting", ({ add }) => add.some(isHere))).d.add.find(isHere)
  await logOut(member)
  expect(await first.closeCode()).toBe(4203)
  await received(host, "lobby.waiting", ({ remove }) => remove.includes(member.userId))
  const login = { accountId: member.accountId, sessionId: await logIn(member.accountId), credentialsVersion: 1 }
  await wait({ ...member.basis, login })
  const again = await received(host, "lobby.waiting", ({ add }) =>
    add.some((one: Frame) => isHere(one) && one.since !== before.since),
  )
  expect(again.d.add.find(isHere).since > before.since).toBe(true)
})

test("a key that is revoked closes the sockets of the users it vouched for", async () => {
  const stage = await house.stage()
  const { sql } = house.actors
  const [keyId, userId] = [newId(), newId()]
  await sql`insert into api_keys (id, workspace_id, secret_hash, prefix, last4)
    values (${keyId}, ${stage.workspaceId}, ${Buffer.from(keyId)}, 'gck_', 'last')`
  await sql`insert into users (id, workspace_id, external_sub) values (${userId}, ${stage.workspaceId}, ${userId})`
  const basis = { userId, workspaceId: stage.workspaceId, sessionVersion: 0, login: null, keyId }
  const client = await house.join(stage, userId, "participant", { kind: "user", userId, basis })
  await sql`update api_keys set revoked_at = now() where id = ${keyId}`
  expect(await client.closeCode()).toBe(4203)
})

test("an account that is gone closes its sockets, also in the lobby", async () => {
  const stage = await house.stage([{ modality: "meeting", config: { lobby: "ask" } }])
  const member = await makeMember(stage, null)
  const client = house.connect()
  await client.hello()
  client.send({ op: 2, d: { token: await house.token(stage, member.userId, "participant", grantOf(member)) } })
  await client.dispatch("lobby.status")
  await house.actors.sql`delete from accounts where id = ${member.accountId}`
  expect(await client.closeCode()).toBe(4203)
})

test("a connection that brings a new token in time stays", async () => {
  const stage = await house.stage()
  const member = await makeMember(stage, "admin")
  const client = await joinAs(stage, member)
  const sessionId = await logIn(member.accountId)
  const basis = { ...member.basis, login: { accountId: member.accountId, sessionId, credentialsVersion: 1 } }
  const token = await house.token(stage, member.userId, "host", grantOf({ ...member, basis }))
  client.send({ op: 12, id: "new", d: { token } })
  expect(await client.next(({ op }) => op === 4)).toMatchObject({ id: "new", ok: true })
  await house.actors.sql`delete from account_sessions where id = ${member.basis.login?.sessionId ?? ""}`
  const other = await makeMember(stage, "admin")
  const witness = await joinAs(stage, other)
  await resetPassword(other)
  // By then everybody has been looked at.
  expect(await witness.closeCode()).toBe(4203)
  expect(await client.command("roster.list")).toMatchObject({ ok: true })
})

/** Resolves when all open sockets have been looked at once more. */
const anotherLook = async (stage: Stage): Promise<void> => {
  const other = await makeMember(stage, "admin")
  const witness = await joinAs(stage, other)
  await resetPassword(other)
  expect(await witness.closeCode()).toBe(4203)
}

test("a role that a host gave ends when the list differs, also without a message to the event", async () => {
  const stage = await house.stage()
  const [admin, member] = [await makeMember(stage, "admin"), await makeMember(stage, "member")]
  const [host, guest] = [await joinAs(stage, admin), await joinAs(stage, member)]
  expect(await host.command("role.set", { id: member.userId, role: "host" })).toMatchObject({ ok: true })
  expect((await guest.dispatch("ready")).d.me.role).toBe("host")
  await anotherLook(stage)
  expect(await guest.command("lobby.policy", { mode: "open" })).toMatchObject({ ok: true })
  await house.actors.sql`update memberships set role = 'participant' where user_id = ${member.userId}`
  expect((await guest.dispatch("ready")).d.me.role).toBe("participant")
  expect(await guest.command("lobby.policy", { mode: "open" })).toMatchObject({ e: { code: "forbidden" } })
  // The live event has forgotten the role as well: newcomers read the stored one.
  expect((await house.actors.read(stage.eventId)).snapshot).not.toHaveProperty(["roles", member.userId])
})

test("a role for the time on stage stays while the list has another one", async () => {
  const stage = await house.stage([{ modality: "broadcast" }])
  const [admin, member] = [await makeMember(stage, "admin"), await makeMember(stage, null)]
  const [host, viewer] = [await joinAs(stage, admin), await joinAs(stage, member)]
  expect(await host.command("stage.invite", { id: member.userId })).toMatchObject({ ok: true })
  expect(await viewer.command("stage.accept")).toMatchObject({ ok: true })
  expect((await viewer.dispatch("me.updated")).d.role).toBe("speaker")
  for (let look = 0; look < 4; look++) await anotherLook(stage)
  expect((await house.actors.read(stage.eventId)).snapshot.roles).toMatchObject({ [member.userId]: "speaker" })
  expect(viewer.received.findLast(({ t }) => t === "me.updated").d.role).toBe("speaker")
})

test("a role that a host gives to somebody who is away is on the list, so that it stays when they come back", async () => {
  const stage = await house.stage()
  const [admin, member] = [await makeMember(stage, "admin"), await makeMember(stage, "member")]
  const [host, guest] = [await joinAs(stage, admin), await joinAs(stage, member)]
  expect(await host.command("role.set", { id: member.userId, role: "host" })).toMatchObject({ ok: true })
  await guest.cut()
  await untilGone(house, stage, member.userId)
  expect(await host.command("role.set", { id: member.userId, role: "participant" })).toMatchObject({ ok: true })
  const listed = await house.actors.sql`select role from memberships where user_id = ${member.userId}`
  expect(listed).toMatchObject([{ role: "participant" }])
})

/** The statement that looks grants up. */
const LOOK = /select asked\.user_id is null or u\.id is not null as user_holds/

test("changes that are announced without a pause do not keep the watch from unannounced ones", async () => {
  const stage = await house.stage()
  const [busy, member] = [await makeMember(stage, "admin"), await makeMember(stage, "admin")]
  const [stays, client] = [await joinAs(stage, busy), await joinAs(stage, member)]
  // timed: the changes without a pause are what the test is about.
  const announcing = setInterval(() => house.changeGrants({ userId: busy.userId }), 2)
  onTestFinished(() => clearInterval(announcing))
  await house.actors.sql`delete from account_sessions where account_id = ${member.accountId}`
  expect(await client.closeCode()).toBe(4203)
  expect(await stays.command("roster.list")).toMatchObject({ ok: true })
})

test("a look that failed is made up for soon, for all sockets", async () => {
  const proxy = await startPostgresProxy(house.databaseUrl)
  onTestFinished(() => proxy.close())
  const slow = await openHouse({ recheckMs: 600_000 }, {}, proxy.url)
  onTestFinished(() => slow.stop())
  const stage = await slow.stage()
  const member = await makeMember(stage, "admin")
  const client = await slow.join(stage, member.userId, "viewer", grantOf(member))
  proxy.onStatement({ match: LOOK, action: { kind: "fail", code: "57P03", message: "away" }, times: 1 })
  await house.actors.sql`delete from account_sessions where account_id = ${member.accountId}`
  slow.changeGrants({ userId: member.userId })
  expect(await client.closeCode()).toBe(4203)
  expect(proxy.counts().actions["fail"]).toBe(1)
})

test("a new token that cannot be looked up now is refused for now, and taken later", async () => {
  const proxy = await startPostgresProxy(house.databaseUrl)
  onTestFinished(() => proxy.close())
  const away = await openHouse({ recheckMs: 600_000 }, {}, proxy.url)
  onTestFinished(() => away.stop())
  const stage = await away.stage()
  const member = await makeMember(stage, "admin")
  const client = await away.join(stage, member.userId, "viewer", grantOf(member))
  const token = await away.token(stage, member.userId, "viewer", grantOf(member))
  proxy.onStatement({ match: LOOK, action: { kind: "fail", code: "57P03", message: "away" }, times: 2 })
  const forNow = { code: "unavailable", temporary: true, retryAfterMs: 2000 }
  client.send({ op: 12, id: "first", d: { token } })
  expect(await client.next(({ op }) => op === 4)).toMatchObject({ id: "first", ok: false, e: forNow })
  client.send({ op: 12, d: { token } })
  expect((await client.next(({ op }) => op === 13)).d).toMatchObject(forNow)
  client.send({ op: 12, id: "again", d: { token } })
  expect(await client.next(({ op }) => op === 4)).toMatchObject({ id: "again", ok: true })
  client.send({ op: 12, id: "broken", d: { token: "none" } })
  expect((await client.next(({ op }) => op === 4)).e).toEqual({ code: "unauthorized", message: expect.any(String) })
})

test("a connection that brings a new token while it is looked at is judged by that token", async () => {
  const proxy = await startPostgresProxy(house.databaseUrl)
  onTestFinished(() => proxy.close())
  const late = await openHouse({ recheckMs: 300 }, { node: "late" }, proxy.url)
  onTestFinished(() => late.stop())
  const stage = await late.stage()
  const member = await makeMember(stage, "admin")
  const client = await late.join(stage, member.userId, "viewer", grantOf(member))
  const login = { accountId: member.accountId, sessionId: await logIn(member.accountId), credentialsVersion: 1 }
  const renewed = grantOf({ ...member, basis: { ...member.basis, login } })
  const token = await late.token(stage, member.userId, "host", renewed)
  const look = /with asked as materialized/

  await proxy.answered(look)
  // The next check finds that the first login has ended, and its result comes only once the connection has another one.
  let release = (): void => {}
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  await proxy.onStatement({ match: look, action: { kind: "hold", until }, times: 1 }).reached(1)
  await house.actors.sql`delete from account_sessions where id = ${member.basis.login?.sessionId ?? ""}`
  client.send({ op: 12, id: "new", d: { token } })
  expect(await client.next(({ op }) => op === 4)).toMatchObject({ id: "new", ok: true })
  release()
  // The look after it begins only when that one has been judged.
  await proxy.seen(look)
  expect(await client.command("roster.list")).toMatchObject({ ok: true })
})
