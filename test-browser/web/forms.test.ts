/** A host writes a registration form and a survey; people answer them on the event's page and by the links of their emails. */
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { call } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { openConsole, type Stage, stageWith } from "./host-pages.ts"
import { expectAccessible, openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const keyed = ({ acme, event }: Stage, method: string, path: string, body?: object) =>
  call(site.server.url, method, `/v1/events/${event.id}${path}`, { key: acme.key, ...(body && { body }) })

/** Chooses the kind of answer to the question at this place. */
const chooseKind = async (page: Page, number: number, kind: string): Promise<void> => {
  await page.getByRole("button", { name: `Kind of answer to question ${number}` }).click()
  await page.getByRole("option", { name: kind, exact: true }).click()
}

test("questions of the console are answered at registration, and changed by the link of the email", async () => {
  const stage = await stageWith(site, [{ modality: "broadcast" }], "publish")
  const { id } = stage.event
  const page = await openConsole(stage, `/host/event/${id}/form`)
  await page.goto(`${site.server.url}/host/event/${id}/form`)
  await page.getByText("No questions yet.").waitFor()
  for (const [number, text] of ["Where do you work?", "Lunch", "I agree to the <b>terms</b>."].entries()) {
    await page.getByRole("button", { name: "Add a question" }).click()
    await page.getByRole("textbox", { name: `Question ${number + 1}`, exact: true }).fill(text)
  }
  await chooseKind(page, 2, "One of several choices")
  await page.getByRole("textbox", { name: "Choices of question 2, one a line" }).fill("Pizza\n\nSoup\n")
  await chooseKind(page, 3, "Consent to the text")
  await page.getByText("Question 3 must be answered").click()
  await expectAccessible(page)
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Saved", { exact: false }).waitFor()
  const form = (await keyed(stage, "GET", "/forms/registration")).body
  expect(form.questions.map(({ kind, options, required }: typeof form) => [kind, options, required])).toEqual([
    ["text", [], false],
    ["choice", ["Pizza", "Soup"], false],
    ["consent", [], true],
  ])

  const email = `ann-${id}@example.com`
  const attendee = await site.open(`/e/${id}`)
  await attendee.getByRole("textbox", { name: "Name" }).fill("Ann")
  await attendee.getByRole("textbox", { name: "E-mail" }).fill(email)
  await attendee.getByRole("textbox", { name: "Where do you work?" }).fill("Acme")
  await attendee.getByText("Soup").click()
  await attendee.getByText("I agree to the <b>terms</b>.").click()
  await expectAccessible(attendee)
  await attendee.getByRole("button", { name: "Register" }).click()
  await attendee.getByText("You are registered.", { exact: false }).waitFor()

  const [letter] = (await call(site.server.url, "GET", `/v1/dev/outbox?to=${email}`)).body.mails
  const link = new URL(letter.links.find((url: string) => url.includes("/answers/")))
  const own = await site.open(link.pathname + link.hash)
  const company = own.getByRole("textbox", { name: "Where do you work?" })
  await company.waitFor()
  expect(own.url()).not.toContain("token")
  expect(await company.inputValue()).toBe("Acme")
  await company.fill("Initech")
  await expectAccessible(own)
  await own.getByRole("button", { name: "Submit" }).click()
  await own.getByText("Thank you. Your answers are stored.").waitFor()

  await page.goto(`${site.server.url}/host/event/${id}/registrations`)
  const row = page.getByRole("listitem").filter({ hasText: email })
  await row.getByText("Initech").waitFor()
  await row.getByText("Soup").waitFor()
})

test("a host does not overwrite what somebody else wrote meanwhile", async () => {
  const stage = await stageWith(site, [{ modality: "broadcast" }], "publish")
  const put = (text: string) =>
    keyed(stage, "PUT", "/forms/registration", { questions: [{ id: "q", kind: "text", text }] })
  await put("First")
  const page = await openConsole(stage, `/host/event/${stage.event.id}/form`, { expects: /409/ })
  await page.goto(`${site.server.url}/host/event/${stage.event.id}/form`)
  const question = page.getByRole("textbox", { name: "Question 1", exact: true })
  const save = page.getByRole("button", { name: "Save" })
  await question.fill("Mine")
  await save.click()
  await page.getByText("Saved", { exact: false }).waitFor()
  await question.fill("Mine again")
  await save.click()
  await page.getByText("Saved", { exact: false }).waitFor()
  await put("Theirs")
  await question.fill("Mine at last")
  await save.click()
  await page.getByText("The form was changed meanwhile", { exact: false }).waitFor()
  expect((await keyed(stage, "GET", "/forms/registration")).body.questions[0].text).toBe("Theirs")
})

test("a survey is answered on the page of the ended event, and the console has its results", async () => {
  const stage = await stageWith(site, [{ modality: "broadcast" }], "publish", "start")
  const { id } = stage.event
  const questions = [
    { id: "stars", kind: "number", text: "Stars", minimum: 1, maximum: 5, required: true },
    { id: "best", kind: "choices", text: "The best", options: ["Talks", "Food"] },
    { id: "why", kind: "longText", text: "Why?" },
  ]
  expect((await keyed(stage, "PUT", "/forms/survey", { questions, anonymous: true })).status).toBe(200)
  await keyed(stage, "POST", "/end")
  const attendee = await site.open(`/e/${id}`, { expects: /400/ })
  await attendee.getByText("This survey is anonymous", { exact: false }).waitFor()
  await attendee.getByRole("spinbutton", { name: "Stars" }).fill("7")
  await attendee.getByText("Talks").click()
  await attendee.getByText("Food").click()
  await attendee.getByRole("textbox", { name: "Why?" }).fill("<i>Because</i>")
  await expectAccessible(attendee)
  const send = attendee.getByRole("button", { name: "Submit" })
  await send.click()
  await attendee.getByText("must be a number from 1 to 5").waitFor()
  await attendee.getByRole("spinbutton", { name: "Stars" }).fill("4")
  await send.click()
  await attendee.getByText("Thank you. Your answers are stored.").waitFor()

  const page = await openConsole(stage, `/host/event/${id}/survey`)
  await page.goto(`${site.server.url}/host/event/${id}/survey`)
  await page.getByText("On average 4, from 4 to 4").waitFor()
  await page.getByText("Talks: 1").waitFor()
  await page.getByRole("button", { name: "Show the answers" }).click()
  await page.getByText("<i>Because</i>").waitFor()
  await expectAccessible(page)
})
