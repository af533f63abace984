import { generateKeyPairSync, randomUUID } from "node:crypto"
import { describe, expect, onTestFinished, test } from "vitest"
import { type CallOptions, call, createEvent, createWorkspace, type Workspace } from "../support/api.ts"
import { startReceiver } from "../support/http-receiver.ts"
import { guestClaims, ISSUER, newPartnerKey, publishes, signToken } from "../support/partner.ts"
import { rowsOf } from "../support/rows.ts"
import { ownServer, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)

const pemOf = (modulusLength: number) =>
  generateKeyPairSync("rsa", { modulusLength }).publicKey.export({ type: "spki", format: "pem" }).toString()
const PEM = pemOf(2048)
const JWKS = "https://partner.example/jwks.json"

const newIssuer = () => `https://partner.example/${randomUUID()}`
const pathOf = (workspace: Workspace, id?: string) =>
  `/v1/workspaces/${workspace.id}/guest-integrations${id === undefined ? "" : `/${id}`}`
const create = (body: unknown, workspace = acme, options: CallOptions = { key: workspace.key }) =>
  call(server.url, "POST", pathOf(workspace), { ...options, body })
const list = (workspace = acme) => call(server.url, "GET", pathOf(workspace), { key: workspace.key })
const revoke = (id: string, workspace = acme) =>
  call(server.url, "DELETE", pathOf(workspace, id), { key: workspace.key })

describe("registering an issuer", () => {
  test("with the address of its key set answers with the whole resource", async () => {
    const issuer = newIssuer()
    const answer = await create({ issuer, jwksUrl: JWKS, status: "revoked", id: "mine", workspaceId: randomUUID() })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.any(String),
      workspaceId: acme.id,
      issuer,
      jwksUrl: JWKS,
      publicKeyFingerprint: null,
      status: "active",
      createdAt: expect.any(String),
      revokedAt: null,
      lastVerifiedAt: null,
      lastError: null,
    })
    expect(answer.headers.get("location")).toBeNull()
  })

  test("with a key shows the key's fingerprint and not the key, and may be done by the owner's session", async () => {
    const answer = await create({ issuer: newIssuer(), publicKeyPem: PEM }, acme, { cookie: acme.owner.cookie })
    expect(answer.status).toBe(201)
    expect(answer.body.publicKeyFingerprint).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(answer.body.jwksUrl).toBeNull()
    expect(JSON.stringify([answer.body, (await list()).body])).not.toContain("BEGIN")
  })

  test("keeps the issuer verbatim, as long and as odd as it may be", async () => {
    for (const issuer of [
      ` ${newIssuer()} `,
      `${randomUUID()}/${"ü€😀".repeat(500)}`.slice(0, 2048),
      "'; drop table --",
    ]) {
      const answer = await create({ issuer, jwksUrl: JWKS })
      expect([answer.status, answer.body.issuer]).toEqual([201, issuer])
    }
  })

  test("with a wrong issuer or source of keys is refused", async () => {
    const ROWS: ReadonlyArray<[string, unknown]> = [
      ["no key source", { issuer: "https://a" }],
      ["two key sources", { issuer: "https://a", jwksUrl: JWKS, publicKeyPem: PEM }],
      ["an issuer that no text can hold", { issuer: "a\u0000b", jwksUrl: JWKS }],
      ["a key that is none", { issuer: "https://a", publicKeyPem: "nonsense" }],
      ["a key of 1024 bits", { issuer: "https://a", publicKeyPem: pemOf(1024) }],
      [
        "a key of an elliptic curve",
        {
          issuer: "https://a",
          publicKeyPem: generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({
            type: "spki",
            format: "pem",
          }),
        },
      ],
      [
        "a private key",
        {
          issuer: "https://a",
          publicKeyPem: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
            type: "pkcs8",
            format: "pem",
          }),
        },
      ],
      ["an address on plain http", { issuer: "https://a", jwksUrl: "http://partner.example/jwks" }],
      ["a private address", { issuer: "https://a", jwksUrl: "https://10.0.0.1/jwks" }],
      ["a metadata address", { issuer: "https://a", jwksUrl: "https://169.254.169.254/jwks" }],
      ["a private address in IPv6 clothes", { issuer: "https://a", jwksUrl: "https://[::ffff:10.0.0.1]/jwks" }],
      ["an address with a password", { issuer: "https://a", jwksUrl: "https://u:p@partner.example/jwks" }],
      ["an address of another scheme", { issuer: "https://a", jwksUrl: "file:///etc/passwd" }],
      ["an address that is none", { issuer: "https://a", jwksUrl: "not a url" }],
    ]
    for (const [what, body] of ROWS) {
      const answer = await create(body)
      expect([answer.status, answer.body.code], what).toEqual([400, "bad_request"])
    }
  })

  test("may name a key set on loopback in development; where that switch is off it may not, and is not asked there", async () => {
    const body = { issuer: newIssuer(), jwksUrl: "http://127.0.0.1:9/jwks" }
    expect((await create(body)).status).toBe(201)
    const strict = await ownServer({ ALLOW_LOOPBACK_TARGETS: "false" })
    const workspace = await createWorkspace(strict.url)
    for (const jwksUrl of [body.jwksUrl, "https://127.0.0.1/jwks", "https://localhost/jwks"]) {
      const answer = await call(strict.url, "POST", pathOf(workspace), {
        key: workspace.key,
        body: { ...body, jwksUrl },
      })
      expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    }
    const { privateKey, jwk } = newPartnerKey("k1")
    const receiver = await startReceiver(publishes(jwk))
    const rows = rowsOf(strict.databaseUrl)
    onTestFinished(rows.end)
    // As if the rules had been laxer on the day it was registered.
    await rows.run("insert into guest_integrations (id, workspace_id, issuer, jwks_url) values ($1, $2, $3, $4)", [
      randomUUID(),
      workspace.id,
      ISSUER,
      receiver.url,
    ])
    const { id } = await createEvent(strict.url, workspace.key)
    await call(strict.url, "POST", `/v1/events/${id}/publish`, { key: workspace.key })
    const token = await signToken(privateKey, guestClaims())
    const answer = await call(strict.url, "POST", `/v1/events/${id}/guest-session`, { body: { token } })
    expect([answer.status, answer.body.code, receiver.received.length]).toEqual([503, "unavailable", 0])
    expect(await rows.run("select last_error from guest_integrations")).toEqual([{ last_error: "jwks_refused" }])
  })

  test("twice in a workspace is a conflict, also when done at once; another workspace may have it too", async () => {
    const body = { issuer: newIssuer(), jwksUrl: JWKS }
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(body)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe("conflict")
    expect((await create({ ...body, issuer: `${body.issuer}/` })).status).toBe(201)
    expect((await create(body, await createWorkspace(server.url))).status).toBe(201)
  })

  test("the twenty-first active one of a workspace is a conflict, however many are made at once", async () => {
    const workspace = await createWorkspace(server.url)
    const make = () => create({ issuer: newIssuer(), jwksUrl: JWKS }, workspace)
    const made = await Promise.all(Array.from({ length: 24 }, make))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(made.find(({ status }) => status !== 201)?.body.code).toBe("conflict")
    const one = made.find(({ status }) => status === 201)?.body.id
    expect((await revoke(one, workspace)).status).toBe(204)
    expect((await make()).status).toBe(201)
  })
})

describe("revoking one", () => {
  test("takes it off the list, answers 404 the second time, and frees its issuer", async () => {
    const workspace = await createWorkspace(server.url)
    const body = { issuer: newIssuer(), jwksUrl: JWKS }
    const { id } = (await create(body, workspace)).body
    expect((await list(workspace)).body).toMatchObject({ integrations: [{ id, status: "active" }], nextCursor: null })
    expect((await revoke(id, workspace)).status).toBe(204)
    expect((await list(workspace)).body.integrations).toEqual([])
    const again = await revoke(id, workspace)
    expect([again.status, again.body.code]).toEqual([404, "not_found"])
    const anew = await create(body, workspace)
    expect(anew.status).toBe(201)
    expect(anew.body.id).not.toBe(id)
  })

  test("at once succeeds for exactly one", async () => {
    const { id } = (await create({ issuer: newIssuer(), jwksUrl: JWKS })).body
    const answers = await Promise.all(Array.from({ length: 4 }, () => revoke(id)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404])
  })

  test("of another workspace's finds nothing and changes nothing", async () => {
    const other = await createWorkspace(server.url)
    const { id } = (await create({ issuer: newIssuer(), jwksUrl: JWKS }, other)).body
    expect((await revoke(id)).status).toBe(404)
    expect((await list(other)).body.integrations).toHaveLength(1)
  })
})

test("the list is read in pages, newest first", async () => {
  const workspace = await createWorkspace(server.url)
  const ids: string[] = []
  for (let nth = 0; nth < 3; nth++)
    ids.unshift((await create({ issuer: newIssuer(), jwksUrl: JWKS }, workspace)).body.id)
  const first = await call(server.url, "GET", `${pathOf(workspace)}?limit=2`, { key: workspace.key })
  const cursor = encodeURIComponent(first.body.nextCursor)
  const second = await call(server.url, "GET", `${pathOf(workspace)}?limit=2&cursor=${cursor}`, { key: workspace.key })
  const shown = [...first.body.integrations, ...second.body.integrations].map(({ id }: { id: string }) => id)
  expect([shown, second.body.nextCursor]).toEqual([ids, null])
})
