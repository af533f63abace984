/** Sockets of accounts that lost what their token rests on: a password, a role in the workspace, the account itself. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import type { WorkspaceRole } from "../../src/model/roles.ts"
import type { Client } from "./client.ts"
import { type House, openHouse, type Stage } from "./house.ts"

let house: House

beforeAll(async () => {
  house = await openHouse({ recheckMs: 50 })
})
afterAll(() => house.stop())

const makeAccount = async ({ workspaceId }: Stage, role: WorkspaceRole): Promise<string> => {
  const id = newId()
  await house.actors.sql`insert into accounts (id, name) values (${id}, 'Somebody')`
  await house.actors.sql`insert into workspace_members (id, workspace_id, account_id, role)
    values (${newId()}, ${workspaceId}, ${id}, ${role})`
  return id
}

/** `workspaceRole`: the role at the event came from it. */
const joinAs = (stage: Stage, id: string, workspaceRole?: WorkspaceRole, credentialsVersion = 1): Promise<Client> => {
  const account = { id, credentialsVersion, ...(workspaceRole === undefined ? {} : { workspaceRole }) }
  return house.join(stage, id, "host", { kind: "user", account })
}

const resetPassword = (id: string): PromiseLike<unknown> =>
  house.actors.sql`update accounts set credentials_version = credentials_version + 1 where id = ${id}`

test("a new password closes the sockets of before, in all their tabs, and those of nobody else", async () => {
  const stage = await house.stage()
  const [id, other] = [await makeAccount(stage, "admin"), await makeAccount(stage, "admin")]
  const [first, second] = [await joinAs(stage, id, "admin"), await joinAs(stage, id)]
  const guest = await house.join(stage, "guest")
  const stays = await joinAs(stage, other, "admin")
  await resetPassword(id)
  expect(await first.closeCode()).toBe(4203)
  expect(await second.closeCode()).toBe(4203)
  const again = await joinAs(stage, id, "admin", 2)
  for (const client of [guest, stays, again]) expect(await client.command("roster.list")).toMatchObject({ ok: true })
})

test.each(["removed", "given another role"])("a member who is %s hosts no longer", async (what) => {
  const stage = await house.stage()
  const id = await makeAccount(stage, "admin")
  const [host, listed] = [await joinAs(stage, id, "admin"), await joinAs(stage, id)]
  if (what === "removed") await house.actors.sql`delete from workspace_members where account_id = ${id}`
  else await house.actors.sql`update workspace_members set role = 'member' where account_id = ${id}`
  expect(await host.closeCode()).toBe(4203)
  // Whose role is the event's own keeps it.
  expect(await listed.command("roster.list")).toMatchObject({ ok: true })
  const late = house.connect()
  await late.hello()
  const account = { id, credentialsVersion: 1, workspaceRole: "admin" } as const
  late.send({ op: 2, d: { token: await house.token(stage, id, "host", { kind: "user", account }) } })
  expect(await late.closeCode()).toBe(4203)
})

test("an account that is gone closes its sockets, also in the lobby", async () => {
  const stage = await house.stage([{ modality: "meeting", config: { lobby: "ask" } }])
  const id = await makeAccount(stage, "member")
  const client = house.connect()
  await client.hello()
  const account = { id, credentialsVersion: 1 }
  client.send({
    op: 2,
    d: { token: await house.token(stage, id, "participant", { kind: "user", walkIn: true, account }) },
  })
  await client.dispatch("lobby.status")
  await house.actors.sql`delete from accounts where id = ${id}`
  expect(await client.closeCode()).toBe(4203)
})

test("who brings a new token in time stays", async () => {
  const stage = await house.stage()
  const id = await makeAccount(stage, "admin")
  const client = await joinAs(stage, id, "admin")
  const account = { id, credentialsVersion: 1 }
  client.send({ op: 12, id: "new", d: { token: await house.token(stage, id, "host", { kind: "user", account }) } })
  expect(await client.next(({ op }) => op === 4)).toMatchObject({ id: "new", ok: true })
  await house.actors.sql`delete from workspace_members where account_id = ${id}`
  const other = await makeAccount(stage, "admin")
  const witness = await joinAs(stage, other, "admin")
  await resetPassword(other)
  // By then everybody has been looked at.
  expect(await witness.closeCode()).toBe(4203)
  expect(await client.command("roster.list")).toMatchObject({ ok: true })
})
