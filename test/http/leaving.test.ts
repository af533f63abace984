/** "I cannot come": the link in a registrant's emails gives the place free, behind a button. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { call, createEvent, type Json, tokenIn } from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const published = async (fields: object = {}): Promise<Json> => {
  const event = await createEvent(server.url, acme.key, { title: "Talks & <more>", ...fields })
  await call(server.url, "POST", `/v1/events/${event.id}/publish`, { key: acme.key })
  return event
}
const newEmail = () => `${randomUUID()}@example.com`
const register = (id: string, email: string) =>
  call(server.url, "POST", `/v1/public/events/${id}/register`, { body: { name: "Ada <b>", email } })
const lettersTo = async (email: string): Promise<ReadonlyArray<Json>> =>
  (await call(server.url, "GET", `/v1/dev/outbox?to=${email}`)).body.mails
const seats = async (id: string): Promise<number> =>
  (await call(server.url, "GET", `/v1/public/events/${id}`)).body.capacity.remaining

const page = async (path: string, form?: { readonly [field: string]: string }) => {
  const answer = await fetch(`${server.url}${path}`, {
    ...(form === undefined
      ? {}
      : {
          method: "POST",
          body: new URLSearchParams(form),
          headers: { "content-type": "application/x-www-form-urlencoded", origin: server.url },
        }),
  })
  return { status: answer.status, text: await answer.text() }
}

/** A place that was taken, and the path and token of the link that gives it free. */
const taken = async (fields: object = {}) => {
  const event = await published({ capacity: 2, ...fields })
  const email = newEmail()
  await register(event.id, email)
  const [letter] = await lettersTo(email)
  const link = new URL(String(letter?.links[1]))
  expect(letter?.text).toContain(`I cannot come:\n${link}`)
  expect(letter?.html ?? letter?.text).toContain(link.pathname)
  return { event, email, path: link.pathname, token: tokenIn(String(link)) }
}

describe("the link of an email", () => {
  test("shows a page with a button, and changes nothing", async () => {
    const { event, path, token } = await taken()
    for (let look = 0; look < 3; look++) {
      expect((await page(path)).status).toBe(200)
      const opened = await page(`${path}/open`, { token })
      expect(opened.status).toBe(200)
      expect(opened.text).toContain("Ada &lt;b&gt;, you have a place at <strong>Talks &amp; &lt;more&gt;</strong>")
      expect(opened.text).toContain(`<form method="post" action="/leave/${event.id}">`)
    }
    expect(await seats(event.id)).toBe(1)
  })

  test("gives the place free with its button, once, and ends the links of all emails", async () => {
    const receiver = await startReceiver()
    const body = { url: receiver.url, eventTypes: ["registration.cancelled"] }
    const hook = await call(server.url, "POST", "/v1/webhooks", { key: acme.key, body })
    const { event, email, path, token } = await taken()
    await register(event.id, email)
    const other = tokenIn((await lettersTo(email))[0].links[0])
    expect(other).not.toBe(token)
    const answers = await Promise.all([1, 2, 3].map(() => page(path, { token })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.find(({ status }) => status === 200)?.text).toContain("Your place is free")
    for (const { status } of answers) expect([200, 401, 404]).toContain(status)
    expect(await seats(event.id)).toBe(2)
    await receiver.count(1)
    await call(server.url, "DELETE", `/v1/webhooks/${hook.body.id}`, { key: acme.key })
    expect(receiver.received.map(({ body: sent }) => JSON.parse(sent))).toMatchObject([
      { type: "registration.cancelled", eventId: event.id, email },
    ])
    for (const one of [token, other]) {
      const enter = await call(server.url, "POST", `/v1/public/events/${event.id}/enter`, { body: { token: one } })
      expect(enter.status).toBe(401)
      expect((await page(`${path}/open`, { token: one })).status).toBe(401)
    }
    expect((await register(event.id, email)).body).toEqual({ registered: true, alreadyRegistered: false })
  })

  test("makes a seat free for somebody else", async () => {
    const { event, path, token } = await taken({ capacity: 1 })
    expect((await register(event.id, newEmail())).body.code).toBe("event_full")
    await page(path, { token })
    expect((await register(event.id, newEmail())).status).toBe(200)
  })

  test("works while the event is cancelled or live, and no more once it has ended", async () => {
    const drive = (id: string, verb: string) => call(server.url, "POST", `/v1/events/${id}/${verb}`, { key: acme.key })
    const cancelled = await taken()
    await drive(cancelled.event.id, "cancel")
    expect((await page(cancelled.path, { token: cancelled.token })).status).toBe(200)
    const [live, ended] = [await taken(), await taken()]
    await drive(live.event.id, "start")
    expect((await page(live.path, { token: live.token })).status).toBe(200)
    for (const verb of ["start", "end"]) await drive(ended.event.id, verb)
    const late = await page(ended.path, { token: ended.token })
    expect([late.status, late.text.includes("The event has ended.")]).toEqual([409, true])
  })

  test("is for its own event, and refuses what is no token", async () => {
    const [one, two] = [await taken(), await taken()]
    expect((await page(one.path, { token: two.token })).status).toBe(401)
    for (const token of ["", "x", "\u0000", "x".repeat(5000)]) {
      expect((await page(one.path, { token })).status).toBe(401)
    }
    expect((await page("/leave/nothing", { token: one.token })).status).toBe(401)
    expect((await page(`/leave/${randomUUID()}`, { token: one.token })).status).toBe(401)
    expect((await page(`/leave/${encodeURIComponent('"><script>')}`)).text).not.toContain("<script>alert")
    expect([await seats(one.event.id), await seats(two.event.id)]).toEqual([1, 1])
  })
})
