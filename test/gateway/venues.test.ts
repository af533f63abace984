/** A venue's people come through one address, all within a moment. In production mode, as users run it. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type CallOptions, call, createLiveEvent, createWorkspace, type Json, signup } from "../support/api.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { Client } from "./client.ts"

const HALL = "203.0.113.7"
const CAMPUS = "2001:db8:77:12::"

let server: TestServer
let event: Json
let code: string
beforeAll(async () => {
  server = await startTestServer({
    NODE_ENV: "production",
    PUBLIC_URL: "https://events.example.com",
    TRUSTED_PROXIES: "127.0.0.1",
    VENUE_ADDRESSES: `203.0.113.0/28, ${CAMPUS}1`,
  })
  const house = await createWorkspace(server.url)
  event = await createLiveEvent(server.url, house.key, {
    visibility: "public",
    allowAnonymousQuestions: true,
    phases: [{ modality: "broadcast", featureSet: ["qa"] }],
  })
  code = (await call(server.url, "POST", `/v1/events/${event.id}/join-code`, { key: house.key })).body.code
})
afterAll(() => server.stop())

const PEOPLE = 500
/** So few at a time that the database is no bound. */
const AT_A_TIME = 25
const all = async <A>(times: number, act: () => Promise<A>): Promise<ReadonlyArray<A>> => {
  const done: A[] = []
  while (done.length < times) {
    done.push(...(await Promise.all(Array.from({ length: Math.min(AT_A_TIME, times - done.length) }, act))))
  }
  return done
}
const from = (address: string) => ({ "x-forwarded-for": address })
const api = async (address: string, method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { ...options, headers: from(address) })

const register = (address: string) =>
  api(address, "POST", `/v1/public/events/${event.id}/register`, {
    body: { name: "Ada", email: `${randomUUID()}@example.com` },
  })
const ask = (address: string) =>
  api(address, "POST", `/v1/public/events/${event.id}/questions`, { body: { text: "Why?" } })
const mint = (address: string) => api(address, "POST", "/v1/auth/gateway-token", { body: { eventId: event.id } })

/** All that somebody asks for who types the code, looks at the event, registers and goes in. */
const enter = async (address: string) => {
  const steps = [
    await api(address, "GET", `/v1/public/join/${code}`),
    await api(address, "GET", `/v1/public/events/${event.id}`),
    await register(address),
    await mint(address),
  ]
  return { statuses: steps.map(({ status }) => status).join(" "), token: steps.at(-1)?.body.token as string }
}

const refusals = (answers: ReadonlyArray<{ readonly status: number }>) =>
  answers.filter(({ status }) => status === 429).length

/** Whether one of as many people as come to the hall is refused. */
const isRefused = async (act: () => Promise<{ readonly status: number }>): Promise<boolean> => {
  for (let done = 0; done < PEOPLE; done += AT_A_TIME) if (refusals(await all(AT_A_TIME, act)) > 0) return true
  return false
}

test("five hundred people of a venue all get in at once", async () => {
  const entered = await all(PEOPLE, () => enter(HALL))
  expect([...new Set(entered.map(({ statuses }) => statuses))]).toEqual(["200 200 200 200"])
  // Sockets have a limit of their own: as many are opened as come at a time.
  for (const { token } of entered.slice(0, AT_A_TIME)) {
    const client = new Client(`${server.url.replace("http", "ws")}/v1/gateway`, [], from(HALL))
    await client.identify(token)
    client.socket.close()
  }
})

test("another address has the ordinary limits meanwhile", async () => {
  expect(await isRefused(() => register("203.0.113.16"))).toBe(true)
  expect(refusals([await register("203.0.113.15")])).toBe(0)
})

test("a venue may be an IPv6 address, which stands for its /64 as everywhere", async () => {
  expect(refusals(await all(100, () => register(`${CAMPUS}beef`)))).toBe(0)
  expect(await isRefused(() => register("2001:db8:77:13::1"))).toBe(true)
})

test("people of a venue ask more questions without a name, and those elsewhere ten", async () => {
  expect(refusals(await all(50, () => ask(HALL)))).toBe(0)
  expect(await isRefused(() => ask("203.0.113.17"))).toBe(true)
})

test("ten wrong passwords lock a venue out of an account, as any other address", async () => {
  const { email } = await signup(server.url)
  const login = () => api(HALL, "POST", "/v1/accounts/login", { body: { email, password: "not the password" } })
  const statuses: number[] = []
  for (let n = 0; n < 11; n++) statuses.push((await login()).status)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
})
