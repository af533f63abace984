/** Lists with hundreds of entries: a page holds few of them, leads to the others, and is worked by keyboard. */
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { call, createPerson } from "../../test/support/api.ts"
import { shared } from "../../test/support/shared.ts"
import { joinAs, openConsole, type Stage, stageWith, until } from "./host-pages.ts"
import { enter, openPanel } from "./people.ts"
import { expectAccessible, openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const QUESTIONS = 300

const nameOf = (n: number): string => `Question ${String(n).padStart(3, "0")}`

/** One after the other, so that they stand in the order of their names. By somebody who is not at the event any more. */
const ask = async ({ event, acme }: Stage, many: number): Promise<void> => {
  const { url } = site.server
  const { session } = await createPerson(url, acme.key, event.id, "participant", "Cyd")
  for (let n = 0; n < many; n++) {
    const asked = await call(url, "POST", `/v1/public/events/${event.id}/questions`, {
      bearer: session,
      body: { text: nameOf(n) },
    })
    expect(asked.status, JSON.stringify(asked.body)).toBe(201)
  }
}

/** The accessible name of what has the focus, or the text of a row. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "")

const TALK = { modality: "broadcast", featureSet: ["qa", "polls"] }

test("of hundreds of questions an attendee's page holds a few, and more on demand; they are voted for by keyboard", async () => {
  const stage = await stageWith(site, [{ ...TALK, config: { moderated: false } }], "publish", "start")
  const host = await joinAs(stage, "Other", "host")
  const ann = await enter(stage, "Ann")
  await ask(stage, QUESTIONS)
  await until(host, ({ questions }) => questions.all.length === QUESTIONS)
  await openPanel(ann, "Questions")
  const list = ann.getByRole("list", { name: "Questions" })
  const rows = list.getByRole("listitem")
  await ann.getByRole("button", { name: `Show more (${QUESTIONS - 20} left)` }).waitFor()
  expect(await rows.count()).toBe(20)
  await expectAccessible(ann)
  await ann.getByRole("button", { name: "Show more" }).press("Enter")
  await ann.getByRole("button", { name: `Show more (${QUESTIONS - 40} left)` }).waitFor()
  expect(await rows.count()).toBe(40)
  expect(await focused(ann)).toContain(nameOf(20))
  await ann.keyboard.press("Tab")
  expect(await focused(ann)).toContain(`Vote for: ${nameOf(20)}`)
  await ann.keyboard.press("Enter")
  await ann.getByRole("button", { name: `Vote for: ${nameOf(20)} 1 vote` }).waitFor()
  // The question is the first one now, and the keyboard is still on it.
  expect(await focused(ann)).toContain(`Vote for: ${nameOf(20)}`)
  await rows
    .first()
    .getByText(`${nameOf(20)} (Cyd)`)
    .waitFor()
  expect(await rows.count()).toBe(40)
})

test("a host answers, pins and approves among hundreds of questions by keyboard; an answer that is typed stays when others overtake its question", async () => {
  const stage = await stageWith(site, [{ ...TALK, config: { moderated: false } }], "publish", "start")
  const ada = await joinAs(stage, "Ada")
  const page = await openConsole(stage, `/host/live/${stage.event.id}/questions`)
  await page.getByText("No questions yet.").waitFor()
  await ask(stage, QUESTIONS)
  const shown = page.getByRole("list", { name: "Questions", exact: true })
  await page.getByRole("button", { name: `Show more (${QUESTIONS - 20} left)` }).waitFor()
  expect(await shown.getByRole("listitem").count()).toBe(20)
  await expectAccessible(page)
  await page.getByRole("button", { name: `Answer: ${nameOf(19)}` }).press("Enter")
  await page.getByRole("textbox", { name: "Answer" }).fill("On Monday.")
  // Thirty others get votes: the question is not among the first ones any more.
  const others = (ada.state?.questions.all ?? []).filter(({ text }) => text >= nameOf(100)).slice(0, 30)
  const { url } = site.server
  const { session } = await createPerson(url, stage.acme.key, stage.event.id, "participant", "Bob")
  for (const { id } of others) await call(url, "PUT", `/v1/public/questions/${id}/vote`, { bearer: session })
  await shown.getByText("1 vote", { exact: false }).first().waitFor()
  await expect.poll(() => shown.getByRole("listitem").count()).toBe(21)
  expect(await page.getByRole("textbox", { name: "Answer" }).inputValue()).toBe("On Monday.")
  await page.getByRole("textbox", { name: "Answer" }).press("Enter")
  await until(ada, ({ questions }) => questions.all.some(({ answer }) => answer === "On Monday."))
  await page.getByRole("button", { name: `Pin: ${nameOf(19)}` }).press("Enter")
  await until(ada, ({ questions }) => questions.all.some(({ pinned, text }) => pinned && text === nameOf(19)))
  await shown.getByRole("listitem").first().getByText(nameOf(19)).waitFor()
  expect(await shown.getByRole("listitem").count()).toBeLessThan(22)
})

test("a host who comes later reads all questions page by page, and moderates those that the console was not told of", async () => {
  const stage = await stageWith(site, [{ ...TALK, config: { moderated: true } }], "publish", "start")
  const ada = await joinAs(stage, "Ada")
  await ask(stage, 120)
  const page = await openConsole(stage, `/host/live/${stage.event.id}/questions`)
  const waiting = page.getByRole("list", { name: "Waiting" })
  await waiting.getByRole("listitem").nth(19).waitFor()
  expect(await waiting.getByRole("listitem").count()).toBe(20)
  await page.getByRole("button", { name: "All questions" }).press("Enter")
  const all = page.getByRole("list", { name: "All questions" })
  await all.getByRole("listitem").nth(19).waitFor()
  for (let pages = 2; pages <= 6; pages++) {
    await page.getByRole("button", { name: "More", exact: true }).press("Enter")
    await all
      .getByRole("listitem")
      .nth(pages * 20 - 1)
      .waitFor()
  }
  await expectAccessible(page)
  await all.getByRole("button", { name: `Approve: ${nameOf(119)}` }).press("Enter")
  await until(ada, ({ questions }) => questions.all.some(({ text }) => text === nameOf(119)))
  await all.getByRole("button", { name: `Pin: ${nameOf(119)}` }).press("Enter")
  await until(ada, ({ questions }) => questions.all.some(({ pinned }) => pinned))
  await all.getByRole("button", { name: `Unpin: ${nameOf(119)}` }).waitFor()
})

test("of many polls a page holds those that are open, and the newest; a host opens one that is further down by keyboard", async () => {
  const stage = await stageWith(site, [TALK], "publish", "start")
  const host = await joinAs(stage, "Other", "host")
  const ann = await enter(stage, "Ann")
  const page = await openConsole(stage, `/host/live/${stage.event.id}/polls`)
  const make = (n: number) =>
    host.command("poll.create", { question: `Poll ${n}`, kind: "single", options: ["Yes", "No"], results: "live" })
  for (let n = 10; n < 40; n++) {
    const { d } = await make(n)
    if (n < 35) await host.command("poll.open", { id: d.poll.id })
  }
  const polls = page.getByRole("list", { name: "Polls" })
  await page.getByRole("button", { name: "Show more (20 left)" }).press("Enter")
  await page.getByRole("button", { name: "Show more (10 left)" }).press("Enter")
  await page.getByRole("button", { name: "Show more" }).waitFor({ state: "detached" })
  // The polls that are open come first, and then the newest.
  expect(await focused(page)).toContain("Poll 14")
  await polls.locator("> li").nth(25).getByText("Poll 39").waitFor()
  await page.getByRole("button", { name: "Open: Poll 39" }).press("Enter")
  await openPanel(ann, "Polls")
  await ann.getByRole("radiogroup", { name: "Poll 39" }).waitFor()
  await ann.getByRole("button", { name: "Show more (16 left)" }).waitFor()
  await ann.getByRole("radiogroup", { name: "Poll 39" }).getByRole("radio", { name: "Yes" }).focus()
  await ann.keyboard.press("Space")
  await ann.keyboard.press("Enter")
  await ann.getByText("You have voted.").waitFor()
  await expectAccessible(ann)
  await expectAccessible(page)
})
