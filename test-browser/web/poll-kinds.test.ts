/** A word cloud, a ranking and a quiz: made in the console, voted in by attendees, shown on the screen. */
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { shared } from "../../test/support/shared.ts"
import { openConsole, stageWith } from "./host-pages.ts"
import { enter, openPanel } from "./people.ts"
import { expectAccessible, openWebSite } from "./site.ts"

const site = shared(openWebSite, (one) => one.stop())

const PHASES = [{ modality: "meeting", featureSet: ["polls"] }]

const make = async (host: Page, kind: string, question: string, fields: { readonly [label: string]: string }) => {
  await host.getByLabel("Question").fill(question)
  await host.getByRole("button", { name: "Kind" }).click()
  await host.getByRole("option", { name: kind, exact: true }).click()
  for (const [label, text] of Object.entries(fields)) await host.getByRole("textbox", { name: label }).fill(text)
  await host.getByRole("button", { name: "New poll" }).click()
  await host.getByRole("button", { name: `Open: ${question}` }).click()
}

test("hosts ask for words, an order and a right answer; people answer, and see the results", async () => {
  const stage = await stageWith(site, PHASES, "publish", "start")
  const [ann, ben] = [await enter(stage, "Ann"), await enter(stage, "Ben")]
  const host = await openConsole(stage, `/host/live/${stage.event.id}/polls`)
  for (const page of [ann, ben]) await openPanel(page, "Polls")

  await make(host, "word cloud", "Your mood?", { "Words that nobody may write": "rude" })
  await ann.getByLabel("Word 1").fill("sunny")
  await expectAccessible(ann)
  await ann.getByRole("button", { name: "Vote" }).click()
  await ben.getByLabel("Word 1").fill("rude")
  await ben.getByRole("button", { name: "Vote" }).click()
  await ben.getByRole("alert").waitFor()
  await ben.getByLabel("Word 1").fill("Sunny")
  await ben.getByLabel("Word 2").fill("tired")
  await ben.getByRole("button", { name: "Vote" }).click()
  await host.getByRole("button", { name: "Hide: tired" }).click()
  await host.getByRole("button", { name: "Show again: tired" }).waitFor()
  const results = ann.getByRole("list", { name: "Results" })
  await results.getByText("tired").waitFor({ state: "detached" })
  expect(await results.getByRole("listitem").count()).toBe(1)
  await expectAccessible(host)
  await host.getByRole("button", { name: "Close: Your mood?" }).click()

  await make(host, "ranking", "Which first?", { Answers: "Tea\nCoffee" })
  await ann.getByRole("button", { name: "Coffee" }).click()
  await ann.getByRole("button", { name: "Tea" }).click()
  await ann.getByRole("button", { name: "Place 2: Tea" }).waitFor()
  await ann.getByRole("button", { name: "Vote" }).click()
  await ann.getByText("2 points").waitFor()
  await host.getByRole("button", { name: "Close: Which first?" }).click()

  await make(host, "quiz", "The capital?", { Answers: "Zurich\n* Bern" })
  // The console hides the results of a quiz until a person has voted.
  const quiz = ben.getByRole("listitem").filter({ hasText: "The capital?" })
  await quiz.getByText("Vote to see the results").waitFor()
  await ann.getByRole("radio", { name: "Bern" }).check({ force: true })
  await ann.getByRole("button", { name: "Vote" }).click()
  await ann.getByRole("radio", { name: "Bern" }).waitFor({ state: "detached" })
  expect(await ann.getByText("(right)").count()).toBe(0)
  await host.getByRole("button", { name: "Close: The capital?" }).click()
  await ben.getByText("Bern (right)").waitFor()
  await ben.getByRole("list", { name: "Most points" }).getByText("Ann").waitFor()
})
