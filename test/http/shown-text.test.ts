/** Text of one person on other people's screens: stored and sent without what cannot be seen, and refused where nothing is left. */
import { randomUUID } from "node:crypto"
import { expect, test } from "vitest"
import { Client, type Frame } from "../gateway/client.ts"
import { call, createLiveEvent, createPerson, gatewayToken, PASSWORD, tokenIn } from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const HIDDEN = "\u202eAda\u200b \u2066Lovelace\ufeff 👩‍🚀\u200d می‌خواهم"
const SHOWN = "Ada Lovelace 👩‍🚀 می‌خواهم"
const NOTHING = "\u200b\u202e\u3164"

const api = (method: string, path: string, body: object, key: string | undefined = acme.key) =>
  call(server.url, method, path, { key, body })

const signup = (name: string) =>
  call(server.url, "POST", "/v1/accounts/signup", {
    body: { email: `${randomUUID()}@example.com`, password: PASSWORD, name },
  })

test("names and titles are taken without it", async () => {
  expect((await signup(HIDDEN)).body.account.name).toBe(SHOWN)
  expect((await api("POST", "/v1/users", { externalSub: randomUUID(), name: HIDDEN })).body.name).toBe(SHOWN)
  const { cookie } = acme.owner
  const renamed = await call(server.url, "PATCH", `/v1/workspaces/${acme.id}`, { cookie, body: { name: HIDDEN } })
  expect(renamed.body.name).toBe(SHOWN)
  const event = await api("POST", "/v1/events", { type: HIDDEN, title: HIDDEN, metadata: { description: HIDDEN } })
  expect(event.body).toMatchObject({ type: SHOWN, title: SHOWN, metadata: { description: HIDDEN } })
  expect((await api("PATCH", `/v1/events/${event.body.id}`, { title: `${HIDDEN}!` })).body.title).toBe(`${SHOWN}!`)
  await api("POST", `/v1/events/${event.body.id}/publish`, {})
  const page = await call(server.url, "GET", `/v1/public/events/${event.body.id}`)
  expect(page.body).toMatchObject({ title: `${SHOWN}!`, description: SHOWN })
})

test("a member's title, type and description keep their marks of direction and soft hyphens; a name of another person does not", async () => {
  const kept = "\u200f\u05e9\u05dc\u05d5\u05dd\u200e (Java\u00adScript)"
  const { body } = await api("POST", "/v1/events", { type: kept, title: kept, metadata: { description: kept } })
  expect(body).toMatchObject({ type: kept, title: kept })
  expect((await api("PATCH", `/v1/events/${body.id}`, { title: `${kept}!` })).body.title).toBe(`${kept}!`)
  await api("POST", `/v1/events/${body.id}/publish`, {})
  const page = await call(server.url, "GET", `/v1/public/events/${body.id}`)
  expect(page.body).toMatchObject({ title: `${kept}!`, description: kept })
  expect((await signup("Ada\u200e \u00adLovelace")).body.account.name).toBe("Ada Lovelace")
})

test("text that is empty without it is refused as empty text is", async () => {
  expect((await signup(NOTHING)).body.code).toBe("bad_request")
  for (const body of [
    { type: "t", title: NOTHING },
    { type: NOTHING, title: "t" },
  ]) {
    expect((await api("POST", "/v1/events", body)).body.code).toBe("bad_request")
  }
  expect((await api("POST", "/v1/users", { externalSub: randomUUID(), name: NOTHING })).body.name).toBeNull()
})

/** A live event with its host, and another participant who receives the messages. */
interface Room {
  readonly id: string
  readonly host: Client
  readonly other: Client
  /** A session of the host by REST. */
  readonly session: string
}

const FEATURES = ["chat", "qa", "polls", "transcript", "capture"]

const openRoom = async (modality = "meeting"): Promise<Room> => {
  const { id } = await createLiveEvent(server.url, acme.key, { phases: [{ modality, featureSet: FEATURES }] })
  const join = async (session: string) => {
    const { token, url } = await gatewayToken(server.url, id, session)
    const client = new Client(url)
    await client.identify(token)
    return client
  }
  const host = await createPerson(server.url, acme.key, id, "host")
  const other = await createPerson(server.url, acme.key, id, "host")
  return { id, session: host.session, host: await join(host.session), other: await join(other.session) }
}

const accepted = async (client: Client, t: string, d: object) => {
  const reply = await client.command(t, d)
  if (!reply.ok) throw new Error(`${t}: ${JSON.stringify(reply.e)}`)
  return reply.d
}
const received = async ({ other }: Room, t: string) => (await other.dispatch(t)).d

/** Sends the text in every part of something that others see; resolves to the parts as others get them. */
type Road = (text: string, room: Room) => Promise<ReadonlyArray<unknown>>

const ROADS: Readonly<Record<string, Road>> = {
  "a chat message": async (text, room) => {
    await accepted(room.host, "chat.send", { to: "event", text })
    return [(await received(room, "chat.message")).message.text]
  },
  "a question and its answer": async (text, room) => {
    const { question } = await accepted(room.host, "question.ask", { text })
    const asked = (await received(room, "question.created")).question.text
    await accepted(room.host, "question.answer", { id: question.id, mode: "text", text })
    return [asked, (await received(room, "question.updated")).question.answer]
  },
  "a question by REST": async (text, room) => {
    const path = `/v1/public/events/${room.id}/questions`
    await call(server.url, "POST", path, { bearer: room.session, body: { text } })
    return [(await received(room, "question.created")).question.text]
  },
  "a poll": async (text, room) => {
    const poll = { question: text, kind: "single", options: [text, `2${text}`] }
    await accepted(room.host, "poll.create", poll)
    const created = (await received(room, "poll.created")).poll
    const options: ReadonlyArray<{ readonly text: string }> = created.options
    return [created.question, ...options.map((option, n) => option.text.slice(n))]
  },
  "an announcement": async (text, room) => {
    await accepted(room.host, "announce", { text })
    return [(await received(room, "announcement")).text]
  },
  "the note of a raised hand": async (text, room) => {
    const { session } = await createPerson(server.url, acme.key, room.id, "participant")
    const { token, url } = await gatewayToken(server.url, room.id, session)
    const participant = new Client(url)
    await participant.identify(token)
    await accepted(participant, "hand.raise", { note: text })
    const { add } = await received(room, "hand.queue")
    await participant.cut()
    return [add[0].note]
  },
  captions: async (text, room) => {
    const segment = { segment: text, final: true, speaker: text, lang: "en-GB", t0: 0, t1: 1, text }
    await accepted(room.host, "transcript.push", { segments: [segment] })
    const live = await received(room, "transcript.segment")
    await api("POST", `/v1/events/${room.id}/transcript-segments`, { segments: [{ ...segment, final: false }] })
    const interim = await received(room, "transcript.interim")
    return [live, interim].flatMap((one) => [one.segment, one.speaker, one.text])
  },
  "the config of a phase": async (text, room) => {
    const config = { title: text, [text]: [{ deep: text }] }
    const added = await api("POST", `/v1/events/${room.id}/phases`, { modality: "meeting", config })
    expect(added.status).toBe(201)
    const appended = (await received(room, "phase.appended")).phase.config
    await accepted(room.host, "phase.update", { phaseId: added.body.id, config })
    const updated = (await received(room, "phase.updated")).phase.config
    const event = await createLiveEvent(server.url, acme.key, { phases: [{ modality: "meeting", config }] })
    return [appended, updated, event.phases[0].config].flatMap(({ title, ...rest }) => [
      title,
      ...Object.keys(rest),
      rest[SHOWN]?.[0].deep,
    ])
  },
  "a title": async (text, room) => {
    await api("PATCH", `/v1/events/${room.id}`, { title: text, type: text })
    const page = await call(server.url, "GET", `/v1/public/events/${room.id}`)
    return [(await received(room, "event.updated")).event.title, page.body.title, page.body.type]
  },
  "the name of a user": async (text, room) => {
    const { session, userId } = await createPerson(server.url, acme.key, room.id, "participant", text)
    const { token, url } = await gatewayToken(server.url, room.id, session)
    const participant = new Client(url)
    const ready = await participant.identify(token)
    const nameIn = ({ t, d }: Frame): string | undefined =>
      t === "presence.diff" ? d.join.find((one: Frame) => one.participantId === userId)?.name : undefined
    const diff = await room.other.next((frame) => nameIn(frame) !== undefined, "the arrival")
    await participant.cut()
    return [ready.d.me.name, nameIn(diff)]
  },
  "the name of a registrant": async (text, room) => {
    const email = `${randomUUID()}@example.com`
    await call(server.url, "POST", `/v1/public/events/${room.id}/register`, { body: { name: text, email } })
    const [letter] = (await call(server.url, "GET", `/v1/dev/outbox?to=${email}`)).body.mails
    const token = tokenIn(letter.links[0])
    return [(await call(server.url, "POST", `/v1/public/events/${room.id}/enter`, { body: { token } })).body.name]
  },
  "the notes of a table": async (text, room) => {
    const badge = { id: "b", name: text, description: text, tier: 1, icon: "i", glyph: text }
    const notes = {
      table: { number: 1, label: text },
      summary: {
        tldr: text,
        themes: [{ title: text, summary: text }],
        ideas: [text],
        questions: [text],
        perQuestion: [{ ordinal: 1, question: text, discussed: true, summary: text }],
      },
      stats: null,
      people: [{ userId: "u", name: text, words: 1, turns: 1, badges: [badge] }],
      recipients: [{ userId: "u", name: text, email: `${randomUUID()}@example.com` }],
    }
    const stored = await call(server.url, "PUT", `/v1/events/${room.id}/tables/a/summary`, {
      key: acme.key,
      body: notes,
    })
    const path = `/v1/public/events/${room.id}/table-summary?t=${tokenIn(stored.body.recipients[0].url)}`
    const { table, summary, people, recipientName } = (await call(server.url, "GET", path)).body
    const [{ name, badges }] = people
    return [table.label, recipientName, name, badges[0].name, badges[0].description, badges[0].glyph].concat(
      [summary.tldr, ...Object.values(summary.themes[0]), ...summary.ideas, ...summary.questions],
      [summary.perQuestion[0].question, summary.perQuestion[0].summary],
    )
  },
}

test.each(Object.entries(ROADS))("others see %s without it", async (_name, road) => {
  const room = await openRoom()
  const seen = await road(HIDDEN, room)
  expect(seen).toEqual(seen.map(() => SHOWN))
  await Promise.all([room.host.cut(), room.other.cut()])
})

test("others see the names of rooms, and the words of somebody who wants help, without it", async () => {
  const room = await openRoom("breakout")
  const { session } = await createPerson(server.url, acme.key, room.id, "participant")
  const { token, url } = await gatewayToken(server.url, room.id, session)
  const seated = new Client(url)
  await seated.identify(token)
  const { plan } = await accepted(room.host, "breakout.plan", { strategy: "balanced", rooms: [HIDDEN] })
  await accepted(room.host, "breakout.open", { planId: plan.id })
  const { rooms } = await received(room, "breakout.opened")
  expect(rooms.map(({ name }: { readonly name: string }) => name)).toEqual([SHOWN])
  await accepted(seated, "room.help", { text: HIDDEN })
  expect((await received(room, "room.help")).text).toBe(SHOWN)
  await Promise.all([room.host.cut(), room.other.cut(), seated.cut()])
})

test("line breaks stay, and what is empty without it is refused as empty is", async () => {
  const room = await openRoom()
  const text = `${HIDDEN}\n${HIDDEN}`
  expect((await accepted(room.host, "chat.send", { to: "event", text })).message.text).toBe(`${SHOWN}\n${SHOWN}`)
  const segment = { segment: "s", final: true, speaker: "A", lang: "en", t0: 0, t1: 1, text: "x" }
  for (const [t, d] of [
    ["chat.send", { to: "event", text: NOTHING }],
    ["question.ask", { text: NOTHING }],
    ["announce", { text: NOTHING }],
    ["transcript.push", { segments: [{ ...segment, segment: "\u200b" }] }],
    ["transcript.push", { segments: [{ ...segment, lang: "e\u202en" }] }],
    ["transcript.push", { segments: [{ ...segment, lang: "en\u200b" }] }],
  ] as const) {
    expect((await room.host.command(t, d)).e.code).toBe("bad_request")
  }
  await Promise.all([room.host.cut(), room.other.cut()])
})

test("a key of a config that means something only without it has a value of its type", async () => {
  const phases = [{ modality: "meeting", config: { "lob\u200bby": "ajar" } }]
  expect((await api("POST", "/v1/events", { type: "t", title: "t", phases })).body.code).toBe("bad_request")
  const asking = [{ modality: "meeting", config: { "lob\u200bby": "ask" } }]
  const event = await createLiveEvent(server.url, acme.key, { phases: asking })
  expect(event.phases[0].config).toEqual({ lobby: "ask" })
})
