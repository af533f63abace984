/** The end of an API key, and of what was made with it. */
import { describe, expect, test } from "vitest"
import { type Account, type CallOptions, createLiveEvent, createWorkspace, signup, tokenIn } from "../support/api.ts"
import { newPartnerKey } from "../support/partner.ts"
import { apiOf, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const api = apiOf(server)
const at = (rest: string, workspace = acme) => `/v1/workspaces/${workspace.id}/${rest}`
const asOwner = () => ({ cookie: acme.owner.cookie })
const newKey = async (options: CallOptions = asOwner(), name = "leaked") => {
  const { body } = await api("POST", "/v1/api-keys", { ...options, body: { name } })
  return { id: body.id as string, key: body.secret as string }
}
const leaked = () => newKey({ key: acme.key })
const invite = async (key: string, body: object) => {
  const made = await api("POST", at("invites"), { key, body })
  return { id: made.body.id as string, token: tokenIn(made.body.inviteUrl) }
}
const accept = ({ token }: { readonly token: string | undefined }, { cookie }: Account) =>
  api("POST", `/v1/invites/${token}/accept`, { cookie })
const statusOf = async ({ token }: { readonly token: string | undefined }) =>
  (await api("GET", `/v1/invites/${token}`)).body.status
const end = (id: string, query = "", options: CallOptions = asOwner()) =>
  api("DELETE", at(`api-keys/${id}${query}`), options)
const shownKey = (id: string, key: string, name: string) => ({
  id,
  name,
  prefix: key.slice(0, 8),
  last4: key.slice(-4),
})
const isMember = async ({ cookie }: Account): Promise<boolean> =>
  (await api("GET", "/v1/accounts/me", { cookie })).body.workspaces.some(({ id }: { id: string }) => id === acme.id)

describe("revoking an API key", () => {
  test("revokes its open invites and leaves those of others, its webhooks, and people who came by it", async () => {
    const { id, key } = await leaked()
    const [open, used, others] = [
      await invite(key, { role: "admin" }),
      await invite(key, { role: "member" }),
      await invite(acme.key, { role: "member" }),
    ]
    const came = await signup(server.url)
    expect((await accept(used, came)).status).toBe(200)
    const hook = { url: "https://hooks.example/a", events: ["event.started"] }
    const { body: webhook } = await api("POST", "/v1/webhooks", { key, body: hook })
    expect(await end(id)).toMatchObject({ status: 204, body: "" })
    expect(await Promise.all([open, used, others].map(statusOf))).toEqual(["revoked", "accepted", "pending"])
    expect((await accept(open, await signup(server.url))).status).toBe(409)
    expect(await isMember(came)).toBe(true)
    const { webhooks } = (await api("GET", "/v1/webhooks", { key: acme.key })).body
    expect(webhooks.map((one: { id: string }) => one.id)).toContain(webhook.id)
  })

  test("ends the invites of a key that has expired, too", async () => {
    const { id, key } = await leaked()
    const open = await invite(key, { role: "admin" })
    await rows.run("update api_keys set expires_at = now() - interval '1 minute' where id = $1", [id])
    expect(await statusOf(open)).toBe("expired")
    expect((await accept(open, await signup(server.url))).status).toBe(409)
  })

  test("lets no invite of the key be accepted after its answer, however close they are", async () => {
    for (let round = 0; round < 10; round++) {
      const { id, key } = await leaked()
      const open = await invite(key, { role: "admin" })
      const stranger = await signup(server.url)
      const ending = end(id)
      const [late] = await Promise.all([ending.then(() => accept(open, stranger)), accept(open, stranger)])
      expect(late.status).toBe(409)
    }
  })
})

describe("revoking an API key with all that was made with it", () => {
  test("ends keys, invites, members, roles, webhooks and integrations, and lists them", async () => {
    const { id, key } = await leaked()
    const event = await createLiveEvent(server.url, acme.key)
    const below = await newKey({ key }, "below")
    const open = await invite(below.key, { role: "admin" })
    const [admin, guest] = [await signup(server.url), await signup(server.url)]
    expect((await accept(await invite(key, { role: "admin" }), admin)).status).toBe(200)
    const toEvent = { kind: "event", eventId: event.id, role: "speaker" }
    expect((await accept(await invite(key, toEvent), guest)).status).toBe(200)
    const hook = { url: "https://hooks.example/b", events: ["event.started"] }
    const { body: webhook } = await api("POST", "/v1/webhooks", { key, body: hook })
    const { body: others } = await api("POST", "/v1/webhooks", { key: acme.key, body: hook })
    const trust = { issuer: "https://partner.example", publicKeyPem: newPartnerKey().pem }
    const { body: integration } = await api("POST", at("guest-integrations"), { key, body: trust })
    const { body: recording } = await api("POST", `/v1/events/${event.id}/recordings`, { key, body: {} })
    const members = (await api("GET", at("members"), asOwner())).body.members
    const { id: memberId } = members.find(({ accountId }: { accountId: string }) => accountId === admin.id)
    const made = (await api("GET", `/v1/events/${event.id}/memberships`, { key: acme.key })).body.memberships[0]

    const answer = await end(id, "?cascade=true")
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({
      apiKeys: [shownKey(id, key, "leaked"), shownKey(below.id, below.key, "below")],
      invites: [{ id: open.id, email: null, role: "admin" }],
      members: [{ id: memberId, name: "Ada", email: admin.email }],
      memberships: [{ id: made.id, eventId: event.id, userId: made.userId, name: "Ada" }],
      webhooks: [{ id: webhook.id, url: hook.url }],
      integrations: [{ id: integration.id, issuer: trust.issuer }],
      links: [{ id: expect.any(String), kind: "upload", eventId: event.id }],
    })
    expect((await api("GET", "/v1/events", { key: below.key })).status).toBe(401)
    expect([await isMember(admin), await isMember(acme.owner)]).toEqual([false, true])
    expect(await statusOf(open)).toBe("revoked")
    const left = (await api("GET", "/v1/webhooks", { key: acme.key })).body.webhooks
    const stateOf = (wanted: string) => left.find((one: { id: string }) => one.id === wanted).status
    expect([stateOf(webhook.id), stateOf(others.id)]).toEqual(["disabled", "active"])
    const trusted = (await api("GET", at("guest-integrations"), { key: acme.key })).body.integrations
    expect(trusted.map((one: { id: string }) => one.id)).not.toContain(integration.id)
    const roles = await api("GET", `/v1/events/${event.id}/memberships`, { key: acme.key })
    expect(roles.body.memberships).toEqual([])
    const bytes = { method: "PUT", body: Buffer.alloc(100) }
    await expect.poll(async () => (await fetch(recording.uploadUrl, bytes)).status).toBe(401)
    const { entries } = (await api("GET", at("audit"), asOwner())).body
    const actions = entries.slice(0, 7).map(({ action }: { action: string }) => action)
    expect(actions.toSorted()).toEqual([
      "api_key.deleted",
      "api_key.deleted",
      "guest_integration.revoked",
      "invite.revoked",
      "member.removed",
      "membership.deleted",
      "webhook.changed",
    ])
  })

  test("ends what was made with a key below, also one that was revoked alone before", async () => {
    const { id, key } = await leaked()
    const below = await newKey({ key }, "below")
    const last = await newKey({ key: below.key }, "last")
    const came = await signup(server.url)
    expect((await accept(await invite(below.key, { role: "admin" }), came)).status).toBe(200)
    const { body: webhook } = await api("POST", "/v1/webhooks", {
      key: below.key,
      body: { url: "https://hooks.example/c" },
    })
    expect((await end(below.id)).status).toBe(204)
    const { body } = await end(id, "?cascade=true")
    expect(body.apiKeys).toEqual([shownKey(id, key, "leaked"), shownKey(last.id, last.key, "last")])
    expect(body.webhooks).toEqual([{ id: webhook.id, url: "https://hooks.example/c" }])
    expect(await isMember(came)).toBe(false)
  })

  test("ends a webhook that the key turned to another address, and not one that a member turned after it", async () => {
    const { id, key } = await leaked()
    const made = async () =>
      (await api("POST", "/v1/webhooks", { key: acme.key, body: { url: "https://hooks.example/own" } })).body.id
    const [stolen, saved, kept] = [await made(), await made(), await made()]
    const change = (webhookId: string, who: CallOptions, body: object) =>
      api("PATCH", `/v1/webhooks/${webhookId}`, { ...who, body })
    const thiefs = { url: "https://hooks.example/thief" }
    for (const webhookId of [stolen, saved]) expect((await change(webhookId, { key }, thiefs)).status).toBe(200)
    const asMember = { cookie: acme.owner.cookie, headers: { "x-workspace-id": acme.id } }
    expect((await change(saved, asMember, { url: "https://hooks.example/own" })).status).toBe(200)
    expect((await change(kept, { key }, { eventTypes: ["event.ended"] })).status).toBe(200)
    expect((await end(id, "?cascade=true")).body.webhooks).toEqual([{ id: stolen, url: thiefs.url }])
  })

  test("keeps owners and whoever asks, and a member whom somebody else invited", async () => {
    const { id, key } = await leaked()
    const [asking, owner] = [await signup(server.url), await signup(server.url)]
    expect((await accept(await invite(key, { role: "admin" }), asking)).status).toBe(200)
    expect((await accept(await invite(key, { role: "admin" }), owner)).status).toBe(200)
    await rows.run("update workspace_members set role = 'owner' where account_id = $1 and workspace_id = $2", [
      owner.id,
      acme.id,
    ])
    const answer = await end(id, "?cascade=true", { cookie: asking.cookie })
    expect([answer.status, answer.body.members]).toEqual([200, []])
    expect([await isMember(asking), await isMember(owner)]).toEqual([true, true])
  })

  test("is of keys of the own workspace", async () => {
    const { id, key } = await leaked()
    const other = await createWorkspace(server.url)
    const elsewhere = `/v1/workspaces/${other.id}/api-keys/${id}?cascade=true`
    expect((await api("DELETE", elsewhere, { cookie: other.owner.cookie })).status).toBe(404)
    expect((await api("GET", "/v1/events", { key })).status).toBe(200)
  })

  test("ends what a key makes at the same moment, or refuses it", async () => {
    for (let round = 0; round < 10; round++) {
      const { id, key } = await leaked()
      const making = Promise.all(
        Array.from({ length: 4 }, () => api("POST", at("invites"), { key, body: { role: "admin" } })),
      )
      expect((await end(id, "?cascade=true")).status).toBe(200)
      for (const { status, body } of await making) {
        expect([201, 401]).toContain(status)
        if (status !== 201) continue
        const token = tokenIn(body.inviteUrl)
        expect((await api("GET", `/v1/invites/${token}`)).body.status).toBe("revoked")
      }
    }
  })
})
