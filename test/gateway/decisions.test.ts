/**
 * A decision about a person holds against what that person does next: every decision by every door that the person may try. What becomes of
 * sessions, tokens and sockets of before is in `revocation.test.ts`, a removal at an identity provider in `test/http/connections.test.ts`.
 */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { entryLink, type Json, signup, tokenIn } from "../support/api.ts"
import { guestClaims, newPartnerKey, signToken } from "../support/partner.ts"
import { Client, type Frame } from "./client.ts"
import { received } from "./crowd.ts"
import { type GrantHouse, openGrantHouse } from "./grant-house.ts"

/**
 * By hand. `out`: no session, token or socket lets them in, and no question by REST; `waits`: in the lobby; `muted`; a role: they are in, with
 * that role; `-`: the door is none of theirs. The doors: `device`: their session on another device; `link`: the entry link of before, or the
 * partner's next token; `again`: registering under the same address; `afresh`: the same after an organiser gave the place free; `user`:
 * a user of the workspace with the address; `account`: an invited account that has proved the address; `invite`: an open invite of before, to
 * the address, as a host; `new id`: another address, or another partner's id, who is another person for this server; `open`: a socket that is
 * open when the host decides, of a user or a registration with the address.
 */
const TABLE = `
  | the decision                                    | device      | link        | again       | afresh      | user        | account     | invite      | new id      | open        |
  | a host blocks a registered person               | out         | out         | out         | out         | out         | out         | -           | participant | out         |
  | a host denies a registered person for good      | out         | out         | out         | out         | out         | out         | -           | waits       | out         |
  | a host sends a registered person to the lobby   | waits       | waits       | waits       | out         | out         | out         | -           | participant | out         |
  | a host mutes a registered person                | muted       | muted       | muted       | out         | out         | out         | -           | participant | out         |
  | a host removes a registered person for now      | participant | participant | participant | participant | participant | participant | -           | participant | participant |
  | an organiser gives the place of somebody free   | out         | out         | participant | participant | participant | participant | -           | participant | participant |
  | a host blocks a user                            | out         | -           | out         | out         | -           | out         | out         | participant | out         |
  | a host sends a user to the lobby                | waits       | -           | out         | out         | -           | out         | waits       | participant | out         |
  | a host mutes a user                             | muted       | -           | out         | out         | -           | out         | muted       | participant | out         |
  | a host makes a host a participant               | participant | -           | participant | participant | -           | participant | participant | participant | participant |
  | the workspace makes a host a participant        | participant | -           | participant | participant | -           | participant | participant | participant | participant |
  | the workspace takes the role of a host away     | participant | -           | participant | participant | -           | participant | out         | participant | participant |
  | a host blocks a partner's guest                 | out         | out         | -           | -           | -           | -           | -           | participant | -           |
`
const DOORS = ["device", "link", "again", "afresh", "user", "account", "invite", "new id", "open"] as const
type Door = (typeof DOORS)[number]

const ROWS = TABLE.trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split("|").slice(1, -1))
  .map(([decision = "", ...cells]) => [decision.trim(), cells.map((cell) => cell.trim())] as const)

interface Person {
  readonly participantId: string
  readonly email: string
  readonly session: string
  /** Sessions by the doors that this kind of person has. */
  readonly doors: { readonly [D in Door]?: () => Promise<string | undefined> }
}

let at: GrantHouse
beforeAll(async () => {
  at = await openGrantHouse()
})
afterAll(() => at.stop())

const key = () => ({ key: at.workspace.key })
const newAddress = () => `who-${randomUUID()}@example.com`

const eventOf = async (fields: object = {}): Promise<string> => {
  const phases = [{ modality: "meeting", featureSet: ["chat", "qa"], ...fields }]
  return (await at.privateEvent({ visibility: "public", phases })).id
}

const register = async (eventId: string, email: string): Promise<string> => {
  const { status } = await at.api("POST", `/v1/public/events/${eventId}/register`, {
    body: { name: "Wil", email },
  })
  expect(status).toBe(200)
  return tokenIn(await entryLink(at.server.url, email, eventId))
}
const enter = async (eventId: string, token: string): Promise<string | undefined> =>
  (await at.api("POST", `/v1/public/events/${eventId}/enter`, { body: { token } })).body.sessionToken

const giveFree = async (eventId: string, email: string): Promise<void> => {
  const path = `/v1/events/${eventId}/registrations`
  const { body } = await at.api("GET", path, key())
  const found = body.registrations.find((one: Json) => one.email === email)
  if (found !== undefined) expect((await at.api("DELETE", `${path}/${found.id}`, key())).status).toBe(204)
}

const sessionOf = async (userId: string): Promise<string> =>
  (await at.api("POST", `/v1/users/${userId}/session`, key())).body.sessionToken

const userWith = async (email: string | undefined): Promise<string> =>
  (await at.api("POST", "/v1/users", { ...key(), body: { externalSub: randomUUID(), name: "Ida", email } })).body.id

/** An account that has proved the address and takes the invite up. */
const accountBy = async (token: string, email: string): Promise<string | undefined> => {
  const { id, cookie } = await signup(at.server.url, "Ada")
  await at.rows.run("update account_emails set email = $1, verified_at = now() where account_id = $2", [email, id])
  await at.api("POST", `/v1/invites/${token}/accept`, { cookie })
  return at.sessionOf(cookie)
}
const invite = async (eventId: string, role: string, email: string): Promise<string> => {
  const asked = { kind: "event", eventId, role, email }
  const { status, body } = await at.api("POST", `/v1/workspaces/${at.workspace.id}/invites`, { ...key(), body: asked })
  expect(status).toBe(201)
  return tokenIn(body.inviteUrl)
}

/** The doors of everybody who has an address. */
const doorsOf = (eventId: string, email: string) => ({
  again: async () => enter(eventId, await register(eventId, email)),
  afresh: async () => {
    await giveFree(eventId, email)
    return enter(eventId, await register(eventId, email))
  },
  user: async () => {
    const userId = await userWith(email)
    await at.giveRole(eventId, userId, "participant")
    return sessionOf(userId)
  },
  account: async () => accountBy(await invite(eventId, "participant", email), email),
  "new id": async () => enter(eventId, await register(eventId, newAddress())),
})

const registered = async (eventId: string): Promise<Person> => {
  const email = newAddress()
  const token = await register(eventId, email)
  const session = (await enter(eventId, token)) ?? ""
  const { participantId } = (await at.mint(eventId, session)).body
  const doors = { ...doorsOf(eventId, email), device: async () => session, link: () => enter(eventId, token) }
  return { participantId, email, session, doors }
}

/** An account on the event's list, to whose address another invite is open. */
const listed = async (eventId: string, role: string): Promise<Person> => {
  const { id, email, cookie } = await signup(at.server.url, "Uma")
  await at.rows.run("update account_emails set verified_at = now() where account_id = $1", [id])
  expect((await at.api("POST", `/v1/invites/${await invite(eventId, role, email)}/accept`, { cookie })).status).toBe(
    200,
  )
  const session = await at.sessionOf(cookie)
  const { participantId } = (await at.mint(eventId, session)).body
  const older = await invite(eventId, "host", email)
  const { user: _user, account: _account, ...doors } = doorsOf(eventId, email)
  const inviteAgain = async () => {
    await at.api("POST", `/v1/invites/${older}/accept`, { cookie })
    return at.sessionOf(cookie)
  }
  const account = async () => {
    const other = await userWith(email)
    await at.giveRole(eventId, other, "participant")
    return sessionOf(other)
  }
  return {
    participantId,
    email,
    session,
    doors: { ...doors, account, device: async () => session, invite: inviteAgain },
  }
}

const guest = async (eventId: string): Promise<Person> => {
  const [pair, issuer] = [newPartnerKey(), `https://${randomUUID()}.example`]
  await at.api("POST", `/v1/workspaces/${at.workspace.id}/guest-integrations`, {
    ...key(),
    body: { issuer, publicKeyPem: pair.pem },
  })
  const by = async (sub: string): Promise<string | undefined> => {
    const token = await signToken(pair.privateKey, guestClaims({ iss: issuer, sub, email: newAddress() }))
    return (await at.api("POST", `/v1/events/${eventId}/guest-session`, { body: { token } })).body.sessionToken
  }
  const session = (await by("one")) ?? ""
  const { participantId } = (await at.mint(eventId, session)).body
  const doors = { device: async () => session, link: () => by("one"), "new id": () => by("two") }
  return { participantId, email: "", session, doors }
}

interface Entered {
  readonly outcome: string
  readonly client: Client | undefined
}
const OUT: Entered = { outcome: "out", client: undefined }
const NO_DOOR: Entered = { outcome: "-", client: undefined }

/** What a session opens: a socket, and by REST a question. */
const enterBy = async (eventId: string, session: string | undefined): Promise<Entered> => {
  if (session === undefined) return OUT
  const asked = await at.api("POST", `/v1/public/events/${eventId}/questions`, {
    bearer: session,
    body: { text: "Why?" },
  })
  const { status, body } = await at.mint(eventId, session)
  if (status !== 200) return OUT
  const client = new Client(body.url)
  onTestFinished(() => client.socket.terminate())
  await client.hello()
  client.send({ op: 2, d: { token: body.token } })
  const isIn = ({ t, d }: Frame): boolean => t === "ready" || (t === "lobby.status" && d.state === "waiting")
  const first = await client.next(isIn, "a way in").catch(() => undefined)
  if (first === undefined) {
    expect([(await client.closed).code, asked.status]).toEqual([4304, 403])
    return OUT
  }
  if (first.t !== "ready") return { outcome: "waits", client }
  const said = await client.command("chat.send", { to: "event", text: "Here" }, { id: randomUUID() })
  return { outcome: said.e?.code === "muted" ? "muted" : first.d.me.role, client }
}

const hostAt = async (eventId: string): Promise<Client> => {
  const userId = await userWith(undefined)
  await at.giveRole(eventId, userId, "host")
  const { client } = await at.connect(eventId, await sessionOf(userId))
  onTestFinished(() => client.socket.terminate())
  return client
}

/** A host's command about the person, who is inside and has gone when this resolves. */
const byHost =
  (command: string, more: object = {}) =>
  async (eventId: string, person: Person) => {
    const host = await hostAt(eventId)
    const { client } = await enterBy(eventId, person.session)
    await received(host, "presence.diff", ({ join }) =>
      join.some((p: Frame) => p.participantId === person.participantId),
    )
    const d = { id: person.participantId, ...more }
    expect(await host.command(command, d)).toMatchObject({ ok: true })
    client?.socket.terminate()
  }

interface Decision {
  readonly phase?: object
  readonly person: (eventId: string) => Promise<Person>
  readonly act: (eventId: string, person: Person) => Promise<void>
}
const asHost = (eventId: string) => listed(eventId, "host")
const asParticipant = (eventId: string) => listed(eventId, "participant")

const DECISIONS: Readonly<Record<string, Decision>> = {
  "a host blocks a registered person": { person: registered, act: byHost("participant.remove", { block: true }) },
  "a host denies a registered person for good": {
    phase: { config: { lobby: "ask" } },
    person: registered,
    act: async (eventId, { participantId, session }) => {
      const host = await hostAt(eventId)
      expect((await enterBy(eventId, session)).outcome).toBe("waits")
      await received(host, "lobby.waiting", ({ add }) => add.some((p: Frame) => p.participantId === participantId))
      expect(await host.command("lobby.deny", { ids: [participantId], block: true })).toMatchObject({ ok: true })
    },
  },
  "a host sends a registered person to the lobby": { person: registered, act: byHost("participant.toLobby") },
  "a host mutes a registered person": { person: registered, act: byHost("participant.mute") },
  "a host removes a registered person for now": { person: registered, act: byHost("participant.remove") },
  "an organiser gives the place of somebody free": { person: registered, act: (id, { email }) => giveFree(id, email) },
  "a host blocks a user": { person: asParticipant, act: byHost("participant.remove", { block: true }) },
  "a host sends a user to the lobby": { person: asParticipant, act: byHost("participant.toLobby") },
  "a host mutes a user": { person: asParticipant, act: byHost("participant.mute") },
  "a host makes a host a participant": { person: asHost, act: byHost("role.set", { role: "participant" }) },
  "the workspace makes a host a participant": {
    person: asHost,
    act: async (eventId, { participantId }) => void (await at.giveRole(eventId, participantId, "participant")),
  },
  "the workspace takes the role of a host away": { person: asHost, act: (eventId) => at.takeRole(eventId) },
  "a host blocks a partner's guest": { person: guest, act: byHost("participant.remove", { block: true }) },
}

test("the table has every decision, and a cell for every door", () => {
  expect(ROWS.map(([decision]) => decision)).toEqual(Object.keys(DECISIONS))
  expect(ROWS.every(([, cells]) => cells.length === DOORS.length)).toBe(true)
})

/** By which door somebody with the person's address is in under another id. */
const otherDoorOf = ({ participantId }: Person): Door => (participantId.startsWith("reg:") ? "user" : "again")

/** What became of a socket that was open at the decision: it is closed, or its holder goes on. */
const afterwards = async ({ outcome, client }: Entered, expected: string): Promise<string> => {
  if (client === undefined) return outcome
  if (expected === "out") return (await client.closed).code === 4304 ? "out" : "closed"
  const said = await client.command("chat.send", { to: "event", text: "Still here" }, { id: randomUUID() })
  return said.ok === true ? outcome : "refused"
}

test.each(ROWS)("%s", async (name, cells) => {
  const decision = DECISIONS[name]
  if (decision === undefined) throw new Error(name)
  const outcomes: string[] = []
  // The doors are tried one after the other at one event: none gives back what another was refused.
  const eventId = await eventOf(decision.phase)
  const person = await decision.person(eventId)
  const session = person.doors[otherDoorOf(person)]
  const inside = session === undefined ? NO_DOOR : await enterBy(eventId, await session())
  await decision.act(eventId, person)
  const open = await afterwards(inside, cells.at(-1) ?? "")
  for (const door of DOORS.filter((one) => one !== "open")) {
    const enters = person.doors[door]
    const entered = enters === undefined ? NO_DOOR : await enterBy(eventId, await enters())
    outcomes.push(entered.outcome)
    entered.client?.socket.terminate()
  }
  outcomes.push(open)
  expect(outcomes).toEqual(cells)
})

test("an admin of the workspace, and a registered host, stay connected when somebody with their address is blocked", async () => {
  const eventId = await eventOf()
  const host = await hostAt(eventId)
  const admin = await at.addMember("admin")
  await at.rows.run("update account_emails set verified_at = now() where account_id = $1", [admin.id])
  const registeredHost = await registered(eventId)
  const userSession = await registeredHost.doors.user?.()
  const stranger = await registered(eventId)
  const other = await stranger.doors.user?.()
  const [asAdmin, asHost, asOther] = [
    await enterBy(eventId, await at.sessionOf(admin.cookie)),
    await enterBy(eventId, registeredHost.session),
    await enterBy(eventId, other),
  ]
  expect(await host.command("role.set", { id: registeredHost.participantId, role: "host" })).toMatchObject({ ok: true })
  const { participantId: ofAdmin } = (
    await at.mint(eventId, (await enter(eventId, await register(eventId, admin.email))) ?? "")
  ).body
  const { participantId: ofHost } = (await at.mint(eventId, userSession ?? "")).body
  for (const id of [ofAdmin, ofHost, stranger.participantId])
    expect(await host.command("participant.remove", { id, block: true })).toMatchObject({ ok: true })
  // Whom the last block concerns is found after those of the others, or with them.
  expect((await asOther.client?.closed)?.code).toBe(4304)
  for (const { client } of [asAdmin, asHost])
    expect(await client?.command("chat.send", { to: "event", text: "Here" }, { id: randomUUID() })).toMatchObject({
      ok: true,
    })
})
