/** Anonymous viewers receive the number of people and the names of those on stage, and no other names, however people come. */
import { expect, test } from "vitest"
import { applyDispatch, type EventState, stateOf } from "../../packages/client/src/state/event-state.ts"
import type { Visibility } from "../../src/model/event.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { type Stage, sharedHouse } from "./house.ts"

const house = sharedHouse()

let next = 0
const watch = (stage: Stage): Promise<Client> => {
  next++
  return house.join(stage, `anon:${next}`, "viewer", { kind: "anonymous", name: "Anonymous viewer" })
}
const REFUSED = 4203
const broadcast = (): Promise<Stage> => house.stage([{ modality: "broadcast", featureSet: ["qa", "reactions"] }])
const readyOf = ({ received }: Client): Frame => received.find(({ t }) => t === "ready")
const namesIn = (people: ReadonlyArray<Frame>): ReadonlyArray<string> =>
  people.map(({ participantId }) => participantId)

/** The event as the reference client of this socket has it. */
const seenBy = (client: Client): EventState =>
  client.received
    .slice(client.received.indexOf(readyOf(client)) + 1)
    .filter(({ op }) => op === 0)
    .reduce((state, dispatch) => applyDispatch(state, dispatch), stateOf(readyOf(client).d))

const staffSeenBy = (client: Client): ReadonlyArray<string> => {
  const { presence } = seenBy(client)
  return presence.mode === "summary" ? namesIn(presence.staff) : ["not a summary"]
}

test("ready has the counts and those on stage, also of the smallest audience; with a name it has everyone", async () => {
  const stage = await broadcast()
  const host = await house.join(stage, "host", "host", { kind: "user" })
  await house.join(stage, "guest", "viewer")
  await host.next(({ t, d }) => t === "presence.diff" && namesIn(d.join).includes("guest"), "the guest")
  const { d } = readyOf(await watch(stage))
  expect(d.presence).toMatchObject({ mode: "summary", byRole: { host: 1 }, byRoom: {} })
  expect(namesIn(d.presence.staff)).toEqual(["host"])
  expect(Object.keys(d.cursors).toSorted()).toEqual(["event", "me", "stage"])
  const named = readyOf(await house.join(stage, "other", "viewer"))
  expect(named.d.presence.mode).toBe("list")
  expect(namesIn(named.d.presence.list)).toEqual(expect.arrayContaining(["host", "guest"]))
  expect(Object.keys(named.d.cursors).toSorted()).toEqual(["event", "me", "people"])
})

test("arrivals, changes and departures on stage are sent; the audience is counted and not named", async () => {
  const stage = await broadcast()
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const viewer = await watch(stage)
  await viewer.next(({ t, d }) => t === "presence.count" && d.total === 2, "the first count")
  const guest = await house.join(stage, "guest", "viewer")
  const counted = await viewer.next(({ t, d }) => t === "presence.count" && d.total === 3, "the guest in the count")
  expect(counted).not.toHaveProperty("s")
  await host.command("stage.invite", { id: "guest" })
  await guest.command("stage.accept")
  const onStage = await viewer.next(({ t, d }) => t === "presence.stage" && d.update.length > 0, "the guest on stage")
  expect([onStage.st, namesIn(onStage.d.update)]).toEqual(["stage", ["guest"]])
  expect(staffSeenBy(viewer).toSorted()).toEqual(["guest", "host"])
  await guest.command("stage.leave")
  await viewer.next(({ t, d }) => t === "presence.stage" && d.left.includes("guest"), "the guest leaving the stage")
  expect(staffSeenBy(viewer)).toEqual(["host"])
  await host.cut()
  await viewer.next(({ t, d }) => t === "presence.stage" && d.left.includes("host"), "the host leaving")
  expect(staffSeenBy(viewer)).toEqual([])
  const told = viewer.received.map(({ t }) => t)
  expect(told).not.toContain("presence.diff")
  expect(told).not.toContain("presence.mode")
})

test("no dispatch to a viewer names anybody of the audience, whatever they do that is not public", async () => {
  const stage = await broadcast()
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const viewer = await watch(stage)
  const guests = await Promise.all(["g1", "g2", "g3"].map((who) => house.join(stage, who, "viewer")))
  await host.command("participant.mute", { id: "g1" })
  await host.command("role.set", { id: "g2", role: "viewer" })
  await host.command("participant.remove", { id: "g3", block: true })
  await guests[0]?.command("reaction.send", { kind: "clap" })
  await guests[1]?.command("hand.raise", {})
  await guests[0]?.cut()
  await viewer.next(({ t, d }) => t === "presence.count" && d.total === 3, "the count after all of it")
  const again = await watch(stage)
  const everything = JSON.stringify([viewer.received, again.received])
  for (const who of ["g1", "g2", "g3"]) {
    expect(everything).not.toContain(`"${who}"`)
    expect(everything).not.toContain(`Name of ${who}`)
  }
})

test("a viewer resumes exactly, and one with a cursor of the stream of names gets a full ready", async () => {
  const stage = await broadcast()
  const host = await house.join(stage, "host", "host", { kind: "user" })
  const viewer = await watch(stage)
  const { epoch, cursors } = readyOf(viewer).d
  await viewer.cut()
  const speaker = await house.join(stage, "speaker", "speaker", { kind: "user" })
  await host.next(({ t, d }) => t === "presence.diff" && namesIn(d.join).includes("speaker"), "the speaker")
  await speaker.cut()
  const back = house.connect()
  const token = await house.token(stage, `anon:${next}`, "viewer", { kind: "anonymous" })
  const resumed = await back.identify(token, { epoch, cursors })
  expect(resumed.d.resumed).toBe(true)
  await back.next(
    ({ t, d }) => t === "presence.stage" && namesIn(d.join).includes("speaker"),
    "what was missed on stage",
  )
  const positions = back.ordered("stage").map(({ s }) => s - cursors.stage)
  expect(positions).toEqual(positions.map((_, index) => index + 1))
  const curious = house.connect()
  const { stage: at, ...others } = cursors
  const anew = await curious.identify(token, { epoch, cursors: { ...others, people: at } })
  expect([anew.d.resumed, anew.d.reason]).toEqual([false, "gap"])
  await house.join(stage, "other", "speaker", { kind: "user" })
  await curious.next(({ t, d }) => t === "presence.stage" && namesIn(d.join).includes("other"), "another speaker")
  expect(JSON.stringify(curious.received)).not.toContain("presence.diff")
})

test("an event without anonymous viewers publishes nothing for them", async () => {
  const stage = await house.stage([{ modality: "meeting" }])
  const host = await house.join(stage, "host", "host", { kind: "user" })
  await house.join(stage, "guest")
  await host.next(({ t, d }) => t === "presence.diff" && namesIn(d.join).includes("guest"), "the guest")
  const said = await house.actors.sql<{ stream: string }[]>`
    select distinct stream from publications where event_id = ${stage.eventId} order by stream`
  expect(said.map(({ stream }) => stream)).toEqual(["event", "people"])
})

test("when an event becomes unlisted or private they are out, and nobody with a name is", async () => {
  const stage = await broadcast()
  const guest = await house.join(stage, "guest", "viewer")
  const viewers = [await watch(stage), await watch(stage)]
  const become = (visibility: Visibility) =>
    house.actors.execute(stage.eventId, { type: "event.patch", d: { visibility } })
  for (const to of ["unlisted", "private"] as const) {
    await become(to)
    for (const viewer of viewers.splice(0)) expect([to, await viewer.closeCode()]).toEqual([to, REFUSED])
    const late = house.connect()
    await late.hello()
    late.send({ op: 2, d: { token: await house.token(stage, "anon:late", "viewer", { kind: "anonymous" }) } })
    expect([to, await late.closeCode()]).toEqual([to, REFUSED])
    await become("public")
    // Each node hears of it in its own time; a viewer who is refused until then comes again.
    let viewer: Client | undefined
    await eventually(async () => {
      viewer = await watch(stage).catch(() => undefined)
      return viewer !== undefined
    }, "a viewer being let in")
    expect(viewer === undefined ? null : readyOf(viewer).d.me.role).toBe("viewer")
    if (viewer !== undefined) viewers.push(viewer)
    expect(await guest.command("question.ask", { text: "Still here?" })).toMatchObject({ ok: true })
  }
})
