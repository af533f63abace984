import { Effect, Exit, Layer, ManagedRuntime, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { decodeJwt, SignJWT } from "jose"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Passwords } from "../../src/identity/accounts/passwords.ts"
import { RequestCaller } from "../../src/identity/request-caller.ts"
import { hashSecret, newSecret, sameSecret } from "../../src/identity/secrets.ts"
import { type GatewayGrant, Tokens } from "../../src/identity/tokens.ts"
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
