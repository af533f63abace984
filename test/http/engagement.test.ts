/** How each person took part in an event, in the report of its attendance. */
import { describe, expect, test } from "vitest"
import { Client } from "../gateway/client.ts"
import { call, createLiveEvent, createPerson, gatewayToken, type Json } from "../support/api.ts"
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
