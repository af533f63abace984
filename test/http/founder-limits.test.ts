/** What one account may found and store, and who may store media at all. */
import { describe, expect, onTestFinished, test } from "vitest"
import { Client } from "../gateway/client.ts"
import {
  type Account,
  call,
  createEvent,
  createLiveEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  signup,
  tokenIn,
  type Workspace,
} from "../support/api.ts"
import { linkIn, startMailServer } from "../support/mail-server.ts"
import { rowsOf } from "../support/rows.ts"
import { startMediaServer, startTestServer, type TestServer } from "../support/server.ts"
import { shared, sharedServer } from "../support/shared.ts"

const publishedEvent = async (server: TestServer, { key }: Workspace): Promise<string> => {
  const event = await createEvent(server.url, key)
  await call(server.url, "POST", `/v1/events/${event.id}/publish`, { key })
  return event.id
}
const beginIn = async (server: TestServer, workspace: Workspace, sizeBytes: number) => {
  const eventId = await publishedEvent(server, workspace)
  return call(server.url, "POST", `/v1/events/${eventId}/recordings`, { key: workspace.key, body: { sizeBytes } })
}

describe("an account", () => {
  const server = sharedServer(() =>
    startMediaServer({
      WORKSPACES_PER_ACCOUNT: "3",
      MEDIA_QUOTA_BYTES: "100000",
      MEDIA_QUOTA_BYTES_PER_FOUNDER: "150000",
    }),
  )

  test("founds as many workspaces as it may, also at once, and another when one is gone", async () => {
    const owner = await signup(server.url)
    const found = () => call(server.url, "POST", "/v1/workspaces", { cookie: owner.cookie, body: { name: "Acme" } })
    // The first came with the account.
    const answers = await Promise.all([found(), found(), found(), found()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: "conflict",
      detail: "An account may found 3 workspaces, and this one has.",
    })
    const { id, slug } = answers.find(({ status }) => status === 201)?.body ?? expect.fail("none was founded")
    const deleted = await call(server.url, "DELETE", `/v1/workspaces/${id}`, { cookie: owner.cookie, body: { slug } })
    expect(deleted.status).toBeLessThan(300)
    expect((await found()).status).toBe(201)
  })

  test("stores no more in all its workspaces together than the quota of a founder", async () => {
    const owner = await signup(server.url)
    const [one, two] = [await createWorkspace(server.url, owner), await createWorkspace(server.url, owner)]
    const begin = (workspace: Workspace, sizeBytes: number) => beginIn(server, workspace, sizeBytes)
    expect((await begin(one, 90_000)).status).toBe(201)
    expect((await begin(one, 20_000)).status).toBe(409)
    expect((await begin(two, 70_000)).status).toBe(409)
    expect((await begin(two, 60_000)).status).toBe(201)
    // Another founder's count by themselves.
    expect((await begin(await createWorkspace(server.url), 90_000)).status).toBe(201)
  })
})

describe("in production, with mail", () => {
  const mail = shared(startMailServer, (one) => one.close())
  const server = sharedServer(() =>
    startTestServer({
      NODE_ENV: "production",
      PUBLIC_URL: "https://events.example.com",
      TRUSTED_PROXIES: "127.0.0.1",
      SMTP_URL: mail.url,
      MAIL_FROM: "Events <events@example.com>",
    }),
  )
  const verify = async ({ email }: Account) => {
    const token = tokenIn(linkIn(await mail.next(email)).href)
    expect((await call(server.url, "POST", "/v1/accounts/verify", { body: { token } })).status).toBe(200)
  }

  test("a workspace stores and broadcasts once one of its owners has proved an address", async () => {
    const owner = await signup(server.url)
    const workspace = await createWorkspace(server.url, owner)
    const event = await createLiveEvent(server.url, workspace.key, { phases: [{ modality: "broadcast" }] })
    const phase = `/v1/phases/${event.phases[0].id}/broadcast`
    expect((await call(server.url, "POST", `${phase}/start`, { key: workspace.key, body: {} })).status).toBe(200)
    const { session } = await createPerson(server.url, workspace.key, event.id, "host")
    const host = new Client(`${server.url.replace("http", "ws")}/v1/gateway`)
    await host.identify((await gatewayToken(server.url, event.id, session)).token)
    const attempts = async () => {
      const recording = await beginIn(server, workspace, 1000)
      const ingest = await call(server.url, "POST", `${phase}/ingest`, { key: workspace.key })
      const byHost = await host.command("broadcast.ingest", {})
      return [recording.status, ingest.status, byHost.e?.code ?? "given"]
    }
    expect(await attempts()).toEqual([403, 403, "forbidden"])
    await host.cut()
    const refused = await beginIn(server, workspace, 1000)
    expect(refused.body).toMatchObject({ code: "forbidden", detail: expect.stringContaining("confirmed") })
    await verify(owner)
    // The proof takes back the keys that were made before.
    const key = await call(server.url, "POST", `/v1/workspaces/${workspace.id}/api-keys`, {
      cookie: owner.cookie,
      body: {},
    })
    expect(key.status).toBe(201)
    expect((await beginIn(server, { ...workspace, key: key.body.secret }, 1000)).status).toBe(201)
    const given = await call(server.url, "POST", `${phase}/ingest`, { key: key.body.secret })
    expect(given.status).toBe(201)
  })

  test("bytes of a workspace whose proof is gone are not taken any more", async () => {
    const owner = await signup(server.url)
    await verify(owner)
    const workspace = await createWorkspace(server.url, owner)
    const { uploadUrl } = (await beginIn(server, workspace, 1000)).body
    const rows = rowsOf(server.databaseUrl)
    onTestFinished(rows.end)
    await rows.run("update account_emails set verified_at = null where account_id = $1", [owner.id])
    const { pathname } = new URL(uploadUrl)
    const answer = await fetch(server.url + pathname, { method: "PUT", body: new Uint8Array(1000) })
    expect(answer.status).toBe(413)
  })
})
