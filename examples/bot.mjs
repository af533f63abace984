/**
 * A bot among the audience: raises its hand when it comes in, and answers "/time" in the chat with the time that is left.
 *
 *   KEY=gck_… EVENT=<id> node examples/bot.mjs        BASE is optional
 */
import { GatewayClient, makeRestClient } from "@gathercue/client"

const { BASE = "http://127.0.0.1:8080", KEY, EVENT } = process.env
if (KEY === undefined || EVENT === undefined) throw new Error("KEY and EVENT have to be given.")

const api = makeRestClient({ baseUrl: BASE, apiKey: KEY })
const bot = await api.upsertUser({ payload: { externalSub: "example-bot", name: "Timekeeper" } })
// Broadcasts have an audience, calls have participants; nobody is given a role that the event has no place for.
const { phases } = await api.getEvent({ params: { id: EVENT } })
const role = phases.every(({ modality }) => modality === "broadcast") ? "viewer" : "participant"
await api.createMembership({ params: { id: EVENT }, payload: { userId: bot.id, role } })
const { sessionToken } = await api.createUserSession({ params: { id: bot.id } })

const asBot = makeRestClient({ baseUrl: BASE, sessionToken })
const client = new GatewayClient({ token: () => asBot.createGatewayToken({ payload: { eventId: EVENT } }) })

const timeLeft = () => {
  const timer = client.state?.timers.find(({ scope }) => scope === "phase")
  if (timer === undefined) return "There is no hurry."
  // By the server's clock: the one of this machine may be wrong.
  return `${Math.ceil(client.clock.remaining(timer) / 1000)} seconds are left.`
}

client.on("chat.message", async ({ message }) => {
  if (message.text !== "/time") return
  // What is refused (slow mode, a phase without chat, another place than where we may write) is only reported.
  await client
    .command("chat.send", { to: message.to, text: timeLeft(), replyTo: message.id })
    .then(() => console.log(`told ${message.name} the time`))
    .catch((cause) => console.log(`could not answer: ${cause.message}`))
})
client.on("assignment.updated", ({ name }) => console.log(`now in ${name}`))
client.on("closed", ({ reason }) => console.log(`over: ${reason}`))

await client.connect()
await client.command("hand.raise", { note: "I tell the time" })
console.log("listening")
