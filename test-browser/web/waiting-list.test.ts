/** Approval and the waiting list, as a host and the people who register see them. */
import { expect, test } from "vitest"
import { call, type Json } from "../../test/support/api.ts"
import { rowsOf } from "../../test/support/rows.ts"
import { shared } from "../../test/support/shared.ts"
import { eventually } from "../../test/support/wait.ts"
import { openConsole, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())
const rows = shared(
  () => rowsOf(site.server.databaseUrl),
  (one) => one.end(),
)

test("a host asks for approval and keeps a waiting list, decides, and a person takes the offered place", async () => {
  const stage = await stageWith(site, [{ modality: "broadcast" }], "publish")
  const { id } = stage.event
  const api = (method: string, path: string) =>
    call(site.server.url, method, `/v1/events/${id}${path}`, { key: stage.acme.key })
  const emailOf = (name: string) => `${name.toLowerCase()}-${id}@example.com`
  const find = async (name: string): Promise<Json> =>
    (await api("GET", "/registrations")).body.registrations.find((one: Json) => one.name === name)
  const letter = async (name: string): Promise<Json> =>
    (await call(site.server.url, "GET", `/v1/dev/outbox?to=${emailOf(name)}`)).body.mails[0]

  const page = await openConsole(stage, `/host/event/${id}/details`)
  await page.getByLabel("Places").fill("1")
  // The number is taken when its field loses the focus, in the moment of the click.
  await page.getByText("Keep a waiting list when the event is full").click()
  await page.getByLabel("Hours in which a person accepts an offer").fill("12")
  await page.getByRole("checkbox", { name: "Approve registrations yourself" }).press("Space")
  await page.getByLabel("Domains declined at once").fill("spam.example, Other.example")
  await expectAccessible(page)
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Saved", { exact: false }).waitFor()
  expect((await api("GET", "")).body).toMatchObject({
    capacity: 1,
    waitingList: { offerHours: 12 },
    approval: { approvedDomains: [], declinedDomains: ["spam.example", "other.example"] },
  })

  const attendee = await site.open(`/e/${id}`)
  await attendee.getByLabel("Name").fill("Ann")
  await attendee.getByLabel("E-mail address").fill(emailOf("Ann"))
  await attendee.getByRole("button", { name: "Register" }).click()
  await attendee.getByText("You do not have a place yet", { exact: false }).waitFor()
  for (const name of ["Bob", "Cem"]) {
    const body = { name, email: emailOf(name) }
    await call(site.server.url, "POST", `/v1/public/events/${id}/register`, { body })
  }

  await page.goto(`${site.server.url}/host/event/${id}/registrations`)
  const row = (name: string) => page.getByRole("listitem").filter({ hasText: emailOf(name) })
  await row("Cem").getByText("waits for you", { exact: false }).waitFor()
  for (const name of ["Ann", "Bob"]) await page.getByRole("checkbox", { name: `Choose ${name}` }).press("Space")
  await expectAccessible(page)
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  await row("Bob").getByText("waits for a place (1)", { exact: false }).waitFor()
  await page.getByRole("checkbox", { name: "Choose Cem" }).press("Space")
  await page.getByRole("button", { name: "Decline", exact: true }).click()
  const dialog = page.getByRole("dialog", { name: "Decline" })
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Only for members.")
  await dialog.getByRole("button", { name: "Decline" }).click()
  await row("Cem").getByText("declined", { exact: false }).waitFor()
  await expectAccessible(page)
  expect((await find("Cem")).declineReason).toBe("Only for members.")
  expect((await find("Ann")).state).toBe("approved")

  await api("DELETE", `/registrations/${(await find("Ann")).id}`)
  await eventually(async () => (await find("Bob")).state === "offered", "Bob is offered the place")
  const link = new URL((await letter("Bob")).links[0])
  const place = await site.open(link.pathname + link.hash)
  await place.getByText("A place is free for you", { exact: false }).waitFor()
  expect(place.url()).not.toContain("token")
  await expectAccessible(place)
  await place.getByRole("button", { name: "Take the place" }).click()
  await place.getByRole("heading", { name: "You have a place" }).waitFor()
  await expectAccessible(place)
  expect((await find("Bob")).state).toBe("approved")
  expect((await letter("Bob")).subject).toBe("Your place at Launch day")
})

test("people who wait are decided also after approval is switched off; only shown people are chosen, a hundred at most", async () => {
  const stage = await stageWith(site, [{ modality: "broadcast" }], "publish")
  const { id } = stage.event
  const MOST = 100
  await rows.run(
    `insert into registrations (id, event_id, name, email, created_at, state)
     select new_id(), $1, 'Person ' || lpad(n::text, 3, '0'), n || '-' || $2 || '@example.com',
            now() + n * interval '1 millisecond', 'pending' from generate_series(1, ${MOST + 1}) as n`,
    [id, id],
  )
  const page = await openConsole(stage, `/host/event/${id}/registrations`)
  const box = (n: number) => page.getByRole("checkbox", { name: `Choose Person ${String(n).padStart(3, "0")}` })
  const approve = page.getByRole("button", { name: "Approve", exact: true })
  await box(1).press("Space")
  expect(await approve.isEnabled()).toBe(true)
  await page.getByLabel("Search").fill("Person 002")
  await box(2).waitFor()
  await box(1).waitFor({ state: "detached" })
  expect(await approve.isDisabled()).toBe(true)
  await page.getByLabel("Search").fill("")
  await box(1).waitFor()
  expect(await box(1).isChecked()).toBe(false)

  const more = page.getByRole("button", { name: "More", exact: true })
  for (const last of [MOST, MOST + 1]) {
    await more.press("Enter")
    await box(last).waitFor()
  }
  await page.getByRole("list", { name: "Registrations" }).evaluate((list, most) => {
    for (const one of Array.from(list.querySelectorAll<HTMLElement>("input[type=checkbox]")).slice(0, most)) one.click()
  }, MOST)
  await page.getByText("You chose 100 people, the most for one decision.").waitFor()
  expect([await box(MOST + 1).isDisabled(), await box(MOST).isDisabled()]).toEqual([true, false])
  await expectAccessible(page)
  await box(1).press("Space")
  expect(await box(MOST + 1).isDisabled()).toBe(false)
  await box(1).press("Space")
  await approve.click()
  await box(MOST + 1).waitFor({ state: "detached" })
  const states = await rows.run(
    "select state, count(*)::integer as n from registrations where event_id = $1 group by 1",
    [id],
  )
  expect(Object.fromEntries(states.map(({ ["state"]: state, ["n"]: n }) => [state, n]))).toEqual({
    approved: MOST,
    pending: 1,
  })
})
