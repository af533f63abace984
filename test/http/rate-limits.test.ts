/** Limits as production has them, each at its edge and one past it; and that development has none. */
import { randomUUID } from "node:crypto"
import { memoryUsage } from "node:process"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Exit, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, test } from "vitest"
import { deriveKeyRing } from "../../src/crypto/secret-key.ts"
import { type LimitName, RATE_LIMIT_KEYS, RateLimits } from "../../src/http/limits/rate-limits.ts"
import { sealTrip } from "../../src/identity/accounts/oidc.ts"
import { ANONYMOUS_BUDGET_KEYS } from "../../src/identity/callers/anonymous-budgets.ts"
import { BoundedBuckets } from "../../src/model/limits/bounded-buckets.ts"
import {
  type CallOptions,
  call,
  createEvent,
  createLiveEvent,
  createPerson,
  createWorkspace,
  PASSWORD,
  signup,
} from "../support/api.ts"
import { codeOf, setUpTotp } from "../support/second-factor.ts"
import { SECRET_KEY, startTestServer } from "../support/server.ts"
import { ownServer, sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer(() =>
  startTestServer({
    NODE_ENV: "production",
    PUBLIC_URL: "https://events.example.com",
    TRUSTED_PROXIES: "127.0.0.1",
  }),
)

let next = 0
/** Somebody nobody else in this file is: limits by address are counted for each alone. */
const newcomer = (): { readonly "x-forwarded-for": string } => {
  next++
  return { "x-forwarded-for": `198.51.${Math.floor(next / 250)}.${(next % 250) + 1}` }
}
const api = (method: string, path: string, options: CallOptions = {}) => call(server.url, method, path, options)
const repeat = async <A>(times: number, act: (time: number) => Promise<A>): Promise<ReadonlyArray<A>> => {
  const answers: A[] = []
  for (let time = 0; time < times; time++) answers.push(await act(time))
  return answers
}
/** Asks until it is refused; the answer that says so. As many as the limit gives at once, and in the time it takes, were not. */
const refusedAfter = async <A extends { readonly status: number }>(
  { burst, perSecond }: { readonly burst: number; readonly perSecond: number },
  act: () => Promise<A>,
): Promise<A> => {
  const since = performance.now()
  for (let taken = 0; ; taken++) {
    const answer = await act()
    if (answer.status !== 429) continue
    const trickled = ((performance.now() - since) / 1000) * perSecond
    expect(taken).toBeGreaterThanOrEqual(burst)
    expect(taken).toBeLessThanOrEqual(Math.ceil(burst + trickled))
    return answer
  }
}
const statuses = (answers: ReadonlyArray<{ readonly status: number }>) => [
  ...new Set(answers.map(({ status }) => status)),
]

describe("by address", () => {
  // Refused before any hashing: the count is taken first.
  const login = (headers: { readonly [name: string]: string }) =>
    api("POST", "/v1/accounts/login", { body: {}, headers })

  test("sixty logins a minute, for any account; the next gets the time to retry; others are not affected", async () => {
    const headers = newcomer()
    const first = await login(headers)
    expect([first.status, first.headers.get("ratelimit-policy")]).toEqual([400, '"login";q=60;w=60'])
    expect(first.headers.get("ratelimit")).toMatch(/^"login";r=59;t=\d+$/)
    const other = newcomer()
    const refused = await refusedAfter({ burst: 60, perSecond: 1 }, () => login(other))
    expect([refused.status, refused.body.code, refused.headers.get("content-type")]).toEqual([
      429,
      "rate_limited",
      "application/problem+json",
    ])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(refused.headers.get("ratelimit")).toMatch(/^"login";r=0;t=\d+$/)
    expect((await login(newcomer())).status).toBe(400)
  })

  test("twenty signups an hour", async () => {
    const headers = newcomer()
    const attempt = () =>
      api("POST", "/v1/accounts/signup", { body: { email: "nobody", password: "x", name: "" }, headers })
    await refusedAfter({ burst: 20, perSecond: 20 / 3600 }, attempt)
  })

  test("a claimed address counts for nothing when it does not come from a trusted proxy", async () => {
    const direct = await ownServer({ NODE_ENV: "production", PUBLIC_URL: "https://events.example.com" })
    const attempt = () => call(direct.url, "POST", "/v1/accounts/signup", { body: {}, headers: newcomer() })
    await repeat(20, attempt)
    expect((await attempt()).status).toBe(429)
  })
})

describe("by whom it is about", () => {
  const acme = sharedWorkspace(server)
  const login = (email: string, password: string, headers = newcomer()) =>
    api("POST", "/v1/accounts/login", { body: { email, password }, headers })

  test("ten wrong passwords from one address lock it out of the account, also all at once; its owner elsewhere signs in", async () => {
    const person = await signup(server.url)
    const right = await repeat(12, () => login(person.email, "correct horse battery"))
    expect(statuses(right)).toEqual([200])
    const attacker = newcomer()
    const tries = await Promise.all(Array.from({ length: 25 }, () => login(person.email, "wrong password", attacker)))
    expect(tries.filter(({ status }) => status === 401)).toHaveLength(10)
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(25 - 10)
    const again = await login(person.email.toUpperCase(), "correct horse battery", attacker)
    expect([again.status, Number(again.headers.get("retry-after")) > 0]).toEqual([429, true])
    expect((await login(person.email, "correct horse battery")).status).toBe(200)
    expect((await login(acme.owner.email, "correct horse battery", attacker)).status).toBe(200)
  })

  test("ten wrong codes from one address lock it out, and thirty from anywhere the account", async () => {
    const person = await signup(server.url)
    const { secret } = await setUpTotp(server.url, person)
    const withCode = async (code: string, headers: ReturnType<typeof newcomer>) => {
      const { mfaToken } = (await login(person.email, PASSWORD, headers)).body
      const body = { mfaToken, code }
      return (await api("POST", "/v1/accounts/login/code", { body, headers })).status
    }
    const attacker = newcomer()
    expect(statuses(await repeat(10, async () => ({ status: await withCode("000000x", attacker) })))).toEqual([401])
    // The count of wrong passwords at that address is the same.
    expect((await login(person.email, PASSWORD, attacker)).status).toBe(200)
    expect(await withCode(codeOf(secret, 1), attacker)).toBe(429)
    expect(await withCode(codeOf(secret, 1), newcomer())).toBe(200)
    expect(statuses(await repeat(20, async () => ({ status: await withCode("000000x", newcomer()) })))).toEqual([401])
    expect(await withCode("000000x", newcomer())).toBe(429)
  })

  test("a hundred codes of identity providers that bring no sign-in, by one cookie of a browser that began one", async () => {
    const { id, owner } = await createWorkspace(server.url)
    const given = { name: "Login", clientId: "c", clientSecret: "s", domains: ["example.com"] }
    const body = { ...given, issuer: "https://login.invalid" }
    const made = await api("POST", `/v1/workspaces/${id}/connections`, { cookie: owner.cookie, body })
    const round = { state: "s", nonce: "n", verifier: "v", fresh: false, isOwn: true, connectionId: made.body.id }
    const trip = sealTrip(deriveKeyRing([Redacted.make(SECRET_KEY)], "sso-round-trips"), "connection", {
      ...round,
      expires: Date.now() + 600_000,
    } as { readonly expires: number })
    const headers = { ...newcomer(), cookie: `gc_sso=${trip}` }
    const finish = async () => {
      const path = new URL(made.body.redirectUri).pathname
      return (await fetch(`${server.url}${path}?code=x&state=s`, { headers, redirect: "manual" })).status
    }
    const answers = await Promise.all(Array.from({ length: 120 }, finish))
    expect(answers.filter((status) => status === 302)).toHaveLength(100)
    expect(answers.filter((status) => status === 429)).toHaveLength(20)
    const idp = () => api("GET", "/v1/auth/idp/callback?code=x&state=s", { headers })
    expect((await idp()).status).toBe(429)
  })

  test("an account with many wrong passwords is slowed down at addresses where it never signed in, and nowhere refused", async () => {
    const person = await signup(server.url)
    const home = newcomer()
    expect((await login(person.email, PASSWORD, home)).status).toBe(200)
    const wrong = await Promise.all(Array.from({ length: 10 }, () => login(person.email, "wrong password")))
    expect(statuses(wrong)).toEqual([401])
    for (let round = 0; round < 2; round++) {
      const answered: string[] = []
      const since = performance.now()
      const signIn = async (where: string, headers = newcomer()) => {
        expect((await login(person.email, PASSWORD, headers)).status).toBe(200)
        answered.push(where)
      }
      await Promise.all([signIn("elsewhere"), signIn("at home", home)])
      expect(answered).toEqual(["at home", "elsewhere"])
      // timed: a slow machine is later still.
      expect(performance.now() - since).toBeGreaterThan(1_900)
    }
  })

  test("three requests a minute for a new password of one account, counted for each client alone", async () => {
    const ask = (headers: { readonly "x-forwarded-for": string }) =>
      api("POST", "/v1/accounts/request-password-reset", { body: { email: "reader@example.com" }, headers })
    const attacker = newcomer()
    expect(statuses(await repeat(3, () => ask(attacker)))).toEqual([200])
    expect(statuses(await repeat(20, () => ask(attacker)))).toEqual([429])
    const reader = newcomer()
    expect(statuses(await repeat(3, () => ask(reader)))).toEqual([200])
    expect((await ask(reader)).status).toBe(429)
  })

  test("to that end all addresses of an IPv6 network are one client", async () => {
    const ask = (site: number, network = "2001:470:7") =>
      api("POST", "/v1/accounts/request-password-reset", {
        body: { email: "network@example.com" },
        headers: { "x-forwarded-for": `${network}:${site.toString(16)}::1` },
      })
    for (let site = 1; site <= 3; site++) expect((await ask(site)).status).toBe(200)
    for (let site = 4; site <= 12; site++) expect((await ask(site)).status).toBe(429)
    expect((await ask(1, "2001:470:8")).status).toBe(200)
  })

  test("sixty requests a day for a new password of one account by all clients together", async () => {
    const ask = () =>
      api("POST", "/v1/accounts/request-password-reset", { body: { email: "many@example.com" }, headers: newcomer() })
    expect(statuses(await repeat(60, ask))).toEqual([200])
    expect((await ask()).status).toBe(429)
  })

  test("emails of one kind keep nobody from those of another", async () => {
    const email = `${randomUUID()}@example.com`
    const event = await createEvent(server.url, acme.key)
    await api("POST", `/v1/events/${event.id}/publish`, { key: acme.key })
    const register = () =>
      api("POST", `/v1/public/events/${event.id}/register`, { body: { name: "A", email }, headers: newcomer() })
    const invite = () => api("POST", `/v1/workspaces/${acme.id}/invites`, { key: acme.key, body: { email } })
    const headers = newcomer()
    const reset = () =>
      api("POST", "/v1/accounts/request-password-reset", { body: { email: email.toUpperCase() }, headers })
    for (const [ask, taken] of [
      [register, 200],
      [invite, 201],
      [reset, 200],
    ] as const) {
      const answers = await Promise.all(Array.from({ length: 5 }, ask))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([taken, taken, taken, 429, 429])
    }
  })

  test("thirty requests for a new password an hour from one address, whomever they are for", async () => {
    const headers = newcomer()
    const ask = () =>
      api("POST", "/v1/accounts/request-password-reset", { body: { email: `${randomUUID()}@example.com` }, headers })
    expect(statuses(await repeat(30, ask))).toEqual([200])
    const refused = await ask()
    expect([refused.status, refused.body.code, Number(refused.headers.get("retry-after")) > 60]).toEqual([
      429,
      "rate_limited",
      true,
    ])
  })

  test("sixty registrations at once from one address", async () => {
    const event = await createEvent(server.url, acme.key)
    await api("POST", `/v1/events/${event.id}/publish`, { key: acme.key })
    const headers = newcomer()
    const register = () =>
      api("POST", `/v1/public/events/${event.id}/register`, {
        body: { name: "A", email: `${randomUUID()}@example.com` },
        headers,
      })
    await refusedAfter({ burst: 60, perSecond: 2 }, register)
  })

  test("thirty questions a minute of a signed-in participant, whatever address they come from", async () => {
    const event = await createLiveEvent(server.url, acme.key, {
      visibility: "public",
      phases: [{ modality: "broadcast", featureSet: ["qa"] }],
    })
    const { session } = await createPerson(server.url, acme.key, event.id, "viewer")
    const ask = () =>
      api("POST", `/v1/public/events/${event.id}/questions`, {
        body: { text: "Why?" },
        bearer: session,
        headers: newcomer(),
      })
    await refusedAfter({ burst: 30, perSecond: 0.5 }, ask)
  })

  test("a signed-in participant's requests are counted by their id, and others have limits of their own", async () => {
    const event = await createLiveEvent(server.url, acme.key, { phases: [{ modality: "broadcast" }] })
    const people = [
      await createPerson(server.url, acme.key, event.id, "viewer"),
      await createPerson(server.url, acme.key, event.id, "viewer"),
    ]
    const [busy, other] = people.map(({ session }) => async () => {
      const answer = await api("GET", `/v1/public/events/${event.id}`, { bearer: session, headers: newcomer() })
      return [answer.headers.get("ratelimit-policy"), answer.headers.get("ratelimit")?.split(";")[1]]
    })
    await Promise.all(Array.from({ length: 40 }, () => busy?.()))
    expect(await other?.()).toEqual(['"participant";q=20;w=1', "r=59"])
  })

  test("a key's requests are counted, with the remaining number in each answer", async () => {
    const answers = await repeat(2, () => api("GET", "/v1/events", { key: acme.key }))
    expect(answers[0]?.headers.get("ratelimit-policy")).toBe('"apiKey";q=100;w=1')
    expect(answers[0]?.headers.get("ratelimit")).toMatch(/^"apiKey";r=\d+;t=1$/)
  })
})

describe("the burst", () => {
  const takeMany = (name: LimitName, times: number, strict: boolean) =>
    Effect.gen(function* () {
      const limits = yield* RateLimits
      const exits = yield* Effect.forEach(Array.from({ length: times }), () => Effect.exit(limits.take(name, "one")))
      return exits.filter(Exit.isSuccess).length
    }).pipe(Effect.provide(RateLimits.layer(strict)), Effect.runPromise)

  test.each([
    ["apiKey", 200, 10],
    ["accountSession", 60, 50],
    ["publicRead", 1000, 5],
    ["register", 60, 500],
    ["anonymousToken", 300, 100],
    ["joinCode", 300, 100],
    ["helpChat", 10, 3000],
  ] as const)("%s gives %i at once, then one every %i ms and not before", async (name, most, everyMs) => {
    const counted = Effect.gen(function* () {
      const limits = yield* RateLimits
      const isTaken = Effect.map(Effect.exit(limits.take(name, "one")), Exit.isSuccess)
      let atOnce = 0
      while (yield* isTaken) atOnce += 1
      yield* TestClock.adjust(everyMs - 1)
      const early = yield* isTaken
      // The sum of two parts of a token may be a little less than the token.
      yield* TestClock.adjust(2)
      return { atOnce, early, due: yield* isTaken, again: yield* isTaken }
    })
    const inVirtualTime = Effect.provide(Effect.provide(counted, RateLimits.layer(true)), TestClock.layer())
    expect(await Effect.runPromise(inVirtualTime)).toEqual({ atOnce: most, early: false, due: true, again: false })
  })

  test("of an act that several limits count is counted by all of them or, where one refuses, by none", async () => {
    const taken = Effect.gen(function* () {
      const limits = yield* RateLimits
      const act = limits.takeAll([
        ["signup", "one"],
        ["mailPerMinute", "one"],
      ])
      const acts = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.exit(act))
      const others = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.exit(limits.take("signup", "one")))
      return [acts.filter(Exit.isSuccess).length, others.filter(Exit.isSuccess).length]
    })
    expect(await Effect.runPromise(Effect.provide(taken, RateLimits.layer(true)))).toEqual([3, 17])
  })

  test("of the help chat is in force in every profile, the others in production only", async () => {
    expect(await takeMany("helpChat", 40, false)).toBe(10)
    expect(await takeMany("apiKey", 300, false)).toBe(300)
  })
})

test("a reader who had their emails of a day gets none after those of ten thousand others, of any kind", async () => {
  const reader = "reader@example.com"
  const refusals = Effect.gen(function* () {
    const limits = yield* RateLimits
    // Ten emails take minutes by `mail`, which allows three a minute.
    for (let n = 0; n < 10; n++) {
      yield* limits.take("entryEmailsPerDay", reader)
      yield* limits.take("verificationsPerDay", reader)
    }
    for (let n = 0; n < 10_000; n++) yield* limits.mail("entry", `other-${n}@example.com`)
    return [yield* Effect.flip(limits.mail("entry", reader)), yield* Effect.flip(limits.mail("verification", reader))]
  })
  expect(await Effect.runPromise(Effect.provide(refusals, RateLimits.layer(true)))).toMatchObject([
    { limit: "entryEmailsPerDay" },
    { limit: "verificationsPerDay" },
  ])
})

test("the keys of all limits together hold less than 64 MB", () => {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  const used = () => {
    collect()
    return memoryUsage().heapUsed
  }
  const before = used()
  const buckets = new BoundedBuckets({ perSecond: 1, burst: 10 }, 180_000)
  for (let n = 0; n < 150_000; n++) buckets.take(`198.51.100.7 reader-${n}@example.com`, n)
  const perKey = (used() - before) / buckets.size
  expect(perKey).toBeGreaterThan(50)
  expect((RATE_LIMIT_KEYS + ANONYMOUS_BUDGET_KEYS) * perKey).toBeLessThan(64_000_000)
})

test("the /64s of an IPv6 /48 have sixteen times as much together as one of them alone", async () => {
  const take = Effect.gen(function* () {
    const limits = yield* RateLimits
    const tryAt = (site: number) =>
      Effect.map(Effect.exit(limits.take("signup", `2001:470:1:${site.toString(16)}::/64`)), Exit.isSuccess)
    return yield* Effect.forEach(
      Array.from({ length: 40 }, (_, site) => site),
      (site) =>
        Effect.map(
          Effect.forEach(Array.from({ length: 25 }), () => tryAt(site)),
          (allowed) => allowed.filter((one) => one).length,
        ),
    )
  })
  const bySite = await Effect.runPromise(Effect.provide(take, RateLimits.layer(true)))
  expect(bySite).toEqual(bySite.map((_, site) => (site < 16 ? 20 : 0)))
})
