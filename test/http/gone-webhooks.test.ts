/** An endpoint whose receiver answers 410: who is told of it, how, and how often. */
import { expect, test } from "vitest"
import { createEvent, createWorkspace, tokenIn, type Workspace } from "../support/api.ts"
import { startReceiver, status } from "../support/http-receiver.ts"
import { apiOf, sharedServer } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()

const api = apiOf(server)
const verify = async ({ owner: { cookie } }: Workspace) => {
  const { verifyUrl } = (await api("POST", "/v1/accounts/resend-verification", { cookie })).body
  expect((await api("POST", "/v1/accounts/verify", { body: { token: tokenIn(verifyUrl) } })).status).toBe(200)
}
const hook = async ({ key }: Workspace, url: string, eventTypes: ReadonlyArray<string>): Promise<string> =>
  (await api("POST", "/v1/webhooks", { key, body: { url, eventTypes } })).body.id
const publish = async ({ key }: Workspace) => {
  const event = await createEvent(server.url, key)
  await api("POST", `/v1/events/${event.id}/publish`, { key })
}
const emailsTo = async ({ owner: { email } }: Workspace) =>
  (await api("GET", `/v1/dev/outbox?to=${email}`)).body.mails.filter(
    ({ subject }: { subject: string }) => subject === "A webhook endpoint was disabled",
  )

test("its owners get an email, and the other endpoints a webhook.disabled, once each", async () => {
  const acme = await createWorkspace(server.url)
  await verify(acme)
  const [gone, other, unconcerned] = [await startReceiver(status(410)), await startReceiver(), await startReceiver()]
  const id = await hook(acme, `${gone.url}/secret-path?token=secret`, ["event.published"])
  await hook(acme, other.url, ["webhook.disabled"])
  await hook(acme, unconcerned.url, ["event.ended"])
  const state = async () =>
    (await api("GET", "/v1/webhooks", { key: acme.key })).body.webhooks.find((one: { id: string }) => one.id === id)
  await publish(acme)
  await other.count(1)
  expect(JSON.parse(other.received[0]?.body ?? "")).toEqual({
    id: expect.any(String),
    type: "webhook.disabled",
    workspaceId: acme.id,
    eventId: null,
    occurredAt: expect.any(String),
    webhookId: id,
    reason: "gone",
  })
  expect(await state()).toMatchObject({ status: "disabled", disabledReason: "gone" })
  const [letter] = await emailsTo(acme)
  expect(letter.text).toContain("410")
  expect(letter.text).not.toContain("secret")
  expect(letter.links).toEqual([`${server.publicUrl}/host`])

  // Enabled, and gone again: the other endpoints hear of it, and the owners have had their email of the hour.
  await api("PATCH", `/v1/webhooks/${id}`, { key: acme.key, body: { status: "active" } })
  await publish(acme)
  await other.count(2)
  expect(await emailsTo(acme)).toHaveLength(1)
  expect([gone.received.length, unconcerned.received.length]).toEqual([2, 0])
})

test("an owner who has proved no address gets no email", async () => {
  const acme = await createWorkspace(server.url)
  const [gone, other] = [await startReceiver(status(410)), await startReceiver()]
  await hook(acme, gone.url, ["event.published"])
  await hook(acme, other.url, [])
  await publish(acme)
  await eventually(
    () => other.received.some(({ body }) => JSON.parse(body).type === "webhook.disabled"),
    "the other endpoint to hear of it",
  )
  expect(await emailsTo(acme)).toEqual([])
})
