/** Events as the public sees them: what is shown to whom, and what never leaks. */
import { randomUUID } from "node:crypto"
import ICAL from "ical.js"
import { convertIcsCalendar } from "ts-ics"
import { describe, expect, test } from "vitest"
import { type CallOptions, createEvent, createPerson, type Json, signup, tokenIn } from "../support/api.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)
const foreign = sharedWorkspace(server)

const api = apiOf(server)
const drive = (id: string, ...verbs: ReadonlyArray<string>) =>
  verbs.reduce<Promise<unknown>>(
    (before, verb) => before.then(() => api("POST", `/v1/events/${id}/${verb}`, { key: acme.key })),
    Promise.resolve(),
  )
const published = async (fields: object = {}): Promise<Json> => {
  const event = await createEvent(server.url, acme.key, { ...fields })
  await drive(event.id, "publish")
  return event
}
const recorded = async (eventId: string, status = "ready") => {
  const [id, clip] = [randomUUID(), randomUUID()]
  await rows.run(
    `insert into recordings (id, event_id, workspace_id, kind, title, status, duration_ms)
     values ($1, $2, $4, 'merged', 'Replay', $3, 60000)`,
    [id, eventId, status, acme.id],
  )
  await rows.run(
    `insert into clips (id, recording_id, title, status, start_ms, end_ms)
     values ($1, $2, 'Best of', 'ready', 1000, 4000)`,
    [clip, id],
  )
  return { id, clip }
}

const SURFACES = ["", "/recap", "/content", "/calendar.ics"]

describe("an event's public view", () => {
  test("shows the agenda, the places, and the names on stage", async () => {
    const event = await published({ capacity: 10, metadata: { description: "A day of talks", budget: "secret" } })
    await createPerson(server.url, acme.key, event.id, "host", "Grace")
    await createPerson(server.url, acme.key, event.id, "viewer", "Hidden Viewer")
    const answer = await api("GET", `/v1/public/events/${event.id}`)
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        id: event.id,
        title: "Launch",
        type: "webinar",
        description: "A day of talks",
        descriptionHtml: "<p>A day of talks</p>",
        status: "scheduled",
        visibility: "public",
        scheduledAt: null,
        scheduledEndAt: null,
        timeZone: null,
        location: null,
        language: null,
        coverUrl: null,
        workspace: { name: "Acme" },
        branding: { logoUrl: null, accent: null, theme: null, shades: null },
        cancelledAt: null,
        cancelReason: null,
        startedAt: null,
        endedAt: null,
        capacity: { total: 10, remaining: 10 },
        phases: [
          {
            id: expect.any(String),
            position: 0,
            modality: "broadcast",
            featureSet: [],
            status: "pending",
            startedAt: null,
            timerEndsAt: null,
          },
        ],
        cast: [],
        speakers: [{ name: "Grace", role: "host" }],
        activeBroadcast: null,
      },
    ])
  })

  test("holds no address, user id, role of the audience, metadata or download, on any surface", async () => {
    const event = await published({
      metadata: { budget: "a secret of the workspace" },
      scheduledAt: "2030-01-01T10:00:00Z",
    })
    const people = [
      await createPerson(server.url, acme.key, event.id, "speaker", "Ada"),
      await createPerson(server.url, acme.key, event.id, "viewer", "A silent viewer"),
    ]
    await api("POST", `/v1/public/events/${event.id}/register`, {
      body: { name: "A registrant", email: "reg@example.com" },
    })
    await recorded(event.id)
    for (const surface of SURFACES) {
      const { status, body } = await api("GET", `/v1/public/events/${event.id}${surface}`)
      expect(status).toBe(200)
      const text = JSON.stringify(body)
      for (const secret of ["a secret", "silent viewer", "registrant", "@example.com", "secret-download", acme.id]) {
        expect(text, surface).not.toContain(secret)
      }
      for (const { userId } of people) expect(text, surface).not.toContain(userId)
    }
  })

  test("shows the broadcast of the active phase", async () => {
    const event = await published()
    await drive(event.id, "start")
    const { phases } = (await api("GET", `/v1/public/events/${event.id}`)).body
    const id = randomUUID()
    await rows.run(
      "insert into broadcasts (id, event_id, phase_id, status, playback_url) values ($1, $2, $3, 'live', 'https://cdn.example/live.m3u8')",
      [id, event.id, phases[0].id],
    )
    const { activeBroadcast } = (await api("GET", `/v1/public/events/${event.id}`)).body
    expect(activeBroadcast).toEqual({
      broadcastId: id,
      phaseId: phases[0].id,
      status: "live",
      playbackUrl: "https://cdn.example/live.m3u8",
    })
    await drive(event.id, "end")
    expect((await api("GET", `/v1/public/events/${event.id}`)).body.activeBroadcast).toBeNull()
  })
})

describe("visibility", () => {
  test("a draft, an unknown and a malformed id are not there, for anybody", async () => {
    const draft = await createEvent(server.url, acme.key)
    for (const id of [draft.id, randomUUID(), "nonsense"]) {
      for (const surface of SURFACES) {
        expect((await api("GET", `/v1/public/events/${id}${surface}`)).status).toBe(404)
        expect((await api("GET", `/v1/public/events/${id}${surface}`, { key: acme.key })).status).toBe(404)
      }
    }
  })

  test("a private event is there for sessions and keys of its own workspace only", async () => {
    const event = await published({ visibility: "private", scheduledAt: "2030-01-01T10:00:00Z" })
    const asset = await recorded(event.id)
    const person = await createPerson(server.url, acme.key, event.id, "host")
    const stranger = await signup(server.url)
    const inside: CallOptions[] = [{ key: acme.key }, { cookie: acme.owner.cookie }, { bearer: person.session }]
    const outside: CallOptions[] = [
      {},
      { key: foreign.key },
      { cookie: stranger.cookie },
      { cookie: "gc_session=stale" },
    ]
    const paths = [
      ...SURFACES.map((surface) => `/v1/public/events/${event.id}${surface}`),
      `/v1/public/assets/${asset.id}`,
      `/v1/public/assets/${asset.clip}`,
    ]
    for (const path of paths) {
      for (const options of inside) {
        const answer = await api("GET", path, options)
        expect([answer.status, answer.headers.get("cache-control")], path).toEqual([200, "no-store"])
      }
      for (const options of outside) expect((await api("GET", path, options)).status, path).toBe(404)
      expect((await api("GET", path, { bearer: "nonsense" })).status, path).toBe(401)
    }
  })

  test("a private event is no longer there for a member who was removed, nor for a guest of another event", async () => {
    const event = await published({ visibility: "private" })
    const other = await published({ visibility: "private" })
    const invite = async (body: object) => {
      const made = await api("POST", `/v1/workspaces/${acme.id}/invites`, { key: acme.key, body })
      const account = await signup(server.url)
      const token = tokenIn(made.body.inviteUrl)
      await api("POST", `/v1/invites/${token}/accept`, { cookie: account.cookie })
      const session = await api("POST", `/v1/workspaces/${acme.id}/session`, { cookie: account.cookie })
      return { account, bearer: session.body.sessionToken }
    }
    const look = async (bearer: string) => (await api("GET", `/v1/public/events/${event.id}/recap`, { bearer })).status
    const member = await invite({})
    expect(await look(member.bearer)).toBe(200)
    const listed = await api("GET", `/v1/workspaces/${acme.id}/members`, { cookie: acme.owner.cookie })
    const { id } = listed.body.members.find(({ accountId }: Json) => accountId === member.account.id)
    await api("DELETE", `/v1/workspaces/${acme.id}/members/${id}`, { cookie: acme.owner.cookie })
    expect(await look(member.bearer)).toBe(401)
    expect(await look((await invite({ eventId: other.id })).bearer)).toBe(404)
    expect(await look((await invite({ eventId: event.id })).bearer)).toBe(200)
  })

  test("an unlisted event is there for callers with its id", async () => {
    const event = await published({ visibility: "unlisted" })
    expect((await api("GET", `/v1/public/events/${event.id}`)).status).toBe(200)
  })
})

describe("caching", () => {
  test("a public read has a tag; a request with it gets 304, until the event changes", async () => {
    const event = await published()
    const path = `/v1/public/events/${event.id}`
    const first = await api("GET", path)
    const etag = first.headers.get("etag") ?? ""
    expect([first.headers.get("cache-control"), first.headers.get("vary")]).toEqual([
      "public, no-cache",
      "authorization, cookie, x-api-key",
    ])
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await api("GET", path, { headers: { "if-none-match": given } })
      expect([again.status, again.body]).toEqual([304, ""])
    }
    await api("PATCH", `/v1/events/${event.id}`, { key: acme.key, body: { title: "Another" } })
    expect((await api("GET", path, { headers: { "if-none-match": etag } })).status).toBe(200)
  })

  test("any site's page may read it", async () => {
    const event = await published()
    const answer = await api("GET", `/v1/public/events/${event.id}`, { headers: { origin: "https://partner.example" } })
    expect(answer.headers.get("access-control-allow-origin")).toBe("*")
  })
})

describe("recap, content and assets", () => {
  test("have null and empty parts before anything was recorded", async () => {
    const event = await published()
    const recap = await api("GET", `/v1/public/events/${event.id}/recap`)
    expect(recap.body).toMatchObject({ event: { id: event.id }, recording: null, clips: [], summary: null })
    const content = await api("GET", `/v1/public/events/${event.id}/content`)
    expect(content.body).toMatchObject({
      event: { id: event.id },
      recording: null,
      derivations: [],
      media: [],
      cast: [],
    })
  })

  test("show the newest hundred clips, in their order", async () => {
    const event = await published()
    const { id } = await recorded(event.id)
    await rows.run("delete from clips where recording_id = $1", [id])
    await rows.run(
      `insert into clips (id, recording_id, title, status, start_ms, end_ms, created_at)
       select gen_random_uuid(), $1, 'Clip ' || n, 'ready', 0, 1000, now() + n * interval '1 second' from generate_series(1, 130) n`,
      [id],
    )
    const titles = Array.from({ length: 100 }, (_, index) => `Clip ${index + 31}`)
    const titlesOf = (clips: ReadonlyArray<{ title: string }>) => clips.map(({ title }) => title)
    expect(titlesOf((await api("GET", `/v1/public/events/${event.id}/recap`)).body.clips)).toEqual(titles)
    expect(titlesOf((await api("GET", `/v1/public/events/${event.id}/content`)).body.media)).toEqual(titles)
  })

  test("show the latest recording that is ready, its clips, transcript and summary", async () => {
    const event = await published()
    const { id, clip } = await recorded(event.id)
    await recorded(event.id, "processing")
    await rows.run("insert into transcripts (id, recording_id, event_id, status) values ($1, $2, $3, 'ready')", [
      randomUUID(),
      id,
      event.id,
    ])
    await rows.run(
      `insert into event_summaries (event_id, text, speakers) values ($1, 'It went well', '[{"name":"Ada","words":120,"seconds":60.5}]')`,
      [event.id],
    )
    const recap = (await api("GET", `/v1/public/events/${event.id}/recap`)).body
    expect(recap.recording).toMatchObject({
      id,
      kind: "merged",
      title: "Replay",
      status: "ready",
      durationMs: 60_000,
      playbackUrl: expect.stringContaining(`${server.url}/v1/media/recordings/play.recording.${id}.public.`),
    })
    expect(recap.clips.map((one: { id: string }) => one.id)).toContain(clip)
    expect(recap.summary).toEqual({ text: "It went well", speakers: [{ name: "Ada", words: 120, seconds: 60.5 }] })
    const content = (await api("GET", `/v1/public/events/${event.id}/content`)).body
    expect(content.derivations).toEqual([
      {
        id: expect.any(String),
        kind: "transcript",
        status: "ready",
        url: expect.stringContaining("/v1/media/captions/"),
      },
    ])
    const asset = await api("GET", `/v1/public/assets/${clip}`)
    expect(asset.body).toEqual({
      id: clip,
      kind: "clip",
      title: "Best of",
      status: "ready",
      durationMs: 3000,
      playbackUrl: expect.stringContaining(`${server.url}/v1/media/clips/play.clip.${clip}.public.`),
      event: { id: event.id, title: "Launch", scheduledAt: null },
    })
    expect((await api("GET", `/v1/public/assets/${randomUUID()}`)).status).toBe(404)
  })
})

describe("the calendar file", () => {
  test("is one event at its time, escaped and folded", async () => {
    const event = await published({
      title: "Talks; more, and\nmore ".repeat(8),
      scheduledAt: "2030-01-01T10:00:00+02:00",
      scheduledEndAt: "2030-01-01T12:30:00Z",
      metadata: { description: "Bring, your; own" },
    })
    const answer = await api("GET", `/v1/public/events/${event.id}/calendar.ics`)
    expect(answer.headers.get("content-type")).toBe("text/calendar; charset=utf-8")
    const lines: string[] = answer.body.split("\r\n")
    expect(lines).toEqual(
      expect.arrayContaining([
        "BEGIN:VCALENDAR",
        "DTSTART:20300101T080000Z",
        "DTEND:20300101T123000Z",
        `UID:${event.id}@gathercue`,
        "SEQUENCE:0",
        "STATUS:CONFIRMED",
        "METHOD:PUBLISH",
      ]),
    )
    const unfolded = answer.body.replaceAll("\r\n ", "")
    expect(unfolded).toContain(String.raw`DESCRIPTION:Bring\, your\; own\n\n${server.url}/enter/${event.id}`)
    for (const name of ["DTSTAMP", "LAST-MODIFIED"]) {
      expect(unfolded).toMatch(new RegExp(`\r\n${name}:\\d{8}T\\d{6}Z\r\n`))
    }
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75)
  })

  test("is read by two strict parsers with the title as it is, at the first and the last time", async () => {
    for (const scheduledAt of ["1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]) {
      const title = `${"می‌خواهم 👨‍👩‍👧 ".repeat(9)}a;b,c\\n "q": x\t\ud83d\ude00`
      const event = await published({ title, scheduledAt, metadata: { description: title } })
      const { body } = await api("GET", `/v1/public/events/${event.id}/calendar.ics`)
      const lines: string[] = body.split("\r\n")
      expect([lines.at(-2), lines.at(-1)], scheduledAt).toEqual(["END:VCALENDAR", ""])
      expect(Math.max(...lines.map((line) => Buffer.byteLength(line))), scheduledAt).toBeLessThanOrEqual(75)
      const [own] = new ICAL.Component(ICAL.parse(body)).getAllSubcomponents("vevent")
      const read = new ICAL.Event(own)
      expect([read.summary, read.description, read.startDate.toJSDate().toISOString()], scheduledAt).toEqual([
        event.title,
        `${event.title}\n\n${server.url}/enter/${event.id}`,
        new Date(scheduledAt).toISOString(),
      ])
      const [other] = convertIcsCalendar(undefined, body).events ?? []
      expect([other?.summary, other?.start.date.toISOString()], scheduledAt).toEqual([
        event.title,
        new Date(scheduledAt).toISOString(),
      ])
      expect(body, scheduledAt).toMatch(/^DTEND:\d{8}T\d{6}Z\r$/m)
    }
  })

  test("has one name for good, and a number that grows with what calendars show and with nothing else", async () => {
    const event = await published({ scheduledAt: "2030-01-01T10:00:00Z" })
    const patch = (body: object) => api("PATCH", `/v1/events/${event.id}`, { key: acme.key, body })
    const file = async (): Promise<string> => (await api("GET", `/v1/public/events/${event.id}/calendar.ics`)).body
    const sequences: number[] = []
    const changes: ReadonlyArray<object> = [
      { capacity: 9 },
      { scheduledAt: "2030-01-02T10:00:00Z" },
      { scheduledAt: "2030-01-02T10:00:00.000Z" },
      { title: "Other" },
      { metadata: { description: "New", theirs: 1 } },
      { metadata: { description: "New", theirs: 2 } },
      { scheduledEndAt: "2030-01-02T12:00:00Z" },
      { scheduledAt: "2030-01-01T10:00:00Z" },
    ]
    for (const body of changes) {
      await patch(body)
      const text = await file()
      expect(text).toContain(`\r\nUID:${event.id}@gathercue\r\n`)
      sequences.push(Number(/\r\nSEQUENCE:(\d+)\r\n/.exec(text)?.[1]))
    }
    expect(sequences).toEqual([0, 1, 1, 2, 3, 3, 4, 5])
    // Unchanged, the file is the same, so that a calendar that looks again has nothing to do.
    expect(await file()).toBe(await file())
  })

  test("is not there before the event has a date", async () => {
    const event = await published()
    expect((await api("GET", `/v1/public/events/${event.id}/calendar.ics`)).status).toBe(404)
  })
})
