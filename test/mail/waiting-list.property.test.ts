/**
 * Places, approval and the waiting list together, under concurrent requests, several nodes that make offers, and nodes that are cut off in
 * the middle of it. The webhooks of an event, in the order of their commits, are replayed by a model of their own.
 */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import fc from "fast-check"
import { expect, onTestFinished, test } from "vitest"
import { deriveKeyRing } from "../../src/crypto/secret-key.ts"
import { issueLinks } from "../../src/identity/accounts/entry.ts"
import { Mailer } from "../../src/mail/mailer.ts"
import { offerSteps } from "../../src/mail/offers.ts"
import { Database } from "../../src/store/database.ts"
import { OutboxSignal } from "../../src/store/webhooks/outbox.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { newEmail } from "../support/api.ts"
import { DATABASE_DEADLINE_MS } from "../support/patience.ts"
import { startPostgresProxy } from "../support/postgres-proxy.ts"
import { openRegistrations } from "../support/registrations.ts"
import { SECRET_KEY } from "../support/server.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

/** A node that makes offers, on this address of the database. */
const openNode = async (url: string) => {
  const kernel = Layer.mergeAll(
    Database.layer({ url: Redacted.make(url), connections: 2, deadlineMs: DATABASE_DEADLINE_MS }),
    OutboxSignal.layer,
  ).pipe(Layer.provideMerge(Telemetry.layer("silent")))
  const mailer = Mailer.layer({
    sealingKeys: deriveKeyRing([Redacted.make(SECRET_KEY)], "mails"),
    smtp: null,
    keep: true,
  })
  const runtime = ManagedRuntime.make(mailer.pipe(Layer.provideMerge(kernel)))
  onTestFinished(() => runtime.dispose())
  const { step } = await runtime.runPromise(
    offerSteps({
      appUrl: server.url,
      links: (sql, eventId, registrationId) =>
        issueLinks(sql, { appUrl: server.url, publicUrl: server.url }, { eventId, registrationId }),
    }),
  )
  return { step: () => runtime.runPromise(Effect.suspend(() => step(Date.now()))) }
}

const deed = fc.record({
  does: fc.oneof(
    { weight: 6, arbitrary: fc.constant("register" as const) },
    { weight: 3, arbitrary: fc.constantFrom("accept" as const, "leave" as const, "approve" as const) },
    { weight: 2, arbitrary: fc.constantFrom("decline" as const, "remove" as const, "passTime" as const) },
  ),
  who: fc.nat({ max: 14 }),
})
/** Deeds at the same time; the capacity before them; and which statement of a node's step is the last that reaches the database. */
const wave = fc.record({
  deeds: fc.array(deed, { minLength: 4, maxLength: 14 }),
  more: fc.nat({ max: 2 }),
  cut: fc.nat({ max: 9 }),
  losesReply: fc.boolean(),
})
type Deed = typeof deed extends fc.Arbitrary<infer D> ? D : never

/** The states from which each webhook may follow. */
const MAY_FOLLOW: { readonly [change: string]: ReadonlyArray<string> } = {
  created: ["nobody"],
  pending: ["nobody"],
  approved: ["pending", "declined", "offered", "expired"],
  waiting: ["nobody", "pending", "declined", "expired"],
  declined: ["nobody", "pending", "waiting", "offered", "expired"],
  offered: ["waiting"],
  expired: ["offered"],
  // The organisers may delete a declined registration, but its person may not.
  cancelled: ["approved", "pending", "waiting", "offered", "expired"],
}

/** The rules of the list, without any of its code. */
class Model {
  readonly states = new Map<string, string>()
  queue: ReadonlyArray<string> = []
  offers = 0

  get places(): number {
    return [...this.states.values()].filter((state) => state === "approved" || state === "offered").length
  }

  follow(line: string, capacity: number): void {
    const [change = "", state = "", email = ""] = line.split(" ")
    const was = this.states.get(email) ?? "nobody"
    const at = `${line}, was ${was}`
    expect(MAY_FOLLOW[change], at).toContain(was)
    expect(state, at).toBe({ created: "approved", cancelled: was }[change] ?? change)
    if (change === "offered") expect(this.queue[0], at).toBe(email)
    if (change === "offered") this.offers++
    // Whoever comes by a place without an offer overtakes nobody.
    if (state === "approved" && was !== "offered" && change !== "cancelled") expect(this.queue, at).toEqual([])
    this.queue = this.queue.filter((one) => one !== email)
    if (change === "waiting") this.queue = [...this.queue, email]
    if (change === "cancelled") this.states.delete(email)
    else this.states.set(email, state)
    expect(this.places, at).toBeLessThanOrEqual(capacity)
  }
}

test("no place is given twice, the order is kept and an offer ends once, whatever happens at once or ends in the middle", async () => {
  const proxy = await startPostgresProxy(server.databaseUrl)
  onTestFinished(() => proxy.close())
  const [steady, cut] = [await openNode(server.databaseUrl), await openNode(proxy.url)]
  let [offers, crashes] = [0, 0]
  await fc.assert(
    fc.asyncProperty(fc.array(wave, { minLength: 2, maxLength: 5 }), async (waves) => {
      const approval = { approvedDomains: ["in.example"], declinedDomains: ["out.example"] }
      const fields = { capacity: 1, approval, waitingList: { offerHours: 24 } }
      const house = await openRegistrations(server, rows, acme, fields)
      // Most are approved by their domain, some wait for it, one is declined.
      const domains = ["in.example", "in.example", "ask.example"]
      const emails = Array.from({ length: 15 }, (_, n) => newEmail(n === 14 ? "out.example" : domains[n % 3]))
      const emailOf = (who: number): string => emails[who] ?? ""
      const find = async (who: number) => house.find(emailOf(who))
      const byLink = async (does: "accept" | "leave", email: string) =>
        (await house.byLink(`place/${does}`, await house.tokenOf(email).catch(() => "none"))).status
      const decide = async (does: "approve" | "decline", who: ReadonlyArray<number>) => {
        const found = await Promise.all([...new Set(who)].map(find))
        const ids = found.flatMap((one) => one?.id ?? [])
        if (ids.length === 0) return 404
        return (await house.api("POST", `${house.path}/registrations/${does}`, { body: { ids } })).status
      }
      const acts: { readonly [does in Deed["does"]]: (who: number) => Promise<number> } = {
        register: async (who) => (await house.register(emailOf(who))).status,
        accept: async (who) => {
          const offered = await house.listed("?state=offered")
          return byLink("accept", offered[who % Math.max(1, offered.length)]?.email ?? emailOf(who))
        },
        leave: (who) => byLink("leave", emailOf(who)),
        approve: (who) => decide("approve", [who, who + 1, who + 2]),
        decline: (who) => decide("decline", [who, who + 1]),
        remove: async (who) => {
          const approved = await house.listed("?state=approved")
          const { id } = approved[who % Math.max(1, approved.length)] ?? house.event
          return (await house.api("DELETE", `${house.path}/registrations/${id}`)).status
        },
        passTime: () => house.endOffers().then(() => 200),
      }
      await Promise.all(emails.slice(0, 10).map((email) => house.register(email)))
      const capacities: { readonly from: number; readonly capacity: number }[] = []
      let capacity = 1
      capacities.push({ from: 0, capacity })
      for (const { deeds, more, cut: at, losesReply } of waves) {
        capacity += more
        capacities.push({ from: (await house.told()).length, capacity })
        await house.api("PATCH", house.path, { body: { capacity } })
        // The node's connection ends with one of the statements of its step, before the server has it or with an unknown outcome.
        const rule = proxy.onStatement({
          match: ({ connection }) => connection.statements.some((one) => one.includes("order by random()")),
          action: { kind: losesReply ? "cutReply" : "cutBefore" },
          skip: at,
          times: 1,
        })
        const crash = cut.step().then(
          () => {},
          () => {
            crashes++
          },
        )
        const [statuses] = await Promise.all([
          Promise.all(deeds.map(({ does, who }) => acts[does](who))),
          crash,
          steady.step(),
        ])
        for (const status of statuses) expect([200, 204, 401, 404, 409, 429]).toContain(status)
        rule.remove()
      }
      await eventually(async () => (await steady.step()) === "none", "nothing is left to offer")
      const told = await house.told()
      const model = new Model()
      for (const [index, line] of told.entries()) {
        model.follow(line, capacities.findLast(({ from }) => from <= index)?.capacity ?? 1)
      }
      const stored = await house.listed()
      expect(new Map(stored.map(({ email, state }) => [email, state]))).toEqual(model.states)
      const waiting = stored.filter(({ state }) => state === "waiting").toSorted((a, b) => a.position - b.position)
      expect(waiting.map(({ email }) => email)).toEqual(model.queue)
      // Nobody waits for a place that is free.
      if (model.queue.length > 0) expect(model.places).toBe(capacity)
      const [counted] = await rows.run("select registered, waiting from events where id = $1", [house.event.id])
      expect(counted).toEqual({ registered: model.places, waiting: model.queue.length })
      for (const email of emails) {
        const made = told.filter((line) => line === `offered offered ${email}`).length
        const ended = told.filter((line) => line === `expired expired ${email}`).length
        const subjects = await house.subjects(email)
        // A person who registers again while a place is offered gets the email again.
        expect(subjects.filter((one) => one.startsWith("A place is free")).length).toBeGreaterThanOrEqual(made)
        expect(subjects.filter((one) => one.startsWith("Your offer is over")).length).toBe(ended)
      }
      offers += model.offers
    }),
    { numRuns: 12, endOnFailure: true },
  )
  expect(offers).toBeGreaterThan(24)
  expect(crashes).toBeGreaterThan(4)
})
