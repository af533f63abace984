/** Sign-in through a workspace's own identity provider, against a real one. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import {
  createEvent,
  createWorkspace,
  type Json,
  PASSWORD,
  problemOf,
  signup,
  tokenIn,
  type Workspace,
} from "../support/api.ts"
import { connectionsOf, cookieNamed, get, newDomain, personOf, sharedConnections } from "../support/connections.ts"
import { freePort } from "../support/free-port.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { addMember } from "../support/members.ts"
import { codeOf, setUpTotp } from "../support/second-factor.ts"
import { sharedRows } from "../support/shared.ts"

const HOME = "https://app.example.com/"
const { idp, server, api, callback, inputFor, connected, begin, signInBy, standingOf, membersOf, auditOf, join } =
  sharedConnections("https://app.example.com")
const rows = sharedRows(server)

describe("a connection", () => {
  test("is made, listed without its secret, changed and removed by owners, and the log says so", async () => {
    const { acme, domain, connection, path } = await connected()
    const { cookie } = acme.owner
    expect(connection).toMatchObject({
      name: "Acme login",
      issuer: idp.issuer,
      clientId: "gathercue",
      defaultRole: "member",
      redirectUri: `${callback()}${connection.id}/callback`,
      domains: [
        {
          domain,
          proved: true,
          record: { name: `_gathercue.${domain}`, value: expect.stringMatching(/^gathercue-connection=\w{43}$/) },
        },
      ],
      lastError: null,
    })
    const list = await api("GET", connectionsOf(acme), { cookie })
    expect(list.body.connections).toEqual([connection])
    expect(JSON.stringify(list.body)).not.toContain(idp.clientSecret)
    const [stored] = await rows.run("select client_secret_sealed from connections where id = $1", [connection.id])
    expect(Buffer.from(stored?.["client_secret_sealed"]).toString("latin1")).not.toContain(idp.clientSecret)
    const other = newDomain()
    const changed = await api("PATCH", path, { cookie, body: { name: "Okta", domains: [domain, other] } })
    expect([changed.status, changed.body.name]).toEqual([200, "Okta"])
    const recordOf = (view: Json) => view.domains.find((one: Json) => one.domain === domain).record
    expect(recordOf(changed.body)).toEqual(recordOf(connection))
    const checked = await api("POST", `${path}/check`, { cookie })
    expect([checked.status, checked.body.lastError, typeof checked.body.lastSuccessAt]).toEqual([200, null, "string"])
    const stranger = await createWorkspace(server.url)
    const theirs = path.replace(acme.id, stranger.id)
    for (const foreign of [
      await api("PATCH", theirs, { cookie: stranger.owner.cookie, body: { name: "Mine" } }),
      await api("POST", `${theirs}/check`, { cookie: stranger.owner.cookie }),
      await api("DELETE", theirs, { cookie: stranger.owner.cookie }),
    ]) {
      expect(problemOf(foreign)).toEqual([404, "not_found"])
    }
    expect((await api("DELETE", path, { cookie })).status).toBe(204)
    expect(problemOf(await api("DELETE", path, { cookie }))).toEqual([404, "not_found"])
    const actions = (await auditOf(acme)).map(({ action }) => action)
    for (const act of ["created", "changed", "checked", "deleted"]) expect(actions).toContain(`connection.${act}`)
  })

  test("has a domain that no other connection has, also of two at once", async () => {
    const { domain } = await connected()
    const [acme, other] = [await createWorkspace(server.url), await createWorkspace(server.url)]
    const make = (workspace: Workspace, of: string) =>
      api("POST", connectionsOf(workspace), { cookie: workspace.owner.cookie, body: inputFor(of) })
    expect(problemOf(await make(acme, domain))).toEqual([409, "conflict"])
    const free = newDomain()
    const both = await Promise.all([make(acme, free), make(other, free)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
  })

  test("is refused by the field at fault", async () => {
    const acme = await createWorkspace(server.url)
    for (const [what, fields, detail] of [
      ["an address as domain", { domains: ["a@b.example"] }, /^domains\.0: /],
      ["a name of one label", { domains: ["localhost"] }, /^domains\.0: /],
      ["an issuer that is no URL", { issuer: "acme" }, /^issuer: /],
      ["a private issuer", { issuer: "https://10.0.0.7" }, /^issuer: The URL must lead to a public address/],
      ["the metadata of the cloud", { issuer: "http://169.254.169.254" }, /^issuer: /],
      ["an issuer in clear", { issuer: "http://93.184.216.34" }, /^issuer: The URL must start with https/],
      ["an issuer with a query", { issuer: "https://login.example.com/?a=1" }, /^issuer: /],
      ["a client id with blanks", { clientId: "a b" }, /^clientId: /],
    ] as const) {
      const body = inputFor(newDomain(), fields)
      const answer = await api("POST", connectionsOf(acme), { cookie: acme.owner.cookie, body })
      expect([...problemOf(answer), answer.body.detail], what).toEqual([
        400,
        "bad_request",
        expect.stringMatching(detail),
      ])
    }
  })
})

describe("signing in", () => {
  test("makes an account and a member with the connection's role, and the same one again", async () => {
    const { acme, domain, connection } = await connected({ defaultRole: "admin" })
    const grace = personOf(domain)
    const found = await api("GET", `/v1/auth/sso?email=${encodeURIComponent(`Anyone@${domain.toUpperCase()}`)}`)
    expect(found.body).toEqual({ connection: { id: connection.id, name: "Acme login" } })
    expect((await api("GET", `/v1/auth/sso?email=ada@${newDomain()}`)).body).toEqual({ connection: null })
    const first = await signInBy(connection, grace)
    expect(first.location).toBe(HOME)
    const me = (await api("GET", "/v1/accounts/me", { cookie: first.session })).body
    expect([me.account.email, me.account.emailVerified]).toEqual([grace.email, true])
    expect(me.workspaces.find(({ id }: Json) => id === acme.id)).toMatchObject({ role: "admin" })
    const again = await signInBy(connection, grace)
    const account = (await api("GET", "/v1/accounts/me", { cookie: again.session })).body.account
    expect(account.id).toBe(me.account.id)
    const joined = (await auditOf(acme)).filter(({ action }) => action === "member.joined")
    expect(joined).toMatchObject([{ actor: { kind: "account", id: account.id } }])
  })

  test("does not bring back somebody who was removed, who may be invited again", async () => {
    const { acme, domain, connection } = await connected()
    const grace = personOf(domain)
    const { session } = await signInBy(connection, grace)
    const memberOf = async () => (await membersOf(acme)).find(({ email }) => email === grace.email)
    const { id } = await memberOf()
    const path = `/v1/workspaces/${acme.id}/members/${id}`
    expect((await api("DELETE", path, { cookie: acme.owner.cookie })).status).toBe(204)
    expect((await signInBy(connection, grace)).location).toBe(`${HOME}?signIn=unreachable`)
    expect(await memberOf()).toBeUndefined()
    const asked = { cookie: acme.owner.cookie, body: { role: "member", email: grace.email } }
    const token = tokenIn((await api("POST", `/v1/workspaces/${acme.id}/invites`, asked)).body.inviteUrl)
    expect((await api("POST", `/v1/invites/${token}/accept`, { cookie: session })).status).toBe(200)
    expect((await signInBy(connection, grace)).location).toBe(HOME)
    expect(await memberOf()).toMatchObject({ role: "member" })
  })

  test("links an account with the address, and asks for its second factor, whose session is the connection's", async () => {
    const { acme, domain, connection } = await connected()
    const account = await signup(server.url)
    const email = `ada-${randomUUID()}@${domain}`
    await rows.run("update account_emails set email = $1, verified_at = now() where account_id = $2", [
      email,
      account.id,
    ])
    const { secret } = await setUpTotp(server.url, account)
    const { location, session } = await signInBy(connection, personOf(domain, { email }))
    expect([session, location]).toEqual([
      "",
      expect.stringMatching(/^https:\/\/app\.example\.com\/\?signIn=code#mfaToken=/),
    ])
    const { cookie } = acme.owner
    expect((await api("PATCH", `/v1/workspaces/${acme.id}`, { cookie, body: { sso: "required" } })).status).toBe(200)
    const mfaToken = new URLSearchParams(new URL(location ?? "").hash.slice(1)).get("mfaToken")
    const body = { mfaToken, code: codeOf(secret, 1) }
    const done = await api("POST", "/v1/accounts/login/code", { body })
    expect([done.status, done.body.account.id]).toEqual([200, account.id])
    const own = done.headers.get("set-cookie")?.split(";")[0]
    expect((await api("GET", `/v1/workspaces/${acme.id}/members`, { cookie: own })).status).toBe(200)
    expect(problemOf(await api("GET", `/v1/workspaces/${acme.id}/members`, account))).toEqual([403, "sso_required"])
  })

  test("is refused for an address that is not verified, of another domain, or missing, and links nothing", async () => {
    const { acme, domain, connection } = await connected()
    const victim = await signup(server.url)
    const persons = [
      personOf(domain, { email_verified: false }),
      personOf(newDomain()),
      personOf(domain, { email: victim.email }),
      personOf(domain, { email: `ada@sub.${domain}` }),
      { sub: randomUUID() },
    ]
    for (const person of persons) {
      const { location, session } = await signInBy(connection, person)
      expect([location, session]).toEqual([`${HOME}?signIn=unverified`, ""])
    }
    expect(await rows.run("select 1 from account_identities where account_id = $1", [victim.id])).toHaveLength(0)
    expect((await standingOf(acme)).lastError).toBe(
      "The issuer named somebody without a verified address of a proved domain.",
    )
    expect(await membersOf(acme)).toHaveLength(1)
  })

  test("that another site began sets a session once the person has seen whose account it is, and pressed", async () => {
    const { domain, connection } = await connected()
    const mallory = personOf(domain, { name: "Mallory" })
    const page = `${server.url}/sign-in`
    const press = (headers: Readonly<Record<string, string>>) =>
      fetch(page, { method: "POST", body: new URLSearchParams(), headers })
    for (const site of [
      { "sec-fetch-site": "cross-site", referer: "https://evil.example/" },
      { "sec-fetch-site": "none" },
      {},
    ]) {
      idp.signInAs(mallory)
      const { location, trip } = await begin(connection.id, false, site)
      const back = await get(await idp.walk(location, callback()), trip)
      expect([back.headers.get("location"), cookieNamed(back, "gc_session")]).toEqual(["/sign-in", ""])
      const cookie = cookieNamed(back, "gc_unasked")
      const shown = await (await get(page, cookie)).text()
      for (const part of ["<strong>Acme</strong>", "Acme login", "Mallory", mallory.email])
        expect(shown).toContain(part)
      const forced = await press({ cookie, origin: "https://evil.example", "sec-fetch-site": "cross-site" })
      expect([forced.status, cookieNamed(forced, "gc_session")]).toEqual([403, ""])
      expect([(await get(page)).status, (await press({})).status, (await get(page, "gc_unasked=x")).status]).toEqual([
        400, 400, 400,
      ])
      const done = await press({ cookie, origin: server.url })
      const session = cookieNamed(done, "gc_session")
      expect((await api("GET", "/v1/accounts/me", { cookie: session })).body.account.email).toBe(mallory.email)
    }
    // The application's own page needs no press.
    idp.signInAs(mallory)
    const { location, trip } = await begin(connection.id, false, { "sec-fetch-site": "cross-site", referer: HOME })
    expect((await get(await idp.walk(location, callback()), trip)).headers.get("location")).toBe(HOME)
  })

  test("is refused with another browser's answer, without a cookie, with a used code, and after a removal", async () => {
    const { acme, domain, connection, path } = await connected()
    idp.signInAs(personOf(domain))
    const [mine, theirs] = [await begin(connection.id), await begin(connection.id)]
    const back = await idp.walk(mine.location, callback())
    const placeOf = async (answer: Promise<Response>) => (await answer).headers.get("location")
    expect(await placeOf(get(back))).toBe(`${HOME}?signIn=refused`)
    expect(await placeOf(get(`${connection.redirectUri}?error=access_denied`, mine.trip))).toBe(
      `${HOME}?signIn=refused`,
    )
    expect(await placeOf(get(back, theirs.trip))).toBe(`${HOME}?signIn=unreachable`)
    expect(await placeOf(get(back, mine.trip))).toBe(HOME)
    expect(await placeOf(get(back, mine.trip))).toBe(`${HOME}?signIn=unreachable`)
    const late = await begin(connection.id)
    const lateBack = await idp.walk(late.location, callback())
    expect((await api("DELETE", path, { cookie: acme.owner.cookie })).status).toBe(204)
    expect(await placeOf(get(lateBack, late.trip))).toBe(`${HOME}?signIn=refused`)
    expect((await begin(connection.id)).answer.status).toBe(404)
    expect((await begin(randomUUID())).answer.status).toBe(404)
    expect((await begin("none")).answer.status).toBe(404)
  })

  test("is refused to somebody who was linked by another connection, whatever address the same issuer names now", async () => {
    const [one, other] = [await connected(), await connected()]
    const person = personOf(one.domain)
    expect((await signInBy(one.connection, person)).location).toBe(HOME)
    const taken = await signInBy(other.connection, { ...personOf(other.domain), sub: person.sub })
    expect(taken).toEqual({ location: `${HOME}?signIn=unverified`, session: "" })
    expect(await membersOf(other.acme)).toHaveLength(1)
  })

  test("gives no issuer the code of another one that it sent the browser on to", async () => {
    const { url: issuer, received } = await startReceiver((response, { headers }) => {
      const own = `http://${headers.host}`
      const at = { authorization_endpoint: `${own}/auth`, token_endpoint: `${own}/token`, jwks_uri: `${own}/keys` }
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ issuer: own, ...at }))
    })
    const codes = () => received.filter(({ path }) => path === "/token")
    const [honest, mallorys] = [await connected(), await connected({ issuer })]
    // Mallory's own browser begins at the honest issuer, and the victim's at Mallory's, which sends it on with the values of the first.
    const [own, victims] = [await begin(honest.connection.id), await begin(mallorys.connection.id)]
    const asked = new URL(own.location)
    asked.searchParams.set("state", new URL(victims.location).searchParams.get("state") ?? "")
    idp.signInAs(personOf(honest.domain))
    const back = new URL(await idp.walk(asked.href, callback()))
    // Not every provider names itself.
    back.searchParams.delete("iss")
    const answer = await get(back.href, victims.trip)
    expect([answer.headers.get("location"), codes()]).toEqual([`${HOME}?signIn=refused`, []])
    // At the address of Mallory's connection the honest issuer leaves nobody.
    asked.searchParams.set("redirect_uri", mallorys.connection.redirectUri)
    await expect(idp.walk(asked.href, callback())).rejects.toThrow("redirect_uri")
  })

  test("is refused by an issuer whose metadata name another one", async () => {
    const metadata = await (await fetch(`${idp.issuer}/.well-known/openid-configuration`)).text()
    const forged = await startReceiver((response) => {
      response.setHeader("content-type", "application/json")
      response.end(metadata)
    })
    const issuer = `${forged.url}/.well-known/openid-configuration`
    const { acme, connection } = await connected()
    const input = inputFor(newDomain(), { issuer })
    const refused = await api("POST", connectionsOf(acme), { cookie: acme.owner.cookie, body: input })
    expect([...problemOf(refused), refused.body.detail]).toEqual([
      400,
      "bad_request",
      expect.stringMatching(/^issuer: /),
    ])
    // A row that was stored before the check of the field.
    await rows.run("update connections set issuer = $1 where id = $2", [issuer, connection.id])
    expect((await begin(connection.id)).location).toBe(`${HOME}?signIn=unreachable`)
    expect((await standingOf(acme)).lastError).toContain("names another issuer")
  })

  test("is as fresh as the provider says, and asks the person again where that is wanted", async () => {
    const { acme, domain, connection } = await connected()
    const grace = personOf(domain)
    /** `maxAge`: what reaches the provider, whatever was asked; null: nothing does. */
    const enter = async (signedInAt: number | undefined, fresh: boolean, maxAge?: string | null) => {
      idp.signInAs(signedInAt === undefined ? grace : { ...grace, signedInAt })
      const { location, trip } = await begin(connection.id, fresh)
      const asked = new URL(location)
      expect(asked.searchParams.get("max_age")).toBe(fresh ? "60" : "31536000")
      if (maxAge === null) asked.searchParams.delete("max_age")
      else if (maxAge !== undefined) asked.searchParams.set("max_age", maxAge)
      const answer = await get(await idp.walk(asked.href, callback()), trip)
      const cookie = cookieNamed(answer, "gc_session")
      if (cookie === "") return answer.headers.get("location")
      return (await api("GET", "/v1/accounts/proof", { cookie })).body.fresh
    }
    const hoursAgo = Math.floor(Date.now() / 1000) - 2 * 3600
    expect(await enter(undefined, false)).toBe(true)
    expect(await enter(hoursAgo, false)).toBe(false)
    expect(await enter(undefined, false, null)).toBe(false)
    expect(await enter(undefined, true)).toBe(true)
    const lastError = async () => (await standingOf(acme)).lastError
    for (const refused of [await enter(undefined, true, null), await enter(hoursAgo, true, "86400")]) {
      expect(refused).toBe(`${HOME}?signIn=unreachable`)
      expect(await lastError()).toBe("The provider did not say that the person has just signed in there (auth_time).")
    }
  })

  test("at an issuer that is away is a sentence to the member, and a reason to the owners", async () => {
    const away = `http://127.0.0.1:${await freePort()}`
    const { acme, connection, path } = await connected({ issuer: away })
    const { answer, location } = await begin(connection.id)
    expect([answer.status, location]).toEqual([302, `${HOME}?signIn=unreachable`])
    expect(await standingOf(acme)).toMatchObject({
      lastError: "The issuer is not reachable (connect).",
      lastFailureAt: expect.any(String),
    })
    const failed = (await auditOf(acme)).filter(({ action }) => action === "connection.failed")
    expect(failed).toMatchObject([{ targetId: connection.id, actor: { id: acme.owner.id } }])
    const checked = await api("POST", `${path}/check`, { cookie: acme.owner.cookie })
    expect(checked.body.lastError).toBe("The issuer is not reachable (connect).")
    for (let again = 0; again < 6; again++) await begin(connection.id)
    expect((await auditOf(acme)).filter(({ action }) => action === "connection.failed")).toHaveLength(5)
  })

  test("with a wrong client secret says so to the owners alone", async () => {
    const { acme, domain, connection } = await connected({ clientSecret: "another secret" })
    expect((await signInBy(connection, personOf(domain))).location).toBe(`${HOME}?signIn=unreachable`)
    expect((await standingOf(acme)).lastError).toBe("The issuer refused the request (invalid_client).")
  })
})

describe("a workspace whose members have to sign in by its connection", () => {
  test("keeps other sign-ins of members out, not those of owners, nor keys", async () => {
    const { acme, domain, connection, path } = await connected()
    const { cookie } = acme.owner
    const workspace = `/v1/workspaces/${acme.id}`
    const bob = await addMember(server.url, rows, acme.id, "admin")
    const bearer = (await api("POST", `${workspace}/session`, { cookie: bob.cookie })).body.sessionToken
    const event = await createEvent(server.url, acme.key, { visibility: "private", phases: [{ modality: "meeting" }] })
    await api("POST", `/v1/events/${event.id}/publish`, { key: acme.key })
    const token = () => api("POST", "/v1/auth/gateway-token", { bearer, body: { eventId: event.id } })
    expect((await token()).status).toBe(200)
    const changed = await api("PATCH", workspace, { cookie, body: { sso: "required" } })
    expect([changed.status, changed.body.sso]).toEqual([200, "required"])
    for (const answer of [
      await api("GET", `${workspace}/members`, { cookie: bob.cookie }),
      await api("POST", `${workspace}/session`, { cookie: bob.cookie }),
      await api("GET", "/v1/events", { bearer }),
    ]) {
      expect(problemOf(answer)).toEqual([403, "sso_required"])
    }
    expect(problemOf(await token())).toEqual([404, "not_found"])
    const again = await api("POST", "/v1/accounts/login", { body: { email: acme.owner.email, password: PASSWORD } })
    const owner = again.headers.get("set-cookie")?.split(";")[0]
    expect((await api("GET", `${workspace}/members`, { cookie: owner })).status).toBe(200)
    expect((await api("GET", "/v1/events", { key: acme.key })).status).toBe(200)
    const grace = await signInBy(connection, personOf(domain))
    expect((await api("GET", `${workspace}/members`, { cookie: grace.session })).status).toBe(200)
    expect(problemOf(await api("DELETE", path, { cookie }))).toEqual([409, "conflict"])
    expect((await api("PATCH", workspace, { cookie, body: { sso: "optional" } })).body.sso).toBe("optional")
    expect((await api("GET", `${workspace}/members`, { cookie: bob.cookie })).status).toBe(200)
    expect((await api("DELETE", path, { cookie })).status).toBe(204)
  })

  test("is one with a connection, and its owners decide", async () => {
    const acme = await createWorkspace(server.url)
    const demand = (cookie: string) => api("PATCH", `/v1/workspaces/${acme.id}`, { cookie, body: { sso: "required" } })
    expect(problemOf(await demand(acme.owner.cookie))).toEqual([409, "conflict"])
    const admin = await addMember(server.url, rows, acme.id, "admin")
    expect(problemOf(await demand(admin.cookie))).toEqual([403, "forbidden"])
  })

  test("is not entered by the connection of another one", async () => {
    const [mine, theirs] = [await connected(), await connected()]
    const { session } = await signInBy(theirs.connection, personOf(theirs.domain))
    await join(mine.acme, { cookie: session }, "admin")
    const members = () => api("GET", `/v1/workspaces/${mine.acme.id}/members`, { cookie: session })
    expect((await members()).status).toBe(200)
    await api("PATCH", `/v1/workspaces/${mine.acme.id}`, { cookie: mine.acme.owner.cookie, body: { sso: "required" } })
    expect(problemOf(await members())).toEqual([403, "sso_required"])
  })
})
