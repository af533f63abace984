/** Approval of registrations: by organisers, one and many at once, and by the domain of the address. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { call, createEvent, createWorkspace, newEmail } from "../support/api.ts"
import { openRegistrations } from "../support/registrations.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const EVERYBODY = { approvedDomains: [], declinedDomains: [] }
const open = (fields: object = {}) => openRegistrations(server, rows, acme, { approval: EVERYBODY, ...fields })

/** Pending registrations of these many people, in order. */
const asked = async (count: number, fields: object = {}) => {
  const house = await open(fields)
  const emails = Array.from({ length: count }, () => newEmail())
  for (const email of emails) await house.register(email)
  const ids = (await house.listed()).map(({ id }): string => id)
  const decide = (id: string, verb: string, body?: object) =>
    house.api("POST", `${house.path}/registrations/${id}/${verb}`, body === undefined ? {} : { body })
  const decideMany = (verb: string, body: object) => house.api("POST", `${house.path}/registrations/${verb}`, { body })
  return { ...house, emails, ids, decide, decideMany, first: emails[0] ?? "", firstId: ids[0] ?? "" }
}

describe("a registration that asks for approval", () => {
  test("takes no place and lets nobody in until it is approved, which the person is told with the calendar file", async () => {
    const house = await asked(1, { capacity: 1, scheduledAt: "2030-05-01T10:00:00Z" })
    const { first, firstId } = house
    expect((await house.register(first)).body).toEqual({ registered: false, alreadyRegistered: true })
    expect([await house.remaining(), await house.stateOf(first)]).toEqual([1, "pending"])
    const token = await house.tokenOf(first)
    expect((await house.byLink("enter", token)).status).toBe(401)
    expect((await house.byLink("place", token)).body.state).toBe("pending")
    expect((await house.byLink("place/accept", token)).status).toBe(409)
    const approved = await house.decide(firstId, "approve")
    expect([approved.status, approved.body]).toEqual([200, expect.objectContaining({ id: firstId, state: "approved" })])
    expect(await house.remaining()).toBe(0)
    const [letter] = await house.lettersTo(first)
    expect(letter.subject).toBe("Your place at Launch")
    expect(letter.calendar).toContain("METHOD:REQUEST")
    expect((await house.byLink("enter", await house.tokenOf(first))).status).toBe(200)
    expect(await house.subjects(first)).toEqual([
      "Registration received: Launch",
      "Registration received: Launch",
      "Your place at Launch",
    ])
    expect(await house.told()).toEqual([`pending pending ${first}`, `approved approved ${first}`])
    const audit = await house.api("GET", `/v1/workspaces/${acme.id}/audit?targetId=${firstId}`)
    expect(audit.body.entries.map(({ action }: { action: string }) => action)).toEqual(["registration.approved"])
  })

  test("is declined with a reason that the person reads, who cannot register again or leave to do so", async () => {
    const house = await asked(1)
    const { first, firstId } = house
    const token = await house.tokenOf(first)
    const reason = "Only for members <b>"
    const declined = await house.decide(firstId, "decline", { reason })
    expect(declined.body).toMatchObject({ state: "declined", declineReason: reason })
    const [letter] = await house.lettersTo(first)
    expect(letter).toMatchObject({ subject: "Registration declined: Launch", links: [] })
    expect(letter.text).toContain(`They say why: ${reason}`)
    expect(await house.register(first)).toMatchObject({ status: 409, body: { code: "conflict" } })
    expect((await house.byLink("enter", token)).status).toBe(401)
    expect((await house.byLink("place/leave", token)).status).toBe(409)
    expect((await house.byLink("place", token)).body).toMatchObject({ state: "declined", declineReason: reason })
    expect((await house.decide(firstId, "decline")).body.detail).toBe("The registration is declined already.")
    // The organisers may change their mind.
    expect((await house.decide(firstId, "approve")).body).toMatchObject({ state: "approved", declineReason: null })
    expect((await house.decide(firstId, "decline")).body.detail).toBe(
      "The registration is approved, and cannot be declined.",
    )
  })

  test("is decided once by several people at once", async () => {
    const house = await asked(1, { capacity: 1 })
    const answers = await Promise.all(Array.from({ length: 6 }, () => house.decide(house.firstId, "approve")))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409])
    for (const { status, body } of answers.filter(({ status }) => status === 409)) {
      expect([status, body.detail]).toEqual([409, "The registration is approved already."])
    }
    expect(await house.subjects(house.first)).toEqual(["Registration received: Launch", "Your place at Launch"])
    expect([await house.remaining(), await house.told()]).toEqual([0, expect.objectContaining({ length: 2 })])
  })

  test("goes to the waiting list of a full event, or is refused when there is none", async () => {
    const bare = await asked(2, { capacity: 1 })
    expect((await bare.decide(bare.firstId, "approve")).status).toBe(200)
    expect(await bare.decide(bare.ids[1] ?? "", "approve")).toMatchObject({ status: 409, body: { code: "event_full" } })
    expect(await bare.stateOf(bare.emails[1] ?? "")).toBe("pending")
    const house = await asked(2, { capacity: 1, waitingList: { offerHours: 24 } })
    const [first = "", second = ""] = house.emails
    await house.decide(house.firstId, "approve")
    expect((await house.decide(house.ids[1] ?? "", "approve")).body).toMatchObject({ state: "waiting", position: 1 })
    await house.byLink("place/leave", await house.tokenOf(first))
    await house.becomes(second, "offered")
    expect((await house.byLink("place/accept", await house.tokenOf(second))).body.state).toBe("approved")
  })

  test("can be left by its person, and registered again", async () => {
    const house = await asked(1)
    expect((await house.byLink("place/leave", await house.tokenOf(house.first))).status).toBe(204)
    expect(await house.listed()).toEqual([])
    expect((await house.register(house.first)).body).toEqual({ registered: false, alreadyRegistered: false })
  })
})

describe("many registrations", () => {
  test("are decided in one request, in the order of the ids, and each is audited", async () => {
    const house = await asked(4, { capacity: 2 })
    const [a = "", b = "", c = "", d = ""] = house.ids
    await house.decide(a, "decline")
    const answer = await house.decideMany("approve", { ids: [d, d, a, b] })
    expect(answer.status).toBe(200)
    expect(answer.body.registrations.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      [d, "approved"],
      [a, "approved"],
    ])
    expect(answer.body.refused).toEqual([{ id: b, code: "event_full", detail: "The event is full." }])
    const declined = await house.decideMany("decline", { ids: [b, c, d], reason: "Too late" })
    expect(declined.body.registrations).toMatchObject([
      { id: b, declineReason: "Too late" },
      { id: c, declineReason: "Too late" },
    ])
    expect(declined.body.refused).toMatchObject([{ id: d, code: "conflict" }])
    const audit = await house.api("GET", `/v1/workspaces/${acme.id}/audit?targetId=${b}`)
    expect(audit.body.entries.map(({ action }: { action: string }) => action)).toEqual(["registration.declined"])
    expect((await house.listed("?state=declined")).map(({ id }) => id)).toEqual([b, c])
  })

  test("are not decided when one of them is of another event or workspace, or nobody's", async () => {
    const [house, other] = [await asked(1), await asked(1)]
    const stranger = await createWorkspace(server.url)
    const theirs = await openRegistrations(server, rows, stranger, { approval: EVERYBODY })
    await theirs.register(newEmail())
    const [{ id: foreign }] = (await theirs.listed()) as [{ id: string }]
    for (const id of [other.firstId, foreign, randomUUID()]) {
      for (const verb of ["approve", "decline"]) {
        const answer = await house.decideMany(verb, { ids: [house.firstId, id] })
        expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } })
        expect((await house.decide(id, verb)).status).toBe(404)
      }
    }
    expect((await house.api("POST", `${theirs.path}/registrations/${foreign}/approve`)).status).toBe(404)
    expect(await Promise.all([house.stateOf(house.first), other.stateOf(other.first)])).toEqual(["pending", "pending"])
  })

  test("are not decided at an event that is cancelled or over", async () => {
    const house = await asked(1)
    await house.api("POST", `${house.path}/cancel`)
    expect((await house.decide(house.firstId, "approve")).body.detail).toBe("The event is cancelled.")
    await house.api("POST", `${house.path}/reinstate`)
    for (const verb of ["start", "end"]) await house.api("POST", `${house.path}/${verb}`)
    expect((await house.decide(house.firstId, "approve")).body.detail).toBe("The event has ended.")
  })
})

describe("the emails of decisions", () => {
  test("count as those to others, except the first answer to a registration without a reason", async () => {
    const founder = await createWorkspace(server.url)
    const fields = { approval: EVERYBODY, capacity: 1, waitingList: { offerHours: 24 } }
    const house = await openRegistrations(server, rows, founder, fields)
    const [holder = "", ada = "", bob = "", cem = "", dan = ""] = Array.from({ length: 5 }, () => newEmail())
    for (const email of [holder, ada, bob, cem, dan]) await house.register(email)
    const decide = async (email: string, verb: string, body: object = {}) =>
      house.api("POST", `${house.path}/registrations/${(await house.find(email)).id}/${verb}`, { body })
    const counted = async () =>
      (await rows.run("select letters from workspace_letters where workspace_id = $1", [founder.id]))[0]?.["letters"]
    await decide(holder, "approve")
    await decide(ada, "decline")
    expect(await counted()).toBeUndefined()
    await decide(bob, "decline", { reason: "Buy this" })
    expect(await counted()).toBe(1)
    expect((await decide(ada, "approve")).body.state).toBe("waiting")
    expect((await decide(ada, "decline")).body.state).toBe("declined")
    expect(await counted()).toBe(3)

    const quota = 200
    await rows.run("update workspace_letters set letters = $2 where workspace_id = $1", [founder.id, quota])
    const before = [await house.subjects(ada), await house.subjects(cem), await house.told()]
    const ids = [(await house.find(cem)).id, (await house.find(dan)).id]
    for (const refused of [
      await decide(ada, "approve"),
      await decide(cem, "decline", { reason: "Buy this" }),
      await house.api("POST", `${house.path}/registrations/decline`, { body: { ids, reason: "Buy this" } }),
    ]) {
      expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"])
      expect(refused.body.detail).toContain(`${quota} emails to others`)
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    }
    expect([await house.subjects(ada), await house.subjects(cem), await house.told()]).toEqual(before)
    expect([await house.stateOf(ada), await house.stateOf(cem)]).toEqual(["declined", "pending"])
    expect((await decide(cem, "decline")).status).toBe(200)
    expect((await decide(dan, "approve")).body.state).toBe("waiting")
  })

  test("count own words of the event in approvals, which go without them beyond the limit", async () => {
    const founder = await createWorkspace(server.url)
    const house = await openRegistrations(server, rows, founder, { approval: EVERYBODY, description: "What is *new*" })
    const [ada, bob] = [newEmail(), newEmail()]
    for (const email of [ada, bob]) await house.register(email)
    const approve = async (email: string) =>
      house.api("POST", `${house.path}/registrations/${(await house.find(email)).id}/approve`)
    const counted = () => rows.run("select letters from workspace_letters where workspace_id = $1", [founder.id])
    expect(await counted()).toEqual([])
    expect((await approve(ada)).status).toBe(200)
    expect(await counted()).toEqual([{ letters: 1 }])
    await rows.run("update workspace_letters set letters = 200 where workspace_id = $1", [founder.id])
    expect((await approve(bob)).status).toBe(200)
    expect(await counted()).toEqual([{ letters: 200 }])
    const [withWords, without] = [(await house.lettersTo(ada))[0], (await house.lettersTo(bob))[0]]
    expect([withWords.subject, without.subject]).toEqual(["Your place at Launch", "Your place at Launch"])
    expect([withWords.text.includes("What is"), without.text.includes("What is")]).toEqual([true, false])
  })

  test("do not count people whose address takes none", async () => {
    const founder = await createWorkspace(server.url)
    const house = await openRegistrations(server, rows, founder, { approval: EVERYBODY })
    const [ada, bob] = [newEmail(), newEmail()]
    for (const email of [ada, bob]) await house.register(email)
    const bounce = await house.api("POST", `/v1/workspaces/${founder.id}/bounces`, { body: { email: ada } })
    expect(bounce.status).toBe(200)
    const ids = (await house.listed()).map(({ id }) => id)
    const body = { ids, reason: "For members only." }
    expect((await house.api("POST", `${house.path}/registrations/decline`, { body })).body.registrations).toHaveLength(
      2,
    )
    const counted = await rows.run("select letters from workspace_letters where workspace_id = $1", [founder.id])
    expect(counted).toEqual([{ letters: 1 }])
    expect(await house.subjects(ada)).toEqual(["Registration received: Launch"])
    expect(await house.subjects(bob)).toEqual(["Registration received: Launch", "Registration declined: Launch"])
  })
})

describe("the domain of an address", () => {
  test("approves or declines at once, and everybody else waits", async () => {
    const approval = {
      approvedDomains: ["acme.example", "both.example", "xn--bcher-kva.example"],
      declinedDomains: ["mail.example", "both.example"],
    }
    const house = await open({ approval })
    const people = [
      "Acme.Example",
      "mail.example",
      "both.example",
      "sub.acme.example",
      "notacme.example",
      "bücher.example",
    ].map(newEmail)
    for (const email of people) expect((await house.register(email)).status).toBe(200)
    expect((await house.listed()).map(({ state }) => state)).toEqual([
      "approved",
      "declined",
      "declined",
      "pending",
      "pending",
      "approved",
    ])
    expect(await house.subjects(people[1] ?? "")).toEqual(["Registration declined: Launch"])
    expect((await house.register(people[1] ?? "")).status).toBe(409)
    expect((await house.told()).map((line) => line.split(" ")[0])).toEqual([
      "created",
      "declined",
      "declined",
      "pending",
      "pending",
      "created",
    ])
  })

  test("takes no list that is no rule", async () => {
    for (const [approval] of [
      [{ approvedDomains: ["Acme.example"], declinedDomains: [] }],
      [{ approvedDomains: ["a@acme.example"], declinedDomains: [] }],
      [{ approvedDomains: ["localhost"], declinedDomains: [] }],
    ] as const) {
      const body = { type: "webinar", title: "Launch", approval }
      expect(
        (await call(server.url, "POST", "/v1/events", { key: acme.key, body })).status,
        JSON.stringify(approval),
      ).toBe(400)
    }
  })

  test("decides nothing about the people who have registered before", async () => {
    const event = await createEvent(server.url, acme.key)
    expect([event.approval, event.waitingList]).toEqual([null, null])
    const house = await open({ approval: null })
    await house.register(newEmail())
    await house.api("PATCH", house.path, { body: { approval: EVERYBODY } })
    await house.register(newEmail())
    expect((await house.listed()).map(({ state }) => state)).toEqual(["approved", "pending"])
  })
})
