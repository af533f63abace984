/** The people of a soak, in a process of their own: they do everything a phase lets them do, and their links break. */
import { answerParent } from "../support/child.ts"
import { sleep } from "../support/figures.ts"
import { type Ledger, type Place, SoakClient } from "./soak-client.ts"

export interface CrowdOptions {
  readonly place: Place
  readonly people: number
  readonly joinsPerSecond: number
}

export interface LiveOptions {
  readonly seconds: number
  /** Things people do, links that break, and people who go and are replaced, per second. */
  readonly acts: number
  readonly cuts: number
  readonly leaves: number
  /** Seconds until the hosts move to the next phase. */
  readonly phaseSeconds: number
}

export interface Settled extends Ledger {
  /** Clients connected in the end, and how many of them stand where the first host stands. */
  readonly connected: number
  readonly level: number
}

const ledger: Ledger = {
  ordered: 0,
  ephemeral: 0,
  holes: 0,
  repeats: 0,
  resumed: 0,
  snapshots: 0,
  accepted: 0,
  refused: {},
  closes: {},
}

let options: CrowdOptions
let hosts: SoakClient[] = []
let people: SoakClient[] = []
/** The objects of the actions. */
const questions: string[] = []
const polls: string[] = []

const pick = <A>(list: ReadonlyArray<A>): A | undefined => list[Math.floor(Math.random() * list.length)]

const keep = (list: string[], id: string): void => {
  list.push(id)
  if (list.length > 50) list.shift()
}

type Received = { readonly t?: string; readonly d?: any } // decoded JSON, looked at by its `t`

/** The first host's eyes: what came up is acted upon by all. */
const watch = (client: SoakClient, frame: Received): void => {
  if (client !== hosts[0]) return
  if (frame.t === "question.created") keep(questions, frame.d.question.id)
  if (frame.t === "poll.opened") keep(polls, frame.d.poll.id)
  if (frame.t === "poll.created") client.command("poll.open", { id: frame.d.poll.id, durationMs: 20_000 })
}

const ACTS: ReadonlyArray<readonly [string, () => object | undefined]> = [
  ["chat.send", () => ({ to: "event", text: "Hello from the crowd" })],
  ["chat.send", () => ({ to: "room", text: "Hello, you in here" })],
  ["question.ask", () => ({ text: "What comes next?" })],
  ["question.vote", () => withId(questions, { on: Math.random() < 0.7 })],
  ["poll.vote", () => withId(polls, { optionIds: [String(1 + Math.floor(Math.random() * 3))] })],
  ["reaction.send", () => ({ kind: pick(["like", "clap", "wow", "fire"]), n: 3 })],
  ["hand.raise", () => ({})],
  ["hand.lower", () => ({})],
  ["room.help", () => ({ text: "Could you come?" })],
  ["room.return", () => ({})],
  ["rotation.opt", () => ({ in: Math.random() < 0.8 })],
  ["roster.list", () => ({ limit: 10 })],
]

const HOST_ACTS: ReadonlyArray<readonly [string, () => object | undefined]> = [
  ["announce", () => ({ text: "A word from your hosts" })],
  ["question.approve", () => withId(questions, {})],
  ["question.pin", () => withId(questions, { on: Math.random() < 0.5 })],
  ["question.answer", () => withId(questions, { mode: "live" })],
  ["poll.create", () => ({ question: "Which?", kind: "single", options: ["a", "b", "c"], results: "live" })],
  ["hand.lowerFor", () => ({ all: true })],
  ["stage.invite", () => ({ id: pick(people)?.participantId })],
  ["participant.mute", () => ({ id: pick(people)?.participantId, until: new Date(Date.now() + 3000).toISOString() })],
  ["capture.start", () => ({ kinds: ["recording"] })],
  ["capture.stop", () => ({})],
  ["rotation.skip", () => ({})],
]

const withId = (ids: ReadonlyArray<string>, more: object): object | undefined => {
  const id = pick(ids)
  return id === undefined ? undefined : { id, ...more }
}

/** A question now and then: every one is kept for as long as the event is. */
const RARE: ReadonlySet<string> = new Set(["question.ask"])
const RARELY = 0.1

const act = (client: SoakClient | undefined, acts: typeof ACTS): void => {
  const [t, body] = pick(acts) ?? []
  if (t !== undefined && RARE.has(t) && Math.random() > RARELY) return
  const d = body?.()
  if (client !== undefined && t !== undefined && d !== undefined && client.can.includes(t)) client.command(t, d)
}

const newcomer = (): SoakClient => new SoakClient(options.place, "participant", ledger, watch)

const READY_DEADLINE_MS = 120_000

const ready = async (clients: ReadonlyArray<SoakClient>): Promise<void> => {
  const deadline = Date.now() + READY_DEADLINE_MS
  while (clients.some(({ isReady }) => !isReady)) {
    if (Date.now() > deadline) throw new Error(`not all became ready; closes: ${JSON.stringify(ledger.closes)}`)
    await sleep(100)
  }
}

const open = async (given: CrowdOptions): Promise<void> => {
  options = given
  hosts = [0, 1].map(() => new SoakClient(given.place, "host", ledger, watch))
  await ready(hosts)
  for (let n = 0; n < given.people; n++) {
    people.push(newcomer())
    if (n % 50 === 49) await sleep((50 * 1000) / given.joinsPerSecond)
  }
  await ready(people)
}

const STEP_MS = 100

/** So many of a thing per second, whatever the step. */
const times = (perSecond: number): number => {
  const wanted = (perSecond * STEP_MS) / 1000
  return Math.floor(wanted) + (Math.random() < wanted % 1 ? 1 : 0)
}

const live = async (given: LiveOptions): Promise<void> => {
  const end = Date.now() + given.seconds * 1000
  let nextPhase = Date.now() + given.phaseSeconds * 1000
  while (Date.now() < end) {
    for (let n = times(given.acts); n > 0; n--) act(pick(people), ACTS)
    for (let n = times(1); n > 0; n--) act(pick(hosts), HOST_ACTS)
    for (let n = times(given.cuts); n > 0; n--) pick(people)?.cut()
    for (let n = times(given.leaves); n > 0; n--) {
      const index = Math.floor(Math.random() * people.length)
      people[index]?.leave()
      people[index] = newcomer()
    }
    if (Date.now() >= nextPhase) {
      nextPhase += given.phaseSeconds * 1000
      hosts[1]?.command("phase.next")
    }
    await sleep(STEP_MS)
  }
}

/** Lets everybody come back and hear the last word, and says what was seen. */
const settle = async (): Promise<Settled> => {
  await ready([...hosts, ...people])
  hosts[0]?.command("announce", { text: "The last word" })
  await sleep(3000)
  const head = hosts[0]?.eventCursor
  const level = people.filter(({ eventCursor }) => eventCursor === head).length
  return { ...ledger, connected: people.length, level }
}

answerParent({
  open,
  live,
  settle,
  leave: () => {
    for (const client of [...hosts, ...people]) client.leave()
    people = []
  },
})
