/** Reports of an event over REST: its people, messages, polls and rounds, as JSON in pages and as CSV. */
import { randomUUID } from "node:crypto"
import { describe, expect, onTestFinished, test } from "vitest"
import { RETURN_WITHIN_MS } from "../../src/model/live/holdings.ts"
import { Client } from "../gateway/client.ts"
import {
  type CallOptions,
  call,
  createEvent,
  createLiveEvent,
  createPerson,
  createWorkspace,
  entryLink,
  gatewayToken,
  type Json,
  tokenIn,
} from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"
import { openStore } from "../support/store.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })

const REPORTS = ["attendance", "registrations", "chat", "polls", "rounds", "questions", "memberships"] as const
const LISTS = {
  attendance: "attendees",
  registrations: "registrations",
  chat: "messages",
  polls: "polls",
  rounds: "rounds",
  questions: "questions",
  memberships: "memberships",
}

const read = async (eventId: string, report: keyof typeof LISTS, query = ""): Promise<Json[]> => {
  const { status, body } = await api("GET", `/v1/events/${eventId}/${report}${query}`)
  expect(status).toBe(200)
  return body[LISTS[report]]
}

const MARK = "\u{feff}"
const csv = async (eventId: string, report: keyof typeof LISTS, query = ""): Promise<ReadonlyArray<string>> => {
  const answer = await fetch(`${server.url}/v1/events/${eventId}/${report}?format=csv${query}`, {
    headers: { "x-api-key": acme.key },
  })
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"])
  expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${LISTS[report]}-${eventId}.csv"`)
  const text = Buffer.from(await answer.arrayBuffer()).toString("utf8")
  expect(text.startsWith(MARK)).toBe(true)
  return text.slice(MARK.length).split("\r\n").slice(0, -1)
}

const join = async (eventId: string, session?: string): Promise<Client> => {
  const { url, token } = await gatewayToken(server.url, eventId, session)
  const client = new Client(url)
  await client.identify(token)
  return client
}

const register = async (eventId: string, name: string, email = `${randomUUID()}@example.com`): Promise<Json> => {
  const answer = await api("POST", `/v1/public/events/${eventId}/register`, { body: { name, email } })
  expect(answer.status).toBe(200)
  const token = tokenIn(await entryLink(server.url, email, eventId))
  const entered = await api("POST", `/v1/public/events/${eventId}/enter`, { body: { token } })
  return { email, token, session: entered.body.sessionToken }
}

test("each report is empty at first, has a head as a file, and refuses a cursor that no page gave", async () => {
  const event = await createEvent(server.url, acme.key)
  for (const report of REPORTS) {
    expect(await read(event.id, report), report).toEqual([])
    expect(await csv(event.id, report), report).toHaveLength(1)
    const cursor = Buffer.from("x y").toString("base64url")
    const answer = await api("GET", `/v1/events/${event.id}/${report}?cursor=${cursor}`)
    expect([report, answer.status, answer.body.code]).toEqual([report, 400, "bad_request"])
  }
})

describe("attendance", () => {
  test("tells each person once: when, how long, how often, and whether they are there", async () => {
    const event = await createLiveEvent(server.url, acme.key, { phases: [{ modality: "broadcast" }] })
    const ada = await createPerson(server.url, acme.key, event.id, "host", "Ada")
    const grace = await register(event.id, "=1+1")
    const first = await join(event.id, ada.session)
    await first.cut()
    await eventually(async () => (await read(event.id, "attendance"))[0]?.lastLeftAt != null, "the first departure")
    const [left] = await read(event.id, "attendance")
    expect(left).toMatchObject({
      name: "Ada",
      userId: ada.userId,
      role: "host",
      kind: "user",
      present: false,
      stays: 1,
    })
    expect(Date.parse(left.lastLeftAt)).toBeGreaterThanOrEqual(Date.parse(left.firstJoinedAt))

    const clients = [await join(event.id, ada.session), await join(event.id, grace.session), await join(event.id)]
    await eventually(async () => (await read(event.id, "attendance")).length === 3, "three people")
    const people = await read(event.id, "attendance")
    expect(people.map(({ name, kind, present, stays }) => [name, kind, present, stays])).toEqual([
      ["Ada", "user", true, 1],
      ["=1+1", "registrant", true, 1],
      ["Anonymous viewer", "anonymous", true, 1],
    ])
    expect(people[0]).toMatchObject({ firstJoinedAt: left.firstJoinedAt, lastLeftAt: left.lastLeftAt })
    expect(people[1]).toMatchObject({ email: grace.email, userId: null, lastLeftAt: null })
    expect(people[2].participantId).toMatch(/^anon:/)

    const seen: Json[] = []
    for (let query = "?limit=2"; query !== ""; ) {
      const { body } = await api("GET", `/v1/events/${event.id}/attendance${query}`)
      seen.push(...body.attendees)
      query = body.nextCursor === null ? "" : `?limit=2&cursor=${body.nextCursor}`
    }
    expect(seen.map(({ participantId }) => participantId)).toEqual(people.map(({ participantId }) => participantId))

    await api("POST", `/v1/events/${event.id}/end`)
    await Promise.all(clients.map((client) => client.closed))
    await eventually(
      async () => (await read(event.id, "attendance")).every(({ present }) => !present),
      "everybody's departure",
    )
    const lines = await csv(event.id, "attendance")
    expect(lines[0]).toBe(
      "participantId,userId,name,email,role,kind,present,firstJoinedAt,lastLeftAt,seconds,stays,questions,questionVotes,pollVotes,messages,rounds",
    )
    expect(lines[1]?.split(",").slice(1, 7)).toEqual([ada.userId, "Ada", "", "host", "user", "false"])
    // A spreadsheet would compute a cell that begins with an equals sign.
    expect(lines[2]?.split(",")[2]).toBe("'=1+1")
    expect(lines).toHaveLength(4)
  })

  test("adds up the stays, of which one goes on after a short loss", async () => {
    const event = await createLiveEvent(server.url, acme.key)
    const ada = await createPerson(server.url, acme.key, event.id, "host", "Ada")
    const sql = openStore(server.databaseUrl)
    onTestFinished(() => sql.end())
    // By hand: how long before the arrival the stay before has ended, and the number of stays afterwards.
    for (const [agoMs, stays] of [
      [null, 1],
      [0, 1],
      [RETURN_WITHIN_MS, 2],
    ] as const) {
      if (agoMs !== null) {
        await sql`update attendances set last_left_at = last_left_at - make_interval(secs => ${agoMs / 1000}),
                  first_joined_at = first_joined_at - make_interval(secs => ${agoMs / 1000}) where event_id = ${event.id}`
      }
      const client = await join(event.id, ada.session)
      const isSeen = async (present: boolean): Promise<boolean> =>
        (await read(event.id, "attendance")).some((one) => one.present === present && one.stays === stays)
      await eventually(() => isSeen(true), `stay ${stays}`)
      // timed: a stay has a length.
      await new Promise((resolve) => setTimeout(resolve, 400))
      await client.cut()
      await eventually(() => isSeen(false), `the end of stay ${stays}`)
    }
    const [one, ...others] = await read(event.id, "attendance")
    expect(others).toEqual([])
    const between = (Date.parse(one.lastLeftAt) - Date.parse(one.firstJoinedAt)) / 1000
    expect(one.seconds).toBeGreaterThanOrEqual(1)
    expect(one.seconds).toBeLessThanOrEqual(Math.ceil(between))
  })
})

describe("registrations", () => {
  const published = async (fields: object = {}): Promise<Json> => {
    const event = await createEvent(server.url, acme.key, { ...fields })
    await api("POST", `/v1/events/${event.id}/publish`)
    return event
  }

  test("are listed and searched, and no email of a search is a pattern", async () => {
    const event = await published()
    const ada = await register(event.id, "Ada Lovelace")
    const grace = await register(event.id, "Grace 100%")
    const all = await read(event.id, "registrations")
    expect(all.map(({ name, email }) => [name, email])).toEqual([
      ["Ada Lovelace", ada.email],
      ["Grace 100%", grace.email],
    ])
    const found = async (q: string) =>
      (await read(event.id, "registrations", `?q=${encodeURIComponent(q)}`)).map(({ name }) => name)
    expect(await found("LOVE")).toEqual(["Ada Lovelace"])
    expect(await found(ada.email)).toEqual(["Ada Lovelace"])
    expect(await found("%")).toEqual(["Grace 100%"])
    expect(await found("_")).toEqual([])
    expect(await found("\\")).toEqual([])
    await register(event.id, "Βασίλης Ｏｔａ")
    for (const typed of ["ΒΑΣΊΛΗΣ", "βασίλησ", "ota"]) expect(await found(typed)).toEqual(["Βασίλης Ｏｔａ"])
    await register(event.id, "İbrahim")
    for (const typed of ["İbrahim", "İBRAHİM", "ibrahim"]) expect(await found(typed)).toEqual(["İbrahim"])
    expect((await csv(event.id, "registrations"))[1]).toMatch(new RegExp(`^${all[0].id},Ada Lovelace,${ada.email},`))
  })

  test("a cancelled one frees its place, ends its links and sessions, and may be made again", async () => {
    const event = await published({ capacity: 1, phases: [{ modality: "meeting" }] })
    const email = `${randomUUID()}@example.com`
    const ada = await register(event.id, "Ada", email)
    await api("POST", `/v1/events/${event.id}/start`)
    const client = await join(event.id, ada.session)
    const grant = await gatewayToken(server.url, event.id, ada.session)
    const [{ id }] = (await read(event.id, "registrations")) as [Json]
    const path = `/v1/events/${event.id}/registrations/${id}`
    const other = await createWorkspace(server.url)
    expect((await api("DELETE", path, { key: other.key })).status).toBe(404)
    expect((await api("DELETE", path)).status).toBe(204)
    expect(await client.closeCode()).toBe(4304)
    expect((await api("DELETE", path)).status).toBe(404)
    expect(await read(event.id, "registrations")).toEqual([])

    const again = new Client(grant.url)
    await again.hello()
    again.send({ op: 2, d: { token: grant.token } })
    expect(await again.closeCode()).toBe(4304)
    const asked = { body: { eventId: event.id }, bearer: ada.session }
    expect((await call(server.url, "POST", "/v1/auth/gateway-token", asked)).status).toBe(401)
    const entered = await api("POST", `/v1/public/events/${event.id}/enter`, { body: { token: ada.token } })
    expect(entered.status).toBe(401)
    const question = { body: { text: "Am I in?" }, bearer: ada.session }
    expect((await call(server.url, "POST", `/v1/public/events/${event.id}/questions`, question)).status).toBe(401)

    const back = await register(event.id, "Ada", email)
    await (await join(event.id, back.session)).cut()
    const { body } = await api("GET", `/v1/workspaces/${acme.id}/audit`, { key: undefined, cookie: acme.owner.cookie })
    expect(body.entries[0]).toMatchObject({ action: "registration.cancelled" })
  })

  test("a cancel of an ended event's works too, and of many at once one succeeds and is in the audit log", async () => {
    const event = await published()
    await register(event.id, "Ada")
    await api("POST", `/v1/events/${event.id}/start`)
    await api("POST", `/v1/events/${event.id}/end`)
    const [{ id }] = (await read(event.id, "registrations")) as [Json]
    const path = `/v1/events/${event.id}/registrations/${id}`
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => api("DELETE", path)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404, 404])
    expect(await read(event.id, "registrations")).toEqual([])
    const { body } = await api("GET", `/v1/workspaces/${acme.id}/audit`, { key: undefined, cookie: acme.owner.cookie })
    const entries = body.entries.filter(({ targetId }: Json) => targetId === id)
    expect(entries.map(({ action }: Json) => action)).toEqual(["registration.cancelled"])
  })

  test("the email is sent again, with a link of its own, until the event has ended", async () => {
    const event = await published()
    const ada = await register(event.id, "Ada")
    const [{ id }] = (await read(event.id, "registrations")) as [Json]
    const path = `/v1/events/${event.id}/registrations/${id}/resend`
    const answer = await api("POST", path)
    expect([answer.status, answer.body]).toEqual([200, { sent: true }])
    const { mails } = (await api("GET", `/v1/dev/outbox?to=${ada.email}`)).body
    expect(mails).toHaveLength(2)
    const token = tokenIn(mails[0].links[0])
    expect(token).not.toBe(ada.token)
    for (const one of [token, ada.token]) {
      const entered = await api("POST", `/v1/public/events/${event.id}/enter`, { body: { token: one } })
      expect(entered.status).toBe(200)
    }
    expect((await api("POST", `/v1/events/${event.id}/registrations/${randomUUID()}/resend`)).status).toBe(404)
    await api("POST", `/v1/events/${event.id}/start`)
    await api("POST", `/v1/events/${event.id}/end`)
    expect((await api("POST", path)).status).toBe(409)
  })
})

describe("questions and roles", () => {
  test("come as files too, with the filter, and no cell that a spreadsheet would compute", async () => {
    const event = await createLiveEvent(server.url, acme.key, {
      phases: [{ modality: "broadcast", featureSet: ["qa"] }],
      allowAnonymousQuestions: true,
    })
    const ask = (text: string) =>
      api("POST", `/v1/public/events/${event.id}/questions`, { body: { text }, key: undefined })
    const { body: first } = await ask("=1+1, or not?")
    const { body: second } = await ask("When?")
    await api("PATCH", `/v1/questions/${second.id}`, { body: { answer: "Soon" } })
    const lines = await csv(event.id, "questions")
    expect(lines[0]).toBe(
      "id,createdAt,phaseId,authorUserId,authorName,anonymous,text,votes,status,pinned,answer,answeredAt",
    )
    expect(lines).toHaveLength(3)
    expect(lines[1]).toBe(`${first.id},${first.createdAt},${first.phaseId},,,true,"'=1+1, or not?",0,approved,false,,`)
    expect((await csv(event.id, "questions", "&status=answered")).slice(1).join()).toContain(",answered,false,Soon,")

    const { userId } = await createPerson(server.url, acme.key, event.id, "host", "+Ada")
    const [, role, ...more] = await csv(event.id, "memberships")
    expect([role?.split(",").slice(1, 5), more]).toEqual([[userId, "'+Ada", "", "host"], []])
  })
})

describe("what was said, voted and held", () => {
  const FEATURES = ["chat", "polls"]

  test("messages in order, without those that were deleted; polls with their votes", async () => {
    const phases = [{ modality: "meeting", featureSet: FEATURES }]
    const event = await createLiveEvent(server.url, acme.key, { phases })
    const ada = await createPerson(server.url, acme.key, event.id, "host", "Ada")
    const host = await join(event.id, ada.session)
    await host.command("chat.send", { to: "event", text: "First, with a comma" })
    await host.command("chat.send", { to: "staff", text: "+only for us" })
    const gone = await host.command("chat.send", { to: "event", text: "Gone" })
    await host.command("chat.delete", { id: gone.d.message.id })
    const said = await read(event.id, "chat")
    expect(said.map(({ to, text, name, roomId }) => [to, text, name, roomId])).toEqual([
      ["event", "First, with a comma", "Ada", null],
      ["staff", "+only for us", "Ada", null],
    ])
    const lines = await csv(event.id, "chat")
    expect(lines).toHaveLength(3)
    expect(lines[1]).toContain(',"First, with a comma",')
    expect(lines[2]).toContain(",'+only for us,")

    const options = ["Tea", "Coffee"]
    const poll = await host.command("poll.create", { question: "Which?", kind: "single", options, results: "live" })
    await host.command("poll.open", { id: poll.d.poll.id })
    await host.command("poll.vote", { id: poll.d.poll.id, optionIds: [poll.d.poll.options[1].id] })
    await host.command("poll.close", { id: poll.d.poll.id })
    const [result] = await read(event.id, "polls")
    expect(result).toMatchObject({ question: "Which?", status: "closed", voters: 1 })
    expect(result.options.map(({ text, votes }: Json) => [text, votes])).toEqual([
      ["Tea", 0],
      ["Coffee", 1],
    ])
    expect((await csv(event.id, "polls")).slice(1).map((line) => line.split(",").slice(-2))).toEqual([
      ["Tea", "0"],
      ["Coffee", "1"],
    ])
    const cloud = (await host.command("poll.create", { question: "Words?", kind: "wordcloud", options: [] })).d.poll.id
    await host.command("poll.open", { id: cloud })
    await host.command("poll.vote", { id: cloud, optionIds: [], texts: ["sun", "rude"] })
    const { poll: seen } = (await host.command("poll.close", { id: cloud })).d
    const rude = seen.options.find(({ text }: Json) => text === "rude").id
    await host.command("poll.hide", { id: cloud, optionId: rude })
    const [, words] = await read(event.id, "polls")
    expect(words.options).toMatchObject([{ text: "sun", votes: 1 }])
    await host.cut()
  })

  test("rounds with the people who have met", async () => {
    const phases = [{ modality: "rotation" }]
    const event = await createLiveEvent(server.url, acme.key, { phases })
    const host = await join(event.id, (await createPerson(server.url, acme.key, event.id, "host")).session)
    const people = await Promise.all(
      ["a", "b", "c"].map((name) => createPerson(server.url, acme.key, event.id, "participant", name)),
    )
    const clients = await Promise.all(people.map(({ session }) => join(event.id, session)))
    expect(await host.command("rotation.start", { roundSeconds: 600, rounds: 1, odd: "bye" })).toMatchObject({
      ok: true,
    })
    const rounds = await read(event.id, "rounds")
    expect(rounds).toHaveLength(1)
    expect(rounds[0].number).toBe(1)
    expect([...rounds[0].groups.flat(), ...rounds[0].byes].toSorted()).toEqual(
      people.map(({ userId }) => userId).toSorted(),
    )
    const lines = await csv(event.id, "rounds")
    expect(lines).toHaveLength(4)
    expect(lines.filter((line) => line.split(",")[3] === "")).toHaveLength(rounds[0].byes.length)
    await Promise.all([host, ...clients].map((client) => client.cut()))
  })
})
