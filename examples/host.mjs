/**
 * Runs an event from beginning to end: makes it over REST, then hosts it over the gateway. Approves questions, answers the one
 * with the most votes, runs a poll, sends people into breakout rooms, and ends it.
 *
 *   KEY=gck_… node examples/host.mjs        BASE is optional
 */
import { once } from "node:events"
import { createInterface } from "node:readline"
import { GatewayClient, makeRestClient, shownQuestions } from "@gathercue/client"

const { BASE = "http://127.0.0.1:8080", KEY } = process.env
if (KEY === undefined) throw new Error("KEY has to be an API key of your workspace.")

const terminal = createInterface({ input: process.stdin })
/** @param {string} what */
const enter = (what) => {
  console.log(`press Enter to ${what}`)
  return once(terminal, "line")
}

// The event. An API key stays on your server; a host gets a session of their own.
const api = makeRestClient({ baseUrl: BASE, apiKey: KEY })
const event = await api.createEvent({
  payload: {
    type: "webinar",
    title: "Questions and answers",
    visibility: "public",
    allowAnonymousQuestions: true,
    allowAnonymousVoting: true,
    phases: [
      {
        modality: "broadcast",
        featureSet: ["qa", "chat", "polls", "reactions"],
        config: { moderated: true, durationSeconds: 3600 },
      },
      { modality: "breakout", featureSet: ["chat"] },
    ],
  },
})
const host = await api.upsertUser({ payload: { externalSub: "example-host", name: "Hedy" } })
await api.createMembership({ params: { id: event.id }, payload: { userId: host.id, role: "host" } })
const { sessionToken } = await api.createUserSession({ params: { id: host.id } })
await api.publishEvent({ params: { id: event.id } })
await api.startEvent({ params: { id: event.id } })

// On the air.
const asHost = makeRestClient({ baseUrl: BASE, sessionToken })
const client = new GatewayClient({ token: () => asHost.createGatewayToken({ payload: { eventId: event.id } }) })
await client.connect()
console.log(`live: ${event.id}`)

/** The state right now; there is one after `connect`. */
const now = () => {
  if (client.state === undefined) throw new Error("not connected")
  return client.state
}

// Questions wait as `pending` until a moderator lets them through.
client.on("question.created", async ({ question }) => {
  if (question.status !== "pending") return
  const isRude = /\bdarn\b/i.test(question.text)
  const verdict = isRude ? "question.hide" : "question.approve"
  // `rev` says which revision was looked at: if another moderator was faster, this is refused as a `conflict`.
  await client.command(verdict, { id: question.id }, { rev: question.rev }).catch(() => {})
  console.log(`${isRude ? "hidden" : "approved"}: ${question.text}`)
})
await enter("answer the question with the most votes")

const [top] = shownQuestions(now().questions)
if (top !== undefined) {
  await client.command("question.answer", { id: top.id, mode: "text", text: "Good question: yes." })
  console.log(`answered: ${top.text}`)
}

// A poll that nobody closes closes by itself; its counts are in the state as they change.
const { d } = await client.command("poll.create", {
  question: "Shall we talk in small groups?",
  kind: "single",
  options: ["Yes", "No"],
})
await client.command("poll.open", { id: d.poll.id, durationMs: 600_000 })
await enter("close the poll")
const { poll } = (await client.command("poll.close", { id: d.poll.id })).d
console.log(`poll: ${poll.options.map(({ text }, index) => `${text} ${poll.counts?.[index] ?? 0}`).join(", ")}`)

// Breakout rooms: the plan is a dry run, and opens exactly as it said.
await client.command("phase.next", {})
const { d: planned } = await client.command("breakout.plan", { rooms: 2, strategy: "balanced" })
const { d: opened } = await client.command("breakout.open", { planId: planned.plan.id, late: "leastLoaded" })
console.log(`rooms: ${opened.rooms.map(({ name, count }) => `${name} (${count})`).join(", ")}`)
client.on("room.help", ({ by, text }) => console.log(`${by.name} asks for help: ${text ?? ""}`))
await enter("bring everybody back")
await client.command("announce", { text: "Please come back." })
const back = new Promise((resolve) => client.on("breakout.closed", resolve))
await client.command("breakout.close", { graceMs: 1000 })
await back

await client.command("event.end", {})
client.close()
terminal.close()
console.log("ended")
