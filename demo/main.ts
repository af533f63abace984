/**
 * `npm run demo`: the main job on real input. A server on the embedded database (or `BASE_URL`), a webhook receiver that
 * checks every signature, and a live event of three phases with one host and two hundred viewers. Prints a timeline and a
 * summary; exits 1 when any expectation fails.
 */
import { randomUUID } from "node:crypto"
import { activePhase } from "../packages/client/src/state/event-state.ts"
import { Audience, type Person, percentile } from "./audience.ts"
import { broadcastTalk, checkRecording } from "./broadcast.ts"
import { layCable } from "./cable.ts"
import { Expectations, within } from "./expectations.ts"
import { startReceiver } from "./receiver.ts"
import { type Caller, Rest } from "./rest.ts"
import { startServerProcess } from "./server-process.ts"

const SIGNED_IN = 100
const ANONYMOUS = 90
/** Anonymous viewers on a cable that will be pulled. */
const ON_CABLE = 10
const EVERYONE = 1 + SIGNED_IN + ANONYMOUS + ON_CABLE
const ANNOUNCEMENTS = 20

const began = Date.now()
const say = (line: string): void => {
  process.stdout.write(`${((Date.now() - began) / 1000).toFixed(2).padStart(6)} s  ${line}\n`)
}

/** Runs a job for many at once, a few at a time. */
const forAll = async <A, B>(items: ReadonlyArray<A>, job: (item: A) => Promise<B>, atOnce = 20): Promise<B[]> => {
  const results: B[] = []
  for (let index = 0; index < items.length; index += atOnce) {
    results.push(...(await Promise.all(items.slice(index, index + atOnce).map(job))))
  }
  return results
}

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index)

const expectations = new Expectations()
const own = process.env["BASE_URL"] === undefined ? await startServerProcess() : undefined
const base = own?.url ?? process.env["BASE_URL"] ?? ""
const rest = new Rest(base)
const receiver = await startReceiver()
const cable = await layCable(base)
say(`server at ${base}`)

const signup = await rest.respond(
  "POST",
  "/v1/accounts/signup",
  {},
  {
    email: `demo-${randomUUID()}@example.com`,
    password: "correct horse battery",
    name: "Demo Host",
  },
)
const cookie = (signup.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
const workspace = await rest.call("POST", "/v1/workspaces", { cookie }, { name: "Demo" })
const key: Caller = { key: workspace["apiKey"].secret }
say(`workspace ${workspace["slug"]} with its first API key`)

const hook = await rest.call("POST", "/v1/webhooks", key, { url: receiver.url })
receiver.secret = hook["secret"]
const event = await rest.call("POST", "/v1/events", key, {
  type: "webinar",
  title: "Demo day",
  visibility: "public",
  phases: [
    { modality: "broadcast", featureSet: ["qa", "chat", "transcript"] },
    { modality: "breakout", config: { roomSize: 5, durationSeconds: 5 } },
    { modality: "meeting" },
  ],
})
const eventId: string = event["id"]

const person = async (name: string, role: string): Promise<string> => {
  const user = await rest.call("POST", "/v1/users", key, { externalSub: randomUUID(), name })
  await rest.call("POST", `/v1/events/${eventId}/memberships`, key, { userId: user["id"], role })
  return (await rest.call("POST", `/v1/users/${user["id"]}/session`, key))["sessionToken"]
}
const hostSession = await person("Harriet Host", "host")
const roles = ["viewer", "participant", "speaker"]
const sessions = await forAll(numbers(SIGNED_IN), (n) => person(`Guest ${n + 1}`, roles[n % roles.length] ?? "viewer"))
say(`event ${eventId} with 3 phases, 1 host and ${SIGNED_IN} users with roles`)

await rest.call("POST", `/v1/events/${eventId}/publish`, key)
const started = await rest.call("POST", `/v1/events/${eventId}/start`, key)
say(`published and started: phase 1, ${started["phases"][0].modality}`)

const audience = new Audience(rest, eventId)
const host = await audience.join("host", hostSession)
const signedIn = await forAll(sessions, (session) => audience.join("signed in", session))
await forAll(numbers(ANONYMOUS), () => audience.join("anonymous"))
const onCable = await forAll(numbers(ON_CABLE), () => audience.join("on cable", undefined, cable.through))
const present = (): number => host.client.state?.presence.total ?? 0
await within(() => present() === EVERYONE)
say(`${present()} people present over ${audience.people.length} sockets`)
expectations.equal("everyone is present once", present(), EVERYONE)

const command = host.client.command.bind(host.client)
const phaseIds: string[] = started["phases"].map((phase: { readonly id: string }) => phase.id)
const everyoneSees = (check: (one: Person) => boolean): Promise<boolean> => within(() => audience.people.every(check))

/** Advances under a guard, twice: the second is late and must move nothing. */
const advance = async (from: number): Promise<void> => {
  const phaseId = phaseIds[from] ?? ""
  await Promise.all([command("phase.next", { phaseId }), command("phase.next", { phaseId })])
  const next = phaseIds[from + 1] ?? ""
  const seen = await everyoneSees(({ client }) => client.state !== undefined && activePhase(client.state)?.id === next)
  expectations.expect(`two guarded advances are one step to phase ${from + 2}, seen by everyone`, seen)
  say(`host advanced twice under one guard: phase ${from + 2}`)
}

for (const n of numbers(ANNOUNCEMENTS)) await command("announce", { text: `Welcome ${n + 1}` })
say(`host made ${ANNOUNCEMENTS} announcements`)
const demo = { rest, key, eventId, expectations, say }
await broadcastTalk(demo, phaseIds[0] ?? "")
await advance(0)

const roleOf = ({ client }: Person | undefined = host): string => client.state?.me.role ?? ""
expectations.equal("a speaker reads as participant in a call", roleOf(signedIn[2]), "participant")
expectations.equal("a viewer stays seatless in a call", roleOf(signedIn[0]), "viewer")

let elapsed = 0
for (const { client } of audience.people) client.on("timer.elapsed", () => elapsed++)
say("waiting for the five-second timer")
await within(() => elapsed === EVERYONE)
expectations.equal("the timer elapsed once for everyone", elapsed, EVERYONE)
const [timer] = host.client.state?.timers ?? []
const rev = timer?.rev ?? 0
const pressed = await Promise.allSettled(
  numbers(2).map(() => command("timer.extend", { timerId: phaseIds[1] ?? "", seconds: 10 }, { rev })),
)
const accepted = pressed.filter(({ status }) => status === "fulfilled").length
expectations.equal("two presses of +10 s on one revision extend once", accepted, 1)
say("the timer elapsed, and the host extended it")

const joinedBefore = (): number => receiver.told.filter(({ type }) => type === "participant.joined").length
await within(() => joinedBefore() === EVERYONE)
const joins = joinedBefore()
const tab = await audience.join("second tab", sessions[0])
tab.client.close()
audience.people.pop()
say("a viewer opened and closed a second tab")

const resumeClock = audience.pauseClock()
const cut = cable.pull()
const lost = onCable.map(({ client }) => client)
await within(() => lost.every(({ status }) => status !== "ready"))
await command("announce", { text: "Said while ten were away" })
await within(() => lost.every(({ status }) => status === "ready"))
expectations.equal("ten lost their connection", cut, ON_CABLE)
expectations.expect(
  "all ten resumed exactly where they were",
  onCable.every(({ resumed }) => resumed === 1),
)
const others = audience.people.filter((one) => !onCable.includes(one))
expectations.expect(
  "nobody else noticed",
  others.every(({ resumed, client }) => resumed === 0 && client.status === "ready"),
)
say(`${cut} connections were cut and resumed`)

await within(() => present() === EVERYONE)
resumeClock()
const beforeTab = receiver.told.filter(
  ({ participantId }) => participantId === signedIn[0]?.client.state?.me.participantId,
)
expectations.equal("a second tab fires no presence", beforeTab.length, 1)
await advance(1)

await command("event.end", {})
await within(() => audience.people.every(({ closedWith }) => closedWith !== undefined))
const codes = new Set(audience.people.map(({ closedWith }) => closedWith))
expectations.equal("the end closed every socket with 4307", [...codes], [4307])
say("host ended the event")
await checkRecording(demo)

const told = (type: string) => receiver.told.filter((one) => one.type === type)
const pairs = (): boolean =>
  told("participant.joined").length >= joins && told("participant.left").length === told("participant.joined").length
await within(pairs)
await within(() => receiver.told.some(({ type }) => type === "event.published"))
for (const type of ["event.published", "event.started", "event.ended"]) {
  expectations.equal(`${type} was delivered once`, told(type).length, 1)
}
expectations.expect("every joined has its left", pairs())
expectations.expect(
  "every participant was told to have joined",
  new Set(told("participant.joined").map((one) => one.participantId)).size === EVERYONE,
)
const wellFormed = receiver.told.every(
  ({ participantId, userId, anonymous }) =>
    participantId === undefined ||
    (anonymous === participantId.startsWith("anon:") && (userId === undefined) === anonymous),
)
expectations.expect("anonymous participants carry anon: ids and no userId", wellFormed)
expectations.equal("no delivery had a bad signature", receiver.refused, 0)
expectations.expect("the delivery that failed was retried", receiver.retries > 0)

const latencies = audience.latencies(EVERYONE)
expectations.expect("transitions reached every socket", latencies.length >= ANNOUNCEMENTS)
const rows: ReadonlyArray<readonly [string, string | number]> = [
  ["people", EVERYONE],
  ["dispatches received", audience.dispatches],
  ["transitions seen by all", latencies.length],
  ["transition to last socket, p50", `${percentile(latencies, 0.5)} ms`],
  ["transition to last socket, p99", `${percentile(latencies, 0.99)} ms`],
  ["webhook deliveries accepted", receiver.told.length],
  ["webhook retries", receiver.retries],
]

await cable.close()
if (own !== undefined) expectations.equal("the server stopped cleanly", await own.stop(), 0)
await receiver.close()

process.stdout.write(`\nSummary\n${rows.map(([name, value]) => `  ${name.padEnd(32)}${value}`).join("\n")}\n`)
process.stdout.write(`\nExpectations\n${expectations.report}\n`)
process.exitCode = expectations.failed === 0 ? 0 : 1
