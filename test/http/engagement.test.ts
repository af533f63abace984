/** Who was on stage at an event, and what people did there. */
import { describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import { call, createEvent, createLiveEvent, createPerson, gatewayToken, type Json } from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const api = (method: string, path: string, body?: object) =>
  call(server.url, method, path, { key: acme.key, ...(body === undefined ? {} : { body }) })

const NOTHING = { questions: 0, questionVotes: 0, pollVotes: 0, messages: 0, rounds: 0 }
const FEATURES = ["qa", "chat", "polls"]

/** A live event with these people, each connected. */
const gathering = async (phases: ReadonlyArray<object>, ...names: ReadonlyArray<string>) => {
  const event = await createLiveEvent(server.url, acme.key, { phases })
  const people = await Promise.all(
    names.map(async (name, index) => {
      const person = await createPerson(server.url, acme.key, event.id, index === 0 ? "host" : "participant", name)
      const { url, token } = await gatewayToken(server.url, event.id, person.session)
      const client = new Client(url)
      await client.identify(token)
      const act = async (t: string, d: object): Promise<Json> => {
        const answer = await client.command(t, d)
        expect(answer, t).toMatchObject({ ok: true })
        return answer.d
      }
      return { ...person, act, cut: () => client.cut() }
    }),
  )
  const counts = async (): Promise<{ readonly [name: string]: Json }> => {
    const { attendees } = (await api("GET", `/v1/events/${event.id}/attendance`)).body
    return Object.fromEntries(
      attendees.map((one: Json) => [
        one.name,
        Object.fromEntries(Object.keys(NOTHING).map((measure) => [measure, one[measure]])),
      ]),
    )
  }
  const lines = async (): Promise<ReadonlyArray<string>> =>
    (await api("GET", `/v1/events/${event.id}/attendance?format=csv`)).body.split("\r\n").slice(0, -1)
  return { event, people, counts, lines, leave: () => Promise.all(people.map(({ cut }) => cut())) }
}

describe("the report counts", () => {
  test("questions, votes, polls and messages of each, without what is anonymous or deleted", async () => {
    const { people, counts, lines, leave } = await gathering(
      [{ modality: "meeting", featureSet: FEATURES }],
      "Ada",
      "Ben",
      "Cleo",
    )
    const [ada, ben, cleo] = people
    if (ada === undefined || ben === undefined || cleo === undefined) throw new Error("nobody came")
    const { question } = await ben.act("question.ask", { text: "Why?" })
    await ben.act("question.ask", { text: "How?" })
    await cleo.act("question.vote", { id: question.id, on: true })
    await ben.act("chat.send", { to: "event", text: "Hello" })
    const { message } = await ben.act("chat.send", { to: "event", text: "Oops" })
    await ada.act("chat.delete", { id: message.id })
    const cast = async (anonymous: boolean) => {
      const d = { question: "Lunch?", kind: "single", options: ["Yes", "No"], anonymous }
      const { poll } = await ada.act("poll.create", d)
      await ada.act("poll.open", { id: poll.id })
      await cleo.act("poll.vote", { id: poll.id, optionIds: ["1"] })
    }
    await cast(false)
    await cast(true)
    await eventually(async () => Object.keys(await counts()).length === 3, "three people")
    expect(await counts()).toEqual({
      Ada: NOTHING,
      Ben: { ...NOTHING, questions: 2, messages: 1 },
      Cleo: { ...NOTHING, questionVotes: 1, pollVotes: 1 },
    })
    const file = await lines()
    expect(file[0]?.endsWith("stays,questions,questionVotes,pollVotes,messages,rounds")).toBe(true)
    expect(
      file
        .find((line) => line.includes("Ben"))
        ?.split(",")
        .slice(-5),
    ).toEqual(["2", "0", "0", "1", "0"])

    // Records that an erasure removes are no longer counted; the votes stay with the tally.
    for (const { userId } of [ben, cleo]) expect((await api("DELETE", `/v1/users/${userId}`)).status).toBe(204)
    await eventually(async () => {
      const { "Removed person": removed, ...others } = await counts()
      return removed?.questions === 0 && removed.messages === 0 && Object.keys(others).join() === "Ada"
    }, "the erasure")
    await leave()
  })

  test("rounds, but not those that a person sat out", async () => {
    const { people, counts, leave } = await gathering([{ modality: "rotation" }], "Ada", "Ben", "Cleo", "Dora")
    await people[0]?.act("rotation.start", { roundSeconds: 600, rounds: 1, odd: "bye" })
    await eventually(async () => Object.keys(await counts()).length === 4, "four people")
    const { Ada, ...others } = await counts()
    expect(Ada).toEqual(NOTHING)
    expect(
      Object.values(others)
        .map(({ rounds }) => rounds)
        .toSorted(),
    ).toEqual([0, 1, 1])
    await leave()
  })
})

const drive = (id: string, verb: string) => call(server.url, "POST", `/v1/events/${id}/${verb}`, { key: acme.key })
const view = async (id: string, part = ""): Promise<Json> =>
  (await call(server.url, "GET", `/v1/public/events/${id}${part}`)).body
const castOf = async (id: string): Promise<string> =>
  (await view(id)).cast.map(({ name, role }: Json) => `${name} ${role}`).join(", ")
const join = async (eventId: string, session?: string): Promise<Client> => {
  const { url, token } = await gatewayToken(server.url, eventId, session)
  const client = new Client(url)
  await client.identify(token)
  return client
}
const untilCast = (id: string, cast: string) =>
  eventually(async () => (await castOf(id)) === cast, `the cast "${cast}"`)

test("is who is on stage: an owner who hosts, a viewer who was invited there, and no speaker who never came", async () => {
  const event = await createEvent(server.url, acme.key, {
    phases: [{ modality: "broadcast" }, { modality: "meeting" }],
  })
  const { id } = event
  await drive(id, "publish")
  const person = (role: string, name: string) => createPerson(server.url, acme.key, id, role, name)
  const [guest, absent, speaker] = [
    await person("viewer", "Vera"),
    await person("speaker", "Abel"),
    await person("speaker", "Sonja"),
  ]
  expect(absent.userId).not.toBe(speaker.userId)
  const owner = await call(server.url, "POST", `/v1/workspaces/${acme.id}/session`, { cookie: acme.owner.cookie })
  const announced = [
    { name: "Abel", role: "speaker" },
    { name: "Sonja", role: "speaker" },
  ]
  const hosting = await join(id, owner.body.sessionToken)
  const watching = await join(id, guest.session)
  await join(id)
  // Connected people are on no stage before the start.
  expect(await view(id)).toMatchObject({ status: "scheduled", cast: [], speakers: announced })

  await drive(id, "start")
  await untilCast(id, "Ada host")
  const speaking = await join(id, speaker.session)
  await untilCast(id, "Ada host, Sonja speaker")
  await eventually(
    async () => (await hosting.command("stage.invite", { id: guest.userId })).ok === true,
    "the invitation of somebody who is there",
  )
  expect(await castOf(id)).toBe("Ada host, Sonja speaker")
  await watching.command("stage.accept")
  // In the order of their arrival.
  await untilCast(id, "Ada host, Vera speaker, Sonja speaker")
  const cast = [
    { name: "Ada", role: "host" },
    { name: "Sonja", role: "speaker" },
    { name: "Vera", role: "speaker" },
  ]
  const byName = (people: ReadonlyArray<Json>) => people.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const part of ["", "/content", "/recap"]) expect(byName((await view(id, part)).cast), part).toEqual(cast)
  expect((await view(id)).speakers).toEqual(announced)

  await watching.command("stage.leave")
  await untilCast(id, "Ada host, Sonja speaker")
  await speaking.command("leave")
  await untilCast(id, "Ada host")
  // A call has no stage but for those who host it.
  const again = await join(id, speaker.session)
  await untilCast(id, "Ada host, Sonja speaker")
  await drive(id, "advance")
  await untilCast(id, "Ada host")

  await drive(id, "end")
  await again.closeCode()
  for (const part of ["", "/content", "/recap"]) expect(byName((await view(id, part)).cast), part).toEqual(cast)
  expect((await view(id)).speakers).toEqual(announced)
})

test("of an event that was a call alone, and of one that ended before it began", async () => {
  const meeting = await createEvent(server.url, acme.key, { phases: [{ modality: "meeting" }] })
  await drive(meeting.id, "publish")
  await drive(meeting.id, "start")
  const host = await createPerson(server.url, acme.key, meeting.id, "host", "Hedy")
  const person = await createPerson(server.url, acme.key, meeting.id, "participant", "Paul")
  await join(meeting.id, host.session)
  const last = await join(meeting.id, person.session)
  await untilCast(meeting.id, "Hedy host")
  await drive(meeting.id, "end")
  await last.closeCode()
  expect(await castOf(meeting.id)).toBe("Hedy host")

  const speakers = await createEvent(server.url, acme.key, {
    phases: [{ modality: "meeting" }, { modality: "broadcast" }],
  })
  await drive(speakers.id, "publish")
  await drive(speakers.id, "start")
  const speaker = await createPerson(server.url, acme.key, speakers.id, "speaker", "Sonja")
  await join(speakers.id, speaker.session)
  await eventually(async () => {
    const { body } = await call(server.url, "GET", `/v1/events/${speakers.id}/attendance`, { key: acme.key })
    return JSON.stringify(body).includes("Sonja")
  }, "the speaker being present")
  expect(await castOf(speakers.id)).toBe("")
  await drive(speakers.id, "advance")
  // Nothing of theirs changes but the phase.
  await untilCast(speakers.id, "Sonja speaker")
})
