/** The waiting list of an event: who waits, who is offered a free place, and what becomes of the offer. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { call, type Json, newEmail } from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { openRegistrations } from "../support/registrations.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const HOUR = 3_600_000
const open = (fields: object = {}) =>
  openRegistrations(server, rows, acme, { capacity: 1, waitingList: { offerHours: 24 }, ...fields })

/** A full event, whose place one person has, and others wait for in this order. */
const full = async (waiting: number, fields: object = {}) => {
  const house = await open(fields)
  const holder = newEmail()
  await house.register(holder)
  const queue = Array.from({ length: waiting }, () => newEmail())
  for (const email of queue) await house.register(email)
  return { ...house, holder, queue, leave: async () => house.byLink("place/leave", await house.tokenOf(holder)) }
}

const page = async (path: string, form: { readonly [field: string]: string }) => {
  const answer = await fetch(`${server.url}${path}`, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: server.url },
  })
  return { status: answer.status, text: await answer.text() }
}

describe("a full event", () => {
  test("refuses people as before while it has no waiting list", async () => {
    const { register, told } = await open({ waitingList: null })
    await register(newEmail())
    expect(await register(newEmail())).toMatchObject({ status: 409, body: { code: "event_full" } })
    expect(await told()).toHaveLength(1)
  })

  test("puts people on its list, who see their position, get no link to enter, and are told to organisers", async () => {
    const { register, listed, lettersTo, tokenOf, byLink, queue, find, api, path, told, holder } = await full(2)
    const [first = "", second = ""] = queue
    expect((await register(second)).body).toEqual({ registered: false, alreadyRegistered: true })
    expect((await listed()).map(({ state, position }) => [state, position])).toEqual([
      ["approved", null],
      ["waiting", 1],
      ["waiting", 2],
    ])
    expect((await listed("?state=waiting")).map(({ email }) => email)).toEqual(queue)
    expect((await api("GET", `${path}/registrations?state=asleep`)).status).toBe(400)
    const [letter] = await lettersTo(second)
    expect(letter.subject).toBe("Waiting list: Launch")
    expect(letter.text).toContain("you are number 2 of the waiting list")
    expect(letter.links.map((link: string) => link.replace(/#.*/, ""))).toEqual([
      `${server.url}/place/${(await find(second)).eventId}`,
      `${server.url}/leave/${(await find(second)).eventId}`,
    ])
    const token = await tokenOf(second)
    expect((await byLink("place", token)).body).toEqual({
      name: "Ada",
      state: "waiting",
      position: 2,
      offerEndsAt: null,
      declineReason: null,
    })
    expect(await byLink("enter", token)).toMatchObject({ status: 401, body: { code: "unauthorized" } })
    const opened = await page(`${new URL(letter.links[0]).pathname}/open`, { token })
    expect(opened.text).toContain("You are number <strong>2</strong> of the waiting list")
    expect(opened.text).not.toContain("Take the place")
    const csv = (await api("GET", `${path}/registrations?format=csv`)).body as string
    expect(
      csv
        .split("\r\n")
        .slice(1, 3)
        .map((line) => line.split(",").slice(4, 6)),
    ).toEqual([
      ["approved", ""],
      ["waiting", "1"],
    ])
    expect(await told()).toEqual([
      `created approved ${holder}`,
      `waiting waiting ${first}`,
      `waiting waiting ${second}`,
    ])
  })
})

describe("a place that becomes free", () => {
  test("is offered to the first who waits, who takes it with the button of the page, once", async () => {
    const receiver = await startReceiver()
    const hook = { url: receiver.url, eventTypes: ["registration.offered", "registration.approved"] }
    const house = await full(2)
    const webhook = await house.api("POST", "/v1/webhooks", { body: hook })
    const [first = "", second = ""] = house.queue
    expect((await house.leave()).status).toBe(204)
    await house.becomes(first, "offered")
    expect([await house.remaining(), await house.stateOf(second)]).toEqual([0, "waiting"])
    const { offerEndsAt } = await house.find(first)
    expect((Date.parse(offerEndsAt) - Date.now()) / HOUR).toBeCloseTo(24, 1)
    const [letter] = await house.lettersTo(first)
    expect(letter.subject).toBe("A place is free: Launch")
    expect(letter.text).toContain("Take the place:\n")
    expect(letter.text).toContain("I do not want the place:\n")
    const token = await house.tokenOf(first)
    const path = `/place/${house.event.id}`
    expect((await fetch(`${server.url}${path}`)).status).toBe(200)
    for (let look = 0; look < 2; look++)
      expect((await page(`${path}/open`, { token })).text).toContain("Take the place")
    expect(await house.stateOf(first)).toBe("offered")
    expect((await house.byLink("enter", token)).status).toBe(401)
    const answers = await Promise.all([1, 2, 3].map(() => page(path, { token })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.text).toContain("The place is taken already.")
    expect(await house.byLink("place/accept", token)).toMatchObject({ status: 409, body: { code: "conflict" } })
    const [entry] = await house.lettersTo(first)
    expect(entry).toMatchObject({ subject: "Your place at Launch" })
    expect((await house.byLink("enter", await house.tokenOf(first))).status).toBe(200)
    expect((await page(`${path}/open`, { token })).text).toContain("You have a place.")
    await receiver.count(2)
    await house.api("DELETE", `/v1/webhooks/${webhook.body.id}`)
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: "registration.offered", state: "offered", email: first },
      { type: "registration.approved", state: "approved", email: first },
    ])
  })

  test("goes to the next person when an offer is declined, or over, which the person is told", async () => {
    const house = await full(3)
    const [first = "", second = "", third = ""] = house.queue
    await house.leave()
    await house.becomes(first, "offered")
    expect((await house.byLink("place/leave", await house.tokenOf(first))).status).toBe(204)
    await house.becomes(second, "offered")
    const late = await house.tokenOf(second)
    await house.endOffers()
    expect((await house.byLink("place/accept", late)).body.detail).toBe("The offer is over.")
    await house.becomes(third, "offered")
    expect(await house.stateOf(second)).toBe("expired")
    expect((await house.byLink("place/accept", late)).status).toBe(409)
    expect(await house.subjects(second)).toEqual([
      "Waiting list: Launch",
      "A place is free: Launch",
      "Your offer is over: Launch",
    ])
    expect(await house.told()).toEqual([
      `created approved ${house.holder}`,
      ...house.queue.map((email) => `waiting waiting ${email}`),
      `cancelled approved ${house.holder}`,
      `offered offered ${first}`,
      `cancelled offered ${first}`,
      `offered offered ${second}`,
      `expired expired ${second}`,
      `offered offered ${third}`,
    ])
    // Whoever missed the offer registers again, behind the others.
    const fourth = newEmail()
    await house.register(fourth)
    expect((await house.register(second)).body).toEqual({ registered: false, alreadyRegistered: true })
    expect([(await house.find(fourth)).position, (await house.find(second)).position]).toEqual([1, 2])
  })

  test("is offered when the capacity is raised or lifted, and nobody overtakes those who wait", async () => {
    const house = await full(4)
    const [first = "", second = "", third = "", fourth = ""] = house.queue
    expect((await house.api("PATCH", house.path, { body: { capacity: 3 } })).status).toBe(200)
    const late = newEmail()
    expect((await house.register(late)).body.registered).toBe(false)
    await house.becomes(second, "offered")
    expect(await Promise.all([first, third, fourth, late].map(house.stateOf))).toEqual([
      "offered",
      "waiting",
      "waiting",
      "waiting",
    ])
    expect((await house.api("PATCH", house.path, { body: { capacity: 2 } })).status).toBe(409)
    await house.api("PATCH", house.path, { body: { capacity: null } })
    await house.becomes(late, "offered")
    expect((await house.register(newEmail())).body).toEqual({ registered: true, alreadyRegistered: false })
  })

  test("is offered when the organisers remove a person, and when a person is erased", async () => {
    const house = await full(2)
    const [first = "", second = ""] = house.queue
    const { id } = await house.find(house.holder)
    await house.api("DELETE", `${house.path}/registrations/${id}`)
    await house.becomes(first, "offered")
    const erased = await house.api("DELETE", `/v1/workspaces/${acme.id}/registrants?email=${first}`)
    expect(erased.status).toBe(204)
    await house.becomes(second, "offered")
    const named = async () => (await house.told()).some((line) => line.endsWith(first))
    await eventually(async () => !(await named()), "no webhook names the erased person")
  })

  test("is not offered at an event that is cancelled, which takes its offers back until it is reinstated", async () => {
    const house = await full(2)
    const [first = "", second = ""] = house.queue
    await house.leave()
    await house.becomes(first, "offered")
    const token = await house.tokenOf(first)
    await house.api("POST", `${house.path}/cancel`)
    expect((await house.byLink("place/accept", token)).body.detail).toBe("The event is cancelled.")
    await house.becomes(first, "waiting")
    expect((await house.listed()).map(({ email, position }) => [email, position])).toEqual([
      [first, 1],
      [second, 2],
    ])
    await house.api("POST", `${house.path}/reinstate`)
    await house.becomes(first, "offered")
    expect((await house.byLink("place/accept", token)).status).toBe(200)
  })

  test("is offered for half of the time to the start at most", async () => {
    const soon = new Date(Date.now() + 4 * HOUR).toISOString()
    const house = await full(1, { scheduledAt: soon, waitingList: { offerHours: 3 } })
    await house.leave()
    await house.becomes(house.queue[0] ?? "", "offered")
    const { offerEndsAt } = await house.find(house.queue[0] ?? "")
    expect((Date.parse(offerEndsAt) - Date.now()) / HOUR).toBeCloseTo(2, 1)
  })
})

describe("the answers of people who wait", () => {
  test("are in the webhook of their registration, and no stranger replaces them once an offer is missed", async () => {
    const house = await open()
    const questions = [{ id: "company", kind: "text", text: "Where do you work?", required: true }]
    await house.api("PUT", `${house.path}/forms/registration`, { body: { questions } })
    const [holder, first] = [newEmail(), newEmail()]
    await house.register(holder, "Bob", { company: "Initech" })
    await house.register(first, "Ada", { company: "Acme" })
    await house.byLink("place/leave", await house.tokenOf(holder))
    await house.becomes(first, "offered")
    await house.endOffers()
    await house.becomes(first, "expired")
    // The first returns to a free place, and then again to a full event.
    for (const answers of [{ company: "Evil" }, undefined]) {
      expect((await house.register(first, "Mallory", answers)).body.alreadyRegistered).toBe(true)
      const found = await house.find(first)
      expect([found.name, found.answers.map(({ value }: Json) => value)]).toEqual(["Ada", ["Acme"]])
      expect((await house.lettersTo(first))[0].text).toContain("Hello Ada")
      await rows.run("update registrations set state = 'expired' where id = $1", [found.id])
      await house.register(newEmail(), "Cem", { company: "Umbrella" })
    }
    expect(
      (await house.bodies()).map(({ type, name, answers }) => [type, name, answers?.map(({ value }: Json) => value)]),
    ).toEqual([
      ["registration.created", "Bob", ["Initech"]],
      ["registration.waiting", "Ada", ["Acme"]],
      ["registration.cancelled", "Bob", undefined],
      ["registration.offered", "Ada", undefined],
      ["registration.expired", "Ada", undefined],
      ["registration.approved", "Ada", undefined],
      ["registration.created", "Cem", ["Umbrella"]],
      ["registration.waiting", "Ada", undefined],
      ["registration.waiting", "Cem", ["Umbrella"]],
    ])
  })
})

describe("a waiting list that is switched off", () => {
  test("takes nobody any more, and those who wait are still offered places", async () => {
    const house = await full(1)
    await house.api("PATCH", house.path, { body: { waitingList: null } })
    expect((await house.register(newEmail())).body.code).toBe("event_full")
    await house.leave()
    await house.becomes(house.queue[0] ?? "", "offered")
  })
})

describe("bad input", () => {
  test("tokens that are none, or of another event, are refused", async () => {
    const [one, two] = [await full(1), await full(1)]
    const foreign = await two.tokenOf(two.queue[0] ?? "")
    for (const of of ["place", "place/accept", "place/leave"] as const) {
      for (const token of ["x", foreign, "x".repeat(5000)]) expect((await one.byLink(of, token)).status).toBe(401)
      expect((await one.byLink(of, "")).status).toBe(400)
      const nowhere = await call(server.url, "POST", `/v1/public/events/${randomUUID()}/${of}`, {
        body: { token: foreign },
      })
      expect(nowhere.status).toBe(404)
    }
    expect((await one.byLink("place/accept", await one.tokenOf(one.queue[0] ?? ""))).body.detail).toBe(
      "There is no offer yet.",
    )
  })
})
