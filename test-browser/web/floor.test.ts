/** Two attendees' pages and a host: chat, questions, polls, reactions, hands, announcements and the way onto the stage. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { createWorkspace, type Workspace } from "../../test/support/api.ts"
import { eventually } from "../../test/support/wait.ts"
import { connectClient, enter, idOf, type Occasion, occasionWith, openPanel } from "./people.ts"
import { expectAccessible, openWebSite, type WebSite } from "./site.ts"

let site: WebSite
let acme: Workspace

beforeAll(async () => {
  site = await openWebSite()
  acme = await createWorkspace(site.server.url)
})
afterAll(() => site.stop())

const everything = (config: object = {}): Promise<Occasion> =>
  occasionWith(site, acme, [{ modality: "broadcast", featureSet: ["qa", "chat", "polls", "reactions"], config }])

test("what one writes the other reads, and only one's own messages can be deleted", async () => {
  const occasion = await everything()
  const [ann, ben] = [await enter(occasion, "Ann"), await enter(occasion, "Ben")]
  await ann.getByRole("textbox", { name: "Message" }).fill("Hello from Ann")
  await ann.getByRole("button", { name: "Send" }).click()
  await ben.getByRole("row", { name: "Ann: Hello from Ann" }).waitFor()
  expect(await ben.getByRole("log").textContent()).toBe("Ann: Hello from Ann")
  expect(await ann.getByRole("textbox", { name: "Message" }).inputValue()).toBe("")
  expect(await ben.getByRole("button", { name: "Delete the message" }).count()).toBe(0)
  await expectAccessible(ann)
  // An icon says its name to people who see it, too.
  await ann.getByRole("button", { name: "Delete the message" }).hover()
  await ann.getByRole("tooltip").getByText("Delete the message").waitFor()
  await ann.keyboard.press("Escape")
  await ann.getByRole("tooltip").waitFor({ state: "detached" })
  await ann.getByRole("button", { name: "Delete the message" }).click()
  await ben.getByText("No messages yet. Say hello!").waitFor()
})

test("a name and a text that are written from right to left do not change places with the time between them", async () => {
  const occasion = await everything()
  const dana = await enter(occasion, "דנה")
  await dana.getByRole("textbox", { name: "Message" }).fill("שלום לכולם")
  await dana.getByRole("button", { name: "Send" }).click()
  const message = dana.getByRole("row", { name: "דנה: שלום לכולם" })
  const leftOf = async (text: string | RegExp): Promise<number> =>
    (await message.getByText(text, { exact: true }).boundingBox())?.x ?? Number.NaN
  const [name, time, text] = [await leftOf("דנה"), await leftOf(/^\d\d:\d\d/), await leftOf("שלום לכולם")]
  expect(name).toBeLessThan(time)
  expect(time).toBeLessThan(text)
})

test("of a long chat only what is in view is in the page, and it stays at its end", async () => {
  const occasion = await everything()
  const host = await connectClient(occasion, "Hedy")
  const ann = await enter(occasion, "Ann")
  const say = async (n: number) => {
    while (true) {
      const said = await host.command("chat.send", { to: "event", text: `line ${n}` }).catch((refused) => refused)
      if (!(said instanceof Error)) return
      const { retryAfterMs = 50 } = (said as { refusal?: { retryAfterMs?: number } }).refusal ?? {}
      // timed: the server's limit says when the next message may come.
      await ann.waitForTimeout(retryAfterMs)
    }
  }
  for (let n = 1; n <= 60; n++) await say(n)
  const list = ann.getByRole("grid", { name: "Chat" })
  await list.getByRole("row", { name: "Hedy: line 60", exact: true }).waitFor()
  expect(await list.getByRole("row").count()).toBeLessThan(40)
  await list.hover()
  await ann.mouse.wheel(0, -10_000)
  await list.getByRole("row", { name: "Hedy: line 1", exact: true }).waitFor()
  await say(61)
  await eventually(async () => (await list.getAttribute("aria-rowcount")) === "61", "the next message")
  await list.getByRole("row", { name: "Hedy: line 1", exact: true }).waitFor()
  expect(await list.getByRole("row", { name: "Hedy: line 61", exact: true }).count()).toBe(0)
})

test("a muted person reads along, and a text that was refused is kept", async () => {
  const occasion = await everything()
  const host = await connectClient(occasion, "Hedy")
  const ann = await enter(occasion, "Ann")
  await ann.getByRole("textbox", { name: "Message" }).fill("I was not done")
  const id = await idOf(host, "Ann")
  await host.command("participant.mute", { id })
  await ann.getByText("A host has muted you. You can still read the chat.").waitFor()
  await openPanel(ann, "Questions")
  await ann.getByRole("textbox", { name: "Question" }).fill("Why?")
  await ann.getByRole("button", { name: "Ask" }).click()
  await ann.getByRole("alert").getByText("A host has muted you.").waitFor()
  expect(await ann.getByRole("textbox", { name: "Question" }).inputValue()).toBe("Why?")
  await host.command("participant.mute", { id, on: false })
  await openPanel(ann, "Chat")
  expect(await ann.getByRole("textbox", { name: "Message" }).inputValue()).toBe("I was not done")
})

test("a question waits for a host, is voted for by the other, pinned, answered, and withdrawn", async () => {
  const occasion = await everything({ moderated: true })
  const host = await connectClient(occasion, "Hedy")
  const [ann, ben] = [await enter(occasion, "Ann"), await enter(occasion, "Ben")]
  for (const page of [ann, ben]) await openPanel(page, "Questions")
  await ann.getByRole("textbox", { name: "Question" }).fill("When does it ship?")
  await ann.getByText("Ask anonymously").click()
  await ann.getByRole("button", { name: "Ask" }).click()
  await ann.getByText("Waiting for approval. Only you and the hosts can see it.").waitFor()
  expect(await ben.getByText("When does it ship?").count()).toBe(0)
  await eventually(() => (host.state?.questions.all.length ?? 0) === 1, "the question at the host")
  const question = host.state?.questions.all[0]
  expect(question).toMatchObject({ anonymous: true, authorName: null })
  const id = question?.id ?? ""
  await host.command("question.approve", { id })
  await ben.getByText("When does it ship? (somebody)").waitFor()
  await ben.getByRole("button", { name: "Vote for: When does it ship? 0 votes" }).click()
  await ann.getByRole("button", { name: "Vote for: When does it ship? 1 vote" }).waitFor()
  const voted = ben.getByRole("button", { name: "Vote for: When does it ship? 1 vote" })
  await eventually(async () => (await voted.getAttribute("aria-pressed")) === "true", "the vote at its voter")
  await host.command("question.pin", { id })
  await host.command("question.answer", { id, mode: "text", text: "On Monday." })
  await ben.getByText("On Monday.").waitFor()
  await ben.getByText("Pinned").waitFor()
  await ben.getByText("Answered", { exact: true }).waitFor()
  await expectAccessible(ben)
  await ann.getByRole("button", { name: "Withdraw" }).click()
  await ben.getByText("No questions yet.").waitFor()
})

test("a panel keeps what was ticked and typed while another is shown, and its tab counts what others wrote meanwhile", async () => {
  const occasion = await everything()
  const host = await connectClient(occasion, "Hedy")
  const ann = await enter(occasion, "Ann")
  await openPanel(ann, "Questions")
  await ann.getByRole("textbox", { name: "Question" }).fill("Who pays?")
  await ann.getByText("Ask anonymously").click()
  await host.command("chat.send", { to: "event", text: "One" })
  await ann.getByRole("tab", { name: "Chat (1)" }).waitFor()
  await host.command("chat.send", { to: "event", text: "Two" })
  await ann.getByRole("tab", { name: "Chat (2)" }).waitFor()
  await openPanel(ann, "Chat")
  await ann.getByRole("tab", { name: "Chat", exact: true }).waitFor()
  await ann.getByRole("textbox", { name: "Message" }).fill("Mine")
  await ann.getByRole("button", { name: "Send" }).click()
  await openPanel(ann, "Polls")
  await ann.getByRole("tab", { name: "Chat", exact: true }).waitFor()
  const { d } = await host.command("poll.create", {
    question: "Now?",
    kind: "single",
    options: ["Yes", "No"],
    results: "live",
  })
  await host.command("poll.open", { id: d.poll.id })
  await ann.getByRole("status").getByText("A poll is open: Now?").waitFor()
  await ann.getByRole("radio", { name: "No" }).check({ force: true })
  await openPanel(ann, "Questions")
  expect(await ann.getByRole("textbox", { name: "Question" }).inputValue()).toBe("Who pays?")
  expect(await ann.getByRole("checkbox", { name: "Ask anonymously" }).isChecked()).toBe(true)
  await ann.getByRole("button", { name: "Ask", exact: true }).click()
  await eventually(() => host.state?.questions.all[0]?.anonymous === true, "the question without a name")
  await openPanel(ann, "Polls")
  expect(await ann.getByRole("radio", { name: "No" }).isChecked()).toBe(true)
  await expectAccessible(ann)
})

test("polls of each kind are voted in by the keyboard, and show their results when they may", async () => {
  const occasion = await everything()
  const host = await connectClient(occasion, "Hedy")
  const [ann, ben] = [await enter(occasion, "Ann"), await enter(occasion, "Ben")]
  for (const page of [ann, ben]) await openPanel(page, "Polls")
  const open = async (question: string, fields: Parameters<typeof host.command<"poll.create">>[1]) => {
    const { d } = await host.command("poll.create", { ...fields, question })
    await host.command("poll.open", { id: d.poll.id })
    await ann.getByText(question, { exact: true }).waitFor()
    return d.poll.id
  }
  const single = await open("Tea or coffee?", {
    question: "",
    kind: "single",
    options: ["Tea", "Coffee"],
    results: "afterVote",
    allowChange: true,
  })
  await ann.getByText("Vote to see the results.").waitFor()
  await expectAccessible(ann)
  await ann.getByRole("radio", { name: "Tea" }).focus()
  await ann.keyboard.press("ArrowDown")
  expect(await ann.getByRole("radio", { name: "Coffee" }).isChecked()).toBe(true)
  await ann.keyboard.press("Enter")
  await ann.getByText("You have voted.").waitFor()
  await ann.getByRole("meter", { name: "Coffee" }).waitFor()
  expect(await ben.getByRole("meter").count()).toBe(0)
  await expectAccessible(ann)
  await ann.getByRole("button", { name: "Change my vote" }).click()
  await ann.getByRole("radio", { name: "Tea" }).click({ force: true })
  await ann.getByRole("button", { name: "Vote", exact: true }).click()
  await eventually(
    async () => (await ann.getByRole("meter", { name: "Tea" }).getAttribute("aria-valuetext")) === "1 (100 %)",
    "the other choice",
  )
  await host.command("poll.close", { id: single })
  await ben.getByRole("meter", { name: "Tea" }).waitFor()

  const multi = await open("Which days?", {
    question: "",
    kind: "multi",
    options: ["Mon", "Tue", "Wed"],
    results: "onPublish",
  })
  await ben.getByText("The hosts will share the results later.").waitFor()
  await ben.getByRole("checkbox", { name: "Mon" }).focus()
  await ben.keyboard.press("Space")
  await ben.getByRole("checkbox", { name: "Wed" }).focus()
  await ben.keyboard.press("Space")
  await ben.getByRole("button", { name: "Vote", exact: true }).click()
  await ben.getByText("You have voted.").waitFor()
  await eventually(
    () => host.state?.polls.all.find(({ id }) => id === multi)?.counts?.join() === "1,0,1",
    "both choices at the host",
  )
  await host.command("poll.publish", { id: multi })
  await ben.getByRole("meter", { name: "Wed" }).waitFor()

  await open("How was it?", { question: "", kind: "rating", options: ["1", "2", "3", "4", "5"], results: "live" })
  await ann.getByRole("radio", { name: "4" }).focus()
  await ann.keyboard.press("Space")
  await ann.keyboard.press("Enter")
  await ben.getByText("On average 4").waitFor()
  await expectAccessible(ben)
})

test("reactions are counted for the other, and a hand goes up and down", async () => {
  const occasion = await everything()
  const host = await connectClient(occasion, "Hedy")
  const [ann, ben] = [await enter(occasion, "Ann"), await enter(occasion, "Ben")]
  const now = ben.getByRole("list", { name: "Reactions right now" }).getByText("Applause")
  await ann.getByRole("button", { name: "Applause" }).click()
  await now.waitFor({ state: "attached" })
  await now.waitFor({ state: "detached" })
  await ann.getByRole("button", { name: "Raise hand" }).click()
  await ann.getByText("Your hand is up.").waitFor()
  await ben.getByText("1 hand is up").waitFor()
  await eventually(() => host.state?.hands.queue[0]?.name === "Ann", "the hand at the host")
  await ann.getByRole("button", { name: "Lower hand" }).click()
  await ann.getByRole("button", { name: "Raise hand" }).waitFor()
})

test("an announcement is read by everybody, and an invitation onto the stage is accepted and declined", async () => {
  const occasion = await everything()
  const host = await connectClient(occasion, "Hedy")
  const [ann, ben] = [await enter(occasion, "Ann"), await enter(occasion, "Ben")]
  await host.command("announce", { text: "Five minutes left" })
  for (const page of [ann, ben]) await page.getByRole("status").getByText("Five minutes left").waitFor()
  await ann.getByRole("button", { name: "Close" }).click()
  expect(await ann.getByText("Five minutes left").count()).toBe(0)
  for (const name of ["Ann", "Ben"]) await host.command("stage.invite", { id: await idOf(host, name) })
  await ann.getByText("You have been invited on stage.").waitFor()
  await expectAccessible(ann)
  await ann.getByRole("button", { name: "Join the stage" }).click()
  await ann.getByText("You are on stage.").waitFor()
  await ben.getByRole("button", { name: "No, thanks" }).click()
  await ben.getByText("You have been invited on stage.").waitFor({ state: "detached" })
  await ann.getByRole("button", { name: "Leave the stage" }).click()
  await ann.getByRole("button", { name: "Raise hand" }).waitFor()
})

test("somebody without a session watches, asks and votes where the event allows it, and has no chat to write into", async () => {
  const occasion = await occasionWith(site, acme, [{ modality: "broadcast", featureSet: ["qa", "chat"] }], {
    allowAnonymousQuestions: true,
    allowAnonymousVoting: true,
  })
  const page = await site.open(`/e/${occasion.event.id}`)
  await page.getByRole("button", { name: "Watch as a guest" }).click()
  await page.getByText("Chat is read-only for you.").waitFor()
  expect(await page.getByText("Ask anonymously").count()).toBe(0)
  await openPanel(page, "Questions")
  await page.getByRole("textbox", { name: "Question" }).fill("Is it free?")
  await page.getByRole("button", { name: "Ask" }).click()
  await page.getByText("Is it free? (somebody, yours)").waitFor()
  await expectAccessible(page)
})
