/** The receiver of webhooks that a server in development has for its playground. */
import { randomUUID } from "node:crypto"
import { expect, test } from "vitest"
import { call, createWorkspace, type Json } from "../support/api.ts"
import { startTestServer } from "../support/server.ts"
import { sharedServer } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()

const list = async (name: string): Promise<Json[]> =>
  (await call(server.url, "GET", `/v1/dev/inboxes/${name}`)).body.deliveries
const post = (name: string, body: string | Buffer) =>
  fetch(`${server.url}/v1/dev/inboxes/${name}`, { method: "POST", body, headers: { "webhook-id": "one" } })

test("keeps the deliveries of a webhook, with what their signature is checked by", async () => {
  const { key } = await createWorkspace(server.url)
  const name = randomUUID()
  const url = `${server.url}/v1/dev/inboxes/${name}`
  const hook = (await call(server.url, "POST", "/v1/webhooks", { key, body: { url } })).body
  await call(server.url, "POST", `/v1/webhooks/${hook.id}/ping`, { key })
  await eventually(async () => (await list(name)).length === 1, "the ping to arrive")
  const [delivery] = await list(name)
  expect(delivery).toMatchObject({
    at: expect.any(String),
    headers: { "webhook-signature": expect.stringMatching(/^v1,/), "x-gc-event-type": "ping" },
  })
  expect(JSON.parse(delivery.body).type).toBe("ping")
  expect(await list(randomUUID())).toEqual([])
})

test("keeps the newest two hundred of an inbox, and a hundred inboxes", async () => {
  const [full, old] = [randomUUID(), randomUUID()]
  await post(old, "{}")
  for (let n = 0; n < 205; n++) await post(full, String(n))
  const kept = await list(full)
  expect([kept.length, kept[0].body, kept.at(-1).body]).toEqual([200, "5", "204"])
  for (let n = 0; n < 100; n++) await post(randomUUID(), "{}")
  expect(await list(old)).toEqual([])
})

test("refuses names that are none, and bodies that are too long or no text", async () => {
  const name = randomUUID()
  const refused = async (to: string, body: string): Promise<readonly [number, string]> => {
    const answer = await post(to, body)
    return [answer.status, ((await answer.json()) as Json).detail]
  }
  const NAME = "name: must be 8 to 64 letters, digits, hyphens and underscores."
  expect(await refused("short", "{}")).toEqual([400, NAME])
  expect(await refused(encodeURIComponent("../../etc/passwd"), "{}")).toEqual([400, NAME])
  expect(await refused(name, "x".repeat(70_000))).toEqual([400, "body: at most 65536 bytes are kept."])
  expect(await refused(name, "a\0b")).toEqual([400, "body: must be text without NUL."])
  expect(await list(name)).toEqual([])
  expect((await fetch(`${server.url}/v1/dev/inboxes/${name}`, { method: "DELETE" })).status).toBe(405)
})

test("is not there in production", async () => {
  const strict = await startTestServer({ NODE_ENV: "production", PUBLIC_URL: "https://events.example.com" })
  expect((await fetch(`${strict.url}/v1/dev/inboxes/${randomUUID()}`)).status).toBe(404)
  await strict.stop()
})
