/**
 * The pages for people in Chromium: the largest paint on a slow phone, the answer to a person who types while a full event talks, and
 * the memory of a page that stays open. The limits are a page of the same words without script, and the same event in silence.
 */
import { type Bench, defineBenchmark } from "../benchmark.ts"
import type { PeopleOptions, Talked } from "../chat/people-process.ts"
import type { Joined } from "../support/audience.ts"
import { type Child, startChild } from "../support/child.ts"
import { percentile, printRows, sleep, spread, spreadOf } from "../support/figures.ts"
import {
  affordableSockets,
  JOINS_PER_SECOND,
  type LiveServer,
  openAudience,
  startLiveServer,
} from "../support/live-server.ts"
import { atMost, type Report, ratio } from "../support/report.ts"
import { call, eventBody } from "../support/rest-calls.ts"
import { type Device, type Kept, type Open, openBrowser } from "./browser.ts"
import { largestPaint, startPlainPage, type View } from "./first-view.ts"
import { type Interactions, interact, type Memory, memoryOf } from "./interaction.ts"

const OPTIONS = {
  views: { fallback: 7, quick: 2, doc: "Times that each page is opened, in turns." },
  people: { fallback: 5000, quick: 500, doc: "People at the full event." },
  writers: { fallback: 250, quick: 200, doc: "Of these, people who write; a person may write once a second." },
  fast: { fallback: 200, quick: 150, doc: "Messages per second of all together." },
  seconds: { fallback: 30, quick: 8, doc: "Length of a round of typing." },
  minutes: {
    fallback: 10,
    quick: 0.2,
    doc: "Minutes for which the page's memory is watched, with 20 messages a second.",
  },
}

type Options = Bench<typeof OPTIONS>["options"]

const AGENDA = [{ modality: "broadcast", featureSet: ["qa", "chat", "reactions", "polls"] }]
const PAINT_GOAL_MS = 1500
const INTERACTION_GOAL_MS = 100
/** The interaction that 98 of 100 are faster than, as "interaction to next paint" counts them. */
const SHARE = 0.98
const MEMORY_PER_SECOND = 20
const SAMPLES = 20

const openPerson = async ({ server, workspace, place }: LiveServer): Promise<Kept> => {
  const { key } = workspace
  const user = await call(server.url, "POST", "/v1/users", { key, body: { externalSub: "ada", name: "Ada" } })
  const role = { userId: user.id, role: "viewer" }
  await call(server.url, "POST", `/v1/events/${place.eventId}/memberships`, { key, body: role })
  const { sessionToken } = await call(server.url, "POST", `/v1/users/${user.id}/session`, { key })
  return { eventId: place.eventId, token: sessionToken }
}

/** One event is announced, another one is live. */
const viewsOf = async ({ server, workspace }: LiveServer, kept: Kept, bench: Bench<typeof OPTIONS>) => {
  const { key } = workspace
  const { id, title } = await call(server.url, "POST", "/v1/events", { key, body: eventBody() })
  await call(server.url, "POST", `/v1/events/${id}/publish`, { key })
  const views: ReadonlyArray<View> = [
    { name: "attendee: an event that is announced", address: `${server.url}/e/${id}`, text: title },
    { name: "attendee: a live event", address: `${server.url}/e/${kept.eventId}`, text: "Enter now", kept },
    { name: "host: signing in", address: `${server.url}/host`, text: "Sign in" },
    { name: "the same words without script", address: await startPlainPage(title, bench.defer), text: title },
  ]
  return views
}

const measureViews = async (open: Open, views: ReadonlyArray<View>, rounds: number): Promise<number[][]> => {
  const measured: number[][] = views.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, view] of views.entries()) measured[index]?.push(await largestPaint(open, view))
  }
  console.log("Largest paint on a phone (CPU four times slower, 1.6 Mbit/s, 150 ms), nothing in the cache\n")
  printRows([["page", "ms"], ...views.map(({ name }, index) => [name, spread(measured[index] ?? [])])])
  console.log("")
  return measured
}

const inside = async (open: Open, device: Device, { server }: LiveServer, kept: Kept) => {
  const opened = await open(device, kept)
  await opened.page.goto(`${server.url}/e/${kept.eventId}`)
  const startedAt = performance.now()
  await opened.page.getByRole("button", { name: "Enter now" }).click()
  // The chat of a phone stands behind a tab.
  const shown = opened.page.getByRole(device === "desk" ? "textbox" : "button", {
    name: device === "desk" ? "Message" : "Applause",
  })
  await shown.first().waitFor()
  return { ...opened, enteredMs: performance.now() - startedAt }
}

const measureEntering = async (open: Open, live: LiveServer, kept: Kept, rounds: number): Promise<number[]> => {
  const measured: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { close, enteredMs } = await inside(open, "phone", live, kept)
    measured.push(enteredMs)
    await close()
  }
  console.log(`From "Enter now" to the room, on that phone: ${spread(measured)} ms\n`)
  return measured
}

const typed = async (open: Open, live: LiveServer, kept: Kept, { seconds }: Options): Promise<Interactions> => {
  const opened = await inside(open, "desk", live, kept)
  try {
    return await interact(opened, seconds)
  } finally {
    await opened.close()
  }
}

const talking = async <A>(
  people: Child,
  perSecond: number,
  seconds: number,
  meanwhile: () => Promise<A>,
): Promise<A> => {
  const talk = people.call<Talked>("talk", { perSecond, seconds })
  const result = await meanwhile()
  const { refused, refusal } = await talk
  if (refused > 0) throw new Error(`${refused} messages were refused: ${refusal}`)
  return result
}

/** The time to open the page, beside that of typing. */
const OPENING_SECONDS = 6

const measureTyping = async (open: Open, live: LiveServer, kept: Kept, people: Child, bench: Bench<typeof OPTIONS>) => {
  const { options, defer } = bench
  const { fast, writers, seconds } = options
  const rows: Array<readonly [string, Interactions]> = [["silence", await typed(open, live, kept, options)]]
  const loud = () => talking(people, fast, seconds + OPENING_SECONDS, () => typed(open, live, kept, options))
  rows.push([`${fast} messages/s, ${writers} people`, await loud()])
  const sockets = affordableSockets(options.people - writers)
  const { port } = live.server
  const audience = await openAudience({ port, sockets, speaks: "gateway", place: live.place }, defer)
  await audience.call<Joined>("join", JOINS_PER_SECOND)
  rows.push([`${fast} messages/s, ${sockets + writers} people`, await loud()])
  await audience.stop()
  console.log(
    "From a key or a press to the next paint, while a person writes (a desktop; the people share its cores)\n",
  )
  printRows([
    ["the event", "interactions", "p50 ms", "p98 ms", "longest ms", "page's thread busy"],
    ...rows.map(([name, { durations, busy }]) => [
      name,
      String(durations.length),
      ...[0.5, SHARE, 1].map((share) => percentile(durations, share).toFixed(0)),
      `${(busy * 100).toFixed(0)} %`,
    ]),
  ])
  console.log("")
  return rows.map(([, { durations }]) => percentile(durations, SHARE))
}

const measureMemory = async (open: Open, live: LiveServer, kept: Kept, people: Child, minutes: number) => {
  const opened = await inside(open, "desk", live, kept)
  await opened.devtools.send("Performance.enable")
  const samples: Memory[] = []
  const each = (minutes * 60) / SAMPLES
  for (let n = 0; n < SAMPLES; n++) {
    await talking(people, MEMORY_PER_SECOND, Math.max(1, Math.round(each)), () => sleep(each * 1000))
    samples.push(await memoryOf(opened))
  }
  await opened.close()
  const tenth = (which: number): ReadonlyArray<Memory> => samples.slice(which * 2, which * 2 + 2)
  const rows = [0, 1, 4, 9].map((which) => [
    `tenth ${which + 1}`,
    spread(tenth(which).map(({ heapMiB }) => heapMiB)),
    spread(tenth(which).map(({ elements }) => elements)),
  ])
  console.log(
    `Memory of the page over ${minutes} minutes with ${MEMORY_PER_SECOND} messages/s, after all garbage was collected\n`,
  )
  printRows([["time", "MiB of heap", "nodes"], ...rows])
  const [second, last] = [tenth(1), tenth(9)].map((some) => some.map(({ heapMiB }) => heapMiB))
  return ratio("heap of the last tenth to the second", last ?? [], second ?? []).text
}

const run = async (bench: Bench<typeof OPTIONS>): Promise<Report> => {
  const { options, defer } = bench
  const live = await startLiveServer(0, defer, { agenda: AGENDA })
  const open = await openBrowser(defer)
  const kept = await openPerson(live)
  const views = await viewsOf(live, kept, bench)
  const paints = await measureViews(open, views, options.views)
  const entering = await measureEntering(open, live, kept, options.views)
  const people = await startChild(new URL("../chat/people-process.js", import.meta.url), defer)
  const given: PeopleOptions = {
    port: live.server.port,
    place: live.place,
    people: options.writers,
    speaks: "gateway",
    joinsPerSecond: JOINS_PER_SECOND,
  }
  await people.call("open", given)
  const typing = await measureTyping(open, live, kept, people, bench)
  const memory = await measureMemory(open, live, kept, people, options.minutes)
  const [announced = [], liveEvent = [], , plain = []] = paints
  const [silent = Number.NaN, , full = Number.NaN] = typing
  return {
    peer: "a page without script, the event in silence, and the page when it was new (lower is better)",
    ratios: [
      ratio("largest paint", announced, plain).text,
      `p98 of interactions ${(full / silent).toFixed(2)}x`,
      memory,
    ],
    goals: [
      atMost("largest paint", spreadOf(announced).median, PAINT_GOAL_MS, "ms"),
      atMost("largest paint of a live event", spreadOf(liveEvent).median, PAINT_GOAL_MS, "ms"),
      atMost("entering", spreadOf(entering).median, PAINT_GOAL_MS, "ms"),
      atMost("p98 of interactions", full, INTERACTION_GOAL_MS, "ms"),
    ],
  }
}

export const pages = defineBenchmark({
  summary: "The pages in Chromium: largest paint on a phone, answers to typing beside a full event, memory over time.",
  options: OPTIONS,
  needs: ["chromium"],
  limitSeconds: 4200,
  run,
})
