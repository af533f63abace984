/**
 * The table of revocation: each act that ends or lowers a right, and what becomes of it by REST, of a new gateway token and of an
 * open socket. `grants.test.ts` has the particulars, `revoked.test.ts` what no act announces.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Answer } from "../support/api.ts"
import { tokenIn } from "../support/api.ts"
import { eventually } from "../support/wait.ts"
import { Client } from "./client.ts"
import { closedAtOnce, type GrantHouse, openGrantHouse } from "./grant-house.ts"
import { peopleOf, rowsIn } from "./revocation-people.ts"

/**
 * `session`: asking for a new session token as the present one was asked for. With the present one: `read` the event, `ask` a
 * question, `edit` the event (any member of the workspace may, whatever their role on the event). `manage`: the workspace, with the
 * cookie of the login where there is one (400 answers the empty body of a permitted caller). `new token`: the status of its answer, and
 * the role or the close code of a socket that it opens. `open socket`: the role that it has from then on, or its close code. Every
 * cell is checked right after the act.
 */
const TABLE = `
  | the act                                            | before | session | read | ask | edit | manage | new token  | open socket |
  | a member with a role on the event is removed       | host   | 404     | 401  | 401 | 401  | 404    | 401        | 4203        |
  | a member without a role on the event is removed    | viewer | 404     | 401  | 401 | 401  | 404    | 401        | 4203        |
  | an admin becomes a member                          | host   | 200     | 200  | 201 | 200  | 403    | 200 viewer | viewer      |
  | a role on the event is lowered                     | host   | 200     | 200  | 201 | 403  | 403    | 200 viewer | viewer      |
  | the only role on a private event is taken away     | host   | 200     | 404  | 404 | 403  | 403    | 404        | 4203        |
  | a login ends by logging out                        | host   | 401     | 401  | 401 | 401  | 401    | 401        | 4203        |
  | a password is reset                                | host   | 401     | 401  | 401 | 401  | 401    | 401        | 4203        |
  | the API key behind a user session is revoked       | host   | 401     | 401  | 401 | 401  | 401    | 401        | 4203        |
  | the integration behind a guest session is deleted  | viewer | 401     | 200  | 201 | 403  | 403    | 200 viewer | viewer      |
  | a guest is erased                                  | viewer | 409     | 401  | 401 | 401  | 401    | 401        | 4203        |
  | a host removes somebody and blocks them            | viewer | 200     | 200  | 403 | 403  | 403    | 200 4304   | 4304        |
`

interface Case {
  readonly eventId: string
  /** The session token of the person who loses rights. */
  readonly session: string
  /** The login that the session token comes from. */
  readonly cookie?: string
  /** Asks for another one. */
  readonly newSession: () => Promise<Answer>
  readonly act: () => Promise<unknown>
}

let at: GrantHouse
beforeAll(async () => {
  at = await openGrantHouse()
})
afterAll(() => at.stop())

const people = () => peopleOf(at)

const removed = async (roleOnEvent: string | undefined): Promise<Case> => {
  const member = await people().account("member")
  if (roleOnEvent !== undefined) {
    const { participantId } = (await at.mint(member.eventId, member.session)).body
    await at.giveRole(member.eventId, participantId, roleOnEvent)
  }
  return {
    ...member,
    act: () => at.api("DELETE", people().workspacePath(`members/${member.memberId}`), people().asOwner()),
  }
}

const manage = async ({ session, cookie }: Pick<Case, "session" | "cookie">): Promise<number> => {
  const credential = cookie === undefined ? { bearer: session } : { cookie }
  return (await at.api("POST", people().workspacePath("guest-integrations"), { ...credential, body: {} })).status
}

const CASES: { readonly [act: string]: () => Promise<Case> } = {
  "a member with a role on the event is removed": () => removed("host"),
  "a member without a role on the event is removed": () => removed(undefined),
  "an admin becomes a member": async () => {
    const admin = await people().account("admin")
    const path = people().workspacePath(`members/${admin.memberId}`)
    const act = async () => {
      expect(await manage(admin)).toBe(400)
      return at.api("PATCH", path, { ...people().asOwner(), body: { role: "member" } })
    }
    return { ...admin, act }
  },
  "a role on the event is lowered": async () => {
    const user = await people().integrators("host")
    return { ...user, act: () => at.giveRole(user.eventId, user.userId, "viewer") }
  },
  "the only role on a private event is taken away": async () => {
    const user = await people().integrators("host")
    return { ...user, act: () => at.takeRole(user.eventId) }
  },
  "a login ends by logging out": async () => {
    const admin = await people().account("admin")
    return { ...admin, act: () => at.api("POST", "/v1/accounts/logout", { cookie: admin.cookie }) }
  },
  "a password is reset": async () => {
    const admin = await people().account("admin")
    const act = async () => {
      const asked = await at.api("POST", "/v1/accounts/request-password-reset", { body: { email: admin.email } })
      const token = tokenIn(asked.body.resetUrl)
      return at.api("POST", "/v1/accounts/reset-password", { body: { token, password: "a newer horse battery" } })
    }
    return { ...admin, act }
  },
  "the API key behind a user session is revoked": async () => {
    const { body } = await at.api("POST", "/v1/api-keys", { key: at.workspace.key, body: { name: "leaked" } })
    const user = await people().integrators("host", body.secret)
    return { ...user, act: () => at.api("DELETE", people().workspacePath(`api-keys/${body.id}`), people().asOwner()) }
  },
  "the integration behind a guest session is deleted": async () => {
    const { integration, ...guest } = await people().partnersGuest("https://one.example")
    const act = () =>
      at.api("DELETE", people().workspacePath(`guest-integrations/${integration}`), { key: at.workspace.key })
    return { ...guest, act }
  },
  "a guest is erased": async () => {
    const issuer = "https://two.example"
    const guest = await people().partnersGuest(issuer)
    const path = people().workspacePath(`guests?issuer=${encodeURIComponent(issuer)}&subject=guest-1`)
    const erase = () => at.api("DELETE", path, { key: at.workspace.key })
    // There is nothing to erase before the arrival was stored.
    const act = () => eventually(async () => (await erase()).status === 204, "the erasure")
    return { ...guest, act }
  },
  "a host removes somebody and blocks them": async () => {
    const user = await people().integrators("viewer")
    const { userId, session } = await at.integratorsUser()
    await at.giveRole(user.eventId, userId, "host")
    const { client } = await at.connect(user.eventId, await session(at.workspace.key))
    const act = async () => {
      expect(await client.command("participant.remove", { id: user.userId, block: true })).toMatchObject({ ok: true })
      await client.cut()
    }
    return { ...user, act }
  },
}

const restOf = async (given: Case): Promise<ReadonlyArray<number>> => {
  const { eventId, session: bearer } = given
  const asked = await at.api("POST", `/v1/public/events/${eventId}/questions`, { bearer, body: { text: "Why?" } })
  const edited = await at.api("PATCH", `/v1/events/${eventId}`, { bearer, body: { title: "Mine" } })
  return [await at.look(eventId, bearer), asked.status, edited.status, await manage(given)]
}

/** The status of the answer, and what the new token opens. */
const newTokenOf = async ({ eventId, session }: Case): Promise<string> => {
  const { status, body } = await at.mint(eventId, session)
  if (status !== 200) return `${status}`
  const client = new Client(body.url)
  await client.hello()
  client.send({ op: 2, d: { token: body.token } })
  const outcome = await Promise.race([
    client.closed.then(({ code }) => `${code}`),
    client.dispatch("ready").then(
      ({ d }) => d.me.role as string,
      () => client.closed.then(({ code }) => `${code}`),
    ),
  ])
  await client.cut()
  return `${status} ${outcome}`
}

/** The role that was last sent to the socket. */
const roleOf = ({ received }: Client): string => {
  const told = received.findLast(({ t }) => t === "ready" || t === "me.updated")
  return told.t === "ready" ? told.d.me.role : told.d.role
}

const expectSocket = async (client: Client, outcome: string): Promise<void> => {
  if (/^\d+$/.test(outcome)) {
    await closedAtOnce(client, Number(outcome))
    return
  }
  await eventually(() => roleOf(client) === outcome, `the socket having the role ${outcome}`)
  expect(await client.command("roster.list")).toMatchObject({ ok: true })
  await client.cut()
}

type Row = [act: string, before: string, ...rest: [string, string, string, string, string, string, string]]

const ROWS = rowsIn(TABLE) as unknown as ReadonlyArray<Row>

test.each(ROWS)("%s", async (name, before, session, read, ask, edit, manage, newToken, openSocket) => {
  const given = await CASES[name]?.()
  if (given === undefined) throw new Error(`no case for the row "${name}"`)
  const { client, ready } = await at.connect(given.eventId, given.session)
  expect([ready.d.me.role, await newTokenOf(given)]).toEqual([before, `200 ${before}`])
  expect((await restOf(given)).slice(0, 2)).toEqual([200, 201])
  await given.act()
  await expectSocket(client, openSocket)
  const renewed = (await given.newSession()).status
  expect([renewed, ...(await restOf(given)), await newTokenOf(given)].join(" | ")).toBe(
    [session, read, ask, edit, manage, newToken].join(" | "),
  )
})

test("the table has a row for each act", () => {
  expect(ROWS.map(([name]) => name)).toEqual(Object.keys(CASES))
})
