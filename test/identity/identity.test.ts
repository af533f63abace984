/** Tokens, secrets and passwords: what is accepted, for whom and how often. */

import { createSecretKey, randomBytes } from "node:crypto"
import { Effect, Exit, Layer, ManagedRuntime, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { decodeJwt, jwtVerify, SignJWT } from "jose"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { systemTimers } from "../../src/clock/timers.ts"
import { PasswordCallers } from "../../src/identity/accounts/password-callers.ts"
import { Passwords } from "../../src/identity/accounts/passwords.ts"
import { newRecoveryCodes, newTotpSecret, stepOf, totpUri } from "../../src/identity/accounts/totp.ts"
import { type AnonymousAct, AnonymousBudgets } from "../../src/identity/callers/anonymous-budgets.ts"
import { RequestCaller } from "../../src/identity/request-caller.ts"
import { hashSecret, newSecret, sameSecret } from "../../src/identity/secrets.ts"
import { signClaims, verifyClaims } from "../../src/identity/signed-claims.ts"
import { type GatewayGrant, Tokens } from "../../src/identity/tokens.ts"
import { typedCode } from "../../src/model/text/compared.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"

const grant: GatewayGrant = {
  participantId: "p",
  eventId: "e",
  workspaceId: "w",
  kind: "user",
  userId: "p",
  name: "P",
  role: "viewer",
  sessionExpires: 2_000_000_000,
}
const session = { userId: "u", workspaceId: "w", sessionVersion: 0, login: null, keyId: null }
const guest = { participantId: "guest:g", eventId: "e", name: "G" }

const runtime = ManagedRuntime.make(Tokens.layer([Redacted.make("k".repeat(40))]))
const stranger = ManagedRuntime.make(Tokens.layer([Redacted.make("j".repeat(40))]))
let tokens: Tokens["Service"]
beforeAll(async () => {
  tokens = await runtime.runPromise(Tokens)
})
afterAll(async () => {
  await runtime.dispose()
  await stranger.dispose()
})

describe("a token", () => {
  test("is accepted for its purpose and for no other", async () => {
    const workspace = await Effect.runPromise(tokens.issue("workspace", session))
    const gateway = await Effect.runPromise(tokens.issue("gateway", grant))
    expect((await Effect.runPromise(tokens.verify("workspace", workspace.token))).claims).toEqual(session)
    expect((await Effect.runPromise(tokens.verify("gateway", gateway.token))).claims).toEqual(grant)
    await expect(Effect.runPromise(tokens.verify("gateway", workspace.token))).rejects.toMatchObject({
      _tag: "Unauthorized",
    })
    await expect(Effect.runPromise(tokens.verify("workspace", gateway.token))).rejects.toMatchObject({
      _tag: "Unauthorized",
    })
  })

  test("that an older secret signed is accepted, and the newest one signs", async () => {
    const secrets = [Redacted.make("n".repeat(40)), Redacted.make("k".repeat(40))] as const
    const both = Effect.runSync(Effect.provide(Tokens, Tokens.layer(secrets)))
    const before = await Effect.runPromise(tokens.issue("workspace", session))
    expect((await Effect.runPromise(both.verify("workspace", before.token))).claims).toEqual(session)
    const after = await Effect.runPromise(both.issue("workspace", session))
    expect((await Effect.runPromise(both.verify("workspace", after.token))).claims).toEqual(session)
    await expect(Effect.runPromise(tokens.verify("workspace", after.token))).rejects.toMatchObject({
      _tag: "Unauthorized",
    })
    const foreign = await Effect.runPromise(
      Effect.flatMap(Tokens, (others) => others.issue("workspace", session)).pipe(
        Effect.provide(Tokens.layer([Redacted.make("j".repeat(40))])),
      ),
    )
    await expect(Effect.runPromise(both.verify("workspace", foreign.token))).rejects.toMatchObject({
      _tag: "Unauthorized",
    })
  })

  test("of a guest is no workspace session, and the other way round", async () => {
    const workspace = await Effect.runPromise(tokens.issue("workspace", session))
    const ofGuest = await Effect.runPromise(tokens.issue("guest", guest))
    expect((await Effect.runPromise(tokens.verify("guest", ofGuest.token))).claims).toEqual(guest)
    for (const [purpose, { token }] of [
      ["workspace", ofGuest],
      ["guest", workspace],
    ] as const) {
      await expect(Effect.runPromise(tokens.verify(purpose, token))).rejects.toMatchObject({ _tag: "Unauthorized" })
    }
  })

  test("lives as long as its purpose says", async () => {
    for (const [purpose, claims, seconds] of [
      ["workspace", session, 3600],
      ["guest", guest, 7200],
      ["gateway", grant, 120],
    ] as const) {
      const lived = Effect.gen(function* () {
        yield* TestClock.setTime(1_800_000_000_000)
        const { token, expiresAt } = yield* tokens.issue(purpose, claims as never)
        expect([decodeJwt(token).exp, Date.parse(expiresAt)]).toEqual([
          1_800_000_000 + seconds,
          (1_800_000_000 + seconds) * 1000,
        ])
        yield* TestClock.adjust(seconds * 1000 - 1)
        const before = yield* Effect.exit(tokens.verify(purpose, token))
        yield* TestClock.adjust(1)
        return [before, yield* Effect.exit(tokens.verify(purpose, token))].map(Exit.isSuccess)
      })
      expect(await Effect.runPromise(Effect.provide(lived, TestClock.layer()))).toEqual([true, false])
    }
  })

  test("of another installation, unsigned, or without an end is refused", async () => {
    const foreign = await stranger.runPromise(Effect.flatMap(Tokens, (other) => other.issue("workspace", session)))
    const endless = await new SignJWT(session).setProtectedHeader({ alg: "HS256" }).sign(new Uint8Array(32))
    const [, body] = foreign.token.split(".")
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${body}.`
    for (const token of [foreign.token, endless, unsigned, "", "a.b.c"]) {
      await expect(Effect.runPromise(tokens.verify("workspace", token))).rejects.toMatchObject({ _tag: "Unauthorized" })
    }
  })
})

test("secrets have 256 bits, never repeat, and compare by value", () => {
  const many = new Set(Array.from({ length: 1000 }, newSecret))
  expect(many.size).toBe(1000)
  for (const secret of many) expect(secret).toMatch(/^[0-9A-Za-z]{43}$/)
  const [one = "", other = ""] = many
  expect([sameSecret(one, one), sameSecret(one, other), sameSecret(one, "")]).toEqual([true, false, false])
  expect(hashSecret(one)).toHaveLength(32)
})

test("a password matches its own hash only, and an unknown account never", async () => {
  const passwords = ManagedRuntime.make(Layer.provide(Passwords.layer, Telemetry.layer("silent")))
  const run = <A, E>(use: (service: Passwords["Service"]) => Effect.Effect<A, E>) =>
    passwords.runPromise(Effect.flatMap(Passwords, use))
  const hash = await run((service) => service.hash("correct horse"))
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,p=1,t=2\$|^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await run((service) => service.verify(hash, "correct horse"))).toBe(true)
  expect(await run((service) => service.verify(hash, "correct horse "))).toBe(false)
  expect(await run((service) => service.verify(null, "a password that no account has"))).toBe(false)
  await passwords.dispose()
})

test("a request that has been given up when its turn comes is not hashed", async () => {
  const hashed: boolean[] = []
  const hash = (isGone: boolean) =>
    Effect.gen(function* () {
      const result = yield* Effect.result((yield* Passwords).hash("correct horse"))
      hashed.push(Result.isSuccess(result))
    }).pipe(
      Effect.provideService(RequestCaller, { address: "192.0.2.1", client: null, requestId: "", isGone: () => isGone }),
    )
  const passwords = ManagedRuntime.make(Layer.provide(Passwords.layer, Telemetry.layer("silent")))
  await passwords.runPromise(Effect.all([hash(false), hash(true), hash(false)], { concurrency: "unbounded" }))
  expect(hashed.toSorted()).toEqual([false, true, true])
  await passwords.dispose()
})

const NOW = 1_800_000_000
const bytes = randomBytes(32)
const key = createSecretKey(bytes)
const text = fc.string({ unit: "grapheme" })
const claims = fc.record({ name: text, nested: fc.record({ list: fc.array(text), none: fc.constant(null) }) })
const sign = (said: object, { aud = "here", exp = NOW + 1 } = {}): string => signClaims(key, said, { aud, exp })

test("jose reads the tokens that are signed here, and its tokens are read here", () =>
  fc.assert(
    fc.asyncProperty(claims, async (said) => {
      const ours = await jwtVerify(sign(said), bytes, { audience: "here", currentDate: new Date(NOW * 1000) })
      expect(ours).toEqual({ payload: { ...said, aud: "here", exp: NOW + 1 }, protectedHeader: { alg: "HS256" } })
      const theirs = new SignJWT(said)
        .setProtectedHeader({ alg: "HS256" })
        .setAudience("here")
        .setExpirationTime(NOW + 1)
      expect(verifyClaims(key, await theirs.sign(bytes), "here", NOW)).toEqual({ ...said, aud: "here", exp: NOW + 1 })
    }),
  ))

test("a token with any one character changed, taken out or put in is refused", () => {
  const token = sign({ name: "Ada" })
  const character = fc.constantFrom(..."ABab01-_=.+/ ")
  fc.assert(
    fc.property(fc.nat(token.length - 1), character, fc.nat(1), (at, other, taken) => {
      const changed = token.slice(0, at) + other + token.slice(at + taken)
      fc.pre(changed !== token)
      expect(verifyClaims(key, changed, "here", NOW)).toBeUndefined()
    }),
    { numRuns: 2_000 },
  )
  for (const cut of [token.slice(1), token.slice(0, -1), `${token}.`, `${token}=`, ""]) {
    expect(verifyClaims(key, cut, "here", NOW)).toBeUndefined()
  }
})

test("a token holds until its expiry and not in that second, for its audience, under its key", () => {
  const token = sign({}, { exp: NOW })
  expect(verifyClaims(key, token, "here", NOW - 1)).toEqual({ aud: "here", exp: NOW })
  expect(verifyClaims(key, token, "here", NOW)).toBeUndefined()
  expect(verifyClaims(key, token, "elsewhere", NOW - 1)).toBeUndefined()
  expect(verifyClaims(createSecretKey(randomBytes(32)), token, "here", NOW - 1)).toBeUndefined()
})

test("a token of the right key with another algorithm, or more in its header, is refused", async () => {
  for (const [name, alg, header] of [
    ["another algorithm", "HS512", {}],
    ["a further header", "HS256", { kid: "1" }],
    ["a type", "HS256", { typ: "JWT" }],
  ] as const) {
    const long = randomBytes(64)
    const token = await new SignJWT({})
      .setProtectedHeader({ alg, ...header })
      .setAudience("here")
      .setExpirationTime(NOW + 1)
      .sign(long)
    expect(verifyClaims(createSecretKey(long), token, "here", NOW), name).toBeUndefined()
  }
})

test("a token of the right key without one audience and an expiry is refused", () => {
  for (const [name, registered] of [
    ["an audience", { exp: NOW + 1 }],
    ["an expiry", { aud: "here" }],
    ["a number for its expiry", { aud: "here", exp: "2100-01-01" }],
    ["one audience", { aud: ["here"], exp: NOW + 1 }],
  ] as const) {
    const token = signClaims(key, {}, registered as object as { aud: string; exp: number })
    expect(verifyClaims(key, token, "here", NOW), name).toBeUndefined()
  }
})

/** "12345678901234567890" in base32. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

test("codes are those of RFC 6238", () => {
  for (const [second, code, step] of [
    [59, "287082", 1],
    [1_111_111_109, "081804", 37_037_036],
    [1_111_111_111, "050471", 37_037_037],
    [1_234_567_890, "005924", 41_152_263],
    [2_000_000_000, "279037", 66_666_666],
  ] as const) {
    expect(stepOf(SECRET, code, second * 1000)).toBe(step)
  }
})

test("a code counts in the thirty seconds before and after its own, and no longer", () => {
  // The code of the seconds 30 to 59.
  const at = (second: number) => stepOf(SECRET, "287082", second * 1000)
  expect([at(0), at(29), at(60), at(89)]).toEqual([1, 1, 1, 1])
  expect([at(90), at(120)]).toEqual([undefined, undefined])
  expect(stepOf(SECRET, "287083", 59_000)).toBe(undefined)
})

test("a secret has 160 bits and is in the address that programs read", () => {
  const secret = newTotpSecret()
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(newTotpSecret()).not.toBe(secret)
  expect(totpUri(SECRET, "ada@example.com")).toBe(
    `otpauth://totp/Gathercue:ada%40example.com?issuer=Gathercue&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
  )
})

test("recovery codes are ten, all different, and may be typed in any form", () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^(?:[a-km-np-z2-9]{4}-){3}[a-km-np-z2-9]{4}$/)
  expect(typedCode(" ABCD-efgh ２３４５ー6789")).toBe("abcdefgh23456789")
})

test("an address is known for the account that signed in there, and not after a wrong password", () => {
  const callers = new PasswordCallers(systemTimers)
  callers.gave("192.0.2.1", "ada", true)
  expect([callers.callerClass("192.0.2.1", "ada"), callers.callerClass("192.0.2.1", "bob")]).toEqual([
    "known",
    "unknown",
  ])
  callers.gave("192.0.2.1", "bob", false)
  expect([callers.callerClass("192.0.2.1", "ada"), callers.callerClass("192.0.2.1", "bob")]).toEqual([
    "unknown",
    "suspect",
  ])
})

test("an account that signs in from any number of addresses makes those of others neither unknown nor forgotten", () => {
  const callers = new PasswordCallers(systemTimers)
  callers.gave("192.0.2.1", "ada", true)
  for (let site = 0; site < 25_000; site++) callers.gave(`2001:470:1:${site.toString(16)}::/64`, "mallory", true)
  expect(callers.callerClass("192.0.2.1", "ada")).toBe("known")
})

test("an account is known at the eight addresses where it signed in last", () => {
  const callers = new PasswordCallers(systemTimers)
  const addresses = Array.from({ length: 9 }, (_, n) => `192.0.2.${n}`)
  for (const address of [...addresses.slice(0, 8), "192.0.2.0", "192.0.2.8"]) callers.gave(address, "ada", true)
  const unknown = addresses.filter((address) => callers.callerClass(address, "ada") === "unknown")
  expect(unknown).toEqual(["192.0.2.1"])
})

test("ten thousand accounts are remembered; the one that signed in longest ago is forgotten first", () => {
  const callers = new PasswordCallers(systemTimers)
  for (let n = 0; n < 10_000; n++) callers.gave("192.0.2.1", `account ${n}`, true)
  callers.gave("192.0.2.1", "account 0", true)
  callers.gave("192.0.2.1", "another", true)
  const known = [0, 1, 2].map((n) => callers.callerClass("192.0.2.1", `account ${n}`))
  expect(known).toEqual(["known", "unknown", "known"])
})

const open = (strict = true) => Effect.runSync(Effect.provide(AnonymousBudgets, AnonymousBudgets.layer(strict)))

/** How many of `times` acts at one moment are allowed. */
const allowed = (
  budgets: AnonymousBudgets["Service"],
  act: AnonymousAct,
  {
    times,
    eventId = "event",
    address = "192.0.2.1",
    now = 0,
  }: { times: number } & Partial<Record<"eventId" | "address", string>> & { now?: number },
): number =>
  Array.from({ length: times }, () => budgets.spend(act, eventId, address, now)).filter((wait) => wait === 0).length

test.each([
  ["questions", 10, 0.5],
  ["votes", 300, 30],
  ["reactions", 500, 100],
] as const)("of %s an address has %i at once and %d a second", (act, burst, perSecond) => {
  const budgets = open()
  expect(allowed(budgets, act, { times: burst + 50 })).toBe(burst)
  expect(budgets.spend(act, "event", "192.0.2.1", 0)).toBe(Math.ceil(1000 / perSecond))
  expect(allowed(budgets, act, { times: burst, now: 4_000 })).toBe(perSecond * 4)
  expect(allowed(budgets, act, { times: 5, address: "192.0.2.2" })).toBe(5)
  expect(allowed(budgets, act, { times: 5, eventId: "another" })).toBe(5)
})

test("the acts of one kind cost nothing of another", () => {
  const budgets = open()
  expect(allowed(budgets, "questions", { times: 20 })).toBe(10)
  expect(allowed(budgets, "votes", { times: 20 })).toBe(20)
})

test("sixteen /64s of a /48 have limits of their own, all others of it together nothing more", () => {
  const budgets = open()
  const of = (site: number): number =>
    allowed(budgets, "questions", { times: 20, address: `2001:470:1:${site.toString(16)}::/64` })
  const sites = Array.from({ length: 40 }, (_, site) => of(site))
  expect(sites).toEqual(sites.map((_, site) => (site < 16 ? 10 : 0)))
  expect(allowed(budgets, "questions", { times: 20, address: "2001:470:2:0::/64" })).toBe(10)
})

test("a hundred thousand made-up addresses are forgotten, those used last are not", () => {
  const budgets = open()
  for (let n = 0; n < 100_000; n++) {
    budgets.spend("questions", "event", `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 0)
    if (n % 1000 === 0) budgets.spend("questions", "event", "192.0.2.1", 0)
  }
  expect(allowed(budgets, "questions", { times: 20 })).toBe(0)
})

test("ten reactions in one command are ten", () => {
  const budgets = open()
  const times = Array.from({ length: 60 }, () => budgets.spend("reactions", "event", "192.0.2.1", 0, 10))
  expect(times.filter((wait) => wait === 0)).toHaveLength(50)
})

test("outside production everything is allowed", () => {
  expect(allowed(open(false), "questions", { times: 500 })).toBe(500)
})
