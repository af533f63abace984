/** Captions of rooms: who receives them, and recognisers of several rooms that number their segments alike. */
import { expect, test } from "vitest"
import { Client, type Frame } from "../gateway/client.ts"
import { call, createLiveEvent, createPerson, gatewayToken, type Json } from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const said = (segment: string, text: string, more: object = {}) => ({
  segment,
  final: true,
  speaker: "Ada",
  lang: "en",
  t0: 0,
  t1: 1000,
  text,
  ...more,
})

/** An event that takes captions. */
const openEvent = async (modality: "breakout" | "rotation") => {
  const phases = [{ modality, featureSet: ["transcript"] }]
  const event = await createLiveEvent(server.url, acme.key, { visibility: "public", phases })
  const api = (method: string, path: string, body?: object): Promise<Json> =>
    call(server.url, method, path, { key: acme.key, ...(body === undefined ? {} : { body }) })
  const enter = async (role: string, name = role): Promise<Client> => {
    const { session } = await createPerson(server.url, acme.key, event.id, role, name)
    const { token, url } = await gatewayToken(server.url, event.id, session)
    const client = new Client(url)
    await client.identify(token)
    return client
  }
  const push = async (...segments: ReadonlyArray<object>): Promise<void> => {
    expect((await api("POST", `/v1/events/${event.id}/transcript-segments`, { segments })).status).toBe(200)
  }
  return { event, api, enter, push }
}

/** Two rooms with a participant in each, a host, and a viewer. */
const openRooms = async () => {
  const { event, api, enter, push } = await openEvent("breakout")
  const [host, viewer, ann, bob] = [
    await enter("host"),
    await enter("viewer"),
    await enter("participant", "Ann"),
    await enter("participant", "Bob"),
  ]
  const planned = await host.command("breakout.plan", { strategy: "self", rooms: ["Red", "Blue"] })
  const { d } = await host.command("breakout.open", { planId: planned.d.plan.id })
  const [red, blue] = d.rooms.map(({ id }: Frame) => id)
  await ann.command("room.choose", { roomId: red })
  await bob.command("room.choose", { roomId: blue })
  return { event, api, push, host, viewer, ann, bob, red, blue }
}

const heard = ({ received }: Client): ReadonlyArray<string> =>
  received.filter(({ t }) => t === "transcript.segment" || t === "transcript.interim").map(({ d }) => d.text)

test("what is said in a room reaches the people there alone, and who comes later does not hear what was before", async () => {
  const { push, host, viewer, ann, bob, red } = await openRooms()
  await push(said("i", "half a sentence", { roomId: red, final: false }))
  await push(said("a", "in red", { roomId: red }))
  await push(said("b", "to all"))
  for (const client of [host, viewer, ann, bob]) {
    await client.next(({ t, d }) => t === "transcript.segment" && d.text === "to all", "the caption to all")
  }
  await eventually(() => heard(ann).length === 3, "the captions of the room")
  for (const client of [host, viewer, bob]) expect(heard(client)).toEqual(["to all"])
  await bob.command("room.choose", { roomId: red })
  await push(said("c", "in red again", { roomId: red }))
  await eventually(() => heard(bob).includes("in red again"), "the caption of the new room")
  expect(heard(bob)).toEqual(["to all", "in red again"])
  for (const client of [host, viewer, ann, bob]) await client.cut()
})

test("recognisers of two rooms and of the event that number their segments alike keep each other's", async () => {
  const { event, api, push, host, viewer, ann, bob, red, blue } = await openRooms()
  await push(said("1", "to all of you"))
  // At once, and one after the other.
  await push(said("1", "in red", { roomId: red }), said("1", "in blue now", { roomId: blue }))
  await push(said("1", "and corrected in red", { roomId: red }))
  const wordsOf = async (room: string) =>
    (await api("GET", `/v1/events/${event.id}/tables/${room}/summary/draft`)).body.stats.totalWords
  expect([await wordsOf(red), await wordsOf(blue)]).toEqual([4, 3])
  await host.command("event.end", {})
  let texts: ReadonlyArray<string> = []
  await eventually(async () => {
    const { body } = await api("GET", `/v1/events/${event.id}/transcript`)
    texts = (body.segments ?? []).map(({ text }: Json) => text)
    return texts.length > 0
  }, "the event's transcript")
  expect(texts).toEqual(["to all of you"])
  for (const client of [host, viewer, ann, bob]) await client.cut()
})

test("captions of a pair of a rotation reach the two of them, for as long as their round lasts", async () => {
  const { event, api, enter, push } = await openEvent("rotation")
  const host = await enter("host")
  const pair = [await enter("participant", "Ann"), await enter("participant", "Bob")]
  await host.command("rotation.start", { roundSeconds: 600, rounds: 2 })
  const rooms = await Promise.all(pair.map((client) => client.next(({ t }) => t === "rotation.round", "the round")))
  const [roomId, other] = rooms.map(({ d }) => d.roomId)
  expect(other).toBe(roomId)
  await push(said("a", "between the two", { roomId }))
  await push(said("b", "to all"))
  for (const client of [host, ...pair]) await client.next(({ d }) => d?.text === "to all", "the caption to all")
  for (const client of pair) expect(heard(client)).toEqual(["between the two", "to all"])
  expect(heard(host)).toEqual(["to all"])
  await host.command("rotation.stop")
  const segments = [said("c", "too late", { roomId })]
  expect((await api("POST", `/v1/events/${event.id}/transcript-segments`, { segments })).status).toBe(404)
  for (const client of [host, ...pair]) await client.cut()
})
