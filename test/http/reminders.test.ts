/** Reminders as registrants get and refuse them from a whole server. */
import { randomUUID } from "node:crypto"
import { expect, onTestFinished, test } from "vitest"
import { call, createEvent, createWorkspace, tokenIn } from "../support/api.ts"
import { rowsOf } from "../support/rows.ts"
import { startTestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"

test("a server reminds at its start of what fell due while it was down, and not those who refused by the link in an email", async () => {
  const first = await startTestServer()
  let running = first
  const rows = rowsOf(first.databaseUrl)
  onTestFinished(async () => {
    await rows.end()
    await running.stop()
  })
  const acme = await createWorkspace(first.url)
  const [ada, bob] = [`ada-${randomUUID()}@example.com`, `bob-${randomUUID()}@example.com`]
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const published = async (fields: object) => {
    const event = await createEvent(first.url, acme.key, { title: "Launch", ...fields })
    await call(first.url, "POST", `/v1/events/${event.id}/publish`, { key: acme.key })
    for (const email of [ada, bob]) {
      const body = { name: "Reader", email }
      expect((await call(first.url, "POST", `/v1/public/events/${event.id}/register`, { body })).status).toBe(200)
    }
    return event
  }
  const soon = await published({ scheduledAt: inMinutes(8) })
  await published({ scheduledAt: inMinutes(8), reminders: false })

  /** Counted by this process, whose other tests count too. */
  const counted = async (url: string): Promise<number> => {
    const metrics = await (await fetch(`${url}/metrics`)).text()
    return Number(/^gathercue_reminders_total\{kind="minutes"\} (\d+)$/m.exec(metrics)?.[1])
  }
  const before = await counted(first.url)
  // The running server would remind of what falls due before it has stopped.
  const second = await first.restart({}, () =>
    rows.run("update registrations set created_at = now() - interval '2 days'", []),
  )
  running = second
  const emailsTo = async (email: string) =>
    (await call(second.url, "GET", `/v1/dev/outbox?to=${email}`)).body.mails.filter(
      ({ subject }: { subject: string }) => !subject.startsWith("Your place"),
    )
  await eventually(async () => (await emailsTo(bob)).length === 1, "the reminder")
  const [letter] = await emailsTo(ada)
  expect(letter.subject).toBe("Starting soon: Launch")
  const token = tokenIn(letter.links[0])
  const entered = await call(second.url, "POST", `/v1/public/events/${soon.id}/enter`, { body: { token } })
  expect([entered.status, entered.body.name]).toEqual([200, "Reader"])
  // The emails are stored before they are counted.
  await eventually(async () => (await counted(second.url)) === before + 2, "both reminders counted")

  const refusal = new URL(/https?:\S+\/unsubscribe\/\S+/.exec(letter.text)?.[0] ?? "").pathname
  const page = await (await fetch(second.url + refusal)).text()
  expect(page).toContain("This address gets reminders of events from")
  const clicked = await fetch(second.url + refusal, {
    method: "POST",
    body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
  })
  expect(await clicked.text()).toContain("gets no more reminders of events")

  // The event moves to another time of the last ten minutes, and is reminded of again.
  const moved = { key: acme.key, body: { scheduledAt: inMinutes(9) } }
  expect((await call(second.url, "PATCH", `/v1/events/${soon.id}`, moved)).status).toBe(200)
  const third = await second.restart()
  running = third
  const count = async (email: string): Promise<number> =>
    (await call(third.url, "GET", `/v1/dev/outbox?to=${email}`)).body.mails.length
  await eventually(async () => (await count(bob)) === 4, "the reminder of the new time")
  expect(await count(ada)).toBe(3)
})
