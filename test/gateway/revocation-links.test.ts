/**
 * The table of revocation for bearer links: each act that ends or lowers a right, and what becomes of the links that its person was given before.
 * `revocation.test.ts` has the same acts for sessions and sockets.
 */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { fixture } from "../media/broadcast/support.ts"
import { PASSWORD, tokenIn } from "../support/api.ts"
import { push } from "../support/encoder.ts"
import { NODES } from "../support/nodes.ts"
import { eventually } from "../support/wait.ts"
import type { Client } from "./client.ts"
import { type GrantHouse, openGrantHouse } from "./grant-house.ts"
import { peopleOf, rowsIn } from "./revocation-people.ts"

/**
 * `encoder`: the address that the live event gave for an encoder. `by REST`: the one that REST gave. `upload`: where a recording's bytes are put.
 * `watch`: the playlist of the private broadcast. `media`: where a recording is watched. `invite`: an open invite. `reset`: a link for a new
 * password. `screen`: another session token, as a screen has it. `others`: the address of another encoder. Within ten seconds of the act. `-`: the
 * person is given none.
 */
const TABLE = `
  | the act                                             | encoder | by REST | upload | watch | media | invite | reset | screen | others |
  | a member with a role on the event is removed        | ends    | ends    | ends   | ends  | ends  | -      | stays | ends   | stays  |
  | an admin becomes a member                           | ends    | stays   | stays  | stays | stays | ends   | stays | stays  | stays  |
  | a role on the event is lowered                      | ends    | -       | -      | stays | -     | -      | -     | stays  | stays  |
  | the only role on a private event is taken away      | ends    | -       | -      | ends  | -     | -      | -     | ends   | stays  |
  | a login ends by logging out                         | ends    | ends    | ends   | ends  | ends  | stays  | stays | ends   | stays  |
  | a password is reset                                 | ends    | ends    | ends   | ends  | ends  | stays  | ends  | ends   | stays  |
  | a password is changed with another login            | ends    | ends    | ends   | ends  | ends  | stays  | ends  | ends   | stays  |
  | a password is changed with this login               | ends    | stays   | ends   | ends  | stays | stays  | ends  | ends   | stays  |
  | another login is ended                              | stays   | stays   | stays  | stays | stays | stays  | ends  | stays  | stays  |
  | the API key behind a user session is revoked        | ends    | -       | -      | ends  | -     | -      | -     | ends   | stays  |
  | an API key is revoked                               | -       | ends    | ends   | ends  | ends  | ends   | -     | -      | stays  |
  | the integration behind a guest session is deleted   | stays   | -       | -      | stays | -     | -      | -     | stays  | stays  |
  | a guest is erased                                   | ends    | -       | -      | ends  | -     | -      | -     | ends   | stays  |
  | a host removes somebody and blocks them             | ends    | -       | -      | ends  | -     | -      | -     | stays  | stays  |
  | a host removes somebody, who may come back          | ends    | -       | -      | stays | -     | -      | -     | stays  | stays  |
  | a host gives a lower role                           | ends    | -       | -      | stays | -     | -      | -     | stays  | stays  |
  | somebody leaves the stage                           | ends    | -       | -      | stays | -     | -      | -     | stays  | stays  |
  | the event becomes private                           | ends    | -       | -      | ends  | -     | -      | -     | ends   | stays  |
  | another encoder gets an address                     | stays   | -       | -      | stays | -     | -      | -     | stays  | stays  |
  | an admin ends all links of the person               | ends    | ends    | ends   | ends  | ends  | ends   | stays | ends   | stays  |
  | an admin ends all links of a key                    | -       | ends    | ends   | ends  | ends  | ends   | -     | -      | stays  |
`

const COLUMNS = ["encoder", "by REST", "upload", "watch", "media", "invite", "reset", "screen", "others"] as const
type Column = (typeof COLUMNS)[number]

const STREAM = fixture("ffmpeg-stream.mp4")

let at: GrantHouse
beforeAll(async () => {
  at = await openGrantHouse({ BROADCAST_INGESTS: "64", MEDIA_UPLOADS: "64" })
})
afterAll(() => at.stop())

const people = () => peopleOf(at)

/** Who loses rights, with the credentials that they use. */
interface Person {
  readonly eventId: string
  readonly session?: string
  readonly cookie?: string
  readonly email?: string
  readonly key?: string
  readonly keyId?: string
  /** Before the links are given: onto the stage. */
  readonly prepare?: (client: Client) => Promise<void>
  readonly act: (given: { readonly client: Client | undefined }) => Promise<unknown>
}

const hostOf = async (eventId: string): Promise<Client> => {
  const { userId, session } = await at.integratorsUser()
  await at.giveRole(eventId, userId, "host")
  return (await at.connect(eventId, await session(at.workspace.key))).client
}

const ok = async (reply: Promise<unknown>): Promise<void> => expect(await reply).toMatchObject({ ok: true })

/** The act of a host at the live event. */
const byHost = (eventId: string, t: string, d: object) => async () => {
  const host = await hostOf(eventId)
  await ok(host.command(t, d))
  await host.cut()
}

/** Onto the stage, by a host's invitation. */
const ontoStage = (eventId: string, id: string) => async (client: Client) => {
  await byHost(eventId, "stage.invite", { id })()
  await client.dispatch("stage.invited")
  await ok(client.command("stage.accept"))
}

const admin = async () => people().account("admin")
const login = async (email: string) => {
  const { headers } = await at.api("POST", "/v1/accounts/login", { body: { email, password: PASSWORD } })
  return { cookie: (headers.get("set-cookie") ?? "").split(";")[0] ?? "" }
}
const change = (cookie: string) => {
  const body = { currentPassword: PASSWORD, password: "a newer horse battery" }
  return at.api("POST", "/v1/accounts/password", { cookie, body })
}
const resetToken = async (email: string): Promise<string | null> => {
  const { body } = await at.api("POST", "/v1/accounts/request-password-reset", { body: { email } })
  return tokenIn(body.resetUrl)
}
const leakedKey = async () => {
  const { body } = await at.api("POST", "/v1/api-keys", { key: at.workspace.key, body: { name: "leaked" } })
  return { key: body.secret as string, keyId: body.id as string }
}
const revoke = (keyId: string) => at.api("DELETE", people().workspacePath(`api-keys/${keyId}`), people().asOwner())
const endAll = (of: string) => at.api("DELETE", people().workspacePath(`links?${of}`), people().asOwner())

const CASES: { readonly [act: string]: () => Promise<Person> } = {
  "a member with a role on the event is removed": async () => {
    const member = await people().account("member")
    const { participantId } = (await at.mint(member.eventId, member.session)).body
    await at.giveRole(member.eventId, participantId, "host")
    const path = people().workspacePath(`members/${member.memberId}`)
    return { ...member, act: () => at.api("DELETE", path, people().asOwner()) }
  },
  "an admin becomes a member": async () => {
    const person = await admin()
    const path = people().workspacePath(`members/${person.memberId}`)
    return { ...person, act: () => at.api("PATCH", path, { ...people().asOwner(), body: { role: "member" } }) }
  },
  "a role on the event is lowered": async () => {
    const user = await people().integrators("speaker")
    return { ...user, act: () => at.giveRole(user.eventId, user.userId, "viewer") }
  },
  "the only role on a private event is taken away": async () => {
    const user = await people().integrators("speaker")
    return { ...user, act: () => at.takeRole(user.eventId) }
  },
  "a login ends by logging out": async () => {
    const person = await admin()
    return { ...person, act: () => at.api("POST", "/v1/accounts/logout", { cookie: person.cookie }) }
  },
  "a password is reset": async () => {
    const person = await admin()
    const body = { token: await resetToken(person.email), password: "a newer horse battery" }
    return { ...person, act: () => at.api("POST", "/v1/accounts/reset-password", { body }) }
  },
  "a password is changed with another login": async () => {
    const person = await admin()
    const { cookie } = await login(person.email)
    return { ...person, act: () => change(cookie) }
  },
  "a password is changed with this login": async () => {
    const person = await admin()
    return { ...person, act: () => change(person.cookie) }
  },
  "another login is ended": async () => {
    const person = await admin()
    await login(person.email)
    const { sessions } = (await at.api("GET", "/v1/accounts/sessions", { cookie: person.cookie })).body
    const { id } = sessions.find(({ current }: { current: boolean }) => !current)
    return { ...person, act: () => at.api("DELETE", `/v1/accounts/sessions/${id}`, { cookie: person.cookie }) }
  },
  "the API key behind a user session is revoked": async () => {
    const { key, keyId } = await leakedKey()
    const user = await people().integrators("speaker", key)
    return { ...user, act: () => revoke(keyId) }
  },
  "an API key is revoked": async () => {
    const leaked = await leakedKey()
    return { ...leaked, eventId: (await at.privateEvent()).id, act: () => revoke(leaked.keyId) }
  },
  "the integration behind a guest session is deleted": async () => {
    const guest = await people().partnersGuest("https://three.example")
    const path = people().workspacePath(`guest-integrations/${guest.integration}`)
    const prepare = async (client: Client) => {
      const { participantId } = client.received.find(({ t }) => t === "ready").d.me
      await byHost(guest.eventId, "role.set", { id: participantId, role: "speaker" })()
      await client.dispatch("me.updated")
    }
    return { ...guest, prepare, act: () => at.api("DELETE", path, { key: at.workspace.key }) }
  },
  "a guest is erased": async () => {
    const issuer = "https://four.example"
    const guest = await people().partnersGuest(issuer)
    const path = people().workspacePath(`guests?issuer=${encodeURIComponent(issuer)}&subject=guest-1`)
    const prepare = async (client: Client) => {
      const { participantId } = client.received.find(({ t }) => t === "ready").d.me
      await byHost(guest.eventId, "role.set", { id: participantId, role: "speaker" })()
      await client.dispatch("me.updated")
    }
    const erase = () => at.api("DELETE", path, { key: at.workspace.key })
    return { ...guest, prepare, act: () => eventually(async () => (await erase()).status === 204, "the erasure") }
  },
  "a host removes somebody and blocks them": async () => {
    const user = await people().integrators("speaker")
    return { ...user, act: byHost(user.eventId, "participant.remove", { id: user.userId, block: true }) }
  },
  "a host removes somebody, who may come back": async () => {
    const user = await people().integrators("speaker")
    return { ...user, act: byHost(user.eventId, "participant.remove", { id: user.userId }) }
  },
  "a host gives a lower role": async () => {
    const user = await people().integrators("speaker")
    return { ...user, act: byHost(user.eventId, "role.set", { id: user.userId, role: "viewer" }) }
  },
  "somebody leaves the stage": async () => {
    const user = await people().integrators("viewer")
    const prepare = ontoStage(user.eventId, user.userId)
    return { ...user, prepare, act: ({ client }) => ok(client?.command("stage.leave") ?? Promise.resolve()) }
  },
  "the event becomes private": async () => {
    const user = await people().integrators(null, at.workspace.key, { visibility: "public" })
    const become = { key: at.workspace.key, body: { visibility: "private" } }
    const prepare = ontoStage(user.eventId, user.userId)
    return { ...user, prepare, act: () => at.api("PATCH", `/v1/events/${user.eventId}`, become) }
  },
  "another encoder gets an address": async () => {
    const user = await people().integrators("speaker")
    const act = async () => {
      const host = await hostOf(user.eventId)
      await ok(host.command("broadcast.ingest"))
      await host.cut()
    }
    return { ...user, act }
  },
  "an admin ends all links of the person": async () => {
    const person = await admin()
    return { ...person, act: () => endAll(`accountId=${person.id}`) }
  },
  "an admin ends all links of a key": async () => {
    const leaked = await leakedKey()
    return { ...leaked, eventId: (await at.privateEvent()).id, act: () => endAll(`keyId=${leaked.keyId}`) }
  },
}

type Look = () => Promise<"stays" | "ends">

const statusOf = async (url: string, method = "GET", body?: Uint8Array): Promise<number> =>
  (await fetch(url, { method, ...(body === undefined ? {} : { body: Buffer.from(body) }) })).status

/** Holds while it is answered one of these, and has ended with one of those. */
const asked =
  (ask: () => Promise<number>, held: ReadonlyArray<number>, over: ReadonlyArray<number>): Look =>
  async () => {
    const status = await ask()
    expect([...held, ...over]).toContain(status)
    return held.includes(status) ? "stays" : "ends"
  }

/** 409: the address is good, and another encoder has the broadcast. */
const encoderAt = ({ streamUrl }: { readonly streamUrl: string }): Look =>
  asked(() => statusOf(`${streamUrl}?seq=0`, "PUT", STREAM), [204, 409], [401])

/** A recording whose bytes are nowhere: an address that holds finds none. */
const recordingAt = async (eventId: string): Promise<void> => {
  const { id } = (await at.rows.run("select workspace_id as id from events where id = $1", [eventId]))[0] as {
    id: string
  }
  const row = "insert into recordings (id, event_id, workspace_id, kind, status) values ($1, $2, $3, 'upload', 'ready')"
  await at.rows.run(row, [randomUUID(), eventId, id])
}

/** Everything that the person is given. */
const linksOf = async (
  { eventId, session, cookie, email, key }: Person,
  client: Client | undefined,
): Promise<{ readonly [C in Column]?: Look }> => {
  const { key: ownKey } = at.workspace
  const phaseId = (await at.api("GET", `/v1/events/${eventId}`, { key: ownKey })).body.phases[0].id
  const control = (path: string, credential: object = { key: ownKey }) =>
    at.api("POST", `/v1/phases/${phaseId}/broadcast/${path}`, credential)
  const others = (await control("ingest")).body
  for (let n = 0; n < 2; n++) expect((await push(others.streamUrl, STREAM)).status).toBe(204)
  await recordingAt(eventId)
  const isManager = cookie !== undefined || key !== undefined
  const managing = key === undefined ? { cookie } : { key }
  const uploading = key === undefined ? { bearer: session } : { key }
  const links: { [C in Column]?: Look } = { others: encoderAt(others) }
  if (client !== undefined) {
    const given = await client.command("broadcast.ingest")
    expect(given).toMatchObject({ ok: true })
    links.encoder = encoderAt(given.d)
  }
  if (isManager) {
    links["by REST"] = encoderAt((await control("ingest", managing)).body)
    const { uploadUrl } = (await at.api("POST", `/v1/events/${eventId}/recordings`, { ...uploading, body: {} })).body
    links.upload = asked(() => statusOf(uploadUrl, "PUT", new Uint8Array(100)), [204], [401])
    const { recordings } = (await at.api("GET", `/v1/events/${eventId}/recordings`, managing)).body
    const { playbackUrl } = recordings.find(({ status }: { status: string }) => status === "ready")
    links.media = asked(() => statusOf(playbackUrl), [404], [401])
  }
  const { playbackUrl } =
    session === undefined
      ? (await at.api("GET", `/v1/phases/${phaseId}/broadcast`, managing)).body
      : (await at.api("GET", `/v1/public/events/${eventId}`, { bearer: session })).body.activeBroadcast
  links.watch = asked(() => statusOf(playbackUrl), [200], [401, 404])
  const inviting = { ...managing, body: { kind: "workspace", role: "admin" } }
  const invite = isManager ? await at.api("POST", people().workspacePath("invites"), inviting) : undefined
  if (invite?.status === 201) {
    const token = tokenIn(invite.body.inviteUrl)
    links.invite = async () => {
      const { status } = (await at.api("GET", `/v1/invites/${token}`)).body
      expect(["pending", "revoked"]).toContain(status)
      return status === "pending" ? "stays" : "ends"
    }
  }
  if (email !== undefined) {
    const token = await resetToken(email)
    // Once: it is used up.
    let status: number | undefined
    links.reset = asked(
      async () => {
        const body = { token, password: "the newest horse battery" }
        status ??= (await at.api("POST", "/v1/accounts/reset-password", { body })).status
        return status
      },
      [200],
      [400],
    )
  }
  if (session !== undefined) {
    const screen = cookie === undefined ? session : await at.sessionOf(cookie)
    links.screen = asked(() => at.look(eventId, screen), [200], [401, 404])
  }
  return links
}

const ROWS = rowsIn(TABLE).map(([act = "", ...expected]) => [act, expected] as const)

/** A row's person has their links; resolves to the act, and to what has become of the links after it. */
const prepared = async ([name, expected]: (typeof ROWS)[number]) => {
  const person = await CASES[name]?.()
  if (person === undefined) throw new Error(`no case for the row "${name}"`)
  const { eventId, session } = person
  const { phases } = (await at.api("GET", `/v1/events/${eventId}`, { key: at.workspace.key })).body
  await at.api("POST", `/v1/phases/${phases[0].id}/broadcast/start`, { key: at.workspace.key, body: {} })
  const client = session === undefined ? undefined : (await at.connect(eventId, session)).client
  if (client !== undefined) await person.prepare?.(client)
  const links = await linksOf(person, client)
  const look = async (column: Column): Promise<string> => (await links[column]?.()) ?? "-"
  // The link for a new password is looked at last, because that uses it up and ends other rights.
  const before = COLUMNS.filter((column) => column !== "reset")
  for (const column of before) expect([name, column, await look(column)]).not.toContain("ends")
  const wanted = Object.fromEntries(COLUMNS.map((column, n) => [column, expected[n]]))
  // Links that stay are looked at once, after the others ended: an encoder's pieces are limited in number.
  const ending = before.filter((column) => wanted[column] === "ends")
  const haveEnded = async (): Promise<boolean> => {
    for (const column of ending.flatMap((one) => Array.from({ length: NODES }, () => one)))
      if ((await look(column)) === "stays") return false
    return true
  }
  const outcome = async () => {
    await eventually(haveEnded, "the end of the links").catch(() => {})
    const now: { [column: string]: string } = {}
    for (const column of before) now[column] = await look(column)
    now["reset"] = await look("reset")
    await client?.cut()
    return { name, ...now }
  }
  return { act: () => person.act({ client }), outcome, wanted: { name, ...wanted } }
}

test("each act ends what the table says, and nothing else", async () => {
  const rows: Array<Awaited<ReturnType<typeof prepared>>> = []
  for (const row of ROWS) rows.push(await prepared(row))
  // All acts come first, so that the ends of their links are waited for together.
  for (const { act } of rows) await act()
  const outcomes: object[] = []
  for (const { outcome } of rows) outcomes.push(await outcome())
  expect(outcomes).toEqual(rows.map(({ wanted }) => wanted))
})

test("the table has a row for each act", () => {
  expect(ROWS.map(([name]) => name)).toEqual(Object.keys(CASES))
})
