/** Every way a partner's token or key set can be wrong: one refusal for the guest, the reason for the integration's owner. */
import { generateKeyPairSync } from "node:crypto"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { call, createWorkspace } from "../support/api.ts"
import { type Answer, startReceiver, status } from "../support/http-receiver.ts"
import {
  type Claims,
  guestClaims,
  ISSUER,
  inSeconds,
  newPartnerKey,
  publishes,
  signText,
  signToken,
} from "../support/partner.ts"
import { openPartnerHouse, type PartnerHouse, REFUSED, summary } from "../support/partner-house.ts"

const key = newPartnerKey("k1")
const other = newPartnerKey("k2")

const without = (name: string): Claims =>
  Object.fromEntries(Object.entries(guestClaims()).filter(([claim]) => claim !== name))

let house: PartnerHouse
beforeAll(async () => {
  house = await openPartnerHouse(key)
})
afterAll(() => house.stop())

describe("a wrong token", () => {
  const hmac = new TextEncoder().encode(key.pem)
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
  const unsigned = () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    return `${part({ alg: "none" })}.${part(guestClaims())}.`
  }
  const RS256 = JSON.stringify({ alg: "RS256" })
  const nested = `{"iss":"${ISSUER}","sub":"x","exp":${inSeconds(600)},"deep":${"[".repeat(5000)}${"]".repeat(5000)}}`
  /** A header is covered by the signature, so that one that says too much must be signed too. */
  const withHeader = (header: object) => signToken(key.privateKey, guestClaims(), header)
  const signed = (payload: Claims) => signToken(key.privateKey, payload)
  const WRONG: ReadonlyArray<[string, () => string | Promise<string>, string | null]> = [
    ["without a signature", unsigned, "algorithm"],
    ["signed HS256 with the public key as secret", () => signToken(hmac, guestClaims(), { alg: "HS256" }), "algorithm"],
    ["signed RS384", () => signToken(key.privateKey, guestClaims(), { alg: "RS384" }), "algorithm"],
    ["signed PS256", () => signToken(key.privateKey, guestClaims(), { alg: "PS256" }), "algorithm"],
    ["signed ES256", () => signToken(ec, guestClaims(), { alg: "ES256" }), "algorithm"],
    ["signed by another key", () => signToken(other.privateKey, guestClaims()), "signature"],
    [
      "that brings its key along",
      () => signToken(other.privateKey, guestClaims(), { jwk: other.jwk as never }),
      "signature",
    ],
    [
      "with a changed payload",
      async () => (await signed(guestClaims())).replace(/\.[^.]+\./, `.${tampered()}.`),
      "signature",
    ],
    ["with a cut signature", async () => (await signed(guestClaims())).slice(0, -20), "signature"],
    ["with a critical header that nobody knows", () => withCritical(), "malformed"],
    ["with a kid that is no text", () => withHeader({ kid: 7 as never }), "malformed"],
    ["without an end", () => signed(without("exp")), "claims"],
    ["whose end is no number", () => signed(guestClaims({ exp: "tomorrow" })), "claims"],
    ["whose end is no possible date", () => signed(guestClaims({ exp: 1e300 })), "claims"],
    ["whose end is after the year 9999", () => signed(guestClaims({ exp: 253_402_300_800 })), "claims"],
    ["whose start is before all dates", () => signed(guestClaims({ nbf: -1e300 })), "claims"],
    ["that was issued after all dates", () => signed(guestClaims({ iat: 1e300 })), "claims"],
    ["without a subject", () => signed(without("sub")), "claims"],
    ["whose subject is empty", () => signed(guestClaims({ sub: "" })), "claims"],
    ["whose subject is no text", () => signed(guestClaims({ sub: 7 })), "claims"],
    ["whose name is no text", () => signed(guestClaims({ name: { first: "Grace" } })), "claims"],
    ["whose address hides a character", () => signed(guestClaims({ email: "grace\u200b@example.com" })), "claims"],
    ["whose address is no text", () => signed(guestClaims({ email: ["grace@example.com"] })), "claims"],
    ["whose time has not come", () => signed(guestClaims({ nbf: inSeconds(300) })), "not_yet_valid"],
    ["whose start is no time", () => signed(guestClaims({ nbf: "now" })), "claims"],
    ["whose time is over", () => signed(guestClaims({ exp: inSeconds(-300) })), "expired"],
    ["of an issuer that nobody registered", () => signed(guestClaims({ iss: "https://other.example" })), null],
    ["of an issuer with a slash more", () => signed(guestClaims({ iss: `${ISSUER}/` })), null],
    ["without an issuer", () => signed(without("iss")), null],
    ["of two issuers", () => signed(guestClaims({ iss: [ISSUER, "x"] })), null],
    ["whose issuer no text can hold", () => signed(guestClaims({ iss: "a\u0000b" })), null],
    ["whose subject no text can hold", () => signed(guestClaims({ sub: "a\u0000b" })), null],
    ["with half a character", () => signed(guestClaims({ name: "\ud800" })), null],
    ["nested too deep", () => signText(key.privateKey, RS256, nested), null],
    ["of more than 16 KiB", () => signed(guestClaims({ padding: "x".repeat(16 * 1024) })), null],
    ["that is none", () => "nonsense", null],
    ["of empty parts", () => "..", null],
    ["of five parts", () => "a.b.c.d.e", null],
    ["of parts that are no JSON", () => "YQ.YQ.YQ", null],
    ["of parts that are no objects", () => `${Buffer.from("null").toString("base64url")}.bnVsbA.YQ`, null],
    ["of odd characters", () => "😀.\u202e.é", null],
  ]
  const tampered = () => Buffer.from(JSON.stringify(guestClaims({ sub: "admin" }))).toString("base64url")
  const withCritical = async () => {
    const token = await signed(guestClaims())
    const header = Buffer.from(JSON.stringify({ alg: "RS256", crit: ["x"], x: 1 })).toString("base64url")
    return token.replace(/^[^.]+/, header)
  }

  /** A workspace that takes tokens of the key, an event of it, and what became of the newest token there. */
  const openIssuer = async () => {
    const workspace = await createWorkspace(house.url)
    const id = await house.register(workspace, { publicKeyPem: key.pem })
    const eventId = await house.publish({}, workspace)
    const read = async (list: string) =>
      (await call(house.url, "GET", `/v1/workspaces/${workspace.id}/guest-${list}`, { key: workspace.key })).body
    return {
      id,
      exchange: (token: string) => house.exchange(eventId, token),
      refusals: async () => (await read("refusals")).refusals,
      lastError: async () => (await read("integrations")).integrations[0].lastError,
      forget: async () => {
        await house.sql`delete from guest_refusals where workspace_id = ${workspace.id}`
        await house.sql`update guest_integrations set last_error = null where id = ${id}`
      },
    }
  }

  test("is refused like any other, and its workspace is told the reason", async () => {
    const { id, exchange, refusals, lastError, forget } = await openIssuer()
    for (const [what, make, error] of WRONG) {
      await forget()
      expect(summary(await exchange(await make())), what).toEqual(REFUSED)
      expect(await house.standing(id), what).toEqual({ error, verifiedAt: null })
      expect(await lastError(), what).toBe(error)
      const told = await refusals()
      expect(told, what).toEqual([
        {
          integrationId: error === null ? null : id,
          reason: error ?? expect.stringMatching(/^(malformed|unknown_issuer)$/),
          detail: expect.stringMatching(/\.$/),
          refusedAt: expect.any(String),
        },
      ])
      expect(told[0].detail, what).not.toMatch(/grace|undefined/)
    }
  })

  test("is told to the workspace with what is wrong about it", async () => {
    const { exchange, refusals, forget } = await openIssuer()
    const signedWith = (kid: string) => signToken(other.privateKey, guestClaims(), { kid })
    const elsewhere = "https://other.example"
    const noText = '{"alg":"RS256","kid":{"toString":null}}'
    for (const [token, reason, detail] of [
      [
        await signToken(key.privateKey, guestClaims(), { alg: "RS512" }),
        "algorithm",
        `The token's alg is "RS512", and`,
      ],
      [await signed(guestClaims({ name: 7 })), "claims", `The claim "name" is missing or`],
      [await signed(without("exp")), "claims", `The claim "exp" is missing or`],
      [await signedWith("a\u0000b"), "signature", `"a\\u0000b"`],
      [await signed(guestClaims({ iss: elsewhere })), "unknown_issuer", `for the issuer "${elsewhere}".`],
      [
        signText(key.privateKey, noText, JSON.stringify(guestClaims())),
        "malformed",
        "its header has fields that are not taken",
      ],
    ] as const) {
      await forget()
      await exchange(token)
      expect(await refusals()).toEqual([expect.objectContaining({ reason, detail: expect.stringContaining(detail) })])
    }
  })

  test("of any other content is never a fault of ours", async () => {
    const eventId = await house.publish()
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(ISSUER, "sub", inSeconds(600), 1e308, -1, "\u0000", "\ud800"),
    )
    const payload = fc.record(
      {
        iss: fc.oneof(fc.constant(ISSUER), value),
        sub: value,
        exp: value,
        nbf: value,
        name: value,
        email: value,
        aud: value,
      },
      { requiredKeys: ["iss"] },
    )
    const header = fc.record(
      { kid: value, typ: value, crit: value, b64: value, jwk: value, jku: value },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(header, payload, async (head, body) => {
        const token = signText(key.privateKey, JSON.stringify({ ...head, alg: "RS256" }), JSON.stringify(body))
        const answer = await house.exchange(eventId, token)
        expect([200, 401, 409], `${token} -> ${JSON.stringify(answer.body)}`).toContain(answer.status)
      }),
      { numRuns: 50 },
    )
  })
})

describe("an issuer with a key set", () => {
  /** A workspace whose issuer publishes the given keys, and an event of it. */
  const partner = async (answer: Answer) => {
    const workspace = await createWorkspace(house.url)
    const receiver = await startReceiver(answer)
    const id = await house.register(workspace, { jwksUrl: `${receiver.url}/jwks.json` })
    const eventId = await house.publish({}, workspace)
    const attempt = async (pair = key, header: object = { kid: pair.jwk["kid"] }) =>
      house.exchange(eventId, await signToken(pair.privateKey, guestClaims(), header))
    return { workspace, receiver, id, eventId, attempt }
  }

  test("is asked once for many guests", async () => {
    const { attempt, receiver } = await partner(publishes(other.jwk, key.jwk))
    const answers = await Promise.all(Array.from({ length: 10 }, () => attempt()))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
    expect(receiver.received.map(({ path }) => path)).toEqual(["/jwks.json"])
    expect(receiver.received[0]?.headers["cookie"]).toBeUndefined()
  })

  test("without the key of the token makes it one that is refused", async () => {
    const ROWS: ReadonlyArray<[string, Answer, object, string]> = [
      ["no key of that kid", publishes(key.jwk), { kid: "k9" }, "unknown_key"],
      ["another key under that kid", publishes({ ...other.jwk, kid: "k1" }), { kid: "k1" }, "signature"],
    ]
    for (const [what, answer, header, error] of ROWS) {
      const { attempt, id } = await partner(answer)
      expect(summary(await attempt(key, header)), what).toEqual(REFUSED)
      expect((await house.standing(id)).error, what).toBe(error)
    }
  })

  test("that fails and was never reached is unavailable, and asked again later", async () => {
    const ROWS: ReadonlyArray<[string, Answer, string]> = [
      ["fails", status(500), "jwks_unreachable"],
      ["sends no JSON", (response) => void response.writeHead(200).end("<html>"), "jwks_invalid"],
    ]
    for (const [what, answer, error] of ROWS) {
      const { attempt, id, receiver } = await partner(answer)
      for (let nth = 0; nth < 2; nth++) {
        const refused = await attempt()
        expect([refused.status, refused.body.code], what).toEqual([503, "unavailable"])
        expect(Number(refused.headers.get("retry-after")), what).toBeGreaterThan(0)
      }
      expect((await house.standing(id)).error, what).toBe(error)
      expect(receiver.received, what).toHaveLength(1)
    }
  })

  test("is not fetched for a token with another algorithm", async () => {
    const { attempt, receiver } = await partner(publishes(key.jwk))
    expect(summary(await attempt(key, { alg: "RS512", kid: "k1" }))).toEqual(REFUSED)
    expect(receiver.received).toHaveLength(0)
  })

  test("that is revoked while it is being asked admits nobody any more", async () => {
    let answer = () => {}
    const { attempt, receiver, workspace, id } = await partner((...[response, request, nth]) => {
      answer = () => publishes(key.jwk)(response, request, nth)
    })
    const pending = attempt()
    await receiver.count(1)
    const path = `/v1/workspaces/${workspace.id}/guest-integrations/${id}`
    expect((await call(house.url, "DELETE", path, { key: workspace.key })).status).toBe(204)
    answer()
    expect(summary(await pending)).toEqual(REFUSED)
    const refusals = `/v1/workspaces/${workspace.id}/guest-refusals`
    expect((await call(house.url, "GET", refusals, { key: workspace.key })).body.refusals).toEqual([
      expect.objectContaining({ integrationId: null, reason: "unknown_issuer" }),
    ])
  })
})
